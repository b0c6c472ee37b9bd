/* stack.h - part of heft.h: computes how much stack the functions of a program may need. */
#ifndef HEFT_H
#include "heft.h" /* heft.h includes this file. */
#elif !defined(HEFT_PART_STACK_H)
#define HEFT_PART_STACK_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- stack usage of functions and call paths ------------------------------ */

/* Computes the maximal stack of each function of a linked program, with all its callees. Decodes
 * how instructions change the stack pointer, and which functions they call. Machines: x86-64, i386,
 * AArch64, Thumb-2, RISC-V, AVR and Xtensa. If the compiler also states the frame of a function
 * (section .stack_sizes, .su files), the larger number is used.
 *
 *     struct heft_stack *s = heft_stack_new(session);
 *     if (s && heft_stack_open(s, "firmware.elf", &err))
 *             heft_stack_write(s, NULL, NULL, &sink, &err);
 *     heft_stack_free(s);
 *
 * On x86 and AVR the return address counts as stack of the called function. In a recursion each
 * function counts once. Caveats name stack that a sum does not include. One thread per handle. */
struct heft_stack;

/* Creates a handle. NULL only if memory runs out. Free the handle with heft_stack_free(), which
 * accepts NULL. */
HEFT_API struct heft_stack *heft_stack_new(struct heft_session *s);
HEFT_API void heft_stack_free(struct heft_stack *s);

/* Opens a linked program, once per handle. HEFT_EUNSUPPORTED for other files and machines.
 * HEFT_EFORMAT for a bad line in the file of calls, HEFT_EARG if it names an unknown function. */
HEFT_API bool heft_stack_open(struct heft_stack *s, const char *path, struct heft_err *err);

/* Selects the rows. */
enum heft_stack_flag {
	HEFT_STACK_ALL = 1 << 0, /* List all functions, not only the first of call chains. */
	/* Always list the entry and all interrupt handlers. These rows do not count against the
	 * limit of rows. */
	HEFT_STACK_MORE_ROWS = 1 << 1,
};

struct heft_stack_query {
	size_t size;          /* Set to sizeof(struct heft_stack_query). */
	uint32_t rows;        /* Limit of rows. Rows over the limit are only counted. 0 for all. */
	unsigned flags;       /* Bits of enum heft_stack_flag. */
	const char *function; /* Only functions with this name (docs/names.md). NULL for all. */
};

/* Returns a row per function: first the program's entry, then interrupt handlers, then functions
 * without direct calls. With HEFT_STACK_ALL, all other functions follow. Each group is sorted by
 * stack, largest first.
 *
 * Measures, in bytes: "stack" with all callees, and "frame" without.
 *
 * Texts: "stated" is the frame that the compiler states, "" if none. "kind": "entry", "interrupt",
 * "uncalled" or "called". "besides": caveats, why the stack may be more ("recursion", "indirect
 * calls", "unknown callees", "alloca", "odd code", separated by ", "; "" if none). "cause": a
 * function for each caveat ("alloca in run"). "path": the deepest call chain ("main 32 > run 48"),
 * with the bytes that each function adds.
 *
 * `query` may be NULL. HEFT_ENOTFOUND if no function has the name. Belongs to the handle; valid
 * until the next call. */
HEFT_API const struct heft_table *
heft_stack_table(struct heft_stack *s, const struct heft_stack_query *query, struct heft_err *err);
/* Writes the table: HEFT_TABLE, HEFT_CSV, HEFT_TSV, HEFT_JSON, HEFT_MARKDOWN. With `full`, a table
 * has the path and the causes below each row. */
HEFT_API bool heft_stack_write(struct heft_stack *s, const struct heft_stack_query *query,
			       const struct heft_write_opts *opts, const struct heft_sink *sink,
			       struct heft_err *err);

#ifdef __cplusplus
}
#endif
#endif
