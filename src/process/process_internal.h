/* process_internal.h - what the files of process*.c share. */
#ifndef HEFT_PROCESS_PROCESS_INTERNAL_H
#define HEFT_PROCESS_PROCESS_INTERNAL_H

#include "process/name_cache.h"
#include "process/process.h"

/* A module and what was opened of it.  One thread a module. */
struct opened_module {
	struct process_module module; /* first */
	size_t index;                 /* in opened_modules.list */
	const char *program;          /* the file that the user named for it, or NULL */
	bool tried, debug_tried, input_open, names_ready;
	struct input input; /* unless it was given by hand */
	struct companion debug;
	struct go_slot go;
	struct notes notes;          /* handed on by process_take_notes */
	struct unwind_table *unwind; /* NULL: not read yet */
	/* For names. */
	struct symbol_table symbols;
	struct debuginfo info;
	struct symbolizer symbolizer;
	struct locator locator;
	process_frame_vec frames; /* of the spots in it */
	struct name_cache known;  /* empty without a folder of them */
};

struct opened_modules {
	struct opened_module **list; /* those of dump.files, then those that are gone */
	size_t count;
	struct given_file {
		struct input input;
		bool open;
	} *given; /* debug files that the user named, by index in the wish */
	/* Programs that the user named and that no module was found for yet. */
	VEC(struct given_program {
		const char *path;
		struct bytes build_id;
	})
	waiting;
	struct arena arena;
	VEC(struct process_mapping) mappings;
	size_t special;           /* those in front of the mappings of regions, one each */
	process_frame_vec frames; /* of the spots in no module */
	process_frame_vec found;  /* of the last block */
	VEC(struct process_spot) spots;
	uint32_t *spot_of; /* by node of the calls; NULL: not named yet */
	size_t named;      /* nodes that it has */
};

/* process_modules.c */
bool process_list_modules(struct process *p, struct heft_err *err);
/* Adds the modules that the recorder noted and the dump does not list. */
void process_list_gone(struct process *p);
void process_close_modules(struct process *p);
void process_find_file(struct process *p, struct opened_module *o);
/* The same without what stands beside the file. */
void process_find_own(struct process *p, struct opened_module *o);
/* process_allocators.c: fills heap.allocators; `heaps`: glibc's were found. */
void process_find_allocators(struct process *p, bool heaps);
/* process_threads.c */
void process_close_table(struct opened_module *o);
/* Hands the notes of a module on to the caller's. */
void process_take_notes(struct process *p, struct opened_module *o);
/* Names of a module whose file was looked for; NULL where it was not found. */
struct locator *process_locator(const struct process *p, struct opened_module *o);
struct opened_module *process_opened_at(const struct process *p, uint64_t addr);

#endif
