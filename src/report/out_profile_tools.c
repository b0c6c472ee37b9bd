/* Profiles as other tools' text: AutoFDO's, and BOLT's "fdata". */
#include "report/profile_report.h"

#include "base/sort.h"
#include "blocks/bolt.h"

/* ---- AutoFDO --------------------------------------------------------------------------------- */

static size_t count_inside(const struct tally *branches)
{
	size_t n = 0;
	for (size_t i = 0; i < branches->pairs.count; i++)
		n += branches->pairs.data[i].a != PROFILE_OUTSIDE &&
		     branches->pairs.data[i].b != PROFILE_OUTSIDE;
	return n;
}

void out_profile_autofdo(const struct profile_report *r, struct sink *s)
{
	const struct profile *p = r->profile;
	sink_printf(s, "%zu\n", p->ranges.pairs.count);
	for (size_t i = 0; i < p->ranges.pairs.count; i++)
		sink_printf(s, "%" PRIx64 "-%" PRIx64 ":%" PRIu64 "\n", p->ranges.pairs.data[i].a,
			    p->ranges.pairs.data[i].b, p->ranges.pairs.data[i].count);
	sink_printf(s, "%zu\n", p->addrs.pairs.count);
	for (size_t i = 0; i < p->addrs.pairs.count; i++)
		sink_printf(s, "%" PRIx64 ":%" PRIu64 "\n", p->addrs.pairs.data[i].a,
			    p->addrs.pairs.data[i].count);
	sink_printf(s, "%zu\n", count_inside(&p->branches));
	for (size_t i = 0; i < p->branches.pairs.count; i++) {
		const struct tally_pair *b = &p->branches.pairs.data[i];
		if (b->a != PROFILE_OUTSIDE && b->b != PROFILE_OUTSIDE)
			sink_printf(s, "%" PRIx64 "->%" PRIx64 ":%" PRIu64 "\n", b->a, b->b,
				    b->count);
	}
}

/* ---- BOLT ------------------------------------------------------------------------------------ */

/* The function that holds an address, UINT64_MAX if none does. */
static uint64_t function_at(const struct profile_report *r, uint64_t addr)
{
	size_t lo;
	BISECT(lo, 0, r->map->by_addr.count, mid,
	       r->map->ranges.data[r->map->by_addr.data[mid]].addr <= addr);
	if (lo == 0)
		return UINT64_MAX;
	const struct blockmap_range *range = &r->map->ranges.data[r->map->by_addr.data[lo - 1]];
	if (range->count == 0)
		return UINT64_MAX;
	const struct bbmap_block *last = &r->map->blocks.data[range->first + range->count - 1];
	return addr - range->addr <= (uint64_t)last->off + last->size ? range->function
								      : UINT64_MAX;
}

/* The function that holds an address, and where in it, as llvm-bolt's input had it; UINT64_MAX if
 * none does. Functions that llvm-bolt moved kept their names. */
static uint64_t find_place(const struct profile_report *r, uint64_t addr, bool branch,
			   uint64_t *ret_off)
{
	const struct bolt *x = r->map->bolt;
	uint32_t moved;
	const bool found = x && bolt_translate(x, addr, branch, &moved, ret_off);
	const uint64_t start = found ? x->bat.parts.data[moved].addr : addr;
	const uint64_t f = function_at(r, start);
	if (f == UINT64_MAX || start < r->map->functions.data[f].addr)
		return UINT64_MAX;
	if (!found)
		*ret_off = addr - r->map->functions.data[f].addr;
	return !found || start == r->map->functions.data[f].addr ? f : UINT64_MAX;
}

/* "1 NAME OFFSET" of an address in a function that has a name, "0 [unknown] 0" of any other.  BOLT
 * numbers local names, for there may be several. */
static void put_place(const struct profile_report *r, uint64_t addr, bool branch, struct sink *s)
{
	uint64_t off = 0;
	const uint64_t f = addr == PROFILE_OUTSIDE ? UINT64_MAX : find_place(r, addr, branch, &off);
	if (f == UINT64_MAX || r->names->first[f] == r->names->first[f + 1]) {
		sink_text(s, STR("0 [unknown] 0"));
		return;
	}
	const struct profile_name *name = &r->names->list.data[r->names->first[f]];
	sink_printf(s, "1 %s%s %" PRIx64, name->text, name->local ? "/1" : "", off);
}

static void put_samples(const struct profile_report *r, struct sink *s)
{
	sink_text(s, STR("no_lbr cycles:\n"));
	for (size_t i = 0; i < r->profile->addrs.pairs.count; i++) {
		put_place(r, r->profile->addrs.pairs.data[i].a, false, s);
		sink_printf(s, " %" PRIu64 "\n", r->profile->addrs.pairs.data[i].count);
	}
}

/* The first line says that branches may be named by their blocks, for llvm-bolt had changed the
 * code. */
void out_profile_fdata(const struct profile_report *r, struct sink *s)
{
	if (r->map->bolt)
		sink_text(s, STR("boltedcollection\n"));
	if (r->profile->estimated) {
		put_samples(r, s);
		return;
	}
	for (size_t i = 0; i < r->profile->branches.pairs.count; i++) {
		const struct tally_pair *b = &r->profile->branches.pairs.data[i];
		put_place(r, b->a, true, s);
		sink_text(s, STR(" "));
		put_place(r, b->b, false, s);
		sink_printf(s, " %" PRIu64 " %" PRIu64 "\n", b->extra, b->count);
	}
}
