/* components.h - finds the owner of a source file: by a CODEOWNERS file, by any table in that form,
 * or by the DIR_METADATA files of a source tree (dir_metadata.h).
 *
 * A line is a pattern and, after blanks, the component (owners; several words are joined by one
 * blank):
 *
 *     # comment
 *     *.c core
 *     /src/net/ @org/network
 *     third_party/ vendored
 *
 * The last line that matches a path counts. A pattern alone means "none". A pattern with a slash
 * before its last character starts at the root; any other matches at every depth. A pattern for a
 * directory matches everything below. * and ? do not match slashes, ** does. The syntax is that of
 * GitHub's CODEOWNERS ("About code owners"): gitignore(5) without ! and [].
 *
 * Borrows the file's text until components_close(). One thread at a time. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/vec.h"
#include "project/dir_metadata.h"

struct component_rule {
	struct str pattern; /* Pattern, without slashes at its ends */
	const char *component;
	bool anchored; /* True if the pattern matches only at the root */
	bool used;     /* True if the rule determined the owner of a path */
};

struct components {
	VEC(struct component_rule) rules;
	bool is_tree; /* True if `tree` answers; then there are no rules */
	struct dir_metadata tree;
	struct file file;
	struct arena arena;
};

/* Opens a file of owners. A folder is opened as a source tree. */
bool components_open(struct components *c, const char *path, struct heft_err *err);
/* Reads the owners from the bytes of a file. */
void components_parse(struct components *c, struct bytes b);
void components_close(struct components *c);
/* Returns the component of a path. "" without one. */
const char *components_find(struct components *c, struct str path);
/* Adds a note if some rules decided no path's owner: none matches them, or a later rule decided. */
void components_note_unused(const struct components *c, struct notes *notes);
