#include "report/report.h"
#include "report/row_walk.h"

struct csv {
	const struct report *r;
	struct sink *s;
	char separator;
};

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

static void put_field(const struct csv *c, const char *field)
{
	if (c->separator == ',')
		sink_csv(c->s, field);
	else
		put_escaped(c->s, field);
}

static void put_size(const struct csv *c, uint64_t size)
{
	sink_printf(c->s, "%c%" PRIu64, c->separator, size);
}

/* What the run found, in a diff the change. */
static void put_measure(const struct csv *c, uint64_t now, uint64_t base)
{
	const struct change change = change_of(now, base);
	if (c->r->diff)
		sink_printf(c->s, "%c%s%" PRIu64, c->separator, change.negative ? "-" : "",
			    change.size);
	else
		put_size(c, now);
}

static bool has_base_columns(const struct csv *c)
{
	return c->r->diff && c->r->opts.base_columns;
}

static void put_names(const struct csv *c, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sink_printf(c->s, "%c%s", c->separator, names[i]);
}

static void put_header(const struct csv *c)
{
	static const char *const sizes[] = { "vmsize",          "filesize",
					     "original_vmsize", "original_filesize",
					     "current_vmsize",  "current_filesize" };
	static const char *const counts[] = { "count", "original_count", "current_count" };
	for (size_t i = 0; i < c->r->source_count; i++) {
		if (i > 0)
			sink_printf(c->s, "%c", c->separator);
		put_field(c, c->r->source_names[i]);
	}
	put_names(c, sizes, has_base_columns(c) ? 6 : 2);
	if (c->r->opts.count)
		put_names(c, counts, has_base_columns(c) ? 3 : 1);
	sink_text(c->s, STR("\n"));
}

static void put_sizes(const struct csv *c, const struct heft_row *row)
{
	const struct heft_sizes *now = &row->now, *base = &row->base;
	put_measure(c, now->vm, base->vm);
	put_measure(c, now->file, base->file);
	if (has_base_columns(c)) {
		put_size(c, base->vm);
		put_size(c, base->file);
		put_size(c, now->vm);
		put_size(c, now->file);
	}
	if (!c->r->opts.count)
		return;
	put_measure(c, now->count, base->count);
	if (has_base_columns(c)) {
		put_size(c, base->count);
		put_size(c, now->count);
	}
}

/* The labels from the first level down to the leaf, empty fields for levels below it. */
static void put_leaf(const struct csv *c, const struct row_walk *walk)
{
	const size_t depth = walk->levels.count - 1;
	for (size_t i = 0; i < c->r->source_count; i++) {
		if (i > 0)
			sink_printf(c->s, "%c", c->separator);
		if (i < depth)
			put_field(c, walk->levels.data[i + 1].row->label);
	}
	put_sizes(c, walk->levels.data[depth].row);
	sink_text(c->s, STR("\n"));
}

void out_csv(const struct report *r, struct sink *s, char separator)
{
	const struct csv c = { r, s, separator };
	struct row_walk walk;
	put_header(&c);
	row_walk_init(&walk, r->top);
	for (const struct heft_row *row; !s->failed && (row = row_next(&walk)) != NULL;)
		if (row->child_count == 0)
			put_leaf(&c, &walk);
	row_walk_release(&walk);
}
