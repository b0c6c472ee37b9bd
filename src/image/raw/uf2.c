/* UF2: blocks of 512 bytes, each with an address and up to 476 bytes. */
#include "image/raw/raw_internal.h"

#define START0 0x0a324655u
#define START1 0x9e5d5157u
#define END    0x0ab16f30u

enum { BLOCK = 512, PAYLOAD_MAX = 476 };
enum { NOT_FLASH = 0x1, CONTAINER = 0x1000 };

bool uf2_matches(struct bytes file)
{
	struct reader r = reader_of(file, false);
	return read_u32(&r) == START0 && read_u32(&r) == START1 && reader_ok(&r);
}

static void take_block(struct raw_build *b, struct reader *r, uint64_t at)
{
	const uint32_t start0 = read_u32(r), start1 = read_u32(r);
	const uint32_t flags = read_u32(r), addr = read_u32(r), size = read_u32(r);
	read_skip(r, 12); /* number, count of blocks, family */
	const uint8_t *data = read_take(r, PAYLOAD_MAX);
	const uint32_t end = read_u32(r);
	if (!reader_ok(r))
		note(b->notes, b->path, at, r->size - at, "the last block is cut off");
	else if (start0 != START0 || start1 != START1 || end != END || size > PAYLOAD_MAX)
		note(b->notes, b->path, at, BLOCK, "a block is damaged: left out");
	else if (flags & (NOT_FLASH | CONTAINER))
		note(b->notes, b->path, at, size,
		     "a block is not meant for flash (flags %#" PRIx32 "): left out", flags);
	else
		raw_put(b, addr, data, size);
}

void uf2_parse(struct raw_build *b, struct bytes file)
{
	struct reader r = reader_of(file, false);
	while (reader_left(&r) > 0)
		take_block(b, &r, r.pos);
}
