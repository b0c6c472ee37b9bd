/* __unwind_info (mach-o/compact_unwind_encoding.h): an index of pages, whose entries are each about
 * a function. */
#include "image/macho/macho_internal.h"

enum { PAGE_REGULAR = 2, PAGE_COMPRESSED = 3, INDEX_SIZE = 12, OFFSET_BITS = 24 };

static void add(struct macho *m, uint64_t off, uint64_t size, uint64_t function)
{
	build_entry(&m->build, &(struct image_entry){ .section = m->unwind.index,
						      .off = off,
						      .size = size,
						      .addr = m->text_addr + function });
}

static void read_page(struct macho *m, struct reader *r, uint64_t base, uint32_t first,
		      uint64_t *left)
{
	reader_seek(r, base);
	const uint32_t kind = read_u32(r);
	const uint16_t off = read_u16(r), count = read_u16(r);
	const unsigned size = kind == PAGE_REGULAR ? 8 : 4;
	if (kind != PAGE_REGULAR && kind != PAGE_COMPRESSED)
		return;
	reader_seek(r, add_sat(base, off));
	for (unsigned i = 0; i < count && reader_left(r) >= size && *left >= size; i++) {
		*left -= size;
		const uint64_t at = r->pos;
		const uint32_t function = read_u32(r);
		read_skip(r, size - 4);
		add(m, at, size,
		    kind == PAGE_REGULAR ? function
					 : first + (function & ((1u << OFFSET_BITS) - 1)));
	}
}

/* unwind_info_section_header_lsda_index_entry: a function and its data. */
static void read_lsdas(struct macho *m, struct reader *r, uint64_t from, uint64_t to,
		       uint64_t *left, macho_data_vec *ret)
{
	reader_seek(r, from);
	while (r->pos < to && reader_left(r) >= 8 && *left >= 8) {
		*left -= 8;
		const uint64_t at = r->pos;
		const uint32_t function = read_u32(r), data = read_u32(r);
		add(m, at, 8, function);
		vec_push(ret, (struct macho_data){ m->text_addr + data, m->text_addr + function });
	}
}

void macho_read_unwind(struct macho *m)
{
	struct reader r = macho_reader(m, m->unwind.off, m->unwind.size);
	if (m->unwind.index == 0 || m->build.im->kind == IMAGE_OBJECT)
		return;
	reader_seek(&r, 5 * 4);
	const uint64_t index = read_u32(&r), count = read_u32(&r);
	macho_data_vec data_of = { 0 };
	uint64_t lsdas = 0;
	/* Pages of a sound section do not overlap. */
	uint64_t left = m->unwind.size;
	for (uint64_t i = 0; i < count && left >= INDEX_SIZE; i++) {
		left -= INDEX_SIZE;
		struct reader page = macho_reader(m, m->unwind.off, m->unwind.size);
		reader_seek(&r, add_sat(index, i * INDEX_SIZE));
		const uint32_t first = read_u32(&r), off = read_u32(&r), data = read_u32(&r);
		if (!reader_ok(&r))
			break;
		if (off != 0)
			read_page(m, &page, off, first, &left);
		if (i > 0 && lsdas < data) {
			page = macho_reader(m, m->unwind.off, m->unwind.size);
			read_lsdas(m, &page, lsdas, data, &left, &data_of);
		}
		lsdas = data;
	}
	macho_add_data(m, &data_of);
	vec_release(&data_of);
}
