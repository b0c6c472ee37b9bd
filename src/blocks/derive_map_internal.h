/* derive_map_internal.h - what derive_map.c and derive_facts.c share. */
#ifndef HEFT_BLOCKS_DERIVE_MAP_INTERNAL_H
#define HEFT_BLOCKS_DERIVE_MAP_INTERNAL_H

#include "blocks/blockmap.h"
#include "blocks/derive.h"
#include "blocks/split.h"
#include "image/image.h"

/* Code that something says is a function. */
struct code_claim {
	uint64_t addr, size; /* size 0: not known */
	bool has_sites;
	bool cold;     /* its name says that it is a part moved away */
	bool function; /* and no mere label */
	bool data;     /* a variable or table among the code */
};

/* A stretch of executable bytes. */
struct code_region {
	uint64_t addr;
	struct bytes bytes;
	bool stubs; /* a table of jumps through slots */
};

struct code_regions {
	struct code_region *data; /* by addr, disjoint */
	size_t count, cap;
};

/* Stretches of code of which nothing says how far its functions reach. */
struct code_gaps {
	VEC(struct derive_extent) list; /* by addr */
	addr_vec starts;                /* where functions are known to begin */
	addr_vec labels;                /* the same, unless it is data that is labelled */
	addr_vec pointers;              /* where they may begin */
	taken_vec taken;                /* the same, where code takes the address */
	leap_vec leaps;                 /* jumps of other code */
	addr_vec others;                /* functions that are in other code */
	addr_vec objects;               /* where data are said to be */
	addr_vec wholes;                /* starts of functions with landing pads */
};

/* Bytes that are not as in the file. */
struct patched {
	uint64_t addr, size;
	uint8_t *bytes; /* owned */
};

struct gathering {
	const struct image *im, *debug; /* debug may be NULL */
	struct notes *notes;
	enum code_isa isa;
	struct code_regions regions;
	VEC(struct code_claim) claims;
	VEC(struct derive_extent) extents;
	struct code_gaps gaps;
	bool has_pointers; /* `entries` has what data point to */
	bool gaps_only;    /* all that matters is in the gaps */
	VEC(uint64_t) entries;
	VEC(struct derive_site) sites;
	VEC(struct derive_callee) callees;
	VEC(struct derive_fix) fixes;
	VEC(struct derive_data) data; /* by addr, disjoint */
	VEC(struct patched) patched;  /* by addr */
	uint8_t *conventions;         /* enum derive_convention, one an extent; or NULL */
};

/* What is executable and has bytes: sections; segments where there are none. */
void code_regions_list(const struct image *im, struct code_regions *ret);
/* derive_gaps.c: appends the functions in g->gaps, by address; lists what calls and points into
 * them first. */
void gaps_split(struct gathering *g, split_function_vec *ret);
void gaps_release(struct code_gaps *gaps);
/* Adds to a list of the gaps an address that is in one; no other. */
void gaps_add(const struct gathering *g, addr_vec *to, uint64_t addr);
/* The gap that holds addr, or NULL. */
const struct derive_extent *gap_at(const struct gathering *g, uint64_t addr);
/* derive_words.c: adds where the words of an image for Thumb lead. */
void gaps_read_words(struct gathering *g);
/* derive_map.c: what blocks/derive.h is told. */
struct derive_facts gathering_facts(const struct gathering *g);

/* Machines of microcontrollers, whose functions are aligned to 4 bytes at most. */
static inline bool is_small(enum code_isa isa)
{
	return isa == CODE_THUMB || isa == CODE_RISCV32 || isa == CODE_RISCV64 || isa == CODE_AVR ||
	       isa == CODE_XTENSA;
}

/* The region that holds addr, or NULL. */
const struct code_region *region_at(const struct gathering *g, uint64_t addr);

/* derive_facts.c: fill claims and the lists of facts, sorted; callees claim the PLT stubs. */
void gather_unwind(struct gathering *g);
void gather_pointers(struct gathering *g);
void gather_callees(struct gathering *g);
void gather_fixes(struct gathering *g);

/* derive_data.c: bytes among code that are none, by mapping symbols; else what code reads. */
void gather_data(struct gathering *g);
/* The end of the data at addr; addr where there are none. */
uint64_t data_end(const struct gathering *g, uint64_t addr);

/* derive_patched.c: of objects; then the bytes at an address, which image_at gives for what is not
 * patched. */
void gather_patched(struct gathering *g);
struct bytes patched_at(const struct gathering *g, uint64_t addr, uint64_t size);
void patched_release(struct gathering *g);

/* derive_marks.c: mapping symbols, which say where code of ARM is of the Thumb set, and where data
 * stand among it ("ELF for the Arm Architecture", 5.5.5: $a, $t, $d). */
struct code_mark {
	uint64_t addr;
	char kind; /* a, t, d */
};

struct code_marks {
	const struct image *image;
	VEC(struct code_mark) list; /* by addr; empty: the code of each function tells */
};

void code_marks_read(struct code_marks *m, const struct image *im, const struct image *debug);
void code_marks_release(struct code_marks *m);
/* Appends to b->blocks those of the code at addr, at most 4 GiB: what is no data.  Whether the
 * first is of the Thumb set. */
bool code_marks_cut(const struct code_marks *m, uint64_t addr, struct bytes code,
		    struct blockmap *b);

/* derive_names.c: enum derive_trait bits of a function by its linkage name, which may have a
 * version. */
uint64_t traits_of_name(struct str name);

#endif
