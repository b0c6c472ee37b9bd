/* base_names.h - what the labels of a profile's bases are called on the other side, so that rows
 * join what is one.  Private to measure/ and api/.
 *
 * Functions and data are paired by the one matcher (compare/diff.h), paths of another folder as
 * `heft diff` aligns them.  Nothing is done where the other side has all labels of the bases. */
#ifndef HEFT_MEASURE_BASE_NAMES_H
#define HEFT_MEASURE_BASE_NAMES_H

#include "measure/profile.h"

/* Whether the rows of a profile may have to be paired: programs on both sides, and a level of
 * symbols or paths.  To be asked before inputs are measured, whose layers have to stay then. */
bool base_names_wanted(const struct heft_profile *p);
/* Makes the layers of the bases that rows are made of, e->renamed, once all inputs are measured. */
bool base_names_find(struct heft_profile *p, struct heft_err *err);

#endif
