/* components.h - who owns which source files: a CODEOWNERS file, or any table in its form, or the
 * files DIR_METADATA of a tree of sources (dir_metadata.h).
 *
 * A line is a pattern and, behind blanks, the component (owners, several words kept with one blank
 * between):
 *
 *     # comment
 *     *.c                 core
 *     /src/net/           @org/network
 *     third_party/        vendored
 *
 * The last line that matches a path counts; a pattern alone means "none".  A pattern with a slash
 * that is not its last character starts at the root, any other matches at every depth; one that
 * names a directory matches all below.
 * * and ? do not match slashes, ** does.  Syntax of GitHub's CODEOWNERS
 * ("About code owners"), which is that of gitignore(5) without ! and [].
 *
 * Borrows the file's text until components_close.  One thread at a time. */
#ifndef HEFT_PROGRAM_COMPONENTS_H
#define HEFT_PROGRAM_COMPONENTS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/vec.h"
#include "project/dir_metadata.h"

struct component_rule {
	struct str pattern; /* without slashes at its ends */
	const char *component;
	bool anchored; /* at the root */
	bool used;     /* some path got its component, or none, by it */
};

struct components {
	VEC(struct component_rule) rules;
	bool is_tree; /* `tree` is asked, there are no rules */
	struct dir_metadata tree;
	struct file file;
	struct arena arena;
};

/* A folder is a tree of sources. */
bool components_open(struct components *c, const char *path, struct heft_err *err);
/* The same from bytes. */
void components_parse(struct components *c, struct bytes b);
void components_close(struct components *c);
/* "" where nobody owns the path. */
const char *components_find(struct components *c, struct str path);
/* A note of rules that decided about no path that was asked for: no path matches, or a later line
 * does. */
void components_note_unused(const struct components *c, struct notes *notes);

#endif
