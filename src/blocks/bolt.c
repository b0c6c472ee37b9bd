#include "blocks/bolt.h"

#include "base/sort.h"
#include "image/code_symbols.h"
#include "image/elf/elf_const.h"

#include <stdlib.h>

/* ---- what is known of the output ------------------------------------------------------------- */

static void list_symbols(struct bolt *x, const struct image *im)
{
	struct code_symbols all;
	struct symbol s;
	uint64_t addr;
	code_symbols_start(&all, im, SHT_SYMTAB);
	while (code_symbols_next(&all, &s, &addr)) {
		vec_push(&x->symbols, addr);
		if (s.size > 0)
			vec_push(&x->known, (struct code_claim){ .addr = addr, .size = s.size });
	}
	sort_by_key(x->symbols.data, x->symbols.count, sizeof *x->symbols.data);
}

static void list_known(struct bolt *x, const struct image *debug)
{
	list_symbols(x, x->out.im);
	list_symbols(x, debug);
	gather_unwind(&x->out);
	for (size_t i = 0; i < x->out.claims.count; i++)
		if (x->out.claims.data[i].size > 0)
			vec_push(&x->known, x->out.claims.data[i]);
	sort_by_key(x->known.data, x->known.count, sizeof *x->known.data);
	for (size_t i = 0; i < x->out.sites.count; i++)
		if (x->out.sites.data[i].pad != 0)
			vec_push(&x->pads, x->out.sites.data[i].pad);
	sort_by_key(x->pads.data, x->pads.count, sizeof *x->pads.data);
}

/* Where symbols or unwind tables say that the part ends, else in front of the next thing known. */
static uint64_t part_size(const struct bolt *x, const struct bat_part *p, size_t i)
{
	const struct code_region *r = region_at(&x->out, p->addr);
	const size_t k = lower_bound(x->known.data, x->known.count, sizeof *x->known.data, p->addr);
	uint64_t room = r ? r->bytes.size - (p->addr - r->addr) : 0;
	if (k < x->known.count && x->known.data[k].addr == p->addr)
		return min_u64(room, x->known.data[k].size);
	if (k < x->known.count)
		room = min_u64(room, x->known.data[k].addr - p->addr);
	return i + 1 < x->bat.parts.count ? min_u64(room, x->bat.by_addr[i + 1].addr - p->addr)
					  : room;
}

static void measure_parts(struct bolt *x)
{
	for (size_t i = 0; i < x->bat.parts.count; i++) {
		struct bat_part *p = &x->bat.by_addr[i];
		p->size = part_size(x, p, i);
		x->bat.parts.data[p->place].size = p->size;
	}
}

bool bolt_open(struct bolt *x, const struct image *im, const struct image *debug,
	       const struct image *input, struct notes *notes)
{
	const struct section *s = image_section_find(im, ".note.bolt_bat");
	memset(x, 0, sizeof *x);
	if (!s || s->nobits || !bat_read(&x->bat, section_bytes(im, s), im->big_endian))
		return false;
	if (x->bat.damaged)
		note(notes, im->path, add_sat(im->file_off, s->off), s->file_size,
		     "the tables of llvm-bolt's address translation are damaged");
	x->inputs = mem_zeroed(x->bat.function_count, sizeof *x->inputs);
	for (size_t i = 0; i < x->bat.function_count; i++)
		x->inputs[i] = BOLT_UNKNOWN;
	x->out.im = im;
	x->in.im = input ? input : im;
	x->out.notes = notes;
	x->out.isa = x->in.isa = code_isa_of(im->machine);
	code_regions_list(im, &x->out.regions);
	code_regions_list(x->in.im, &x->in.regions);
	list_known(x, debug);
	measure_parts(x);
	return true;
}

void bolt_settle(struct bolt *x)
{
	vec_release(&x->out.regions);
	vec_release(&x->in.regions);
	vec_release(&x->out.claims);
	vec_release(&x->out.sites);
	vec_release(&x->known);
	vec_release(&x->symbols);
	vec_release(&x->pads);
}

void bolt_close(struct bolt *x)
{
	bolt_settle(x);
	bat_release(&x->bat);
	mem_free(x->inputs);
}

const struct bat_part *bolt_part_at(const struct bolt *x, uint64_t addr)
{
	const struct bat_part *p = bat_part_before(&x->bat, addr);
	return p && addr - p->addr < p->size ? p : NULL;
}

bool bolt_translate(const struct bolt *x, uint64_t addr, bool branch, uint32_t *ret_function,
		    uint64_t *ret_from)
{
	const struct bat_part *p = bolt_part_at(x, addr);
	if (!p || !bat_translate(&x->bat, p, addr - p->addr, branch, ret_from))
		return false;
	*ret_function = p->function;
	return true;
}

/* ---- walks ----------------------------------------------------------------------------------- */

void bolt_starts_read(const struct bolt *x, uint32_t function, struct bolt_starts *ret)
{
	VEC(uint64_t) list = { 0 };
	const struct bat_part *p = &x->bat.parts.data[function];
	for (;; p = &x->bat.parts.data[p->next]) {
		for (size_t i = p->first; i < p->first + p->count; i++)
			if (!x->bat.places.data[i].branch)
				vec_push(&list, (uint64_t)x->bat.places.data[i].from);
		if (p->next == 0)
			break;
	}
	sort_by_key(list.data, list.count, sizeof *list.data);
	ret->list.count = 0;
	vec_reserve(&ret->list, list.count + 1);
	for (size_t i = 0; i < list.count; i++)
		vec_push(&ret->list, (uint32_t)list.data[i]);
	vec_release(&list);
}

static bool is_start(const struct bolt_walk *w, uint64_t from)
{
	size_t low;
	BISECT(low, 0, w->start_count, mid, w->starts[mid] < from);
	return low < w->start_count && w->starts[low] == from;
}

void bolt_walk_start(struct bolt_walk *w, const struct bolt *x, const struct bat_part *part,
		     const struct bolt_starts *starts, uint64_t input, uint64_t size)
{
	const struct code_region *r = region_at(&x->out, part->addr);
	*w = (struct bolt_walk){ .x = x,
				 .part = part,
				 .from = BOLT_UNKNOWN,
				 .input = input,
				 .size = x->has_code ? size : 0,
				 .starts = starts->list.data,
				 .start_count = starts->list.count };
	if (!r)
		return;
	w->code = r->bytes.p + (part->addr - r->addr);
	w->room = r->bytes.size - (part->addr - r->addr);
	w->end = min_u64(part->size, w->room);
}

/* The instruction of the input at w->from. */
static bool look(const struct bolt_walk *w, struct flow *ret, const uint8_t **ret_code)
{
	const uint64_t addr = w->input + w->from;
	const struct code_region *r = region_at(&w->x->in, addr);
	if (!r || w->from >= w->size)
		return false;
	*ret_code = r->bytes.p + (addr - r->addr);
	return flow_decode(w->x->in.isa, *ret_code, r->bytes.size - (addr - r->addr), addr, ret);
}

/* Takes the pairs at the instruction, those of empty blocks first. */
static void take_pairs(struct bolt_walk *w, struct bolt_step *s)
{
	const struct bat_place *list = w->x->bat.places.data + w->part->first;
	for (; w->place < w->part->count && list[w->place].to <= w->at; w->place++)
		if (list[w->place].to == w->at) {
			s->paired = true;
			s->starts = s->starts || !list[w->place].branch;
			w->from = list[w->place].from;
		}
}

/* llvm-bolt leaves nops out.  A block that has a place of its own does not go on here. */
static void skip_nops(struct bolt_walk *w)
{
	struct flow in;
	const uint8_t *code;
	while (w->from != BOLT_UNKNOWN) {
		if (is_start(w, w->from))
			w->from = BOLT_UNKNOWN;
		else if (w->size > 0 && look(w, &in, &code) && in.kind == FLOW_NOP)
			w->from += in.size;
		else
			break;
	}
}

static uint64_t refers_to(enum code_isa isa, const uint8_t *code, uint64_t size, uint64_t addr)
{
	code_ref_vec refs = { 0 };
	code_refs(isa, (struct bytes){ code, size }, addr,
		  &(struct ref_wish){ .kinds = REF_MEM | REF_ADDR | REF_CALL | REF_JUMP }, &refs);
	const uint64_t to = refs.count == 1 ? refs.data[0].to : 0;
	vec_release(&refs);
	return to;
}

/* Sets s->same, s->to and s->in_to. */
static void compare_bytes(const struct bolt_walk *w, struct bolt_step *s, const uint8_t *in)
{
	const uint8_t *out = w->code + w->at;
	const enum code_isa isa = w->x->in.isa;
	s->same = s->flow.size == s->in.size && memcmp(out, in, s->flow.size) == 0;
	if (s->same && s->flow.kind != FLOW_CALL && s->flow.kind != FLOW_JUMP)
		return;
	s->to = refers_to(isa, out, s->flow.size, s->addr);
	s->in_to = refers_to(isa, in, s->in.size, w->input + w->from);
	s->same = s->same || (s->to != 0 && s->to == s->in_to && s->flow.size == s->in.size);
}

/* Conditions may be turned round, and jumps to jumps joined. */
static bool is_jump(const struct flow *f)
{
	return f->kind == FLOW_JUMP || f->kind == FLOW_CONDITIONAL;
}

/* Sets s->from and s->in, if the input is known to have such an instruction there. */
static void compare(struct bolt_walk *w, struct bolt_step *s)
{
	const uint8_t *code = NULL;
	s->from = w->from;
	s->in = s->flow;
	if (w->from == BOLT_UNKNOWN || w->size == 0)
		return;
	if (!look(w, &s->in, &code)) {
		s->wrong = s->paired;
		s->from = BOLT_UNKNOWN;
		return;
	}
	const bool alike = s->in.kind == s->flow.kind || (is_jump(&s->in) && is_jump(&s->flow));
	if (alike)
		compare_bytes(w, s, code);
	/* Branches of what llvm-bolt inlined are named by the call. */
	s->wrong = s->paired && !s->starts && !alike &&
		   (s->in.kind == FLOW_PLAIN || s->in.kind == FLOW_NOP);
	if (!alike && !s->paired)
		s->from = BOLT_UNKNOWN;
}

bool bolt_walk_next(struct bolt_walk *w, struct bolt_step *ret)
{
	struct bolt_step s = { .addr = w->part->addr + w->at };
	if (w->at >= w->end ||
	    !flow_decode(w->x->out.isa, w->code + w->at, w->end - w->at, s.addr, &s.flow))
		return false;
	take_pairs(w, &s);
	if (!s.paired)
		skip_nops(w);
	if (s.flow.kind == FLOW_NOP && !s.paired) {
		s.from = BOLT_UNKNOWN;
	} else {
		compare(w, &s);
		const bool ends = s.flow.kind == FLOW_JUMP || s.flow.kind == FLOW_RETURN ||
				  s.flow.kind == FLOW_JUMP_INDIRECT;
		w->from = s.from == BOLT_UNKNOWN || ends ? BOLT_UNKNOWN : s.from + s.in.size;
	}
	w->at += s.flow.size;
	*ret = s;
	return true;
}
