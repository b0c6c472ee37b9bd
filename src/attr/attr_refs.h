/* attr_refs.h - the references that attr_refs.c finds to data without an owner. */
#ifndef HEFT_ATTR_ATTR_REFS_H
#define HEFT_ATTR_ATTR_REFS_H

#include "attr/attr_scratch.h"

/* A referenced address. `label` is LABEL_NONE if the address only bounds a piece. */
struct target {
	uint64_t addr;
	label_id label;
	uint32_t why : 31;
	uint32_t weak : 1; /* True if another label that refers to the same address takes
			    * precedence */
};

typedef VEC(struct target) target_vec;

/* A pointer in the image, or a relocation that makes one. */
struct pointer {
	uint64_t addr; /* Address of the pointer */
	uint64_t target;
	label_id owner; /* Owner of the place. LABEL_NONE while unknown */
};

typedef VEC(struct pointer) pointer_vec;

/* Pointers per part of the image. */
typedef VEC(pointer_vec) pointer_parts;

/* panics.c: lists the places where a Rust program can panic, if it has no symbols and
 * source_file.panics is set. Uses the pointers to file names, and the targets that are panic
 * places. Targets of code must be in the order of the code. */
void attr_panics(const struct attr *a, const target_vec *targets, const pointer_parts *pointers);

/* attr_nobody.c: makes a bit mask of the bytes in `data` that have no owner. `code`: also marks
 * code. The mask covers all mapped addresses. O(owners + bytes). */
struct addr_mask;
void attr_nobody(const struct attr *a, const struct section *const *data, size_t count, bool code,
		 struct addr_mask *ret);
/* For owners by unit or file: lists the ranges of code without an owner. The ranges have no
 * label. */
void attr_nobody_code(const struct attr *a, struct spans *ret);

/* attr_ghc.c: for GHC's programs, adds targets: bounds of static objects, and addresses in info
 * tables, if they have no owner. Also corrects targets with a tag in their low bits. */
void attr_ghc_targets(const struct attr *a, target_vec *targets);

/* Moves the next code without an info table of GHC from *rest to *ret. False at the end. */
bool attr_ghc_cut(const struct attr *a, struct span *rest, struct span *ret);

/* attr_bounds.c: marks references to the byte after a section as weak if the same owner also refers
 * to the section's start. Pointers to that byte lose their owner. `data`: sections by address.
 * O(references * log sections). */
void attr_bounds(const struct section *const *data, size_t count, target_vec *targets,
		 pointer_parts *pointers);

#endif
