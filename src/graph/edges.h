/* edges.h - finds the references between the owners of an image's VM bytes.
 *
 * References are calls, jumps, operands and constants of code (code/code.h, code/data_refs.h),
 * pointers that relocations make, and what unwind tables say about exceptions. In programs at a
 * fixed address, data words that look like an owner's address count too. A reference to a GOT slot
 * without an owner counts as one to the target of the slot. References of an owner to itself do not
 * count. */
#ifndef HEFT_GRAPH_EDGES_H
#define HEFT_GRAPH_EDGES_H

#include "image/image.h"
#include "map/space.h"

/* How an owner refers to another one. The surest kinds come first. */
enum edge_kind {
	EDGE_ROOT,        /* The program as a whole needs the owner */
	EDGE_CALL,        /* A call instruction */
	EDGE_JUMP,        /* A jump instruction */
	EDGE_ADDRESS,     /* Code computes the address */
	EDGE_ACCESS,      /* Code loads or stores */
	EDGE_CODE,        /* A relocation in the code of an object */
	EDGE_POINTER,     /* A pointer that a relocation makes */
	EDGE_WORD,        /* A word of data that has the value of the address */
	EDGE_NUMBER,      /* A number in code that has the value of the address */
	EDGE_PERSONALITY, /* The routine for exceptions that unwind tables name */
	EDGE_TYPE,        /* The type of an exception that the code catches */
	EDGE_PART,        /* The owner's own bytes elsewhere, such as its constants */
	EDGE_INDIRECT,    /* A call through a pointer may lead there, by the types of functions. It
			   * reaches nothing: who took the address does */
	EDGE_KINDS,
};

/* All references of an owner to another one. */
struct graph_edge {
	_Alignas(8) uint64_t key; /* Both owners: see edge_key() */
	uint64_t place;           /* Address of the first reference of the surest kind */
	uint32_t count : 28;      /* Number of references, at most EDGE_COUNT_MOST */
	uint32_t kind : 4;        /* The surest kind */
};

enum { EDGE_COUNT_MOST = (1 << 28) - 1 };

/* Returns the key of an edge. It sorts by the owner referred to, then by the one that refers. */
static inline uint64_t edge_key(uint32_t from, uint32_t to)
{
	return (uint64_t)to << 32 | from;
}

static inline uint32_t edge_from(const struct graph_edge *e)
{
	return (uint32_t)e->key;
}

static inline uint32_t edge_to(const struct graph_edge *e)
{
	return (uint32_t)(e->key >> 32);
}

typedef VEC(struct graph_edge) edge_vec;

/* What may lie in a span. */
enum span_flag {
	SPAN_CODE = 1 << 0, /* Instructions */
	SPAN_DATA = 1 << 1, /* Words that may be pointers */
	SPAN_GOT = 1 << 2,  /* GOT slots without an owner */
	SPAN_STUB = 1 << 3, /* Besides SPAN_CODE: a PLT stub */
	SPAN_OPEN = 1 << 4, /* Code of a symbol that states no size, as assembly has them: control
			     * may run on into the next span, also after a call */
};

/* An image with owners of its VM bytes. Borrowed while edges are found. */
struct edges_of {
	const struct image *im;
	const struct spans *spans;
	const uint32_t *owner; /* Per span: its owner */
	const uint8_t *flags;  /* Per span: bits of enum span_flag */
	/* Finds the owner of an imported symbol by its name. False if it has none. */
	bool (*import)(void *ctx, struct str name, uint32_t *ret);
	void *ctx;
	unsigned threads;       /* Number of threads. 0: one per processor */
	struct ref_store *refs; /* References already found in code, or NULL */
};

/* References that edges_find() may not see, besides jumps through computed numbers. */
enum edges_unseen {
	UNSEEN_CODE = 1 << 0,     /* Addresses that code makes in ways that no decoder follows */
	UNSEEN_WORDS = 1 << 1,    /* Pointers at odd addresses: nothing states where pointers are */
	UNSEEN_HANDLERS = 1 << 2, /* Handlers of exceptions that only data of PE's C++ name */
};

/* Returns a mask of what may not be seen in an image. */
unsigned edges_unseen_in(const struct image *im);

/* Appends the references in an image, and sorts *ret as edges_sort() does. O(code + relocations +
 * words of data). */
void edges_find(const struct edges_of *in, edge_vec *ret);
/* Sorts edges, and joins those with the same owners. Fast for few edges after many sorted ones. */
void edges_sort(edge_vec *v);
/* Appends a reference, unless the owner refers to itself. */
void edges_add(edge_vec *v, uint32_t from, uint32_t to, enum edge_kind kind, uint64_t place);
/* Returns the index of the first edge to an owner, and sets their number. `v` is sorted. */
size_t edges_to(const edge_vec *v, uint32_t to, size_t *ret_count);

/* table_edges.c: appends what tables about code state: indirect calls by .llvm.callgraph, jumps of
 * PLT stubs to functions of the same image, and what Go's descriptions of types refer to by
 * distances, such as methods. */
struct go_table;
void edges_of_stubs(const struct edges_of *in, edge_vec *ret);
void edges_of_call_types(const struct edges_of *in, edge_vec *ret);
void edges_of_go_types(const struct edges_of *in, const struct go_table *go, edge_vec *ret);

/* unwind_edges.c: what unwind tables say of functions. */

/* A function with data for its exceptions. */
struct unwind_use {
	uint64_t func, entry;   /* Addresses of its code and of its entry in the table */
	uint64_t routine, lsda; /* Addresses of personality routine and exception data, or 0 */
};

/* The start of an entry of an unwind table, or of a function's data for exceptions. */
struct unwind_place {
	_Alignas(8) uint64_t addr;
	uint64_t func; /* Address of the function, or UNWIND_SHARED */
};

#define UNWIND_SHARED UINT64_MAX /* Several functions need the bytes */

struct unwind_tables {
	VEC(struct unwind_use) uses;
	VEC(struct unwind_place) places; /* Sorted by address */
};

/* Reads .eh_frame and .eh_frame_hdr. The caller releases both arrays. */
void unwind_tables_read(const struct image *im, struct unwind_tables *ret);
/* Appends references to personality routines and types of exceptions. */
void edges_of_unwinding(const struct edges_of *in, const struct unwind_tables *tables,
			edge_vec *ret);
/* Appends references to the handlers of exceptions that .pdata of PE names, for x86-64. */
void edges_of_handlers(const struct edges_of *in, edge_vec *ret);

#endif
