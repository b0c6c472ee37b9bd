/* What the commands about heap dumps share. */
#include "cli/heap_open.h"
#include "cli/notes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void heap_open_init(struct heap_open *h, const struct cli *cli, bool base)
{
	*h = (struct heap_open){ .cli = cli, .heap = heft_heap_new() };
	if (base)
		h->base = heft_heap_new();
}

void heap_open_release(struct heap_open *h)
{
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
static bool apply_piece(struct heap_open *h, const struct opt *o, char *text)
{
	char *path = strchr(text, '=');
	uint64_t addr, off = 0;
	if (path != NULL)
		*path++ = '\0';
	if (path == NULL || !heap_parse_number(text, true, &addr))
		return cli_bad_value(h->cli, o, text, "ADDR=FILE[:OFFSET]");
	char *colon = strrchr(path, ':');
	if (colon != NULL && heap_parse_number(colon + 1, false, &off))
		*colon = '\0';
	heft_heap_add_piece(h->heap, path, addr, off);
	return true;
}

static bool apply_path_map(struct heap_open *h, const struct opt *o, char *text)
{
	char *to = strchr(text, '=');
	struct heft_err err;
	if (to == NULL)
		return cli_bad_value(h->cli, o, text, "OLD=NEW");
	*to++ = '\0';
	if (heft_heap_map_path(h->heap, text, to, &err) &&
	    (h->base == NULL || heft_heap_map_path(h->base, text, to, &err)))
		return true;
	cli_failed(h->cli, &err);
	return false;
}

/* Options whose value is taken apart. */
static bool apply_parts(struct heap_open *h, const struct opt *o, const char *value)
{
	char *text = strdup(value);
	if (text == NULL) {
		cli_error(h->cli, "out of memory");
		return false;
	}
	const bool good = o->id == O_AT ? apply_piece(h, o, text) : apply_path_map(h, o, text);
	free(text);
	return good;
}

static bool apply_number(struct heap_open *h, const struct opt *o, const char *value)
{
	uint64_t n;
	if (!heap_parse_number(value, o->id == O_BASE, &n) ||
	    (o->id == O_WORD && n != 4 && n != 8) || (o->id == O_THREADS && n > 1024))
		return cli_bad_value(h->cli, o, value,
				     o->id == O_WORD   ? "4 or 8"
				     : o->id == O_BASE ? "an address"
						       : "a number of threads");
	switch (o->id) {
	case O_BASE: heft_heap_set_base(h->heap, n); break;
	case O_WORD: heft_heap_set_word(h->heap, (unsigned)n); break;
	default: heft_heap_set_threads(h->heap, (unsigned)n); break;
	}
	return true;
}

/* What counts for both dumps of a diff. */
static bool apply_symbols(struct heft_heap *heap, const struct cli *cli, const struct opt *o,
			  const char *value)
{
	unsigned style;
	switch (o->id) {
	case O_DEMANGLE:
		if (!cli_choice(cli, o, value, style_choices, &style))
			return false;
		heft_heap_set_demangle(heap, (enum heft_demangle)style);
		break;
	case O_DEBUG_FILE: heft_heap_add_debug_file(heap, value); break;
	case O_DEBUG_DIR: heft_heap_add_debug_dir(heap, value); break;
	case O_NO_SEARCH: heft_heap_set_find_debug(heap, false); break;
	case O_EXE: heft_heap_set_program(heap, value); break;
	default: heft_heap_set_sysroot(heap, value); break;
	}
	return true;
}

bool heap_open_apply(struct heap_open *h, const struct opt *o, const char *value)
{
	static const struct choice orders[] = { { "little", 0 }, { "big", 1 }, { NULL, 0 } };
	unsigned big;
	switch (o->id) {
	case O_VERBOSE: h->verbose = true; return true;
	case O_PATH_MAP:
	case O_AT: return apply_parts(h, o, value);
	case O_BASE:
	case O_WORD:
	case O_THREADS: return apply_number(h, o, value);
	case O_ENDIAN:
		if (!cli_choice(h->cli, o, value, orders, &big))
			return false;
		heft_heap_set_big_endian(h->heap, big);
		return true;
	default: break;
	}
	return apply_symbols(h->heap, h->cli, o, value) &&
	       (h->base == NULL || apply_symbols(h->base, h->cli, o, value));
}

bool heap_open_file(const struct heap_open *h, struct heft_heap *heap, const char *path)
{
	struct heft_err err;
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
