/* symbol_twins.h - which symbols of a profile hold what another one of the same program holds: code
 * that does the same, or equal constants, as the query `duplicates` tells of a snapshot. */
#ifndef HEFT_API_SYMBOL_TWINS_H
#define HEFT_API_SYMBOL_TWINS_H

#include "measure/profile.h"

/* Sets ret[label] for the labels of the last level that name such a symbol.  Of inputs that are no
 * bases; nothing where the labels are no symbols, or the run was without HEFT_PROFILE_RANGES.
 * O(bytes of all symbols). */
void symbol_twins_find(const struct heft_profile *p, bool *ret);

#endif
