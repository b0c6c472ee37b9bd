/* Makes tabs of profiles, snapshots, heaps and samples. */
#include "page/page_tabs.h"

#include "base/filename.h"
#include "compare/diff_rows.h"
#include "page/cards/all_rows.h"
#include "page/cards/symbol_cards.h"
#include "report/heap_report.h"

enum { FILE_FACTS = 4 };

static void add_file_facts(const struct entry *e, struct heft_page_fact *to)
{
	const struct heft_file_info info = entry_info(e), *const i = &info;
	const bool base = i->role == HEFT_BASE;
	to[0] = (struct heft_page_fact){ base ? "base" : "file", i->path };
	to[1] = (struct heft_page_fact){ "format", i->format };
	to[2] = (struct heft_page_fact){ "build id", i->build_id };
	to[3] = (struct heft_page_fact){ "debug file", i->debug_path };
}

/* Returns the inputs' memory regions with a known length, in the arena. */
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
	const struct symbol_code *code; /* May be NULL */
};

static const struct symbol_card *card_of(void *ctx, const struct heft_row *row)
{
	return symbol_cards_of(&((struct profile_cards *)ctx)->cards, (label_id)row_ref(row));
}

static struct str code_of(void *ctx, const struct heft_row *row)
{
	return symbol_code_of(((struct profile_cards *)ctx)->code, (label_id)row_ref(row));
}

/* Returns a fact for the page: how much of the code it shows. */
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

void page_add_profile(struct page *page, const char *title, const struct heft_profile *profile,
		      const struct symbol_code *code)
{
	/* Entries after the inputs are members of thin archives. Shows the first entries only. */
	enum { FILES_MAX = 8 };
	struct heft_page_fact facts[FILES_MAX * FILE_FACTS + 1];
	struct arena arena = { 0 };
	size_t count = 0;
	for (size_t i = 0; i < profile->entries.count && i < FILES_MAX; i++) {
		add_file_facts(&profile->entries.data[i], facts + count);
		count += FILE_FACTS;
	}
	ASSERT(count < COUNT_OF(facts));
	if (code)
		facts[count++] = code_fact(code, profile->diff, &arena);
	struct all_rows rows;
	all_rows_begin(&rows, profile);
	size_t region_count;
	const struct page_region *regions = regions_of(profile, &region_count, &arena);
	struct profile_cards cards = { .code = code };
	const bool any_cards = symbol_cards_init(&cards.cards, profile);
	page_add(page, &(struct page_tab){ .title = title,
					   .kind = "sizes",
					   .table = &rows.table,
					   .maker = &rows.maker,
					   .facts = facts,
					   .fact_count = count,
					   .notes = profile->context.notes.data,
					   .note_count = profile->context.notes.count,
					   .card_of = any_cards ? card_of : NULL,
					   .code_of = code ? code_of : NULL,
					   .regions = regions,
					   .region_count = region_count,
					   .ctx = &cards });
	symbol_cards_release(&cards.cards);
	all_rows_end(&rows);
	arena_release(&arena);
}

void page_add_lists(struct page *page, const char *title, const struct snapshot *before,
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
	/* Facts that explain why the sums differ from those of the tab with all bytes. */
	const struct heft_page_fact facts[] = {
		{ "counted", "what the file holds because of each symbol, without debug info" },
		{ "paired", "by names, then by contents: a renamed symbol is one row" },
	};
	page_add(page, &(struct page_tab){ .title = title,
					   .kind = "symbols",
					   .table = &rows.table,
					   .facts = facts,
					   .fact_count = before ? COUNT_OF(facts) : 1,
					   .notes = after->context.notes.data,
					   .note_count = after->context.notes.count,
					   .only_now = !before });
	diff_rows_release(&rows);
	diff_release(&diff);
	snapshot_release(&nothing);
}

struct stacker {
	struct page *page;
	const struct heap_report *report;
	struct page_stacks stacks;
};

static uint32_t step_of(void *ctx, const struct heft_row *row)
{
	struct stacker *k = ctx;
	struct page *page = k->page;
	struct heap_path path = { 0 };
	uint32_t at = 0;
	heap_path_of(&path, k->report, row_ref(row));
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

void page_add_stacks(struct page *page, const char *title, const struct heft_heap *heap,
		     const struct heft_heap_report *report, const char *damage)
{
	const struct process_heap *known = &heap->process.heap;
	struct heap_strip strip = { 0 };
	if (known->layout.spans.count > 0)
		heap_strip_make(&strip, &known->layout);
	struct stacker k = { .page = page, .report = &report->report };
	struct arena arena = { 0 };
	const char *command = arena_copy(&arena, heap_command(&heap->info));
	const struct heft_page_fact facts[] = { { "dump", file_name(heap->info.of.path) },
						{ "kind", heap->info.of.kind },
						{ "command", command },
						{ "what is live is not known",
						  heap->info.of.unknown } };
	const size_t all = COUNT_OF(facts) - (heap->info.of.live_known ? 1 : 0);
	struct page_point *points = moments_of(heap);
	page_text(page, "");
	page_step(&k.stacks, 0, &(struct page_frame){ 0 });
	page_add(page, &(struct page_tab){ .title = title,
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

void page_add_samples(struct page *page, const char *title, struct heft_samples *s)
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
	page_add(page, &(struct page_tab){ .title = title,
					   .kind = "blocks",
					   .table = &rows.table,
					   .facts = facts,
					   .fact_count = COUNT_OF(facts) });
	profile_rows_release(&rows);
	mem_free(names);
}
