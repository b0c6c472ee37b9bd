/* demangle.h - linker names to the names people wrote.
 *
 * Schemes: Itanium C++ (_Z, __Z, with clone suffixes such as .cold, .part.0, .isra.0,
 * .llvm.123, @@VERSION), Microsoft's (microsoft.h), Rust legacy (the hash is dropped) and v0, D,
 * and the languages of module_name.h: OCaml, Free Pascal, Fortran, Swift, GHC.  Anything else stays
 * as it is.
 *   full:  libc++abi's text for C++, with a clone suffix as " (.cold)"
 *          (Rust and D: the same with their text)
 *   short: see signature.h: parameters "()", template arguments "<>", no return type, no
 *          qualifiers behind the parameters, no clone suffix; "vtable for X", "typeinfo for X",
 *          "guard variable for X" and thunks become X
 * The result never contains a NUL and is at most NAME_MAX_SIZE bytes; else, and for names over the
 * limits of itanium.h, microsoft.h and rust_v0.c, it is the raw name.  A call needs 64 KiB of
 * stack; longer names than that is enough for are read on a thread of their own where the
 * caller's has no room (base/stack.h).  A full C++ name costs about 1.3 times what libc++abi alone
 * takes, a short one 1.6 times. */
#ifndef HEFT_NAMES_DEMANGLE_H
#define HEFT_NAMES_DEMANGLE_H

#include "base/stack.h"
#include "names/module_name.h"
#include "names/signature.h"
#include "heft.h"

#define NAME_MAX_SIZE ((size_t)64 << 10)

/* Scratch memory for one thread. */
struct demangler {
	char *buffer; /* owned: last result */
	size_t capacity;
	char *library; /* of malloc: the buffer that the C++ demangler reallocates */
	size_t library_capacity;
	struct owned *owned;
	struct stack stack; /* of the thread at work */
};

/* Makes room for `need` bytes in d->library.  For the files of names/. */
void demangler_room(struct demangler *d, size_t need);
/* d->library is another one now: its own demangler has reallocated it. */
void demangler_moved(struct demangler *d, char *library);

/* A zeroed struct demangler is ready for use. */
void demangler_release(struct demangler *d);

/* `raw` in the style wanted; valid until the next call with the same demangler.  May
 * return `raw` itself. */
struct str demangle(struct demangler *d, struct str raw, enum heft_demangle style);
/* A name of a language of module_name.h, and the parts of its text, which is valid until the next
 * call with the same demangler.  False for any other name. */
bool demangle_module(struct demangler *d, struct str raw, struct str *ret,
		     struct module_name *parts);

/* Bytes of `raw` without a suffix of a clone or a version: of "f.cold" 1, of "f@@V2" 1; raw.len
 * where it has none. */
size_t demangle_base(struct str raw);
/* The language of signature.h that the text of a mangled name is of; false: of none. */
bool demangle_language(struct str raw, enum sig_language *ret);

#endif
