/* Intel HEX: a record a line, ":" COUNT ADDRESS TYPE DATA CHECKSUM in hexadecimal digits. */
#include "image/raw/raw_internal.h"

enum { DATA, END, SEGMENT, START_SEGMENT, LINEAR, START_LINEAR };
enum { HEAD = 4, SEGMENT_SIZE = 0x10000 };

struct ihex {
	struct raw_build *b;
	struct raw_lines lines;
	uint64_t base;  /* of the addresses of records */
	bool segmented; /* addresses wrap at 64 KiB above the base */
	bool ended;
};

bool ihex_matches(struct bytes file)
{
	struct raw_lines l = { .text = { (const char *)file.p, min_u64(file.size, 4096) } };
	struct str line;
	uint8_t head[RAW_RECORD_MAX];
	size_t count;
	return raw_line_next(&l, &line) && line.len >= 11 && line.p[0] == ':' &&
	       raw_hex((struct str){ line.p + 1, 10 }, head, &count);
}

static uint64_t word(const uint8_t *p, size_t count)
{
	uint64_t v = 0;
	for (size_t i = 0; i < count; i++)
		v = v << 8 | p[i];
	return v;
}

/* Data of a segment go on at its start where they reach its end. */
static void put_data(struct ihex *h, uint64_t offset, const uint8_t *p, uint64_t size)
{
	const uint64_t room = h->segmented ? SEGMENT_SIZE - offset : size;
	const uint64_t first = min_u64(size, room);
	raw_put(h->b, h->base + offset, p, first);
	raw_put(h->b, h->base, p + first, size - first);
}

/* A record that is not of data, whose data have the right size. */
static void take_control(struct ihex *h, unsigned type, const uint8_t *p)
{
	switch (type) {
	case END: h->ended = true; break;
	case SEGMENT: h->base = word(p, 2) << 4; break;
	case LINEAR: h->base = word(p, 2) << 16; break;
	case START_SEGMENT: h->b->raw->entry = (word(p, 2) << 4) + word(p + 2, 2); break;
	case START_LINEAR: h->b->raw->entry = word(p, 4); break;
	default: break;
	}
	if (type == SEGMENT || type == LINEAR)
		h->segmented = type == SEGMENT;
}

static void take_record(struct ihex *h, const uint8_t *p, size_t count)
{
	static const uint8_t sizes[] = {
		[SEGMENT] = 2, [START_SEGMENT] = 4, [LINEAR] = 2, [START_LINEAR] = 4
	};
	const unsigned size = p[0], type = p[3];
	if (count != (size_t)size + HEAD + 1) {
		RAW_NOTE(h->b, &h->lines, size, "the record states %u bytes and is %zu long", size,
			 count);
		return;
	}
	const uint8_t right = (uint8_t)-raw_sum(p, count - 1);
	if (p[count - 1] != right)
		RAW_NOTE(h->b, &h->lines, size,
			 "the checksum is %02x, that of the bytes is %02x: the record is left out",
			 p[count - 1], right);
	else if (h->ended)
		RAW_NOTE(h->b, &h->lines, size,
			 "a record stands behind the one that ends the file");
	else if (type > START_LINEAR || (type != DATA && size != sizes[type]))
		RAW_NOTE(h->b, &h->lines, size, "no record is of type %02x with %u bytes", type,
			 size);
	else if (type == DATA)
		put_data(h, word(p + 1, 2), p + HEAD, size);
	else
		take_control(h, type, p + HEAD);
}

void ihex_parse(struct raw_build *b, struct str text)
{
	struct ihex h = { .b = b, .lines = { .text = text } };
	struct str line;
	uint8_t bytes[RAW_RECORD_MAX];
	size_t count;
	while (raw_line_next(&h.lines, &line)) {
		const struct str digits = { line.p + 1, line.len - 1 };
		if (line.p[0] != ':' || !raw_hex(digits, bytes, &count) || count <= HEAD)
			RAW_NOTE(b, &h.lines, line.len, "no record of Intel HEX");
		else
			take_record(&h, bytes, count);
	}
	if (!h.ended)
		note(b->notes, b->path, text.len, 0,
		     "the record that ends the file is missing: it may be cut off");
}
