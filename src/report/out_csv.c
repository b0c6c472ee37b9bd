/* Writes rows as CSV and TSV. */
#include "report/report.h"
#include "report/row_walk.h"

static void put_escaped(struct sink *s, const char *field)
{
	for (; *field; field++) {
		switch (*field) {
		case '\t': sink_text(s, STR("\\t")); break;
		case '\n': sink_text(s, STR("\\n")); break;
		case '\r': sink_text(s, STR("\\r")); break;
		case '\\': sink_text(s, STR("\\\\")); break;
		default: sink_text(s, (struct str){ field, 1 }); break;
		}
	}
}

/* Writes a field. Quotes a field that contains a separator, quote or line end, doubling quotes. */
static void out_csv_put_quoted(struct sink *s, const char *field, bool mark)
{
	if (!strpbrk(field, "\",\r\n")) {
		sink_text(s, mark ? STR("'") : STR(""));
		sink_text(s, str_of(field));
		return;
	}
	sink_text(s, mark ? STR("\"'") : STR("\""));
	for (const char *quote; (quote = strchr(field, '"')) != NULL; field = quote + 1) {
		sink_text(s, (struct str){ field, (size_t)(quote - field) });
		sink_text(s, STR("\"\""));
	}
	sink_text(s, str_of(field));
	sink_text(s, STR("\""));
}

void field_put(struct sink *s, const char *field, char separator, bool safe)
{
	const bool mark = safe && *field && strchr("=+-@\t\r", *field);
	if (separator == ',') {
		out_csv_put_quoted(s, field, mark);
		return;
	}
	sink_text(s, mark ? STR("'") : STR(""));
	put_escaped(s, field);
}

struct csv {
	const struct report *r;
	struct sink *s;
	char separator;
	struct text path;
};

static void put_separator(const struct csv *c)
{
	sink_text(c->s, (struct str){ &c->separator, 1 });
}

static void out_csv_put_field(const struct csv *c, const char *field)
{
	/* Bloaty does not quote TSV. */
	if (c->r->opts.bloaty && c->separator != ',' && !strpbrk(field, "\t\n\r")) {
		sink_text(c->s, str_of(field));
		return;
	}
	field_put(c->s, field, c->separator, c->r->opts.csv_safe);
}

static void out_csv_put_header(const struct csv *c)
{
	const struct heft_table *t = &c->r->table;
	for (size_t i = 0; i < t->level_count; i++) {
		if (i > 0)
			put_separator(c);
		out_csv_put_field(c, t->levels[i]);
	}
	for (size_t i = 0; i < c->r->field_count; i++) {
		if (i > 0 || has_labels(c->r))
			put_separator(c);
		out_csv_put_field(c, c->r->fields[i].title);
	}
	sink_text(c->s, STR("\n"));
}

/* Writes the labels from the first level to the row's level, joined by ";". */
static void out_csv_put_path(struct csv *c, const struct row_walk *walk)
{
	const size_t depth = walk->levels.count - 1;
	const struct heft_row *row = walk->levels.data[depth].row;
	c->path.len = 0;
	if (c->r->kind->path && row->others == 0) {
		c->r->kind->path(c->r, row, &c->path);
	} else {
		for (size_t i = 1; i <= depth; i++) {
			if (i > 1)
				text_add_char(&c->path, ';');
			text_add(&c->path, str_of(walk->levels.data[i].row->label));
		}
	}
	text_add_char(&c->path, '\0');
	out_csv_put_field(c, c->path.p);
}

/* Writes labels from the first level to the row's level, then empty fields for deeper levels. */
static void out_csv_put_levels(const struct csv *c, const struct row_walk *walk)
{
	const size_t depth = walk->levels.count - 1;
	for (size_t i = 0; i < c->r->table.level_count; i++) {
		if (i > 0)
			put_separator(c);
		if (i < depth)
			out_csv_put_field(c, walk->levels.data[i + 1].row->label);
	}
}

static void out_csv_put_row(struct csv *c, const struct row_walk *walk)
{
	const struct heft_row *row = walk->levels.data[walk->levels.count - 1].row;
	char room[CELL_MAX];
	if (c->r->joined)
		out_csv_put_path(c, walk);
	else
		out_csv_put_levels(c, walk);
	for (size_t i = 0; i < c->r->field_count; i++) {
		const char *text = cell_exact(room, c->r, &c->r->fields[i], row);
		if (i > 0 || has_labels(c->r))
			put_separator(c);
		if (text == room)
			sink_text(c->s, str_of(text));
		else
			out_csv_put_field(c, text);
	}
	sink_text(c->s, STR("\n"));
}

void out_csv(const struct report *r, struct sink *s, char separator)
{
	struct csv c = { r, s, separator, { 0 } };
	ASSERT(has_labels(r) || r->field_count == r->table.text_count);
	struct row_walk walk;
	if (!r->goes_on)
		out_csv_put_header(&c);
	row_walk_init(&walk, r->table.top);
	for (const struct heft_row *row; !s->failed && (row = row_next(&walk)) != NULL;)
		if (r->joined || row->child_count == 0 || r->kind->no_total)
			out_csv_put_row(&c, &walk);
	row_walk_release(&walk);
	text_release(&c.path);
}
