/* The second pass over debug sections: what indexes others, and from section bytes to the file. */
#include "base/sort.h"
#include "debug/index.h"
#include "source/attr/debug_bytes.h"

/* ---- tables about others --------------------------------------------------------------------- */

struct table {
	struct debug_bytes *b;
	enum dw_section in;
	struct span_cursor info, types, vm, strings;
	label_id last;    /* owner of the piece before */
	uint64_t waiting; /* where pieces begin that go with the next one, DW_NO_OFFSET */
};

static label_id owner_of_addr(struct table *t, uint64_t addr)
{
	uint64_t vm;
	return debuginfo_addr(t->b->info, addr, &vm) ? cursor_label(&t->vm, vm) : LABEL_NONE;
}

static label_id owner_of_type(const struct debug_bytes *b, uint64_t signature)
{
	const size_t low = lower_bound(b->by_signature.data, b->by_signature.count,
				       sizeof *b->by_signature.data, signature);
	return low < b->by_signature.count && b->by_signature.data[low].key == signature
		       ? b->by_signature.data[low].label
		       : LABEL_NONE;
}

static label_id owner_of(struct table *t, const struct index_piece *p)
{
	switch (p->about) {
	case ABOUT_INFO: return cursor_label(&t->info, p->value);
	case ABOUT_TYPES: return cursor_label(&t->types, p->value);
	case ABOUT_TYPE_ID: return owner_of_type(t->b, p->value);
	case ABOUT_ADDR: return owner_of_addr(t, p->value);
	case ABOUT_STR: return cursor_label(&t->strings, p->value);
	default: return LABEL_NONE;
	}
}

/* A piece without an owner of its own goes with the one before it, table headers with the one
 * behind. */
static void on_piece(void *ctx, const struct index_piece *p)
{
	struct table *t = ctx;
	struct claims *claims = &t->b->found.claims[t->in];
	label_id owner = owner_of(t, p);
	if (owner == LABEL_NONE && p->about != ABOUT_NEXT)
		owner = t->last;
	if (owner == LABEL_NONE) {
		t->waiting = min_u64(t->waiting, p->off);
		return;
	}
	const uint64_t from = min_u64(t->waiting, p->off);
	claim(claims, from, p->off + p->size - from, owner, WHY_DEBUG);
	t->waiting = DW_NO_OFFSET;
	t->last = owner;
}

static struct table table_of(struct debug_bytes *b, enum dw_section in)
{
	return (struct table){ .b = b,
			       .in = in,
			       .info = { &b->owners[DW_INFO], 0 },
			       .types = { &b->owners[DW_TYPES], 0 },
			       .vm = { b->vm, 0 },
			       .strings = { &b->owners[DW_STR], 0 },
			       .last = LABEL_NONE,
			       .waiting = DW_NO_OFFSET };
}

static void claim_table(struct debug_bytes *b, enum dw_section in)
{
	struct table t = table_of(b, in);
	struct dwarf *d = &b->info->dwarf;
	if (d->size[in] == 0)
		return;
	switch (in) {
	case DW_ARANGES: aranges_pieces(d, on_piece, &t); break;
	case DW_PUBNAMES:
	case DW_PUBTYPES:
	case DW_GNU_PUBNAMES:
	case DW_GNU_PUBTYPES: pubnames_pieces(d, in, on_piece, &t); break;
	case DW_NAMES: names_pieces(d, on_piece, &t); break;
	case DW_GDB_INDEX: gdb_index_pieces(d, on_piece, &t); break;
	case DW_FRAME: frame_pieces(d, b->address_size, on_piece, &t); break;
	case DW_ADDR: addr_pieces(d, b->addr_version, b->address_size, on_piece, &t); break;
	case DW_STR_OFFSETS:
		str_offsets_pieces(d, b->str_offsets_version, b->offset_size, on_piece, &t);
		break;
	default: break;
	}
}

/* ---- resolving ------------------------------------------------------------------------------- */

static void resolve(struct debug_bytes *b, enum dw_section in)
{
	spans_release(&b->owners[in]);
	claims_resolve(&b->found.claims[in], b->info->dwarf.size[in], &b->owners[in]);
}

/* ---- from section bytes to file bytes -------------------------------------------------------- */

/* Byte x of the unpacked section as a byte of the packed one: in proportion. */
static uint64_t scaled(uint64_t x, uint64_t unpacked, uint64_t packed)
{
	return (uint64_t)((unsigned __int128)x * packed / unpacked);
}

static void claim_part(const struct debug_bytes *b, const struct debuginfo_part *p,
		       struct claims *file)
{
	const struct spans *owners = &b->owners[p->which];
	const struct section *s = p->section;
	const uint64_t base = b->info->image->file_off + s->off;
	for (size_t i = 0; i < owners->list.count; i++) {
		const struct span *o = &owners->list.data[i];
		const uint64_t start = max_u64(o->start, p->off);
		const uint64_t end = min_u64(o->start + o->size, p->off + p->size);
		if (start >= end)
			continue;
		const uint64_t from = scaled(start - p->off, p->size, s->file_size);
		const uint64_t to = scaled(end - p->off, p->size, s->file_size);
		claim(file, base + from, to - from, o->label, WHY_DEBUG);
	}
}

/* ---- relocations ----------------------------------------------------------------------------- */

static const struct debuginfo_part *part_of(const struct debuginfo *d, uint32_t section)
{
	for (size_t i = 0; i < d->parts.count; i++)
		if (d->parts.data[i].section->index == section)
			return &d->parts.data[i];
	return NULL;
}

/* Relocations kept in an image may be larger than the rest of it. */
enum { FORGET_STEP = 8 << 20 };

/* An entry belongs to what it patches. */
static void claim_relocs(const struct debug_bytes *b, const struct section *table,
			 struct claims *file)
{
	const struct image *im = b->info->image;
	const struct debuginfo_part *p = part_of(b->info, table->info);
	struct reloc_iter it;
	struct reloc r;
	if (!p || !reloc_open(&it, im, table) || !it.patched)
		return;
	struct span_cursor cursor = { &b->owners[p->which], 0 };
	const struct bytes bytes = section_bytes(im, table);
	uint64_t forgotten = 0;
	while (reloc_next(&it, &r)) {
		if (r.entry_off - forgotten >= FORGET_STEP) {
			image_forget(im, bytes_sub(bytes, forgotten, r.entry_off - forgotten));
			forgotten = r.entry_off;
		}
		const label_id owner = cursor_label(&cursor, p->off + r.addr);
		if (owner != LABEL_NONE)
			claim(file, im->file_off + table->off + r.entry_off, r.entry_size, owner,
			      WHY_RELOCATION);
	}
	image_forget(im, bytes);
}

/* ---- all of it ------------------------------------------------------------------------------- */

void debug_bytes_claim(struct debug_bytes *b, struct claims *file)
{
	static const enum dw_section by_units[] = { DW_INFO,    DW_TYPES,    DW_ABBREV,
						    DW_LINE,    DW_RANGES,   DW_RNGLISTS,
						    DW_LOC,     DW_LOCLISTS, DW_MACRO,
						    DW_MACINFO, DW_CU_INDEX, DW_TU_INDEX };
	static const enum dw_section tables[] = { DW_ARANGES,   DW_NAMES,        DW_PUBNAMES,
						  DW_PUBTYPES,  DW_GNU_PUBNAMES, DW_GNU_PUBTYPES,
						  DW_GDB_INDEX, DW_FRAME };
	const struct image *im = b->info->image;
	for (size_t i = 0; i < COUNT_OF(by_units); i++)
		resolve(b, by_units[i]);
	resolve(b, DW_STR);
	resolve(b, DW_LINE_STR);
	for (size_t i = 0; i < COUNT_OF(tables); i++)
		claim_table(b, tables[i]);
	if (b->by_symbol) {
		claim_table(b, DW_ADDR);
		claim_table(b, DW_STR_OFFSETS);
	}
	for (size_t i = 0; i < COUNT_OF(tables); i++)
		resolve(b, tables[i]);
	resolve(b, DW_ADDR);
	resolve(b, DW_STR_OFFSETS);
	for (size_t i = 0; i < b->info->parts.count; i++)
		claim_part(b, &b->info->parts.data[i], file);
	for (size_t i = 1; i < im->section_count; i++)
		if (section_is_reloc(&im->sections[i]) && !im->sections[i].alloc)
			claim_relocs(b, &im->sections[i], file);
}
