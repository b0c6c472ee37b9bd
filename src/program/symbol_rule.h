/* symbol_rule.h - decides which symbols name a place, and which of several symbols names it.
 *
 * If ranges overlap, the symbol that starts first owns the bytes, unless its stated size is wrong
 * (symbols_cut_crossing). If symbols start together, the longest wins, then the lowest rank: typed
 * before untyped; global before weak before local; fewer leading underscores first; then the first
 * in its table. */
#ifndef HEFT_PROGRAM_SYMBOL_RULE_H
#define HEFT_PROGRAM_SYMBOL_RULE_H

#include "image/image.h"

/* Cuts wrong sizes. Symbols should be nested or disjoint. A symbol that ends in the middle of
 * another has a wrong size, as hand-written code that counts from the start of its section: it then
 * ends where the next symbol begins. Records of `size` bytes start with an address and a size, both
 * uint64_t, in the order of the rule above. Size 0 is skipped. O(n); 9 bytes per record if some are
 * cut. */
void symbols_cut_crossing(void *list, size_t count, size_t size);

uint32_t symbol_rank(const struct symbol *s);
/* True for a symbol that marks the kind of bytes, section or file and names nothing: $x, .LC0,
 * constants that rustc numbers, exception tables that clang numbers, types STT_FILE and
 * STT_SECTION. */
bool symbol_is_mark(const struct symbol *s);
/* True for a symbol of a basic block, LETTERS.BB.FUNCTION. *ret is the name of the function, which
 * ends where the symbol's name ends. *ret_id is the number of letters. */
bool symbol_is_block(const struct symbol *s, struct str *ret, size_t *ret_id);
/* Returns the name of the owner of the symbol's bytes: its own name, or the function's name for a
 * block. */
struct str symbol_owner(const struct symbol *s);
bool symbol_names_a_place(const struct symbol *s);
/* Returns the section that holds a symbol. NULL if its bytes are not in the VM image. */
const struct section *symbol_section(const struct image *im, const struct symbol *s, uint64_t addr);

#endif
