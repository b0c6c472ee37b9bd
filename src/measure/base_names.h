/* base_names.h - finds the names that labels of a profile's bases have in the inputs, so that both
 * sides share a row. Private to measure/ and api/.
 *
 * The matcher pairs functions and data (compare/diff.h). Paths of another build folder are aligned
 * as in `heft diff`. Does nothing if the inputs have all labels of the bases. */
#ifndef HEFT_MEASURE_BASE_NAMES_H
#define HEFT_MEASURE_BASE_NAMES_H

#include "measure/profile.h"

/* True if the rows of a profile may need pairing: both sides have programs, and a level shows
 * symbols or paths. Call before measuring, because pairing needs the layers. */
bool base_names_wanted(const struct heft_profile *p);
/* Makes the renamed layers of the bases, e->renamed, after all inputs are measured. Rows are made
 * from these layers. */
bool base_names_find(struct heft_profile *p, struct heft_err *err);

#endif
