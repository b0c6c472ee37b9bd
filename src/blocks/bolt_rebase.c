/* The blocks of llvm-bolt's input, where they are in its output.
 *
 * Each part of a moved function is walked along with the input: what comes from one block is one
 * block, up to where something of another one follows, or control does not go on.  Code that
 * llvm-bolt added, and what it pulled apart, get numbers behind the compiler's.  Flags say what the
 * new code does. */
#include "blocks/blockmap.h"
#include "blocks/bolt.h"

#include "base/sort.h"
#include "debug/unwind.h"

#include <stdlib.h>

enum { NOBODY = UINT32_MAX };

struct rebase {
	struct blockmap *b;
	struct bolt *x;
	const struct bolt_origin *origins; /* by addr */
	size_t origin_count;
	/* The map as it becomes. */
	VEC(struct blockmap_function) functions;
	VEC(struct blockmap_range) ranges;
	VEC(struct bbmap_block) blocks;
	VEC(bool) used; /* by block of the function: it has a place */
	struct bolt_starts starts;
	uint32_t made; /* the next number of its own */
};

/* A block of the output in the making. */
struct piece {
	bool open;
	uint64_t start, end; /* addresses; the end of the last instruction that is no nop */
	uint32_t owner;      /* block of the input's range, or NOBODY */
	bool from_start;     /* of the owner */
	struct flow last;    /* the last instruction */
	bool known;          /* the input has it too */
	uint64_t from;       /* where it was there */
	uint64_t next;       /* ... and the one behind */
};

struct part_walk {
	struct rebase *r;
	const struct blockmap_range *range; /* of the input */
	const struct bat_part *part;
	uint64_t addr; /* where the blocks of the output count from */
	struct piece p;
};

static struct bbmap_block *old_block(const struct part_walk *w, uint32_t i)
{
	return &w->r->b->blocks.data[w->range->first + i];
}

/* The block of the input that has offset `from`. */
static uint32_t owner_of(const struct part_walk *w, uint64_t from)
{
	uint64_t low;
	BISECT(low, 0, w->range->count, mid, old_block(w, (uint32_t)mid)->off <= from);
	if (low == 0)
		return NOBODY;
	const struct bbmap_block *k = old_block(w, (uint32_t)low - 1);
	return from - k->off < k->size ? (uint32_t)low - 1 : NOBODY;
}

/* ---- flags ----------------------------------------------------------------------------------- */

static bool is_pad(const struct bolt *x, uint64_t addr)
{
	const size_t i = lower_bound(x->pads.data, x->pads.count, sizeof *x->pads.data, addr);
	return i < x->pads.count && x->pads.data[i] == addr;
}

static bool is_jump(const struct flow *f)
{
	return f->kind == FLOW_JUMP || f->kind == FLOW_CONDITIONAL;
}

/* Whether a jump to addr stays in the function. */
static bool is_inside(const struct part_walk *w, uint64_t addr)
{
	const struct bat_part *p = bolt_part_at(w->r->x, addr);
	return p && p->function == w->part->function;
}

/* Behind a call or a plain instruction: the compiler knows what does not return. */
static unsigned fall_through(const struct part_walk *w, const struct piece *p)
{
	if (p->owner == NOBODY)
		return BBMAP_FALL_THROUGH;
	const struct bbmap_block *old = old_block(w, p->owner);
	const bool end = p->known && p->next >= (uint64_t)old->off + old->size;
	const unsigned stops = BBMAP_RETURN | BBMAP_TAIL_CALL | BBMAP_INDIRECT_JUMP;
	/* What comes behind in the input is gone: a jump, for it leads to what is behind now. */
	return !end && !(old->flags & stops) ? BBMAP_FALL_THROUGH : old->flags & BBMAP_FALL_THROUGH;
}

static unsigned flags_of(const struct part_walk *w, const struct piece *p)
{
	const unsigned leaving = BBMAP_RETURN | BBMAP_TAIL_CALL;
	const unsigned leaves = leaving | BBMAP_INDIRECT_JUMP;
	const unsigned old = p->owner == NOBODY ? BBMAP_INDIRECT_JUMP
						: old_block(w, p->owner)->flags;
	/* Without exception tables it is a pad where it was one. */
	const bool pad = w->r->x->pads.count > 0 ? is_pad(w->r->x, p->start)
						 : p->from_start && old & BBMAP_LANDING_PAD;
	unsigned flags = pad ? BBMAP_LANDING_PAD : 0;
	if (is_jump(&p->last) && !is_inside(w, p->last.target))
		flags |= leaving;
	switch (p->last.kind) {
	case FLOW_RETURN: return flags | BBMAP_RETURN;
	case FLOW_CONDITIONAL: return flags | BBMAP_FALL_THROUGH;
	case FLOW_JUMP_INDIRECT: return flags | (old & leaves ? old & leaves : (unsigned)leaving);
	case FLOW_JUMP:
	case FLOW_TRAP: return flags;
	default: return flags | fall_through(w, p);
	}
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static uint32_t number_of(struct part_walk *w, const struct piece *p)
{
	if (p->owner == NOBODY || w->r->used.data[p->owner])
		return w->r->made < UINT32_MAX ? w->r->made++ : w->r->made;
	w->r->used.data[p->owner] = true;
	return old_block(w, p->owner)->id;
}

static void close_piece(struct part_walk *w)
{
	const struct piece *p = &w->p;
	if (p->open)
		vec_push(&w->r->blocks, (struct bbmap_block){ .id = number_of(w, p),
							      .off = (uint32_t)(p->start - w->addr),
							      .size = (uint32_t)(p->end - p->start),
							      .flags = flags_of(w, p) });
	w->p.open = false;
}

/* Behind a conditional jump that stays in the function, another jump is the block's too. */
static bool may_go_on(const struct part_walk *w, const struct bolt_step *s)
{
	const struct flow *last = &w->p.last;
	return last->kind != FLOW_CONDITIONAL || (is_jump(&s->flow) && is_inside(w, last->target));
}

/* Whether the instruction belongs to the piece that is open. */
static bool goes_on(const struct part_walk *w, const struct bolt_step *s)
{
	const struct piece *p = &w->p;
	if (s->from == BOLT_UNKNOWN)
		return may_go_on(w, s);
	if (owner_of(w, s->from) != p->owner || p->owner == NOBODY)
		return false;
	return s->from > p->from && (!s->starts || may_go_on(w, s));
}

static void open_piece(struct part_walk *w, const struct bolt_step *s)
{
	const uint32_t owner = s->from == BOLT_UNKNOWN ? NOBODY : owner_of(w, s->from);
	w->p = (struct piece){ .open = true,
			       .start = s->addr,
			       .owner = owner,
			       .from_start = owner != NOBODY &&
					     old_block(w, owner)->off == s->from };
}

static void add_step(struct part_walk *w, const struct bolt_step *s)
{
	struct piece *p = &w->p;
	if (p->open && !goes_on(w, s))
		close_piece(w);
	if (!p->open)
		open_piece(w, s);
	p->last = s->flow;
	p->end = s->addr + s->flow.size;
	p->known = s->from != BOLT_UNKNOWN;
	if (p->known) {
		p->from = s->from;
		p->next = s->from + s->in.size;
	}
	if (s->flow.kind == FLOW_JUMP || s->flow.kind == FLOW_JUMP_INDIRECT ||
	    s->flow.kind == FLOW_RETURN)
		close_piece(w);
}

/* Between blocks and behind the last one; `code` and `left` are those of the instruction. */
static bool is_padding(const struct part_walk *w, const struct bolt_step *s, const uint8_t *code,
		       uint64_t left)
{
	if (s->paired || is_pad(w->r->x, s->addr))
		return false;
	return s->flow.kind == FLOW_NOP ||
	       (!w->p.open && code_pad_size(w->r->x->out.isa, code, left) == s->flow.size);
}

static void rebase_part(struct rebase *r, const struct blockmap_range *range,
			const struct bat_part *part, uint32_t number)
{
	struct blockmap_range to = { .addr = part->addr,
				     .first = r->blocks.count,
				     .number = number };
	struct part_walk w = { .r = r, .range = range, .part = part, .addr = part->addr };
	const struct bbmap_block *last = old_block(&w, (uint32_t)range->count - 1);
	struct bolt_walk walk;
	struct bolt_step s;
	bolt_walk_start(&walk, r->x, part, &r->starts, range->addr,
			(uint64_t)last->off + last->size);
	while (bolt_walk_next(&walk, &s)) {
		const uint64_t at = s.addr - part->addr;
		if (!is_padding(&w, &s, walk.code + at, walk.room - at))
			add_step(&w, &s);
	}
	close_piece(&w);
	to.stated = to.count = r->blocks.count - to.first;
	if (to.count > 0)
		vec_push(&r->ranges, to);
}

/* ---- functions ------------------------------------------------------------------------------- */

static const struct bolt_origin *origin_of(const struct rebase *r, uint64_t addr)
{
	const size_t i = lower_bound(r->origins, r->origin_count, sizeof *r->origins, addr);
	return i < r->origin_count && r->origins[i].addr == addr ? &r->origins[i] : NULL;
}

static void rebase_range(struct rebase *r, const struct blockmap_range *range, uint32_t function)
{
	const struct bat_table *t = &r->x->bat;
	uint32_t number = 0;
	r->used.count = 0;
	for (uint64_t i = 0; i < range->count; i++)
		vec_push(&r->used, false);
	bolt_starts_read(r->x, function, &r->starts);
	for (const struct bat_part *p = &t->parts.data[function];; p = &t->parts.data[p->next]) {
		rebase_part(r, range, p, number++);
		if (p->next == 0)
			break;
	}
	for (uint64_t i = 0; i < range->count; i++)
		r->b->vanished += !r->used.data[i] && r->b->blocks.data[range->first + i].size > 0;
}

static void keep_range(struct rebase *r, const struct blockmap_range *range)
{
	struct blockmap_range to = *range;
	to.first = r->blocks.count;
	for (uint64_t i = 0; i < range->count; i++)
		vec_push(&r->blocks, r->b->blocks.data[range->first + i]);
	vec_push(&r->ranges, to);
}

/* The first number that none of the function's blocks has. */
static uint32_t first_made(const struct blockmap *b, const struct blockmap_function *f)
{
	uint32_t made = 0;
	for (uint32_t i = f->range_first; i < f->range_first + f->range_count; i++)
		for (uint64_t k = 0; k < b->ranges.data[i].count; k++) {
			const uint32_t id = b->blocks.data[b->ranges.data[i].first + k].id;
			made = (uint32_t)max_u64(made, id < UINT32_MAX ? id + 1 : id);
		}
	return made;
}

static void drop_range(struct blockmap *b, const struct blockmap_function *f,
		       const struct blockmap_range *range, bool folded)
{
	const enum blockmap_drop why = folded ? BLOCKS_FOLDED : BLOCKS_MOVED;
	vec_push(&b->dropped, (struct blockmap_dropped){ range->addr, f->entry, why });
	if (folded)
		b->folded++;
	else
		b->lost++;
}

static void rebase_function(struct rebase *r, const struct blockmap_function *f)
{
	struct blockmap_function to = *f;
	bool moved = false;
	to.range_first = (uint32_t)r->ranges.count;
	to.made = r->made = first_made(r->b, f);
	for (uint32_t i = f->range_first; i < f->range_first + f->range_count; i++) {
		const struct blockmap_range *range = &r->b->ranges.data[i];
		const struct bolt_origin *o = origin_of(r, range->addr);
		if (!o || o->function == BOLT_STAYED) {
			keep_range(r, range);
		} else if (o->function == BOLT_LOST || o->function == BOLT_FOLDED) {
			drop_range(r->b, f, range, o->function == BOLT_FOLDED);
		} else {
			rebase_range(r, range, o->function);
			moved = true;
		}
	}
	to.range_count = (uint32_t)r->ranges.count - to.range_first;
	r->b->rebased += moved;
	if (to.range_count == 0)
		return;
	to.addr = r->ranges.data[to.range_first].addr;
	if (moved) {
		to.origin = BLOCKS_REBASED;
		to.features &= BBMAP_NO_BLOCKS;
	}
	vec_push(&r->functions, to);
}

struct origins {
	VEC(struct bolt_origin) list; /* by addr, each address once */
};

static void order_origins(struct origins *o)
{
	struct bolt_origin *list = o->list.data;
	size_t kept = 0;
	sort_by_key(list, o->list.count, sizeof *list);
	for (size_t i = 0; i < o->list.count; i++)
		if (i == 0 || list[i].addr != list[i - 1].addr)
			list[kept++] = list[i];
	o->list.count = kept;
}

static void list_ranges(const struct blockmap *b, struct origins *o)
{
	for (size_t i = 0; i < b->ranges.count; i++) {
		const struct blockmap_range *r = &b->ranges.data[i];
		if (r->count == 0)
			continue;
		const struct bbmap_block *last = &b->blocks.data[r->first + r->count - 1];
		vec_push(&o->list,
			 (struct bolt_origin){ r->addr, (uint64_t)last->off + last->size, 0 });
	}
	order_origins(o);
}

/* Without a map of the input: the functions in its unwind table, which llvm-bolt keeps. */
static void list_unwind(const struct image *im, struct origins *o)
{
	const struct section *s = image_section_find(im, ".bolt.org.eh_frame");
	struct unwind_iter it;
	struct unwind_entry e;
	if (!s || s->nobits)
		return;
	const struct unwind_section u = { .bytes = section_bytes(im, s),
					  .addr = s->addr,
					  .address_size = im->bits / 8,
					  .big_endian = im->big_endian,
					  .path = im->path };
	unwind_init(&it, &u);
	while (unwind_next(&it, &e))
		if (e.ok && !e.cie && !e.terminator && e.func_size > 0)
			vec_push(&o->list, (struct bolt_origin){ e.func_addr, e.func_size, 0 });
	unwind_release(&it);
	order_origins(o);
}

static bool starts_block(const struct blockmap *b, const struct blockmap_range *r, uint64_t off)
{
	uint64_t low;
	BISECT(low, r->first, r->first + r->count, mid, b->blocks.data[mid].off < off);
	return low < r->first + r->count && b->blocks.data[low].off == off;
}

/* Whether the map is that of the input.  One that knows parts of the output has blocks where the
 * tables have those of the output, and not where they have those of the input. */
static bool is_stale(const struct blockmap *b, const struct bolt *x)
{
	uint64_t parts = 0, old = 0, new = 0;
	for (size_t i = 0; i < b->ranges.count; i++) {
		const struct blockmap_range *r = &b->ranges.data[i];
		const struct bat_part *p = bat_part_before(&x->bat, r->addr);
		if (!p || p->addr != r->addr)
			continue;
		parts++;
		new += p->cold;
		for (size_t k = p->first; !p->cold && k < p->first + p->count; k++) {
			const struct bat_place *at = &x->bat.places.data[k];
			if (at->branch || at->from == at->to)
				continue;
			old += starts_block(b, r, at->from);
			new += starts_block(b, r, at->to);
		}
	}
	return b->functions.count > 0 && (parts == 0 || old > new);
}

static void rebase_all(struct blockmap *b, struct bolt *x, const struct origins *o)
{
	struct rebase r = {
		.b = b, .x = x, .origins = o->list.data, .origin_count = o->list.count
	};
	for (size_t i = 0; i < b->functions.count; i++)
		rebase_function(&r, &b->functions.data[i]);
	mem_free(b->functions.data);
	mem_free(b->ranges.data);
	mem_free(b->blocks.data);
	memcpy(&b->functions, &r.functions, sizeof b->functions);
	memcpy(&b->ranges, &r.ranges, sizeof b->ranges);
	memcpy(&b->blocks, &r.blocks, sizeof b->blocks);
	vec_release(&r.used);
	vec_release(&r.starts.list);
}

void blockmap_rebase(struct blockmap *b, const struct image *debug, const struct image *input,
		     struct notes *notes)
{
	struct bolt *x = mem_zeroed(1, sizeof *x);
	struct origins origins = { 0 };
	if (!bolt_open(x, b->image, debug, input, notes)) {
		if (b->functions.count > 0 && image_section_find(b->image, ".note.bolt_info"))
			note(notes, b->image->path, HEFT_NO_OFFSET, 0,
			     "llvm-bolt moved code and left no tables (--enable-bat): the "
			     "basic-block map may be that of its input");
		mem_free(x);
		return;
	}
	b->bolt = x;
	if (is_stale(b, x)) {
		list_ranges(b, &origins);
		bolt_match(x, origins.list.data, origins.list.count);
		rebase_all(b, x, &origins);
	} else {
		list_unwind(b->image, &origins);
		bolt_match(x, origins.list.data, origins.list.count);
	}
	vec_release(&origins.list);
	bolt_settle(x);
}
