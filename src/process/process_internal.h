/* process_internal.h - declares what the files process*.c share. */
#pragma once

#include "process/name_cache.h"
#include "process/process.h"

/* A module, and the files opened for it. One thread per module. */
struct opened_module {
	struct process_module module; /* Must be the first member */
	size_t index;                 /* Index in opened_modules.list */
	const char *program;          /* File that the user named for the module, or NULL. */
	bool tried, debug_tried, input_open, names_ready;
	struct input input; /* The module's file, unless the user named it. */
	struct companion debug;
	struct go_slot go;
	struct notes notes;          /* Notes for process_take_notes() */
	struct unwind_table *unwind; /* NULL if not read yet */
	/* Read to name addresses in the module. */
	struct symbol_table symbols;
	struct debuginfo info;
	struct symbolizer symbolizer;
	struct locator locator;
	process_frame_vec frames; /* Functions at the code addresses in the module */
	struct name_cache known;  /* Empty if there is no cache folder */
};

struct opened_modules {
	struct opened_module **list; /* Modules of dump.files, then unloaded modules */
	size_t count;
	struct given_file {
		struct input input;
		bool open;
	} *given; /* Debug files that the user named, by index in the options */
	/* Programs that the user named and that match no module so far. */
	VEC(struct given_program {
		const char *path;
		struct bytes build_id;
	})
	waiting;
	struct arena arena;
	VEC(struct process_mapping) mappings;
	size_t special;           /* Number of mappings before those made from struct region */
	process_frame_vec frames; /* Functions of the code addresses outside of all modules */
	process_frame_vec found;  /* Frames of the block that was described last */
	VEC(struct process_spot) spots;
	uint32_t *spot_of; /* Per node of heap.calls: index in `spots`. NULL until they are named */
	size_t named;      /* Number of nodes in `spot_of` */
};

/* process_modules.c: lists modules and finds their files. */
bool process_list_modules(struct process *p, struct heft_err *err);
/* Adds modules that the recorder lists and the dump does not. */
void process_list_gone(struct process *p);
void process_close_modules(struct process *p);
void process_find_file(struct process *p, struct opened_module *o);
/* Finds the file of a module, but not its debug file. */
void process_find_own(struct process *p, struct opened_module *o);
/* process_allocators.c: fills heap.allocators. `heaps`: true if heaps of glibc were found. */
void process_find_allocators(struct process *p, bool heaps);
/* process_threads.c: closes the unwind tables of a module. */
void process_close_table(struct opened_module *o);
/* process_threads.c: finds where the function around an address begins, by the unwind tables. Both
 * addresses are relative to the module's own headers. False if no table has it. */
bool process_function_start(struct process *p, struct opened_module *o, uint64_t addr,
			    uint64_t *ret);
/* Moves a module's notes to the caller's notes. */
void process_take_notes(struct process *p, struct opened_module *o);
struct opened_module *process_opened_at(const struct process *p, uint64_t addr);
