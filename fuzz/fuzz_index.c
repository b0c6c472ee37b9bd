/* Sections that index others.  The first byte chooses: the lower four bits the walker, then byte
 * order, another address and offset size, version 4 instead of 5. */
#include "debug/index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	uint64_t end, covered; /* bytes */
};

static void check_piece(void *ctx, const struct index_piece *p)
{
	struct seen *s = ctx;
	ASSERT(p->size > 0 && p->off >= s->end && p->size <= UINT64_MAX - p->off);
	ASSERT(p->about <= ABOUT_ALL);
	s->end = p->off + p->size;
	s->covered += p->size;
}

static void use_string(void *ctx, enum dw_section table, uint64_t off)
{
	struct seen *s = ctx;
	ASSERT(table == DW_STR);
	s->covered ^= off;
}

static void use_offset(void *ctx, uint64_t off)
{
	struct seen *s = ctx;
	s->covered ^= off;
}

static void check_macros(struct dwarf *d, enum dw_section which)
{
	struct seen s = { 0 };
	const struct macro_refs refs = { use_string, use_offset, use_offset, &s };
	uint64_t at = 0, size;
	while (at < d->bytes[which].size && macro_walk(d, which, at, 8, &refs, &size)) {
		ASSERT(size > 0 && size <= d->bytes[which].size - at);
		at += size;
	}
	ASSERT(at == d->bytes[which].size || d->notes->count > 0);
}

/* The same bytes are the section and all it refers to. */
static void walk(struct dwarf *d, uint8_t mode, struct seen *s)
{
	const uint16_t version = mode & 64 ? 4 : 5;
	const uint8_t width = mode & 32 ? 4 : 8;
	switch (mode & 15) {
	case 0: aranges_pieces(d, check_piece, s); break;
	case 1: pubnames_pieces(d, DW_PUBNAMES, check_piece, s); break;
	case 2: pubnames_pieces(d, DW_GNU_PUBTYPES, check_piece, s); break;
	case 3: names_pieces(d, check_piece, s); break;
	case 4: gdb_index_pieces(d, check_piece, s); break;
	case 5: frame_pieces(d, width, check_piece, s); break;
	case 6: addr_pieces(d, version, width, check_piece, s); break;
	case 7: str_offsets_pieces(d, version, width, check_piece, s); break;
	case 8: check_macros(d, DW_MACRO); break;
	case 9: check_macros(d, DW_MACINFO); break;
	case 10: apple_pieces(d, DW_APPLE_NAMES, check_piece, s); break;
	default: break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct notes notes;
	struct seen s = { 0 };
	if (size == 0)
		return 0;
	notes_init(&notes);
	struct dwarf d = { .path = "fuzz", .big_endian = data[0] & 16, .notes = &notes };
	for (int i = 0; i < DW_SECTIONS; i++) {
		d.bytes[i] = (struct bytes){ data + 1, size - 1 };
		d.size[i] = size - 1;
		d.loaded[i] = true;
	}
	walk(&d, data[0], &s);
	ASSERT(s.end <= size - 1);
	notes_release(&notes);
	return 0;
}
