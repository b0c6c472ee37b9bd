/* heap_open.h - handles the options that all commands about heap dumps share: the dump's format,
 * and the folders of symbols.
 *
 * A command's table includes heap_open_opts.inc. Its job begins with a struct heap_open. */
#pragma once

#include "cli/run.h"

struct heap_open {
	struct command_run run;
	struct heft_heap *heap;
	struct heft_heap *base; /* NULL without a base */
	const char *name_cache; /* NULL if there is none */
	bool with_arguments;
};

/* Makes the options of a command. `formats`: as for run_new(). `base`: also opens an older dump. */
struct heap_open heap_open_new(const struct cli *cli, const struct choice *formats, bool base);
void heap_open_release(struct heap_open *h);
/* Opens a dump with the settings of the options. False after a message. */
bool heap_open_file(const struct heap_open *h, struct heft_heap *heap, const char *path);
/* True if all live blocks of an open dump are known. False after a message. */
bool heap_open_is_known(const struct heap_open *h, const struct heft_heap *heap);
/* Prints the notes on stderr. */
void heap_open_notes(const struct heap_open *h);
