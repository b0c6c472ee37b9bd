/* What the commands about heap dumps share. */
#include "cli/heap_open.h"
#include "cli/notes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void heap_open_init(struct heap_open *h, const struct cli *cli, bool base)
{
	*h = (struct heap_open){ .cli = cli,
				 .heap = cli_made(cli, heft_heap_new()),
				 .finder = cli_made(cli, heft_finder_new()),
				 .style = HEFT_NAMES_SHORT };
	if (base)
		h->base = cli_made(cli, heft_heap_new());
}

void heap_open_release(struct heap_open *h)
{
	heft_finder_free(h->finder);
	heft_heap_free(h->heap);
	heft_heap_free(h->base);
}

static bool apply_threads(struct heap_open *h, const struct opt *o, const char *value)
{
	uint64_t n;
	if (!cli_number(h->cli, o, value, 1024, &n))
		return false;
	h->threads = (unsigned)n;
	return true;
}

bool heap_open_apply(struct heap_open *h, const struct opt *o, const char *value)
{
	switch (o->id) {
	case O_VERBOSE: h->verbose = true; return true;
	case O_DEMANGLE: return cli_choice(h->cli, o, value, style_choices, &h->style);
	case O_THREADS: return apply_threads(h, o, value);
	case O_NAME_CACHE: h->name_cache = value; return true;
	case O_ARGUMENTS: h->with_arguments = true; return true;
	default: return cli_find(h->cli, h->finder, o, value);
	}
}

bool heap_open_file(const struct heap_open *h, struct heft_heap *heap, const char *path)
{
	struct heft_err err;
	heft_heap_set_finder(heap, h->finder);
	heft_heap_set_demangle(heap, (enum heft_demangle)h->style);
	heft_heap_set_threads(heap, h->threads);
	heft_heap_set_flags(heap, h->with_arguments ? HEFT_HEAP_ARGUMENTS : 0);
	if (h->name_cache)
		heft_heap_set_name_cache(heap, h->name_cache);
	heft_heap_set_progress(heap, progress_show, h->cli->progress);
	if (heft_heap_open(heap, path, &err))
		return true;
	cli_failed(h->cli, &err);
	return false;
}

bool heap_open_is_known(const struct heap_open *h, const struct heft_heap *heap)
{
	struct heft_heap_info info = { .size = sizeof info };
	heft_heap_info(heap, &info);
	fflush(stdout);
	if (!info.live_known)
		cli_error(h->cli, "%s: what is live is not known: %s", info.path, info.unknown);
	return info.live_known;
}

/* Both dumps of a diff may have the same to say of a module. */
static bool told(const struct heft_heap *heap, const struct heft_note *n)
{
	for (size_t i = 0; i < heft_heap_note_count(heap); i++) {
		const struct heft_note *known = heft_heap_note(heap, i);
		if (known->kind == n->kind && strcmp(known->path, n->path) == 0)
			return true;
	}
	return false;
}

void heap_open_notes(const struct heap_open *h)
{
	fflush(stdout);
	for (size_t i = 0; i < heft_heap_note_count(h->heap); i++)
		note_print(h->cli, heft_heap_note(h->heap, i), h->verbose);
	for (size_t i = 0; h->base != NULL && i < heft_heap_note_count(h->base); i++)
		if (!told(h->heap, heft_heap_note(h->base, i)))
			note_print(h->cli, heft_heap_note(h->base, i), h->verbose);
}
