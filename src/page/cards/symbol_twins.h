/* symbol_twins.h - finds twins among the symbols of a profile. Twins are symbols of one program
 * with the same contents: code that does the same, or equal constants. The query `duplicates` finds
 * twins in a snapshot. */
#pragma once

#include "measure/profile.h"

/* Sets ret[label] for labels (texts of rows) of the last level whose symbol has a twin: another
 * symbol with equal contents. Ignores the base of a diff. Does nothing if the labels are not
 * symbols, or if the run lacked HEFT_PROFILE_RANGES. O(bytes of all symbols). */
void symbol_twins_find(const struct heft_profile *p, bool *ret);
