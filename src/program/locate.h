/* locate.h - what a place in a program is called: the symbol there, and the functions around it.
 *
 * The only namer of addresses: `heft where`, the frames of call stacks and the places of processes
 * ask it.  The symbol is the one that the symbol table finds; what was inlined has the names of
 * the debug info; the function itself goes by its symbol where there is one.
 *
 * Names live as long as the locator.  One thread a locator. */
#ifndef HEFT_PROGRAM_LOCATE_H
#define HEFT_PROGRAM_LOCATE_H

#include "base/map.h"
#include "names/demangle.h"
#include "program/symbol_table.h"
#include "program/symbolize.h"

struct known_name {
	const char *raw, *shown;
};

/* Zeroed but for the first three: ready. */
struct locator {
	struct symbol_table *symbols;  /* borrowed, or NULL */
	struct symbolizer *symbolizer; /* borrowed; NULL: there is no debug info */
	enum heft_demangle style;
	/* private */
	struct demangler demangler;
	struct arena texts;
	VEC(struct known_name) known;
	struct map by_address; /* of the linker's name, which is the same for one name of a table */
	VEC(struct heft_frame) found;
};

void locator_release(struct locator *l);
/* The symbol at an address, its name in the style set in place->memo; NULL: none. */
const struct symbol_place *locator_symbol(struct locator *l, uint64_t addr);
/* The functions around an address, innermost first, and the compile unit; 0 where no debug info
 * has code there.  *ret stays until the next call; *ret_unit is left alone where nothing is
 * known.  The frames have no module, which the caller knows. */
size_t locator_functions(struct locator *l, uint64_t addr, const struct heft_frame **ret,
			 const char **ret_unit);
/* Where the variable at an address was declared; false where no debug info tells. */
bool locator_variable(struct locator *l, uint64_t addr, struct declaration *ret);

#endif
