/* Parses maps of gold. Names of pieces that gold makes begin with "** ". File headers come
 * before the first section. */
#include "linkmap/linkmap_ld.h"

/* Address of an object's merged section whose address gold does not print. */
#define NO_PLACE UINT64_MAX

static void gold_piece(struct map_maker *m, const struct ld_entry *e)
{
	struct str what = e->name;
	if (map_take(&what, STR("** "))) {
		if (m->section == LINKMAP_NONE || m->lm->sections.data[m->section].header)
			map_add_section(m, what, e->addr, e->size)->header = true;
		const enum linkmap_kind kind = str_ends(what, STR("fill"))
						       ? LINKMAP_FILL /* also "zero fill" */
					       : str_eq(what, STR("common"))     ? LINKMAP_COMMON
					       : str_starts(what, STR("merge ")) ? LINKMAP_MERGED
										 : LINKMAP_INTERNAL;
		map_add_piece(m, kind, what, e->addr, e->size, e->rest);
	} else if (e->addr == NO_PLACE && m->section != LINKMAP_NONE) {
		/* It stands where the last piece of its section ends. */
		const struct linkmap *lm = m->lm;
		const struct linkmap_piece *last = lm->pieces.count
							   ? &lm->pieces.data[lm->pieces.count - 1]
							   : NULL;
		const uint64_t addr = last && last->section == m->section
					      ? add_sat(last->addr, last->size)
					      : lm->sections.data[m->section].addr;
		struct linkmap_piece *p = map_add_piece(m, LINKMAP_MERGED, e->name, addr, 0,
							e->rest);
		if (p)
			p->input_size = e->size;
	} else {
		map_add_piece(m, map_kind(e->name), e->name, e->addr, e->size, e->rest);
	}
}

/* Handles a symbol line. gold lists only symbols, even with a linker script. */
static bool gold_script(struct map_maker *m, const struct ld_entry *e)
{
	return map_script_text(m, e->rest, e->addr);
}

void linkmap_gold_parse(struct map_maker *m)
{
	static const struct ld_dialect gold = { "Memory map", gold_piece, gold_script };
	linkmap_ld_parse(m, &gold);
}
