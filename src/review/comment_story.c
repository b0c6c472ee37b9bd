/* Writes the parts of the comment on a pull request that are for all readers. */
#include "review/comment.h"

#include "base/vec.h"
#include "report/markdown.h"
#include "report/pss.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SYMBOLS_MOST = 5, OWNERS_MOST = 3, SECTIONS_MOST = 3, FINDINGS_MOST = 8, NAMED_MOST = 60 };
/* A line that changed less than this part of the first line is left out. */
static const double noise_share = 200;

struct shown said_size(double v)
{
	struct shown ret = { "" };
	const double size = fabs(v);
	if (size < 1024)
		snprintf(ret.p, sizeof ret.p, "%.30s byte%s", shown_parts(size).p,
			 size == 1 ? "" : "s");
	else if (size < 1023.95 * 1024)
		snprintf(ret.p, sizeof ret.p, "%.1f KiB", size / 1024);
	else
		snprintf(ret.p, sizeof ret.p, "%.1f MiB", size / (1024 * 1024));
	return ret;
}

static const char *sign_of(double v)
{
	return v < 0 ? "-" : "+";
}

/* Writes "+46.8 KiB (+1.2%)", or "no change". */
static void put_difference(struct padded p, struct sink *s)
{
	const double delta = padded_delta(p);
	if (delta == 0)
		sink_text(s, STR("no change"));
	else
		sink_printf(s, "%s%s (%s)", sign_of(delta), said_size(delta).p,
			    shown_growth(p.after, p.before).p);
}

/* Writes "+46.8 KiB (+1.2%), now 3.8 MiB", or "no change, 3.8 MiB". */
static void put_change(struct padded p, struct sink *s)
{
	put_difference(p, s);
	sink_printf(s, ", %s%s", padded_delta(p) != 0 ? "now " : "", said_size(p.after).p);
}

static bool is_loaded(const void *ctx, const struct diff_section *s)
{
	const struct diff_report *d = ctx;
	return s->name[0] == '.' && (s->in_memory || !d->knows_memory) &&
	       strcmp(s->name, ".other") != 0 && !diff_section_is_debug(s);
}

/* Writes "Most in `.text` (+36.2 KiB), `.rodata` (+12.0 KiB)." */
static void put_most_sections(const struct diff_report *d, struct sink *s)
{
	const struct diff_section *most[SECTIONS_MOST];
	const size_t count = diff_most_changed(d->sections, d->section_count, d, is_loaded, most,
					       SECTIONS_MOST);
	for (size_t i = 0; i < count; i++) {
		const double delta = padded_delta(diff_padded(most[i]));
		if (fabs(delta) * noise_share < fabs(padded_delta(diff_padded(most[0]))))
			break;
		sink_text(s, i == 0 ? STR("Most in ") : STR(", "));
		markdown_code(s, most[i]->name, NAMED_MOST);
		sink_printf(s, " (%s%s%s)", sign_of(delta), said_size(delta).p,
			    most[i]->in_file ? "" : " in memory");
	}
	sink_text(s, count > 0 ? STR(".") : STR(""));
}

struct padded comment_ships(const struct comment *c)
{
	const struct diff_report *d = c->diff;
	return (struct padded){ d->file.before - d->debug.before, d->file.after - d->debug.after };
}

void comment_put_change(const struct comment *c, struct sink *s)
{
	put_difference(comment_ships(c), s);
}

void comment_put_headline(const struct comment *c, struct sink *s)
{
	const struct comment_bars bars = comment_course(c, "file", "", c->diff->file.after);
	sink_text(s, STR("### Size of "));
	markdown_code(s, c->title, NAMED_MOST);
	sink_text(s, STR(": "));
	put_change(comment_ships(c), s);
	if (*bars.p)
		sink_printf(s, " %s", bars.p);
}

void comment_put_sizes(const struct comment *c, struct sink *s)
{
	const struct diff_report *d = c->diff;
	const char *between = "";
	if (d->knows_memory) {
		sink_text(s, STR("In memory: "));
		put_change(d->vm, s);
		between = ". ";
	}
	if (d->debug.before > 0 || d->debug.after > 0) {
		sink_printf(s, "%sDebug info, not counted above: ", between);
		put_change(d->debug, s);
		between = ". ";
	}
	sink_text(s, *between ? STR(".\n\n") : STR(""));
	put_most_sections(d, s);
}

void comment_put_regions(const struct comment *c, struct sink *s)
{
	for (size_t i = 0; i < c->region_count; i++) {
		const struct comment_region *r = &c->regions[i];
		const struct padded size = comment_region_size(r);
		sink_text(s, STR("* region "));
		markdown_code(s, r->name, NAMED_MOST);
		sink_text(s, STR(": "));
		put_change(size, s);
		if (r->length > 0)
			sink_printf(s, " of %s (%s)", said_size((double)r->length).p,
				    shown_share(r->after, r->length).p);
		sink_text(s, STR("\n"));
	}
}

void story_put_name(struct sink *s, const char *name)
{
	markdown_code(s, name, NAMED_MOST);
}

/* Writes a path. Of a long one only the end: the file's name matters more than the first folder. */
void story_put_path(struct sink *s, const char *path)
{
	const size_t size = strlen(path);
	const char *end = size > NAMED_MOST ? strchr(path + size - NAMED_MOST, '/') : NULL;
	if (end != NULL)
		sink_text(s, STR("\xe2\x80\xa6"));
	story_put_name(s, end != NULL ? end : path);
}

/* Writes the subject of a limit: "`.text`", "the file", "symbol `^net::`". */
static void put_subject(const struct heft_budget_row *row, struct sink *s)
{
	if (*row->pattern == '\0') {
		sink_printf(s, "%s%s", strcmp(row->subject, "debug info") == 0 ? "" : "the ",
			    strcmp(row->subject, "vm") == 0 ? "VM image" : row->subject);
		return;
	}
	if (strcmp(row->subject, "section") != 0)
		sink_printf(s, "%s ", row->subject);
	story_put_name(s, row->pattern);
}

/* Writes "`.text` grew 46.8 KiB, 38.8 KiB over its limit of 8.0 KiB". */
static void put_finding(const struct heft_budget_row *row, struct sink *s)
{
	sink_text(s, STR("* "));
	put_subject(row, s);
	if (row->state != HEFT_BUDGET_BROKEN) {
		sink_text(s, STR(": "));
		budget_finding_put(row, story_put_name, s);
		sink_text(s, STR("\n"));
		return;
	}
	const double have = row->growth ? row->now - row->base : row->now;
	sink_printf(s, " %s %s, %s over its limit of %s", row->growth ? "grew" : "takes",
		    said_size(have).p, said_size(have - row->limit).p, said_size(row->limit).p);
	if (*row->besides)
		sink_printf(s, " (not counted: %s)", row->besides);
	sink_text(s, STR("\n"));
}

void comment_put_verdict(const struct comment *c, struct sink *s)
{
	const struct budget_report *b = c->budget;
	size_t found = 0;
	if (b->count == 0)
		return;
	sink_text(s, STR("**"));
	budget_sum_put(b, s);
	sink_text(s, STR("**\n\n"));
	for (size_t i = 0; i < b->count; i++)
		if (b->rows[i].state != HEFT_BUDGET_KEPT && ++found <= FINDINGS_MOST)
			put_finding(&b->rows[i], s);
	if (found > FINDINGS_MOST)
		sink_printf(s, "* and %zu more below\n", found - FINDINGS_MOST);
}

/* A line of the table: rows with the same name, path and change, such as instances of a
 * template. */
struct story_line {
	const struct heft_row *row; /* The first of the joined rows */
	size_t count;
	struct padded file, vm; /* `vm` is 0 if the table lacks that column */
};

struct story_lines {
	VEC(struct story_line) list;
};

static struct padded measured(const struct heft_row *row, size_t measure)
{
	return (struct padded){ row->base_exact[measure], row->now_exact[measure] };
}

static const char *path_of(const struct heft_row *row)
{
	return row->texts != NULL ? row->texts[DIFF_PATH] : "";
}

static bool is_instance_of(const struct heft_row *row, const struct story_line *line)
{
	return row->change == line->row->change && strcmp(row->label, line->row->label) == 0 &&
	       strcmp(path_of(row), path_of(line->row)) == 0;
}

/* Returns the sort key of a line: its change in the file, or in memory if it is not in the file. */
static double story_line_delta(const struct story_line *l)
{
	const double file = padded_delta(l->file), vm = padded_delta(l->vm);
	return file != 0 ? file : vm;
}

static int story_line_compare(const void *pa, const void *pb)
{
	const struct story_line *a = pa, *b = pb;
	const double x = fabs(story_line_delta(a)), y = fabs(story_line_delta(b));
	if (x != y)
		return x < y ? 1 : -1;
	const int by_name = strcmp(a->row->label, b->row->label);
	return by_name != 0 ? by_name : strcmp(path_of(a->row), path_of(b->row));
}

static bool is_named(const struct heft_row *row)
{
	return row->others == 0 && (row->kind == HEFT_ROW_NAME || row->kind == HEFT_ROW_LITERAL);
}

/* Joins the rows that look the same, and sorts them by falling change. */
static struct story_lines story_lines_make(const struct heft_table *t)
{
	struct story_lines ret = { 0 };
	for (size_t i = 0; i < t->top->child_count; i++) {
		const struct heft_row *row = t->top->children[i];
		size_t k = 0;
		if (!is_named(row))
			continue;
		while (k < ret.list.count && !is_instance_of(row, &ret.list.data[k]))
			k++;
		if (k == ret.list.count)
			vec_push(&ret.list, (struct story_line){ .row = row });
		struct story_line *l = &ret.list.data[k];
		const struct padded file = measured(row, t->sorted_by);
		const struct padded vm = t->sorted_by == HEFT_DIFF_CHARGED
						 ? measured(row, HEFT_DIFF_VM)
						 : (struct padded){ 0 };
		l->count++;
		l->file.before += file.before;
		l->file.after += file.after;
		l->vm.before += vm.before;
		l->vm.after += vm.after;
	}
	if (ret.list.count > 0)
		qsort(ret.list.data, ret.list.count, sizeof *ret.list.data, story_line_compare);
	return ret;
}

/* Returns the name or the path before the change. "" if it is the same. */
static const char *was_of(const struct heft_row *row)
{
	return row->texts != NULL ? row->texts[DIFF_WAS] : "";
}

static void put_line(const struct story_line *l, struct sink *s)
{
	const double delta = story_line_delta(l);
	sink_printf(s, "| %s%s%s | %s | ", sign_of(delta), said_size(delta).p,
		    padded_delta(l->file) == 0 && delta != 0 ? " in memory" : "",
		    change_word(l->row->change));
	story_put_name(s, l->row->label);
	if (l->row->change == HEFT_RENAMED) {
		sink_text(s, STR(", was "));
		story_put_name(s, was_of(l->row));
	}
	if (l->count > 1)
		sink_printf(s, " (%zu instances)", l->count);
	sink_text(s, STR(" | "));
	if (*path_of(l->row))
		story_put_path(s, path_of(l->row));
	sink_text(s, STR(" |\n"));
}

/* True if a line is worth reading beside the first line of its list. */
static bool line_tells(const struct story_lines *lines, const struct story_line *l)
{
	const double most = fabs(story_line_delta(&lines->list.data[0]));
	return story_line_delta(l) != 0 && fabs(story_line_delta(l)) * noise_share >= most;
}

static void put_symbols(const struct story_lines *lines, struct sink *s)
{
	bool cold = false;
	if (lines->list.count == 0 || !line_tells(lines, &lines->list.data[0]))
		return;
	sink_text(s, STR("| change | | symbol | where |\n|--:|---|---|---|\n"));
	for (size_t i = 0; i < lines->list.count && i < SYMBOLS_MOST; i++)
		if (line_tells(lines, &lines->list.data[i])) {
			put_line(&lines->list.data[i], s);
			cold = cold || strstr(lines->list.data[i].row->label, ".cold");
		}
	if (cold)
		sink_text(s, STR("\n`.cold` is the part of a function for rare ways, such as "
				 "exceptions.\n"));
	sink_text(s, STR("\n"));
}

static bool is_below(const char *path, const char *directory)
{
	const size_t size = strlen(directory);
	return strncmp(path, directory, size) == 0 && path[size] == '/';
}

/* True if a name is a direct member of a namespace or class. */
static bool is_member_of(const char *name, const char *space)
{
	const size_t size = strlen(space);
	if (strncmp(name, space, size) != 0 || strncmp(name + size, "::", 2) != 0)
		return false;
	const char *rest = name + size + 2, *inner = strstr(rest, "::");
	return inner == NULL || rest + strcspn(rest, "<(") < inner;
}

static bool is_of_owner(const struct heft_row *symbol, const char *owner, enum heft_diff_by by)
{
	if (symbol->texts == NULL)
		return false;
	if (by == HEFT_DIFF_BY_COMPONENT)
		return strcmp(symbol->texts[DIFF_COMPONENT], owner) == 0;
	if (by == HEFT_DIFF_BY_DIRECTORY)
		return is_below(path_of(symbol), owner);
	/* Names of a package begin with its name, which a version may follow:
	 * `encoding/json.typeFields`, `core::fmt::pad`. */
	const size_t size = strcspn(owner, " ");
	if (by == HEFT_DIFF_BY_PACKAGE)
		return strncmp(symbol->label, owner, size) == 0 &&
		       (symbol->label[size] == '.' || strncmp(symbol->label + size, "::", 2) == 0);
	return by == HEFT_DIFF_BY_NAMESPACE && is_member_of(symbol->label, owner);
}

/* Names the owner's symbol that changed most, if it changed in the same direction. */
static void put_most_of(const struct comment *c, const char *owner, double delta,
			const struct story_lines *lines, struct sink *s)
{
	vec_each(const struct story_line, l, &lines->list) {
		const double part = story_line_delta(l);
		if (part == 0 || (part < 0) != (delta < 0) ||
		    !is_of_owner(l->row, owner, c->owners_by))
			continue;
		sink_text(s, STR(", most by "));
		story_put_name(s, l->row->label);
		sink_printf(s, " (%s%s)", sign_of(part), said_size(part).p);
		return;
	}
}

/* Writes "* `src/net` grew by 4.5 KiB to 9.8 KiB". */
static void put_owner(const struct comment *c, const struct story_line *owner,
		      const struct story_lines *lines, struct sink *s)
{
	const bool in_file = padded_delta(owner->file) != 0;
	const struct padded size = in_file ? owner->file : owner->vm;
	const double delta = padded_delta(size);
	const char *name = owner->row->label;
	sink_text(s, STR("* "));
	/* A program's own package may be the directory that it was built in. */
	if (name[0] == '/' && strcmp(name, c->causes->own_package) == 0)
		sink_text(s, STR("the program's own code"));
	else
		story_put_path(s, name);
	if (size.before == 0)
		sink_printf(s, " is new: %s", said_size(delta).p);
	else if (size.after == 0)
		sink_printf(s, " is gone: -%s", said_size(delta).p);
	else
		sink_printf(s, " %s by %s to %s", delta < 0 ? "shrank" : "grew", said_size(delta).p,
			    said_size(size.after).p);
	sink_text(s, in_file ? STR("") : STR(" in memory"));
	put_most_of(c, owner->row->label, delta, lines, s);
	sink_text(s, STR("\n"));
}

void comment_put_owners(const struct comment *c, struct sink *s)
{
	struct story_lines owners = story_lines_make(c->owners);
	struct story_lines lines = story_lines_make(c->symbols);
	size_t put = 0;
	for (size_t i = 0; i < owners.list.count && put < OWNERS_MOST; i++) {
		const struct story_line *l = &owners.list.data[i];
		if (!line_tells(&owners, l) || !diff_names_owner(l->row))
			continue;
		if (put++ == 0)
			sink_printf(s, "By %s:\n\n", c->owners->levels[0]);
		put_owner(c, l, &lines, s);
	}
	vec_release_all(&owners.list, &lines.list);
}

/* True for a path of an object: without debug info, objects exchange symbols by chance. */
static bool is_object_path(const char *path)
{
	return str_ends(str_of(path), STR(".o"));
}

/* Writes "2 symbols moved, such as `parse()` from `src/a.cc` to `src/b.cc`." */
static void put_moved(const struct comment *c, struct sink *s)
{
	const struct heft_row *top = c->symbols->top, *shown = NULL;
	for (size_t i = 0; i < top->child_count && shown == NULL; i++)
		if (is_named(top->children[i]) && top->children[i]->change == HEFT_MOVED &&
		    !is_object_path(path_of(top->children[i])) &&
		    !is_object_path(was_of(top->children[i])))
			shown = top->children[i];
	if (shown == NULL)
		return;
	const uint64_t count = c->diff->counts[HEFT_MOVED];
	if (count > 1)
		sink_printf(s, "%" PRIu64 " symbols moved, such as ", count);
	story_put_name(s, shown->label);
	sink_text(s, count > 1 ? STR(" from ") : STR(" moved from "));
	story_put_path(s, was_of(shown));
	sink_text(s, STR(" to "));
	story_put_path(s, path_of(shown));
	sink_text(s, STR("."));
}

void comment_put_rows(const struct comment *c, struct sink *s)
{
	struct story_lines lines = story_lines_make(c->symbols);
	put_symbols(&lines, s);
	put_moved(c, s);
	vec_release(&lines.list);
}
