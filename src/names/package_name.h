/* package_name.h - finds the package of a linkage name, by the rules of its language.
 *
 * - Go: the import path, which ends before the first dot after the last slash. For code and data
 *   that the compiler generates for a type, the path of the first type in the name that has one.
 * - Rust: the crate of the item, or of the type that an impl is for. "std" for functions that the
 *   runtime calls by names without a path.
 * - D: the outermost package.
 * - Fortran, Free Pascal, Swift, Nim: the module.
 * - OCaml: the library, or the module if it is in no library.
 * - GHC: the package without the hash of its build.
 * - Zig: the outermost struct, which is a package or a file.
 * - C++: the outermost namespace, if it has a name.
 * - C: none.
 *
 * Any number of threads, with one demangler each. */
#ifndef HEFT_NAMES_PACKAGE_NAME_H
#define HEFT_NAMES_PACKAGE_NAME_H

#include "names/namespace.h"

enum package_kind { PACKAGE_NONE, PACKAGE_GO, PACKAGE_CRATE, PACKAGE_SPACE };

/* Returns the import path of a Go name as the name spells it, so dots may be "%2e". Returns "" if
 * the name states none. Points into `name`. */
struct str go_package(struct str name);
/* True if a text may be an import path, judged by its characters. */
bool go_package_is_path(struct str text);
/* Writes an import path in its readable form to `out`. `out` must have room for path.len bytes.
 * Returns the number of bytes written. */
size_t go_package_text(struct str path, char *out);

/* Languages with names like C's. Their rules need a program known to contain the language. */
enum language { LANGUAGE_GO = 1, LANGUAGE_NIM = 2, LANGUAGE_ZIG = 4, LANGUAGE_GHC = 8 };

/* Returns the language of a program that has a symbol with this name. Returns 0 if the name does
 * not reveal the language. */
unsigned language_marked(struct str raw);

/* A name whose package is searched. */
struct package_of {
	struct str raw;
	const struct str *space; /* Namespace of the name, or NULL if not yet known */
	unsigned languages;      /* Bits of enum language: languages that the program is known to
				  * contain. */
};

/* Finds the package of a name. `n` distinguishes namespaces from classes. *ret is valid until the
 * next call with the same demangler. */
enum package_kind package_of(const struct namespaces *n, struct demangler *d,
			     const struct package_of *of, struct str *ret);

/* Writes the digits that distinguish crates with one name: the disambiguator of `crate` in a v0
 * name, in base 62. False if the name has none. */
enum { CRATE_HASH_ROOM = 17 };
bool crate_hash(struct str raw, struct str crate, char out[CRATE_HASH_ROOM]);

/* Reads the name and version of a package from a source path "NAME-VERSION/...", with or without
 * one folder before it. cargo has these folders after "/registry/src/", rustc after "/rust/deps/".
 * Returns false for any other text. The results point into `path`. */
bool crate_version(struct str path, struct str *ret_name, struct str *ret_version);

#endif
