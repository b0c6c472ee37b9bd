/* Implements pages: heft_page_*. */
#include "api/structs.h"
#include "page/cards/symbol_cards.h"
#include "report/heap_report.h"
#include "page/cards/symbol_code.h"
#include "holders/holders.h"
#include "page/page.h"
#include "page/cards/all_rows.h"
#include "api/page_handle.h"
#include "measure/profile.h"
#include "measure/snapshot_handle.h"
#include "base/filename.h"
#include "image/kinds.h"
#include "compare/diff_rows.h"

#include <stdio.h>

struct heft_page *heft_page_new(struct heft_session *session)
{
	struct heft_page *p = session ? handle_new(sizeof *p) : NULL;
	if (p)
		context_begin(&p->context, session, p->memory);
	return p;
}

static void page_handle_release(void *handle)
{
	struct heft_page *p = handle;
	page_release(&p->page);
	context_release(&p->context);
	mem_free(p);
}

void heft_page_free(struct heft_page *p)
{
	if (p)
		context_end(&p->context);
	handle_free(p, page_handle_release);
}

/* ---- kinds of files -------------------------------------------------------------------------- */

static bool page_handle_look(const struct heft_session *s, const char *path,
			     enum heft_input_kind *ret, struct heft_err *err)
{
	static const enum heft_input_kind kinds[KIND_COUNT] = {
		[KIND_CORE] = HEFT_INPUT_DUMP,        [KIND_RECORDING] = HEFT_INPUT_DUMP,
		[KIND_PACKAGE] = HEFT_INPUT_LIST,     [KIND_DEX] = HEFT_INPUT_LIST,
		[KIND_PAK] = HEFT_INPUT_LIST,         [KIND_SIZE] = HEFT_INPUT_LIST,
		[KIND_SIZEDIFF] = HEFT_INPUT_LISTS,   [KIND_SAMPLES] = HEFT_INPUT_SAMPLES,
		[KIND_DATABASE] = HEFT_INPUT_HISTORY,
	};
	struct file f;
	_Static_assert(HEFT_INPUT_PROGRAM == 0, "all other kinds are for a profile");
	memory_set_inputs(&s->finder.wish.inputs);
	if (str_starts(str_of(path), STR("postgresql://"))) {
		*ret = HEFT_INPUT_HISTORY;
		return true;
	}
	if (!file_open(&f, path, err))
		return false;
	*ret = kinds[file_format_of(f.bytes, NULL)->kind];
	file_close(&f);
	return true;
}

bool heft_input_look(const struct heft_session *s, const char *path, enum heft_input_kind *ret,
		     struct heft_err *err)
{
	return GUARDED_ALONE(err, page_handle_look(s, path, ret, err));
}

/* ---- profiles -------------------------------------------------------------------------------- */

enum { FILE_FACTS = 4 };

static void add_file_facts(const struct heft_file_info *i, struct heft_page_fact *to)
{
	const bool base = i->role == HEFT_BASE;
	to[0] = (struct heft_page_fact){ base ? "base" : "file", i->path };
	to[1] = (struct heft_page_fact){ "format", i->format };
	to[2] = (struct heft_page_fact){ "build id", i->build_id };
	to[3] = (struct heft_page_fact){ "debug file", i->debug_path };
}

/* Returns the memory regions of the inputs whose lengths are stated, in the arena. */
static struct page_region *regions_of(const struct heft_profile *p, size_t *ret_count,
				      struct arena *arena)
{
	struct page_region *list = arena_new(arena, struct page_region, p->regions.list.count + 1);
	*ret_count = 0;
	for (size_t i = 0; i < p->regions.list.count; i++) {
		const struct region_sum *r = &p->regions.list.data[i];
		const struct region_sum *base = region_sums_find(&p->base_regions, r->name);
		if (!r->open)
			list[(*ret_count)++] = (struct page_region){ r->name, r->origin, r->length,
								     r->used,
								     base ? base->used : 0 };
	}
	return list;
}

struct profile_cards {
	struct symbol_cards cards;
	const struct symbol_code *code; /* May be NULL. */
};

static const struct symbol_card *card_of(void *ctx, const struct heft_row *row)
{
	return symbol_cards_of(&((struct profile_cards *)ctx)->cards, (label_id)row->ref);
}

static struct str page_handle_code_of(void *ctx, const struct heft_row *row)
{
	return symbol_code_of(((struct profile_cards *)ctx)->code, (label_id)row->ref);
}

/* Returns the fact that says how much of the code is shown. */
static struct heft_page_fact code_fact(const struct symbol_code *c, bool diff, struct arena *arena)
{
	const char *first = diff ? "whose size changed most" : "that ran most, then the largest";
	const char *text = c->missing ? c->missing
			   : c->shown == c->all
				   ? arena_format(arena, "of all %zu functions", c->all)
				   : arena_format(arena, "of %zu of %zu functions: those %s",
						  c->shown, c->all, first);
	return (struct heft_page_fact){ "disassembly", text };
}

static void page_handle_add_profile(struct heft_page *p, const char *title,
				    struct heft_profile *profile, struct symbol_code *code)
{
	const size_t files = heft_profile_file_count(profile);
	struct arena arena = { 0 };
	struct heft_file_info info = { .size = sizeof info };
	struct heft_page_fact *facts = mem_zeroed(files + 1, FILE_FACTS * sizeof *facts);
	size_t count = 0;
	/* Members of thin archives follow the inputs; a few are enough. */
	for (size_t i = 0; i < files && i < 8 && heft_profile_file(profile, i, &info, NULL); i++) {
		add_file_facts(&info, facts + count);
		count += FILE_FACTS;
	}
	if (code)
		facts[count++] = code_fact(code, profile->diff, &arena);
	struct all_rows rows;
	all_rows_begin(&rows, profile);
	size_t region_count;
	const struct page_region *regions = regions_of(profile, &region_count, &arena);
	struct profile_cards cards = { .code = code };
	const bool any_cards = symbol_cards_init(&cards.cards, profile);
	page_add(&p->page, &(struct page_tab){ .title = title,
					       .kind = "sizes",
					       .table = &rows.table,
					       .maker = &rows.maker,
					       .facts = facts,
					       .fact_count = count,
					       .notes = profile->context.notes.data,
					       .note_count = profile->context.notes.count,
					       .card_of = any_cards ? card_of : NULL,
					       .code_of = code ? page_handle_code_of : NULL,
					       .regions = regions,
					       .region_count = region_count,
					       .ctx = &cards });
	symbol_cards_release(&cards.cards);
	all_rows_end(&rows);
	mem_free(facts);
	arena_release(&arena);
}

static bool has_run(struct heft_profile *profile, struct heft_err *err)
{
	memory_need_whole(profile->memory);
	return heft_profile_table(profile) ||
	       fail(err, HEFT_EARG, HEFT_NO_OFFSET, "the profile has not run");
}

bool heft_page_add_profile(struct heft_page *p, const char *title, struct heft_profile *profile,
			   struct heft_err *err)
{
	return GUARDED(p->memory, err,
		       has_run(profile, err) &&
			       (page_handle_add_profile(p, title, profile, NULL), true));
}

bool heft_page_add_profile_code(struct heft_page *p, const char *title,
				struct heft_profile *profile, struct heft_blocks *blocks,
				struct heft_samples *samples, struct heft_err *err)
{
	struct symbol_code code;
	if (!GUARDED(blocks ? blocks->memory : p->memory, err,
		     has_run(profile, err) &&
			     symbol_code_make(&code, profile, blocks, samples, err)))
		return false;
	const bool good = GUARDED(p->memory, err,
				  (page_handle_add_profile(p, title, profile, &code), true));
	symbol_code_release(&code);
	return good;
}

/* ---- snapshots ------------------------------------------------------------------------------- */

static void add_lists(struct heft_page *p, const char *title, const struct snapshot *before,
		      const struct heft_snapshot *after)
{
	struct snapshot nothing;
	struct snapshot_diff diff;
	struct diff_rows rows;
	const struct heft_diff_query query = { .size = sizeof query };
	snapshot_init(&nothing);
	diff_init(&diff, before ? before : &nothing, &after->snapshot, false);
	diff_rows_make(&rows, &diff, &query);
	diff_rows_show_all(&rows);
	page_add(&p->page, &(struct page_tab){ .title = title,
					       .kind = "symbols",
					       .table = &rows.table,
					       .notes = after->context.notes.data,
					       .note_count = after->context.notes.count,
					       .only_now = !before });
	diff_rows_release(&rows);
	diff_release(&diff);
	snapshot_release(&nothing);
}

static bool page_handle_add_snapshot(struct heft_page *p, const char *title,
				     const struct heft_snapshot *before,
				     const struct heft_snapshot *after, struct heft_err *err)
{
	if (!after->open || (before && !before->open))
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "the snapshot is not open");
	memory_need_whole(after->memory);
	if (before)
		memory_need_whole(before->memory);
	const struct snapshot *half = after->is_diff ? &after->before : NULL;
	add_lists(p, title, before ? &before->snapshot : half, after);
	return true;
}

bool heft_page_add_snapshot(struct heft_page *p, const char *title,
			    const struct heft_snapshot *before, const struct heft_snapshot *after,
			    struct heft_err *err)
{
	return GUARDED(p->memory, err, page_handle_add_snapshot(p, title, before, after, err));
}

/* ---- heaps ----------------------------------------------------------------------------------- */

struct stacker {
	struct heft_page *page;
	const struct heap_report *report;
	struct page_stacks stacks;
};

static uint32_t step_of(void *ctx, const struct heft_row *row)
{
	struct stacker *k = ctx;
	struct page *page = &k->page->page;
	struct heap_path path = { 0 };
	uint32_t at = 0;
	heap_path_of(&path, k->report, row->ref);
	for (size_t i = 0; i < path.steps.count; i++) {
		const struct heap_site *s = heap_step_site(k->report, path.steps.data[i]);
		const struct page_frame frame = { .function = page_text(page, s->label),
						  .file = page_text(page, s->frame.file),
						  .module = page_text(page, s->frame.module),
						  .line = s->frame.line };
		at = page_step(&k->stacks, at, &frame);
	}
	vec_release(&path.steps);
	return at;
}

static struct page_point *moments_of(const struct heft_heap *h)
{
	struct page_point *points = mem_zeroed(h->moments.count + 1, sizeof *points);
	for (size_t i = 0; i < h->moments.count; i++)
		points[i] = (struct page_point){ h->moments.data[i].at,
						 h->moments.data[i].live_bytes,
						 h->moments.data[i].peak_bytes };
	return points;
}

/* A text in memory of the C library: it belongs to neither of two handles. */
struct loose_text {
	char *p;
	size_t size;
};

static bool loose_text_put(void *ctx, const void *data, size_t size)
{
	struct loose_text *t = ctx;
	char *grown = realloc(t->p, t->size + size + 1);
	if (!grown)
		return false;
	memcpy(grown + t->size, data, size);
	t->p = grown;
	t->size += size;
	t->p[t->size] = '\0';
	return true;
}

/* Returns the damage as text of heft heap check; NULL if there is none. Release with free(). */
static bool tell_damage(struct heft_heap *heap, char **ret, struct heft_err *err)
{
	struct loose_text text = { 0 };
	size_t count;
	*ret = NULL;
	if (!heft_heap_find_damage(heap, &count, err))
		return false;
	const bool good = count == 0 ||
			  heft_heap_write(heap, HEFT_HEAP_CHECK, HEFT_TABLE,
					  &(struct heft_sink){ loose_text_put, &text }, err);
	*ret = text.p;
	return good;
}

static void page_handle_add_stacks(struct heft_page *p, const char *title,
				   const struct heft_heap *heap,
				   const struct heft_heap_report *report, const char *damage)
{
	const struct process_heap *known = &heap->process.heap;
	struct heap_strip strip = { 0 };
	if (known->layout.spans.count > 0)
		heap_strip_make(&strip, &known->layout);
	struct stacker k = { .page = p, .report = &report->report };
	struct arena arena = { 0 };
	const char *command = arena_copy(&arena, heap_command(&heap->info));
	const struct heft_page_fact facts[] = { { "dump", file_name(heap->info.of.path) },
						{ "kind", heap->info.of.kind },
						{ "command", command },
						{ "what is live is not known",
						  heap->info.of.unknown } };
	const size_t all = COUNT_OF(facts) - (heap->info.of.live_known ? 1 : 0);
	struct page_point *points = moments_of(heap);
	page_text(&p->page, "");
	page_step(&k.stacks, 0, &(struct page_frame){ 0 });
	page_add(&p->page, &(struct page_tab){ .title = title,
					       .kind = "heap",
					       .table = &report->report.table,
					       .facts = facts,
					       .fact_count = all,
					       .notes = report->all_notes.data,
					       .note_count = report->all_notes.count,
					       .strip = strip.pieces.count > 0 ? &strip : NULL,
					       .damage = damage,
					       .points = points,
					       .point_count = heap->moments.count,
					       .stacks = &k.stacks,
					       .step_of = step_of,
					       .ctx = &k });
	mem_free(points);
	heap_strip_release(&strip);
	page_stacks_release(&k.stacks);
	arena_release(&arena);
}

/* Adds a tab for blocks that nothing points to, if that is known and there are any. */
static bool add_leaks(struct heft_page *p, const char *title, struct heft_heap *heap,
		      struct heft_err *err)
{
	const struct heft_heap_query query = { .size = sizeof query, .leaks = true };
	char name[300];
	if (heap->process.heap.blocks.live.count == 0)
		return true;
	struct heft_heap_report *r = heft_heap_report_new(heap, NULL, &query, err);
	if (!r)
		return err->code == HEFT_EUNSUPPORTED;
	snprintf(name, sizeof name, "%s: leaks", title);
	const bool good = r->report.table.top->child_count == 0 ||
			  GUARDED(p->memory, err,
				  (page_handle_add_stacks(p, name, heap, r, NULL), true));
	heft_heap_report_free(r);
	return good;
}

bool heft_page_add_heap(struct heft_page *p, const char *title, struct heft_heap *heap,
			struct heft_heap *base, struct heft_err *err)
{
	/* As in heft heap diff, a function above a change has everything below it. */
	const struct heft_heap_query query = { .size = sizeof query, .unchanged = true };
	char *damage;
	/* Damage comes first: the search looks at the stacks of working threads, whose names are
	 * then found with those of the blocks. */
	struct heft_heap_report *r = tell_damage(heap, &damage, err)
					     ? heft_heap_report_new(heap, base, &query, err)
					     : NULL;
	const bool good = r && GUARDED(p->memory, err,
				       (page_handle_add_stacks(p, title, heap, r, damage), true));
	free(damage);
	heft_heap_report_free(r);
	return good && (base || add_leaks(p, title, heap, err));
}

/* ---- samples --------------------------------------------------------------------------------- */

static void page_handle_add_samples(struct heft_page *p, const char *title, struct heft_samples *s)
{
	const struct heft_samples_query all = { 0 };
	const struct heft_page_fact facts[] = { { "counts are",
						  s->info.estimated ? "samples, without branches"
								    : "how often blocks ran" } };
	struct profile_rows rows;
	struct heft_measure measures[HEFT_SAMPLES_MEASURES];
	memory_need_whole(s->blocks->memory);
	struct memory *mine = memory_enter(s->blocks->memory);
	const char **names = counts_names(s);
	memory_enter(mine);
	(void)counts_rows(s, names, &all, &rows, NULL);
	memcpy(measures, rows.table.measures, sizeof measures);
	measures[HEFT_SAMPLES_COUNT].title = s->info.estimated ? "samples" : "times run";
	rows.table.measures = measures;
	page_add(&p->page, &(struct page_tab){ .title = title,
					       .kind = "blocks",
					       .table = &rows.table,
					       .facts = facts,
					       .fact_count = COUNT_OF(facts) });
	profile_rows_release(&rows);
	mem_free(names);
}

bool heft_page_add_samples(struct heft_page *p, const char *title, struct heft_samples *s,
			   struct heft_err *err)
{
	return GUARDED(p->memory, err, (page_handle_add_samples(p, title, s), true));
}

/* ---- timelines ------------------------------------------------------------------------------- */

static bool page_add_timeline(struct heft_page *p, const char *title,
			      const struct heft_page_timeline *given, struct heft_err *err)
{
	struct heft_page_timeline t = { 0 };
	if (!TAKE(heft_page_timeline, &t, given, err))
		return false;
	if (!t.table)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "a timeline needs a table");
	page_add(&p->page, &(struct page_tab){ .title = title,
					       .kind = "history",
					       .table = t.table,
					       .facts = t.facts,
					       .fact_count = t.fact_count,
					       .timeline = &t });
	return true;
}

bool heft_page_add_timeline(struct heft_page *p, const char *title,
			    const struct heft_page_timeline *t, struct heft_err *err)
{
	return GUARDED(p->memory, err, page_add_timeline(p, title, t, err));
}

/* ---- the file -------------------------------------------------------------------------------- */

bool heft_page_write(struct heft_page *p, const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED(p->memory, err, page_write(&p->page, sink, err));
}
