/* namespace.h - finds the C++ namespace, Rust crate and module, D module or Fortran module of a
 * linkage name.
 *
 * A C++ name does not tell a namespace from a class: "a::B::f". Debug info lists both. Names of
 * constructors, destructors, virtual tables, type information, const member functions and templates
 * show classes.
 *
 * The namespace of a C++ name consists of its components before the last one. The namespace ends
 * before the first component that is known as a class, has template arguments, or is a lambda.
 * "static x of f()" has the namespace of f. If debug info lists the first components as namespaces,
 * a component that it does not list ends the namespace too.
 *
 * Rust: all components before the last one, or before an impl. <a::b::T as Trait>::f belongs to
 * a::b. Types (recognized by a capital letter) and entities inside functions (closures) do not
 * count. D: the same, with dots. Fortran: the module of __MODULE_MOD_NAME.
 *
 * Only one thread may add. Any number of threads may look up. */
#pragma once

#include "base/intern.h"
#include "names/demangle.h"

/* Known namespaces and classes. All zero at first */
struct namespaces {
	struct intern spaces, classes; /* Paths such as "a::b" */
};

/* Adds a namespace or class that debug info lists. Copies the text. */
void namespaces_add(struct namespaces *n, struct str path, bool is_class);
/* Adds the class that a linkage name shows, if any. */
void namespaces_learn(struct namespaces *n, struct demangler *d, struct str raw);
void namespaces_release(struct namespaces *n);

/* Returns a name's namespace, or "". Valid until the next call with this demangler. */
struct str namespace_of(const struct namespaces *n, struct demangler *d, struct str raw);
/* Like namespace_of(), if the caller already knows `shown`, the name in the short style. */
struct str namespace_of_shown(const struct namespaces *n, struct demangler *d, struct str raw,
			      struct str shown);
/* Returns the text before the last component of a demangled C++ or Rust name: "a::b" for
 * "a::b::f<c::d>()". "" if the name is global, or the text of a literal. */
struct str name_qualifier(struct str name);
