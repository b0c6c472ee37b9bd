/* What the commands about heap dumps share. */
#include "cli/heap_open.h"
#include "cli/notes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void heap_open_init(struct heap_open *h, const struct cli *cli, bool base)
{
	*h = (struct heap_open){ .cli = cli, .heap = heft_heap_new(), .finder = heft_finder_new() };
	if (base)
		h->base = heft_heap_new();
}

void heap_open_release(struct heap_open *h)
{
	heft_finder_free(h->finder);
	heft_heap_free(h->heap);
	heft_heap_free(h->base);
}

bool heap_parse_number(const char *text, bool hex, uint64_t *ret)
{
	static const char units[] = "KMG";
	char *end;
	const bool prefix = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	errno = 0;
	if (strchr("0123456789abcdefABCDEF", text[0]) == NULL || text[0] == '\0')
		return false;
	unsigned long long n = strtoull(text, &end, hex || prefix ? 16 : 10);
	const char *unit = *end != '\0' && !hex ? strchr(units, *end) : NULL;
	if (unit != NULL) {
		const unsigned shift = 10 * (unsigned)(unit - units + 1);
		if (n << shift >> shift != n)
			return false;
		n <<= shift;
		end++;
	}
	if (errno != 0 || *end != '\0')
		return false;
	*ret = n;
	return true;
}

/* "ADDR=FILE[:OFF]"; a name with a colon needs ":0" behind it. */
static bool apply_piece(struct heap_open *h, const struct opt *o, const char *value)
{
	uint64_t addr, off = 0;
	char *text = strdup(value);
	if (text == NULL) {
		cli_error(h->cli, "out of memory");
		return false;
	}
	char *path = strchr(text, '=');
	if (path != NULL)
		*path++ = '\0';
	const bool good = path != NULL && heap_parse_number(text, true, &addr);
	char *colon = good ? strrchr(path, ':') : NULL;
	if (colon != NULL && heap_parse_number(colon + 1, false, &off))
		*colon = '\0';
	if (good)
		heft_heap_add_piece(h->heap, path, addr, off);
	else
		cli_bad_value(h->cli, o, text, "ADDR=FILE[:OFFSET]");
	free(text);
	return good;
}

static bool apply_number(struct heap_open *h, const struct opt *o, const char *value)
{
	uint64_t n;
	if (!heap_parse_number(value, o->id == O_BASE || o->id == O_LOAD, &n) ||
	    (o->id == O_WORD && n != 4 && n != 8) || (o->id == O_THREADS && n > 1024))
		return cli_bad_value(h->cli, o, value,
				     o->id == O_WORD                      ? "4 or 8"
				     : o->id == O_BASE || o->id == O_LOAD ? "an address"
									  : "a number of threads");
	switch (o->id) {
	case O_BASE: heft_heap_set_base(h->heap, n); break;
	case O_LOAD: heft_heap_set_load(h->heap, n); break;
	case O_WORD: heft_heap_set_word(h->heap, (unsigned)n); break;
	default: heft_heap_set_threads(h->heap, (unsigned)n); break;
	}
	return true;
}

/* Counts for both dumps of a diff. */
static bool apply_style(struct heap_open *h, const struct opt *o, const char *value)
{
	unsigned style;
	if (!cli_choice(h->cli, o, value, style_choices, &style))
		return false;
	heft_heap_set_demangle(h->heap, (enum heft_demangle)style);
	if (h->base != NULL)
		heft_heap_set_demangle(h->base, (enum heft_demangle)style);
	return true;
}

bool heap_open_apply(struct heap_open *h, const struct opt *o, const char *value)
{
	static const struct choice orders[] = { { "little", HEFT_LITTLE_ENDIAN },
						{ "big", HEFT_BIG_ENDIAN },
						{ NULL, 0 } };
	unsigned order;
	switch (o->id) {
	case O_VERBOSE: h->verbose = true; return true;
	case O_DEMANGLE: return apply_style(h, o, value);
	case O_AT: return apply_piece(h, o, value);
	case O_BASE:
	case O_LOAD:
	case O_WORD:
	case O_THREADS: return apply_number(h, o, value);
	case O_ENDIAN:
		if (!cli_choice(h->cli, o, value, orders, &order))
			return false;
		heft_heap_set_byte_order(h->heap, (enum heft_byte_order)order);
		return true;
	default: return cli_find(h->cli, h->finder, o, value);
	}
}

bool heap_open_file(const struct heap_open *h, struct heft_heap *heap, const char *path)
{
	struct heft_err err;
	heft_heap_set_finder(heap, h->finder);
	heft_heap_set_progress(heap, progress_show, h->cli->progress);
	if (heft_heap_open(heap, path, &err))
		return true;
	cli_failed(h->cli, &err);
	return false;
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
