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
#pragma once

#include "names/namespace.h"

enum package_kind { PACKAGE_NONE, PACKAGE_GO, PACKAGE_CRATE, PACKAGE_SPACE };

/* Returns the import path of a Go name, as the name spells it: dots may be "%2e". "" if there is
 * none. Points into `name`. */
struct str go_package(struct str name);
/* True if a text may be an import path, by its characters. */
bool go_package_is_path(struct str text);
/* Writes an import path in readable form to `out`, which has room for path.len bytes. Returns the
 * number of bytes. */
size_t go_package_text(struct str path, char *out);

/* Languages whose names look like C's. Their rules apply only to programs that are known to contain
 * the language. */
enum language { LANGUAGE_GO = 1, LANGUAGE_NIM = 2, LANGUAGE_ZIG = 4, LANGUAGE_GHC = 8 };

/* Returns the language of programs that have a symbol with this name. 0 if unknown. */
unsigned language_marked(struct str raw);

/* A symbol, and what is known about it, for the search of its package */
struct package_of {
	struct str raw;
	const struct str *space; /* Namespace of the symbol, or NULL if unknown */
	unsigned languages;      /* Bits of enum language: known languages of the program */
};

/* Finds the package of a symbol by its name. `n` tells namespaces from classes. *ret is valid until
 * the next call with this demangler. */
enum package_kind package_of(const struct namespaces *n, struct demangler *d,
			     const struct package_of *of, struct str *ret);

/* Writes digits that distinguish crates with the same name: the disambiguator of `crate` in a v0
 * name, in base 62. False if there is none. */
enum { CRATE_HASH_ROOM = 17 };
bool crate_hash(struct str raw, struct str crate, char out[CRATE_HASH_ROOM]);

/* Reads name and version of a package from a source path "NAME-VERSION/...", perhaps after one
 * folder. Such a path follows "/registry/src/" for cargo, and "/rust/deps/" for rustc. False for
 * other texts. The results point into `path`. */
bool crate_version(struct str path, struct str *ret_name, struct str *ret_version);
