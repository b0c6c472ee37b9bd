/* attr_refs.h - references to data that have no owner, as attr_refs.c finds them. */
#ifndef HEFT_SOURCE_ATTR_ATTR_REFS_H
#define HEFT_SOURCE_ATTR_ATTR_REFS_H

#include "source/attr/attr_scratch.h"

/* An address referred to; `label` is LABEL_NONE for a mere boundary. */
struct target {
	uint64_t addr;
	label_id label;
	uint32_t why : 31;
	uint32_t weak : 1; /* of others, if they refer to it */
};

typedef VEC(struct target) target_vec;

/* A pointer in the image (or a relocation that makes one). */
struct pointer {
	uint64_t addr; /* of the place */
	uint64_t target;
	label_id owner; /* of the place, LABEL_NONE if not known (yet) */
};

typedef VEC(struct pointer) pointer_vec;

/* By part of the image. */
typedef VEC(pointer_vec) pointer_parts;

/* attr_panics.c: lists the places where a program in Rust can panic, if it has no symbols and
 * somebody wants to know (source_file.panics): of pointers those to the name of a file, of targets
 * those that are places.  Those of code are in the order of the code. */
void attr_panics(const struct attr *a, const target_vec *targets, const pointer_parts *pointers);

/* attr_bounds.c: references to the byte behind a section, by who refers to its start too, become
 * weak; those of pointers lose their owner.
 * `data`: sections by address.  O(references * log sections). */
void attr_bounds(const struct section *const *data, size_t count, target_vec *targets,
		 pointer_parts *pointers);

#endif
