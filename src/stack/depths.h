/* depths.h - the most stack that each function of a program may take, with all that it calls.
 *
 * Frames and calls come from the code (frame.h).  Of functions that call one another in a circle
 * each counts once.  What is not known is never guessed: it is told as a flag of the function where
 * it is, and handed up to all that call it.
 *
 * 112 bytes a function, 24 a call.  One thread. */
#ifndef HEFT_STACK_DEPTHS_H
#define HEFT_STACK_DEPTHS_H

#include "base/arena.h"
#include "base/text.h"
#include "program/program.h"
#include "stack/frame.h"

/* Why a sum may be too small. */
enum stack_told {
	STACK_RECURSIVE = 1 << 0, /* it may call itself, by whatever way */
	STACK_INDIRECT = 1 << 1,  /* a call whose target is not known */
	STACK_UNKNOWN = 1 << 2,   /* a call of a function that is not in the program */
	STACK_DYNAMIC = 1 << 3,   /* alloca and the like, or another stack */
	STACK_ODD = 1 << 4,       /* something of it is no instruction */
};
enum { STACK_TOLD = 5 };

enum stack_kind {
	STACK_CALLED,
	STACK_ENTRY,     /* where the program starts */
	STACK_INTERRUPT, /* in a table of vectors, or returns as a handler does */
	STACK_UNCALLED,  /* nothing calls it directly */
	STACK_PART,      /* a part of a function that was moved away, a stub, ... */
};

struct stack_edge {
	uint32_t to; /* function */
	bool tail;
	uint64_t depth; /* of the caller's frame, in use during the call */
};

struct stack_function {
	uint64_t addr, size;
	uint64_t frame, worst;
	uint64_t compiler; /* its frame as the compiler states it; STACK_NOT_STATED */
	uint32_t edge_first, edge_count;
	uint32_t next;      /* function that the deepest way goes on to; STACK_NONE: it ends here */
	uint32_t circle;    /* number of what calls one another, itself at least */
	uint16_t own, told; /* enum stack_told: its own, with all that it calls */
	uint32_t cause[STACK_TOLD]; /* by bit of `told`: a function whose own it is */
	uint8_t kind;               /* enum stack_kind */
	bool stated;                /* `worst` is what the user said */
};

#define STACK_NONE       UINT32_MAX
#define STACK_NOT_STATED UINT64_MAX

/* A call of what is not in the program. */
struct stack_unknown {
	uint32_t function;
	const char *name; /* linkage name, or "" */
};

struct stack_use {
	struct program *program;
	enum code_isa isa;
	VEC(struct stack_function) functions; /* by address */
	VEC(struct stack_edge) edges;         /* those of a function side by side */
	VEC(struct stack_unknown) unknown;    /* by function */
	struct arena texts;
};

/* What the user says of calls: lines
 *
 *	CALLER -> CALLEE...	all that the indirect calls of CALLER may reach; none is fine
 *	NAME = BYTES		the most that a function takes, with all that it calls
 *
 * with names as name_index.h takes them, but without blanks; "#" begins a comment. */
struct stack_hint {
	struct str name;
	bool states; /* `worst` counts; else the names are those that it reaches */
	uint64_t worst;
	size_t first, count; /* in names */
};

struct stack_hints {
	VEC(struct stack_hint) list;
	VEC(struct str) names;
};

/* Texts are borrowed from `input`.  HEFT_EFORMAT "PATH:LINE: what" where a line is bad. */
bool stack_hints_parse(struct stack_hints *ret, const char *path, struct str input,
		       struct heft_err *err);
void stack_hints_release(struct stack_hints *h);
/* Puts linkage names in the place of other ones.  HEFT_EARG where a name means several functions,
 * or that of a callee none. */
bool stack_hints_settle(struct stack_use *s, struct stack_hints *h, struct heft_err *err);

/* Reads a linked program, which outlives the stack, with the hints of its wish.  HEFT_EUNSUPPORTED
 * where it is another kind of file or machine; HEFT_EARG where a hint names what is not there. */
bool stack_read(struct stack_use *ret, struct program *p, struct heft_err *err);
void stack_release(struct stack_use *s);

/* The function whose code holds addr; STACK_NONE: none. */
uint32_t stack_find(const struct stack_use *s, uint64_t addr);
/* Its linkage name; "sub_ADDRESS" where no symbol is. */
const char *stack_name(struct stack_use *s, uint32_t function);
/* The functions that a name means (name_index.h), by rising address. */
typedef VEC(uint32_t) stack_indexes;
void stack_named(struct stack_use *s, struct str name, stack_indexes *ret);

/* stated_frames.c: takes the frames that compilers state (stated.h) where they are larger; before
 * stack_sum.  False where a file that the user named cannot be read. */
bool stack_take_stated(struct stack_use *s, struct heft_err *err);
/* Adds bits of enum stack_told as words: "recursion, alloca"; with `functions`, by bit, "recursion
 * in NAME, ...". */
void stack_told_words(struct text *to, unsigned told, const char *const functions[STACK_TOLD]);
/* The word of a bit of enum stack_told. */
struct str stack_told_word(unsigned bit);
/* graph.c: sets circle, worst, next and told of all functions. */
void stack_sum(struct stack_use *s);
/* starts.c: sets the kind of all functions. */
void stack_find_starts(struct stack_use *s);

#endif
