/* Reports about heaps for programs: CSV, JSON, stacks for flame graphs. */
#include "report/heap_report.h"

#include "base/text.h"

/* ---- CSV ------------------------------------------------------------------------------------ */

static void csv_measures(const uint64_t *v, struct sink *s)
{
	for (size_t m = 0; m < HEFT_HEAP_MEASURES; m++)
		sink_printf(s, ",%" PRIu64, v[m]);
}

static void csv_header(const struct heap_report *r, struct sink *s)
{
	sink_printf(s, "%s,module,file,line,reach", heap_by_names[r->query.by]);
	for (size_t m = 0; m < HEFT_HEAP_MEASURES; m++)
		sink_printf(s, ",%s", heap_measure_names[m]);
	for (size_t m = 0; r->base && m < HEFT_HEAP_MEASURES; m++)
		sink_printf(s, ",base_%s", heap_measure_names[m]);
	sink_text(s, STR("\n"));
}

/* Frames as folded stacks have them, outermost first. */
static void add_folded(struct text *t, const struct heap_report *r, struct heap_path *path,
		       uint32_t step)
{
	heap_path_of(path, r, step);
	t->len = 0;
	for (size_t i = 0; i < path->steps.count; i++) {
		if (i > 0)
			text_add_char(t, ';');
		for (const char *p = heap_step_site(r, path->steps.data[i])->label; *p; p++)
			text_add_char(t, *p == ';' ? ':' : *p == '\n' || *p == '\r' ? ' ' : *p);
	}
	if (path->steps.count == 0)
		text_add(t, str_of(r->sites.data[0].label));
}

/* Labels of a tree's rows from the first level down, with ";" between. */
struct labels {
	VEC(const char *) levels;
	struct text text;
	struct heap_path path;
};

static const char *csv_label(struct labels *l, const struct heap_report *r,
			     const struct heft_heap_row *row)
{
	l->levels.count = row->depth;
	vec_push(&l->levels, row->others > 0 ? "[Others]" : row->label);
	if (r->query.by == HEFT_HEAP_BY_STACK && row->others == 0) {
		add_folded(&l->text, r, &l->path, row->node);
	} else {
		l->text.len = 0;
		for (size_t i = 0; i < l->levels.count; i++) {
			if (i > 0)
				text_add_char(&l->text, ';');
			text_add(&l->text, str_of(l->levels.data[i]));
		}
	}
	text_add_char(&l->text, '\0');
	return l->text.p;
}

void out_heap_csv(const struct heap_report *r, struct sink *s)
{
	struct labels l = { 0 };
	csv_header(r, s);
	for (size_t i = 0; i < r->rows.count && !s->failed; i++) {
		const struct heft_heap_row *row = &r->rows.data[i];
		field_put(s, csv_label(&l, r, row), ',', false);
		sink_text(s, STR(","));
		field_put(s, row->module, ',', false);
		sink_text(s, STR(","));
		field_put(s, row->file, ',', false);
		sink_printf(s, ",%" PRIu32 ",%s", row->line, heap_reach_name(row->reach));
		csv_measures(row->now, s);
		if (r->base)
			csv_measures(row->base, s);
		sink_text(s, STR("\n"));
	}
	vec_release(&l.levels);
	vec_release(&l.path.steps);
	text_release(&l.text);
}

/* ---- folded stacks -------------------------------------------------------------------------- */

void out_heap_folded(const struct heap_report *r, struct sink *s)
{
	struct heap_path path = { 0 };
	struct text text = { 0 };
	const enum heft_heap_measure m = r->query.sort;
	for (size_t i = 0; i < r->leaves.count && !s->failed; i++) {
		const struct heap_leaf *l = &r->leaves.data[i];
		if (l->now[m] == 0 && l->base[m] == 0)
			continue;
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

static void member_text(struct json *j, const char *key, const char *text)
{
	if (*text)
		json_member_text(j, key, str_of(text));
}

void heap_json_frame(struct json *j, const struct heft_heap_frame *f)
{
	json_open(j, '{');
	member_text(j, "function", f->function);
	member_text(j, "linkage_name", f->linkage);
	member_text(j, "file", f->file);
	json_member_uint(j, "line", f->line);
	json_member_uint(j, "column", f->column);
	member_text(j, "module", f->module);
	json_member_uint(j, "address", f->addr);
	if (f->inlined)
		json_member_bool(j, "inlined", true);
	json_close(j, '}');
}

void heap_json_info(struct json *j, const struct heft_heap_info *i)
{
	json_open(j, '{');
	json_member_text(j, "path", str_of(i->path));
	json_member_text(j, "kind", str_of(i->kind));
	json_member_text(j, "command", str_of(i->command));
	json_member_uint(j, "pid", i->pid);
	json_member_uint(j, "word", i->word);
	json_member_bool(j, "big_endian", i->big_endian);
	json_member_uint(j, "signal", i->signal > 0 ? (uint64_t)i->signal : 0);
	if (i->has_fault)
		json_member_uint(j, "fault_address", i->fault_addr);
	json_member_uint(j, "mapped", i->mapped);
	json_member_uint(j, "present", i->present);
	json_member_uint(j, "missing", i->missing);
	json_member_bool(j, "recorded", i->recorded);
	json_member_bool(j, "counted", i->counted);
	json_member_uint(j, "sample", i->sample);
	json_member_uint(j, "depth", i->depth);
	json_member_uint(j, "stacks", i->stacks);
	json_member_uint(j, "threads", i->threads);
	json_member_uint(j, "live_bytes", i->live_bytes);
	json_member_uint(j, "live_blocks", i->live);
	json_member_uint(j, "peak_bytes", i->peak_bytes);
	json_member_uint(j, "alloc_bytes", i->alloc_bytes);
	json_member_uint(j, "allocs", i->allocs);
	json_member_uint(j, "temporary", i->temporary);
	json_member_uint(j, "found_bytes", i->block_bytes);
	json_member_uint(j, "found_blocks", i->blocks);
	json_member_uint(j, "freed_blocks", i->freed_blocks);
	json_member_uint(j, "started_ns", i->started);
	json_member_uint(j, "peak_at_ns", i->peak_at);
	json_member_uint(j, "taken_at_ns", i->taken_at);
	json_member_uint(j, "lost", i->lost);
	json_member_uint(j, "unrecorded", i->unrecorded);
	json_member_uint(j, "double_frees", i->double_frees);
	json_key(j, "parts");
	json_open(j, '{');
	for (size_t k = 0; k < HEFT_HEAP_PARTS; k++)
		json_member_uint(j, heap_part_names[k], i->parts[k]);
	json_close(j, '}');
	json_member_uint(j, "recorder_bytes", i->recorder_bytes);
	json_member_uint(j, "pinned_pages", i->pinned_pages);
	json_member_uint(j, "pinned_bytes", i->pinned_bytes);
	json_close(j, '}');
}

static void json_measures(struct json *j, const struct heap_report *r,
			  const struct heft_heap_row *row)
{
	for (size_t m = 0; m < HEFT_HEAP_MEASURES; m++)
		json_member_uint(j, heap_measure_names[m], row->now[m]);
	for (size_t m = 0; r->base && m < HEFT_HEAP_MEASURES; m++) {
		char name[40] = "base_";
		strcat(name, heap_measure_names[m]);
		json_member_uint(j, name, row->base[m]);
	}
}

/* Frames stand in a list once; stacks name them by their place in it. */
struct frame_list {
	uint32_t *place; /* by site, + 1; 0: not in the list */
	VEC(uint32_t) sites;
};

static void list_frames(struct frame_list *l, const struct heap_report *r)
{
	l->place = xcalloc(r->sites.count + 1, sizeof *l->place);
	for (size_t i = 0; r->query.by == HEFT_HEAP_BY_STACK && i < r->rows.count; i++) {
		for (uint32_t step = r->rows.data[i].node; step != 0;
		     step = r->steps.data[step].parent) {
			const uint32_t site = r->steps.data[step].site;
			if (l->place[site] > 0)
				continue;
			vec_push(&l->sites, site);
			l->place[site] = (uint32_t)l->sites.count;
		}
	}
}

static void json_frames(struct json *j, const struct heap_report *r, const struct frame_list *l)
{
	json_key(j, "frames");
	json_open(j, '[');
	for (size_t i = 0; i < l->sites.count; i++) {
		json_line(j);
		heap_json_frame(j, &r->sites.data[l->sites.data[i]].frame);
	}
	json_close(j, ']');
}

static void json_stack(struct json *j, const struct heap_report *r, const struct frame_list *l,
		       uint32_t step)
{
	json_key(j, "stack");
	json_open(j, '[');
	for (; step != 0; step = r->steps.data[step].parent)
		json_uint(j, l->place[r->steps.data[step].site] - 1);
	json_close(j, ']');
}

/* Leaves the object open: its children follow. */
static void json_row(struct json *j, const struct heap_report *r, const struct frame_list *l,
		     const struct heft_heap_row *row)
{
	const enum heft_heap_by by = r->query.by;
	const bool below = by >= HEFT_HEAP_BY_FUNCTION && by <= HEFT_HEAP_BY_LINE;
	json_line(j);
	json_open(j, '{');
	json_member_text(j, "label", str_of(row->label));
	member_text(j, "module", row->module);
	member_text(j, "file", row->file);
	if (row->line > 0)
		json_member_uint(j, "line", row->line);
	json_measures(j, r, row);
	if (below && row->others == 0)
		json_member_uint(j, "with_callees", row->now_below);
	if (below && row->others == 0 && r->base)
		json_member_uint(j, "base_with_callees", row->base_below);
	member_text(j, "reach", heap_reach_name(row->reach));
	if (row->others > 0)
		json_member_uint(j, "others", row->others);
	if (by == HEFT_HEAP_BY_STACK && row->others == 0)
		json_stack(j, r, l, row->node);
}

/* Ends rows until so many are open, the last of which has no children. */
static void close_rows(struct json *j, uint32_t open, uint32_t wanted)
{
	for (bool leaf = true; open > wanted; open--, leaf = false) {
		if (!leaf)
			json_close(j, ']');
		json_close(j, '}');
	}
}

static void json_rows(struct json *j, const struct heap_report *r, const struct frame_list *l,
		      struct sink *s)
{
	uint32_t open = 0; /* rows, one in the other */
	json_key(j, "rows");
	json_open(j, '[');
	for (size_t i = 0; i < r->rows.count && !s->failed; i++) {
		const struct heft_heap_row *row = &r->rows.data[i];
		close_rows(j, open, row->depth);
		json_row(j, r, l, row);
		open = row->depth + 1;
		if (i + 1 < r->rows.count && r->rows.data[i + 1].depth > row->depth) {
			json_key(j, "children");
			json_open(j, '[');
		}
	}
	close_rows(j, open, 0);
	json_close(j, ']');
}

void out_heap_json(const struct heap_report *r, struct sink *s)
{
	struct json j = sink_json(s);
	struct frame_list frames = { 0 };
	list_frames(&frames, r);
	json_open(&j, '{');
	json_member_uint(&j, "schema_version", 1);
	json_member_text(&j, "heft", str_of(r->version));
	json_member_text(&j, "by", str_of(heap_by_names[r->query.by]));
	json_member_text(&j, "sort", str_of(heap_measure_names[r->query.sort]));
	json_line(&j);
	json_key(&j, "heap");
	heap_json_info(&j, r->info);
	if (r->base) {
		json_line(&j);
		json_key(&j, "base");
		heap_json_info(&j, r->base);
	}
	json_notes(&j, r->notes, r->note_count);
	json_line(&j);
	json_key(&j, "total");
	json_open(&j, '{');
	json_measures(&j, r, &r->total);
	json_close(&j, '}');
	json_line(&j);
	json_frames(&j, r, &frames);
	json_line(&j);
	json_rows(&j, r, &frames, s);
	json_line(&j);
	json_close(&j, '}');
	sink_text(s, STR("\n"));
	free(frames.place);
	vec_release(&frames.sites);
}
