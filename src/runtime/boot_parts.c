/* Lists the parts that a program carries to load when it starts. */
#define _GNU_SOURCE /* memmem */
#include "runtime/boot_parts.h"

enum { GRUB_MAGIC = 0x676d696d, GRUB_HEAD = 8, GRUB_OBJECT = 0 };

static void grub_walk(struct bytes bytes, unsigned word, bool big_endian, boot_part_fn *fn,
		      void *ctx)
{
	static const char *const kinds[] = { "",       "memory disk", "configuration",
					     "prefix", "public key",  "device tree" };
	struct reader r = reader_of(bytes, big_endian);
	const bool known = read_u32(&r) == GRUB_MAGIC;
	read_skip(&r, word == 8 ? 4 : 0);
	uint64_t at = read_uint(&r, word);
	const uint64_t end = min_u64(read_uint(&r, word), bytes.size);
	if (!known || !reader_ok(&r))
		return;
	while (at < end) {
		reader_seek(&r, at);
		const uint32_t kind = read_u32(&r), size = read_u32(&r);
		if (!reader_ok(&r) || size < GRUB_HEAD || size > end - at)
			return;
		struct boot_part p = { at, size, STR("other module"), { NULL, 0 } };
		if (kind < COUNT_OF(kinds))
			p.name = str_of(kinds[kind]);
		if (kind == GRUB_OBJECT)
			p.object = bytes_sub(bytes, at + GRUB_HEAD, size - GRUB_HEAD);
		fn(ctx, &p);
		at += size;
	}
}

/* Skips a number of 7 bits a byte, whose last byte is below 128. */
static void chez_skip_number(struct reader *r)
{
	enum { LONGEST = 10 };
	for (unsigned i = 0; i < LONGEST && read_u8(r) >= 0x80; i++)
		;
}

/* Reads the names of the boot files that a fasl file needs. `at` follows its magic. False if there
 * is no header. */
static bool chez_needs(struct bytes bytes, uint64_t at, struct str *ret)
{
	enum { LONGEST = 256 };
	struct reader r = reader_at(bytes, false, at);
	chez_skip_number(&r);
	chez_skip_number(&r);
	if (read_u8(&r) != '(' || !reader_ok(&r))
		return false;
	const char *text = (const char *)bytes.p + r.pos;
	const char *end = memchr(text, ')', (size_t)min_u64(reader_left(&r), LONGEST));
	*ret = (struct str){ text, end ? (size_t)(end - text) : 0 };
	return end != NULL;
}

/* Calls fn for each boot file of Chez Scheme. Each header lists the boot files that must be loaded
 * before. A boot file begins at a header whose list differs from the one before. The last name in
 * the list is that of the previous boot file. */
static void chez_walk(struct bytes bytes, boot_part_fn *fn, void *ctx)
{
	const struct str magic = STR("\0\0\0\0chez");
	struct str last = STR(""), needs;
	uint64_t start = 0, at = 0;
	if (bytes.size < magic.len || memcmp(bytes.p, magic.p, magic.len) != 0)
		return;
	while (at < bytes.size) {
		const uint8_t *p = memmem(bytes.p + at, (size_t)(bytes.size - at), magic.p,
					  magic.len);
		if (!p)
			break;
		const uint64_t head = (uint64_t)(p - bytes.p);
		at = head + magic.len;
		if (!chez_needs(bytes, at, &needs) || str_eq(needs, last))
			continue;
		const char *space = needs.len > 0 ? memrchr(needs.p, ' ', needs.len) : NULL;
		if (head > start)
			fn(ctx,
			   &(struct boot_part){
				   start, head - start,
				   str_from(needs, space ? (size_t)(space + 1 - needs.p) : 0) });
		start = head;
		last = needs;
	}
	fn(ctx, &(struct boot_part){ start, bytes.size - start, STR("last boot file") });
}

void boot_parts_walk(struct bytes bytes, unsigned word, bool big_endian, boot_part_fn *fn,
		     void *ctx)
{
	ASSERT(word == 4 || word == 8);
	grub_walk(bytes, word, big_endian, fn, ctx);
	chez_walk(bytes, fn, ctx);
}
