/* Implements reports about heaps. Adds their columns, a summary above the table, and below the row
 * of a stack the functions that called each other. */
#include "report/all_fields.h"
#include "report/heap_report.h"
#include "report/label_text.h"
#include "base/number.h"

#include "base/filename.h"

#include <stdio.h>
#include <stdlib.h>

/* A report during writing, with the frames that JSON lists. */
struct writing {
	const struct heap_report *r;
	const struct heap_info *info, *base;
	const struct heft_note *notes;
	size_t note_count;
	VEC(const struct heft_frame *) frames;
	uint32_t *place; /* Per site: index in frames plus 1. 0 if not in the list */
};

static const struct heap_report *heap_of(const struct report *r)
{
	return ((const struct writing *)r->ctx)->r;
}

static void heap_report_put_above(const struct report *r, struct sink *s)
{
	const struct heap_report *h = heap_of(r);
	const struct heft_heap_query *q = &h->query;
	const bool all = !q->function && !q->module && !q->file && q->thread == 0 &&
			 q->min_size == 0 && q->max_size == 0;
	if (r->opts.no_summary)
		return;
	if (h->base)
		out_heap_summaries(h->info, h->base, s);
	else
		out_heap_summary(h->info, s);
	if (h->base || !q->leaks || h->leaves.count > 0)
		return;
	/* States that there are no leaks. An empty table might look like a failure. */
	if (all)
		sink_printf(s, "no leaks: pointers lead to all %" PRIu64 " blocks\n\n",
			    h->info->of.blocks);
	else
		sink_text(s, STR("no leaks among the blocks that were asked for\n\n"));
}

/* Appends the known parts of " FILE:LINE [MODULE]". */
static void heap_report_add_place(const struct report *r, const char *file, const char *line,
				  const char *module, struct text *out)
{
	if (*file)
		text_add_all(out, " ", r->opts.full ? file : file_name(file), *line ? ":" : "",
			     line);
	if (*module)
		text_add_all(out, " [", r->opts.full ? module : file_name(module), "]");
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
	if (row->texts && *row->texts[HEAP_REACH])
		text_add_all(out, row->texts[HEAP_REACH], ": ");
	if (by == HEFT_HEAP_BY_STACK) {
		heap_report_add_frame(r, heap_step_site(h, row_ref(row)), out);
		return;
	}
	text_add(out, str_of(row->label));
	if (by > HEFT_HEAP_BY_FUNCTION && by != HEFT_HEAP_BY_LINE)
		return;
	const bool named = *h->sites.data[row_ref(row)].frame.function;
	heap_report_add_place(r, by == HEFT_HEAP_BY_LINE ? row->texts[HEAP_FILE] : "",
			      row->texts[HEAP_LINE], named ? row->texts[HEAP_MODULE] : "", out);
}

/* Writes the callers of a stack's function, up to the requested number. */
static void heap_report_put_frames(const struct report *r, const struct heft_row *row,
				   size_t column, struct sink *s)
{
	enum { INDENT = 6 };
	const struct heap_report *h = heap_of(r);
	uint32_t count = 1, more = 0, step = h->steps.data[row_ref(row)].parent;
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

/* Appends the frames of a stack, outermost first, as folded stacks have them. */
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
	add_folded(out, heap_of(r), &path, row_ref(row));
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

#define CHUNKS(m) FIELD(struct heap_info, of.m)
static const struct field chunks_list[] = {
	{ KEY("heaps", "heaps of glibc's malloc (arenas)"), CHUNKS(arenas) },
	{ KEY("own_mappings", "blocks in use with a mapping of their own"), CHUNKS(own_mappings) },
	{ KEY("own_mapping_bytes", "bytes of these blocks"), CHUNKS(own_mapping_bytes) },
	{ KEY("cached", "freed chunks that are kept for the next call of their size"),
	  CHUNKS(cached) },
	{ KEY("cached_bytes", "bytes of these chunks"), CHUNKS(cached_bytes) },
	{ KEY("free_chunks", "other freed chunks"), CHUNKS(free_chunks) },
	{ KEY("free_bytes", "bytes of the other freed chunks"), CHUNKS(free_bytes) },
	{ KEY("top_bytes", "bytes at the ends of heaps, not handed out"), CHUNKS(top_bytes) },
	{ KEY("broken_chains", "places where a chain of chunks does not go on"),
	  CHUNKS(broken_chains) },
};
#undef CHUNKS
const struct fields chunks_fields = FIELDS("heap of glibc", chunks_list);

struct str heap_command(const struct heap_info *i)
{
	const char *command = i->of.command;
	return i->with_arguments ? str_of(command)
				 : file_name_str((struct str){ command, strcspn(command, " ") });
}

static struct str process_command(struct field_at *at)
{
	return heap_command(at->of);
}

#define OF(m)    FIELD(struct heap_info, of.m)
#define OF_IF(m) FIELD_IF(struct heap_info, of.m)
static const struct field process_list[] = {
	{ KEY("path", "path of the dump"), OF(path) },
	{ KEY("kind", "kind of the dump, in words"), OF(kind) },
	{ KEY("command", "name of the program; with `--with-arguments` its arguments too"),
	  .get = process_command },
	{ KEY("pid", "number of the process; 0 if unknown"), OF(pid) },
	{ KEY("word", "bytes of a machine word"), OF(word) },
	{ KEY("big_endian", "byte order of the machine"), OF(big_endian) },
	{ KEY("signal", "number of the signal that ended the process; 0: none"), OF(signal) },
	{ KEY("fault_address", "address of the access that failed. Missing if there was no fault"),
	  OF(fault_addr), OF_IF(has_fault) },
	{ KEY("mapped", "bytes of memory that the process had"), OF(mapped) },
	{ KEY("present", "bytes of this memory in the dump"), OF(present) },
	{ KEY("missing", "bytes that the dump lost at its end"), OF(missing) },
	{ KEY("recorded", "the recorder's pages are there"), OF(recorded) },
	{ KEY("counted", "the recorder's counters are there"), OF(counted) },
	{ KEY("sample", "one block in so many bytes is recorded, so that numbers are estimates; 0: "
			"every one"),
	  OF(sample) },
	{ KEY("depth", "frames kept of a stack; 0: all"), OF(depth) },
	{ KEY("stacks", "how many call stacks were recorded"), OF(stacks) },
	{ KEY("threads", "how many threads the recorder saw"), OF(threads) },
	{ KEY("live_bytes", "bytes that were asked for and not freed. Null if not all that is live "
			    "is known; the exit status is then 2"),
	  OF(live_bytes), .flags = FIELD_NULL, OF_IF(live_known) },
	{ KEY("live_blocks", "blocks that were not freed. Null if not all that is live is known"),
	  OF(live), .flags = FIELD_NULL, OF_IF(live_known) },
	{ KEY("unknown", "why not all that is live is known, or why the allocator's counts and the "
			 "blocks differ. Missing if there is none"),
	  OF(unknown), .flags = FIELD_ANY },
	{ KEY("lacks", "why memory that the program may have written is not in the dump. Missing "
		       "if there is none"),
	  OF(lacks), .flags = FIELD_ANY },
	{ KEY("peak_bytes", "most bytes that were live at once"), OF(peak_bytes) },
	{ KEY("alloc_bytes", "bytes that were asked for"), OF(alloc_bytes) },
	{ KEY("allocs", "calls that asked for them"), OF(allocs) },
	{ KEY("temporary", "allocations freed before their thread asked for another"),
	  OF(temporary) },
	{ KEY("found_bytes", "bytes of live blocks with a header in the dump; without a recorder, "
			     "of glibc's chunks in use"),
	  OF(block_bytes) },
	{ KEY("found_blocks", "how many blocks these are"), OF(blocks) },
	{ KEY("freed_blocks", "freed blocks whose header is still there"), OF(freed_blocks) },
	{ KEY("started_ns", "start of the process, nanoseconds since 1970"), OF(started) },
	{ KEY("peak_at_ns", "when most bytes were live, nanoseconds since the start"),
	  OF(peak_at) },
	{ KEY("taken_at_ns", "when the dump was taken, nanoseconds since the start"),
	  OF(taken_at) },
	{ KEY("lost", "allocations without a stack, as the tables were full"), OF(lost) },
	{ KEY("unrecorded", "allocations made by signal handlers"), OF(unrecorded) },
	{ KEY("double_frees", "blocks that were freed twice: the recorder did not free them again"),
	  OF(double_frees) },
	{ KEY("beside", "an allocator's functions that the program calls and whose blocks are not "
			"recorded. Missing if there is none"),
	  OF(beside), .flags = FIELD_ANY },
	{ KEY("parts", "bytes of the heap's memory"), FIELD_AS(FIELD_SUMS, struct heap_info, parts),
	  FIELD_WORDS(heap_part_names) },
	{ KEY("recorder_bytes", "bytes of the recorder's tables"), OF(recorder_bytes) },
	{ KEY("pinned_pages", "pages that blocks hold less than a quarter of"), OF(pinned_pages) },
	{ KEY("pinned_bytes", "free bytes of these pages"), OF(pinned_bytes) },
	{ KEY("allocators", "allocators whose memory heft cannot read, with their modules. Missing "
			    "if there is none"),
	  OF(allocators), .flags = FIELD_ANY },
	{ KEY("glibc",
	      "what the words of its malloc tell. Missing if there are blocks of the recorder"),
	  .kind = FIELD_PART, .of = &chunks_fields, OF_IF(arenas) },
};
#undef OF
#undef OF_IF
const struct fields process_fields = FIELDS("process", process_list);

static void heap_list_frames(struct writing *w)
{
	const struct heap_report *r = w->r;
	const struct heft_row *top = r->table.top;
	w->place = mem_zeroed(r->sites.count + 1, sizeof *w->place);
	for (size_t i = 0; r->query.by == HEFT_HEAP_BY_STACK && i < top->child_count; i++) {
		uint32_t step = top->children[i]->others > 0 ? 0 : row_ref(top->children[i]);
		for (; step != 0; step = r->steps.data[step].parent) {
			const uint32_t site = r->steps.data[step].site;
			if (w->place[site] > 0)
				continue;
			vec_push(&w->frames, &r->sites.data[site].frame);
			ASSERT(site < r->sites.count);
			w->place[site] = (uint32_t)w->frames.count;
		}
	}
}

static void heap_put_stack(const struct field_at *at, struct json *j)
{
	const struct heft_row *row = at->of;
	const struct writing *w = ((const struct report *)at->in)->ctx;
	json_open(j, '[');
	for (uint32_t step = row_ref(row); step != 0; step = w->r->steps.data[step].parent)
		json_uint(j, w->place[w->r->steps.data[step].site] - 1);
	json_close(j, ']');
}

static const struct field stack_row_list[] = {
	{ KEY("stack", "places in `frames`, innermost first, the allocator's own left out"),
	  .kind = FIELD_PUT, .put = heap_put_stack, .type = "array of integers" },
};
const struct fields stack_row_fields = FIELDS("row that is a stack", stack_row_list);

static struct str heap_sort(struct field_at *at)
{
	const struct heft_table *t = &((const struct report *)at->in)->table;
	return str_of(t->measures[t->sorted_by].name);
}

#define WRITING(m) FIELD(struct writing, m)
static const struct field heap_document_list[] = {
	{ KEY("by", "what rows are, as the option `--by` names it"), .get = report_by },
	{ KEY("sort", "the measure that rows are sorted by"), .get = heap_sort },
	{ KEY("heap", "what is known of the process. Missing if there is none"), WRITING(info),
	  .of = &process_fields, .flags = FIELD_LINES },
	{ KEY("base", "what is known of the older process. Missing if nothing is compared"),
	  WRITING(base), .of = &process_fields, .flags = FIELD_LINES },
	{ KEY("notes", "oddities of the inputs, which did not stop the report"),
	  FIELD_LIST(FIELD_STRUCTS, struct writing, notes, note_count),
	  .stride = sizeof(struct heft_note), .flags = FIELD_LINES, .of = &note_fields },
	{ KEY("frames", "each once; rows name them by their place in this list, from 0; empty "
			"unless rows are stacks"),
	  FIELD_LIST(FIELD_OBJECTS, struct writing, frames.data, frames.count),
	  .flags = FIELD_LINES, .of = &heap_frame_fields },
};
#undef WRITING
const struct fields heap_document_fields = FIELDS("document of a heap", heap_document_list);

/* Sets the columns. A diff shows the change, value and base of the sort measure, and the change of
 * blocks. Other reports show all measures that are not 0, and the sort measure's share. If lines
 * are short, the least useful columns are dropped. */
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
		if ((m != HEFT_HEAP_PEAK && t->top->now[m] > 0) || m == sort ||
		    t->measures[m].shared)
			report_column(r, (struct column){ t->measures[m].title, CELL_NOW, m, 0, 2,
							  false, m == sort ? 0 : spare[m] });
}

static bool heap_report_write_rows(const struct heap_report *r, const struct heft_write_opts *o,
				   struct sink *s, struct heft_err *err)
{
	static const struct report_kind kind = { .above = heap_report_put_above,
						 .label = heap_report_put_label,
						 .document = &heap_document_fields };
	static const struct report_kind stacks = { .above = heap_report_put_above,
						   .label = heap_report_put_label,
						   .lines = heap_report_put_frames,
						   .path = heap_report_put_path,
						   .document = &heap_document_fields,
						   .row = &stack_row_fields };
	const enum heft_heap_by by = r->query.by;
	const bool tree = by == HEFT_HEAP_BY_TREE || by == HEFT_HEAP_BY_CALLERS;
	struct arena arena = { 0 };
	struct writing w = { r, r->info, r->base, r->notes, r->note_count, { 0 }, NULL };
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
		heap_list_frames(&w);
	heap_report_set_columns(&rows);
	report_all_fields(&rows, &arena);
	const bool good = report_write(&rows, s, err);
	mem_free(w.place);
	vec_release(&w.frames);
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
