/* derive_internal.h - what derive_map.c and derive_facts.c share. */
#ifndef HEFT_SOURCE_DERIVE_INTERNAL_H
#define HEFT_SOURCE_DERIVE_INTERNAL_H

#include "code/derive.h"
#include "image/image.h"

/* Code that something says is a function. */
struct code_claim {
	uint64_t addr, size; /* size 0: not known */
	bool has_sites;
	bool cold; /* its name says that it is a part moved away */
};

/* A stretch of executable bytes. */
struct code_region {
	uint64_t addr;
	struct bytes bytes;
};

struct code_regions {
	struct code_region *data; /* by addr, disjoint */
	size_t count, cap;
};

struct gathering {
	const struct image *im, *debug; /* debug may be NULL */
	struct notes *notes;
	enum code_isa isa;
	struct code_regions regions;
	VEC(struct code_claim) claims;
	VEC(struct derive_extent) extents;
	VEC(uint64_t) entries;
	VEC(struct derive_site) sites;
	VEC(struct derive_callee) callees;
	VEC(struct derive_fix) fixes;
};

/* What is executable and has bytes: sections; segments where there are none. */
void code_regions_list(const struct image *im, struct code_regions *ret);
/* The bytes that pad code at p, which has `left` > 0: a nop, a trap between functions, a zero; 0 none. */
uint64_t code_pad_size(enum code_isa isa, const uint8_t *p, uint64_t left);

/* The region that holds addr, or NULL. */
const struct code_region *region_at(const struct gathering *g, uint64_t addr);

/* derive_facts.c: fill claims and the lists of facts, sorted. */
void gather_unwind(struct gathering *g);
void gather_pointers(struct gathering *g);
void gather_callees(struct gathering *g);
void gather_fixes(struct gathering *g);

/* derive_names.c: enum derive_trait bits of a function by its linkage name, which may have a version. */
uint64_t traits_of_name(struct str name);

#endif
