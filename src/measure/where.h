/* where.h - defines struct heft_where, which finds what is at an address. Private to measure/ and
 * api/.
 *
 * All functions work in the memory domain of the handle. */
#ifndef HEFT_MEASURE_WHERE_H
#define HEFT_MEASURE_WHERE_H

#include "blocks/derive_map.h"
#include "measure/owners.h"
#include "measure/text_places.h"
#include "process/process.h"
#include "program/program.h"
#include "program/session.h"

/* A place that matches the last text. */
struct where_asked {
	uint64_t addr;                     /* For a member: address in its archive */
	const struct named_symbol *symbol; /* May be NULL */
	const struct section *section;     /* Section that the text names, or NULL */
	size_t image;                      /* Index of the image in the file */
};

struct heft_where {
	struct memory *memory; /* Must be the first field: see handle_new(). */
	struct arena arena;    /* Names of segments, paths of members */
	struct context context;
	unsigned flags; /* Bits of enum heft_where_flag */
	struct owners owners;
	bool opened;      /* True after an attempt to open, successful or not */
	const char *path; /* Path of the file, as given by the user */
	struct program program;
	struct program member;     /* Member of an archive used last */
	struct program *at;        /* `program` or `member`, whichever is in use */
	struct process process;    /* Process of a dump */
	const struct image *im;    /* Image of `at`, or NULL */
	struct text_places places; /* Result of parsing the last text */
	VEC(struct where_asked) asked;
	struct locator locator; /* Names of the program */
	bool blocks_read;
	struct blockmap blocks; /* Basic blocks. Read at the first look-up, like the index */
	struct bbindex index;
	struct intern texts;                   /* Names in answers */
	const char **segments;                 /* Per segment of `im`: its name, or NULL until
					        * needed */
	struct heft_block block;               /* Block found last */
	VEC(struct heft_frame) kept;           /* Frames of the last look-up */
	VEC(const struct heft_frame *) frames; /* One per element of the previous list */
	struct heft_heap_place place;          /* Place found last in a process */
	struct arena answer;                   /* Memory for frames of `place` */
};

/* Opens a file. A handle opens only one file. */
bool where_open(struct heft_where *w, const char *path, struct heft_err *err);
void where_close(void *handle);
/* Finds the places that match a text. *ret_count is 0 if the text is a number. */
bool where_ask(struct heft_where *w, const char *text, uint64_t *ret_addr, size_t *ret_count,
	       struct heft_err *err);
/* Finds the first place that a text means. Fails for an archive. */
bool where_parse(struct heft_where *w, const char *text, uint64_t *ret_addr, struct heft_err *err);
/* Describes place `i` of the last text. */
bool where_answer(struct heft_where *w, size_t i, struct heft_location *ret, struct heft_err *err);
/* Describes an address. HEFT_ENOTFOUND if nothing is there; owners are still listed. */
bool where_find(struct heft_where *w, uint64_t addr, struct heft_location *ret,
		struct heft_err *err);

#endif
