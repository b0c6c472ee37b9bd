/* view.h - makes the labels that a level shows: demangled or shortened, then rewritten by rules.
 *
 * Sources claim linkage names. Levels may show the same spans in different styles. A view keeps the
 * shown label of each label, so that each name is demangled once. view_update() works on several
 * threads and gives the same ids for any number of them. All other functions are for one thread at
 * a time. */
#ifndef HEFT_MAP_VIEW_H
#define HEFT_MAP_VIEW_H

#include "map/paths.h"
#include "map/rules.h"
#include "map/space.h"
#include "names/demangle.h"

struct namespaces;

/* Kind of labels, and how to show them. */
enum view_form {
	VIEW_NAME,      /* Linkage name, demangled in the chosen style */
	VIEW_STACK,     /* Linkage names joined by ";", each demangled */
	VIEW_BLOCK,     /* Linkage name and "#NUMBER", with the name demangled */
	VIEW_NAMESPACE, /* Namespace of a linkage name */
	VIEW_GENERIC,   /* Full name without the generic's arguments */
	VIEW_PATH,      /* Source file, with or without ":LINE" at the end */
	VIEW_DIRECTORY, /* Directory of a source file */
};

/* A shown label, and the full name that it shortens. */
struct view_name {
	uint64_t shown;
	label_id raw;
};

/* Full names, by shown label. Zeroed: not read yet. */
struct view_names {
	VEC(struct view_name) list; /* Sorted by `shown` */
	struct demangler demangler;
	struct text text;
	bool read;
};

struct view {
	enum heft_demangle style; /* For VIEW_NAME, VIEW_STACK and VIEW_BLOCK */
	enum view_form form;
	unsigned level;            /* For VIEW_DIRECTORY: number of the component to show. 0: all */
	const struct paths *paths; /* Rules for paths, borrowed. NULL: unchanged */
	struct namespaces *spaces; /* For VIEW_NAMESPACE: collects namespaces from shown names.
				    * Borrowed */
	const struct rules *rules; /* Borrowed. NULL: none */
	label_id *shown;           /* Per raw label: its shown label. LABEL_NONE until requested */
	size_t count;
};

/* True if the view shows every label unchanged. */
bool view_is_plain(const struct view *v);
static inline bool view_shows_paths(const struct view *v)
{
	return v->form == VIEW_PATH || v->form == VIEW_DIRECTORY;
}
/* Makes the shown labels of all spans. New texts are interned in `labels`. */
void view_update(struct view *v, struct labels *labels, const struct spans *spans, unsigned threads,
		 struct notes *notes);
void view_release(struct view *v);
/* Returns the i-th full name behind the shown label `shown`. Valid until the next call. NULL after
 * the last. Only views of short names or generics, without rules, have full names. The first call
 * lists all labels. */
const char *view_full_name(struct view_names *n, const struct view *v, const struct labels *labels,
			   label_id shown, size_t i);
void view_names_release(struct view_names *n);

#endif
