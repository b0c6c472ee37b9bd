/* attr_refs.h - the references that attr_refs.c finds to data without an owner. */
#ifndef HEFT_ATTR_ATTR_REFS_H
#define HEFT_ATTR_ATTR_REFS_H

#include "attr/attr_scratch.h"

/* An address that is referred to. `label` is LABEL_NONE for a mere boundary. */
struct target {
	uint64_t addr;
	label_id label;
	uint32_t why : 31;
	uint32_t weak : 1; /* Other labels that refer to the address take precedence */
};

typedef VEC(struct target) target_vec;

/* A pointer in the image, or a relocation that makes one. */
struct pointer {
	uint64_t addr; /* Address of the pointer */
	uint64_t target;
	label_id owner; /* Owner of the place. LABEL_NONE if not known (yet). */
};

typedef VEC(struct pointer) pointer_vec;

/* Pointers per part of the image. */
typedef VEC(pointer_vec) pointer_parts;

/* panics.c: lists the places where a Rust program can panic, if it has no symbols and
 * source_file.panics is set. Uses the pointers to names of files, and the targets that are places.
 * Targets of code must be in the order of the code. */
void attr_panics(const struct attr *a, const target_vec *targets, const pointer_parts *pointers);

/* attr_nobody.c: makes a mask of the bytes that have no owner in `data`. `code`: includes code. The
 * mask has room for any mapped address. O(owners + bytes). */
struct addr_mask;
void attr_nobody(const struct attr *a, const struct section *const *data, size_t count, bool code,
		 struct addr_mask *ret);
/* By unit or file: lists the code that has no owner, each range without a label. */
void attr_nobody_code(const struct attr *a, struct spans *ret);

/* attr_ghc.c, for programs of GHC: adds the bounds of static objects, and what tables lead to, as
 * far as these have no owner; and leads targets with a tag in their low bits to their object. */
void attr_ghc_targets(const struct attr *a, target_vec *targets);

/* Takes the next code from *rest that holds no table of GHC. False if none is left. */
bool attr_ghc_cut(const struct attr *a, struct span *rest, struct span *ret);

/* attr_bounds.c: weakens references to the byte after a section, if the same owner refers to the
 * section's start too. Pointers to it lose their owner. `data`: sections by address. O(references *
 * log sections). */
void attr_bounds(const struct section *const *data, size_t count, target_vec *targets,
		 pointer_parts *pointers);

#endif
