/* Implements what the commands that read heap dumps share. */
#include "cli/heap_open.h"
#include "cli/notes.h"

#include <stdlib.h>
#include <string.h>

void heap_open_init(struct heap_open *h, const struct cli *cli, bool base)
{
	*h = (struct heap_open){ .cli = cli, .session = cli_session(cli) };
	h->heap = cli_made(cli, heft_heap_new(h->session));
	if (base)
		h->base = cli_made(cli, heft_heap_new(h->session));
}

void heap_open_release(struct heap_open *h)
{
	heft_session_free(h->session);
	heft_heap_free(h->heap);
	heft_heap_free(h->base);
}

bool heap_open_apply(struct heap_open *h, const struct opt *o, const char *value)
{
	uint64_t threads;
	unsigned style;
	switch (o->id) {
	case O_VERBOSE: h->verbose = true; return true;
	case O_DEMANGLE:
		if (!cli_choice(h->cli, o, value, style_choices, &style))
			return false;
		heft_session_set_demangle(h->session, (enum heft_demangle)style);
		return true;
	case O_THREADS:
		if (!cli_number(h->cli, o, value, 1024, &threads))
			return false;
		heft_session_set_threads(h->session, (unsigned)threads);
		return true;
	case O_NAME_CACHE: h->name_cache = value; return true;
	case O_ARGUMENTS: h->with_arguments = true; return true;
	default: return cli_find(h->cli, h->session, o, value);
	}
}

bool heap_open_file(const struct heap_open *h, struct heft_heap *heap, const char *path)
{
	struct heft_err err;
	ASSERT(heap == h->heap || heap == h->base);
	heft_heap_set_flags(heap, h->with_arguments ? HEFT_HEAP_ARGUMENTS : 0);
	if (h->name_cache)
		heft_heap_set_name_cache(heap, h->name_cache);
	if (heft_heap_open(heap, path, &err))
		return true;
	cli_failed(h->cli, &err);
	return false;
}

bool heap_open_is_known(const struct heap_open *h, const struct heft_heap *heap)
{
	struct heft_heap_info info = { .size = sizeof info };
	heft_heap_info(heap, &info, NULL);
	fflush(stdout);
	if (!info.live_known)
		cli_error(h->cli, "%s: heft cannot tell which blocks are live: %s", info.path,
			  info.unknown);
	return info.live_known;
}

void heap_open_notes(const struct heap_open *h)
{
	fflush(stdout);
	notes_print_each(h->cli, h->session, h->verbose);
}
