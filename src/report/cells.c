/* Makes the columns of a report and the texts of their cells. */
#include "base/number.h"
#include "report/pss.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>

const char *const change_words[HEFT_CHANGES] = {
	[HEFT_UNCHANGED] = "unchanged", [HEFT_CHANGED] = "changed", [HEFT_ADDED] = "added",
	[HEFT_REMOVED] = "removed",     [HEFT_MOVED] = "moved",     [HEFT_RENAMED] = "renamed",
};

const char *change_word(enum heft_change change)
{
	return change_words[change];
}

void report_column(struct report *r, struct column c)
{
	ASSERT(r->column_count < COLUMNS_MAX);
	r->room[0][r->column_count++] = c;
	r->columns = r->room[0];
}

void report_field(struct report *r, const char *title, enum cell cell, unsigned index)
{
	ASSERT(r->field_count < COLUMNS_MAX);
	r->room[1][r->field_count++] = (struct column){ title, cell, index, 0, 0, false, 0 };
	r->fields = r->room[1];
}

void report_fields(struct report *r, const struct column *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		report_field(r, list[i].title, list[i].cell, list[i].index);
}

void report_columns(struct report *r, const struct column *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		report_column(r, list[i]);
}

void report_all_fields(struct report *r, struct arena *arena)
{
	const struct heft_table *t = &r->table;
	for (unsigned i = 0; i < t->text_count; i++)
		report_field(r, t->texts[i].name, CELL_TEXT, i);
	for (unsigned m = 0; m < t->measure_count; m++)
		report_field(r, t->measures[m].name, CELL_NOW, m);
	for (unsigned m = 0; t->diff && m < t->measure_count; m++)
		if (!t->measures[m].of_change)
			report_field(r, arena_format(arena, "base_%s", t->measures[m].name),
				     CELL_BASE, m);
}

static void count_text(char out[CELL_MAX], struct change c, bool sign)
{
	const char *mark = c.negative ? "-" : sign && c.size > 0 ? "+" : "";
	snprintf(out, CELL_MAX, "%s%" PRIu64, mark, c.size);
}

/* Writes measure `m` of a row: its value before the change if `base`, else its value now. */
static void value_text(char out[CELL_MAX], const struct report *r, unsigned m,
		       const struct heft_row *row, bool base)
{
	const uint64_t whole = (base ? row->base : row->now)[m];
	const double *exact = base ? row->base_exact : row->now_exact;
	const enum heft_unit unit = r->table.measures[m].unit;
	ASSERT(unit != HEFT_PARTS || exact);
	if (unit == HEFT_PARTS && isnan(exact[m]))
		out[0] = '\0';
	else if (unit == HEFT_BYTES)
		number_size(out, whole, '\0');
	else if (unit == HEFT_PARTS)
		pss_text(out, exact[m]);
	else
		count_text(out, (struct change){ whole, false }, false);
}

static const char *cells_text_of(const struct report *r, const struct column *c,
				 const struct heft_row *row)
{
	if (c->cell == CELL_TEXT || c->cell == CELL_AMOUNT)
		return row->texts && row->texts[c->index] ? row->texts[c->index] : "";
	const bool own = r->table.has_changes && row->others == 0 && row != r->table.top;
	return own ? change_words[row->change] : "";
}

static bool cells_is_text(const struct column *c)
{
	return c->cell == CELL_TEXT || c->cell == CELL_AMOUNT || c->cell == CELL_STATE;
}

bool cells_has_value(const struct heft_table *t, const struct heft_row *row, unsigned measure)
{
	return !t->measures[measure].shared ||
	       (row->others == 0 &&
		(row != t->top || row->now[measure] > 0 || row->base[measure] > 0));
}

static void share_text(char out[CELL_MAX], const struct report *r, uint64_t part, uint64_t whole)
{
	if (part == 0 && whole == 0 && r->nan_shares)
		snprintf(out, CELL_MAX, "NAN%%");
	else
		number_percent(out, part, whole);
}

const char *cell_text(char room[CELL_MAX], const struct report *r, const struct column *c,
		      const struct heft_row *row, const struct heft_row *parent)
{
	if (c->cell == CELL_AMOUNT) {
		number_amount(room, cells_text_of(r, c, row));
		return room;
	}
	if (cells_is_text(c))
		return cells_text_of(r, c, row);
	const enum heft_unit unit = r->table.measures[c->index].unit;
	const uint64_t now = row->now[c->index], base = row->base[c->index];
	if (!cells_has_value(&r->table, row, c->index))
		return "";
	const bool parts = unit == HEFT_PARTS;
	const double change = parts ? row->now_exact[c->index] - row->base_exact[c->index] : 0;
	if (c->cell == CELL_EXTRA && (parts ? fabs(change) < 1e-6 : now == base))
		return "";
	if (c->cell == CELL_EXTRA || (c->cell == CELL_CHANGE && r->table.diff)) {
		if (unit == HEFT_BYTES)
			number_change(room, change_of(now, base));
		else if (parts)
			pss_change(room, change);
		else
			count_text(room, change_of(now, base), true);
		return room;
	}
	switch (c->cell) {
	case CELL_BASE: value_text(room, r, c->index, row, true); break;
	case CELL_GROWTH:
		(r->opts.bloaty ? number_growth_exponent : number_growth)(room, now, base);
		break;
	case CELL_PART:
		if (r->table.top->now[c->index] == 0)
			return "";
		share_text(room, r, now, r->table.top->now[c->index]);
		break;
	case CELL_SHARE:
		/* The top row has 100 %, even if it has 0 bytes. */
		share_text(room, r, row == parent ? 1 : now,
			   row == parent ? 1 : parent->now[c->index]);
		break;
	default: value_text(room, r, c->index, row, false); break;
	}
	return room;
}

const char *cell_exact(char room[CELL_MAX], const struct report *r, const struct column *c,
		       const struct heft_row *row)
{
	if (cells_is_text(c))
		return cells_text_of(r, c, row);
	if (!cells_has_value(&r->table, row, c->index))
		return "";
	const bool change = c->cell == CELL_CHANGE && r->table.diff, old = c->cell == CELL_BASE;
	const unsigned m = c->index;
	if (r->table.measures[m].unit == HEFT_PARTS) {
		const double v = (old ? row->base_exact : row->now_exact)[m];
		if (isnan(v))
			return "";
		pss_exact(room, change ? v - row->base_exact[m] : v);
	} else {
		count_text(room,
			   change_of((old ? row->base : row->now)[m], change ? row->base[m] : 0),
			   false);
	}
	return room;
}
