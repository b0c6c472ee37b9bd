/* Finds the references that unwind tables make: routines for exceptions, and caught types. An entry
 * of the tables describes a function and does not keep it, so entries are no references. They go
 * with their functions. */
#include "graph/edges.h"

#include "attr/attr.h"
#include "base/sort.h"
#include "image/elf/elf_const.h"
#include "unwind/lsda.h"
#include "unwind/unwind.h"

/* A CIE: what the entries of several functions have in common */
struct unwind_common {
	uint64_t addr;
	uint64_t routine;
	size_t users;
};

struct unwind_reader {
	struct unwind_section section;
	VEC(struct unwind_common) commons;
	struct unwind_tables *to;
};

static bool unwind_edges_load(void *ctx, uint64_t addr, uint64_t *ret)
{
	return load_pointer(ctx, addr, ret);
}

static void unwind_reader_add(struct unwind_reader *u, const struct unwind_entry *e)
{
	const uint64_t addr = u->section.addr + e->off, common = u->section.addr + e->cie_off;
	if (!e->ok || e->terminator)
		return;
	if (e->cie) {
		vec_push(&u->commons, (struct unwind_common){ addr, e->personality, 0 });
		return;
	}
	const size_t i = vec_upper(&u->commons, common);
	struct unwind_common *c = i > 0 && u->commons.data[i - 1].addr == common
					  ? &u->commons.data[i - 1]
					  : NULL;
	if (c)
		c->users++;
	vec_push(&u->to->places, (struct unwind_place){ addr, e->func_addr });
	if (!e->has_lsda)
		return;
	if (e->lsda_addr > 0)
		vec_push(&u->to->places, (struct unwind_place){ e->lsda_addr, e->func_addr });
	vec_push(&u->to->uses,
		 (struct unwind_use){ e->func_addr, addr, c ? c->routine : 0, e->lsda_addr });
}

static void unwind_reader_index(struct unwind_reader *u)
{
	struct unwind_hdr hdr;
	uint64_t func, entry;
	if (!unwind_hdr_parse(&hdr, &u->section))
		return;
	for (uint64_t i = 0; i < hdr.count; i++)
		if (unwind_hdr_get(&hdr, i, &func, &entry))
			vec_push(&u->to->places,
				 (struct unwind_place){ u->section.addr + hdr.table_off +
								i * hdr.entry_size,
							func });
}

static void unwind_reader_entries(struct unwind_reader *u)
{
	struct unwind_iter it;
	struct unwind_entry e;
	unwind_init(&it, &u->section);
	while (unwind_next(&it, &e))
		unwind_reader_add(u, &e);
	unwind_release(&it);
	for (size_t i = 0; i < u->commons.count; i++)
		if (u->commons.data[i].users > 1)
			vec_push(&u->to->places,
				 (struct unwind_place){ u->commons.data[i].addr, UNWIND_SHARED });
	vec_release(&u->commons);
}

void unwind_tables_read(const struct image *im, struct unwind_tables *ret)
{
	struct notes unread;
	notes_init(&unread);
	for (size_t i = 1; i < im->section_count && im->kind != IMAGE_OBJECT; i++) {
		const struct section *s = &im->sections[i];
		const bool index = str_eq(s->name, STR(".eh_frame_hdr"));
		if (!s->alloc || s->nobits || !(index || str_eq(s->name, STR(".eh_frame"))))
			continue;
		struct unwind_reader u = { .to = ret };
		u.section = (struct unwind_section){ .bytes = section_bytes(im, s),
						     .addr = s->addr,
						     .address_size = im->bits / 8,
						     .big_endian = im->big_endian,
						     .load = unwind_edges_load,
						     .load_ctx = (void *)(uintptr_t)im,
						     .path = im->path,
						     .notes = &unread };
		if (index)
			unwind_reader_index(&u);
		else
			unwind_reader_entries(&u);
		image_forget(im, u.section.bytes);
	}
	vec_sort(&ret->places);
	notes_release(&unread);
}

static bool unwind_edges_owner(const struct edges_of *in, uint64_t addr, uint32_t *ret)
{
	const struct span *at = spans_find(in->spans, addr);
	if (at)
		*ret = in->owner[at - in->spans->list.data];
	return at != NULL;
}

static void unwind_edges_add_types(const struct edges_of *in, uint64_t lsda, uint32_t from,
				   edge_vec *to)
{
	const struct image *im = in->im;
	const struct section *s = image_section_at(im, lsda);
	struct lsda_types types;
	uint64_t addr;
	uint32_t type;
	if (!s || s->nobits)
		return;
	/* The exception data of a function ends with the span that contains its start. */
	const struct span *span = spans_find(in->spans, lsda);
	const uint64_t end = span ? min_u64(span->start + span->size, s->addr + s->size)
				  : s->addr + s->size;
	const struct bytes data = image_at(im, lsda, end - lsda);
	if (!lsda_types_open(&types, data, lsda, im->bits / 8, im->big_endian))
		return;
	while (lsda_types_next(&types, &addr))
		if (unwind_edges_owner(in, addr, &type))
			edges_add(to, from, type, EDGE_TYPE, lsda);
}

void edges_of_unwinding(const struct edges_of *in, const struct unwind_tables *tables,
			edge_vec *ret)
{
	uint32_t from, routine;
	vec_each(const struct unwind_use, u, &tables->uses) {
		if (!unwind_edges_owner(in, u->func, &from))
			continue;
		if (u->routine != 0 && unwind_edges_owner(in, u->routine, &routine))
			edges_add(ret, from, routine, EDGE_PERSONALITY, u->entry);
		if (u->lsda > 0)
			unwind_edges_add_types(in, u->lsda, from, ret);
	}
}
