/* name_forms.h - the texts by which people know a linker name.
 *
 * The linker's name itself, its full text, and shorter ones: those of demangle.h and supersize.h,
 * each with and without template arguments, parameters, "<>", "()" and "[abi:x]".  A text of a
 * clone without its suffix, or of a versioned name without its version, means the clone as well.
 *
 *   _ZN1a1BIiE1fEi.cold     NAME_LINKER
 *   a::B<int>::f(int) (.cold), a::B<int>::f(int) [clone .cold]     NAME_FULL
 *   a::B<int>::f(int), a::B<>::f(), a::B<int>::f, a::B<>::f, a::B::f     NAME_PART
 *
 * Texts are compared in a plain form, without blanks that separate no words.  About 5 us a mangled
 * name.  One thread. */
#ifndef HEFT_NAMES_NAME_FORMS_H
#define HEFT_NAMES_NAME_FORMS_H

#include "names/demangle.h"
#include "names/supersize.h"

/* The surest first: a text means the symbols that know it by the first of these. */
enum name_form { NAME_LINKER, NAME_FULL, NAME_SHORT, NAME_PART };

typedef void (*name_form_fn)(void *ctx, struct str text, enum name_form form);

/* A zeroed struct is ready for use. */
struct name_forms {
	/* private */
	struct demangler demangler;
	struct supersize_name super;
	struct text full, cut, dropped, held, plain;
	name_form_fn each;
	void *ctx;
	bool part; /* the name in hand has lost its suffix */
};

void name_forms_release(struct name_forms *f);
/* The plain form of a text; it holds until the next one in the same `out`. */
struct str name_plain(struct text *out, struct str text);
/* Calls `each` for the texts that cost nothing: the name, and the name without its suffix. */
void name_forms_of_linker(struct name_forms *f, struct str raw, name_form_fn each, void *ctx);
/* Calls `each` for all texts, in plain form; some come twice. */
void name_forms_each(struct name_forms *f, struct str raw, name_form_fn each, void *ctx);
/* The identifier of a global C++ function or variable, "add" of _Z3addi; else the name. */
struct str name_identifier(struct str raw);

#endif
