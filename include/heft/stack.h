/* stack.h - part of heft.h: how much stack the functions of a program may take. */
#ifndef HEFT_H
#include "heft.h" /* which includes this file in its turn */
#elif !defined(HEFT_PART_STACK_H)
#define HEFT_PART_STACK_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- stacks -------------------------------------------------------------------- */

/* The most stack that each function of a linked program may take with all that it calls, from its
 * code: what instructions do to the stack pointer, and which functions they call.  x86-64, i386,
 * AArch64, Thumb-2, RISC-V, AVR and Xtensa.  Where compilers state frames (section .stack_sizes,
 * .su files), the larger of the two counts.
 *
 *     struct heft_stack *s = heft_stack_new(session);
 *     if (s && heft_stack_open(s, "firmware.elf", &err))
 *             heft_stack_write(s, NULL, NULL, &sink, &err);
 *     heft_stack_free(s);
 *
 * On x86 and AVR the return address counts to the function that is called.  Of functions that call
 * one another in a circle each counts once.  What a sum does not hold is told beside it.  One
 * thread a handle. */
struct heft_stack;

/* NULL only where there is no memory.  Free with heft_stack_free; NULL is fine there. */
HEFT_API struct heft_stack *heft_stack_new(struct heft_session *s);
HEFT_API void heft_stack_free(struct heft_stack *s);

/* Settings, before heft_stack_open. */
/* Opens a linked program, once per handle.  HEFT_EUNSUPPORTED for other files and machines,
 * HEFT_EFORMAT for a bad line of the file of calls, HEFT_EARG where that names no function. */
HEFT_API bool heft_stack_open(struct heft_stack *s, const char *path, struct heft_err *err);

/* Which rows are wanted. */
enum heft_stack_flag {
	HEFT_STACK_ALL = 1 << 0, /* all functions, not only those where ways begin */
	/* The limit of rows counts no entry and no interrupt handler: all of these are rows. */
	HEFT_STACK_MORE_ROWS = 1 << 1,
};

struct heft_stack_query {
	size_t size;          /* sizeof(struct heft_stack_query) */
	uint32_t rows;        /* then the rest is counted; 0: all */
	unsigned flags;       /* enum heft_stack_flag */
	const char *function; /* those that the name means (docs/names.md) alone; NULL: all */
};

/* A row a function: the program's entry first, then interrupt handlers, then functions that nothing
 * calls directly and, with HEFT_STACK_ALL, all others; of each kind those that take most first.
 * Measures, in bytes: "stack", with
 * all that it calls; "frame", its own.  Texts: "stated", the frame as the compiler states it, ""
 * where it does not; "kind" ("entry", "interrupt", "uncalled", "called"); "besides", why it may be
 * more ("recursion", "indirect calls", "unknown callees", "alloca", "odd code", ", " apart; "": it
 * is not); "cause", a function for each of these ("alloca in run"); "path", the deepest way ("main
 * 32 > run 48": bytes each adds).  `query` may be NULL.
 * HEFT_ENOTFOUND where no function has the name.  Belongs to the handle, until the next call. */
HEFT_API const struct heft_table *
heft_stack_table(struct heft_stack *s, const struct heft_stack_query *query, struct heft_err *err);
/* Writes it: HEFT_TABLE, HEFT_CSV, HEFT_TSV, HEFT_JSON, HEFT_MARKDOWN; with `full` a table has the
 * path and the causes below each row. */
HEFT_API bool heft_stack_write(struct heft_stack *s, const struct heft_stack_query *query,
			       const struct heft_write_opts *opts, const struct heft_sink *sink,
			       struct heft_err *err);

#ifdef __cplusplus
}
#endif
#endif
