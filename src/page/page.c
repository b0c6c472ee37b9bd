/* Turns a table into the columns of a tab. */
#include "page/page.h"
#include "map/rows.h"

#include "base/json.h"
#include "base/tame.h"
#include "page/cards/symbol_cards.h"
#include "report/report.h"
#include "report/row_walk.h"

#include <math.h>

enum { LABELS_MAX = 40 };

/* Properties of columns, by name. */
static const struct page_known {
	const char *name, *title;
	const char *split; /* Separator of a label's parts. Each part becomes a level */
	bool aside;        /* True if users cannot group rows by this column */
} known[] = {
	{ "armembers", "Archive members", "/", false },
	{ "address", "Address", NULL, true },
	{ "allocations", "Call stacks", ";", false },
	{ "block", "Basic blocks", NULL, false },
	{ "blockkinds", "Kinds of code", NULL, false },
	{ "blocks", "Basic blocks", NULL, false },
	{ "build", "Builds", NULL, false },
	{ "compileunits", "Source tree", "/", false },
	{ "crates", "Crates", NULL, false },
	{ "directories", "Directories", "/", false },
	{ "disassembly", "Disassembly", NULL, true },
	{ "dominators", "What keeps what", ";", false },
	{ "file", "Source files", "/", false },
	{ "flags", "Flags", NULL, false },
	{ "function", "Functions", NULL, false },
	{ "functions", "Functions", NULL, false },
	{ "fullsymbols", "Symbols", NULL, false },
	{ "generics", "Generics and templates", NULL, false },
	{ "hotness", "Hotness", NULL, false },
	{ "in_component", "Components", ">", false },
	{ "in_container", "Containers", NULL, false },
	{ "in_section", "Sections", NULL, false },
	{ "inlines", "Inlined lines", NULL, false },
	{ "inlinestacks", "Inlined calls", ";", false },
	{ "inputfiles", "Input files", "/", false },
	{ "libraries", "Libraries", NULL, false },
	{ "line", "Line", NULL, true },
	{ "linkage_name", "Linkage name", NULL, true },
	{ "mappings", "Mappings", NULL, false },
	{ "module", "Modules", NULL, false },
	{ "modules", "Modules", NULL, false },
	{ "namespaces", "Namespaces", "::", false },
	{ "objects", "Objects", "/", false },
	{ "packages", "Packages", NULL, false },
	{ "paired_by", "Paired by", NULL, true },
	{ "path", "Source tree", "/", false },
	{ "rawsymbols", "Symbols", NULL, false },
	{ "reach", "Leaks", NULL, false },
	{ "regions", "Memory regions", NULL, false },
	{ "sections", "Sections", NULL, false },
	{ "segments", "Segments", NULL, false },
	{ "shortsymbols", "Symbols", NULL, false },
	{ "sourcefiles", "Declared in", "/", false },
	{ "sure", "How sure", NULL, false },
	{ "stack", "Call stacks", NULL, false },
	{ "symbol", "Symbols", NULL, false },
	{ "symbols", "Symbols", NULL, false },
	{ "threads", "Threads", NULL, false },
	{ "was", "Was", NULL, true },
};

/* One column of labels, for all lines. */
struct page_labels {
	const char *name;
	VEC(uint32_t)
	numbers;           /* Per text of the page: 1 + its number in this column. 0 if not in it */
	struct text texts; /* Dictionary of the column */
	struct text lines; /* Per line a varint: 0 for a new label, else `count` + 1 - its number */
	uint32_t count;
};

struct page_flat {
	struct page *page;
	const struct page_tab *tab;
	struct page_labels labels[LABELS_MAX];
	size_t label_count;
	unsigned measures[COLUMNS_MAX]; /* Indexes of the table's measures that the page shows */
	size_t measure_count;
	struct text now[COLUMNS_MAX], base[COLUMNS_MAX];
	struct text changes, others, steps, cards, code;
	uint64_t card_numbers;    /* Number of varints in `cards` */
	uint64_t codes;           /* Number of labels that have code in `code` */
	uint32_t last_code;       /* Number of the last label in `code` */
	uint32_t ids[LABELS_MAX]; /* Per level: text number of the row's label */
	VEC(uint32_t)
	by_ref; /* Per row_ref() of a row: number of its label's text + 1. 0: not known yet */
	uint64_t lines;
};

static bool page_has_base(const struct page_flat *f)
{
	return f->tab->table->diff && !f->tab->only_now;
}

static bool has_changes(const struct page_flat *f)
{
	return f->tab->table->has_changes && !f->tab->only_now;
}

uint32_t page_text(struct page *p, const char *text)
{
	if (p->texts.entries.count == 0)
		intern_add(&p->texts, STR(""));
	return intern_add(&p->texts, str_of(text));
}

/* Writes a label of a line. True if the label is new. */
static bool page_put_label(struct page_labels *l, uint32_t text)
{
	while (l->numbers.count <= text)
		vec_push(&l->numbers, 0);
	uint32_t *number = &l->numbers.data[text];
	if (*number == 0) {
		text_add_varint(&l->texts, text);
		text_add_varint(&l->lines, 0);
		*number = ++l->count;
		return true;
	}
	text_add_varint(&l->lines, l->count + 1 - *number);
	return false;
}

static void page_add_number(struct page_flat *f, uint64_t n)
{
	text_add_varint(&f->cards, n);
	f->card_numbers++;
}

/* Writes the number of a text as its distance from a label. Adjacent names have similar numbers, so
 * the difference is small. */
static void page_add_name(struct page_flat *f, uint32_t label, const char *name, unsigned first)
{
	const int64_t n = (int64_t)label - page_text(f->page, name);
	page_add_number(f, first + (n < 0 ? 2 * (uint64_t)-(n + 1) + 1 : 2 * (uint64_t)n));
}

/* Writes what keeps the symbols of a label: docs/page.md. */
static void page_put_keeper(struct page_flat *f, const struct symbol_card *c, uint32_t label)
{
	const struct keeper *k = c->kept;
	page_add_number(f, !k ? 0 : k->reached ? 2 : 1);
	if (!k || !k->reached)
		return;
	const char *const names[] = { c->keeper, c->by };
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (names[i])
			page_add_name(f, label, names[i], 1);
		else
			page_add_number(f, 0);
	page_add_number(f, page_text(f->page, k->kind));
	page_add_number(f, k->line);
	if (k->line > 0)
		page_add_number(f, page_text(f->page, k->file));
}

static void page_put_card(struct page_flat *f, const struct heft_row *row, uint32_t label)
{
	static const struct symbol_card nothing;
	const struct symbol_card *c = row ? f->tab->card_of(f->tab->ctx, row) : &nothing;
	page_add_number(f, c->all_users);
	page_add_number(f, c->user_count);
	for (size_t i = 0; i < c->user_count; i++)
		page_add_name(f, label, c->users[i], 0);
	page_add_number(f, c->all_texts);
	if (c->all_texts > 0)
		page_add_number(f, intern_add(&f->page->texts, c->texts));
	page_put_keeper(f, c, label);
}

/* Writes the code of a row, if it has any. `number`: of the row's label in the last level. */
static void page_put_code(struct page_flat *f, const struct heft_row *row, uint32_t number)
{
	const struct str code = f->tab->code_of(f->tab->ctx, row);
	if (code.len == 0)
		return;
	text_add_varint(&f->code, number - f->last_code);
	text_add_varint(&f->code, intern_add(&f->page->texts, code));
	f->last_code = number;
	f->codes++;
}

static void put_double(struct text *t, double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	for (unsigned i = 0; i < 8; i++)
		text_add_char(t, (char)(bits >> 8 * i));
}

static bool page_is_parts(const struct page_flat *f, unsigned measure)
{
	return f->tab->table->measures[measure].unit == HEFT_PARTS;
}

static void page_put_values(const struct page_flat *f, struct text *to, const uint64_t *whole,
			    const double *exact)
{
	for (size_t i = 0; i < f->measure_count; i++) {
		const unsigned m = f->measures[i];
		if (page_is_parts(f, m))
			put_double(&to[i], exact ? exact[m] : (double)NAN);
		else
			text_add_varint(&to[i], whole[m]);
	}
}

/* Writes a line: labels of f->ids, numbers of `numbers`, other texts of `row` (may be NULL). */
static void put_line(struct page_flat *f, const struct heft_row *row,
		     const struct heft_row *numbers)
{
	const struct heft_table *t = f->tab->table;
	bool is_new = false;
	for (size_t i = 0; i < t->level_count; i++)
		is_new = page_put_label(&f->labels[i], f->ids[i]);
	if (is_new && f->tab->card_of)
		page_put_card(f, row, f->ids[t->level_count - 1]);
	if (is_new && row && f->tab->code_of)
		page_put_code(f, row, f->labels[t->level_count - 1].count - 1);
	for (size_t i = 0; i < t->text_count; i++)
		page_put_label(&f->labels[t->level_count + i],
			       !row         ? f->ids[0]
			       : row->texts ? page_text(f->page, row->texts[i])
					    : 0);
	page_put_values(f, f->now, numbers->now, numbers->now_exact);
	if (page_has_base(f))
		page_put_values(f, f->base, numbers->base, numbers->base_exact);
	if (has_changes(f))
		text_add_varint(&f->changes, row && row->others == 0 ? row->change : 0);
	text_add_varint(&f->others, row ? row->others : 0);
	if (f->tab->stacks)
		text_add_varint(&f->steps,
				row && row->others == 0 ? f->tab->step_of(f->tab->ctx, row) : 0);
	f->lines++;
}

/* Returns the page's number of a row's label. Caches it: most labels are in several rows. */
static uint32_t text_of_row(struct page_flat *f, const struct heft_row *row)
{
	if (!f->tab->maker)
		return page_text(f->page, row->label);
	while (f->by_ref.count <= row_ref(row))
		vec_push(&f->by_ref, 0);
	uint32_t *text = &f->by_ref.data[row_ref(row)];
	if (*text == 0)
		*text = page_text(f->page, row->label) + 1;
	return *text - 1;
}

/* Sets the label of all levels from `depth` on to text number `id`. */
static void set_text(struct page_flat *f, size_t depth, uint32_t id)
{
	for (size_t i = depth; i < f->tab->table->level_count; i++)
		f->ids[i] = id;
}

/* An inner row's numbers minus the sums of its children, in the base and now. For a diff, these are
 * bytes of unchanged symbols, because the table has no rows for them. */
struct page_rest {
	uint64_t whole[COLUMNS_MAX];
	double exact[COLUMNS_MAX];
	bool is_something;
};

static void page_find_rest(const struct page_flat *f, const struct heft_row *row, bool base,
			   struct page_rest *ret)
{
	for (size_t i = 0; i < f->measure_count; i++) {
		const unsigned m = f->measures[i];
		const bool parts = page_is_parts(f, m);
		uint64_t whole = (base ? row->base : row->now)[m];
		double exact = parts ? row_number(f->tab->table, row, m, base) : 0;
		for (size_t k = 0; k < row->child_count; k++) {
			const struct heft_row *child = row->children[k];
			whole -= (base ? child->base : child->now)[m];
			exact -= parts ? row_number(f->tab->table, child, m, base) : 0;
		}
		ret->whole[m] = whole;
		ret->exact[m] = exact;
		ret->is_something |= parts ? exact > 1e-3 : whole > 0;
	}
}

/* Writes what an inner row has in excess of its children, as a line. */
static void page_put_rest(struct page_flat *f, const struct heft_row *row, size_t depth)
{
	struct page_rest now = { .is_something = false }, base = { .is_something = false };
	if (!f->tab->table->diff)
		return;
	page_find_rest(f, row, false, &now);
	page_find_rest(f, row, true, &base);
	if (!now.is_something && !base.is_something)
		return;
	set_text(f, depth, page_text(f->page, "[unchanged]"));
	put_line(f, NULL,
		 &(struct heft_row){ .now = now.whole,
				     .base = base.whole,
				     .now_exact = now.exact,
				     .base_exact = base.exact });
}

static void page_put_rows(struct page_flat *f)
{
	const struct heft_table *t = f->tab->table;
	struct row_walk walk;
	row_walk_init(&walk, t->top);
	walk.maker = f->tab->maker;
	page_put_rest(f, t->top, 0);
	for (const struct heft_row *row; (row = row_next(&walk)) != NULL;) {
		const size_t depth = walk.levels.count - 2;
		set_text(f, depth, text_of_row(f, row));
		if (row->child_count == 0)
			put_line(f, row, row);
		else
			page_put_rest(f, row, depth + 1);
	}
	row_walk_release(&walk);
}

/* Writes a member whose text users see. Escapes control characters. */
static void page_put_shown(struct json *j, const char *key, const char *text)
{
	char room[1000];
	tame_copy(room, sizeof room, str_of(text));
	json_key(j, key);
	json_text(j, str_of(room));
}

/* Appends a stream of numbers to page.data. Writes its size into the open JSON array. */
static void put_stream(struct page_flat *f, struct json *j, struct text *column)
{
	json_uint(j, column->len);
	text_add(&f->page->data, text_str(column));
	text_release(column);
}

/* Moves the streams of an object to the page's data. Writes the sizes of the streams as the last
 * member "sizes", and closes the object. */
static void page_end_part(struct page_flat *f, struct json *j, struct text *const *streams,
			  size_t count)
{
	json_member_open(j, "sizes", '[');
	for (size_t i = 0; i < count; i++)
		put_stream(f, j, streams[i]);
	json_close(j, ']');
	json_close(j, '}');
}

static void page_begin_part(struct json *j, const char *key)
{
	json_member_open(j, key, '{');
}

static void page_put_column(struct page_flat *f, struct json *j, struct page_labels *l, bool stack)
{
	const struct page_known *k = NULL;
	for (size_t i = 0; i < COUNT_OF(known) && k == NULL; i++)
		k = strcmp(known[i].name, l->name) == 0 ? &known[i] : NULL;
	json_open(j, '{');
	page_put_shown(j, "name", l->name);
	page_put_shown(j, "title", k ? k->title : l->name);
	if (k && k->split)
		page_put_shown(j, "split", k->split);
	json_member_bool(j, "aside", (k && k->aside) || l->count <= 1);
	json_member_bool(j, "stack", stack);
	json_member_uint(j, "count", l->count);
	page_end_part(f, j, (struct text *const[]){ &l->texts, &l->lines }, 2);
	vec_release(&l->numbers);
}

static void page_put_measures(struct page_flat *f, struct json *j)
{
	static const char *const units[] = { "bytes", "count", "parts" };
	json_member_open(j, "measures", '[');
	for (size_t i = 0; i < f->measure_count; i++) {
		const struct heft_measure *m = &f->tab->table->measures[f->measures[i]];
		json_open(j, '{');
		page_put_shown(j, "name", m->name);
		page_put_shown(j, "title", m->title);
		page_put_shown(j, "unit", units[m->unit]);
		page_end_part(f, j, (struct text *const[]){ &f->now[i], &f->base[i] },
			      page_has_base(f) ? 2 : 1);
	}
	json_close(j, ']');
}

static void page_put_stacks(struct page_flat *f, struct json *j)
{
	const struct page_stacks *s = f->tab->stacks;
	struct text frames = { 0 }, steps = { 0 };
	for (size_t i = 0; i < s->frames.count; i++) {
		text_add_varint(&frames, s->frames.data[i].function);
		text_add_varint(&frames, s->frames.data[i].file);
		text_add_varint(&frames, s->frames.data[i].module);
		text_add_varint(&frames, s->frames.data[i].line);
	}
	for (size_t i = 1; i < s->steps.count; i++) {
		text_add_varint(&steps, i - s->steps.data[i].parent);
		text_add_varint(&steps, s->steps.data[i].frame);
	}
	page_begin_part(j, "stacks");
	json_member_uint(j, "frames", s->frames.count);
	json_member_uint(j, "steps", s->steps.count);
	page_end_part(f, j, (struct text *const[]){ &frames, &steps, &f->steps }, 3);
}

static void put_points(struct page_flat *f, struct json *j)
{
	struct text points = { 0 };
	for (size_t i = 0; i < f->tab->point_count; i++) {
		text_add_varint(&points, f->tab->points[i].at);
		text_add_varint(&points, f->tab->points[i].value);
		text_add_varint(&points, f->tab->points[i].peak);
	}
	page_begin_part(j, "points");
	json_member_uint(j, "count", f->tab->point_count);
	page_end_part(f, j, (struct text *const[]){ &points }, 1);
}

static void put_strip(struct page_flat *f, struct json *j)
{
	const struct heap_strip *s = f->tab->strip;
	struct text pieces = { 0 };
	uint64_t at = 0;
	for (size_t i = 0; i < s->pieces.count; i++) {
		const struct heap_piece *p = &s->pieces.data[i];
		text_add_varint(&pieces, p->addr / s->size - at);
		text_add_varint(&pieces, p->live);
		text_add_varint(&pieces, p->free);
		text_add_varint(&pieces, p->other);
		at = p->addr / s->size;
	}
	page_begin_part(j, "strip");
	json_member_uint(j, "count", s->pieces.count);
	json_member_uint(j, "piece", s->size);
	page_end_part(f, j, (struct text *const[]){ &pieces }, 1);
}

static void page_put_course(struct page_flat *f, struct json *j)
{
	const struct heft_page_timeline *c = f->tab->timeline;
	struct text *streams = mem_zeroed(c->series_count + 1, sizeof *streams);
	struct text **list = mem_zeroed(c->series_count + 1, sizeof *list);
	page_begin_part(j, "course");
	json_member_uint(j, "count", c->build_count);
	json_member_open(j, "series", '[');
	for (size_t i = 0; i < c->build_count; i++) {
		const struct heft_page_build *b = &c->builds[i];
		text_add_varint(&streams[0], page_text(f->page, b->label));
		text_add_varint(&streams[0], page_text(f->page, b->branch));
		text_add_varint(&streams[0], page_text(f->page, b->date));
		text_add_varint(&streams[0], b->before);
	}
	list[0] = &streams[0];
	for (size_t i = 0; i < c->series_count; i++) {
		json_uint(j, page_text(f->page, c->series[i].title));
		for (size_t k = 0; k < c->build_count; k++)
			put_double(&streams[i + 1], c->series[i].values[k]);
		list[i + 1] = &streams[i + 1];
	}
	json_close(j, ']');
	page_end_part(f, j, list, c->series_count + 1);
	mem_free_all(streams, list);
}

/* Writes an object with data that only some labels of the last level have: cards, or code. */
static void page_put_extra(struct page_flat *f, struct json *j, const char *key,
			   const char *count_key, uint64_t count, struct text *stream)
{
	page_begin_part(j, key);
	json_member_uint(j, "column", f->tab->table->level_count - 1);
	json_member_uint(j, count_key, count);
	page_end_part(f, j, &stream, 1);
}

static void page_put_regions(struct json *j, const struct page_tab *tab)
{
	json_member_open(j, "regions", '[');
	for (size_t i = 0; i < tab->region_count; i++) {
		const struct page_region *r = &tab->regions[i];
		json_open(j, '{');
		page_put_shown(j, "name", r->name);
		json_member_uint(j, "origin", r->origin);
		json_member_uint(j, "length", r->length);
		json_member_uint(j, "used", r->used);
		json_member_uint(j, "base_used", r->base_used);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void page_put_facts(struct json *j, const struct page_tab *tab)
{
	json_member_open(j, "facts", '[');
	for (size_t i = 0; i < tab->fact_count; i++) {
		if (*tab->facts[i].text == '\0')
			continue;
		json_open(j, '{');
		page_put_shown(j, "name", tab->facts[i].name);
		page_put_shown(j, "text", tab->facts[i].text);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_member_open(j, "notes", '[');
	for (size_t i = 0; i < tab->note_count; i++) {
		json_open(j, '{');
		page_put_shown(j, "path", tab->notes[i].path);
		page_put_shown(j, "text", tab->notes[i].text);
		json_member_uint(j, "count", tab->notes[i].count);
		json_member_uint(j, "bytes", tab->notes[i].bytes);
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* Writes the tab as JSON. Appends its numbers, as streams in the same order, to page.data. */
static void put_tab(struct page_flat *f, struct json *j)
{
	const struct heft_table *t = f->tab->table;
	json_open(j, '{');
	page_put_shown(j, "title", f->tab->title);
	page_put_shown(j, "kind", f->tab->kind);
	json_member_bool(j, "diff", page_has_base(f));
	json_member_uint(j, "lines", f->lines);
	page_put_facts(j, f->tab);
	if (f->tab->region_count > 0)
		page_put_regions(j, f->tab);
	json_member_open(j, "columns", '[');
	for (size_t i = 0; i < f->label_count; i++)
		page_put_column(f, j, &f->labels[i], f->tab->stacks && i < t->level_count);
	json_close(j, ']');
	page_put_measures(f, j);
	json_key(j, "others");
	put_stream(f, j, &f->others);
	if (has_changes(f)) {
		json_key(j, "changes");
		put_stream(f, j, &f->changes);
	}
	if (f->tab->stacks)
		page_put_stacks(f, j);
	if (f->tab->point_count > 0)
		put_points(f, j);
	if (f->tab->strip)
		put_strip(f, j);
	if (f->tab->card_of)
		page_put_extra(f, j, "cards", "numbers", f->card_numbers, &f->cards);
	if (f->codes > 0)
		page_put_extra(f, j, "code", "count", f->codes, &f->code);
	if (f->tab->timeline)
		page_put_course(f, j);
	if (f->tab->damage)
		json_member_uint(j, "damage", page_text(f->page, f->tab->damage));
	json_close(j, '}');
}

/* Removes trailing text columns that are empty in all rows. If a maker makes the rows one at a
 * time, emptiness is known only after the last row. */
static void drop_empty_texts(struct page_flat *f)
{
	const size_t first = f->tab->table->level_count;
	while (f->tab->maker && f->label_count > first) {
		struct page_labels *l = &f->labels[f->label_count - 1];
		if (l->count > 1 || (l->count == 1 && l->texts.p[0] != 0))
			return;
		f->label_count--;
		vec_release(&l->numbers);
		text_release(&l->texts);
		text_release(&l->lines);
	}
}

/* True if a measure is a column of the page. Measures "stated" and "proved" are not: they only
 * hatch boxes of the treemap. Nor are shared measures, whose rows count the same symbols, because
 * the page adds up leaves itself. */
static bool page_takes(const struct page_tab *tab, unsigned m)
{
	const struct heft_table *t = tab->table;
	const struct heft_measure *measure = &t->measures[m];
	const struct str name = str_of(measure->name);
	return !measure->shared && !measure->of_change && !isnan(row_number(t, t->top, m, false)) &&
	       !str_eq(name, STR("stated")) && !str_eq(name, STR("proved"));
}

void page_add(struct page *p, const struct page_tab *tab)
{
	const struct heft_table *t = tab->table;
	struct page_flat *f = mem_zeroed(1, sizeof *f);
	struct json j = text_json(&p->tabs);
	ASSERT(t->level_count + t->text_count <= LABELS_MAX && t->measure_count <= COLUMNS_MAX);
	f->page = p;
	f->tab = tab;
	for (size_t i = 0; i < t->level_count; i++)
		f->labels[f->label_count++].name = t->levels[i];
	for (size_t i = 0; i < t->text_count; i++)
		f->labels[f->label_count++].name = t->texts[i].name;
	for (unsigned m = 0; m < t->measure_count; m++)
		if (page_takes(tab, m))
			f->measures[f->measure_count++] = m;
	page_put_rows(f);
	drop_empty_texts(f);
	vec_release(&f->by_ref);
	if (p->tabs.len > 0)
		text_add(&p->tabs, STR(",\n"));
	put_tab(f, &j);
	ASSERT(j.depth == 0);
	mem_free(f);
}

static uint32_t frame_number(struct page_stacks *s, const struct page_frame *f)
{
	uint32_t id;
	struct map_at at = map_at(&s->frame_ids, hash_bytes(f, sizeof *f));
	while (map_next(&s->frame_ids, &at, &id))
		if (memcmp(&s->frames.data[id], f, sizeof *f) == 0)
			return id;
	vec_push(&s->frames, *f);
	map_put(&s->frame_ids, &at, (uint32_t)s->frames.count - 1);
	return (uint32_t)s->frames.count - 1;
}

uint32_t page_step(struct page_stacks *s, uint32_t parent, const struct page_frame *f)
{
	uint32_t id;
	if (s->steps.count == 0)
		vec_push(&s->steps, (struct page_step){ 0, 0 });
	const struct page_step step = { parent, frame_number(s, f) };
	ASSERT(parent < s->steps.count && step.frame < s->frames.count);
	struct map_at at = map_at(&s->step_ids, hash_pair(step.parent, step.frame));
	while (map_next(&s->step_ids, &at, &id))
		if (s->steps.data[id].parent == step.parent &&
		    s->steps.data[id].frame == step.frame)
			return id;
	vec_push(&s->steps, step);
	map_put(&s->step_ids, &at, (uint32_t)s->steps.count - 1);
	return (uint32_t)s->steps.count - 1;
}

void page_stacks_release(struct page_stacks *s)
{
	vec_release_all(&s->frames, &s->steps);
	map_release(&s->frame_ids);
	map_release(&s->step_ids);
}
