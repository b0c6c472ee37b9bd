/* derive_map_internal.h - declares what the files that gather facts for derive_map.c share. */
#pragma once

#include "blocks/blockmap.h"
#include "derive/derive.h"
#include "derive/split.h"
#include "image/image.h"
#include "program/ghc_image.h"

/* A function, label or data that a symbol or unwind table states */
struct code_claim {
	uint64_t addr, size; /* `size` is 0 if unknown */
	bool has_sites;
	bool cold;     /* True if the name marks a part that was moved away from its function */
	bool function; /* True for a function, false for a label */
	bool data;     /* True for a variable or table inside code */
};

/* A range of executable bytes. */
struct code_region {
	uint64_t addr;
	struct bytes bytes;
	bool stubs; /* True for a PLT */
};

struct code_regions {
	struct code_region *data; /* Sorted by address, without overlap */
	size_t count, cap;
};

/* Code in which it is unknown where functions end, with evidence of functions in it */
struct code_gaps {
	VEC(struct derive_extent) list; /* Sorted by address */
	addr_vec labels;                /* Addresses where a function or data begins */
	struct split_signs signs;       /* All other evidence of functions */
	/* Number of bytes of code that may still be decoded to follow its flow. Bounds the time. */
	uint64_t looks;
	code_ref_vec refs; /* Scratch */
};

/* Bytes with relocations applied */
struct patched {
	uint64_t addr, size;
	uint8_t *bytes;
};

struct gathering {
	const struct image *im, *debug; /* `debug` may be NULL */
	struct notes *notes;
	enum code_isa isa;
	struct code_regions regions;
	VEC(struct code_claim) claims;
	VEC(struct derive_extent) extents;
	struct code_gaps gaps;
	bool has_pointers; /* True if `entries` has the addresses that data points to */
	bool gaps_only;    /* True if only blocks of gaps are wanted */
	VEC(uint64_t) entries;
	VEC(struct derive_site) sites;
	VEC(struct derive_callee) callees;
	VEC(struct derive_fix) fixes;
	VEC(struct derive_data) data; /* Sorted by address, without overlap */
	struct ghc_tables ghc;        /* GHC's info tables inside code. Mostly none */
	VEC(struct patched) patched;  /* Sorted by address */
	uint8_t *conventions;         /* Per extent: an enum derive_convention. Or NULL */
};

/* Lists executable sections with bytes, otherwise executable segments. */
void code_regions_list(const struct image *im, struct code_regions *ret);
/* derive_gaps.c: collects evidence of functions in g->gaps. Then appends the functions to *ret, by
 * address. */
void gaps_split(struct gathering *g, split_function_vec *ret);
/* Adds an address to a list if it is in a gap. */
void gaps_add(const struct gathering *g, addr_vec *to, uint64_t addr);
const struct derive_extent *gap_at(const struct gathering *g, uint64_t addr);
/* derive_facts.c: adds to g->gaps the functions to which words of a Thumb image point. */
void gaps_read_words(struct gathering *g);
/* derive_map.c: returns the gathered facts in the form of derive/derive.h. */
struct derive_facts gathering_facts(const struct gathering *g);
void gathering_release(struct gathering *g);

/* True if the machine is a microcontroller. Its functions are aligned to at most 4 bytes. */
static inline bool is_small(enum code_isa isa)
{
	return isa == CODE_THUMB || code_isa_is_riscv(isa) || isa == CODE_AVR || isa == CODE_XTENSA;
}

/* Returns the region that contains addr, or NULL. */
const struct code_region *region_at(const struct gathering *g, uint64_t addr);

/* derive_facts.c: add known functions to g->claims, and other facts to sorted lists.
 * gather_callees() also adds the PLT stubs. */
void gather_unwind(struct gathering *g);
void gather_pointers(struct gathering *g);
void gather_callees(struct gathering *g);
void gather_fixes(struct gathering *g);

/* derive_data.c: lists data inside code. It is known from mapping symbols, otherwise from loads of
 * the code. GHC's info tables are data too. */
void gather_data(struct gathering *g);
/* Returns the end of the data that contains addr. Returns addr if no data contains it. */
uint64_t data_end(const struct gathering *g, uint64_t addr);

/* derive_facts.c: applies relocations to constant data of objects. patched_at() then returns the
 * relocated bytes at an address. If there are none, it returns those of image_at(). */
void gather_patched(struct gathering *g);
struct bytes patched_at(const struct gathering *g, uint64_t addr, uint64_t size);

/* derive_data.c: mapping symbols ("ELF for the Arm Architecture", 5.5.5: $a, $t, $d). Mapping
 * symbols mark ARM code, code of the Thumb set, and data among code. */
struct code_mark {
	uint64_t addr;
	char kind; /* 'a' (ARM code), 't' (Thumb code) or 'd' (data) */
};

struct code_marks {
	const struct image *image;
	VEC(struct code_mark)
	list; /* Sorted by address. If empty, each function's symbol tells its instruction set */
};

/* Reads the mapping symbols of one file. `im` may be NULL. */
void code_marks_list(struct code_marks *m, const struct image *im);
/* Reads the mapping symbols of the image, otherwise of the debug file. */
void code_marks_read(struct code_marks *m, const struct image *im, const struct image *debug);
void code_marks_release(struct code_marks *m);
/* Appends a block for each piece of code between data to b->blocks. `code` has at most 4 GiB. True
 * if the first piece is Thumb code. */
bool code_marks_cut(const struct code_marks *m, uint64_t addr, struct bytes code,
		    struct blockmap *b);

/* derive_names.c: returns bits of enum derive_trait that a function's linkage name shows. The name
 * may end in a symbol version ("@GLIBC_2.2.5"). */
uint64_t traits_of_name(struct str name);
