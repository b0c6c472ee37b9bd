/* heap_open.h - handles the options that all commands about heap dumps share: the dump's format,
 * and the folders of symbols.
 *
 * A command's table includes heap_open_opts.inc. The command passes options that it does not know
 * to heap_open_apply(). */
#ifndef HEFT_CLI_HEAP_OPEN_H
#define HEFT_CLI_HEAP_OPEN_H

#include "cli/cli.h"

enum heap_open_option {
	O_DEMANGLE = 100, /* A command's own options have smaller numbers */
	O_THREADS,
	O_NAME_CACHE,
	O_ARGUMENTS,
};

struct heap_open {
	const struct cli *cli;
	struct heft_heap *heap;
	struct heft_heap *base; /* NULL without a base */
	struct heft_session *session;
	const char *name_cache; /* NULL if there is none */
	bool verbose, with_arguments;
};

void heap_open_init(struct heap_open *h, const struct cli *cli, bool base);
void heap_open_release(struct heap_open *h);
/* Applies one option. False after a message. */
bool heap_open_apply(struct heap_open *h, const struct opt *o, const char *value);
/* Opens a dump with the settings of the options. False after a message. */
bool heap_open_file(const struct heap_open *h, struct heft_heap *heap, const char *path);
/* True if all live blocks of an open dump are known. False after a message. */
bool heap_open_is_known(const struct heap_open *h, const struct heft_heap *heap);
/* Prints the notes on stderr. */
void heap_open_notes(const struct heap_open *h);
#endif
