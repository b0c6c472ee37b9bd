/* blocks.h - part of heft.h: machine basic blocks of programs, and how often they ran. */
#ifndef HEFT_H
#include "heft.h" /* heft.h includes this file. */
#elif !defined(HEFT_PART_BLOCKS_H)
#define HEFT_PART_BLOCKS_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- machine basic blocks of a program ------------------------------------ */

/* Reads the machine basic blocks of a program, object or archive. They come from a map that the
 * compiler wrote (sections .llvm_bb_addr_map, .bb_addr_map, .bb_info), or from block symbols of
 * LLVM up to version 11. Without a map, they are derived from the code (x86-64, i386, AArch64,
 * Thumb-2, RISC-V, AVR, Xtensa).
 *
 *     struct heft_blocks *b = heft_blocks_new(session);
 *     struct heft_block_function f = { .size = sizeof f };
 *     if (b && heft_blocks_open(b, "a.out", &err))
 *             for (size_t i = 0; heft_blocks_function(b, i, &f, &err); i++)
 *                     printf("%s: %zu blocks\n", f.name, f.block_count);
 *     heft_blocks_free(b);
 *
 * One thread per handle. Several handles may read one file. */
struct heft_blocks;

/* Creates a handle. NULL only if memory runs out. Free the handle with heft_blocks_free(), which
 * accepts NULL. */
HEFT_API struct heft_blocks *heft_blocks_new(struct heft_session *s);
HEFT_API void heft_blocks_free(struct heft_blocks *b);

/* Call the settings below (heft_blocks_set_...) before heft_blocks_open(). */
/* When to derive blocks from the code. Default: if there is no map. */
enum heft_derive { HEFT_DERIVE_MISSING, HEFT_DERIVE_NEVER, HEFT_DERIVE_ALWAYS };
HEFT_API void heft_blocks_set_derive(struct heft_blocks *b, enum heft_derive when);
/* Sets whether heft_blocks_disassemble() lists a function whose blocks cannot be derived as one
 * block. By default, such functions are omitted. */
HEFT_API void heft_blocks_set_whole(struct heft_blocks *b, bool whole);

/* Rules that end a derived block.
 * - llvm: consecutive jumps inside the function are one block. So are a call with a landing pad and
 *   the jump after it.
 * - gcc: every jump ends a block.
 * - pure: every jump ends a block, and padding between instructions does not start a block.
 * - auto (default): the convention of the compiler that probably made the code. */
enum heft_convention {
	HEFT_CONVENTION_AUTO,
	HEFT_CONVENTION_LLVM,
	HEFT_CONVENTION_GCC,
	HEFT_CONVENTION_PURE,
};
HEFT_API void heft_blocks_set_convention(struct heft_blocks *b, enum heft_convention convention);

/* Opens a program, an object or an archive, once per handle. A file without blocks is not an error:
 * it has no functions. */
HEFT_API bool heft_blocks_open(struct heft_blocks *b, const char *path, struct heft_err *err);

/* How a block is entered and left, if known. */
enum heft_block_flag {
	HEFT_BLOCK_RETURN = 1 << 0, /* Ends in a return or a tail call. */
	HEFT_BLOCK_TAIL_CALL = 1 << 1,
	HEFT_BLOCK_LANDING_PAD = 1 << 2,  /* Is the landing pad of an exception. */
	HEFT_BLOCK_FALL_THROUGH = 1 << 3, /* May continue in the next block. */
	HEFT_BLOCK_INDIRECT_JUMP = 1 << 4,
};

/* A block that may run after this one. This struct never grows. */
struct heft_block_successor {
	uint32_t id;
	uint32_t probability; /* Probability in units of 2^-31. */
	uint32_t frequency;   /* Frequency after linking. 0 if unknown. */
};

/* A machine basic block. */
struct heft_block {
	uint64_t addr, size; /* Address, and bytes of code. */
	uint32_t id;         /* Number that the compiler gave it, unique in the function. */
	unsigned flags;      /* Bits of enum heft_block_flag. */
	bool has_hash, has_frequency;
	uint64_t hash;                /* Hash of its code, computed by the compiler. */
	uint64_t frequency;           /* Frequency in the compiler's unit. Divide it by the
				       * frequency of the first block. */
	uint32_t post_link_frequency; /* Frequency after linking. 0 if unknown. */
	const uint64_t *calls;        /* Address after each call instruction of the block. */
	size_t call_count;
	const struct heft_block_successor *successors;
	size_t successor_count;
};

/* A function. Texts are valid until heft_blocks_free(). Blocks are valid until the next call that
 * returns a function. */
struct heft_block_function {
	size_t size; /* Set to sizeof(struct heft_block_function). */
	uint64_t addr;
	const char *name;    /* Name in the style that was set. "sub_ADDRESS" without a symbol. */
	const char *linkage; /* Linkage name. "" if there is no symbol. */
	const char *section; /* Section of its first block. */
	uint64_t section_offset;
	const char *member; /* Member of the archive. "" if there is none. */
	const char *origin; /* Source of the blocks: "map", "symbols" or "derived". */
	unsigned version;   /* Version of its map. 0 if not stated. */
	bool omitted;       /* The map says that the function has blocks, but does not list them. */
	bool has_entry_count;
	uint64_t entry_count; /* Number of times the function was entered. */
	size_t range_count;   /* Number of separate address ranges. */
	/* Blocks, grouped by range. The range with the entry usually comes first. */
	const struct heft_block *const *blocks;
	size_t block_count;
};

/* Returns the number of functions, in all members of an archive. 0 before heft_blocks_open(). */
HEFT_API size_t heft_blocks_function_count(const struct heft_blocks *b);
/* Returns function i. Functions are sorted by address; in archives, by member and address. */
HEFT_API bool heft_blocks_function(struct heft_blocks *b, size_t i, struct heft_block_function *ret,
				   struct heft_err *err);
/* Finds the functions with a name (docs/names.md). *ret lists their numbers, sorted by address,
 * until the next call. A note lists functions that match less exactly, such as split-off parts.
 * HEFT_ENOTFOUND if there is none. err->offset is then the address of a symbol with this name that
 * has no blocks, or HEFT_NO_OFFSET. */
HEFT_API bool heft_blocks_named(struct heft_blocks *b, const char *name, const size_t **ret,
				size_t *ret_count, struct heft_err *err);
/* Finds the function with a block at an address. *ret_block is the index of that block in its
 * `blocks`. HEFT_ENOTFOUND if no block contains the address. */
HEFT_API bool heft_blocks_find(struct heft_blocks *b, uint64_t addr,
			       struct heft_block_function *ret_function, size_t *ret_block,
			       struct heft_err *err);

/* Looks up many addresses, in any order. Much faster than single look-ups. Sets ret[i] to the
 * number of the block that contains addrs[i], or to HEFT_NO_BLOCK. Blocks are numbered across all
 * functions. The first call makes an index that the handle keeps: 8 bytes per block, plus at most 4
 * MiB. Fails only if memory runs out. */
#define HEFT_NO_BLOCK UINT32_MAX
HEFT_API bool heft_blocks_find_batch(struct heft_blocks *b, const uint64_t *addrs, size_t count,
				     uint32_t *ret, struct heft_err *err);
/* Converts a block number of heft_blocks_find_batch() to function *ret_function and index
 * *ret_block in its blocks. False if no block has the number. */
HEFT_API bool heft_blocks_place(const struct heft_blocks *b, uint32_t number, size_t *ret_function,
				size_t *ret_block);

/* Bytes of executable sections. `code` is the sum of the others. */
struct heft_block_sums {
	size_t size; /* Set to sizeof(struct heft_block_sums). */
	uint64_t code;
	uint64_t blocks;       /* Bytes in blocks other than landing pads. */
	uint64_t landing_pads; /* Bytes in landing pads of exceptions. */
	uint64_t padding;      /* Padding outside of blocks, such as nops. */
	uint64_t unmapped;     /* Bytes outside of blocks that are not padding. */
};
/* Adds up the bytes. All 0 before heft_blocks_open(). */
HEFT_API bool heft_blocks_sum(const struct heft_blocks *b, struct heft_block_sums *ret,
			      struct heft_err *err);

/* Writes a function with its blocks. `opts` (NULL for defaults) sets the format: HEFT_TABLE for
 * readable lines; HEFT_CSV, HEFT_TSV and HEFT_MARKDOWN for a line per block; HEFT_JSON for one
 * object on one line (docs/json.md). If `f` is NULL, writes the names of the columns. */
HEFT_API bool heft_block_function_write(const struct heft_block_function *f,
					const struct heft_write_opts *opts,
					const struct heft_sink *sink, struct heft_err *err);

/* Writes function i as readable text with the instructions of each block, one per line: address,
 * bytes, text. For x86-64, i386, AArch64 and ARM. If blocks overlap, the total is limited to the
 * size of the file. HEFT_EUNSUPPORTED for another machine, or if heft was built without a
 * disassembler. */
HEFT_API bool heft_blocks_disassemble(struct heft_blocks *b, size_t i, const struct heft_sink *sink,
				      struct heft_err *err);

/* Options for writing a map. */
enum heft_emit_flag {
	HEFT_EMIT_REPLACE = 1 << 0, /* Replace a map that the file has. */
};

/* Writes a copy of the opened program with all its blocks in a section .llvm_bb_addr_map. Archives
 * and objects are not allowed. `version` is 1 to 5; LLVM 16 to 22 read version 2. The copy differs
 * only in this section and the section header table. If the file has a map, fails with HEFT_EARG
 * unless `flags` (bits of enum heft_emit_flag) has HEFT_EMIT_REPLACE. HEFT_EUNSUPPORTED for files
 * that cannot be extended, such as signed ones. */
HEFT_API bool heft_blocks_emit(struct heft_blocks *b, unsigned version, unsigned flags,
			       const struct heft_sink *sink, struct heft_err *err);

/* An error that heft_blocks_check() found in the map, about a function or block. Texts are valid
 * until the next check. */
struct heft_block_finding {
	size_t size;    /* Set to sizeof(struct heft_block_finding). */
	const char *id; /* Id of the rule, "BB01" to "BB13". Described in heft(1). */
	bool wrong;     /* True if the map does not match the code. False if it is only odd. */
	uint64_t addr;
	const char *function; /* Linkage name of the function. "" if unknown. */
	const char *text;     /* One line. */
};

/* Totals of a check. */
struct heft_block_check {
	size_t size;                /* Set to sizeof(struct heft_block_check). */
	uint64_t functions, blocks; /* Functions and blocks of the map. */
	uint64_t decoded;           /* Blocks whose instructions were decoded. */
	uint64_t known;             /* Functions in symbols and unwind tables. */
	uint64_t mapped;            /* Functions of `known` that are in the map. */
	uint64_t wrong, odd;        /* Numbers of findings with `wrong` set, and without. */
};

/* Compares the map of the opened file (opened with HEFT_DERIVE_NEVER) with its code, and fills
 * *ret. The handle keeps the errors that it found until the next check. HEFT_EUNSUPPORTED for an
 * archive, and for a file without a map. */
HEFT_API bool heft_blocks_check(struct heft_blocks *b, struct heft_block_check *ret,
				struct heft_err *err);
/* Return the number of errors that the last check found, and error `i`, sorted by address. */
HEFT_API size_t heft_blocks_finding_count(const struct heft_blocks *b);
HEFT_API bool heft_blocks_finding(const struct heft_blocks *b, size_t i,
				  struct heft_block_finding *ret, struct heft_err *err);
/* Writes one error that a check found as a line, in the formats of heft_block_function_write(). If
 * `f` is NULL, writes the names of the columns. */
HEFT_API bool heft_block_finding_write(const struct heft_block_finding *f,
				       const struct heft_write_opts *opts,
				       const struct heft_sink *sink, struct heft_err *err);
/* Writes the totals of a check. HEFT_TABLE: readable lines. HEFT_JSON: one object on one line.
 * Other formats write nothing. */
HEFT_API bool heft_block_check_write(const struct heft_block_check *c,
				     const struct heft_write_opts *opts,
				     const struct heft_sink *sink, struct heft_err *err);

/* ---- execution counts of basic blocks ------------------------------------- */

/* Samples of a program run, counted per basic block. They belong to the heft_blocks handle that
 * they were read for. Only one thread at a time may use the two, and if one is broken, so is the
 * other.
 *
 *     struct heft_samples *s = heft_samples_new(blocks, "perf.data", HEFT_SAMPLES_PERF, 0, &err);
 *     if (s)
 *             heft_samples_write(s, NULL, NULL, &sink, &err);
 *     heft_samples_free(s);
 *
 * Samples with branch stacks (perf record -b, or -j any,u) show how often each block ran, and which
 * block ran next. Samples without branch stacks show where time was spent; their counts are
 * estimates. */
struct heft_samples;

/* Format of the file with the samples. */
enum heft_samples_form {
	HEFT_SAMPLES_PERF, /* Output file of perf record. */
	/* Output of perf script -F ip,brstack, with or without --show-mmap-events. */
	HEFT_SAMPLES_SCRIPT,
	/* Per line an address of the file, in hexadecimal, and optionally a count. */
	HEFT_SAMPLES_ADDRESSES,
};

/* Options for reading samples. */
enum heft_samples_flag {
	HEFT_SAMPLES_ANY_BUILD = 1 << 0, /* Also read samples of other builds. */
};

/* Reads samples from a file. `b` must have a program or shared object open, must outlive the
 * samples, and receives their notes. NULL on failure. HEFT_EARG if no sample is in the opened
 * program. Also HEFT_EARG if the samples are of another build and `flags` (bits of enum
 * heft_samples_flag) lacks HEFT_SAMPLES_ANY_BUILD. */
HEFT_API struct heft_samples *heft_samples_new(struct heft_blocks *b, const char *path,
					       enum heft_samples_form form, unsigned flags,
					       struct heft_err *err);
/* Frees samples. Accepts NULL. */
HEFT_API void heft_samples_free(struct heft_samples *s);

/* Numbers of samples, read and used. */
struct heft_samples_info {
	uint64_t samples;       /* All samples that were read. */
	uint64_t inside;        /* Samples whose address is in the opened program. */
	uint64_t lost;          /* Samples that the kernel dropped. */
	uint64_t runs;          /* Runs of code between two taken branches, in the program. */
	uint64_t runs_unmapped; /* Runs of code that is in no known block. */
	uint64_t runs_refused;  /* Runs that contradict the control flow of the code. */
	bool estimated;         /* True without branch stacks: counts are numbers of samples. */
};
/* Returns the numbers of samples, valid until heft_samples_free(). */
HEFT_API const struct heft_samples_info *heft_samples_info(const struct heft_samples *s);

/* Classes of blocks, sorted by falling count. HOT blocks have the first 90 % of the sum of all
 * counts, WARM blocks the next 9 %. Other blocks with a count are COLD. */
enum heft_hotness { HEFT_NEVER, HEFT_COLD, HEFT_WARM, HEFT_HOT };

/* How often a block ran. This struct never grows. */
struct heft_block_count {
	uint64_t count;        /* How often the block ran. If estimated: number of samples in it. */
	uint64_t fall_through; /* How often control continued in the next block without a branch. */
	enum heft_hotness hotness;
};
/* Returns the counts of the blocks of function i, in the order of heft_block_function.blocks. Valid
 * until the next call. */
HEFT_API bool heft_samples_counts(struct heft_samples *s, size_t i,
				  const struct heft_block_count **ret, size_t *ret_count,
				  struct heft_err *err);

/* Taken branches between two blocks. The address of an unknown block is HEFT_NO_OFFSET. At most one
 * of the two is unknown. */
enum heft_edge_kind { HEFT_EDGE_JUMP, HEFT_EDGE_CALL, HEFT_EDGE_RETURN };
struct heft_block_edge {
	size_t size;       /* Set to sizeof(struct heft_block_edge). */
	uint64_t from, to; /* Start addresses of the blocks. */
	enum heft_edge_kind kind;
	uint64_t count, mispredicted;
};
HEFT_API size_t heft_samples_edge_count(const struct heft_samples *s);
HEFT_API bool heft_samples_edge(const struct heft_samples *s, size_t i, struct heft_block_edge *ret,
				struct heft_err *err);

/* Measures of the rows of samples. Rows are functions, and basic blocks below them. */
enum heft_samples_measure {
	HEFT_SAMPLES_COUNT, /* How often the block ran. If estimated: number of samples in it. */
	HEFT_SAMPLES_FALLS, /* How often control continued after the block without a branch. */
	HEFT_SAMPLES_BYTES, /* Bytes of the blocks that ran. */
	HEFT_SAMPLES_MEASURES,
};

/* Selects the rows of samples to write. */
struct heft_samples_query {
	size_t size;          /* Set to sizeof(struct heft_samples_query). */
	uint32_t rows;        /* Limit of rows per level. One row sums up the rows over the
			       * limit. 0 for all. */
	enum heft_sort sort;  /* HEFT_SORT_NAME sorts by name. Any other sorts by count. */
	const char *function; /* Only functions with this name (docs/names.md). NULL for all. */
};

/* Writes samples. HEFT_TABLE, HEFT_MARKDOWN, HEFT_FOLDED ("function;#block COUNT"), HEFT_PPROF and
 * HEFT_SVG write the rows that `query` selects. Blocks that did not run have no row. HEFT_CSV and
 * HEFT_TSV write a line per block, HEFT_JSON a line per function (docs/json.md). The formats from
 * HEFT_PROPELLER to HEFT_AUTOFDO are for other tools. `query` and `opts` may be NULL. */
HEFT_API bool heft_samples_write(struct heft_samples *s, const struct heft_samples_query *query,
				 const struct heft_write_opts *opts, const struct heft_sink *sink,
				 struct heft_err *err);

#ifdef __cplusplus
}
#endif
#endif
