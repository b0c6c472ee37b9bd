#include "report/label_text.h"
#include "report/number.h"
#include "report/report.h"

#include <stdio.h>

/* Columns of one domain: percent, space, size, space; with old_new two sizes before. */
enum { CELL_WIDTH = 15, OLD_NEW_WIDTH = 16, COUNT_WIDTH = 8, LABEL_MIN = 8 };

struct table {
	const struct report *r;
	struct sink *s;
	bool file, vm; /* domains shown */
	bool old_new, count;
};

static void table_init(struct table *t, const struct report *r, struct sink *s)
{
	const unsigned domain = r->opts.domain ? r->opts.domain : HEFT_BOTH;
	*t = (struct table){ .r = r,
			     .s = s,
			     .file = domain & HEFT_FILE,
			     .vm = domain & HEFT_VM,
			     .old_new = r->opts.old_new && r->diff,
			     .count = r->opts.count };
}

static unsigned domain_count(const struct table *t)
{
	return (unsigned)t->file + (unsigned)t->vm;
}

static void put_header(const struct table *t)
{
	/* A header takes one column more a domain than a row does; a row has one in front. */
	const int count_pad = COUNT_WIDTH - (int)domain_count(t);
	const struct str title[] = { STR("    FILE SIZE   "), STR("     VM SIZE    ") };
	const bool shown[] = { t->file, t->vm };
	for (size_t i = 0; i < COUNT_OF(title); i++) {
		if (shown[i] && t->old_new)
			sink_text(t->s, STR("     OLD     NEW"));
		if (shown[i])
			sink_text(t->s, title[i]);
	}
	if (t->count)
		sink_printf(t->s, "%*s ", count_pad, "COUNT");
	sink_text(t->s, STR("\n"));
	for (size_t i = 0; i < COUNT_OF(title); i++) {
		if (shown[i] && t->old_new)
			sink_text(t->s, STR(" ------- -------"));
		if (shown[i])
			sink_text(t->s, STR(" -------------- "));
	}
	if (t->count)
		sink_printf(t->s, "%.*s ", count_pad, "-------");
	sink_text(t->s, STR("\n"));
}

/* The ANSI code a cell is wrapped in. */
static const char *cell_color(const struct table *t, uint64_t now, uint64_t base)
{
	if (!t->r->diff || now == base)
		return "\x1b[2m";
	return now > base ? "\x1b[31m" : "\x1b[32m";
}

/* The sizes of one row in one domain, and those of its parent. */
struct cell {
	uint64_t now, base, parent;
};

static void put_cell(const struct table *t, struct cell c)
{
	char percent[NUMBER_MAX], size[NUMBER_MAX];
	if (t->old_new) {
		number_size(percent, c.base, '\0');
		number_size(size, c.now, '\0');
		sink_printf(t->s, "%7s %7s ", percent, size);
	}
	if (t->r->diff) {
		number_growth(percent, c.now, c.base);
		number_change(size, change_of(c.now, c.base));
	} else {
		number_percent(percent, c.now, c.parent);
		number_size(size, c.now, '\0');
	}
	const bool color = t->r->opts.color;
	if (color)
		sink_text(t->s, str_of(cell_color(t, c.now, c.base)));
	sink_right(t->s, str_of(percent), 6);
	sink_right(t->s, str_of(size), 8);
	sink_text(t->s, color ? STR("\x1b[0m ") : STR(" "));
}

static void put_count(const struct table *t, const struct heft_row *row)
{
	const struct change c = change_of(row->now.count, row->base.count);
	char text[NUMBER_MAX];
	if (t->r->diff)
		snprintf(text, sizeof text, "%s%" PRIu64,
			 c.negative ? "-"
			 : c.size   ? "+"
				    : "",
			 c.size);
	else
		snprintf(text, sizeof text, "%" PRIu64, row->now.count);
	sink_printf(t->s, "%*s ", COUNT_WIDTH - 1, text);
}

/* Columns before a label at `indent`. */
static size_t label_column(const struct table *t, size_t indent)
{
	const size_t cell = CELL_WIDTH + (t->old_new ? OLD_NEW_WIDTH : 0);
	return indent + 1 + cell * domain_count(t) + (t->count ? COUNT_WIDTH : 0) + 3;
}

/* Columns left for a label at `indent`, 0 for any number. */
static size_t label_room(const struct table *t, size_t indent)
{
	const size_t before = label_column(t, indent);
	const size_t width = t->r->opts.width;
	if (width == 0)
		return 0;
	return width > before + LABEL_MIN ? width - before : LABEL_MIN;
}

static void put_row(const struct table *t, const struct heft_row *row,
		    const struct heft_row *parent, size_t level)
{
	const size_t indent = 2 * level;
	for (size_t i = 0; i < level; i++)
		sink_text(t->s, STR("  "));
	sink_text(t->s, STR(" "));
	if (t->file)
		put_cell(t, (struct cell){ row->now.file, row->base.file, parent->now.file });
	if (t->vm)
		put_cell(t, (struct cell){ row->now.vm, row->base.vm, parent->now.vm });
	if (t->count)
		put_count(t, row);
	sink_text(t->s, STR("   "));
	label_put(t->s, str_of(row->label), label_room(t, indent));
	sink_text(t->s, STR("\n"));
	for (size_t i = 0; i < row->alias_count; i++) {
		sink_printf(t->s, "%*s= ", (int)label_column(t, indent), "");
		label_put(t->s, str_of(row->aliases[i]), label_room(t, indent + 2));
		sink_text(t->s, STR("\n"));
	}
}

/* Whether the row says nothing in a domain: no bytes, or in a diff no change. */
static bool is_still(const struct table *t, uint64_t now, uint64_t base)
{
	return t->r->diff ? now == base : now == 0;
}

/* Whether all the shown columns of sizes say nothing.  With both domains such a row is
 * still printed, with one it is not. */
static bool is_hidden(const struct table *t, const struct heft_row *row)
{
	return domain_count(t) == 1 && is_still(t, t->file ? row->now.file : row->now.vm,
						t->file ? row->base.file : row->base.vm);
}

/* "x" and "[section x]": a fallback label that only repeats its parent. */
static bool wraps(struct str outer, struct str inner)
{
	if (!str_ends(outer, STR("]")))
		return false;
	outer.len--;
	return str_ends(outer, inner);
}

static bool children_say_nothing(const struct table *t, const struct heft_row *row)
{
	if (is_still(t, row->now.file, row->base.file) && is_still(t, row->now.vm, row->base.vm))
		return true;
	if (row->child_count != 1 || row->children[0]->child_count != 0)
		return false;
	const struct str own = str_of(row->label), child = str_of(row->children[0]->label);
	return str_eq(own, child) || wraps(child, own) || wraps(own, child);
}

static void put_omitted(const struct table *t)
{
	const struct heft_sizes *omitted = &t->r->omitted;
	char file[NUMBER_MAX], vm[NUMBER_MAX];
	number_size(file, omitted->file, '\0');
	number_size(vm, omitted->vm, '\0');
	sink_text(t->s, STR("Filtering enabled (source_filter); omitted"));
	if (t->file)
		sink_printf(t->s, " file = %s%s", file, t->vm ? "," : "");
	if (t->vm)
		sink_printf(t->s, " vm = %s", vm);
	sink_text(t->s, STR(" of entries\n"));
}

void out_table(const struct report *r, struct sink *s)
{
	struct table t;
	struct row_walk walk;
	table_init(&t, r, s);
	put_header(&t);
	row_walk_init(&walk, r->top);
	for (const struct heft_row *row; !s->failed && (row = row_next(&walk)) != NULL;) {
		const bool hidden = is_hidden(&t, row);
		/* The first level is not indented: depth 1 is level 0. */
		if (!hidden)
			put_row(&t, row, row_parent(&walk), walk.levels.count - 2);
		if (hidden || children_say_nothing(&t, row))
			row_skip_children(&walk);
	}
	row_walk_release(&walk);
	put_row(&t, r->top, r->top, 0);
	if (r->filtered)
		put_omitted(&t);
}
