/* locate.h - names an address in a program: its symbol, and the functions around it.
 *
 * All names of addresses come from here: `heft where`, the frames of call stacks and the places of
 * processes. The symbol comes from the symbol table. Debug info names inlined functions. The
 * function that contains them is named by its symbol, if it has one.
 *
 * Names live as long as the locator. One thread per locator. */
#pragma once

#include "base/map.h"
#include "names/demangle.h"
#include "program/symbol_table.h"
#include "program/symbolize.h"

/* A symbol's name: as the linker has it, and in the locator's style */
struct known_name {
	const char *raw, *shown;
};

/* Names addresses. The caller sets the first three fields, and the others to zero */
struct locator {
	struct symbol_table *symbols;  /* Borrowed. May be NULL */
	struct symbolizer *symbolizer; /* Borrowed. NULL without debug info */
	enum heft_demangle style;      /* The form in which names are returned */
	/* Only the locator's own functions use the following members. */
	struct demangler demangler;
	struct arena texts;
	VEC(struct known_name) known;
	struct map by_address; /* Names in the style, by address of the linkage name */
	VEC(struct heft_frame) found;
};

void locator_release(struct locator *l);
/* Returns the symbol at an address, or NULL. `memo` of the result is the symbol's name in the
 * locator's style (const char *). */
const struct symbol_place *locator_symbol(struct locator *l, uint64_t addr);
/* Lists the functions around an address, innermost first, and the compile unit. Returns their
 * number, 0 if no debug info covers the address. *ret is valid until the next call. *ret_unit is
 * unchanged if the unit is unknown. The frames' module is not set. */
size_t locator_functions(struct locator *l, uint64_t addr, const struct heft_frame **ret,
			 const char **ret_unit);
/* Finds the declaration of the variable at an address. False if no debug info has it. */
bool locator_variable(struct locator *l, uint64_t addr, struct declaration *ret);
