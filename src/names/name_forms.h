/* name_forms.h - lists the texts by which users refer to a linkage name.
 *
 * The texts are the linkage name itself, its full text, and the shorter texts of demangle.h and
 * supersize.h. Each shorter text comes with and without template arguments, parameters, "<>", "()"
 * and "[abi:x]". The text without a clone suffix or version also means the clone and the versioned
 * name. Example:
 *
 * - NAME_LINKER: _ZN1a1BIiE1fEi.cold
 * - NAME_FULL: a::B<int>::f(int) (.cold), a::B<int>::f(int) [clone .cold]
 * - NAME_PART: a::B<int>::f(int), a::B<>::f(), a::B<int>::f, a::B<>::f, a::B::f
 *
 * Texts are compared in a plain form, without blanks except between words. Costs about 5 us per
 * mangled name. One thread. */
#pragma once

#include "names/demangle.h"
#include "names/supersize.h"

/* Ordered from the most to the least exact. Of the symbols that match a text of the user, only
 * those with the most exact form count. */
enum name_form { NAME_LINKER, NAME_FULL, NAME_SHORT, NAME_PART };

typedef void (*name_form_fn)(void *ctx, struct str text, enum name_form form);

/* Buffers for the forms of a name. All zero at first. Serves any number of names */
struct name_forms {
	struct demangler demangler;
	struct supersize_name super;
	struct text full, cut, dropped, held, plain;
	name_form_fn each;
	void *ctx;
	bool part; /* True while the forms of the name without its suffix are reported */
};

void name_forms_release(struct name_forms *f);
/* Returns the plain form of a text. Valid until the next call with this `out`. */
struct str name_plain(struct text *out, struct str text);
/* Calls `each` for the texts that need no demangling: the name, and the name without its suffix. */
void name_forms_of_linker(struct name_forms *f, struct str raw, name_form_fn each, void *ctx);
/* Calls `each` for all texts of a name, in plain form. Some texts come twice. */
void name_forms_each(struct name_forms *f, struct str raw, name_form_fn each, void *ctx);
/* Returns the identifier of a global C++ function or variable: "add" for _Z3addi. Other symbols:
 * the name itself. */
struct str name_identifier(struct str raw);
