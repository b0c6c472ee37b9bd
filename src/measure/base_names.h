/* base_names.h - finds what the labels of a profile's bases are called on the other side, so that
 * one thing is one row. Private to measure/ and api/.
 *
 * The matcher pairs functions and data (compare/diff.h). Paths of another folder are aligned as in
 * `heft diff`. Does nothing if the other side has all labels of the bases. */
#ifndef HEFT_MEASURE_BASE_NAMES_H
#define HEFT_MEASURE_BASE_NAMES_H

#include "measure/profile.h"

/* True if the rows of a profile may need pairing: programs on both sides, and a level of symbols or
 * paths. Call before inputs are measured, because their layers must then be kept. */
bool base_names_wanted(const struct heft_profile *p);
/* Makes the renamed layers of the bases, e->renamed, after all inputs are measured. Rows are made
 * from them. */
bool base_names_find(struct heft_profile *p, struct heft_err *err);

#endif
