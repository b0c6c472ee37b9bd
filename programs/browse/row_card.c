/* Writes more facts about a row: address ranges, sizes, source lines, instructions. */
#include "browse/row_card.h"

#include "base/sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 8, CODE_PLACES = 1024, LOCATIONS = 3, LOOK_UPS = 20000, FUNCTIONS = 32 };
enum { LINE_MOST = 4000 };

struct row_card_place {
	uint64_t start, size;
};

struct row_card_places {
	const struct browse_row *row;
	struct row_card_place list[CODE_PLACES]; /* The first address ranges of the row */
	size_t count;                            /* Number of all ranges of the row */
	uint64_t bytes;                          /* Bytes of the row in all its ranges */
	uint64_t bytes_of_label; /* Bytes with the same label, including those of other rows */
};

static bool is_section_of(const char *label, const char *name)
{
	static const char before[] = "[section ";
	const size_t size = strlen(name), start = sizeof before - 1;
	return strncmp(label, before, start) == 0 && strncmp(label + start, name, size) == 0 &&
	       strcmp(label + start + size, "]") == 0;
}

/* True if labels are the path of a row. Skips levels that only repeat the level above; they have no
 * rows (browse_tree.h). */
static bool is_on_path(const struct browse_row *row, const char *const *labels, size_t count)
{
	size_t k = 0;
	ASSERT(row->depth > 0);
	for (size_t i = 0; i < count && k < row->depth; i++) {
		if (strcmp(labels[i], row->path[k]) == 0)
			k++;
		else if (k == 0 || (strcmp(labels[i], row->path[k - 1]) != 0 &&
				    !is_section_of(labels[i], row->path[k - 1])))
			return false;
	}
	return k == row->depth;
}

static bool row_card_add_place(void *ctx, uint64_t start, uint64_t size, const char *const *labels,
			       size_t count)
{
	struct row_card_places *p = ctx;
	if (labels == NULL || count == 0)
		return true;
	if (strcmp(labels[count - 1], p->row->row->label) == 0)
		p->bytes_of_label += size;
	if (!is_on_path(p->row, labels, count))
		return true;
	p->bytes += size;
	const size_t last = p->count - 1;
	if (p->count > 0 && p->count <= CODE_PLACES &&
	    p->list[last].start + p->list[last].size == start) {
		p->list[last].size += size;
		return true;
	}
	if (p->count < CODE_PLACES)
		p->list[p->count] = (struct row_card_place){ start, size };
	p->count++;
	return true;
}

/* Finds the first file of the profile in which the row has bytes in `domain`, and sets *ret to
 * their ranges. Returns the path of the file. NULL if there is none. */
static const char *find_places(const struct input *in, const struct browse_row *row,
			       enum heft_domain domain, struct row_card_places *ret)
{
	struct heft_file_info info = { .size = sizeof info };
	for (size_t i = 0; heft_profile_file(in->profile, i, &info, NULL); i++) {
		*ret = (struct row_card_places){ .row = row };
		if (info.role == HEFT_INPUT &&
		    heft_profile_ranges(in->profile, i, domain, row_card_add_place, ret) &&
		    ret->count > 0)
			return info.path;
	}
	*ret = (struct row_card_places){ .row = row };
	return NULL;
}

static void row_card_put_places(FILE *to, const struct row_card_places *p, const char *what)
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
		return cli_no_memory(err);
	return true;
}

static bool open_where(struct row_card *c, const char *path, struct heft_err *err)
{
	if (!turn_to(c, path, err))
		return false;
	if (c->where != NULL)
		return true;
	struct heft_where *w = heft_where_new(c->inputs->run.session);
	if (w == NULL)
		return cli_no_memory(err);
	if (heft_where_open(w, path, err))
		c->where = w;
	else
		heft_where_free(w);
	return c->where != NULL;
}

static bool row_card_open_blocks(struct row_card *c, const char *path, struct heft_err *err)
{
	if (!turn_to(c, path, err))
		return false;
	if (c->blocks != NULL)
		return true;
	struct heft_blocks *b = heft_blocks_new(c->inputs->run.session);
	if (b == NULL)
		return cli_no_memory(err);
	if (heft_blocks_open(b, path, err))
		c->blocks = b;
	else
		heft_blocks_free(b);
	return c->blocks != NULL;
}

/* Output with lines of limited length, because names may be long. */
struct short_lines {
	FILE *to;
	size_t used; /* Bytes of the line up to now */
};

static bool row_card_put_short(void *ctx, const void *data, size_t size)
{
	struct short_lines *s = ctx;
	const char *at = data, *end = at + size;
	while (at < end) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));
		const size_t bytes = (size_t)((line_end != NULL ? line_end : end) - at);
		const size_t room = s->used < LINE_MOST ? LINE_MOST - s->used : 0;
		fwrite(at, 1, bytes < room ? bytes : room, s->to);
		if (s->used <= LINE_MOST && s->used + bytes > LINE_MOST)
			fputs("...", s->to);
		s->used += bytes;
		if (line_end == NULL)
			return true;
		fputc('\n', s->to);
		s->used = 0;
		at = line_end + 1;
	}
	return true;
}

/* Looks up an address. False if nothing is known. If the call breaks the handle, frees it. */
static bool row_card_find(struct row_card *c, uint64_t addr, struct heft_location *ret)
{
	struct heft_err err;
	*ret = (struct heft_location){ .size = sizeof *ret };
	const bool good = c->where != NULL && heft_where_find(c->where, addr, ret, &err);
	if (!good && c->where != NULL && err.code == HEFT_ECANCELED)
		row_card_release(c);
	return good;
}

/* Symbols that have the name of a row: instances of a template, overloads, static functions of
 * several files. */
struct instances {
	size_t count;
	uint64_t own;              /* Bytes that the symbols state */
	uint64_t addrs[LOCATIONS]; /* Addresses of the first symbols */
	size_t look_ups;
};

/* Counts the symbols that begin in a range of the row. Skips padding between symbols. */
static void place_count(struct row_card *c, const struct row_card_places *vm,
			const struct row_card_place *p, struct instances *all)
{
	struct heft_location at;
	uint64_t addr = p->start;
	while (addr < p->start + p->size && all->look_ups++ < LOOK_UPS) {
		const struct heft_row *row = vm->row->row;
		const bool named = row_card_find(c, addr, &at) && at.symbol != NULL;
		const uint64_t rest = named && at.symbol_size > at.symbol_offset
					      ? at.symbol_size - at.symbol_offset
					      : 1;
		bool own = named && at.symbol_offset == 0 && strcmp(row->label, at.symbol) == 0;
		for (size_t i = 0; named && at.symbol_offset == 0 && !own && i < row->alias_count;
		     i++)
			own = strcmp(row->aliases[i], at.symbol) == 0;
		if (own && all->count < LOCATIONS)
			all->addrs[all->count] = at.addr;
		all->count += own;
		all->own += own ? at.symbol_size : 0;
		addr += rest;
	}
}

static bool is_counted(const struct row_card_places *vm, const struct instances *all)
{
	return vm->count <= CODE_PLACES && all->look_ups < LOOK_UPS;
}

/* Writes the sizes. Bytes between a symbol's own bytes and the next symbol are padding. */
static void row_card_put_sizes(const struct row_card_places *vm, const struct row_card_places *file,
			       const struct instances *all, FILE *to)
{
	if (all->own == 0 || all->own > vm->bytes || !is_counted(vm, all))
		return;
	if (all->count > 1)
		fprintf(to, "%-16s %zu symbols of this name, which the sizes are of\n", "instances",
			all->count);
	fprintf(to, "%-16s %" PRIu64 " bytes, as symbols state\n", "own", all->own);
	fprintf(to, "%-16s %" PRIu64 " bytes\n", "with padding", vm->bytes);
	fprintf(to, "%-16s %" PRIu64 " bytes of the file, in all sections\n", "because of it",
		file->bytes_of_label);
}

static void row_card_put_location(struct row_card *c, uint64_t addr, FILE *to)
{
	struct short_lines lines = { to, 0 };
	struct heft_location at;
	struct heft_err err;
	if (!row_card_find(c, addr, &at))
		return;
	fputc('\n', to);
	heft_where_write(c->where, &at, NULL, &(struct heft_sink){ row_card_put_short, &lines },
			 &err);
}

void row_card_put(struct row_card *c, const struct input *in, const struct browse_row *row,
		  FILE *to)
{
	struct row_card_places vm, file;
	struct heft_err err;
	if (in->profile == NULL || row->depth == 0)
		return;
	const char *path = find_places(in, row, HEFT_VM, &vm);
	find_places(in, row, HEFT_FILE, &file);
	row_card_put_places(to, &vm, "addresses");
	row_card_put_places(to, &file, "in the file at");
	if (path == NULL || !open_where(c, path, &err))
		return;
	struct instances all = { 0 };
	for (size_t i = 0; i < vm.count && i < CODE_PLACES; i++)
		place_count(c, &vm, &vm.list[i], &all);
	row_card_put_sizes(&vm, &file, &all, to);
	/* Write the output of `heft where` for the first symbols, or else the first bytes. */
	const size_t count = all.count > 0 ? all.count : vm.count;
	for (size_t i = 0; i < count && i < LOCATIONS; i++)
		row_card_put_location(c, all.count > 0 ? all.addrs[i] : vm.list[i].start, to);
	if (all.count > LOCATIONS)
		fprintf(to, "\nThese are the first %d of %zu symbols of this name%s.\n", LOCATIONS,
			all.count, is_counted(&vm, &all) ? "" : " or more");
}

static bool no_code(struct heft_err *err, const char *label)
{
	*err = (struct heft_err){ .code = HEFT_ENOTFOUND, .offset = HEFT_NO_OFFSET };
	snprintf(err->text, sizeof err->text, "no code is known of '%.200s'", label);
	return false;
}

struct browse_row_card_code {
	struct row_card *card;
	FILE *to;
	struct heft_err *err;
	size_t before; /* Index of the function that was written last */
	size_t count;  /* Number of functions written */
};

static bool row_card_put_function(struct browse_row_card_code *code, size_t i)
{
	struct short_lines lines = { code->to, 0 };
	const struct heft_sink sink = { row_card_put_short, &lines };
	if (i == code->before || code->count == FUNCTIONS)
		return true;
	if (code->count > 0)
		fputc('\n', code->to);
	code->before = i;
	code->count++;
	return heft_blocks_disassemble(code->card->blocks, i, &sink, code->err);
}

/* Returns the index of the first function after an address. Functions are sorted by address. */
static size_t function_behind(struct browse_row_card_code *code, uint64_t addr)
{
	struct heft_block_function f = { .size = sizeof f };
	size_t low;
	BISECT(low, 0, heft_blocks_function_count(code->card->blocks), i,
	       heft_blocks_function(code->card->blocks, i, &f, code->err) && f.addr <= addr);
	return low;
}

/* Returns the number of functions that begin in the ranges of a row. */
static size_t functions_in(struct browse_row_card_code *code, const struct row_card_places *vm)
{
	size_t count = 0;
	for (size_t i = 0; i < vm->count && i < CODE_PLACES; i++) {
		const uint64_t start = vm->list[i].start, end = start + vm->list[i].size;
		count += function_behind(code, end - 1) -
			 (start > 0 ? function_behind(code, start - 1) : 0);
	}
	return count;
}

/* Writes the function around the start of a range, and those that begin in it. False on failure. */
static bool row_card_put_place(struct browse_row_card_code *code, const struct row_card_place *p)
{
	struct heft_block_function f = { .size = sizeof f };
	struct heft_blocks *b = code->card->blocks;
	uint32_t number;
	size_t i, block;
	if (!heft_blocks_find_batch(b, &p->start, 1, &number, code->err) ||
	    (heft_blocks_place(b, number, &i, &block) && !row_card_put_function(code, i)))
		return false;
	for (i = function_behind(code, p->start); code->count < FUNCTIONS; i++)
		if (i >= heft_blocks_function_count(b) ||
		    !heft_blocks_function(b, i, &f, code->err) || f.addr >= p->start + p->size)
			return true;
		else if (!row_card_put_function(code, i))
			return false;
	return true;
}

bool row_card_code(struct row_card *c, const struct input *in, const struct browse_row *row,
		   FILE *to, struct heft_err *err)
{
	struct browse_row_card_code code = { .card = c, .to = to, .err = err, .before = SIZE_MAX };
	struct row_card_places vm;
	const bool known = in->profile != NULL && row->depth > 0;
	const char *path = known ? find_places(in, row, HEFT_VM, &vm) : NULL;
	if (path == NULL)
		return no_code(err, row->row->label);
	if (!row_card_open_blocks(c, path, err))
		return false;
	const size_t functions = functions_in(&code, &vm);
	if (functions > 1)
		fprintf(to, "%zu functions, %" PRIu64 " bytes with padding\n\n", functions,
			vm.bytes);
	for (size_t k = 0; k < vm.count && k < CODE_PLACES; k++)
		if (!row_card_put_place(&code, &vm.list[k])) {
			row_card_release(c); /* A broken handle can only be freed. */
			return false;
		}
	if (code.count == FUNCTIONS)
		fprintf(to, "\nThese are the first %d functions.\n", FUNCTIONS);
	return code.count > 0 || no_code(err, row->row->label);
}
