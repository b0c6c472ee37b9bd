/* symbol_rule.h - which symbols name a place, and which of several names it.
 *
 * Where ranges overlap, the symbol that starts first owns the bytes, unless the size that it states
 * is wrong (symbols_cut_crossing); of those that start together the longest, then the one of the
 * lowest rank: a typed one before an untyped, a global one before a weak before a local, then the
 * one with fewer underscores in front, then the first of its table. */
#ifndef HEFT_PROGRAM_SYMBOL_RULE_H
#define HEFT_PROGRAM_SYMBOL_RULE_H

#include "image/image.h"

/* Ranges of symbols lie in one another or apart.  One that ends in the middle of another states a
 * wrong size, as hand-written code does that counts from the start of its section: it ends where
 * the next symbol begins.  Records of `size` bytes start with an address and a size, both uint64_t;
 * they are in the order of the rule above.  Those of size 0 are passed over.  O(n); 9 bytes a
 * record while some are cut. */
void symbols_cut_crossing(void *list, size_t count, size_t size);

uint32_t symbol_rank(const struct symbol *s);
/* A symbol that says what kind of bytes, section or file something is, and names nothing: $x, .LC0,
 * constants that rustc numbers, exception tables that clang numbers, those of type STT_FILE and
 * STT_SECTION. */
bool symbol_is_mark(const struct symbol *s);
/* A symbol of a basic block, LETTERS.BB.FUNCTION: *ret is the name of the function, which ends
 * where the symbol's does, and *ret_id how many letters there are. */
bool symbol_is_block(const struct symbol *s, struct str *ret, size_t *ret_id);
/* Whose bytes are at the symbol: its own name, of a block the function's. */
struct str symbol_owner(const struct symbol *s);
bool symbol_names_a_place(const struct symbol *s);
/* The section that holds a symbol, if its bytes are part of the VM image. */
const struct section *symbol_section(const struct image *im, const struct symbol *s, uint64_t addr);

#endif
