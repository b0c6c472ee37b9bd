/* index.h - sections that index the others, piece by piece: whom each byte is about.
 *
 * Every function walks one section from front to end and hands out pieces in rising order
 * of their offsets, without overlap; neighbours about the same thing are one piece, padding goes
 * with what is before it.  What cannot be read becomes no piece, and a note with its offset in the
 * section.  Costs O(bytes of the section), no allocation a piece; .gdb_index is sorted in up to
 * four times the bytes of its symbol table.
 *
 * Sources: DWARF 5, 6.1.2 (.debug_aranges), 6.1.1 (.debug_names), 6.4 (.debug_frame), 6.3
 * (.debug_macro), 7.26/7.27 (.debug_str_offsets, .debug_addr); DWARF 4, 6.1.1 (.debug_pubnames),
 * 6.3 (.debug_macinfo); GDB manual, "Index Section Format"; GCC's .debug_gnu_pubnames. */
#ifndef HEFT_DEBUG_INDEX_H
#define HEFT_DEBUG_INDEX_H

#include "debug/dwarf.h"

enum index_about {
	ABOUT_INFO,    /* value: offset in .debug_info: of a unit or a DIE */
	ABOUT_TYPES,   /* value: offset in .debug_types */
	ABOUT_TYPE_ID, /* value: signature of a type unit */
	ABOUT_ADDR,    /* value: an address, as the DWARF states it */
	ABOUT_STR,     /* value: offset in .debug_str */
	ABOUT_NEXT,    /* belongs with the piece behind it (table headers) */
	ABOUT_ALL,     /* an index as a whole (hash buckets, headers of .gdb_index) */
};

struct index_piece {
	uint64_t off, size; /* in the section */
	enum index_about about;
	uint64_t value;
};

typedef void (*index_fn)(void *ctx, const struct index_piece *p);

/* .debug_aranges: header about its unit, each tuple about its address. */
void aranges_pieces(struct dwarf *d, index_fn fn, void *ctx);
/* .debug_pubnames, .debug_pubtypes and the GNU forms of both (`which`).  What names a DIE of a
 * skeleton's split unit is about the skeleton, here and in .debug_names; for that both read the
 * lengths of units in .debug_info. */
void pubnames_pieces(struct dwarf *d, enum dw_section which, index_fn fn, void *ctx);
/* .debug_names: lists of units about these; names about what their entries name. */
void names_pieces(struct dwarf *d, index_fn fn, void *ctx);
/* Apple's tables of names, types, namespaces and classes (`which`): entries about their DIE. */
void apple_pieces(struct dwarf *d, enum dw_section which, index_fn fn, void *ctx);
/* .gdb_index, versions 4 to 9: unit lists and addresses; symbols about the units that have
 * them (the first of their vector). */
void gdb_index_pieces(struct dwarf *d, index_fn fn, void *ctx);
/* .debug_frame: an FDE about its address, a CIE about that of the first FDE that uses it. */
void frame_pieces(struct dwarf *d, uint8_t address_size, index_fn fn, void *ctx);
/* .debug_addr: headers (version 5 only; version 4 GNU has none, then `address_size` counts)
 * about what follows, entries about their address. */
void addr_pieces(struct dwarf *d, uint16_t version, uint8_t address_size, index_fn fn, void *ctx);
/* .debug_str_offsets likewise, entries about their string. */
void str_offsets_pieces(struct dwarf *d, uint16_t version, uint8_t offset_size, index_fn fn,
			void *ctx);

/* What one unit's macro information refers to (.debug_macro of DWARF 5 and of GCC's version 4,
 * or .debug_macinfo).  *ret_size: its bytes from `off` to the terminating 0. */
struct macro_refs {
	void (*string)(void *ctx, enum dw_section table, uint64_t off);
	void (*import)(void *ctx, uint64_t off); /* another part of the same section */
	void (*line)(void *ctx, uint64_t off);   /* a line program */
	void *ctx;
};
bool macro_walk(struct dwarf *d, enum dw_section which, uint64_t off, uint64_t str_offsets_base,
		const struct macro_refs *refs, uint64_t *ret_size);

#endif
