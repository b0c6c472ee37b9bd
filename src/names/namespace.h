/* namespace.h - the C++ namespace, Rust crate and module, D module or Fortran module of a
 * linker name.
 *
 * A C++ name does not tell a namespace from a class: "a::B::f".  Two things do: debug info, which
 * lists both, and other names: a constructor or destructor, a table of virtual functions or type
 * information, a const member function and template arguments all say "class".  The rule: the
 * namespace of a name are its components before the last one, up to the first that is
 * known as a class, has template arguments or is a lambda; "static x of f()" has that of f.  Where
 * debug info was read, a component that it does not list as a namespace ends the namespace
 * too, if it lists the first one.
 *
 * Rust: all components before the last one, or before an impl: <a::b::T as Trait>::f is of a::b;
 * types (by their capital) and what is inside functions (closures) do not count.  D: the same with
 * dots.  Fortran: the module of __MODULE_MOD_NAME.
 *
 * Learning takes one thread; asking any number. */
#ifndef HEFT_NAMES_NAMESPACE_H
#define HEFT_NAMES_NAMESPACE_H

#include "base/intern.h"
#include "names/demangle.h"

/* Zeroed = nothing known. */
struct namespaces {
	struct intern spaces, classes; /* "a::b" */
};

/* From debug info.  The texts are copied. */
void namespaces_add(struct namespaces *n, struct str path, bool is_class);
/* What a linker name says of classes. */
void namespaces_learn(struct namespaces *n, struct demangler *d, struct str raw);
void namespaces_release(struct namespaces *n);

/* "" where the name is in none.  Valid until the next call with the same demangler. */
struct str namespace_of(const struct namespaces *n, struct demangler *d, struct str raw);
/* What a demangled name of C++ or Rust has before its last component: "a::b" of "a::b::f<c::d>()",
 * "" where it is global, or the text of a literal. */
struct str name_qualifier(struct str name);

#endif
