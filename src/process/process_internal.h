/* process_internal.h - what the files of process*.c share. */
#ifndef HEFT_PROCESS_PROCESS_INTERNAL_H
#define HEFT_PROCESS_PROCESS_INTERNAL_H

#include "process/process.h"
#include "program/symbol_table.h"
#include "program/symbolize.h"

/* A file of dump.files. */
struct opened_module {
	struct mapped_module module;
	bool tried, input_open, names_ready;
	struct input input; /* unless it was given by hand */
	struct companion debug;
	/* For names. */
	struct symbol_table symbols;
	struct debuginfo info;
	struct symbolizer symbolizer;
	bool has_info;
};

struct mapped_modules {
	struct opened_module *list; /* by index of dump.files */
	size_t count;
	struct intern texts; /* names made up */
	VEC(struct process_frame) frames;
};

struct opened_module *process_open_module(struct process *p, size_t file);

#endif
