/* index.h - walks debug sections that index others. Reports for each piece of such a section what
 * it describes (its subject).
 *
 * Every function walks one section from start to end and reports pieces by rising offset, without
 * overlap. Adjacent pieces with the same subject are merged. Padding belongs to the piece before
 * it. Unreadable bytes make no piece, but a note with their offset. Cost: O(bytes of the section),
 * no allocation per piece. Sorting .gdb_index takes up to four times its symbol table in memory.
 *
 * Sources: DWARF 5, 6.1.2 (.debug_aranges), 6.1.1 (.debug_names), 6.4 (.debug_frame), 6.3
 * (.debug_macro), 7.26/7.27 (.debug_str_offsets, .debug_addr); DWARF 4, 6.1.1 (.debug_pubnames),
 * 6.3 (.debug_macinfo); GDB manual, "Index Section Format"; GCC's .debug_gnu_pubnames. */
#pragma once

#include "debug/dwarf.h"

enum index_about {
	ABOUT_INFO,    /* `value`: offset of a unit or a DIE in .debug_info */
	ABOUT_TYPES,   /* `value`: offset in .debug_types */
	ABOUT_TYPE_ID, /* `value`: signature of a type unit */
	ABOUT_ADDR,    /* `value`: an address, as the DWARF states it */
	ABOUT_STR,     /* `value`: offset in .debug_str */
	ABOUT_NEXT,    /* What the next piece describes. For headers of tables */
	ABOUT_ALL,     /* Everything in the index. For hash buckets and the header of .gdb_index */
};

struct index_piece {
	uint64_t off, size; /* Range in the section */
	enum index_about about;
	uint64_t value;
	uint64_t length; /* .debug_aranges: number of bytes of code at the address */
};

typedef void (*index_fn)(void *ctx, const struct index_piece *p);

/* Walks .debug_aranges. The subject of a header is its unit, and of a tuple its address. */
void aranges_pieces(struct dwarf *d, index_fn fn, void *ctx);
/* Walks .debug_pubnames, .debug_pubtypes, or the GNU form of one (`which`). The subject of an entry
 * is its DIE, or the skeleton if the DIE is in a split unit. To know that, this function and
 * names_pieces() look up lengths of units in .debug_info. */
void pubnames_pieces(struct dwarf *d, enum dw_section which, index_fn fn, void *ctx);
/* Walks .debug_names. The subject of an entry of the unit list is the unit; of a name, its DIE. */
void names_pieces(struct dwarf *d, index_fn fn, void *ctx);
/* Walks one of Apple's tables of names, types, namespaces and classes (`which`). The subject of an
 * entry is its DIE. */
void apple_pieces(struct dwarf *d, enum dw_section which, index_fn fn, void *ctx);
/* Walks .gdb_index, versions 4 to 9. The subject of a list entry is its unit, and of a symbol the
 * first unit of the symbol's vector. */
void gdb_index_pieces(struct dwarf *d, index_fn fn, void *ctx);
/* Walks .debug_frame. The subject of an FDE is its address. The subject of a CIE is the address of
 * the first FDE that uses it. */
void frame_pieces(struct dwarf *d, uint8_t address_size, index_fn fn, void *ctx);
/* Walks .debug_addr. Tells for each entry the address that it contains. GNU's variant for DWARF 4
 * has no headers, so the caller passes the address size. */
void addr_pieces(struct dwarf *d, uint16_t version, uint8_t address_size, index_fn fn, void *ctx);
/* Walks .debug_str_offsets. The subject of an entry is its string. GNU's variant has no headers. */
void str_offsets_pieces(struct dwarf *d, uint16_t version, uint8_t offset_size, index_fn fn,
			void *ctx);

/* Receives the references in the macro information of one unit (.debug_macro or .debug_macinfo).
 * macro_walk() sets *ret_size to its size, from `off` to the terminating 0 */
struct macro_refs {
	void (*string)(void *ctx, enum dw_section table, uint64_t off);
	void (*import)(void *ctx, uint64_t off); /* `off` is another part of the same section */
	void (*line)(void *ctx, uint64_t off);   /* `off` is a line program */
	void *ctx;
};
bool macro_walk(struct dwarf *d, enum dw_section which, uint64_t off, uint64_t str_offsets_base,
		const struct macro_refs *refs, uint64_t *ret_size);
