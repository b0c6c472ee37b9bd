/* depths.h - finds the greatest number of bytes of stack that each function of a program needs,
 * including the functions that it calls.
 *
 * Frames and calls come from the code (frame.h). Functions that call each other in a circle count
 * once each. Nothing unknown is guessed: it becomes a caveat of the function and of all its
 * callers.
 *
 * 112 bytes per function, 24 per call. One thread. */
#ifndef HEFT_STACK_DEPTHS_H
#define HEFT_STACK_DEPTHS_H

#include "base/arena.h"
#include "base/text.h"
#include "program/program.h"
#include "stack/frame.h"

/* Caveats: reasons why a sum may be too small. */
enum stack_told {
	STACK_RECURSIVE = 1 << 0, /* The function may call itself, directly or through others */
	STACK_INDIRECT = 1 << 1,  /* It has a call with an unknown target */
	STACK_UNKNOWN = 1 << 2,   /* It calls a function that is not in the program */
	STACK_DYNAMIC = 1 << 3,   /* It uses alloca or a similar call, or another stack */
	STACK_ODD = 1 << 4,       /* Some bytes are not instructions */
};
enum { STACK_TOLD = 5 };

enum stack_kind {
	STACK_CALLED,
	STACK_ENTRY,     /* Start of the program */
	STACK_INTERRUPT, /* The function is in a vector table, or returns like a handler */
	STACK_UNCALLED,  /* The function has no direct call */
	STACK_PART,      /* A part of a function that was moved away, or a stub */
};

struct stack_edge {
	uint32_t to; /* Index of the called function */
	bool tail;
	uint64_t depth; /* Bytes of the caller's frame in use during the call */
};

struct stack_function {
	uint64_t addr, size;
	uint64_t frame, worst;
	uint64_t compiler; /* Frame that the compiler states, or STACK_NOT_STATED */
	uint32_t edge_first, edge_count;
	uint32_t next;      /* Next function on the deepest path, or STACK_NONE */
	uint32_t circle;    /* Number of its circle: functions that call each other, perhaps only
			     * one */
	uint16_t own, told; /* Bits of enum stack_told: its own caveats, and those with its
			     * callees' */
	uint32_t cause[STACK_TOLD]; /* Per bit of `told`: a function that has this caveat itself */
	uint8_t kind;               /* An enum stack_kind */
	bool stated;                /* True if the user stated `worst` */
};

#define STACK_NONE       UINT32_MAX
#define STACK_NOT_STATED UINT64_MAX

/* A call of a function that is not in the program. */
struct stack_unknown {
	uint32_t function;
	const char *name; /* Linkage name, or "" */
};

struct stack_use {
	struct program *program;
	enum code_isa isa;
	VEC(struct stack_function) functions; /* Sorted by address */
	VEC(struct stack_edge) edges;         /* The edges of a function are adjacent */
	VEC(struct stack_unknown) unknown;    /* Sorted by function */
	struct arena texts;
};

/* A hint of the user about calls. Lines of the file:
 *
 * - CALLER -> CALLEE...: all functions that indirect calls of CALLER may reach, perhaps none.
 * - NAME = BYTES: largest stack of a function, including its callees.
 *
 * Names as in name_index.h, but without blanks. "#" begins a comment. */
struct stack_hint {
	struct str name;
	bool states; /* True if `worst` is stated. If false, the names are the callees */
	uint64_t worst;
	size_t first, count; /* Range in `names` */
};

struct stack_hints {
	VEC(struct stack_hint) list;
	VEC(struct str) names;
};

/* Parses hints. Borrows texts from `input`. HEFT_EFORMAT "PATH:LINE: what" if a line is bad. */
bool stack_hints_parse(struct stack_hints *ret, const char *path, struct str input,
		       struct heft_err *err);
void stack_hints_release(struct stack_hints *h);
/* Replaces names by linkage names. HEFT_EARG if a name matches several functions, or if a callee's
 * name matches none. */
bool stack_hints_settle(struct stack_use *s, struct stack_hints *h, struct heft_err *err);

/* Reads a linked program, with the hints of its options. The program must outlive the stack.
 * HEFT_EUNSUPPORTED for another kind of file or machine. HEFT_EARG if a hint names an unknown
 * function. */
bool stack_read(struct stack_use *ret, struct program *p, struct heft_err *err);
void stack_release(struct stack_use *s);

/* Returns the function whose code contains addr. STACK_NONE if there is none. */
uint32_t stack_find(const struct stack_use *s, uint64_t addr);
/* Returns the function's linkage name. "sub_ADDRESS" if it has no symbol. */
const char *stack_name(struct stack_use *s, uint32_t function);
/* Indexes of functions. */
typedef VEC(uint32_t) stack_indexes;
void stack_named(struct stack_use *s, struct str name, stack_indexes *ret);

/* usage_files.c: adds the lines of a program's .su files: those that the options name, otherwise
 * those beside the objects in its linker map or beside the program. False if a file that the user
 * named is missing. */
struct stated;
bool usage_files_read(struct stated *ret, struct program *p, struct heft_err *err);
/* stated_frames.c: uses larger frames that compilers state (stated.h). Must run before stack_sum().
 * False if a file that the user named cannot be read. */
bool stack_take_stated(struct stack_use *s, struct heft_err *err);
/* Appends the caveats of `told` as words: "recursion, alloca". With `functions` (by bit):
 * "recursion in NAME, ...". */
void stack_told_words(struct text *to, unsigned told, const char *const functions[STACK_TOLD]);
/* Returns the word of a caveat. */
struct str stack_told_word(unsigned bit);
/* graph.c: sets circle, worst, next and told of all functions. */
void stack_sum(struct stack_use *s);
/* starts.c: sets the kind of all functions. */
void stack_find_starts(struct stack_use *s);

#endif
