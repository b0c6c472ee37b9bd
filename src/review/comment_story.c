/* Writes the parts of the comment on a pull request that are for all readers. */
#include "review/comment.h"

#include "base/filename.h"
#include "base/vec.h"
#include "compare/align_paths.h"
#include "names/demangle.h"
#include "report/markdown.h"
#include "report/pss.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	SYMBOLS_MOST = 5,
	OWNERS_MOST = 3,
	SECTIONS_MOST = 3,
	REGIONS_MOST = 4,
	FINDINGS_MOST = 8,
	NAMED_MOST = 60
};
/* A line is left out if it changed by less than 1 / noise_share of the first line's change. */
static const double noise_share = 200;
/* Moved symbols that have less than this part of the changed bytes are left out. */
static const double noise_moved = 20;
/* A section that changed by fewer bytes is left out. */
static const double section_least = 16;
/* Bytes. If a line's size in memory is unchanged, it is left out when its change in the file is
 * smaller than this. */
static const double file_least = 64;

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

/* Writes "+46.8 KiB (+1.2% of 3.7 MiB)", or "no change". */
static void put_difference(struct padded p, struct sink *s)
{
	const double delta = padded_delta(p);
	if (delta == 0)
		sink_text(s, STR("no change"));
	else if (p.after == 0)
		sink_printf(s, "-%s (all of it)", said_size(delta).p);
	else if (p.before == 0)
		sink_printf(s, "+%s (new)", said_size(delta).p);
	else
		sink_printf(s, "%s%s", sign_of(delta), said_size(delta).p);
	/* "+0.0%" would say nothing. */
	if (p.before > 0 && p.after > 0 && fabs(delta) >= p.before * 0.0005)
		sink_printf(s, " (%s of %s)", shown_growth(p.after, p.before).p,
			    said_size(p.before).p);
}

/* Writes "+46.8 KiB (+1.2% of 3.7 MiB), now 3.8 MiB", or "no change, 3.8 MiB". */
static void put_change(struct padded p, struct sink *s)
{
	put_difference(p, s);
	sink_printf(s, ", %s%s", padded_delta(p) != 0 ? "now " : "", said_size(p.after).p);
}

/* True for a section that ships: firmware has no other bytes than those that are loaded. */
static bool is_shipped(const void *ctx, const struct diff_section *s)
{
	const struct comment *c = ctx;
	return !diff_section_is_debug(s) && !*diff_section_note(s) &&
	       (c->region_count == 0 || s->in_memory);
}

/* Returns the change of headers and gaps in the file. */
static double headers_and_gaps(const struct diff_report *d)
{
	double ret = 0;
	for (size_t i = 0; i < d->section_count; i++)
		if (d->sections[i].in_file && *diff_section_note(&d->sections[i]))
			ret += padded_delta(diff_padded(&d->sections[i]));
	return ret;
}

/* Writes "Most in `.text` (+36.2 KiB), `.rodata` (+12.0 KiB), headers and gaps (-1.1 KiB)." */
static void put_most_sections(const struct comment *c, struct sink *s)
{
	const struct diff_report *d = c->diff;
	const struct diff_section *most[SECTIONS_MOST];
	size_t count = diff_most_changed(d->sections, d->section_count, c, is_shipped, most,
					 SECTIONS_MOST);
	double least = section_least;
	for (size_t i = 0; i < count; i++) {
		const double delta = padded_delta(diff_padded(most[i]));
		if (fabs(delta) < least) {
			count = i;
			break;
		}
		least = fmax(least, i == 0 ? fabs(delta) / noise_share : 0);
		sink_text(s, i == 0 ? STR("Most in ") : STR(", "));
		markdown_code(s, most[i]->name, NAMED_MOST);
		sink_printf(s, " (%s%s%s)", sign_of(delta), said_size(delta).p,
			    most[i]->in_file ? "" : " in memory");
	}
	const double rest = c->region_count == 0 ? headers_and_gaps(d) : 0;
	if (fabs(rest) >= least) {
		sink_text(s, count++ == 0 ? STR("Most in ") : STR(", "));
		sink_printf(s, "headers and gaps (%s%s)", sign_of(rest), said_size(rest).p);
	}
	sink_text(s, count > 0 ? STR(".\n\n") : STR(""));
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

/* Gaps between segments hide or feign a change if they have this share of it, and so many bytes. */
static const double gaps_share = 0.1, gaps_least = 256;

/* Writes "`FLASH` +580 bytes, `RAM` +768 bytes". */
static void put_region_changes(const struct comment *c, struct sink *s)
{
	size_t put = 0;
	for (size_t i = 0; i < c->region_count; i++) {
		const double delta = padded_delta(comment_region_size(&c->regions[i]));
		if (delta == 0)
			continue;
		if (++put > REGIONS_MOST) {
			sink_text(s, STR(" ..."));
			break;
		}
		sink_text(s, put > 1 ? STR(", ") : STR(""));
		story_put_name(s, c->regions[i].name);
		sink_printf(s, " %s%s", sign_of(delta), said_size(delta).p);
	}
	sink_text(s, put == 0 ? STR("no change of its memory regions") : STR(""));
}

void comment_put_headline(const struct comment *c, struct sink *s)
{
	const struct comment_bars bars = comment_course(c, "file", "", c->diff->file.after);
	const double gaps = c->causes->padding, delta = padded_delta(comment_ships(c));
	sink_text(s, STR("### Size of "));
	markdown_code(s, c->title, NAMED_MOST);
	sink_text(s, STR(": "));
	if (comment_is_debug_alone(c))
		sink_printf(s, "code and data %s, debug info ",
			    c->causes->loads_same ? "did not change" : "have the same size");
	else if (c->region_count > 0) {
		put_region_changes(c, s);
		return;
	} else if (fabs(gaps) >= gaps_least && fabs(gaps) >= gaps_share * fabs(delta) &&
		   gaps != delta)
		sink_printf(s, "%s%s without gaps of the file; with them ", sign_of(delta - gaps),
			    said_size(delta - gaps).p);
	put_change(comment_is_debug_alone(c) ? c->diff->debug : comment_ships(c), s);
	if (*bars.p)
		sink_printf(s, " %s", bars.p);
}

void comment_put_sizes(const struct comment *c, struct sink *s)
{
	const struct diff_report *d = c->diff;
	if (!comment_is_debug_alone(c))
		put_most_sections(c, s);
	const bool memory = d->knows_memory && c->region_count == 0;
	if (memory) {
		sink_text(s, STR("In memory: "));
		put_change(d->vm, s);
	}
	if (d->debug.before > 0 || d->debug.after > 0) {
		sink_text(s, memory ? STR(". ") : STR(""));
		sink_text(s, STR("Debug info, not counted above: "));
		put_change(d->debug, s);
	}
	if (memory || d->debug.before > 0 || d->debug.after > 0)
		sink_text(s, STR("."));
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
			sink_printf(s, ", %s of %s", shown_share(r->after, r->length).p,
				    said_size((double)r->length).p);
		sink_text(s, STR("\n"));
	}
}

/* Returns a name without the first namespaces if it is too long with them. */
static const char *name_end(const char *name)
{
	const char *ret = name;
	size_t depth = 0, left = strlen(name);
	for (const char *p = name; *p && *name != '"' && left > NAMED_MOST; p++) {
		depth += *p == '<' || *p == '(';
		depth -= depth > 0 && (*p == '>' || *p == ')');
		if (depth == 0 && p[0] == ':' && p[1] == ':') {
			ret = p + 2;
			left = strlen(ret);
		}
	}
	return ret;
}

void story_put_name(struct sink *s, const char *name)
{
	const char *end = name_end(name);
	sink_text(s, end != name ? STR("\xe2\x80\xa6") : STR(""));
	markdown_code(s, end, NAMED_MOST);
}

/* True for a folder that is named after a project and its version: "zlib-1.2.13", "zap@v1.2". */
static bool is_versioned(struct str folder)
{
	for (size_t i = 1; i + 1 < folder.len; i++) {
		const bool mark = folder.p[i] == '-' ||
				  (folder.p[i] == '@' && folder.p[i + 1] == 'v');
		const size_t at = i + 1 + (folder.p[i] == '@');
		if (mark && at < folder.len && folder.p[at] >= '0' && folder.p[at] <= '9')
			return true;
	}
	return false;
}

/* True for a folder that tells of the machine of a build, not of the project. */
static bool is_machine_folder(struct str folder, struct str above)
{
	static const char *const names[] = { "",      ".",      "..",    "build", "builddir",
					     "BUILD", "builds", "rustc", "home",  "root",
					     "work",  "tmp",    "usr",   "src",   "workspace" };
	bool ret = str_eq(above, STR("home")) || str_eq(above, STR("rustc"));
	for (size_t i = 0; i < COUNT_OF(names); i++)
		ret = ret || str_eq(folder, str_of(names[i]));
	return ret;
}

/* Returns the part of an absolute path that begins with the folder of its project. The folders
 * above it are those of the machine where a stranger built it. */
static const char *path_in_project(const char *path)
{
	const char *ret = path;
	for (const char *up; (up = strstr(ret, "/../")) != NULL;)
		ret = up + 4;
	struct str rest = str_of(ret), above = STR("");
	bool machine = true;
	while (rest.len > 0 && (path[0] == '/' || str_starts(str_of(path), STR("../")))) {
		const struct str folder = str_take(&rest, '/');
		machine = machine && rest.len > 0 && is_machine_folder(folder, above);
		if (machine)
			ret = rest.p;
		else if (rest.len > 0 && is_versioned(folder))
			ret = folder.p;
		above = folder;
	}
	return ret;
}

/* Writes a path. Of a long one only the end: the file's name matters more than the first folder. */
void story_put_path(struct sink *s, const char *path)
{
	const char *shown = path_in_project(path);
	const size_t size = strlen(shown);
	const char *end = size > NAMED_MOST ? strchr(shown + size - NAMED_MOST, '/') : NULL;
	shown = end != NULL ? end + 1 : shown;
	if (shown != path)
		sink_text(s, STR("\xe2\x80\xa6"));
	story_put_name(s, shown != path ? shown - 1 : path);
}

/* Writes a path of the programs: without the directory of the program's own sources. */
static void put_source(const struct comment *c, const char *path, struct sink *s)
{
	story_put_path(s, causes_below(c->causes->root, path));
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

/* A line of the table: rows with the same name, path and change, such as instances of a template.
 * A function has the bytes of its parts, too: the compiler splits and copies functions. */
struct story_line {
	const struct heft_row *row; /* The first of the joined rows */
	enum heft_change change;    /* Of the row, with the parts that were added */
	size_t count;
	bool folded;            /* True if the bytes are in another line */
	struct padded file, vm; /* `vm` is 0 if the table lacks that column */
};

struct story_lines {
	bool has_vm; /* True if lines have sizes in memory beside those in the file */
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

/* Returns the sort key of a line: its change in the file, or in memory if it is not in the file. */
static double story_line_delta(const struct story_line *l)
{
	if (l->folded)
		return 0;
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

const char *story_made_for(const char *name)
{
	static const struct {
		const char *begin, *part, *words;
	} made[] = {
		{ "", "..inittask", " (start of the package)" },
		{ "", "..stmp_", " (constant without a name)" },
		{ "", "..dict.", " (types of a generic function)" },
		{ "type:.eq.", "", " (comparison of a type)" },
		{ "type..eq.", "", " (comparison of a type)" },
		{ "type:.hash.", "", " (hash of a type)" },
		{ "type..hash.", "", " (hash of a type)" },
		{ "type:", "", " (type information)" },
		{ "go:itab.", "", " (methods of a type)" },
		{ "go.itab.", "", " (methods of a type)" },
		{ "_GLOBAL__sub_I_", "", " (start of a source)" },
		{ "CSWTCH.", "", " (table of a `switch`)" },
		{ "switch.table.", "", " (table of a `switch`)" },
		{ "DW.ref.", "", " (for exceptions)" },
	};
	for (size_t i = 0; i < COUNT_OF(made); i++)
		if (str_starts(str_of(name), str_of(made[i].begin)) && strstr(name, made[i].part))
			return made[i].words;
	return "";
}

static const char *flags_of(const struct heft_row *row)
{
	return row->texts != NULL ? row->texts[DIFF_FLAGS] : "";
}

/* Returns the words for code and data that a compiler makes, or "" for other rows. */
static const char *made_words(const struct heft_row *row)
{
	const char *flags = flags_of(row);
	return strstr(flags, "typeinfo") ? " (type information)"
	       : strstr(flags, "vtable") ? " (virtual table)"
					 : story_made_for(row->label);
}

/* Returns the word for a part of a function, or NULL for other rows. */
static const char *part_word(const struct heft_row *row)
{
	const char *flags = flags_of(row);
	return strstr(flags, "cold")            ? "cold part"
	       : strstr(flags, "clone") == NULL ? NULL
	       : strstr(row->label, ".part.")   ? "part"
						: "copy";
}

/* True for a part of a function, and for the versioned name of an import: "free@GLIBC_2.2.5". */
static bool is_part(const struct heft_row *row)
{
	return part_word(row) != NULL ||
	       (row->kind == HEFT_ROW_NAME && strchr(row->label, '@') != NULL);
}

/* Returns the name of a row without what compilers and linkers append: "f" of "f.cold". */
static struct str stem_of(const struct heft_row *row)
{
	const struct str label = str_of(row->label);
	return part_word(row) ? str_upto(label, suffix_start(label))
	       : is_part(row) ? str_upto(label, strcspn(row->label, "@"))
			      : label;
}

static void padded_join(struct padded *to, struct padded p)
{
	to->before += p.before;
	to->after += p.after;
}

/* Adds a part to the line of its function. A function that only one side has beside a part that the
 * other side has is changed. */
static void story_line_take(struct story_line *to, struct story_line *part)
{
	padded_join(&to->file, part->file);
	padded_join(&to->vm, part->vm);
	part->folded = true;
	if (to->change != part->change && to->file.before > 0 && to->file.after > 0)
		to->change = HEFT_CHANGED;
}

/* Adds the bytes of functions' parts to the lines of their functions. If a function has no line,
 * adds them to the line of its first part. */
static void story_lines_fold(struct story_lines *lines)
{
	struct intern stems = { { 0 } };
	VEC(size_t) firsts = { 0 }; /* By stem and path: index of the function's line */
	struct text key = { 0 };
	for (size_t i = 0; i < 2 * lines->list.count; i++) {
		struct story_line *l = &lines->list.data[i % lines->list.count];
		const bool part = is_part(l->row);
		if (part != (i >= lines->list.count))
			continue; /* Functions first, then their parts */
		text_set(&key, stem_of(l->row));
		text_add_all(&key, "\n", path_of(l->row));
		const uint32_t id = intern_add(&stems, text_str(&key));
		if (id == firsts.count)
			vec_push(&firsts, i % lines->list.count);
		else if (part)
			story_line_take(&lines->list.data[firsts.data[id]], l);
	}
	vec_release(&firsts);
	intern_release(&stems);
	text_release(&key);
}

/* Joins the rows that look the same, and sorts them by falling change. Of firmware, counts only the
 * bytes in memory. */
static struct story_lines story_lines_make(const struct comment *c, const struct heft_table *t)
{
	const bool charged = t->sorted_by == HEFT_DIFF_CHARGED, loaded = c->region_count > 0;
	struct story_lines ret = { .has_vm = charged && !loaded };
	struct intern keys = { { 0 } };
	struct text key = { 0 };
	for (size_t i = 0; i < t->top->child_count; i++) {
		const struct heft_row *row = t->top->children[i];
		if (!is_named(row))
			continue;
		key.len = 0;
		text_add_all(&key, change_word(row->change), "\n", row->label, made_words(row),
			     "\n", path_of(row));
		const uint32_t k = intern_add(&keys, text_str(&key));
		if (k == ret.list.count)
			vec_push(&ret.list,
				 (struct story_line){ .row = row, .change = row->change });
		struct story_line *l = &ret.list.data[k];
		const struct padded file = measured(row, charged && loaded ? HEFT_DIFF_VM
									   : t->sorted_by);
		const struct padded vm = ret.has_vm ? measured(row, HEFT_DIFF_VM)
						    : (struct padded){ 0 };
		l->count++;
		padded_join(&l->file, file);
		padded_join(&l->vm, vm);
	}
	intern_release(&keys);
	text_release(&key);
	story_lines_fold(&ret);
	if (ret.list.count > 0)
		qsort(ret.list.data, ret.list.count, sizeof *ret.list.data, story_line_compare);
	return ret;
}

/* Returns the name or the path before the change. "" if it is the same. */
static const char *was_of(const struct heft_row *row)
{
	return row->texts != NULL ? row->texts[DIFF_WAS] : "";
}

static void put_line(const struct comment *c, const struct story_line *l, bool places,
		     struct sink *s)
{
	const double delta = story_line_delta(l);
	sink_printf(s, "| %s%s%s | %s | ", sign_of(delta), said_size(delta).p,
		    padded_delta(l->file) == 0 && delta != 0 ? " in memory" : "",
		    change_word(l->change));
	char name[NAMED_MOST + 2];
	const struct str stem = stem_of(l->row);
	if (stem.len <= NAMED_MOST && part_word(l->row) != NULL) {
		snprintf(name, sizeof name, STR_FMT, STR_ARG(stem));
		story_put_name(s, name);
		sink_printf(s, " (%s)", part_word(l->row));
	} else
		story_put_name(s, l->row->label);
	sink_text(s, str_of(made_words(l->row)));
	/* The section tells which memory of firmware has the symbol. */
	if (c->region_count > 0 && l->row->texts && *l->row->texts[DIFF_SECTION]) {
		sink_text(s, STR(" in "));
		story_put_name(s, l->row->texts[DIFF_SECTION]);
	}
	if (l->row->change == HEFT_RENAMED) {
		sink_text(s, STR(", was "));
		story_put_name(s, was_of(l->row));
	}
	if (l->count > 1 && !*made_words(l->row))
		sink_printf(s, " (%zu instances)", l->count);
	sink_text(s, STR(" |"));
	if (places) {
		sink_text(s, STR(" "));
		if (*path_of(l->row) && !*story_made_for(l->row->label))
			put_source(c, path_of(l->row), s);
		sink_text(s, STR(" |"));
	}
	sink_text(s, STR("\n"));
}

/* True if a line is shown: its change is not too small beside the first line's. If the size in
 * memory is unchanged, less than file_least is not shown: it is in headers or shared names. */
static bool line_tells(const struct story_lines *lines, const struct story_line *l)
{
	const double most = fabs(story_line_delta(&lines->list.data[0]));
	const double delta = fabs(story_line_delta(l));
	const bool stays = lines->has_vm && l->vm.after == l->vm.before &&
			   l->change <= HEFT_CHANGED;
	return delta != 0 && delta * noise_share >= most && !(stays && delta < file_least);
}

static void put_symbols(const struct comment *c, const struct story_lines *lines, struct sink *s)
{
	const struct story_line *shown[SYMBOLS_MOST];
	size_t count = 0;
	bool places = false;
	for (size_t i = 0; i < lines->list.count && count < SYMBOLS_MOST; i++)
		if (line_tells(lines, &lines->list.data[i])) {
			places = places || *path_of(lines->list.data[i].row);
			shown[count++] = &lines->list.data[i];
		}
	if (count > 0)
		sink_text(s, places ? STR("| change | | symbol | where |\n|--:|---|---|---|\n")
				    : STR("| change | | symbol |\n|--:|---|---|\n"));
	for (size_t i = 0; i < count; i++)
		put_line(c, shown[i], places, s);
	sink_text(s, count > 0 ? STR("\n") : STR(""));
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
		sink_printf(s, "%s (%s%s)", made_words(l->row), sign_of(part), said_size(part).p);
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
	if (name[0] == '/' &&
	    (strcmp(name, c->causes->own_package) == 0 || strcmp(name, c->causes->root) == 0))
		sink_text(s, STR("the program's own code"));
	else
		put_source(c, name, s);
	if (size.before == 0)
		sink_printf(s, " is new: %s", said_size(delta).p);
	else if (size.after == 0)
		sink_printf(s, " is gone: -%s", said_size(delta).p);
	else
		sink_printf(s, " %s by %s to %s", delta < 0 ? "shrank" : "grew", said_size(delta).p,
			    said_size(size.after).p);
	sink_text(s, in_file ? STR("") : STR(" in memory"));
	put_most_of(c, owner->row->label, delta, lines, s);
	if (strcmp(name, c->causes->own_package) != 0)
		(void)comment_put_came_in(c, owner->row->label, s);
	sink_text(s, STR("\n"));
}

/* True if rows tell nothing: the files lack the names that would tell their functions apart, or
 * nothing but paths or texts changed. */
static bool tells_no_rows(const struct causes *all)
{
	const struct cause *c = &all->list[0];
	return all->sole && (c->kind == CAUSE_MOVED || c->kind == CAUSE_TEXTS ||
			     (c->kind == CAUSE_SECTION && strcmp(c->names[0], ".symtab") == 0));
}

void comment_put_owners(const struct comment *c, struct sink *s)
{
	struct story_lines owners = story_lines_make(c, c->owners);
	struct story_lines lines = story_lines_make(c, c->symbols);
	const bool packages = c->owners_by == HEFT_DIFF_BY_PACKAGE;
	size_t named = 0, put = tells_no_rows(c->causes) ? OWNERS_MOST : 0;
	vec_each(const struct story_line, l, &owners.list)
		named += line_tells(&owners, l) && diff_names_owner(l->row);
	for (size_t i = 0; i < owners.list.count && put < OWNERS_MOST; i++) {
		const struct story_line *l = &owners.list.data[i];
		const struct str name = str_of(l->row->label);
		/* Names of folders that all projects or machines have say nothing. */
		const bool plain = packages && (is_machine_folder(name, STR("")) ||
						align_is_plain_folder(name));
		/* The only package of a program is the program. */
		const bool whole = packages && named == 1 && l->file.before > 0 &&
				   l->file.after > 0;
		if (!line_tells(&owners, l) || !diff_names_owner(l->row) || whole || plain)
			continue;
		if (put++ == 0)
			sink_printf(s, "By %s:\n\n", c->owners->levels[0]);
		put_owner(c, l, &lines, s);
	}
	vec_release_all(&owners.list, &lines.list);
}

/* True for the path of an object. Without debug info, a move between objects may be by chance. */
static bool is_object_path(const char *path)
{
	return str_ends(str_of(path), STR(".o"));
}

/* Returns the first moved symbol, if all moved from its old source to its new one, else NULL. */
static const struct heft_row *moved_together(const struct comment *c)
{
	const struct heft_row *top = c->symbols->top, *first = NULL;
	uint64_t count = 0;
	for (size_t i = 0; i < top->child_count; i++) {
		const struct heft_row *row = top->children[i];
		if (!is_named(row) || row->change != HEFT_MOVED)
			continue;
		first = first ? first : row;
		if (!*was_of(row) || strcmp(was_of(row), was_of(first)) != 0 ||
		    strcmp(path_of(row), path_of(first)) != 0)
			return NULL;
		count++;
	}
	return count == c->diff->counts[HEFT_MOVED] ? first : NULL;
}

bool comment_put_moved_file(const struct comment *c, struct sink *s)
{
	const struct heft_row *row = moved_together(c);
	const uint64_t count = c->diff->counts[HEFT_MOVED];
	if (row == NULL || count < 2)
		return false;
	const char *was = was_of(row), *is = path_of(row);
	const bool file = strcmp(file_name(was), file_name(is)) == 0;
	if (!file)
		sink_printf(s, "%" PRIu64 " symbols moved from ", count);
	put_source(c, was, s);
	sink_text(s, file ? STR(" moved to ") : STR(" to "));
	put_source(c, is, s);
	if (file)
		sink_printf(s, " (%" PRIu64 " symbols)", count);
	return true;
}

void comment_put_example(const struct comment *c, enum heft_change change, const char *before,
			 struct sink *s)
{
	const struct heft_row *top = c->symbols->top, *shown = NULL;
	ASSERT(change == HEFT_MOVED || change == HEFT_RENAMED);
	for (size_t i = 0; i < top->child_count && shown == NULL; i++) {
		const struct heft_row *row = top->children[i];
		if (is_named(row) && row->change == change &&
		    (change == HEFT_RENAMED ||
		     (!is_object_path(path_of(row)) && !is_object_path(was_of(row)))))
			shown = row;
	}
	if (shown == NULL)
		return;
	sink_text(s, str_of(before));
	story_put_name(s, change == HEFT_MOVED ? shown->label : was_of(shown));
	sink_text(s, change == HEFT_MOVED ? STR(" from ") : STR(" to "));
	if (change == HEFT_MOVED) {
		put_source(c, was_of(shown), s);
		sink_text(s, STR(" to "));
	}
	if (change == HEFT_MOVED)
		put_source(c, path_of(shown), s);
	else
		story_put_name(s, shown->label);
}

void comment_put_rows(const struct comment *c, struct sink *s)
{
	if (tells_no_rows(c->causes))
		return;
	struct story_lines lines = story_lines_make(c, c->symbols);
	const uint64_t moved = c->diff->counts[HEFT_MOVED];
	char words[60];
	put_symbols(c, &lines, s);
	snprintf(words, sizeof words, "%" PRIu64 " symbols moved, such as ", moved);
	/* Few moved bytes beside a change tell nothing of it. */
	if ((c->causes->count == 0 || c->causes->list[0].kind != CAUSE_MOVED) &&
	    c->causes->moved * noise_moved >= c->causes->all)
		comment_put_example(c, HEFT_MOVED, moved == 1 ? "Moved: " : words, s);
	vec_release(&lines.list);
}
