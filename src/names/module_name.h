/* module_name.h - reads the linkage names of languages with modules, by one short rule per
 * language.
 *
 * Covers OCaml, Free Pascal, Fortran (gfortran and flang), Swift and GHC's Haskell. A rule finds
 * the module and what is named in it, and does not read types. C++, Rust and D have demanglers of
 * their own. The rules accept only names that no C compiler makes. But C code may have names that
 * look so.
 *
 * Time linear in the name. Safe to call from any number of threads. */
#pragma once

#include "base/base.h"

/* Lengths in bytes of parts of the readable text. Each part begins at the start of the text */
struct module_name {
	size_t len;     /* The whole text, with the kind of what is named */
	size_t brief;   /* The text without the kind and parameters */
	size_t module;  /* Path of the module. 0 if there is none */
	size_t package; /* First part of the module's path: the library, the package or the
			 * module itself */
};

/* Writes the readable text of `raw` to `out`, at most `room` bytes. False if the name is of another
 * language, or the text too long. Then `out` is undefined. */
bool module_name_read(struct str raw, char *out, size_t room, struct module_name *ret);
/* True if a rule may accept the name. Quick, and writes no text. */
bool module_name_likely(struct str raw);

/* True if a name begins as Swift's do, even if module_name_read() cannot read it. */
bool module_name_is_swift(struct str raw);

/* Returns MODULE of a Nim name NAME__MODULE_123, or "". Only for programs written in Nim. In the
 * result, Z stands for each slash: "math", or "stdZprivateZdigitsutils". */
struct str nim_module(struct str raw);
/* Returns the package of a GHC name that needs no escapes, such as Shape_area_info: "main". "" for
 * other names. Only for programs with Haskell in them. */
struct str ghc_main_package(struct str raw);
