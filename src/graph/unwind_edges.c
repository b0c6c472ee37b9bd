/* Finds the references that unwind tables make: routines for exceptions, and caught types. An entry
 * of the tables describes a function and does not keep it, so entries are no references. They go
 * with their functions. */
#include "graph/edges.h"

#include "attr/attr.h"
#include "base/sort.h"
#include "image/arch.h"
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

/* Appends the handler of an entry of .pdata (x64 exception handling: UNWIND_INFO, and the scope
 * table that C's handler reads: begin, end, filter and target, as distances from `base`). */
static void unwind_edges_add_handler(const struct edges_of *in, uint64_t entry, uint64_t base,
				     edge_vec *ret)
{
	enum { HANDLERS = 3, SCOPES = 64, MOST = 4 + 2 * 256 + 8 + SCOPES * 16 };
	struct reader r = reader_of(image_at(in->im, entry, 12), false);
	const uint64_t begin = base + read_u32(&r), end = base + read_u32(&r);
	struct reader info = reader_of(image_at(in->im, base + read_u32(&r), MOST), false);
	const unsigned flags = read_u8(&info) >> 3;
	read_skip(&info, 1);
	read_skip(&info, 1 + 2 * align_up((uint64_t)read_u8(&info), 2));
	const uint64_t handler = base + read_u32(&info);
	uint32_t from, to, scopes = read_u32(&info);
	if (!(flags & HANDLERS) || !reader_ok(&r) || !unwind_edges_owner(in, begin, &from))
		return;
	if (unwind_edges_owner(in, handler, &to))
		edges_add(ret, from, to, EDGE_PERSONALITY, entry);
	for (; scopes > 0 && scopes <= SCOPES && reader_left(&info) >= 16; scopes--) {
		const uint64_t first = base + read_u32(&info), last = base + read_u32(&info);
		const uint64_t filter = base + read_u32(&info);
		read_skip(&info, 4);
		if (first < begin || last > end || first >= last)
			return;
		/* 0 and 1 are no filters. */
		if (filter - base > 1 && unwind_edges_owner(in, filter, &to))
			edges_add(ret, from, to, EDGE_PERSONALITY, entry);
	}
}

void edges_of_handlers(const struct edges_of *in, edge_vec *ret)
{
	const struct image *im = in->im;
	for (size_t i = 0;
	     image_arch(im)->id == ARCH_X86_64 && im->from_base && i < im->entry_count; i++) {
		const struct image_entry *e = &im->entries[i];
		const struct section *s = &im->sections[e->section];
		struct reader r = reader_of(image_at(im, s->addr + e->off, 4), false);
		const uint32_t begin = read_u32(&r);
		if (str_eq(s->name, STR(".pdata")) && e->size == 12 && reader_ok(&r))
			unwind_edges_add_handler(in, s->addr + e->off, e->addr - begin, ret);
	}
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
