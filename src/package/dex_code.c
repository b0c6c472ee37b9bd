/* Finds the strings that code loads. "Dalvik bytecode" and "Dalvik executable instruction formats"
 * of the Android Open Source Project, version 039 of dex. Later versions add no instructions. */
#include "package/dex_internal.h"

enum { CONST_STRING = 0x1a, CONST_STRING_JUMBO = 0x1b };

/* Lengths of instructions in 16-bit units. A row holds for opcodes from `first` to the next row. */
static const struct {
	uint8_t first, units;
} lengths[] = {
	{ 0x00, 1 }, { 0x02, 2 }, { 0x03, 3 }, { 0x04, 1 }, { 0x05, 2 }, { 0x06, 3 }, { 0x07, 1 },
	{ 0x08, 2 }, { 0x09, 3 }, { 0x0a, 1 }, { 0x13, 2 }, { 0x14, 3 }, { 0x15, 2 }, { 0x17, 3 },
	{ 0x18, 5 }, { 0x19, 2 }, { 0x1b, 3 }, { 0x1c, 2 }, { 0x1d, 1 }, { 0x1f, 2 }, { 0x21, 1 },
	{ 0x22, 2 }, { 0x24, 3 }, { 0x27, 1 }, { 0x29, 2 }, { 0x2a, 3 }, { 0x2d, 2 }, { 0x3e, 1 },
	{ 0x44, 2 }, { 0x6e, 3 }, { 0x73, 1 }, { 0x74, 3 }, { 0x79, 1 }, { 0x90, 2 }, { 0xb0, 1 },
	{ 0xd0, 2 }, { 0xe3, 1 }, { 0xfa, 4 }, { 0xfc, 3 }, { 0xfe, 2 },
};

static uint64_t dex_code_length_of(uint8_t opcode)
{
	size_t low = 0, high = COUNT_OF(lengths);
	while (high - low > 1) {
		const size_t mid = low + (high - low) / 2;
		if (lengths[mid].first <= opcode)
			low = mid;
		else
			high = mid;
	}
	return lengths[low].units;
}

/* Returns the size, in 16-bit units, of a table inside the code. 0 for an instruction. */
static uint64_t table_length(struct reader r)
{
	const unsigned kind = read_u16(&r), count = read_u16(&r);
	switch (kind) {
	case 0x0100: return (uint64_t)count * 2 + 4; /* Data of a packed-switch instruction */
	case 0x0200: return (uint64_t)count * 4 + 2; /* Data of a sparse-switch instruction */
	case 0x0300:
		return ((uint64_t)count * read_u32(&r) + 1) / 2 + 4; /* Data of a fill-array-data
								      * instruction */
	default: return 0;
	}
}

bool dex_read_code(struct dex_parse *p, uint64_t off, uint64_t count, uint32_t class_item)
{
	ASSERT(off <= p->d->bytes.size && count <= (p->d->bytes.size - off) / 2);
	struct reader r = reader_make(p->d->bytes.p, off + count * 2, false);
	reader_seek(&r, off);
	while (reader_left(&r) > 0) {
		const uint64_t at = r.pos, table = table_length(r);
		const uint8_t opcode = read_u8(&r);
		if (p->work_left == 0)
			return dex_damaged(p, off, "more code than the file can have");
		p->work_left--;
		read_skip(&r, 1);
		if (opcode == CONST_STRING || opcode == CONST_STRING_JUMBO) {
			const uint32_t string = opcode == CONST_STRING ? read_u16(&r)
								       : read_u32(&r);
			if (!reader_ok(&r) || !dex_use_string(p, at, string, class_item))
				return dex_damaged(p, at, "code loads a string that is not there");
		}
		reader_seek(&r, min_u64(at + 2 * (table > 0 ? table : dex_code_length_of(opcode)),
					r.size));
	}
	return true;
}
