/* module_name.h - linker names of languages with modules, by a short rule each.
 *
 * OCaml, Free Pascal, Fortran (gfortran and flang), Swift and GHC's Haskell: the rule finds the
 * module and the entity, and does not read types.  C++, Rust and D have demanglers of their own.
 * Only names that no compiler of C makes are taken; C that imitates them is not told apart.
 *
 * Linear in the name; any number of threads. */
#ifndef HEFT_NAMES_MODULE_NAME_H
#define HEFT_NAMES_MODULE_NAME_H

#include "base/base.h"

/* Sizes of a text that people read, each from its beginning. */
struct module_name {
	size_t len;     /* all of it, with what kind of thing the name stands for */
	size_t brief;   /* without that and without parameters */
	size_t module;  /* the path of the module, 0 where the name tells none */
	size_t package; /* the outermost part of it: the library, the package, the module itself */
};

/* Writes at most `room` bytes.  False, with nothing to be read, where the name is of no such
 * language, or too long. */
bool module_name_read(struct str raw, char *out, size_t room, struct module_name *ret);
/* Whether a name is of one of them, by its first and last bytes alone: what is not needs no room
 * for a text. */
bool module_name_likely(struct str raw);

/* Whether a name is of Swift by its beginning, be it read or not. */
bool module_name_is_swift(struct str raw);

/* Nim's NAME__MODULE_123, of a program known to be of Nim: "math" or "std/private/digitsutils",
 * with the letter Z for each slash.  The module as it is written, "" where there is none.  */
struct str nim_module(struct str raw);
/* The package of a GHC name that nothing but its program tells to be one: "main" of
 * Shape_area_info; "" where it is none. */
struct str ghc_main_package(struct str raw);

#endif
