#include "cli/row_card.h"

#include "cli/outfile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 8, CODE_PLACES = 64, LOCATIONS = 3 };

/* ---- where the bytes of a row are ------------------------------------------------------------ */

struct place {
	uint64_t start, size;
};

struct places {
	const struct browse_row *row;
	struct place list[CODE_PLACES]; /* the first ones */
	size_t count;                   /* all */
	uint64_t bytes;                 /* of all */
	uint64_t bytes_of_label;        /* and of the same label below other rows */
};

static bool is_section_of(const char *label, const char *name)
{
	static const char before[] = "[section ";
	const size_t size = strlen(name), start = sizeof before - 1;
	return strncmp(label, before, start) == 0 && strncmp(label + start, name, size) == 0 &&
	       strcmp(label + start + size, "]") == 0;
}

/* Levels that only say again what the one above says are no rows: see browse_tree.h. */
static bool is_on_path(const struct browse_row *row, const char *const *labels, size_t count)
{
	size_t k = 0;
	for (size_t i = 0; i < count && k < row->depth; i++) {
		if (strcmp(labels[i], row->path[k]) == 0)
			k++;
		else if (k == 0 || (strcmp(labels[i], row->path[k - 1]) != 0 &&
				    !is_section_of(labels[i], row->path[k - 1])))
			return false;
	}
	return k == row->depth;
}

static void add_place(void *ctx, uint64_t start, uint64_t size, const char *const *labels,
		      size_t count)
{
	struct places *p = ctx;
	if (labels == NULL || count == 0)
		return;
	if (strcmp(labels[count - 1], p->row->row->label) == 0)
		p->bytes_of_label += size;
	if (!is_on_path(p->row, labels, count))
		return;
	p->bytes += size;
	const size_t last = p->count - 1;
	if (p->count > 0 && p->count <= CODE_PLACES &&
	    p->list[last].start + p->list[last].size == start) {
		p->list[last].size += size;
		return;
	}
	if (p->count < CODE_PLACES)
		p->list[p->count] = (struct place){ start, size };
	p->count++;
}

/* The first file of the profile that has bytes of the row in a domain; NULL: none. */
static const char *find_places(const struct input *in, const struct browse_row *row,
			       enum heft_domain domain, struct places *ret)
{
	struct heft_file_info info = { .size = sizeof info };
	for (size_t i = 0; heft_profile_file(in->profile, i, &info); i++) {
		*ret = (struct places){ .row = row };
		if (info.role == HEFT_INPUT &&
		    heft_profile_ranges(in->profile, i, domain, add_place, ret) && ret->count > 0)
			return info.path;
	}
	*ret = (struct places){ .row = row };
	return NULL;
}

static void put_places(FILE *to, const struct places *p, const char *what)
{
	if (p->count == 0)
		return;
	fprintf(to, "%-16s ", what);
	for (size_t i = 0; i < p->count && i < PLACES; i++)
		fprintf(to, "%s0x%" PRIx64 " (%" PRIu64 ")", i > 0 ? ", " : "", p->list[i].start,
			p->list[i].size);
	if (p->count > PLACES)
		fprintf(to, " and %zu more", p->count - PLACES);
	fputc('\n', to);
}

/* ---- what is opened -------------------------------------------------------------------------- */

void row_card_release(struct row_card *c)
{
	heft_where_free(c->where);
	heft_blocks_free(c->blocks);
	free(c->path);
	*c = (struct row_card){ .inputs = c->inputs };
}

static bool turn_to(struct row_card *c, const char *path, struct heft_err *err)
{
	if (c->path != NULL && strcmp(c->path, path) == 0)
		return true;
	row_card_release(c);
	c->path = strdup(path);
	if (c->path == NULL)
		*err = (struct heft_err){ .code = HEFT_ENOMEM, .offset = HEFT_NO_OFFSET };
	return c->path != NULL;
}

static bool open_where(struct row_card *c, const char *path, struct heft_err *err)
{
	if (!turn_to(c, path, err))
		return false;
	if (c->where != NULL)
		return true;
	struct heft_where *w = heft_where_new();
	heft_where_set_finder(w, c->inputs->finder);
	heft_where_set_demangle(w, c->inputs->style);
	heft_where_set_progress(w, c->inputs->progress, c->inputs->progress_ctx);
	if (heft_where_open(w, path, err))
		c->where = w;
	else
		heft_where_free(w);
	return c->where != NULL;
}

static bool open_blocks(struct row_card *c, const char *path, struct heft_err *err)
{
	if (!turn_to(c, path, err))
		return false;
	if (c->blocks != NULL)
		return true;
	struct heft_blocks *b = heft_blocks_new();
	heft_blocks_set_finder(b, c->inputs->finder);
	heft_blocks_set_demangle(b, c->inputs->style);
	heft_blocks_set_progress(b, c->inputs->progress, c->inputs->progress_ctx);
	if (heft_blocks_open(b, path, err))
		c->blocks = b;
	else
		heft_blocks_free(b);
	return c->blocks != NULL;
}

/* ---- the card -------------------------------------------------------------------------------- */

/* Look-ups that are given up leave a handle that can only be freed. */
static bool find(struct row_card *c, uint64_t addr, struct heft_location *ret)
{
	struct heft_err err;
	*ret = (struct heft_location){ .size = sizeof *ret };
	const bool good = c->where != NULL && heft_where_find(c->where, addr, ret, &err);
	if (!good && c->where != NULL && err.code == HEFT_ECANCELED)
		row_card_release(c);
	return good;
}

/* Own bytes are those that the symbols state; what follows them up to the next one is padding. */
static void put_sizes(struct row_card *c, const struct places *vm, const struct places *file,
		      FILE *to)
{
	struct heft_location at;
	uint64_t own = 0;
	for (size_t i = 0; i < vm->count && i < CODE_PLACES; i++)
		if (find(c, vm->list[i].start, &at) && at.symbol != NULL && at.symbol_offset == 0)
			own += at.symbol_size;
	if (own == 0 || own > vm->bytes || vm->count > CODE_PLACES)
		return;
	fprintf(to, "%-16s %" PRIu64 " bytes, as symbols state\n", "own", own);
	fprintf(to, "%-16s %" PRIu64 " bytes\n", "with padding", vm->bytes);
	fprintf(to, "%-16s %" PRIu64 " bytes of the file, in all sections\n", "because of it",
		file->bytes_of_label);
}

/* What heft where says of the first bytes. */
static void put_locations(struct row_card *c, const struct places *vm, FILE *to)
{
	struct heft_location at;
	struct heft_err err;
	for (size_t i = 0; i < vm->count && i < LOCATIONS; i++)
		if (find(c, vm->list[i].start, &at)) {
			fputc('\n', to);
			heft_where_write(c->where, &at, NULL,
					 &(struct heft_sink){ outfile_put, to }, &err);
		}
}

void row_card_put(struct row_card *c, const struct input *in, const struct browse_row *row,
		  FILE *to)
{
	struct places vm, file;
	struct heft_err err;
	if (in->profile == NULL || row->depth == 0)
		return;
	const char *path = find_places(in, row, HEFT_VM, &vm);
	find_places(in, row, HEFT_FILE, &file);
	put_places(to, &vm, "addresses");
	put_places(to, &file, "in the file at");
	if (path == NULL || !open_where(c, path, &err))
		return;
	put_sizes(c, &vm, &file, to);
	put_locations(c, &vm, to);
}

/* ---- instructions ---------------------------------------------------------------------------- */

static bool no_code(struct heft_err *err, const char *label)
{
	*err = (struct heft_err){ .code = HEFT_ENOTFOUND, .offset = HEFT_NO_OFFSET };
	snprintf(err->text, sizeof err->text, "no code is known of '%.200s'", label);
	return false;
}

bool row_card_code(struct row_card *c, const struct input *in, const struct browse_row *row,
		   FILE *to, struct heft_err *err)
{
	struct places vm;
	const char *path = in->profile == NULL || row->depth == 0
				   ? NULL
				   : find_places(in, row, HEFT_VM, &vm);
	uint64_t addrs[CODE_PLACES];
	uint32_t numbers[CODE_PLACES];
	size_t before = SIZE_MAX, i, block, found = 0;
	if (path == NULL)
		return no_code(err, row->row->label);
	if (!open_blocks(c, path, err))
		return false;
	const size_t count = vm.count < CODE_PLACES ? vm.count : CODE_PLACES;
	for (size_t k = 0; k < count; k++)
		addrs[k] = vm.list[k].start;
	if (!heft_blocks_find_batch(c->blocks, addrs, count, numbers, err)) {
		row_card_release(c);
		return false;
	}
	for (size_t k = 0; k < count; k++) {
		if (!heft_blocks_place(c->blocks, numbers[k], &i, &block) || i == before)
			continue;
		if (!heft_blocks_disassemble(c->blocks, i, &(struct heft_sink){ outfile_put, to },
					     err)) {
			row_card_release(c);
			return false;
		}
		fputc('\n', to);
		before = i;
		found++;
	}
	return found > 0 || no_code(err, row->row->label);
}
