/* Reads __unwind_info (mach-o/compact_unwind_encoding.h): an index of pages. Each entry of a page
 * is about one function. A page has at most 4096 bytes. */
#include "image/macho/macho_internal.h"

enum { PAGE_REGULAR = 2, PAGE_COMPRESSED = 3, INDEX_SIZE = 12, OFFSET_BITS = 24, PAGE_SIZE = 4096 };

static void macho_unwind_add(struct macho *m, uint64_t off, uint64_t size, uint64_t function)
{
	if (size > 0)
		build_entry(&m->build, &(struct image_entry){ .section = m->unwind.index,
							      .off = off,
							      .size = size,
							      .addr = m->text_addr + function });
}

/* A page of the second level. Its functions' addresses are relative to `first`, which the index
 * states. */
struct macho_unwind_page {
	uint64_t off, end;
	uint32_t first;
};

/* Reads a page. Its header and the space after its entries belong to all of its functions. */
static void read_page(struct macho *m, struct reader *r, const struct macho_unwind_page *p,
		      uint64_t *left)
{
	reader_seek(r, p->off);
	const uint32_t kind = read_u32(r);
	const uint16_t off = read_u16(r), count = read_u16(r);
	const unsigned size = kind == PAGE_REGULAR ? 8 : 4;
	if (kind != PAGE_REGULAR && kind != PAGE_COMPRESSED)
		return;
	macho_unwind_add(m, p->off, off, p->first);
	reader_seek(r, add_sat(p->off, off));
	const uint64_t end = add_sat(r->pos, (uint64_t)count * size);
	const uint64_t room = p->end > end ? p->end - end : 0;
	for (uint64_t i = 0; i < count && reader_left(r) >= size && *left >= size; i++) {
		*left -= size;
		const uint64_t at = r->pos;
		const uint32_t word = read_u32(r);
		const uint32_t function = kind == PAGE_REGULAR
						  ? word
						  : p->first + (word & ((1u << OFFSET_BITS) - 1));
		read_skip(r, size - 4);
		macho_unwind_add(m, at, size, function);
		const uint64_t from = end + room * i / count;
		macho_unwind_add(m, from, end + room * (i + 1) / count - from, function);
	}
}

/* Reads unwind_info_section_header_lsda_index_entry: a function and its data. */
static void read_lsdas(struct macho *m, struct reader *r, uint64_t from, uint64_t to,
		       uint64_t *left, macho_data_vec *ret)
{
	reader_seek(r, from);
	while (r->pos < to && reader_left(r) >= 8 && *left >= 8) {
		*left -= 8;
		const uint64_t at = r->pos;
		const uint32_t function = read_u32(r), data = read_u32(r);
		macho_unwind_add(m, at, 8, function);
		vec_push(ret, (struct macho_data){ m->text_addr + data, m->text_addr + function });
	}
}

/* Fields of unwind_info_section_header_index_entry. */
struct macho_unwind_index {
	uint32_t first, page, lsdas;
};

static struct macho_unwind_index read_index(struct reader *r)
{
	struct macho_unwind_index e;
	e.first = read_u32(r);
	e.page = read_u32(r);
	e.lsdas = read_u32(r);
	return e;
}

void macho_read_unwind(struct macho *m)
{
	ASSERT(m->unwind.index < m->build.sections.count);
	struct reader r = macho_reader(m, m->unwind.off, m->unwind.size);
	if (m->unwind.index == 0 || m->build.im->kind == IMAGE_OBJECT)
		return;
	reader_seek(&r, 5 * 4);
	const uint64_t index = read_u32(&r), count = read_u32(&r);
	macho_data_vec data_of = { 0 };
	uint64_t lsdas = 0;
	/* Bytes that may still be read. Pages of a valid section do not overlap. */
	uint64_t left = m->unwind.size;
	reader_seek(&r, index);
	for (uint64_t i = 0; i < count && left >= INDEX_SIZE; i++) {
		left -= INDEX_SIZE;
		const uint64_t at = r.pos;
		const struct macho_unwind_index e = read_index(&r);
		struct reader next = r;
		struct reader rest = macho_reader(m, m->unwind.off, m->unwind.size);
		if (!reader_ok(&r))
			break;
		macho_unwind_add(m, at, INDEX_SIZE, e.first);
		if (e.page != 0) {
			/* A page ends where the next one begins. The last entry has no next
			 * page. */
			const uint64_t after = read_index(&next).page;
			uint64_t end = min_u64(add_sat(e.page, PAGE_SIZE), m->unwind.size);
			if (after > e.page)
				end = min_u64(after, end);
			read_page(m, &rest, &(struct macho_unwind_page){ e.page, end, e.first },
				  &left);
		}
		if (i > 0 && lsdas < e.lsdas) {
			rest = macho_reader(m, m->unwind.off, m->unwind.size);
			read_lsdas(m, &rest, lsdas, e.lsdas, &left, &data_of);
		}
		lsdas = e.lsdas;
	}
	macho_add_data(m, &data_of);
	vec_release(&data_of);
}
