/* where.h - defines struct heft_where, which finds what is at an address. Private to measure/ and
 * api/. All functions allocate memory that the struct owns (base/mem.h). */
#pragma once

#include "blocks/derive_map.h"
#include "measure/owners.h"
#include "measure/text_places.h"
#include "process/process.h"
#include "program/go_table.h"
#include "program/program.h"
#include "program/session.h"

/* An address that the text of the last where_ask() may mean */
struct where_asked {
	uint64_t addr;                     /* Address. For a member of an archive: the address in
					    * the archive */
	const struct named_symbol *symbol; /* The symbol that the text names, or NULL */
	const struct section *section;     /* The section that the text names, or NULL */
	size_t image;                      /* Index of the image in the file */
};

struct heft_where {
	struct memory *memory; /* Must be the first field: see handle_new(). */
	struct arena arena;    /* Owns names of segments and paths of members */
	struct context context;
	unsigned flags; /* Bits of enum heft_where_flag */
	struct owners owners;
	struct owners functions; /* Data source `symbols`, which names code that has no symbol.
				  * Measured when needed, if `owners` lacks that source */
	bool opened;             /* True after a file was opened, or could not be opened */
	const char *path;        /* Path as the user wrote it */
	struct program program;
	struct program member;     /* The member of an archive that was last used */
	struct program *at;        /* Points to `program` or `member` */
	struct process process;    /* The process of a dump */
	const struct image *im;    /* Image of `at`, or NULL */
	struct text_places places; /* What the text of the last where_ask() means */
	VEC(struct where_asked) asked;
	struct locator locator;
	bool blocks_read;
	struct blockmap blocks; /* Basic blocks. Read on the first use, like `index` */
	struct bbindex index;
	struct intern texts;   /* Owns names in results */
	const char **segments; /* Names of the segments of `im`. NULL until needed */
	struct heft_block block;
	VEC(struct heft_frame) kept;
	VEC(const struct heft_frame *) frames; /* Pointers to the frames in `kept` */
	struct heft_heap_place place;          /* Result for an address of a process */
	struct go_slot go;                     /* Go's table (program/go_table.h) of `im` */
	struct arena answer;                   /* Owns frames of `place` */
};

bool where_open(struct heft_where *w, const char *path, struct heft_err *err);
/* Finds the addresses that a text may mean. If it is a number, sets *ret_addr and *ret_count =
 * 0. */
bool where_ask(struct heft_where *w, const char *text, uint64_t *ret_addr, size_t *ret_count,
	       struct heft_err *err);
/* Finds the first address that a text means. Fails for an archive. */
bool where_parse(struct heft_where *w, const char *text, uint64_t *ret_addr, struct heft_err *err);
/* Describes address `i` of the last where_ask(). */
bool where_answer(struct heft_where *w, size_t i, struct heft_location *ret, struct heft_err *err);
/* Describes an address. HEFT_ENOTFOUND if nothing is there, but owners are still listed. */
bool where_find(struct heft_where *w, uint64_t addr, struct heft_location *ret,
		struct heft_err *err);
