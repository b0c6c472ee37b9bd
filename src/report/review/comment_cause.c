/* Writes the sentence of a comment that says what a change comes from. */
#include "report/review/comment.h"

#include "report/markdown.h"
#include "report/pss.h"

#include <math.h>

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
}

static void put_compiler(const struct cause *c, struct sink *s)
{
	sink_text(s, STR("another compiler made it"));
	put_units(c, s);
	sink_text(s, STR(": "));
	story_put_name(s, c->names[1]);
	sink_text(s, STR(", before it "));
	story_put_name(s, c->names[0]);
}

static void put_version(const struct cause *c, struct sink *s)
{
	story_put_name(s, c->names[0]);
	sink_text(s, STR(" has another version: "));
	story_put_name(s, c->names[2]);
	sink_text(s, STR(", before it "));
	story_put_name(s, c->names[1]);
}

static void put_other(const struct cause *c, struct sink *s)
{
	sink_printf(s, "two different programs, they have only %zu functions in common", c->of);
}

static void put_one_unit(const struct cause *c, struct sink *s)
{
	sink_printf(s,
		    "the sources were compiled as one, as link-time optimization (`-flto`) does. "
		    "%zu functions are gone, others took in their code, and nothing tells the "
		    "source files apart any longer",
		    c->gone);
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
	sink_printf(s,
		    "exceptions or unwind tables were turned %s for part of the code. Their tables "
		    "%s %s while the functions stay",
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
	if (!*c->names[1] && c->sign == 0) {
		sink_text(s, STR("data and tables that belong to "));
		story_put_name(s, c->names[0]);
		sink_printf(s, " are %s: %s", cause_came(c), said_size(c->delta).p);
		return;
	}
	const struct str section = str_of(c->names[1]);
	if (is_data(c->names[1]))
		sink_text(s, STR("one table of data, "));
	else if (str_starts(section, STR(".text")))
		sink_text(s, STR("one function, "));
	else if (str_starts(section, STR(".bss")))
		sink_text(s, STR("one variable that takes memory only, "));
	else
		sink_text(s, STR("one symbol, "));
	story_put_name(s, c->names[0]);
	sink_printf(s, ", is %s: %s", cause_came(c), said_size(c->delta).p);
}

/* Writes up to three names: "`a`, `b`, `c`". */
static void put_names(const struct cause *c, struct sink *s)
{
	for (size_t i = 0; i < COUNT_OF(c->names) && *c->names[i]; i++) {
		sink_text(s, i > 0 ? STR(", ") : STR(""));
		story_put_path(s, c->names[i]);
	}
}

static void put_package(const struct cause *c, struct sink *s)
{
	if (c->count == 1)
		sink_text(s, STR("the package "));
	else
		sink_printf(s, "%zu packages (", c->count);
	put_names(c, s);
	sink_printf(s, "%s%s %s: %s", c->count > COUNT_OF(c->names) ? " ..." : "",
		    c->count == 1 ? " is" : ") are", cause_came(c), said_size(c->delta).p);
}

static void put_objects(const struct cause *c, struct sink *s)
{
	sink_printf(s,
		    "%zu functions and tables of objects without debug info are %s (%s), most "
		    "likely a static library",
		    c->count, cause_came(c), said_size(c->delta).p);
	sink_text(s, *c->names[0] ? STR(" with the objects ") : STR(""));
	put_names(c, s);
}

static void put_runtime(const struct cause *c, struct sink *s)
{
	sink_printf(s, "%s %s: %s in %zu functions and tables", c->names[1],
		    c->sign > 0 ? "came in" : "went out", said_size(c->delta).p, c->count);
}

static void put_family(const struct cause *c, struct sink *s)
{
	sink_printf(s, "%zu functions and tables with ", c->count);
	story_put_name(s, c->names[0]);
	sink_printf(s, " in their names are %s: %s", cause_came(c), said_size(c->delta).p);
}

static void put_classes(const struct cause *c, struct sink *s)
{
	sink_printf(s, "%zu classes (", c->count);
	put_names(c, s);
	sink_printf(s, "%s) are %s: %s", c->count > COUNT_OF(c->names) ? " ..." : "", cause_came(c),
		    said_size(c->delta).p);
}

static void put_padding(const struct cause *c, struct sink *s)
{
	sink_printf(s, "padding between segments of the file %s %s, as another alignment does",
		    c->delta < 0 ? "shrank" : "grew", said_size(c->delta).p);
}

static void put_renamed(const struct cause *c, struct sink *s)
{
	sink_printf(s, "%zu symbol%s renamed", c->count, c->count == 1 ? " was" : "s were");
}

static void put_moved_cause(const struct cause *c, struct sink *s)
{
	sink_printf(s, "%zu symbol%s moved to other source files", c->count,
		    c->count == 1 ? "" : "s");
}

/* How a cause is written. `stated`: the programs state it, so it is sure. `derived`: it explains
 * the evidence best, but others may too. Others are what a part of the change has in common. */
static const struct cause_words {
	void (*put)(const struct cause *c, struct sink *s);
	bool stated, derived;
} cause_words[CAUSE_KINDS] = {
	[CAUSE_OPTIONS] = { put_options, true, false },
	[CAUSE_COMPILER] = { put_compiler, true, false },
	[CAUSE_VERSION] = { put_version, true, false },
	[CAUSE_OTHER] = { put_other, false, true },
	[CAUSE_ONE_UNIT] = { put_one_unit, false, true },
	[CAUSE_CODE] = { put_code, false, true },
	[CAUSE_UNWIND] = { put_unwind, false, true },
	[CAUSE_SECTION] = { put_section, true, false },
	[CAUSE_SYMBOL] = { put_symbol, false, false },
	[CAUSE_PACKAGE] = { put_package, false, false },
	[CAUSE_OBJECTS] = { put_objects, false, false },
	[CAUSE_RUNTIME] = { put_runtime, false, false },
	[CAUSE_FAMILY] = { put_family, false, false },
	[CAUSE_CLASSES] = { put_classes, false, false },
	[CAUSE_PADDING] = { put_padding, true, false },
	[CAUSE_RENAMED] = { put_renamed, true, false },
	[CAUSE_MOVED] = { put_moved_cause, true, false },
};

/* Writes the debug sections that changed most. */
static void put_debug_sections(const struct diff_report *d, struct sink *s)
{
	const struct diff_section *most = NULL;
	for (size_t i = 0; i < d->section_count; i++) {
		const struct diff_section *x = &d->sections[i];
		if (diff_section_is_debug(x) &&
		    (most == NULL ||
		     fabs(padded_delta(diff_padded(x))) > fabs(padded_delta(diff_padded(most)))))
			most = x;
	}
	if (most == NULL)
		return;
	const struct padded size = diff_padded(most);
	sink_text(s, STR(", most of all "));
	story_put_name(s, most->name);
	sink_printf(s, " (%s %s)",
		    size.before == 0           ? "new,"
		    : size.after == 0          ? "gone, it had"
		    : size.after < size.before ? "smaller by"
					       : "larger by",
		    said_size(padded_delta(size)).p);
}

/* True if debug info is all that changed, apart from headers. */
static bool is_debug_alone(const struct comment *c)
{
	const struct diff_report *d = c->diff;
	const bool named = c->causes->count > 0 && c->causes->list[0].kind >= CAUSE_RENAMED;
	return !named && padded_delta(d->debug) != 0 && padded_delta(d->vm) == 0 &&
	       c->causes->all * 20 < fabs(padded_delta(d->debug));
}

static void put_debug_cause(const struct comment *c, struct sink *s)
{
	const bool gone = c->diff->debug.after == 0, new_ = c->diff->debug.before == 0;
	sink_text(s, gone   ? STR("**Cause:** debug info is no longer in the file")
		     : new_ ? STR("**Cause:** debug info is in the file now")
			    : STR("**Cause:** only debug info changed"));
	if (!gone && !new_)
		put_debug_sections(c->diff, s);
	if (*c->causes->debug_options) {
		sink_text(s, STR(". The compiler's options are new: "));
		markdown_code(s, c->causes->debug_options, 200);
	}
	sink_text(s, STR(". What loads is the same.\n\n"));
}

/* Names the program's own new functions, which may be why parts of others came in. */
static void put_own(const struct causes *all, struct sink *s)
{
	if (all->count == 0 || all->list[0].kind < CAUSE_RUNTIME ||
	    all->list[0].kind > CAUSE_FAMILY || !*all->own[0])
		return;
	sink_text(s, STR(" New in the program's own code: "));
	story_put_name(s, all->own[0]);
	if (*all->own[1]) {
		sink_text(s, STR(", "));
		story_put_name(s, all->own[1]);
	}
	sink_text(s, STR("."));
}

/* True if no size changed outside of debug info. */
static bool is_same(const struct comment *c)
{
	const struct diff_report *d = c->diff;
	return c->causes->all == 0 && padded_delta(d->file) == 0 && padded_delta(d->vm) == 0;
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

void comment_put_cause(const struct comment *c, struct sink *s)
{
	const struct causes *all = c->causes;
	if (is_debug_alone(c)) {
		put_debug_cause(c, s);
		return;
	}
	if (is_same(c) && all->count == 0 && (all->same_build || all->other_build)) {
		sink_text(s, all->same_build
				     ? STR("Both are the same build: their build ids are "
					   "equal.\n\n")
				     : STR("No part has another size. Only contents differ: "
					   "the build ids are not equal.\n\n"));
		return;
	}
	/* Changes that cancel out are noise, unless their cause is stated. */
	const bool still = padded_delta(c->diff->file) == 0 && padded_delta(c->diff->vm) == 0;
	if (still && all->count > 0 && !cause_words[all->list[0].kind].stated)
		return;
	for (size_t i = 0; i < all->count; i++) {
		const struct cause *x = &all->list[i];
		const struct cause_words *w = &cause_words[x->kind];
		put_certainty(all, i, s);
		w->put(x, s);
		if (!w->derived && !(w->stated && all->sole))
			sink_printf(s, " (%d %%%s)", (int)(100 * x->share + 0.5),
				    i == 0 ? " of the change" : "");
	}
	sink_text(s, all->count > 0 ? STR(".") : STR(""));
	put_own(all, s);
	sink_text(s, all->count > 0 ? STR("\n\n") : STR(""));
}
