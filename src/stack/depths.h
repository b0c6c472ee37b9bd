/* depths.h - finds the greatest number of bytes of stack that each function of a program needs,
 * including the functions that it calls.
 *
 * Frames and calls come from the code (frame.h). Functions that call each other in a circle count
 * once each. Nothing unknown is guessed: it becomes a caveat of the function and of all its
 * callers.
 *
 * 120 bytes per function, 24 per call. One thread. */
#pragma once

#include "base/arena.h"
#include "base/text.h"
#include "program/program.h"
#include "stack/frame.h"

/* Reasons why a sum may be too small (caveats). */
enum stack_told {
	STACK_RECURSIVE = 1 << 0, /* The function may call itself, perhaps through others */
	STACK_INDIRECT = 1 << 1,  /* It has a call whose target is unknown */
	STACK_UNKNOWN = 1 << 2,   /* It calls a function that is not in the program */
	STACK_DYNAMIC = 1 << 3,   /* It uses alloca or similar, or changes to another stack */
	STACK_ODD = 1 << 4,       /* Some bytes are no instructions */
};
enum { STACK_TOLD = 5 };

enum stack_kind {
	STACK_CALLED,
	STACK_ENTRY,     /* Start of the program */
	STACK_INTERRUPT, /* A handler: in a vector table, or returns like one */
	STACK_UNCALLED,  /* No direct call leads to it */
	STACK_PART,      /* A stub, or a part that was moved away from its function */
};

struct stack_edge {
	uint32_t to; /* The called function */
	bool tail;
	uint64_t depth; /* Bytes of the caller's frame that are in use during the call */
};

struct stack_function {
	uint64_t addr, size;
	uint64_t frame, worst;
	uint64_t compiler; /* Frame as the compiler states it, or STACK_NOT_STATED */
	uint32_t edge_first, edge_count;
	uint32_t next;   /* Next function of the deepest path, or STACK_NONE */
	uint32_t circle; /* Number of its circle: functions that call each other, or one alone */
	uint32_t circle_size; /* Functions in its circle */
	uint16_t own, told;   /* Bits of enum stack_told. `own`: of the function itself. `told`:
			     * with those of its callees */
	uint32_t cause[STACK_TOLD]; /* Per bit of `told`: a function that has it in `own` */
	uint8_t kind;               /* Value of enum stack_kind */
	bool stated;                /* True if the user stated `worst` */
};

#define STACK_NONE       UINT32_MAX
#define STACK_NOT_STATED UINT64_MAX

/* A call whose target is not in the program. `function`: index of the caller */
struct stack_unknown {
	uint32_t function;
	const char *name; /* Linkage name, or "" */
};

struct stack_use {
	struct program *program;
	enum code_isa isa;
	VEC(struct stack_function) functions; /* Sorted by address */
	VEC(struct stack_edge) edges;         /* The edges of one function are adjacent */
	VEC(struct stack_unknown) unknown;    /* Sorted by function */
	struct arena texts;
};

/* A hint of the user about calls: a line of a file.
 *
 * - CALLER -> CALLEE...: all that indirect calls of CALLER may reach, perhaps nothing.
 * - NAME = BYTES: largest stack of a function with its callees.
 *
 * Names as in name_index.h, but without blanks. "#" begins a comment. */
struct stack_hint {
	struct str name;
	bool states; /* True for NAME = BYTES */
	uint64_t worst;
	size_t first, count; /* Range in stack_hints.names */
};

struct stack_hints {
	VEC(struct stack_hint) list;
	VEC(struct str) names;
};

/* Parses the text `input` of the file `path`. Borrows texts of `input`. Fails with HEFT_EFORMAT and
 * the message "PATH:LINE: what" for a bad line. */
bool stack_hints_parse(struct stack_hints *ret, const char *path, struct str input,
		       struct heft_err *err);
void stack_hints_release(struct stack_hints *h);
/* Replaces names by linkage names. HEFT_EARG if several functions have a name, or if no function
 * has a callee's name. */
bool stack_hints_settle(struct stack_use *s, struct stack_hints *h, struct heft_err *err);

/* Reads a linked program, with the hints of its options. The program must outlive the result.
 * HEFT_EUNSUPPORTED for another kind of file or machine. HEFT_EARG if a hint names an unknown
 * function. */
bool stack_read(struct stack_use *ret, struct program *p, struct heft_err *err);
void stack_release(struct stack_use *s);

/* Returns the function that contains addr, or STACK_NONE. */
uint32_t stack_find(const struct stack_use *s, uint64_t addr);
/* Returns the linkage name of a function, or "sub_ADDRESS". */
const char *stack_name(struct stack_use *s, uint32_t function);
/* Indexes of functions in stack_use.functions */
typedef VEC(uint32_t) stack_indexes;
void stack_named(struct stack_use *s, struct str name, stack_indexes *ret);

/* usage_files.c: adds the lines of .su files: those that the user named, otherwise those beside the
 * objects of the linker map, or beside the program. False if a named file is missing. */
struct stated;
bool usage_files_read(struct stated *ret, struct program *p, struct heft_err *err);
/* stated_frames.c: raises frames to what compilers state (stated.h). Call it before stack_sum().
 * False if a named file cannot be read. */
bool stack_take_stated(struct stack_use *s, struct heft_err *err);
/* Appends the caveats, the bits of `told`, as words: "recursion, alloca". `functions` is NULL, or
 * has for each bit the name of a function: "recursion in f, alloca in g". */
void stack_told_words(struct text *to, unsigned told, const char *const functions[STACK_TOLD]);
struct str stack_told_word(unsigned bit);
/* circles.c: sets circle, worst, next and told of all functions (struct stack_function). */
void stack_sum(struct stack_use *s);
void stack_find_starts(struct stack_use *s);
