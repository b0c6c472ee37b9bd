/* index.h - walks sections that index other sections. Reports for each piece what it describes (its
 * subject).
 *
 * Every function walks one section from start to end and reports pieces by rising offset, without
 * overlap. Adjacent pieces with one subject are merged. Padding belongs to the piece before it.
 * Unreadable bytes make no piece, but a note with their offset. Cost: O(bytes of the section), no
 * allocation per piece. Sorting .gdb_index takes up to four times its symbol table in memory.
 *
 * Sources: DWARF 5, 6.1.2 (.debug_aranges), 6.1.1 (.debug_names), 6.4 (.debug_frame), 6.3
 * (.debug_macro), 7.26/7.27 (.debug_str_offsets, .debug_addr); DWARF 4, 6.1.1 (.debug_pubnames),
 * 6.3 (.debug_macinfo); GDB manual, "Index Section Format"; GCC's .debug_gnu_pubnames. */
#ifndef HEFT_DEBUG_INDEX_H
#define HEFT_DEBUG_INDEX_H

#include "debug/dwarf.h"

enum index_about {
	ABOUT_INFO,    /* `value`: offset of a unit or a DIE in .debug_info */
	ABOUT_TYPES,   /* `value`: offset in .debug_types */
	ABOUT_TYPE_ID, /* `value`: signature of a type unit */
	ABOUT_ADDR,    /* `value`: an address, as the DWARF states it */
	ABOUT_STR,     /* `value`: offset in .debug_str */
	ABOUT_NEXT,    /* The piece belongs to the next piece. For table headers */
	ABOUT_ALL,     /* The piece belongs to the whole index. For hash buckets and headers of
		        * .gdb_index */
};

struct index_piece {
	uint64_t off, size; /* Offset from the start of the section. */
	enum index_about about;
	uint64_t value;
	uint64_t length; /* .debug_aranges: bytes of code at the address */
};

typedef void (*index_fn)(void *ctx, const struct index_piece *p);

/* Walks .debug_aranges. A header's subject is its unit. A tuple's subject is its address. */
void aranges_pieces(struct dwarf *d, index_fn fn, void *ctx);
/* Walks .debug_pubnames, .debug_pubtypes or the GNU form of one (`which`). An entry's subject is
 * its DIE. For a DIE in a split unit it is the skeleton, as in names_pieces(). Both walkers need
 * the lengths of units in .debug_info for this. */
void pubnames_pieces(struct dwarf *d, enum dw_section which, index_fn fn, void *ctx);
/* Walks .debug_names. The subject of a unit list's entry is the unit. The subject of a name is its
 * DIE. */
void names_pieces(struct dwarf *d, index_fn fn, void *ctx);
/* Walks one of Apple's tables of names, types, namespaces and classes (`which`). The subject of an
 * entry is its DIE. */
void apple_pieces(struct dwarf *d, enum dw_section which, index_fn fn, void *ctx);
/* Walks .gdb_index, versions 4 to 9. The subject of a list entry is its unit. The subject of a
 * symbol is the first unit of its vector. */
void gdb_index_pieces(struct dwarf *d, index_fn fn, void *ctx);
/* Walks .debug_frame. The subject of an FDE is its address. The subject of a CIE is the address of
 * the first FDE that uses it. */
void frame_pieces(struct dwarf *d, uint8_t address_size, index_fn fn, void *ctx);
/* Walks .debug_addr. The subject of an entry is its address. The subject of a header is the next
 * piece. GNU's version 4 has no headers; `address_size` applies. */
void addr_pieces(struct dwarf *d, uint16_t version, uint8_t address_size, index_fn fn, void *ctx);
/* Walks .debug_str_offsets like addr_pieces(). The subject of an entry is its string. */
void str_offsets_pieces(struct dwarf *d, uint16_t version, uint8_t offset_size, index_fn fn,
			void *ctx);

/* Reports the references in the macro information of one unit (.debug_macro of DWARF 5 and of GCC's
 * version 4, or .debug_macinfo). *ret_size is its size, from `off` to the terminating 0. */
struct macro_refs {
	void (*string)(void *ctx, enum dw_section table, uint64_t off);
	void (*import)(void *ctx, uint64_t off); /* Reports another part of the same section */
	void (*line)(void *ctx, uint64_t off);   /* Reports a line program */
	void *ctx;
};
bool macro_walk(struct dwarf *d, enum dw_section which, uint64_t off, uint64_t str_offsets_base,
		const struct macro_refs *refs, uint64_t *ret_size);

#endif
