/* view.h - labels as a level shows them: demangled, or a part of them, then rewritten by rules.
 *
 * Sources claim raw linker names; several levels may show the same spans in different
 * styles.  A view remembers the shown label of every raw one it was asked for, so each
 * distinct name is demangled once.  view_update works with several threads and gives the
 * same ids for any number of them; the rest is for one thread at a time. */
#ifndef HEFT_MAP_VIEW_H
#define HEFT_MAP_VIEW_H

#include "map/paths.h"
#include "map/rules.h"
#include "map/space.h"
#include "names/demangle.h"

struct namespaces;

/* What a label is, and what of it is shown. */
enum view_form {
	VIEW_NAME,      /* a linker name: demangled in the style */
	VIEW_STACK,     /* linker names with ";" between: each demangled */
	VIEW_BLOCK,     /* a linker name and "#NUMBER": the name demangled */
	VIEW_NAMESPACE, /* the namespace of a linker name */
	VIEW_GENERIC,   /* a linker name in full, without arguments that made it of a generic */
	VIEW_PATH,      /* a source file, with or without ":LINE" behind */
	VIEW_DIRECTORY, /* the directory of one */
};

/* A label that a view shows in another way. */
struct view_name {
	uint64_t shown;
	label_id raw;
};

/* Full names by how a view shows them; zeroed = not read yet. */
struct view_names {
	VEC(struct view_name) list; /* sorted by `shown` */
	struct demangler demangler;
	struct text text;
	bool read;
};

struct view {
	enum heft_demangle style; /* VIEW_NAME, VIEW_STACK, VIEW_BLOCK */
	enum view_form form;
	unsigned level;            /* VIEW_DIRECTORY: which component; 0 = the whole */
	const struct paths *paths; /* of paths; borrowed; NULL = as they are */
	struct namespaces *spaces; /* VIEW_NAMESPACE: learns from the names it sees; borrowed */
	const struct rules *rules; /* borrowed; NULL = none */
	label_id *shown;           /* by raw label; LABEL_NONE = not asked for yet */
	size_t count;
};

/* True where the view shows every label as it is. */
bool view_is_plain(const struct view *v);
static inline bool view_shows_paths(const struct view *v)
{
	return v->form == VIEW_PATH || v->form == VIEW_DIRECTORY;
}
/* Makes sure that every label in the spans is known.  New texts are interned in `labels`. */
void view_update(struct view *v, struct labels *labels, const struct spans *spans, unsigned threads,
		 struct notes *notes);
void view_release(struct view *v);
/* The i-th full name that is shown as `shown`, until the next call; NULL: there are no more.  Of
 * views that show short names or generics without rules; others have none.  The first call lists
 * all labels. */
const char *view_full_name(struct view_names *n, const struct view *v, const struct labels *labels,
			   label_id shown, size_t i);
void view_names_release(struct view_names *n);

#endif
