/* symbol_twins.h - finds twins among the symbols of a profile. Twins are symbols of one program
 * with the same contents: code that does the same, or equal constants. The query `duplicates` finds
 * twins in a snapshot. */
#pragma once

#include "measure/profile.h"

/* For each symbol that has a twin, sets ret[label] to true: `label` is the symbol's label in the
 * last level. Ignores the base of a diff. Does nothing if that level does not show symbols, or if
 * the run lacked HEFT_PROFILE_RANGES. O(bytes of all symbols). */
void symbol_twins_find(const struct heft_profile *p, bool *ret);
