/* Whether maps of basic blocks come out byte for byte when they are read and written in their own
 * version. usage: same_map FILE... */
#include "blocks/bbmap_encode.h"
#include "image/elf/elf_const.h"
#include "image/input.h"

#include <stdio.h>
#include <stdlib.h>

static bool same_entry(struct bbmap_encoder *x, const struct bbmap_cursor *c, struct bytes from)
{
	x->bytes.count = 0;
	x->version = c->entry.version;
	return bbmap_encode(x, &c->entry) && x->bytes.count == c->entry.size &&
	       memcmp(x->bytes.data, from.p + c->entry.off, x->bytes.count) == 0;
}

/* Entries that come out the same; -1: one does not. */
static int same_section(const struct image *im, const struct section *s)
{
	const struct bbmap_section map = { .bytes = section_bytes(im, s),
					   .form = BBMAP_VERSIONED,
					   .addr_size = im->bits / 8,
					   .big_endian = im->big_endian };
	struct bbmap_encoder x = { .addr_size = map.addr_size, .big_endian = map.big_endian };
	struct bbmap_cursor c;
	enum bbmap_step step;
	int count = 0;
	bbmap_open(&c, &map, true);
	while (count >= 0 && (step = bbmap_next(&c)) != BBMAP_END)
		count = step == BBMAP_FUNCTION && same_entry(&x, &c, map.bytes) ? count + 1 : -1;
	bbmap_close(&c);
	vec_release(&x.bytes);
	return count;
}

static int same_file(const char *path)
{
	struct input in;
	struct heft_err err;
	int count = 0;
	if (!input_open(&in, path, USE_SIZE, NULL, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return -1;
	}
	const struct image *im = &in.images[0];
	for (size_t i = 1; i < im->section_count && count >= 0; i++) {
		if (im->sections[i].type != SHT_LLVM_BB_ADDR_MAP)
			continue;
		const int more = same_section(im, &im->sections[i]);
		count = more < 0 ? -1 : count + more;
	}
	input_close(&in);
	return count;
}

int main(int argc, char **argv)
{
	int bad = argc < 2;
	for (int i = 1; i < argc; i++) {
		const int count = same_file(argv[i]);
		printf("%s: %d entries\n", argv[i], count);
		bad |= count <= 0;
	}
	return bad;
}
