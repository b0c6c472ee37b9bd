/* Finds the references that unwind tables make: routines for exceptions, and caught types. An entry
 * of the tables describes a function and does not keep it, so entries are no references. */
#include "graph/edges.h"

#include "attr/attr.h"
#include "base/sort.h"
#include "image/elf/elf_const.h"
#include "unwind/lsda.h"
#include "unwind/unwind.h"

struct unwind_routine {
	uint64_t off; /* Of the CIE */
	uint64_t addr;
};

struct unwind_edges {
	const struct edges_of *in;
	struct unwind_section section;
	VEC(struct unwind_routine) routines;
	edge_vec *to;
};

static bool unwind_edges_load(void *ctx, uint64_t addr, uint64_t *ret)
{
	return load_pointer(ctx, addr, ret);
}

static bool unwind_edges_owner(const struct unwind_edges *u, uint64_t addr, uint32_t *ret)
{
	const struct span *at = spans_find(u->in->spans, addr);
	if (at)
		*ret = u->in->owner[at - u->in->spans->list.data];
	return at != NULL;
}

static void unwind_edges_add_types(const struct unwind_edges *u, const struct unwind_entry *e,
				   uint32_t from)
{
	const struct image *im = u->in->im;
	const struct section *s = image_section_at(im, e->lsda_addr);
	struct lsda_types types;
	uint64_t addr;
	uint32_t type;
	if (!s || s->nobits)
		return;
	/* The data ends before the data of another owner. */
	const struct span *span = spans_find(u->in->spans, e->lsda_addr);
	const uint64_t end = span ? min_u64(span->start + span->size, s->addr + s->size)
				  : s->addr + s->size;
	const struct bytes data = image_at(im, e->lsda_addr, end - e->lsda_addr);
	if (!lsda_types_open(&types, data, e->lsda_addr, im->bits / 8, im->big_endian))
		return;
	while (lsda_types_next(&types, &addr))
		if (unwind_edges_owner(u, addr, &type))
			edges_add(u->to, from, type, EDGE_TYPE, e->lsda_addr);
}

static void unwind_edges_of_entry(struct unwind_edges *u, const struct unwind_entry *e)
{
	uint32_t from, routine;
	if (!e->ok || e->terminator)
		return;
	if (e->cie) {
		vec_push(&u->routines, (struct unwind_routine){ e->off, e->personality });
		return;
	}
	const struct unwind_routine *r = vec_before(&u->routines, e->cie_off);
	if (!e->has_lsda || !unwind_edges_owner(u, e->func_addr, &from))
		return;
	if (r && r->off == e->cie_off && unwind_edges_owner(u, r->addr, &routine))
		edges_add(u->to, from, routine, EDGE_PERSONALITY, u->section.addr + e->off);
	if (e->lsda_addr > 0)
		unwind_edges_add_types(u, e, from);
}

void edges_of_unwinding(const struct edges_of *in, edge_vec *ret)
{
	const struct image *im = in->im;
	struct notes unread;
	notes_init(&unread);
	for (size_t i = 1; i < im->section_count && im->kind != IMAGE_OBJECT; i++) {
		const struct section *s = &im->sections[i];
		struct unwind_iter it;
		struct unwind_entry e;
		if (!s->alloc || s->nobits || !str_eq(s->name, STR(".eh_frame")))
			continue;
		struct unwind_edges u = { .in = in, .to = ret };
		u.section = (struct unwind_section){ .bytes = section_bytes(im, s),
						     .addr = s->addr,
						     .address_size = im->bits / 8,
						     .big_endian = im->big_endian,
						     .load = unwind_edges_load,
						     .load_ctx = (void *)(uintptr_t)im,
						     .path = im->path,
						     .notes = &unread };
		unwind_init(&it, &u.section);
		while (unwind_next(&it, &e))
			unwind_edges_of_entry(&u, &e);
		unwind_release(&it);
		vec_release(&u.routines);
		image_forget(im, u.section.bytes);
	}
	notes_release(&unread);
}
