/* Writes the sentence of a comment that says what a change comes from. */
#include "review/comment.h"

#include "report/markdown.h"
#include "report/pss.h"

#include <math.h>

enum { DEBUG_SECTIONS_MOST = 8, MANY = 8 };

/* Writes "3 of 4 units", or nothing if it is unknown. */
static void put_units(const struct cause *c, struct sink *s)
{
	if (c->of > 0)
		sink_printf(s, " in %zu of %zu units", c->count, c->of);
}

static void put_options(const struct cause *c, struct sink *s)
{
	sink_text(s, STR("the compiler's options changed"));
	put_units(c, s);
	if (*c->names[0]) {
		sink_text(s, STR(", new: "));
		markdown_code(s, c->names[0], 200);
	}
	if (*c->names[1]) {
		sink_text(s, STR(", gone: "));
		markdown_code(s, c->names[1], 200);
	}
	if (c->gone > 4 * c->added)
		sink_printf(s, ". %s function%s gone, most likely inlined into others",
			    shown_parts((double)c->gone).p, c->gone == 1 ? " is" : "s are");
}

/* Writes "`f` is gone, and `g` grew: most likely ..." */
static void put_inlined(const struct cause *c, struct sink *s)
{
	if (c->count > 1)
		sink_printf(s, "%s functions such as ", shown_parts((double)c->count).p);
	story_put_name(s, c->names[0]);
	sink_text(s, c->count > 1 ? STR(" are gone, and ") : STR(" is gone, and "));
	if (c->grown > 1)
		sink_printf(s, "%s functions such as ", shown_parts((double)c->grown).p);
	story_put_name(s, c->names[1]);
	sink_text(s, STR(" grew, as inlining does"));
}

/* Writes "`f` moved to `b.c`, and `g` shrank: ..." */
static void put_outlined(const struct cause *c, struct sink *s)
{
	const bool one = c->count == 1;
	if (!one)
		sink_printf(s, "%s functions such as ", shown_parts((double)c->count).p);
	story_put_name(s, c->names[0]);
	sink_text(s, *c->names[2] ? STR(" moved to ") : one ? STR(" is new") : STR(" are new"));
	if (*c->names[2])
		story_put_path(s, c->names[2]);
	sink_text(s, STR(", and "));
	if (c->grown > 1)
		sink_printf(s, "%s functions such as ", shown_parts((double)c->grown).p);
	story_put_name(s, c->names[1]);
	sink_printf(s, " shrank, as if %s code is no longer inlined into %s", one ? "its" : "their",
		    c->grown > 1 ? "them" : "it");
}

static void put_code(const struct cause *c, struct sink *s)
{
	sink_printf(s,
		    "other options of the compiler, or another compiler. %zu of %zu functions that "
		    "stay have another size: %zu are larger, %zu smaller",
		    c->count, c->of, c->grown, c->count - c->grown);
	if (c->grown * 10 < c->count)
		sink_text(s, STR(", as optimization for size (`-Os`) makes them"));
	else if (c->gone * 5 >= c->of)
		sink_printf(s, ". %zu functions are gone, as inlining (`-O3`, `-flto`) does",
			    c->gone);
}

static void put_unwind(const struct cause *c, struct sink *s)
{
	sink_printf(s, "%s were turned %s. They %s %s while the functions stay", c->names[1],
		    c->sign < 0 ? "off" : "on", c->sign < 0 ? "shrank" : "grew",
		    said_size(c->delta).p);
	if (c->sign < 0 && c->count > 0)
		sink_printf(s,
			    ", and %zu `.cold` part%s gone (code for rare ways, such as "
			    "exceptions)",
			    c->count, c->count == 1 ? " is" : "s are");
}

static const char *cause_came(const struct cause *c)
{
	return c->sign > 0 ? "new" : c->sign < 0 ? "gone" : c->delta < 0 ? "smaller" : "larger";
}

static void put_section(const struct cause *c, struct sink *s)
{
	sink_text(s, str_of(c->names[1]));
	if (!*c->names[0])
		return;
	sink_text(s, STR(": "));
	story_put_name(s, c->names[0]);
	sink_printf(s, " is %s", cause_came(c));
}

/* Writes ", grew by 28.0 KiB, from 4.0 KiB to 32.0 KiB", or ", is new: 28.0 KiB". Its own bytes may
 * be few beside its names, relocations and tables. */
static void put_growth(const struct cause *c, struct sink *s)
{
	const struct shown size = said_size(c->delta);
	if (c->sign == 0)
		sink_printf(s, ", %s by %s", c->delta < 0 ? "shrank" : "grew", size.p);
	else
		sink_printf(s, ", is %s: %s", cause_came(c), size.p);
	if (c->sign == 0 && c->count == 1)
		sink_printf(s, ", from %s to %s", said_size(c->before).p,
			    said_size(c->before + c->delta).p);
	if (c->sign != 0 && c->own != 0 && fabs(c->own) * 2 < fabs(c->delta))
		sink_printf(s, ", %s of them its own", said_size(c->own).p);
}

static bool is_data(const char *section)
{
	static const char *const data[] = { ".rodata", ".data", ".const", "__const", ".rdata" };
	for (size_t i = 0; i < COUNT_OF(data); i++)
		if (str_starts(str_of(section), str_of(data[i])))
			return true;
	return false;
}

static void put_symbol(const struct cause *c, struct sink *s)
{
	if (c->section_was && c->sign == 0) {
		story_put_name(s, c->names[0]);
		sink_text(s, STR(" moved from "));
		story_put_name(s, c->section_was);
		sink_text(s, STR(" to "));
		story_put_name(s, c->names[1]);
		sink_printf(s, ", which %s the file by %s", c->delta < 0 ? "shrinks" : "lets grow",
			    said_size(c->delta).p);
		return;
	}
	if (c->with_data && c->sign == 0) {
		sink_text(s, STR("data and tables that belong to "));
		story_put_name(s, c->names[0]);
		sink_printf(s, " %s by %s", c->delta < 0 ? "shrank" : "grew",
			    said_size(c->delta).p);
		return;
	}
	const struct str section = str_of(c->names[1]);
	if (is_data(c->names[1]))
		sink_text(s, STR("one table of data, "));
	else if (c->instance)
		sink_text(s, STR("another instance of a generic function, "));
	else if (str_starts(section, STR(".text")))
		sink_text(s, STR("one function, "));
	else if (str_starts(section, STR(".bss")))
		sink_text(s, STR("one variable that takes memory only, "));
	else
		sink_text(s, STR("one symbol, "));
	story_put_name(s, c->names[0]);
	sink_text(s, c->with_data ? STR(", with data and tables that belong to it") : STR(""));
	put_growth(c, s);
}

/* Writes up to three names: "`a`, `b`, `c`". Before a name is its kind, and after it its place, if
 * they are known. */
static void put_names(const struct cause *c, struct sink *s)
{
	for (size_t i = 0; i < COUNT_OF(c->names) && *c->names[i]; i++) {
		sink_text(s, i > 0 ? STR(", ") : STR(""));
		if (c->kinds[i] && !(i == 0 && c->was && *c->was))
			sink_printf(s, "%s ", c->kinds[i]);
		story_put_path(s, c->names[i]);
		if (c->places[i] && *c->places[i]) {
			sink_text(s, STR(" in "));
			story_put_path(s, c->places[i]);
		}
	}
}

static void put_texts(const struct cause *c, struct sink *s)
{
	sink_printf(s,
		    "a rebuild: code and tables have the same sizes, and %s of texts and padding "
		    "differ, as with another date, path or version",
		    said_size(c->texts).p);
	sink_text(s, *c->names[0] ? STR(", in ") : STR(""));
	put_names(c, s);
}

/* Writes "no part has another size, but contents differ in 2 of 455 functions ...: `a`, `b`". */
static void put_contents(const struct cause *c, struct sink *s)
{
	const size_t named = c->count < COUNT_OF(c->names) ? c->count : COUNT_OF(c->names);
	sink_printf(s,
		    "no part has another size, but contents differ in %s%s of %s functions, tables "
		    "and sections: ",
		    c->some ? "some of " : "", shown_parts((double)c->count).p,
		    shown_parts((double)c->of).p);
	if (*c->was) {
		sink_printf(s, "%s ", c->kinds[0]);
		story_put_name(s, c->was);
		sink_text(s, STR(" is now "));
	}
	put_names(c, s);
	if (c->count > named)
		sink_printf(s, " and %s more", shown_parts((double)(c->count - named)).p);
}

/* How a cause is written: by a function, or as words with placeholders (see put_placeholder()).
 * `stated`: the programs state it, so it is sure. `derived`: it explains the evidence best, but
 * another may, too. If neither is set, it only says what a part of the change has in common. */
static const struct cause_words {
	const char *words;
	void (*put)(const struct cause *c, struct sink *s);
	bool stated, derived;
} cause_words[CAUSE_KINDS] = {
	[CAUSE_OPTIONS] = { NULL, put_options, true, false },
	[CAUSE_COMPILER] = { "another compiler made it{units}: {1}, before it {0}", NULL, true,
			     false },
	[CAUSE_LINKER] = { "another linker made it: {1}, before it {0}", NULL, true, false },
	[CAUSE_VERSION] = { "{0} has another version: {2}, before it {1}", NULL, true, false },
	[CAUSE_OTHER] = { "two different programs, they have only {of} functions in common", NULL,
			  false, true },
	[CAUSE_ONE_UNIT] = { "the sources were compiled as one, as link-time optimization "
			     "(`-flto`) does. {gone} functions are gone, others took in their "
			     "code, and nothing tells the source files apart any longer",
			     NULL, false, true },
	[CAUSE_CODE] = { NULL, put_code, false, true },
	[CAUSE_INLINED] = { NULL, put_inlined, false, true },
	[CAUSE_OUTLINED] = { NULL, put_outlined, false, true },
	[CAUSE_UNWIND] = { NULL, put_unwind, false, true },
	[CAUSE_SECTION] = { NULL, put_section, true, false },
	[CAUSE_TEXTS] = { NULL, put_texts, true, false },
	[CAUSE_SYMBOL] = { NULL, put_symbol, false, false },
	[CAUSE_PACKAGE] = { "{number} package{s} {names}{more} {are} {came}: {size}", NULL, false,
			    false },
	[CAUSE_OBJECTS] = { "{count} functions and tables of objects without debug info are {came} "
			    "({size}){prefix}, most likely a static library{objects}",
			    NULL, false, false },
	[CAUSE_RUNTIME] = { "{words} {went}: {size} in {count} functions and tables", NULL, false,
			    false },
	[CAUSE_FAMILY] = { "{count} functions and tables with {0} in their names are {came}: "
			   "{size}",
			   NULL, false, false },
	[CAUSE_CLASSES] = { "{count} classes ({names}{more}) are {came}: {size}", NULL, false,
			    false },
	[CAUSE_PADDING] = { "{words} {grew} {size}", NULL, true, false },
	[CAUSE_RENAMED] = { "{count} symbol{s} {were} renamed", NULL, true, false },
	[CAUSE_CONTENTS] = { NULL, put_contents, true, false },
	[CAUSE_MOVED] = { "{count} symbol{s} moved to other source files", NULL, true, false },
};

/* Writes the text for the placeholder `name` in cause_words. */
static void put_placeholder(const struct cause *c, struct str name, struct sink *s)
{
	const bool one = c->count == 1;
	const struct shown size = said_size(c->delta), count = shown_parts((double)c->count);
	const struct shown of = shown_parts((double)c->of), gone = shown_parts((double)c->gone);
	const struct {
		const char *name, *text;
	} texts[] = {
		{ "size", size.p },
		{ "count", count.p },
		{ "of", of.p },
		{ "gone", gone.p },
		{ "number", one ? "the" : count.p },
		{ "s", one ? "" : "s" },
		{ "are", one ? "is" : "are" },
		{ "were", one ? "was" : "were" },
		{ "came", cause_came(c) },
		{ "went", c->replaced   ? "was replaced"
			  : c->sign > 0 ? "came in"
					: "went out" },
		{ "grew", c->delta < 0 ? "shrank" : "grew" },
		{ "more", c->count > COUNT_OF(c->names) ? " ..." : "" },
		{ "words", c->names[1] },
		{ "objects", *c->names[0] ? " with the objects " : "" },
	};
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		if (str_eq(name, str_of(texts[i].name)))
			sink_text(s, str_of(texts[i].text));
	if (name.p[0] >= '0' && name.p[0] <= '2')
		story_put_name(s, c->names[name.p[0] - '0']);
	else if (str_eq(name, STR("names")) || str_eq(name, STR("objects")))
		put_names(c, s);
	else if (str_eq(name, STR("prefix")) && c->prefix) {
		sink_text(s, STR(", most with names such as "));
		story_put_name(s, c->prefix);
	} else if (str_eq(name, STR("units")))
		put_units(c, s);
}

static void put_words(const struct cause *c, struct sink *s)
{
	const struct cause_words *w = &cause_words[c->kind];
	struct str rest = str_of(w->words ? w->words : "");
	if (w->put)
		w->put(c, s);
	while (rest.len > 0) {
		const struct template_piece piece = piece_take(&rest);
		sink_text(s, piece.plain);
		if (piece.name.len > 0)
			put_placeholder(c, piece.name, s);
	}
}

static bool is_debug(const void *ctx, const struct diff_section *s)
{
	(void)ctx;
	return diff_section_is_debug(s);
}

/* Writes the debug sections that changed: ": `.debug_loc` (new, 180.7 KiB), ...". */
static void put_debug_sections(const struct diff_report *d, struct sink *s)
{
	const struct diff_section *most[DEBUG_SECTIONS_MOST];
	const size_t count = diff_most_changed(d->sections, d->section_count, d, is_debug, most,
					       COUNT_OF(most));
	for (size_t i = 0; i < count; i++) {
		const struct padded size = diff_padded(most[i]);
		sink_text(s, i == 0 ? STR(": ") : STR(", "));
		story_put_name(s, most[i]->name);
		sink_printf(s, " (%s%s)",
			    size.before == 0           ? "new, "
			    : size.after == 0          ? "gone, it had "
			    : size.after < size.before ? "-"
						       : "+",
			    said_size(padded_delta(size)).p);
	}
	sink_text(s, count == COUNT_OF(most) ? STR(" and others") : STR(""));
}

bool comment_is_debug_alone(const struct comment *c)
{
	const struct diff_report *d = c->diff;
	const bool named = c->causes->count > 0 && c->causes->list[0].kind >= CAUSE_RENAMED;
	return !named && padded_delta(d->debug) != 0 && padded_delta(d->vm) == 0 &&
	       c->causes->all * 20 < fabs(padded_delta(d->debug));
}

/* Names what explains the change of debug info: options, the DWARF version, source files. */
static void put_debug_origin(const struct comment *c, struct sink *s)
{
	const struct causes *all = c->causes;
	const bool gone = c->diff->debug.after == 0, new_ = c->diff->debug.before == 0;
	const bool alone = comment_is_debug_alone(c); /* Then put_debug_cause() names versions */
	const char *was = all->debug_options[0], *now = all->debug_options[1];
	if (*was || *now) {
		sink_text(s, STR(". The compiler's option "));
		markdown_code(s, *now ? now : was, 200);
		sink_text(s, *now ? STR(" is new") : STR(" is gone"));
	}
	if (*was && *now) {
		sink_text(s, STR(", before "));
		markdown_code(s, was, 200);
	}
	if (*all->dwarf[0] && *all->dwarf[1] && !alone)
		sink_printf(s, ". Debug info has DWARF version %s, before %s", all->dwarf[1],
			    all->dwarf[0]);
	if (gone != new_ && !alone)
		sink_printf(s, ". Debug info is %s", gone ? "no longer in the file" : "new");
	for (size_t i = 0; i < 2; i++) {
		const size_t count = all->debug_sources[i].count;
		if (count == 0 || gone || new_)
			continue;
		sink_printf(s, ". %zu source%s %s debug info (`-g`): ", count,
			    count == 1 ? "" : "s", i == 0 ? "lost" : "gained");
		story_put_path(s, all->debug_sources[i].path);
		sink_text(s, count == 1 ? STR("") : STR(" ..."));
	}
}

static void put_debug_cause(const struct comment *c, struct sink *s)
{
	const bool gone = c->diff->debug.after == 0, new_ = c->diff->debug.before == 0;
	sink_text(s, gone   ? STR("**Cause:** debug info is no longer in the file")
		     : new_ ? STR("**Cause:** debug info is in the file now")
			    : STR("**Cause:** only debug info changed"));
	if (*c->causes->dwarf[0] && *c->causes->dwarf[1])
		sink_printf(s, ", from DWARF version %s to %s", c->causes->dwarf[0],
			    c->causes->dwarf[1]);
	if (c->causes->debug_packed != 0)
		sink_text(s, c->causes->debug_packed > 0
				     ? STR(". It is compressed now (`-gz`)")
				     : STR(". It is no longer compressed (`-gz`)"));
	else if (!gone && !new_)
		put_debug_sections(c->diff, s);
	put_debug_origin(c, s);
	sink_printf(s, ". What loads %s.",
		    c->causes->loads_same ? "is the same" : "has the same size");
}

static void put_two_names(const char *before, const char *const names[2], struct sink *s)
{
	if (!*names[0])
		return;
	sink_text(s, str_of(before));
	story_put_name(s, names[0]);
	sink_text(s, *names[1] ? STR(", ") : STR(""));
	if (*names[1])
		story_put_name(s, names[1]);
	sink_text(s, STR("."));
}

/* Names the program's own new functions, which may be why parts of others came in, and those of
 * libraries that it uses now, which tell what generic code came for. */
static void put_own(const struct causes *all, struct sink *s)
{
	const enum cause_kind kind = all->count > 0 ? all->list[0].kind : CAUSE_KINDS;
	const bool generic = kind == CAUSE_FAMILY ||
			     (kind == CAUSE_SYMBOL && all->list[0].instance);
	if (generic || (kind >= CAUSE_RUNTIME && kind <= CAUSE_FAMILY))
		put_two_names(" New in the program's own code: ", all->own, s);
	if (generic)
		put_two_names(" Newly used of its libraries: ", all->used, s);
}

/* True if no size changed outside of debug info. */
static bool is_same(const struct comment *c)
{
	const struct diff_report *d = c->diff;
	return c->causes->all == 0 && padded_delta(d->file) == 0 && padded_delta(d->vm) == 0;
}

/* Writes what is known of two programs whose sizes are equal, also if no contents were compared. */
static void put_same(const struct comment *c, struct sink *s)
{
	const struct causes *all = c->causes;
	if (all->same_build)
		sink_text(s, STR("Both are the same build: their build ids are equal."));
	else if (all->compared == 0)
		sink_text(s, all->other_build
				     ? STR("No part has another size. The build ids are not "
					   "equal. A list of symbols without checksums does not "
					   "tell which contents differ.")
				     : STR(""));
	else
		sink_printf(
			s,
			"%s: no part has another size, and the contents of all %s functions, "
			"tables and sections are the same. Not compared: headers of the file%s.",
			all->other_build ? "**Cause:** only the build id differs"
					 : "Nothing that heft compared differs",
			shown_parts((double)all->compared).p,
			c->diff->debug.after > 0 ? ", debug info" : "");
}

/* Writes words before a cause that tell how sure it is. */
static void put_certainty(const struct causes *all, size_t i, struct sink *s)
{
	const struct cause_words *w = &cause_words[all->list[i].kind];
	if (i > 0)
		sink_text(s, STR("; "));
	else if (w->derived)
		sink_text(s, STR("**Most likely cause:** "));
	else if (w->stated && all->sole)
		sink_text(s, STR("**Cause:** "));
	else if (all->sole)
		sink_text(s, STR("**Most of it:** "));
	else
		sink_text(s,
			  all->count > 1 ? STR("**Largest parts:** ") : STR("**Largest part:** "));
}

/* Writes a share of the changed bytes, of which there are `all`. */
static void put_share(double share, double all, bool first, struct sink *s)
{
	sink_printf(s, first ? " (%d%% of the %s that changed)" : " (%d%% of %s)",
		    (int)(100 * share + 0.5), said_size(all).p);
}

void comment_put_cause(const struct comment *c, struct sink *s)
{
	const struct causes *all = c->causes;
	if (comment_is_debug_alone(c)) {
		put_debug_cause(c, s);
		return;
	}
	if (is_same(c) && all->count == 0) {
		put_same(c, s);
		return;
	}
	/* Changes that cancel out are noise, unless their cause is stated. */
	const bool still = padded_delta(c->diff->file) == 0 && padded_delta(c->diff->vm) == 0;
	if (still && all->count > 0 && !cause_words[all->list[0].kind].stated)
		return;
	bool came_in = false;
	for (size_t i = 0; i < all->count; i++) {
		const struct cause *x = &all->list[i];
		const struct cause_words *w = &cause_words[x->kind];
		put_certainty(all, i, s);
		const bool file = x->kind == CAUSE_MOVED && comment_put_moved_file(c, s);
		if (!file)
			put_words(x, s);
		if (!file && (x->kind == CAUSE_MOVED || x->kind == CAUSE_RENAMED))
			comment_put_example(c, x->kind == CAUSE_MOVED ? HEFT_MOVED : HEFT_RENAMED,
					    x->count == 1 ? ": " : ", such as ", s);
		if (!w->derived && !(w->stated && all->sole))
			put_share(x->share, all->all, i == 0, s);
		came_in |= comment_put_came_in(c, x->names[0], s);
	}
	if (all->count == 0)
		return;
	put_debug_origin(c, s);
	sink_text(s, STR("."));
	if (!came_in)
		put_own(all, s);
	/* One function with a large change beside many with small ones: more than it changed. */
	if (all->list[0].kind == CAUSE_SYMBOL && all->list[0].sign == 0 && all->resized > MANY)
		sink_printf(s, " %s functions have another size.",
			    shown_parts((double)all->resized).p);
}
