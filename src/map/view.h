/* view.h - makes the labels that a level shows: demangled or shortened, then rewritten by rules.
 *
 * Data sources claim bytes for linkage names, which levels may show in different styles. A view
 * keeps the shown label of each label, so that each name is demangled once. view_update() works on
 * several threads, on which the ids do not depend. Other functions: one thread at a time. */
#pragma once

#include "map/paths.h"
#include "map/rules.h"
#include "map/space.h"
#include "names/demangle.h"

struct namespaces;

/* How labels are shown */
enum view_form {
	VIEW_NAME,      /* Linkage name, demangled in the chosen style */
	VIEW_STACK,     /* Linkage names with ";" between, each demangled */
	VIEW_BLOCK,     /* Linkage name, demangled, with "#NUMBER" */
	VIEW_NAMESPACE, /* Namespace of a linkage name */
	VIEW_GENERIC,   /* Name that all instances of a generic or template share (generic.h) */
	VIEW_PATH,      /* Source file, perhaps with ":LINE" */
	VIEW_DIRECTORY, /* Directory of a source file */
};

/* A shown label, and one of the full names that it shortens */
struct view_name {
	uint64_t shown;
	label_id raw;
};

/* Full names by shown label. All zero: not read yet */
struct view_names {
	VEC(struct view_name) list; /* Sorted by `shown` */
	struct demangler demangler;
	struct text text;
	bool read;
};

struct view {
	enum heft_demangle style; /* For VIEW_NAME, VIEW_STACK and VIEW_BLOCK */
	enum view_form form;
	unsigned level;            /* Of a directory or a stack: which component to show. 0 for
				    * all */
	const struct paths *paths; /* Rules that shorten paths. Borrowed. NULL if none */
	struct namespaces *spaces; /* VIEW_NAMESPACE: receives namespaces of names. Borrowed */
	const struct rules *rules; /* Rewrite labels, if the user made the data source. Or NULL */
	label_id *shown;           /* Per label: its shown label. LABEL_NONE until needed */
	size_t count;
};

/* True if the view shows every label unchanged. */
bool view_is_plain(const struct view *v);
static inline bool view_shows_paths(const struct view *v)
{
	return v->form == VIEW_PATH || v->form == VIEW_DIRECTORY;
}
/* Sets v->shown for all labels of the spans. New texts are interned in `labels`. */
void view_update(struct view *v, struct labels *labels, const struct spans *spans, unsigned threads,
		 struct notes *notes);
void view_release(struct view *v);
/* Returns the i-th full name that the label `shown` stands for. NULL after the last. Valid until
 * the next call. Only views of short names or generics, without rules, have full names. The first
 * call lists all labels. */
const char *view_full_name(struct view_names *n, const struct view *v, const struct labels *labels,
			   label_id shown, size_t i);
