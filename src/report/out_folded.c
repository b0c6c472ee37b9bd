/* Writes rows as folded stacks. */
#include "report/report.h"
#include "report/row_walk.h"

/* Writes a frame of a folded stack. Replaces characters that have a meaning in the format by
 * similar ones. A stack's label has several frames, separated by ";". */
static void folded_put(struct sink *s, const char *label, bool stack)
{
	for (const char *p = label; *p; p++) {
		const char c = *p;
		const char shown = c == '\n' || c == '\r' ? ' ' : c == ';' && !stack ? ':' : c;
		sink_text(s, (struct str){ &shown, 1 });
	}
}

static struct column value_column(const struct report *r, enum cell cell)
{
	return (struct column){ .cell = cell, .index = (unsigned)r->table.sorted_by };
}

static void out_folded_put_path(const struct report *r, const struct row_walk *walk, struct sink *s)
{
	const size_t depth = walk->levels.count - 1;
	const struct heft_row *row = walk->levels.data[depth].row;
	if (r->kind->path && row->others == 0) {
		struct text path = { 0 };
		r->kind->path(r, row, &path);
		text_add_char(&path, '\0');
		folded_put(s, path.p, true);
		text_release(&path);
		return;
	}
	for (size_t i = 1; i <= depth; i++) {
		if (i > 1)
			sink_text(s, STR(";"));
		folded_put(s, walk->levels.data[i].row->label, r->stacks >> (i - 1) & 1);
	}
}

static void put_leaf(const struct report *r, const struct row_walk *walk, struct sink *s)
{
	const struct heft_row *row = walk->levels.data[walk->levels.count - 1].row;
	const struct column base = value_column(r, CELL_BASE), now = value_column(r, CELL_NOW);
	const size_t m = r->table.sorted_by;
	char room[CELL_MAX];
	if (row->now[m] == 0 && (!r->table.diff || row->base[m] == 0))
		return;
	out_folded_put_path(r, walk, s);
	if (r->table.diff)
		sink_printf(s, " %s", cell_exact(room, r, &base, row));
	sink_printf(s, " %s\n", cell_exact(room, r, &now, row));
}

void out_folded(const struct report *r, struct sink *s)
{
	struct row_walk walk;
	row_walk_init(&walk, r->table.top);
	for (const struct heft_row *row; !s->failed && (row = row_next(&walk)) != NULL;)
		if (row->child_count == 0)
			put_leaf(r, &walk, s);
	row_walk_release(&walk);
}
