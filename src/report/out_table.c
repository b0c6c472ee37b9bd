/* Writes rows as a table for people. */
#include "report/label_text.h"
#include "map/rows.h"
#include "report/row_walk.h"
#include "report/report.h"

/* Widths in characters. Labels get at least LABEL_MIN. Other texts get at most TEXT_WIDTH_MAX. */
enum { LABEL_MIN = 8, LABEL_WANTED = 40, TEXT_WIDTH_MAX = 24 };
/* Smallest width of a record's text column on lines of limited width. */
enum { RECORD_TEXT_MIN = 12 };

struct out_table {
	const struct report *r;
	struct sink *s;
	struct column *columns;
	size_t count;
	size_t label_most;         /* Width of the widest label. 0 if unknown */
	struct text label, spared; /* `spared`: titles of removed columns */
};

static void widen(struct out_table *t, const bool *measured, const struct heft_row *row,
		  const struct heft_row *parent)
{
	char room[CELL_MAX];
	for (size_t c = 0; c < t->count; c++) {
		if (!measured[c])
			continue;
		const struct str text = str_of(cell_text(room, t->r, &t->columns[c], row, parent));
		const size_t most = has_labels(t->r) ? TEXT_WIDTH_MAX : UINT32_MAX;
		const size_t width = text.p == room ? text.len : min_u64(label_width(text), most);
		if (width > t->columns[c].width)
			t->columns[c].width = (unsigned)width;
	}
}

/* Sets the width of each column without a fixed width to its widest text. In reports with labels,
 * removes columns without any text. */
static void measure_columns(struct out_table *t)
{
	bool *measured = mem_zeroed(t->count + 1, sizeof *measured), any = false;
	struct row_walk walk;
	size_t kept = 0;
	for (size_t c = 0; c < t->count; c++)
		any |= measured[c] = t->columns[c].width == 0;
	if (!any)
		goto out;
	row_walk_init(&walk, t->r->table.top);
	for (const struct heft_row *row; (row = row_next(&walk)) != NULL;) {
		const size_t indent = 2 * (walk.levels.count - 2);
		widen(t, measured, row, row_parent(&walk));
		t->label_most = max_u64(t->label_most, indent + label_width(str_of(row->label)));
	}
	row_walk_release(&walk);
	if (!t->r->kind->no_total)
		widen(t, measured, t->r->table.top, t->r->table.top);
	for (size_t c = 0; c < t->count; c++) {
		const size_t title = label_width(str_of(t->columns[c].title));
		if (t->columns[c].width == 0 && has_labels(t->r))
			continue;
		t->columns[kept] = t->columns[c];
		if (measured[c] && t->columns[kept].width < title)
			t->columns[kept].width = (unsigned)title;
		kept++;
	}
	ASSERT(kept <= t->count);
	t->count = kept;
out:
	mem_free(measured);
}

static size_t columns_width(const struct out_table *t)
{
	size_t width = t->r->label_gap;
	for (size_t c = 0; c < t->count; c++)
		width += t->columns[c].gap + t->columns[c].width;
	return width;
}

/* Removes columns that may be missing (`spare`) until labels have half of the line, or all that
 * they need. */
static void spare_columns(struct out_table *t)
{
	const size_t half = max_u64(LABEL_WANTED, t->r->opts.width / 2);
	const size_t wanted = t->label_most > 0 ? min_u64(half, t->label_most) : half;
	while (t->r->opts.width > 0 && columns_width(t) + wanted > t->r->opts.width) {
		size_t least = 0;
		for (size_t c = 1; c < t->count; c++)
			if (t->columns[c].spare > t->columns[least].spare)
				least = c;
		if (t->count == 0 || t->columns[least].spare == 0)
			return;
		text_add_all(&t->spared, t->spared.len > 0 ? ", " : "", t->columns[least].title);
		t->count--;
		memmove(&t->columns[least], &t->columns[least + 1],
			(t->count - least) * sizeof *t->columns);
	}
}

/* Shrinks the columns of records (rows without labels) to the line's width. A text may use the
 * space that narrower columns leave. */
static void shrink_columns(struct out_table *t)
{
	size_t total = columns_width(t);
	while (t->r->opts.width > 0 && total > t->r->opts.width) {
		struct column *widest = &t->columns[0];
		for (size_t i = 1; i < t->count; i++)
			if (t->columns[i].width >= widest->width)
				widest = &t->columns[i];
		if (widest->width <= RECORD_TEXT_MIN)
			return;
		const size_t less = min_u64(total - t->r->opts.width,
					    widest->width - RECORD_TEXT_MIN);
		/* Small steps make two wide columns shrink equally. */
		const size_t step = less > 8 ? less / 2 : less;
		widest->width -= (unsigned)step;
		total -= step;
	}
}

/* Returns the ANSI colour code of a cell. */
static struct str cell_color(const struct out_table *t, const struct column *c,
			     const struct heft_row *row)
{
	const struct heft_table *table = &t->r->table;
	const double now = row_number(table, row, c->index, false);
	const double base = row_number(table, row, c->index, true);
	if (!table->diff || !(now < base || now > base))
		return STR("\x1b[2m");
	return now < base ? STR("\x1b[32m") : STR("\x1b[31m");
}

static void out_table_put_text(const struct out_table *t, const struct column *c, struct str text)
{
	struct sink *s = t->s;
	const bool at_end = !has_labels(t->r) && c == &t->columns[t->count - 1];
	if (!column_is_left(c)) {
		sink_right(s, text, c->width);
		return;
	}
	const size_t have = label_width(text);
	label_put(s, text, c->width);
	sink_right(s, STR(""), have < c->width && !at_end ? c->width - have : 0);
}

static void put_cells(const struct out_table *t, const struct heft_row *row,
		      const struct heft_row *parent)
{
	char room[CELL_MAX];
	bool tinted = false;
	for (size_t i = 0; i < t->count; i++) {
		const struct column *c = &t->columns[i];
		if (tinted && c->gap > 0) {
			sink_text(t->s, STR("\x1b[0m"));
			tinted = false;
		}
		sink_right(t->s, STR(""), c->gap);
		if (c->tinted && t->r->opts.color) {
			sink_text(t->s, cell_color(t, c, row));
			tinted = true;
		}
		out_table_put_text(t, c, str_of(cell_text(room, t->r, c, row, parent)));
	}
	if (tinted)
		sink_text(t->s, STR("\x1b[0m"));
	sink_right(t->s, STR(""), t->r->label_gap);
}

/* Returns the width left for a text after `used` columns. 0: no limit. */
static size_t room_behind(const struct out_table *t, size_t used)
{
	const size_t width = t->r->opts.width;
	if (width == 0)
		return 0;
	return width > used + LABEL_MIN ? width - used : LABEL_MIN;
}

static struct str row_label(struct out_table *t, const struct heft_row *row)
{
	const struct report_kind *kind = t->r->kind;
	if (kind->total && row == t->r->table.top)
		return str_of(kind->total(t->r));
	if (!kind->label || row->others > 0 || row == t->r->table.top)
		return str_of(row->label);
	t->label.len = 0;
	kind->label(t->r, row, &t->label);
	return text_str(&t->label);
}

static void out_table_put_row(struct out_table *t, const struct heft_row *row,
			      const struct heft_row *parent, size_t level)
{
	const size_t indent = t->r->indent * level, column = indent + columns_width(t);
	const size_t values = t->r->table.measure_count * sizeof *row->now;
	const struct heft_row *top = t->r->table.top;
	/* True for an only child with the numbers of its parent, which the table does not
	 * repeat. */
	const bool no_cells = t->r->blanks_chains && row != top && parent != top &&
			      parent->child_count == 1 && row->others == 0 &&
			      memcmp(row->now, parent->now, values) == 0 &&
			      (!t->r->table.diff || memcmp(row->base, parent->base, values) == 0);
	if (t->r->indents_rows)
		sink_right(t->s, STR(""), indent);
	if (no_cells)
		sink_right(t->s, STR(""), columns_width(t));
	else
		put_cells(t, row, parent);
	if (!t->r->indents_rows)
		sink_right(t->s, STR(""), indent);
	if (has_labels(t->r))
		label_put(t->s, row_label(t, row), room_behind(t, column));
	sink_text(t->s, STR("\n"));
	for (size_t i = 0; i < row->alias_count; i++) {
		sink_right(t->s, STR(""), column);
		sink_text(t->s, STR("= "));
		label_put(t->s, str_of(row->aliases[i]), room_behind(t, column + 2));
		sink_text(t->s, STR("\n"));
	}
	if (t->r->kind->lines && row->others == 0 && row != t->r->table.top)
		t->r->kind->lines(t->r, row, column, t->s);
}

static void out_table_put_titles(const struct out_table *t)
{
	for (size_t i = 0; i < t->count; i++) {
		const struct column *c = &t->columns[i];
		const size_t have = label_width(str_of(c->title));
		sink_right(t->s, STR(""), c->gap);
		if (column_is_left(c)) {
			out_table_put_text(t, c, str_of(c->title));
			continue;
		}
		/* Titles of queries come from the user's SQL, so they are escaped. */
		sink_right(t->s, STR(""), have < c->width ? c->width - have : 0);
		label_put(t->s, str_of(c->title), 0);
	}
	sink_right(t->s, STR(""), t->r->label_gap);
	if (has_labels(t->r))
		label_put(t->s, str_of(t->r->table.levels[0]), 0);
	sink_text(t->s, STR("\n"));
}

static void out_table_put_rows(struct out_table *t)
{
	const struct report *r = t->r;
	struct row_walk walk;
	row_walk_init(&walk, r->table.top);
	for (const struct heft_row *row; !t->s->failed && (row = row_next(&walk)) != NULL;) {
		const bool hidden = r->kind->hides && r->kind->hides(r, row);
		/* The first level, depth 1, is not indented. */
		if (!hidden)
			out_table_put_row(t, row, row_parent(&walk), walk.levels.count - 2);
		if (hidden || (r->kind->hides_children && r->kind->hides_children(r, row)))
			row_skip_children(&walk);
	}
	row_walk_release(&walk);
}

void out_table(const struct report *r, struct sink *s)
{
	struct out_table t = { .r = r, .s = s, .count = r->column_count };
	if (r->kind->above)
		r->kind->above(r, s);
	if (r->kind->no_empty_table && r->table.top->child_count == 0)
		return;
	t.columns = mem_alloc((t.count + 1) * sizeof *t.columns);
	memcpy(t.columns, r->columns, t.count * sizeof *t.columns);
	measure_columns(&t);
	if (has_labels(r))
		spare_columns(&t);
	else
		shrink_columns(&t);
	if (r->kind->head)
		r->kind->head(r, s);
	else
		out_table_put_titles(&t);
	out_table_put_rows(&t);
	if (!r->kind->no_total)
		out_table_put_row(&t, r->table.top, r->table.top, 0);
	if (r->kind->below)
		r->kind->below(r, s);
	if (t.spared.len > 0)
		sink_printf(s, "Columns that this line has no room for: %.*s. -w shows them.\n",
			    (int)t.spared.len, t.spared.p);
	mem_free(t.columns);
	text_release(&t.label);
	text_release(&t.spared);
}
