/* Writes rows as a Markdown table. */
#include "report/markdown.h"
#include "report/row_walk.h"

enum { LABEL_MOST = 160 };

static void out_markdown_put_titles(const struct report *r, struct sink *s)
{
	sink_text(s, STR("|"));
	for (size_t i = 0; i < r->column_count; i++)
		markdown_title(s, r->columns[i].title);
	if (has_labels(r))
		markdown_title(s, r->table.levels[0]);
	sink_text(s, STR("\n|"));
	for (size_t i = 0; i < r->column_count; i++)
		sink_text(s, column_is_left(&r->columns[i]) ? STR("---|") : STR("--:|"));
	sink_text(s, has_labels(r) ? STR("---|\n") : STR("\n"));
}

static void out_markdown_put_label(const struct report *r, const struct heft_row *row, size_t level,
				   struct sink *s)
{
	for (size_t i = 0; i < level; i++)
		sink_text(s, STR("· "));
	if (row == r->table.top && r->kind->total)
		sink_text(s, str_of(r->kind->total(r)));
	else if (row == r->table.top || row->others > 0)
		sink_text(s, str_of(row->label));
	else
		markdown_code(s, row->label, LABEL_MOST);
}

static void out_markdown_put_row(const struct report *r, const struct heft_row *row,
				 const struct heft_row *parent, size_t level, struct sink *s)
{
	char room[CELL_MAX];
	sink_text(s, STR("|"));
	for (size_t i = 0; i < r->column_count; i++) {
		const char *text = cell_text(room, r, &r->columns[i], row, parent);
		sink_text(s, STR(" "));
		if (r->columns[i].cell == CELL_TEXT && !r->columns[i].number && *text)
			markdown_code(s, text, LABEL_MOST);
		else
			sink_text(s, str_of(text));
		sink_text(s, STR(" |"));
	}
	if (has_labels(r)) {
		sink_text(s, STR(" "));
		out_markdown_put_label(r, row, level, s);
		sink_text(s, STR(" |"));
	}
	sink_text(s, STR("\n"));
}

static void out_markdown_put_rows(const struct report *r, struct sink *s)
{
	struct row_walk walk;
	if (!r->goes_on)
		out_markdown_put_titles(r, s);
	row_walk_init(&walk, r->table.top);
	for (const struct heft_row *row; !s->failed && (row = row_next(&walk)) != NULL;)
		out_markdown_put_row(r, row, row_parent(&walk), walk.levels.count - 2, s);
	row_walk_release(&walk);
	if (!r->kind->no_total)
		out_markdown_put_row(r, r->table.top, r->table.top, 0, s);
}

/* True if no row has a text in the column. False for a table that is written in pieces. */
static bool out_markdown_is_empty(const struct report *r, const struct column *c)
{
	struct row_walk walk;
	char room[CELL_MAX];
	bool empty = c->cell == CELL_TEXT && !r->goes_on && !r->not_all;
	row_walk_init(&walk, r->table.top);
	for (const struct heft_row *row; empty && (row = row_next(&walk)) != NULL;)
		empty = *cell_text(room, r, c, row, row_parent(&walk)) == '\0';
	row_walk_release(&walk);
	return empty && r->table.top->child_count > 0;
}

void out_markdown(const struct report *r, struct sink *s)
{
	struct column columns[COLUMNS_MAX];
	struct report filled = *r;
	ASSERT(r->column_count <= COLUMNS_MAX);
	filled.columns = columns;
	filled.column_count = 0;
	for (size_t i = 0; i < r->column_count; i++)
		if (!out_markdown_is_empty(r, &r->columns[i]))
			columns[filled.column_count++] = r->columns[i];
	if (r->kind->markdown_head && !r->goes_on)
		r->kind->markdown_head(r, s);
	if (!r->kind->no_empty_table || r->table.top->child_count > 0)
		out_markdown_put_rows(&filled, s);
	if (r->kind->markdown_foot && !r->not_all)
		r->kind->markdown_foot(r, s);
}
