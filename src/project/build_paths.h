/* build_paths.h - which source file an object was made from, by the build system's own word:
 * compile_commands.json (JSON Compilation Database, clang's documentation) and build.ninja (the
 * Ninja manual).
 *
 * Objects are looked up as a linker map names them: "x.o", "../obj/x.o", "libx.a(y.o)".  Paths are
 * compared from the build directory, which is where the file lies (or what an entry says); if that
 * finds nothing, by the longest tail of components that only one object has.
 *
 * Read once; several threads may look up. */
#ifndef HEFT_PROGRAM_BUILD_PATHS_H
#define HEFT_PROGRAM_BUILD_PATHS_H

#include "base/err.h"
#include "base/intern.h"

struct build_paths {
	struct intern texts;
	uint32_t dir; /* private: id + 1 of what all build directories share; 0: none */
	VEC(uint32_t)
	source_of; /* by text id of an object's absolute path: source's id + 1; 0: none */
	/* private: by last component */
	VEC(struct build_tail) objects, sources;
};

struct build_tail {
	uint64_t hash;        /* of the last component */
	uint32_t path, other; /* of objects: their source; of sources: their object */
};

/* Adds what a file says; its name tells which kind it is: "*.json", else ninja.  Damage in one
 * entry is a note. */
bool build_paths_read(struct build_paths *b, const char *path, struct notes *notes,
		      struct heft_err *err);
void build_paths_release(struct build_paths *b);
/* After the last file. */
void build_paths_finish(struct build_paths *b);
/* The directory that objects are built in, if most sources lie outside of it, else an empty text.
 * After build_paths_finish. */
struct str build_paths_dir(const struct build_paths *b);
/* The source of an object; an empty text where it is not known. */
struct str build_paths_find(const struct build_paths *b, struct str object);
/* The object made from a source; an empty text where it is not known, or there are several. */
struct str build_paths_object(const struct build_paths *b, struct str source);

#endif
