/* blocks.h - part of heft.h: machine basic blocks: listing, deriving, writing, checking,
 * weighing. */
#ifndef HEFT_H
#include "heft.h" /* which includes this file in its turn */
#elif !defined(HEFT_PART_BLOCKS_H)
#define HEFT_PART_BLOCKS_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- machine basic blocks ------------------------------------------------- */

/* The machine basic blocks of a program, object or archive, as its compiler wrote them down: maps
 * of every form (sections .llvm_bb_addr_map, .bb_addr_map, .bb_info), block symbols of LLVM up to
 * 11. Where there are none, they are derived from the code (x86-64, i386, AArch64,
 * Thumb-2, RISC-V, AVR, Xtensa).
 *
 *     struct heft_blocks *b = heft_blocks_new(session);
 *     struct heft_block_function f = { .size = sizeof f };
 *     if (b && heft_blocks_open(b, "a.out", &err))
 *             for (size_t i = 0; heft_blocks_function(b, i, &f, &err); i++)
 *                     printf("%s: %zu blocks\n", f.name, f.block_count);
 *     heft_blocks_free(b);
 *
 * One thread a handle; several handles may look at one file. */
struct heft_blocks;

/* NULL only where there is no memory.  Free with heft_blocks_free; NULL is fine there. */
HEFT_API struct heft_blocks *heft_blocks_new(struct heft_session *s);
HEFT_API void heft_blocks_free(struct heft_blocks *b);

/* Settings, before heft_blocks_open. */
/* When blocks are derived from the code.  Default: where there is no map. */
enum heft_derive { HEFT_DERIVE_MISSING, HEFT_DERIVE_NEVER, HEFT_DERIVE_ALWAYS };
HEFT_API void heft_blocks_set_derive(struct heft_blocks *b, enum heft_derive when);
/* Whether a function of code that no blocks can be derived from is one block, for
 * heft_blocks_disassemble.  Default: such functions are not there. */
HEFT_API void heft_blocks_set_whole(struct heft_blocks *b, bool whole);

/* What ends a derived block.  llvm: jumps in a row are one block as long as they stay in the
 * function, as is a call with a landing pad and a jump behind it.  gcc: every jump ends a block.
 * pure: so it does, and padding between instructions starts none.  auto (default): the one whose
 * compiler the code looks like. */
enum heft_convention {
	HEFT_CONVENTION_AUTO,
	HEFT_CONVENTION_LLVM,
	HEFT_CONVENTION_GCC,
	HEFT_CONVENTION_PURE,
};
HEFT_API void heft_blocks_set_convention(struct heft_blocks *b, enum heft_convention convention);

/* Opens a program, an object or an archive, once per handle.  A file without any blocks is no
 * error: then it has no functions. */
HEFT_API bool heft_blocks_open(struct heft_blocks *b, const char *path, struct heft_err *err);

/* What is known of how a block is entered and left. */
enum heft_block_flag {
	HEFT_BLOCK_RETURN = 1 << 0, /* ends in a return or a tail call */
	HEFT_BLOCK_TAIL_CALL = 1 << 1,
	HEFT_BLOCK_LANDING_PAD = 1 << 2,  /* of an exception */
	HEFT_BLOCK_FALL_THROUGH = 1 << 3, /* may go on to the block behind it */
	HEFT_BLOCK_INDIRECT_JUMP = 1 << 4,
};

/* Where control may go from a block.  Never grows. */
struct heft_block_successor {
	uint32_t id;
	uint32_t probability; /* in units of 2^-31 */
	uint32_t frequency;   /* after linking, 0 if not known */
};

/* A machine basic block. */
struct heft_block {
	uint64_t addr, size; /* bytes of code */
	uint32_t id;         /* the compiler's number, unique in the function */
	unsigned flags;      /* enum heft_block_flag */
	bool has_hash, has_frequency;
	uint64_t hash;                /* of its code, as the compiler reckons it */
	uint64_t frequency;           /* in the compiler's unit: divide by the first block's */
	uint32_t post_link_frequency; /* 0 if not known */
	const uint64_t *calls;        /* addresses where its calls end */
	size_t call_count;
	const struct heft_block_successor *successors;
	size_t successor_count;
};

/* A function.  Texts hold until heft_blocks_free, blocks until the next call that gives a
 * function. */
struct heft_block_function {
	size_t size; /* sizeof(struct heft_block_function) */
	uint64_t addr;
	const char *name;    /* in the style set; "sub_ADDRESS" where no symbol is */
	const char *linkage; /* as the linker sees it; "" where no symbol is */
	const char *section; /* that holds its first block */
	uint64_t section_offset;
	const char *member; /* of the archive; "" elsewhere */
	const char *origin; /* "map", "symbols" or "derived" */
	unsigned version;   /* of its map; 0 where that states none */
	bool omitted;       /* its map says that there are blocks, but not which */
	bool has_entry_count;
	uint64_t entry_count; /* how often it was entered */
	size_t range_count;   /* parts that lie apart */
	/* Those of a part side by side; the part of the entry comes first as a rule. */
	const struct heft_block *const *blocks;
	size_t block_count;
};

/* Functions of all members of an archive, or of the one file; 0 before heft_blocks_open. */
HEFT_API size_t heft_blocks_function_count(const struct heft_blocks *b);
/* Function i, by rising address; in archives, by member before that. */
HEFT_API bool heft_blocks_function(struct heft_blocks *b, size_t i, struct heft_block_function *ret,
				   struct heft_err *err);
/* The functions that a name means (docs/names.md): their numbers, in *ret until the next call, by
 * rising address.  A function that has the name in a less exact way, such as a part that was split
 * off, is told by a note.  HEFT_ENOTFOUND where there is none; err->offset is then the address of
 * what has the name and has no basic blocks, or HEFT_NO_OFFSET. */
HEFT_API bool heft_blocks_named(struct heft_blocks *b, const char *name, const size_t **ret,
				size_t *ret_count, struct heft_err *err);
/* The function whose block holds an address, and the index of this block in its `blocks`.
 * HEFT_ENOTFOUND where no block does. */
HEFT_API bool heft_blocks_find(struct heft_blocks *b, uint64_t addr,
			       struct heft_block_function *ret_function, size_t *ret_block,
			       struct heft_err *err);

/* Looks up many addresses, in any order, which is much faster: ret[i] becomes the number of the
 * block that holds addrs[i], counted over all functions, or HEFT_NO_BLOCK.  The first call makes an
 * index that the handle keeps: it takes 8 bytes for each block, and 4 MiB at most besides.  Fails
 * only where there is no memory. */
#define HEFT_NO_BLOCK UINT32_MAX
HEFT_API bool heft_blocks_find_batch(struct heft_blocks *b, const uint64_t *addrs, size_t count,
				     uint32_t *ret, struct heft_err *err);
/* Where the block of a number that heft_blocks_find_batch gave is: in function *ret_function, at
 * index *ret_block of its blocks.  False where no block has the number. */
HEFT_API bool heft_blocks_place(const struct heft_blocks *b, uint32_t number, size_t *ret_function,
				size_t *ret_block);

/* Bytes of executable sections.  The others are parts of `code` and add up to it. */
struct heft_block_sums {
	size_t size; /* sizeof(struct heft_block_sums) */
	uint64_t code;
	uint64_t blocks;       /* in blocks that are no landing pads */
	uint64_t landing_pads; /* in landing pads of exceptions */
	uint64_t padding;      /* in no block: nops and the like */
	uint64_t unmapped;     /* in no block: the rest */
};
/* Adds the bytes up; all 0 before heft_blocks_open. */
HEFT_API bool heft_blocks_sum(const struct heft_blocks *b, struct heft_block_sums *ret,
			      struct heft_err *err);

/* Writes a function with its blocks.  `opts` (NULL: all default) have the format: HEFT_TABLE, lines
 * for people; HEFT_CSV, HEFT_TSV and HEFT_MARKDOWN, a line a block; HEFT_JSON, one object on one
 * line (docs/json.md).  NULL for a function writes what stands above all of them: the names of the
 * columns. */
HEFT_API bool heft_block_function_write(const struct heft_block_function *f,
					const struct heft_write_opts *opts,
					const struct heft_sink *sink, struct heft_err *err);

/* Writes function i for people as heft_block_function_write does, each block with its instructions,
 * one a line: address, bytes, text.  x86-64, i386, AArch64 and ARM.  Where blocks overlap no more
 * bytes than the file has are looked at.  HEFT_EUNSUPPORTED: another machine, or a heft that was
 * built without a disassembler. */
HEFT_API bool heft_blocks_disassemble(struct heft_blocks *b, size_t i, const struct heft_sink *sink,
				      struct heft_err *err);

/* How a map is written. */
enum heft_emit_flag {
	HEFT_EMIT_REPLACE = 1 << 0, /* in place of a map that the file has */
};

/* Writes a copy of the file that was opened (no archive, no object) with all its blocks in a
 * section .llvm_bb_addr_map, of version 1 to 5 (2 is read by LLVM 16 to 22).  Nothing else of it
 * changes but the section header table; it runs as the file did.  A map that is there is an error
 * (HEFT_EARG) unless `flags` (bits of enum heft_emit_flag) have HEFT_EMIT_REPLACE. Files that
 * cannot be extended, such as signed ones, are HEFT_EUNSUPPORTED. */
HEFT_API bool heft_blocks_emit(struct heft_blocks *b, unsigned version, unsigned flags,
			       const struct heft_sink *sink, struct heft_err *err);

/* What heft_blocks_check has to say of a function or block.  Texts hold until the next check. */
struct heft_block_finding {
	size_t size;    /* sizeof(struct heft_block_finding) */
	const char *id; /* "BB01" to "BB13", see heft(1) */
	bool wrong;     /* the map does not describe the code; else it is true but odd */
	uint64_t addr;
	const char *function; /* its linkage name, "" where not known */
	const char *text;     /* one line */
};

/* What a check looked at, and found. */
struct heft_block_check {
	size_t size;                /* sizeof(struct heft_block_check) */
	uint64_t functions, blocks; /* of the map */
	uint64_t decoded;           /* blocks whose instructions were looked at */
	uint64_t known;             /* functions that symbols and unwind tables know */
	uint64_t mapped;            /* those of them that are in the map */
	uint64_t wrong, odd;        /* findings */
};

/* Compares the map of the file that was opened (with HEFT_DERIVE_NEVER) with its code, and fills
 * *ret.  The handle keeps the findings until the next check.  HEFT_EUNSUPPORTED for an archive, and
 * for a file without a map. */
HEFT_API bool heft_blocks_check(struct heft_blocks *b, struct heft_block_check *ret,
				struct heft_err *err);
/* The findings of the last check, by rising address. */
HEFT_API size_t heft_blocks_finding_count(const struct heft_blocks *b);
HEFT_API bool heft_blocks_finding(const struct heft_blocks *b, size_t i,
				  struct heft_block_finding *ret, struct heft_err *err);
/* Writes a finding as a line, in the formats of heft_block_function_write; NULL for a finding
 * writes the names of the columns. */
HEFT_API bool heft_block_finding_write(const struct heft_block_finding *f,
				       const struct heft_write_opts *opts,
				       const struct heft_sink *sink, struct heft_err *err);
/* Writes what a check looked at: HEFT_TABLE, lines for people; HEFT_JSON, one object on one line;
 * nothing in other formats. */
HEFT_API bool heft_block_check_write(const struct heft_block_check *c,
				     const struct heft_write_opts *opts,
				     const struct heft_sink *sink, struct heft_err *err);

/* ---- how often basic blocks ran ------------------------------------------- */

/* Samples of a program that ran, counted for its basic blocks.  They belong to the block map that
 * they were read for: all calls on both are for one thread at a time, and where one of them is
 * broken, so is the other.
 *
 *     struct heft_samples *s = heft_samples_new(blocks, "perf.data", HEFT_SAMPLES_PERF, 0, &err);
 *     if (s)
 *             heft_samples_write(s, NULL, NULL, &sink, &err);
 *     heft_samples_free(s);
 *
 * Samples with branch stacks (perf record -b, or -j any,u) give how often each block ran, and where
 * control went from there.  Samples without give where time was spent; counts are then
 * estimates. */
struct heft_samples;

/* What the file with the samples is. */
enum heft_samples_form {
	HEFT_SAMPLES_PERF, /* what perf record wrote */
	/* what perf script -F ip,brstack printed, with or without --show-mmap-events */
	HEFT_SAMPLES_SCRIPT,
	/* a line an address of the file: hexadecimal, perhaps a count behind */
	HEFT_SAMPLES_ADDRESSES,
};

/* What samples are taken. */
enum heft_samples_flag {
	HEFT_SAMPLES_ANY_BUILD = 1 << 0, /* samples of another build are taken as well */
};

/* Reads samples from a file.  `b` has one program or shared object open; it outlives the samples
 * and gets their notes.  NULL on failure: HEFT_EARG where no sample is in this file, or where the
 * samples are of another build and `flags` (bits of enum heft_samples_flag) do not have
 * HEFT_SAMPLES_ANY_BUILD. */
HEFT_API struct heft_samples *heft_samples_new(struct heft_blocks *b, const char *path,
					       enum heft_samples_form form, unsigned flags,
					       struct heft_err *err);
/* NULL is fine. */
HEFT_API void heft_samples_free(struct heft_samples *s);

/* How many samples there are, and how much of them could be used. */
struct heft_samples_info {
	uint64_t samples;       /* all that were read */
	uint64_t inside;        /* samples with something in this file */
	uint64_t lost;          /* that the kernel could not keep */
	uint64_t runs;          /* of code between two branches, in this file */
	uint64_t runs_unmapped; /* of these where no block is known */
	uint64_t runs_refused;  /* of these that go where control cannot */
	bool estimated;         /* no branch stacks: counts are samples */
};
/* What was read.  It holds until heft_samples_free. */
HEFT_API const struct heft_samples_info *heft_samples_info(const struct heft_samples *s);

/* Blocks by falling count: those that make the first 90 % of all counts are hot, those up to 99 %
 * warm, others that were seen cold. */
enum heft_hotness { HEFT_NEVER, HEFT_COLD, HEFT_WARM, HEFT_HOT };

/* How often a block ran.  Never grows. */
struct heft_block_count {
	uint64_t count;        /* how often it ran; estimated: samples in it */
	uint64_t fall_through; /* how often control went on to the next block without a branch */
	enum heft_hotness hotness;
};
/* Counts of the blocks of function i, in the order of heft_block_function.blocks; they hold until
 * the next call. */
HEFT_API bool heft_samples_counts(struct heft_samples *s, size_t i,
				  const struct heft_block_count **ret, size_t *ret_count,
				  struct heft_err *err);

/* Branches that were taken from one block to another.  Where a block is outside of all known ones,
 * its address is HEFT_NO_OFFSET; that is so at one end at most. */
enum heft_edge_kind { HEFT_EDGE_JUMP, HEFT_EDGE_CALL, HEFT_EDGE_RETURN };
struct heft_block_edge {
	size_t size;       /* sizeof(struct heft_block_edge) */
	uint64_t from, to; /* where the blocks start */
	enum heft_edge_kind kind;
	uint64_t count, mispredicted;
};
HEFT_API size_t heft_samples_edge_count(const struct heft_samples *s);
HEFT_API bool heft_samples_edge(const struct heft_samples *s, size_t i, struct heft_block_edge *ret,
				struct heft_err *err);

/* The measures of the rows of samples: functions, below them basic blocks. */
enum heft_samples_measure {
	HEFT_SAMPLES_COUNT, /* how often it ran; estimated: samples in it */
	HEFT_SAMPLES_FALLS, /* how often control went on from it without a branch */
	HEFT_SAMPLES_BYTES, /* of the blocks that ran */
	HEFT_SAMPLES_MEASURES,
};

/* What rows of samples are wanted. */
struct heft_samples_query {
	size_t size;          /* sizeof(struct heft_samples_query) */
	uint32_t rows;        /* a level, then the rest is summed up; 0: all */
	enum heft_sort sort;  /* by count, or HEFT_SORT_NAME */
	const char *function; /* those that the name means (docs/names.md) alone; NULL: all */
};

/* HEFT_TABLE, HEFT_MARKDOWN, HEFT_FOLDED ("function;#block COUNT"), HEFT_PPROF and HEFT_SVG write
 * the rows that `query` asks for, of blocks that ran; HEFT_CSV and HEFT_TSV a line for every block;
 * HEFT_JSON a line a function (docs/json.md); the formats from HEFT_PROPELLER to HEFT_AUTOFDO what
 * other tools take.  `query` and `opts` may be NULL. */
HEFT_API bool heft_samples_write(struct heft_samples *s, const struct heft_samples_query *query,
				 const struct heft_write_opts *opts, const struct heft_sink *sink,
				 struct heft_err *err);

#ifdef __cplusplus
}
#endif
#endif
