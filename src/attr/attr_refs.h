/* attr_refs.h - the references that attr_refs.c finds to data without an owner. */
#pragma once

#include "attr/attr_scratch.h"

/* An address. `label`: what refers to it. If LABEL_NONE, it only ends the piece before it. */
struct target {
	uint64_t addr;
	label_id label;
	uint32_t why : 31;
	uint32_t weak : 1; /* True if other references take precedence */
};

typedef VEC(struct target) target_vec;

/* A pointer in the image, or a relocation that makes one. */
struct pointer {
	uint64_t addr; /* Address of the pointer */
	uint64_t target;
	label_id owner; /* Owner of the pointer's bytes. LABEL_NONE while unknown */
};

typedef VEC(struct pointer) pointer_vec;

typedef VEC(pointer_vec) pointer_parts;

/* A range of data without a symbol. It begins at an address to which something refers. */
struct data_piece {
	uint64_t start, end;
	label_id label;
	uint32_t why;
	uint32_t away; /* If a pointer decided `label`: number of functions between `label` and
		        * the functions that the order of units expects here */
	bool open;     /* True while this round over the pointers may still find a nearer owner */
};

typedef VEC(struct data_piece) piece_vec;

/* attr_spread.c: gives each piece of data without an owner to the owner of a pointer to it.
 * Releases the pointers. O(pointers * log pieces), then O(pointers that wait for an owner) a
 * round. */
struct order;
void pieces_spread(const struct image *im, const struct order *order, piece_vec *pieces,
		   pointer_parts *pointers);

/* panics.c: lists the places where a Rust program can panic, if it has no symbols and
 * source_file.panics is set. Targets in code must be in the order of the code. */
void attr_panics(const struct attr *a, const target_vec *targets, const pointer_parts *pointers);

/* attr_discover.c: returns the label "sub_ADDRESS" of a function without a symbol. */
label_id attr_unnamed(struct labels *l, uint64_t addr);

/* attr_bounds.c: makes a bit mask of the bytes in `data` that have no owner. `code`: also marks
 * code. The mask covers all mapped addresses. O(owners + bytes). */
struct addr_mask;
void attr_nobody(const struct attr *a, const struct section *const *data, size_t count, bool code,
		 struct addr_mask *ret);
/* Lists ranges of code without an owner, by address. Their label is LABEL_NONE. */
void attr_nobody_code(const struct attr *a, struct spans *ret);

/* attr_ghc.c: for GHC's programs, adds targets: bounds of static objects, and addresses in info
 * tables, if they have no owner. Also corrects targets with a tag in their low bits. */
void attr_ghc_targets(const struct attr *a, target_vec *targets);

/* Removes from *rest its first part without an info table of GHC, and returns that part in *ret.
 * False if *rest has no such part. */
bool attr_ghc_cut(const struct attr *a, struct span *rest, struct span *ret);

/* attr_bounds.c: marks references to the byte after a section as weak if the same owner also refers
 * to the section's start. Pointers to that byte lose their owner. `data`: sections by address.
 * O(references * log sections). */
void attr_bounds(const struct section *const *data, size_t count, target_vec *targets,
		 pointer_parts *pointers);
/* True for a symbol that may be the linker script's mark for the start of a section, such as
 * __bss_start. Such a symbol names no data, unless it is the only name in the section. */
bool attr_bounds_has(const struct attr *a, const struct place *p);

/* attr_bounds.c: true if a piece probably is inside an object that begins in the piece before it,
 * and that only other units use. Signs: the piece begins at an address where no large object
 * begins; or the function that uses it also uses the piece before it. */
bool piece_continues(const struct data_piece *last, const struct data_piece *p);
/* Returns the end of the string at `addr` in an object's section of mergeable strings, at most
 * `end`. Flags of linked sections are useless: lld keeps them even if it merges strings with other
 * constants. */
uint64_t ends_string(const struct image *im, const struct section *s, uint64_t addr, uint64_t end);
struct vtables;
/* Claims a piece of data for a label. If p->why is WHY_CODE_ORDER or WHY_DATA_ORDER, last bytes
 * that may be another object (to which nothing refers) get the weaker reason WHY_CODE_REF. `v`:
 * pointers in the data. O(size). */
void ends_claim(struct attr *a, const struct vtables *v, const struct data_piece *p,
		label_id label);

/* Finds where data ends if symbols have no size, as in Mach-O and PE.
 *
 * Such a symbol may reach to the next symbol, across all constants and tables without symbols. The
 * symbol ends before the first address that code uses without using the symbol. Code that uses both
 * reads a field of the symbol's data. If the symbol table has no local data, unnamed data lies
 * between two symbols. In read-only sections, pointers point to such data. In other sections,
 * pointers point into the symbol's own data. */

/* True if symbols without a size should be examined. False for images at a fixed address, because
 * numbers in code look like addresses. There, such a symbol extends to the next symbol. */
bool extents_wanted(const struct image *im);
/* Sets the sizes of scratch->guessed symbols, and gives each symbol all targets inside it, also if
 * its start has an owner. Targets must be sorted by address. The call leaves them unsorted. Sizes
 * never grow. O(targets + symbols + labels). */
void extents_find(struct attr *a, target_vec *targets);

/* Finds where tables of virtual functions begin and end in data without symbols.
 *
 * Code and objects refer to a table at its address point, the first function. Two words come before
 * it: the offset to the top of the object, and a pointer to the type information (Itanium C++ ABI,
 * 2.5.2). After the functions, the next table of the class may follow, or other data. */

/* Values of pointer_place.to. At least POINTEE_CODE: an address. Imports may be code or data. */
enum { POINTEE_DATA, POINTEE_IMPORT, POINTEE_CODE };

struct pointer_place {
	uint64_t addr, to; /* `to`: address of the code that the pointer leads to. If it leads
			    * elsewhere, POINTEE_DATA or POINTEE_IMPORT */
};

static inline bool pointee_is_code(uint64_t to)
{
	return to >= POINTEE_CODE;
}

/* Lists the words without an owner that contain pointers. Tables of virtual functions are
 * recognized among them. */
struct vtables {
	const struct image *im;
	VEC(struct pointer_place) places; /* Sorted by address after all are added */
};

/* Returns the first byte of the table with address point `addr`. Returns `addr` if no table is
 * there. O(log places). */
uint64_t vtable_start(const struct vtables *v, uint64_t addr);
/* Returns the end of the last function of the consecutive tables that begin at `start`, at most
 * `end`. Returns `end` if no table starts there. */
uint64_t vtable_end(const struct vtables *v, uint64_t start, uint64_t end);
