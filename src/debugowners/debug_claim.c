/* Runs the second pass over debug sections, for tables that index other sections. Converts claims
 * of section bytes to claims of file bytes. */
#include "base/pool.h"
#include "base/sort.h"
#include "base/wide.h"
#include "debug/index.h"
#include "debugowners/debug_bytes.h"
#include "debugowners/reloc_parts.h"

struct debug_claim_table {
	struct debug_bytes *b;
	enum dw_section in;
	struct span_cursor info, types, vm, strings;
	label_id last;    /* Owner of the previous piece */
	uint64_t waiting; /* Start of headers that belong to the next piece, or DW_NO_OFFSET */
};

static label_id debug_claim_owner_of(struct debug_claim_table *t, const struct index_piece *p)
{
	const keyed_vec *types = &t->b->by_signature;
	uint64_t vm;
	size_t i;
	switch (p->about) {
	case ABOUT_INFO: return cursor_label(&t->info, p->value);
	case ABOUT_TYPES: return cursor_label(&t->types, p->value);
	case ABOUT_TYPE_ID:
		i = lower_bound(types->data, types->count, sizeof *types->data, p->value);
		return i < types->count && types->data[i].key == p->value ? types->data[i].label
									  : LABEL_NONE;
	case ABOUT_ADDR:
		return debuginfo_addr(t->b->info, p->value, &vm) ? cursor_label(&t->vm, vm)
								 : LABEL_NONE;
	case ABOUT_STR: return cursor_label(&t->strings, p->value);
	default: return LABEL_NONE;
	}
}

/* Claims a piece of an index for the owner of what it indexes. Without an owner, it belongs to the
 * previous piece. Table headers belong to the next piece. */
static void on_piece(void *ctx, const struct index_piece *p)
{
	struct debug_claim_table *t = ctx;
	struct claims *claims = &t->b->found.claims[t->in];
	label_id owner = debug_claim_owner_of(t, p);
	if (t->b->f->as_bloaty && t->in == DW_ARANGES && p->about == ABOUT_INFO)
		return; /* a header or an end, which Bloaty leaves to the section */
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

static struct debug_claim_table debug_claim_table_of(struct debug_bytes *b, enum dw_section in)
{
	return (struct debug_claim_table){ .b = b,
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
	struct debug_claim_table t = debug_claim_table_of(b, in);
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
	case DW_APPLE_NAMES:
	case DW_APPLE_TYPES:
	case DW_APPLE_NAMESPACES:
	case DW_APPLE_OBJC: apple_pieces(d, in, on_piece, &t); break;
	case DW_GDB_INDEX: gdb_index_pieces(d, on_piece, &t); break;
	case DW_FRAME: frame_pieces(d, b->address_size, on_piece, &t); break;
	case DW_ADDR: addr_pieces(d, b->addr_version, b->address_size, on_piece, &t); break;
	case DW_STR_OFFSETS:
		str_offsets_pieces(d, b->str_offsets_version, b->offset_size, on_piece, &t);
		break;
	default: break;
	}
}

struct sections {
	struct debug_bytes *b;
	const enum dw_section *list;
};

static void resolve(void *ctx, size_t i, unsigned worker)
{
	const struct sections *s = ctx;
	struct debug_bytes *b = s->b;
	const enum dw_section in = s->list[i];
	(void)worker;
	spans_release(&b->owners[in]);
	claims_resolve(&b->found.claims[in], b->info->dwarf.size[in], &b->owners[in]);
}

static void resolve_all(struct debug_bytes *b, const enum dw_section *list, size_t count)
{
	struct sections s = { b, list };
	parallel_for(b->f->threads, count, resolve, &s);
}

/* Claims a part's file bytes in proportion, for the owners of its unpacked bytes. */
static void debug_claim_part(const struct debug_bytes *b, const struct debuginfo_part *p,
			     struct claims *file)
{
	const struct spans *owners = &b->owners[p->which];
	const struct section *s = p->section;
	const uint64_t base = b->info->image->file_off + s->off;
	vec_each(const struct span, o, &owners->list) {
		const uint64_t start = max_u64(o->start, p->off);
		const uint64_t end = min_u64(o->start + o->size, p->off + p->size);
		if (start >= end)
			continue;
		const uint64_t from = wide_scaled(start - p->off, s->file_size, p->size);
		const uint64_t to = wide_scaled(end - p->off, s->file_size, p->size);
		claim(file, base + from, to - from, o->label, WHY_DEBUG);
	}
}

static const struct debuginfo_part *debug_claim_part_of(const struct debuginfo *d, uint32_t section)
{
	for (size_t i = 0; i < d->parts.count; i++)
		if (d->parts.data[i].section->index == section)
			return &d->parts.data[i];
	return NULL;
}

/* The relocation tables of debug sections in parts, and the claims of each part. */
struct patches {
	const struct debug_bytes *b;
	struct reloc_parts parts;
	struct claims *claims; /* Claims of each part */
};

/* Claims each relocation entry for the owner of the bytes that it patches. Releases the pages,
 * because relocations that the linker kept may be larger than all other bytes. */
static void claim_relocs(void *ctx, size_t i, unsigned worker)
{
	const struct patches *p = ctx;
	struct reloc_iter it = p->parts.list.data[i];
	const struct image *im = it.image;
	const struct debuginfo_part *part = debug_claim_part_of(p->b->info, it.section->info);
	ASSERT(part);
	struct span_cursor cursor = { &p->b->owners[part->which], 0 };
	const uint64_t first = it.reader.pos;
	struct reloc r;
	(void)worker;
	while (reloc_next(&it, &r)) {
		const label_id owner = cursor_label(&cursor, part->off + r.addr);
		if (owner != LABEL_NONE)
			claim(&p->claims[i], im->file_off + it.section->off + r.entry_off,
			      r.entry_size, owner, WHY_RELOCATION);
	}
	image_forget(im, bytes_sub(section_bytes(im, it.section), first, it.reader.pos - first));
}

static void claim_all_relocs(struct debug_bytes *b, struct claims *file)
{
	const struct image *im = b->info->image;
	struct patches p = { .b = b, .parts.im = im };
	each_section(table, im) {
		struct reloc_iter it;
		if (!table->alloc && section_is_reloc(table) &&
		    debug_claim_part_of(b->info, table->info) && reloc_open(&it, im, table) &&
		    it.patched)
			reloc_parts_add(&p.parts, &it);
	}
	p.claims = mem_zeroed(p.parts.list.count, sizeof *p.claims);
	reloc_parts_run(&p.parts, b->f->threads, claim_relocs, &p);
	for (size_t i = 0; i < p.parts.list.count; i++)
		claims_append(file, &p.claims[i]);
	mem_free(p.claims);
	vec_release(&p.parts.list);
}

void debug_bytes_claim(struct debug_bytes *b, struct claims *file)
{
	/* Order: first the sections of units, line programs and strings. Then tables about
	 * addresses and units. Last, if `by_symbol`, the sections to which these tables refer. */
	static const enum dw_section by_units[] = { DW_INFO,    DW_TYPES,    DW_ABBREV,
						    DW_LINE,    DW_RANGES,   DW_RNGLISTS,
						    DW_LOC,     DW_LOCLISTS, DW_MACRO,
						    DW_MACINFO, DW_CU_INDEX, DW_TU_INDEX,
						    DW_STR,     DW_LINE_STR };
	static const enum dw_section tables[] = {
		DW_ARANGES,      DW_NAMES,     DW_PUBNAMES,    DW_PUBTYPES,    DW_GNU_PUBNAMES,
		DW_GNU_PUBTYPES, DW_GDB_INDEX, DW_APPLE_NAMES, DW_APPLE_TYPES, DW_APPLE_NAMESPACES,
		DW_APPLE_OBJC,   DW_FRAME,     DW_ADDR,        DW_STR_OFFSETS
	};
	const size_t by_symbol = 2; /* Number of tables at the end of the list */
	ASSERT(b->own && b->vm);
	resolve_all(b, by_units, COUNT_OF(by_units));
	for (size_t i = 0; i < COUNT_OF(tables) - (b->by_symbol ? 0 : by_symbol); i++)
		claim_table(b, tables[i]);
	resolve_all(b, tables, COUNT_OF(tables));
	for (size_t i = 0; i < b->info->parts.count; i++)
		debug_claim_part(b, &b->info->parts.data[i], file);
	claim_all_relocs(b, file);
}
