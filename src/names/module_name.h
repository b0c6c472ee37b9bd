/* module_name.h - reads the linkage names of languages with modules, by one short rule per
 * language.
 *
 * Covers OCaml, Free Pascal, Fortran (gfortran and flang), Swift and GHC's Haskell. A rule finds
 * the module and the entity, and does not read types. C++, Rust and D have demanglers of their own.
 * The rules accept only names that no C compiler generates. A C program that imitates these names
 * is not recognized as C.
 *
 * Time linear in the name. Safe to call from any number of threads. */
#ifndef HEFT_NAMES_MODULE_NAME_H
#define HEFT_NAMES_MODULE_NAME_H

#include "base/base.h"

/* Sizes in bytes of the readable text. Each size counts from the beginning of the text. */
struct module_name {
	size_t len;     /* Length of the whole text, including the kind of entity */
	size_t brief;   /* Length without the kind and without parameters */
	size_t module;  /* Length of the module's path at the start of the name; 0 if none */
	size_t package; /* the first part of the module path: the library, the package or the
			 * module itself */
};

/* Writes the readable text of `raw` to `out`, at most `room` bytes. Returns false, with unspecified
 * output, if the name is of another language or the text is too long. */
bool module_name_read(struct str raw, char *out, size_t room, struct module_name *ret);
/* True if one of the rules may accept the name. Writes no text, so the caller can skip allocating
 * room for other names. */
bool module_name_likely(struct str raw);

/* True if a name has a prefix of Swift, even if module_name_read() cannot read the rest. */
bool module_name_is_swift(struct str raw);

/* Returns the module in a Nim name of the form NAME__MODULE_123. Only for programs known to be
 * written in Nim. The module is spelled as in the name: "math" or "std/private/digitsutils", with
 * the letter Z for each slash. Returns "" if there is none. */
struct str nim_module(struct str raw);
/* Returns the package of a GHC name without escapes: "main" for Shape_area_info. Only for programs
 * known to contain Haskell. Returns "" if the name has another form. */
struct str ghc_main_package(struct str raw);

#endif
