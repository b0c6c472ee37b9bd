/* symbol_rule.h - decides which symbols own bytes, and which of several symbols owns a byte.
 *
 * If ranges overlap, the symbol that starts first owns the bytes. Wrong sizes are corrected first
 * (symbols_cut_crossing). If symbols start together, the longest wins. Among equally long symbols,
 * these rules decide in turn: typed before untyped, then global before weak before local, then
 * fewer leading underscores, then table order. */
#pragma once

#include "image/image.h"

/* Cuts each symbol that ends in the middle of another, at the next symbol. Its size is wrong, for
 * example in assembly that counts from the start of its section. Records of `size` bytes start with
 * address and size (uint64_t), sorted by address, then by falling size. Skips size 0. O(n), with 9
 * bytes per record if some are cut. */
void symbols_cut_crossing(void *list, size_t count, size_t size);

uint32_t symbol_rank(const struct symbol *s);
/* True for a symbol that only marks the kind of bytes, a section or a file. Examples: $x, .LC0,
 * numbered constants of rustc, exception tables of clang, STT_FILE, STT_SECTION, debug info of a
 * source after gcc's link-time optimization. */
bool symbol_is_mark(const struct symbol *s);
/* Returns the source file that a symbol of type STT_FILE names. Empty if it names none, because
 * link-time optimizers call their joined code "<artificial>" (gcc) and "ld-temp.o" (LLVM). */
struct str symbol_source(const struct symbol *s);
/* True for a symbol of a basic block, LETTERS.BB.FUNCTION. Sets *ret to FUNCTION, and *ret_id to
 * the number of letters. */
bool symbol_is_block(const struct symbol *s, struct str *ret, size_t *ret_id);
/* Returns the name under which the symbol owns bytes: its own, or for a block its function's. */
struct str symbol_owner(const struct symbol *s);
bool symbol_names_a_place(const struct symbol *s);
/* Returns the section that contains a symbol. NULL if the symbol is not in the VM image. */
const struct section *symbol_section(const struct image *im, const struct symbol *s, uint64_t addr);
