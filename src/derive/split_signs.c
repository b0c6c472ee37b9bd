/* Judges where functions begin by the alignment of their neighbours, and by the jumps to them. */
#include "derive/split_internal.h"

#include "base/sort.h"
#include "code/flow.h"

/* NEIGHBOURS: functions to look at before and after. ENOUGH: known functions needed to judge. */
enum { NEIGHBOURS = 16, ENOUGH = 16, ALIGN = 16 };

/* The known starts next to an address. */
struct neighbours {
	const uint64_t *first;
	size_t count;
};

static struct neighbours neighbours_of(const addr_vec *starts, uint64_t addr)
{
	const size_t i = vec_lower(starts, addr);
	const size_t from = i > NEIGHBOURS ? i - NEIGHBOURS : 0;
	const size_t to = starts->count - i > NEIGHBOURS ? i + NEIGHBOURS : starts->count;
	if (starts->count == 0)
		return (struct neighbours){ NULL, 0 };
	return (struct neighbours){ starts->data + from, to - from };
}

unsigned signs_aligned(const addr_vec *starts, uint64_t addr)
{
	const struct neighbours n = neighbours_of(starts, addr);
	unsigned aligned = 0;
	if (n.count < ENOUGH / 2)
		return 50;
	for (size_t i = 0; i < n.count; i++)
		aligned += n.first[i] % ALIGN == 0;
	return aligned * 100 / (unsigned)n.count;
}

static unsigned split_signs_unit_of(enum code_isa isa)
{
	switch (code_isa_plain(isa)) {
	case CODE_ARM64:
	case CODE_ARM:
	case CODE_MIPS:
	case CODE_MIPS_BE:
	case CODE_POWER:
	case CODE_POWER_BE: return 4;
	case CODE_S390:
	case CODE_THUMB:
	case CODE_RISCV32:
	case CODE_RISCV64:
	case CODE_AVR: return 2;
	default: return 1;
	}
}

/* True if at least every fourth function near addr has padding before it. */
static bool neighbours_padded(const struct stretch *s, uint64_t addr)
{
	enum { SHARE = 4 };
	const struct neighbours n = neighbours_of(s->starts, addr);
	const bool arm = s->d->facts->isa == CODE_ARM64;
	size_t padded = 0;
	for (size_t i = 0; i < n.count; i++) {
		const struct derive_extent *x = s->x;
		const uint64_t off = n.first[i] - x->addr, unit = arm ? 4 : 1;
		if (!extent_has(x, n.first[i]) || off < unit)
			continue;
		const uint8_t *p = x->code.p + off - unit;
		padded += arm ? code_pad_size(CODE_ARM64, p, unit) > 0
			      : *p == 0 || *p == 0x90 || *p == 0xcc; /* Last byte before the
								      * function */
	}
	return n.count < ENOUGH / 2 || padded * SHARE >= n.count;
}

bool signs_unusual(const addr_vec *starts, enum code_isa isa, uint64_t addr)
{
	const struct neighbours n = neighbours_of(starts, addr);
	unsigned seen = 0, places = 0;
	for (size_t i = 0; i < n.count; i++)
		seen |= 1u << n.first[i] % ALIGN;
	for (unsigned i = 0; i < ALIGN; i++)
		places += seen >> i & 1;
	return n.count >= ENOUGH && !(seen >> addr % ALIGN & 1) &&
	       places <= ALIGN / split_signs_unit_of(isa) / 2;
}

/* Returns the address of the most aligned instruction in [end, next]: the first of several. */
static uint64_t most_aligned(const struct stretch *s, uint64_t end, uint64_t next)
{
	uint64_t best = end;
	for (uint64_t at = end; at < next;) {
		const struct derive_extent *x = s->x;
		const uint64_t off = at - x->addr;
		const uint64_t size = code_pad_size(s->d->facts->isa, x->code.p + off,
						    x->code.size - off);
		at = size == 0 ? next : min_u64(at + size, next);
		if ((at & (0 - at)) > (best & (0 - best)))
			best = at;
	}
	return best;
}

bool signs_taken(const taken_vec *taken, uint64_t addr, uint64_t from, uint64_t to)
{
	size_t i = vec_lower(taken, addr);
	while (i < taken->count && taken->data[i].to == addr &&
	       (taken->data[i].from < from || taken->data[i].from >= to))
		i++;
	return i < taken->count && taken->data[i].to == addr;
}

uint64_t signs_first(const struct stretch *s, uint64_t end, uint64_t next)
{
	enum { MOST_PADS = 4096, NOP = 0x90 };
	const struct derive_extent *x = s->x;
	const enum code_isa isa = s->d->facts->isa;
	const bool arm = isa == CODE_ARM64;
	const unsigned unit = arm ? 4 : 1;
	uint64_t at = end;
	ASSERT(end <= next);
	if (next - end > MOST_PADS)
		return next;
	for (uint64_t first = end; first < next; first++)
		if (stretch_leads_to(s, first))
			next = first;
	if (isa != CODE_X86_64 && isa != CODE_I386 && !arm)
		return next;
	/* Functions do not begin with traps or zeros. */
	while (at < next && (x->code.p[at - x->addr] == 0xcc || x->code.p[at - x->addr] == 0))
		at += unit;
	/* No instruction before `next` is as aligned. */
	if (at >= next || (next % ALIGN == 0 && next - at < ALIGN && at % ALIGN != 0))
		return next;
	if (neighbours_padded(s, end))
		return most_aligned(s, at, next);
	/* True for one-byte nops, with which compilers reserve room. Assemblers pad otherwise. */
	bool room = !arm && next % ALIGN != 0 && next - at > 1;
	for (uint64_t i = at; i < next && room; i++)
		room = x->code.p[i - x->addr] == NOP;
	return room ? at : next;
}

bool signs_leapt(const leap_vec *leaps, uint64_t addr)
{
	size_t i = vec_lower(leaps, addr);
	while (i < leaps->count && leaps->data[i].to == addr && !leaps->data[i].sure)
		i++;
	return i < leaps->count && leaps->data[i].to == addr;
}

/* Returns the start of the function around `from`. UINT64_MAX if unknown. */
static uint64_t function_at(const struct jumpers *j, uint64_t from)
{
	const split_function_vec *v = j->functions;
	const size_t i = vec_upper(v, from);
	if (i > 0 && from - v->data[i - 1].addr < v->data[i - 1].size)
		return v->data[i - 1].addr;
	const size_t k = vec_upper(j->others, from);
	return k > 0 ? j->others->data[k - 1] : UINT64_MAX;
}

struct owner signs_owner(const struct jumpers *j, uint64_t addr)
{
	const leap_vec *v = &j->leaps;
	struct owner ret = { UINT64_MAX, false };
	for (size_t i = vec_lower(v, addr); i < v->count && v->data[i].to == addr; i++) {
		const uint64_t from = function_at(j, v->data[i].from);
		if (ret.addr != UINT64_MAX && ret.addr != from)
			return (struct owner){ UINT64_MAX, false };
		ret.addr = from;
		ret.conditional |= v->data[i].conditional;
	}
	return ret;
}

bool signs_of_one(struct owner a, struct owner b)
{
	return a.addr != UINT64_MAX && a.addr == b.addr && (a.conditional || b.conditional);
}
