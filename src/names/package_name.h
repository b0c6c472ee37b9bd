/* package_name.h - the package that a linker name is of, by the rules of its language.
 *
 * Go: the import path, what comes before the first dot behind the last slash; of what the compiler
 * makes of a type (its description, its comparison) the path of the first type in its name that has
 * one.  Rust: the crate of the item, or of the type that an impl is for; "std" for what the runtime
 * calls by names without a path.  D: the outermost package.  Fortran, Free Pascal, Swift, Nim: the
 * module.  OCaml: the library, or the module that is in none.  GHC: the package with its version.
 * Zig: the outermost struct, which is a package or a file.  C++: the outermost namespace, if that
 * has a name.  Names of C tell none.
 *
 * Any number of threads, one demangler each. */
#ifndef HEFT_NAMES_PACKAGE_NAME_H
#define HEFT_NAMES_PACKAGE_NAME_H

#include "names/namespace.h"

enum package_kind { PACKAGE_NONE, PACKAGE_GO, PACKAGE_CRATE, PACKAGE_SPACE };

/* The import path of a Go name as it is written there (dots may be "%2e"), "" where the name tells
 * none.  Borrowed. */
struct str go_package(struct str name);
/* Whether a text may be an import path, by its letters. */
bool go_package_is_path(struct str text);
/* Writes an import path as people write it, into at least path.len bytes; returns the size. */
size_t go_package_text(struct str path, char *out);

/* Languages whose names look like some of C: a program has to be known to be of them. */
enum language { LANGUAGE_GO = 1, LANGUAGE_NIM = 2, LANGUAGE_ZIG = 4, LANGUAGE_GHC = 8 };

/* The language of a program that has a symbol of this name, where the name alone tells; else 0. */
unsigned language_marked(struct str raw);

/* What a name tells.  `n` knows namespaces from classes; `languages`: the bits of those that the
 * program is known to be of.  *ret is valid until the next call with the same demangler. */
enum package_kind package_of(const struct namespaces *n, struct demangler *d, struct str raw,
			     unsigned languages, struct str *ret);

/* What a v0 name has to tell the crates of one name apart: the digits, in base 62, of the crate's
 * disambiguator.  False where it has none. */
enum { CRATE_HASH_ROOM = 17 };
bool crate_hash(struct str raw, struct str crate, char out[CRATE_HASH_ROOM]);

/* The name and version of a package in the path of a source file, "NAME-VERSION/..." with or
 * without a directory in front: what cargo has behind "/registry/src/" and rustc behind
 * "/rust/deps/".  False for any other text.  Borrowed from it. */
bool crate_version(struct str path, struct str *ret_name, struct str *ret_version);

#endif
