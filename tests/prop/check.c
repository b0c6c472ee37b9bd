#include "check.h"

#include "../lib/sessions.h"
#include "heft.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* What is asked of one run. */
struct wish {
	const char *path, *base; /* base NULL: no diff */
	const char *sources[3];
	size_t source_count;
	unsigned threads;
	bool count, find_debug;
};

struct state {
	char *why;
	size_t size;
	bool broken;
};

PRINTF_LIKE(2, 3) static void broken(struct state *s, const char *fmt, ...)
{
	va_list args;
	if (s->broken)
		return;
	s->broken = true;
	va_start(args, fmt);
	vsnprintf(s->why, s->size, fmt, args);
	va_end(args);
}

static struct heft_profile *start(const struct wish *w, struct heft_err *err)
{
	struct heft_session *s = heft_session_new();
	struct heft_profile *p = heft_profile_new(s);
	heft_profile_set_rows(p, 0);
	heft_session_set_threads(s, w->threads ? w->threads : 1);
	if (!w->find_debug)
		heft_finder_set_flags(heft_session_finder(s),
				      HEFT_FIND_NO_DEBUG | HEFT_FIND_NO_MAP);
	heft_session_free(s);
	heft_profile_set_flags(
		p, HEFT_PROFILE_RANGES | (w->base ? HEFT_PROFILE_BLOATY : 0) |
			   (w->count ? HEFT_PROFILE_COUNT | HEFT_PROFILE_DEBUG_OWNERS : 0));
	bool ok = heft_profile_add_file(p, w->path, HEFT_INPUT, err);
	if (w->base)
		ok = ok && heft_profile_add_file(p, w->base, HEFT_BASE, err);
	for (size_t i = 0; i < w->source_count; i++)
		ok = ok && heft_profile_add_source(p, w->sources[i], err);
	if (ok && heft_profile_run(p, err))
		return p;
	heft_profile_free(p);
	return NULL;
}

/* ---- rows ------------------------------------------------------------------------ */

/* The rows below a row add up to it; no deeper than there are levels. */
static void check_sums(struct state *s, const struct heft_row *row, size_t depth)
{
	uint64_t vm = 0, file = 0;
	if (row->child_count == 0 || depth > 16)
		return;
	for (size_t i = 0; i < row->child_count; i++) {
		vm += row->children[i]->now[HEFT_SIZE_VM];
		file += row->children[i]->now[HEFT_SIZE_FILE];
		check_sums(s, row->children[i], depth + 1);
	}
	if (vm != row->now[HEFT_SIZE_VM] || file != row->now[HEFT_SIZE_FILE])
		broken(s, "rows below %s: %" PRIu64 "/%" PRIu64 ", the row %" PRIu64 "/%" PRIu64,
		       row->label, file, vm, row->now[HEFT_SIZE_FILE], row->now[HEFT_SIZE_VM]);
}

static void check_total(struct state *s, const struct heft_profile *p)
{
	const struct heft_row *top = heft_profile_table(p)->top;
	uint64_t vm = 0, file = 0;
	struct heft_file_info info = { .size = sizeof info };
	for (size_t i = 0; heft_profile_file(p, i, &info, NULL); i++) {
		vm += info.vm_size;
		file += info.file_size;
	}
	if (top->now[HEFT_SIZE_VM] != vm || top->now[HEFT_SIZE_FILE] != file)
		broken(s, "TOTAL is %" PRIu64 "/%" PRIu64 ", the files have %" PRIu64 "/%" PRIu64,
		       top->now[HEFT_SIZE_FILE], top->now[HEFT_SIZE_VM], file, vm);
	if (top->child_count == 0 && file > 0)
		broken(s, "no rows for %" PRIu64 " bytes", file);
	check_sums(s, top, 0);
}

/* ---- ranges ---------------------------------------------------------------------- */

struct walk {
	struct state *state;
	uint64_t at, total, holes, ranges;
	uint64_t probe_start, probe_size; /* a range picked by chance */
	const char *probe_label;
	struct rng *rng;
};

static bool walk_range(void *ctx, uint64_t start, uint64_t size, const char *const *labels,
		       size_t label_count)
{
	struct walk *w = ctx;
	if (start != w->at)
		broken(w->state,
		       "a range starts at 0x%" PRIx64 ", the one before ends at 0x%" PRIx64, start,
		       w->at);
	if (size == 0 || size > UINT64_MAX - start)
		broken(w->state, "a range of 0x%" PRIx64 " bytes at 0x%" PRIx64, size, start);
	w->at = start + size;
	if (!labels) {
		w->holes += size;
		return true;
	}
	w->total += size;
	w->ranges++;
	if (rng_once_in(w->rng, w->ranges)) {
		w->probe_start = start;
		w->probe_size = size;
		w->probe_label = labels[label_count - 1];
	}
	return true;
}

static void check_lookup(struct state *s, struct heft_profile *p, size_t file,
			 enum heft_domain domain, const struct walk *w)
{
	struct heft_place place = { .size = sizeof place };
	if (!w->probe_label)
		return;
	const uint64_t addr = w->probe_start + rng_below(w->rng, w->probe_size);
	if (!heft_profile_lookup(p, file, domain, addr, &place, NULL))
		broken(s, "nothing found at 0x%" PRIx64 ", where a range is", addr);
	else if (place.start > addr || addr - place.start >= place.bytes ||
		 strcmp(place.labels[place.label_count - 1], w->probe_label) != 0)
		broken(s, "the look-up at 0x%" PRIx64 " does not find the range there", addr);
}

static void check_ranges(struct state *s, struct heft_profile *p, struct rng *r)
{
	struct heft_file_info info = { .size = sizeof info };
	for (size_t i = 0; heft_profile_file(p, i, &info, NULL); i++) {
		struct walk file = { .state = s, .rng = r }, vm = { .state = s, .rng = r };
		heft_profile_ranges(p, i, HEFT_FILE, walk_range, &file);
		heft_profile_ranges(p, i, HEFT_VM, walk_range, &vm);
		if (file.holes || file.total != info.file_size)
			broken(s,
			       "file ranges: %" PRIu64 " bytes and %" PRIu64
			       " in holes, not %" PRIu64,
			       file.total, file.holes, info.file_size);
		if (vm.total != info.vm_size)
			broken(s, "VM ranges: %" PRIu64 " bytes, not %" PRIu64, vm.total,
			       info.vm_size);
		check_lookup(s, p, i, HEFT_FILE, &file);
		check_lookup(s, p, i, HEFT_VM, &vm);
	}
}

/* ---- output ---------------------------------------------------------------------- */

struct text_out {
	char *p;
	size_t len, cap;
};

static bool take(void *ctx, const void *data, size_t size)
{
	struct text_out *t = ctx;
	if (t->cap - t->len <= size) {
		t->cap = t->cap * 2 + size + 1;
		t->p = mem_resize(t->p, t->cap);
	}
	memcpy(t->p + t->len, data, size);
	t->len += size;
	t->p[t->len] = '\0';
	return true;
}

/* NULL where the run fails. */
static char *output(const struct wish *w, enum heft_format format)
{
	struct heft_err err;
	struct text_out t = { 0 };
	struct heft_profile *p = start(w, &err);
	if (!p)
		return NULL;
	take(&t, "", 0);
	const struct heft_write_opts opts = { .size = sizeof opts, .format = format };
	heft_profile_write(p, &opts, &(struct heft_sink){ take, &t }, &err);
	heft_profile_free(p);
	return t.p;
}

char *check_csv(const char *path, const char *source)
{
	return output(&(struct wish){ .path = path, .sources = { source }, .source_count = 1 },
		      HEFT_CSV);
}

static void check_threads(struct state *s, struct wish w, struct rng *r)
{
	static const enum heft_format formats[] = { HEFT_TABLE, HEFT_CSV, HEFT_TSV, HEFT_JSON };
	const enum heft_format format = formats[rng_below(r, COUNT_OF(formats))];
	w.threads = 1;
	char *one = output(&w, format);
	w.threads = 2 + (unsigned)rng_below(r, 3);
	char *many = output(&w, format);
	if (!one || !many || strcmp(one, many) != 0)
		broken(s, "%u threads print something else than one", w.threads);
	mem_free(one);
	mem_free(many);
}

static void check_self_diff(struct state *s, struct wish w)
{
	struct heft_err err;
	w.base = w.path;
	struct heft_profile *p = start(&w, &err);
	if (!p) {
		broken(s, "opens alone, but not as its own base: %s", err.text);
		return;
	}
	if (heft_profile_table(p)->top->child_count > 0)
		broken(s, "differs from itself in %s",
		       heft_profile_table(p)->top->children[0]->label);
	heft_profile_free(p);
}

/* What the file is: its size, and no more bytes to save than it has. */
static void check_info(struct state *s, const char *path, uint64_t size)
{
	enum { BYTES, SAVINGS = 2 };
	struct heft_err err = { 0 };
	struct heft_info *info = ALONE(heft_info_new);
	const struct heft_table *t = NULL;
	if (heft_info_add(info, path, &err))
		t = heft_info_table(info);
	if (!t || t->top->child_count != 1)
		broken(s, "no line about a file that opens: %s", err.text);
	else if (t->top->now[BYTES] != size || t->top->now[SAVINGS] > size)
		broken(s, "%" PRIu64 " bytes to save of %" PRIu64 ", the file has %" PRIu64,
		       t->top->now[SAVINGS], t->top->now[BYTES], size);
	heft_info_free(info);
}

/* ---- all of it ------------------------------------------------------------------- */

/* The library checks that nodes have all bytes. What goes with a symbol has its own bytes too. */
static void check_graph(struct state *s, const char *path)
{
	struct heft_graph *g = ALONE_UNFOUND(heft_graph_new);
	struct heft_err err = { 0 };
	struct heft_why why = { .size = sizeof why };
	size_t count = 0;
	const bool good = heft_graph_open(g, path, &err) &&
			  heft_graph_ask(g, "[ELF Header]", &count, &err);
	for (size_t i = 0; good && i < count && heft_graph_why(g, i, &why, &err); i++)
		if (why.retained.vm < why.own.vm || why.retained.file < why.own.file)
			broken(s, "%s goes without itself", why.name);
	if (err.code == HEFT_EINTERNAL)
		broken(s, "graph: %s", err.text);
	heft_graph_free(g);
}

static const char *any_source(struct rng *r)
{
	const char *name, *text;
	size_t n = 0;
	while (heft_source(n, &name, &text))
		n++;
	heft_source(rng_below(r, n), &name, &text);
	return name;
}

/* One run; false where the file is refused. */
static bool check_run(struct state *s, const struct wish *w, struct rng *r)
{
	struct heft_err err = { 0 };
	struct heft_profile *p = start(w, &err);
	if (!p) {
		const bool named = strncmp(err.text, w->path, strlen(w->path)) == 0;
		snprintf(s->why, s->size, "%s", err.text);
		if (!named || err.code == HEFT_OK || strchr(err.text, '\n'))
			broken(s, "a message that is none: \"%s\"", err.text);
		return false;
	}
	struct heft_file_info file = { .size = sizeof file };
	check_total(s, p);
	check_ranges(s, p, r);
	heft_profile_file(p, 0, &file, NULL);
	if (rng_once_in(r, 4))
		check_info(s, w->path, file.file_size);
	heft_profile_free(p);
	return true;
}

static void check_rest(struct state *s, struct wish *w, struct rng *r, unsigned what)
{
	w->sources[0] = any_source(r);
	w->sources[1] = any_source(r);
	w->source_count = 1 + rng_below(r, 2);
	w->count = rng_once_in(r, 3);
	check_graph(s, w->path);
	if (what == 0)
		check_threads(s, *w, r);
	else if (what == 1)
		check_self_diff(s, *w);
	else
		check_run(s, w, r);
}

enum verdict check_file(const char *path, enum effort effort, struct rng *r, char *why, size_t size)
{
	struct state s = { why, size, false };
	struct wish w = { .path = path,
			  .sources = { "sections", "rawsymbols" },
			  .source_count = 2,
			  .find_debug = rng_once_in(r, 8) };
	if (!check_run(&s, &w, r))
		return s.broken ? CHECK_BROKEN : CHECK_REFUSED;
	if (effort == EFFORT_QUICK) {
		if (rng_once_in(r, 4))
			check_rest(&s, &w, r, (unsigned)rng_below(r, 3));
	} else {
		const char *text;
		w.source_count = 1;
		for (size_t i = 0; heft_source(i, &w.sources[0], &text); i++)
			check_run(&s, &w, r);
		for (unsigned i = 0; i < 5; i++)
			check_rest(&s, &w, r, i);
	}
	return s.broken ? CHECK_BROKEN : CHECK_FINE;
}
