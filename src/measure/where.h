/* where.h - the inside of struct heft_where: what is at an address. Private to measure/ and api/.
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

/* A place (an address) that the last text means. */
struct where_asked {
	uint64_t addr;                     /* For a member: the address in its archive. */
	const struct named_symbol *symbol; /* May be NULL. */
	const struct section *section;     /* Section if the text names one; may be NULL. */
	size_t image;                      /* Index of the image in the file. */
};

struct heft_where {
	struct memory *memory; /* Must be the first field: see handle_new(). */
	struct arena arena;    /* Names of segments, paths of members. */
	struct context context;
	unsigned flags; /* Bits of enum heft_where_flag. */
	struct owners owners;
	bool opened;      /* Opening was tried, with or without success. */
	const char *path; /* Path of the file, as it was opened. */
	struct program program;
	struct program member;     /* Member of an archive that was asked for last. */
	struct program *at;        /* Points to `program` or `member`, whichever is in use. */
	struct process process;    /* Process of a dump. */
	const struct image *im;    /* Image of `at`. NULL if there is none or nothing is open. */
	struct text_places places; /* What the text of the last look-up matches. */
	VEC(struct where_asked) asked;
	struct locator locator; /* Names of the program. */
	bool blocks_read;
	struct blockmap blocks; /* Read at the first look-up, like the index. */
	struct bbindex index;
	struct intern texts;                   /* Names in answers. */
	const char **segments;                 /* Per segment of `im`: its name once asked for. */
	struct heft_block block;               /* Block found last. */
	VEC(struct heft_frame) kept;           /* Frames of the last look-up. */
	VEC(const struct heft_frame *) frames; /* One per element of the previous list. */
	struct heft_heap_place place;          /* Place found last in a process. */
	struct arena answer;                   /* Frames of `place`. */
};

/* Opens a file. A handle opens one file. */
bool where_open(struct heft_where *w, const char *path, struct heft_err *err);
void where_close(struct heft_where *w);
/* Finds the places of a text. *ret_count is 0 if the text is a number. */
bool where_ask(struct heft_where *w, const char *text, uint64_t *ret_addr, size_t *ret_count,
	       struct heft_err *err);
/* Finds the first place of a text. Fails for an archive. */
bool where_parse(struct heft_where *w, const char *text, uint64_t *ret_addr, struct heft_err *err);
/* Tells what is at place `i` of the last text. */
bool where_answer(struct heft_where *w, size_t i, struct heft_location *ret, struct heft_err *err);
/* Tells what is at an address. HEFT_ENOTFOUND if nothing is; owners are told nevertheless. */
bool where_find(struct heft_where *w, uint64_t addr, struct heft_location *ret,
		struct heft_err *err);

#endif
