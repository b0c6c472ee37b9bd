/* Implements what the commands that read heap dumps share. */
#include "cli/heap_open.h"

struct heap_open heap_open_new(const struct cli *cli, const struct choice *formats, bool base)
{
	struct heap_open h = { .run = run_new(cli, formats) };
	h.heap = cli_made(cli, heft_heap_new(h.run.session));
	if (base)
		h.base = cli_made(cli, heft_heap_new(h.run.session));
	return h;
}

void heap_open_release(struct heap_open *h)
{
	run_release(&h->run);
	heft_heap_free(h->heap);
	heft_heap_free(h->base);
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
	cli_failed(h->run.cli, &err);
	return false;
}

bool heap_open_is_known(const struct heap_open *h, const struct heft_heap *heap)
{
	struct heft_heap_info info = { .size = sizeof info };
	heft_heap_info(heap, &info, NULL);
	fflush(stdout);
	if (!info.live_known)
		cli_error(h->run.cli, "%s: heft cannot tell which blocks are live: %s", info.path,
			  info.unknown);
	return info.live_known;
}

void heap_open_notes(const struct heap_open *h)
{
	fflush(stdout);
	notes_print_each(h->run.cli, h->run.session, h->run.verbose);
}
