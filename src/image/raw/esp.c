/* Images for Espressif's boot loaders: a header, segments of {address, size, bytes}, zeros, a
 * checksum at the end of 16 bytes, perhaps a SHA-256. */
#include "image/raw/raw_internal.h"

#include "image/elf/elf_const.h"

enum { MAGIC = 0xe9, SEGMENTS_MAX = 16, SEED = 0xef, HASH = 32 };
enum { SEGMENT_HEAD = 8, HEADER = 8, EXTENDED = 24 }; /* of the ESP8266, of all later chips */

struct esp {
	struct bytes file;
	uint8_t count, chip;
	uint32_t entry;
	bool hashed;
	uint8_t sum, stated; /* the checksum of the segments, and what the file has for it */
	struct raw_chunk segments[SEGMENTS_MAX];
	uint64_t head, end; /* bytes of the header; where the last segment ends */
};

/* Whether the segments are where the header says, with one of the two sizes of it. */
static bool read_image(struct esp *e, uint64_t head)
{
	struct reader r = reader_of(e->file, false);
	e->sum = SEED;
	const uint8_t magic = read_u8(&r);
	e->count = read_u8(&r);
	read_skip(&r, 2);
	e->entry = read_u32(&r);
	e->head = head;
	if (head == EXTENDED) {
		read_skip(&r, 4);
		e->chip = read_u8(&r);
		read_skip(&r, 10);
		e->hashed = read_u8(&r) == 1;
	}
	if (magic != MAGIC || e->count == 0 || e->count > SEGMENTS_MAX)
		return false;
	for (unsigned i = 0; i < e->count; i++) {
		const uint32_t addr = read_u32(&r), size = read_u32(&r);
		const uint64_t off = r.pos;
		const uint8_t *p = read_take(&r, size);
		for (uint32_t k = 0; p && k < size; k++)
			e->sum ^= p[k];
		e->segments[i] = (struct raw_chunk){ addr, off, size };
	}
	e->end = r.pos;
	read_skip(&r, 15 - r.pos % 16);
	e->stated = read_u8(&r);
	return reader_ok(&r);
}

/* Whether the program begins in a segment. */
static bool has_entry(const struct esp *e)
{
	for (unsigned i = 0; i < e->count; i++) {
		const struct raw_chunk *s = &e->segments[i];
		if (s->addr != 0 && e->entry >= s->addr && e->entry - s->addr < s->size)
			return true;
	}
	return false;
}

/* The checksum tells how large the header is; where it fits neither, the entry point does. */
static bool read_any(struct esp *e, struct bytes file)
{
	static const uint64_t heads[] = { EXTENDED, HEADER };
	for (unsigned i = 0; i < 2 * COUNT_OF(heads); i++) {
		*e = (struct esp){ .file = file };
		if (read_image(e, heads[i % COUNT_OF(heads)]) &&
		    (i < COUNT_OF(heads) ? e->sum == e->stated : has_entry(e)))
			return true;
	}
	return false;
}

bool esp_matches(struct bytes b)
{
	struct esp e;
	return b.size > HEADER && b.p[0] == MAGIC && read_any(&e, b);
}

static void add_part(struct raw *r, uint64_t off, uint64_t size, const char *label)
{
	const uint64_t start = min_u64(off, r->bytes.size);
	size = min_u64(size, r->bytes.size - start);
	if (size > 0)
		vec_push(&r->parts, (struct image_part){ start, size, label });
}

/* By the number of the chip: RISC-V from the C3 on, but for the S3. */
static uint16_t machine_of(const struct esp *e)
{
	const bool xtensa = e->head == HEADER || e->chip == 0 || e->chip == 2 || e->chip == 9;
	return xtensa ? EM_XTENSA : EM_RISCV;
}

void esp_parse(struct raw *r, const char *path, struct bytes file, struct notes *notes)
{
	struct esp e;
	const bool ok = read_any(&e, file);
	ASSERT(ok);
	*r = (struct raw){
		.format = "ESP image", .bytes = file, .machine = machine_of(&e), .entry = e.entry
	};
	add_part(r, 0, e.head, "[ESP Headers]");
	for (unsigned i = 0; i < e.count; i++) {
		struct raw_chunk *s = &e.segments[i];
		add_part(r, s->off - SEGMENT_HEAD, SEGMENT_HEAD, "[ESP Headers]");
		if (s->addr != 0)
			continue;
		/* It moves the next one to where the cache can map it. */
		add_part(r, s->off, s->size, "[padding]");
		s->size = 0;
	}
	const uint64_t checked = (e.end | 15) + 1;
	if (e.sum != e.stated)
		note(notes, path, checked - 1, 1,
		     "the checksum of the segments is 0x%02x, where the file states 0x%02x", e.sum,
		     e.stated);
	add_part(r, e.end, checked - e.end, "[ESP Checksum]");
	add_part(r, checked, e.hashed ? HASH : 0, "[ESP Hash]");
	const uint64_t all = checked + (e.hashed ? HASH : 0);
	if (file.size > all)
		add_part(r, all, file.size - all, "[ESP Signature or Padding]");
	raw_take(r, e.segments, e.count, path, notes);
}
