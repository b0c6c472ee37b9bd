/* Motorola S-records: "S" TYPE COUNT ADDRESS DATA CHECKSUM, a record a line. */
#include "image/raw/raw_internal.h"

struct srec {
	struct raw_build *b;
	struct raw_lines lines;
	uint64_t records; /* of data */
	bool ended;
};

/* Bytes of the address, by type; 0: no such record. */
static const uint8_t address_size[10] = { 2, 2, 3, 4, 0, 2, 3, 4, 3, 2 };

static bool is_start(struct str line)
{
	return line.len >= 10 && line.p[0] == 'S' && line.p[1] >= '0' && line.p[1] <= '9' &&
	       address_size[line.p[1] - '0'] > 0;
}

bool srec_matches(struct bytes file)
{
	struct raw_lines l = { .text = { (const char *)file.p, min_u64(file.size, 4096) } };
	struct str line;
	uint8_t head[RAW_RECORD_MAX];
	size_t count;
	return raw_line_next(&l, &line) && is_start(line) &&
	       raw_hex((struct str){ line.p + 2, 8 }, head, &count);
}

static void take_sound(struct srec *s, unsigned type, const uint8_t *p, size_t count)
{
	const size_t width = address_size[type];
	uint64_t addr = 0;
	for (size_t i = 0; i < width; i++)
		addr = addr << 8 | p[1 + i];
	switch (type) {
	case 1:
	case 2:
	case 3:
		raw_put(s->b, addr, p + 1 + width, count - width - 2);
		s->records++;
		break;
	case 5:
	case 6:
		if (addr != s->records)
			RAW_NOTE(s->b, &s->lines, 0,
				 "there are %" PRIu64 " records of data, not %" PRIu64, s->records,
				 addr);
		break;
	case 7:
	case 8:
	case 9:
		s->b->raw->entry = addr;
		s->ended = true;
		break;
	default: break;
	}
}

static void take_record(struct srec *s, unsigned type, const uint8_t *p, size_t count)
{
	if (count != (size_t)p[0] + 1 || count < (size_t)address_size[type] + 2) {
		RAW_NOTE(s->b, &s->lines, count, "the record states %u bytes and has %zu", p[0],
			 count - 1);
		return;
	}
	const uint8_t right = (uint8_t)~raw_sum(p, count - 1);
	if (p[count - 1] != right)
		RAW_NOTE(s->b, &s->lines, count,
			 "the checksum is %02x, that of the bytes is %02x: the record is left out",
			 p[count - 1], right);
	else if (s->ended)
		RAW_NOTE(s->b, &s->lines, count,
			 "a record stands behind the one that ends the file");
	else
		take_sound(s, type, p, count);
}

void srec_parse(struct raw_build *b, struct str text)
{
	struct srec s = { .b = b, .lines = { .text = text } };
	struct str line;
	uint8_t bytes[RAW_RECORD_MAX];
	size_t count;
	while (raw_line_next(&s.lines, &line)) {
		const struct str digits = { line.p + 2, line.len > 2 ? line.len - 2 : 0 };
		if (!is_start(line) || !raw_hex(digits, bytes, &count))
			RAW_NOTE(b, &s.lines, line.len, "no S-record");
		else
			take_record(&s, (unsigned)(line.p[1] - '0'), bytes, count);
	}
	if (!s.ended)
		note(b->notes, b->path, text.len, 0,
		     "the record that ends the file is missing: it may be cut off");
}
