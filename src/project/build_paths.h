/* build_paths.h - finds the source file of an object in the build system's files:
 * compile_commands.json (JSON Compilation Database, clang's documentation) and build.ninja (the
 * Ninja manual).
 *
 * Objects are named as in a linker map: "x.o", "../obj/x.o", "libx.a(y.o)". Paths are relative to
 * the build directory: the folder of the file, or the one in an entry. If that finds nothing,
 * chooses the object with the longest common end, if only one has it.
 *
 * Read once; then any number of threads may look up. */
#pragma once

#include "base/err.h"
#include "base/intern.h"

struct build_paths {
	struct intern texts;
	uint32_t dir; /* Private: text id + 1 of the directory above all build directories, or 0 */
	VEC(uint32_t)
	source_of; /* Per text id of an object's absolute path: the source's id plus 1, or 0 */
	/* Private: sorted by last component. */
	VEC(struct build_tail) objects, sources;
};

struct build_tail {
	uint64_t hash;        /* Hash of the last component */
	uint32_t path, other; /* For a source, `other` is its object. For an object, its source */
};

/* Adds the contents of a file. "*.json" is a compilation database, other names are ninja files. A
 * damaged entry causes a note. */
bool build_paths_read(struct build_paths *b, const char *path, struct notes *notes,
		      struct heft_err *err);
void build_paths_release(struct build_paths *b);
/* Prepares the look-ups. Call it after the last file. */
void build_paths_finish(struct build_paths *b);
/* Returns the directory in which objects are built, if most sources are outside of it. Otherwise
 * "". Call it after build_paths_finish(). */
struct str build_paths_dir(const struct build_paths *b);
/* Returns the source of an object. "" if unknown. */
struct str build_paths_find(const struct build_paths *b, struct str object);
/* Returns the object made from a source. "" if unknown or several. */
struct str build_paths_object(const struct build_paths *b, struct str source);
