/* What reports about heaps add to the formats. */
#include "report/heap_report.h"
#include "report/label_text.h"
#include "base/number.h"

#include "base/err.h"
#include "base/filename.h"

#include <stdio.h>
#include <stdlib.h>

const char *const heap_by_names[] = {
	[HEFT_HEAP_BY_STACK] = "stack",     [HEFT_HEAP_BY_TREE] = "tree",
	[HEFT_HEAP_BY_CALLERS] = "callers", [HEFT_HEAP_BY_FUNCTION] = "function",
	[HEFT_HEAP_BY_MODULE] = "module",   [HEFT_HEAP_BY_FILE] = "file",
	[HEFT_HEAP_BY_LINE] = "line",       [HEFT_HEAP_BY_THREAD] = "thread",
	[HEFT_HEAP_BY_SIZE] = "size",       [HEFT_HEAP_BY_AGE] = "age",
};

void heap_path_of(struct heap_path *path, const struct heap_report *r, uint32_t step)
{
	path->steps.count = 0;
	for (; step != 0; step = r->steps.data[step].parent)
		vec_push(&path->steps, step);
	for (size_t i = 0, k = path->steps.count; i + 1 < k; i++, k--) {
		const uint32_t first = path->steps.data[i];
		path->steps.data[i] = path->steps.data[k - 1];
		path->steps.data[k - 1] = first;
	}
}

/* ---- the table ------------------------------------------------------------------------------ */

/* What is known of the reports while they are written. */
struct writing {
	const struct heap_report *r;
	struct frame_list {
		uint32_t *place; /* by site, + 1; 0: not in the list */
		VEC(uint32_t) sites;
	} frames;
};

static const struct heap_report *heap_of(const struct report *r)
{
	return ((const struct writing *)r->ctx)->r;
}

/* An empty table is an answer that looks like none. */
static void put_no_leaks(const struct heap_report *h, struct sink *s)
{
	const struct heft_heap_query *q = &h->query;
	const bool all = !q->function && !q->module && !q->file && q->thread == 0 &&
			 q->min_size == 0 && q->max_size == 0;
	if (all)
		sink_printf(s, "no leaks: pointers lead to all %" PRIu64 " blocks\n\n",
			    h->info->of.blocks);
	else
		sink_text(s, STR("no leaks among the blocks that were asked for\n\n"));
}

static void heap_report_put_above(const struct report *r, struct sink *s)
{
	const struct heap_report *h = heap_of(r);
	if (r->opts.no_summary)
		return;
	if (h->base)
		out_heap_summaries(h->info, h->base, s);
	else
		out_heap_summary(h->info, s);
	if (!h->base && h->query.leaks && h->leaves.count == 0)
		put_no_leaks(h, s);
}

static const char *heap_report_shown_path(const struct report *r, const char *path)
{
	return r->opts.full ? path : file_name(path);
}

/* " FILE:LINE [MODULE]" of what is known. */
static void heap_report_add_place(const struct report *r, const char *file, const char *line,
				  const char *module, struct text *out)
{
	if (*file) {
		text_add_char(out, ' ');
		text_add(out, str_of(heap_report_shown_path(r, file)));
		text_add(out, *line ? STR(":") : STR(""));
		text_add(out, str_of(line));
	}
	if (*module) {
		text_add(out, STR(" ["));
		text_add(out, str_of(heap_report_shown_path(r, module)));
		text_add_char(out, ']');
	}
}

static void heap_report_add_frame(const struct report *r, const struct heap_site *site,
				  struct text *out)
{
	char line[NUMBER_MAX] = "";
	if (site->frame.line > 0)
		snprintf(line, sizeof line, "%" PRIu32, site->frame.line);
	text_add(out, str_of(site->label));
	heap_report_add_place(r, site->frame.file, line,
			      *site->frame.function ? site->frame.module : "", out);
	text_add(out, site->frame.inlined ? STR(" (inlined)") : STR(""));
}

static void heap_report_put_label(const struct report *r, const struct heft_row *row,
				  struct text *out)
{
	const struct heap_report *h = heap_of(r);
	const enum heft_heap_by by = h->query.by;
	if (row->texts && *row->texts[HEAP_REACH]) {
		text_add(out, str_of(row->texts[HEAP_REACH]));
		text_add(out, STR(": "));
	}
	if (by == HEFT_HEAP_BY_STACK) {
		heap_report_add_frame(r, heap_step_site(h, row->ref), out);
		return;
	}
	text_add(out, str_of(row->label));
	if (by > HEFT_HEAP_BY_FUNCTION && by != HEFT_HEAP_BY_LINE)
		return;
	const bool named = *h->sites.data[row->ref].frame.function;
	heap_report_add_place(r, by == HEFT_HEAP_BY_LINE ? row->texts[HEAP_FILE] : "",
			      row->texts[HEAP_LINE], named ? row->texts[HEAP_MODULE] : "", out);
}

/* The callers of a stack's function, as many as are wanted. */
static void heap_report_put_frames(const struct report *r, const struct heft_row *row,
				   size_t column, struct sink *s)
{
	enum { INDENT = 6 };
	const struct heap_report *h = heap_of(r);
	uint32_t count = 1, more = 0, step = h->steps.data[row->ref].parent;
	struct text text = { 0 };
	(void)column;
	for (; step != 0; step = h->steps.data[step].parent, count++) {
		if (r->opts.frames > 0 && count >= r->opts.frames)
			break;
		text.len = 0;
		heap_report_add_frame(r, heap_step_site(h, step), &text);
		sink_right(s, STR(""), INDENT);
		label_put(s, text_str(&text),
			  r->opts.width > 2 * INDENT ? r->opts.width - INDENT : 0);
		sink_text(s, STR("\n"));
	}
	for (; step != 0; step = h->steps.data[step].parent)
		more++;
	if (more > 0)
		sink_printf(s, "      ... %" PRIu32 " more\n", more);
	text_release(&text);
}

/* ---- stacks as paths ------------------------------------------------------------------------ */

/* Frames as folded stacks have them, outermost first. */
static void add_folded(struct text *t, const struct heap_report *r, struct heap_path *path,
		       uint32_t step)
{
	heap_path_of(path, r, step);
	for (size_t i = 0; i < path->steps.count; i++) {
		if (i > 0)
			text_add_char(t, ';');
		for (const char *p = heap_step_site(r, path->steps.data[i])->label; *p; p++)
			text_add_char(t, *p == ';' ? ':' : *p == '\n' || *p == '\r' ? ' ' : *p);
	}
	if (path->steps.count == 0)
		text_add(t, str_of(r->sites.data[0].label));
}

static void heap_report_put_path(const struct report *r, const struct heft_row *row,
				 struct text *out)
{
	struct heap_path path = { 0 };
	add_folded(out, heap_of(r), &path, row->ref);
	vec_release(&path.steps);
}

static void put_folded(const struct heap_report *r, struct sink *s)
{
	struct heap_path path = { 0 };
	struct text text = { 0 };
	const enum heft_heap_measure m = r->query.sort;
	for (size_t i = 0; i < r->leaves.count && !s->failed; i++) {
		const struct heap_leaf *l = &r->leaves.data[i];
		if (l->now[m] == 0 && l->base[m] == 0)
			continue;
		text.len = 0;
		add_folded(&text, r, &path, l->step);
		sink_text(s, text_str(&text));
		if (r->base)
			sink_printf(s, " %" PRIu64, l->base[m]);
		sink_printf(s, " %" PRIu64 "\n", l->now[m]);
	}
	vec_release(&path.steps);
	text_release(&text);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void heap_report_member_text(struct json *j, const char *key, const char *text)
{
	if (*text)
		json_member_text(j, key, str_of(text));
}

static void put_chunks_json(const struct heap_info *i, struct json *j)
{
	json_key(j, "glibc");
	json_open(j, '{');
	json_member_uint(j, "heaps", i->of.arenas);
	json_member_uint(j, "own_mappings", i->of.own_mappings);
	json_member_uint(j, "own_mapping_bytes", i->of.own_mapping_bytes);
	json_member_uint(j, "cached", i->of.cached);
	json_member_uint(j, "cached_bytes", i->of.cached_bytes);
	json_member_uint(j, "free_chunks", i->of.free_chunks);
	json_member_uint(j, "free_bytes", i->of.free_bytes);
	json_member_uint(j, "top_bytes", i->of.top_bytes);
	json_member_uint(j, "broken_chains", i->of.broken_chains);
	json_close(j, '}');
}

void heap_json_frame(struct json *j, const struct heft_frame *f)
{
	json_open(j, '{');
	heap_report_member_text(j, "function", f->function);
	heap_report_member_text(j, "linkage_name", f->linkage);
	heap_report_member_text(j, "file", f->file);
	json_member_uint(j, "line", f->line);
	json_member_uint(j, "column", f->column);
	heap_report_member_text(j, "module", f->module);
	json_member_uint(j, "address", f->addr);
	if (f->inlined)
		json_member_bool(j, "inlined", true);
	json_close(j, '}');
}

static void member_known(struct json *j, const char *key, bool known, uint64_t value)
{
	json_key(j, key);
	if (known)
		json_uint(j, value);
	else
		json_null(j);
}

void heap_json_live(struct json *j, const struct heap_info *i)
{
	member_known(j, "live_bytes", i->of.live_known, i->of.live_bytes);
	member_known(j, "live_blocks", i->of.live_known, i->of.live);
	heap_report_member_text(j, "unknown", i->of.unknown);
	heap_report_member_text(j, "lacks", i->of.lacks);
}

struct str heap_command(const struct heap_info *i)
{
	const char *command = i->of.command;
	return i->with_arguments ? str_of(command)
				 : file_name_str((struct str){ command, strcspn(command, " ") });
}

void heap_json_info(struct json *j, const struct heap_info *i)
{
	json_open(j, '{');
	json_member_text(j, "path", str_of(i->of.path));
	json_member_text(j, "kind", str_of(i->of.kind));
	json_member_text(j, "command", heap_command(i));
	json_member_uint(j, "pid", i->of.pid);
	json_member_uint(j, "word", i->of.word);
	json_member_bool(j, "big_endian", i->of.big_endian);
	json_member_uint(j, "signal", i->of.signal > 0 ? (uint64_t)i->of.signal : 0);
	if (i->of.has_fault)
		json_member_uint(j, "fault_address", i->of.fault_addr);
	json_member_uint(j, "mapped", i->of.mapped);
	json_member_uint(j, "present", i->of.present);
	json_member_uint(j, "missing", i->of.missing);
	json_member_bool(j, "recorded", i->of.recorded);
	json_member_bool(j, "counted", i->of.counted);
	json_member_uint(j, "sample", i->of.sample);
	json_member_uint(j, "depth", i->of.depth);
	json_member_uint(j, "stacks", i->of.stacks);
	json_member_uint(j, "threads", i->of.threads);
	heap_json_live(j, i);
	json_member_uint(j, "peak_bytes", i->of.peak_bytes);
	json_member_uint(j, "alloc_bytes", i->of.alloc_bytes);
	json_member_uint(j, "allocs", i->of.allocs);
	json_member_uint(j, "temporary", i->of.temporary);
	json_member_uint(j, "found_bytes", i->of.block_bytes);
	json_member_uint(j, "found_blocks", i->of.blocks);
	json_member_uint(j, "freed_blocks", i->of.freed_blocks);
	json_member_uint(j, "started_ns", i->of.started);
	json_member_uint(j, "peak_at_ns", i->of.peak_at);
	json_member_uint(j, "taken_at_ns", i->of.taken_at);
	json_member_uint(j, "lost", i->of.lost);
	json_member_uint(j, "unrecorded", i->of.unrecorded);
	json_member_uint(j, "double_frees", i->of.double_frees);
	if (i->of.beside != NULL && *i->of.beside != '\0')
		json_member_text(j, "beside", str_of(i->of.beside));
	json_key(j, "parts");
	json_open(j, '{');
	for (size_t k = 0; k < HEFT_HEAP_PARTS; k++)
		json_member_uint(j, heap_part_names[k], i->parts[k]);
	json_close(j, '}');
	json_member_uint(j, "recorder_bytes", i->of.recorder_bytes);
	json_member_uint(j, "pinned_pages", i->of.pinned_pages);
	json_member_uint(j, "pinned_bytes", i->of.pinned_bytes);
	heap_report_member_text(j, "allocators", i->of.allocators);
	if (i->of.arenas > 0)
		put_chunks_json(i, j);
	json_close(j, '}');
}

static void heap_report_list_frames(struct frame_list *l, const struct heap_report *r)
{
	const struct heft_row *top = r->table.top;
	l->place = mem_zeroed(r->sites.count + 1, sizeof *l->place);
	for (size_t i = 0; r->query.by == HEFT_HEAP_BY_STACK && i < top->child_count; i++) {
		uint32_t step = top->children[i]->others > 0 ? 0 : top->children[i]->ref;
		for (; step != 0; step = r->steps.data[step].parent) {
			const uint32_t site = r->steps.data[step].site;
			if (l->place[site] > 0)
				continue;
			vec_push(&l->sites, site);
			l->place[site] = (uint32_t)l->sites.count;
		}
	}
}

static void heap_report_json_frames(struct json *j, const struct heap_report *r,
				    const struct frame_list *l)
{
	json_key(j, "frames");
	json_open(j, '[');
	for (size_t i = 0; i < l->sites.count; i++) {
		json_line(j);
		heap_json_frame(j, &r->sites.data[l->sites.data[i]].frame);
	}
	json_close(j, ']');
}

static void put_json_stack(const struct report *r, const struct heft_row *row, struct json *j)
{
	const struct writing *w = r->ctx;
	json_key(j, "stack");
	json_open(j, '[');
	for (uint32_t step = row->ref; step != 0; step = w->r->steps.data[step].parent)
		json_uint(j, w->frames.place[w->r->steps.data[step].site] - 1);
	json_close(j, ']');
}

static void heap_report_put_json_head(const struct report *r, struct json *j)
{
	const struct writing *w = r->ctx;
	json_member_text(j, "by", str_of(r->table.levels[0]));
	json_member_text(j, "sort", str_of(r->table.measures[r->table.sorted_by].name));
	json_line(j);
	json_key(j, "heap");
	heap_json_info(j, w->r->info);
	if (w->r->base) {
		json_line(j);
		json_key(j, "base");
		heap_json_info(j, w->r->base);
	}
	json_notes(j, w->r->notes, w->r->note_count);
	json_line(j);
	heap_report_json_frames(j, w->r, &w->frames);
}

/* ---- all together --------------------------------------------------------------------------- */

/* A diff: change, now, before of what is sorted by, and the change of blocks.  Else the measures
 * that count anything, with the share of what is sorted by.  What tells least can be spared
 * first. */
static void heap_report_set_columns(struct report *r)
{
	static const unsigned spare[] = { 0, 1, 2, 6, 4, 3, 5, 0 };
	const struct heft_table *t = &r->table;
	const unsigned sort = (unsigned)t->sorted_by;
	if (t->diff) {
		report_column(r, (struct column){ "change", CELL_CHANGE, sort, 0, 2, true, 0 });
		report_column(r, (struct column){ "now", CELL_NOW, sort, 0, 2, false, 0 });
		report_column(r, (struct column){ "before", CELL_BASE, sort, 0, 2, false, 1 });
		if (sort != HEFT_HEAP_LIVE)
			report_column(r, (struct column){ "blocks", CELL_CHANGE, HEFT_HEAP_LIVE, 0,
							  2, false, 2 });
		return;
	}
	report_column(r, (struct column){ "", CELL_PART, sort, 0, 2, true, 0 });
	for (unsigned m = 0; m < t->measure_count; m++)
		if ((m != HEFT_HEAP_PEAK && t->top->now[m].whole > 0) || m == sort ||
		    t->measures[m].shared)
			report_column(r, (struct column){ t->measures[m].title, CELL_NOW, m, 0, 2,
							  false, m == sort ? 0 : spare[m] });
}

static bool heap_report_write_rows(const struct heap_report *r, const struct heft_write_opts *o,
				   struct sink *s, struct heft_err *err)
{
	static const struct report_kind kind = { .above = heap_report_put_above,
						 .label = heap_report_put_label,
						 .json_head = heap_report_put_json_head };
	static const struct report_kind stacks = { .above = heap_report_put_above,
						   .label = heap_report_put_label,
						   .lines = heap_report_put_frames,
						   .path = heap_report_put_path,
						   .json_head = heap_report_put_json_head,
						   .json_row = put_json_stack };
	const enum heft_heap_by by = r->query.by;
	const bool tree = by == HEFT_HEAP_BY_TREE || by == HEFT_HEAP_BY_CALLERS;
	struct arena arena = { 0 };
	struct writing w = { .r = r };
	struct report rows = { .table = r->table,
			       .opts = *o,
			       .kind = by == HEFT_HEAP_BY_STACK ? &stacks : &kind,
			       .ctx = &w,
			       .joined = by <= HEFT_HEAP_BY_CALLERS,
			       .flame = tree,
			       .blanks_chains = tree,
			       .indent = 1,
			       .label_gap = 2 };
	if (o->format == HEFT_JSON)
		heap_report_list_frames(&w.frames, r);
	heap_report_set_columns(&rows);
	report_all_fields(&rows, &arena);
	const bool good = report_write(&rows, s, err);
	mem_free(w.frames.place);
	vec_release(&w.frames.sites);
	arena_release(&arena);
	return good;
}

bool heap_report_write(const struct heap_report *r, const struct heft_write_opts *o, struct sink *s,
		       struct heft_err *err)
{
	switch (o->format) {
	case HEFT_FOLDED: put_folded(r, s); break;
	case HEFT_PPROF: out_heap_pprof(r, o->live_only, s); break;
	default: return heap_report_write_rows(r, o, s, err);
	}
	return sink_end(s, err);
}
