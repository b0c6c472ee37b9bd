/* info_rows.h - defines struct heft_info: facts about files, one row per file. All functions
 * allocate memory that the struct owns (base/mem.h). */
#pragma once

#include "map/rows.h"
#include "program/facts.h"
#include "program/session.h"

enum info_text {
	INFO_KIND,
	INFO_LINKED,
	INFO_FORMAT,
	INFO_MACHINE,
	INFO_SYMBOLS,
	INFO_DEBUG,
	INFO_DEBUG_PATH,
	INFO_DWARF,
	INFO_BUILD_ID,
	INFO_RELRO,
	INFO_PIE,
	INFO_NX,
	INFO_CANARY,
	INFO_FORTIFY,
	INFO_TEXTREL,
	INFO_FEATURES,
	INFO_RUNPATH,
	INFO_MEMBERS,
	INFO_RELOCATION_KINDS, /* Example: "relative 12, plt 3" */
	INFO_SAVING_KINDS,     /* Bytes by kind: "debug info 1234, symbol table 56" */
	INFO_COPY_OF,
	INFO_MADE_BY,
	INFO_PARTS,    /* "NAME VERSION, NAME VERSION" */
	INFO_SETTINGS, /* "NAME=VALUE, NAME=VALUE" */
	INFO_THREAD,   /* Bytes of thread-local variables */
	INFO_PACKAGE,
	INFO_OPENS, /* Libraries to dlopen(): "libx.so.1 (feature: priority)" */
	INFO_TEXTS,
};

enum info_measure { INFO_BYTES, INFO_RELOCATIONS, INFO_SAVINGS, INFO_COPIED, INFO_MEASURES };

extern const struct heft_text info_texts[INFO_TEXTS];
extern const struct heft_measure info_measures[INFO_MEASURES];

struct info_file {
	const char *path;
	struct facts facts;
	uint64_t size, device, inode;
	uint32_t copy_of; /* Index of the first file with the same bytes, or its own index */
};

struct heft_info {
	struct memory *memory; /* Must be the first field: see handle_new(). */
	struct arena arena;
	struct context context;
	VEC(struct info_file) files;
	struct arena rows;
	struct tree tree;
	struct heft_table table; /* `top` is NULL until it is needed */
	enum heft_info_sort sort;
	uint32_t row_limit; /* Greatest number of rows. 0 for all */
};

/* Adds a file with its facts. False if it cannot be opened. */
bool info_add(struct heft_info *info, const char *path, struct heft_err *err);
/* Returns the table of all files. Makes it on the first call, and after files were added. */
const struct heft_table *info_table(struct heft_info *info);
/* Sets order and limit of the rows, and drops the table that was made before. */
void info_set_rows(struct heft_info *info, enum heft_info_sort sort, uint32_t limit);
