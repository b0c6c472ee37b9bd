/* dwarf_maker.h - DWARF written byte by byte for tests: sections that grow, abbreviations, unit
 * headers. */
#ifndef HEFT_TESTS_DWARF_MAKER_H
#define HEFT_TESTS_DWARF_MAKER_H

#include "elfgen.h"

#include "debug/unit.h"

#include <stdlib.h>

/* The sections of one dwarf while they are written. */
struct made {
	struct elfgen_out in[DW_SECTIONS];
	struct dwarf dwarf;
	struct notes notes;
	struct abbrev_cache cache;
	uint64_t unit_start;
	bool wide; /* 64-bit DWARF */
};

static inline struct made *start(bool big_endian)
{
	struct made *m = mem_zeroed(1, sizeof *m);
	notes_init(&m->notes);
	for (size_t i = 0; i < DW_SECTIONS; i++)
		m->in[i].big_endian = big_endian;
	m->dwarf.big_endian = big_endian;
	m->dwarf.path = "made";
	m->dwarf.notes = &m->notes;
	return m;
}

static inline struct dwarf *finish(struct made *m)
{
	for (size_t i = 0; i < DW_SECTIONS; i++) {
		m->dwarf.bytes[i] = (struct bytes){ m->in[i].bytes.data, m->in[i].bytes.count };
		m->dwarf.size[i] = m->in[i].bytes.count;
		m->dwarf.loaded[i] = true;
	}
	return &m->dwarf;
}

static inline void drop(struct made *m)
{
	for (size_t i = 0; i < DW_SECTIONS; i++)
		vec_release(&m->in[i].bytes);
	abbrev_cache_release(&m->cache);
	notes_release(&m->notes);
	mem_free(m);
}

static inline void put(struct made *m, enum dw_section in, unsigned width, uint64_t v)
{
	elfgen_put(&m->in[in], width, v);
}

static inline void uleb(struct made *m, enum dw_section in, uint64_t v)
{
	elfgen_put_uleb(&m->in[in], v);
}

static inline void text(struct made *m, enum dw_section in, const char *s)
{
	elfgen_put_bytes(&m->in[in], s, strlen(s) + 1);
}

/* One abbreviation: pairs of attribute and form up to 0. */
static inline void abbrev(struct made *m, unsigned code, unsigned tag, bool children,
			  const unsigned *pairs)
{
	uleb(m, DW_ABBREV, code);
	uleb(m, DW_ABBREV, tag);
	put(m, DW_ABBREV, 1, children);
	for (; *pairs; pairs += 2) {
		uleb(m, DW_ABBREV, pairs[0]);
		uleb(m, DW_ABBREV, pairs[1]);
	}
	put(m, DW_ABBREV, 2, 0);
}

static inline void unit_start(struct made *m, unsigned version, unsigned address_size)
{
	m->unit_start = m->in[DW_INFO].bytes.count;
	if (m->wide)
		put(m, DW_INFO, 4, UINT32_MAX);
	put(m, DW_INFO, m->wide ? 8 : 4, 0);
	put(m, DW_INFO, 2, version);
	if (version >= 5) {
		put(m, DW_INFO, 1, DW_UT_compile);
		put(m, DW_INFO, 1, address_size);
	}
	put(m, DW_INFO, m->wide ? 8 : 4, 0);
	if (version < 5)
		put(m, DW_INFO, 1, address_size);
}

static inline void unit_finish(struct made *m)
{
	const unsigned width = m->wide ? 8 : 4;
	const uint64_t at = m->unit_start + (m->wide ? 4 : 0);
	const uint64_t length = m->in[DW_INFO].bytes.count - at - width;
	for (unsigned i = 0; i < width; i++) {
		const unsigned shift = m->dwarf.big_endian ? width - 1 - i : i;
		m->in[DW_INFO].bytes.data[at + i] = (uint8_t)(length >> (8 * shift));
	}
}

static inline bool first_unit(struct made *m, struct unit *u)
{
	uint64_t off = 0;
	return unit_next(&m->dwarf, DW_INFO, &off, u) && unit_open(u, &m->cache, NULL);
}

#endif
