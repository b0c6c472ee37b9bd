/* samples.h - gives samples to the rest of api/. */
#ifndef HEFT_API_SAMPLES_H
#define HEFT_API_SAMPLES_H

#include "blocks/profile_rows.h"

/* Returns the memory of their block map. */
struct memory *samples_memory(const struct heft_samples *s);
/* Makes all rows of functions and blocks, borrowed from the samples. *ret_shown are the names in
 * them. Free both with samples_rows_release(). */
void samples_rows_make(struct heft_samples *s, const struct heft_samples_query *q,
		       struct profile_rows *ret, const char ***ret_shown);
void samples_rows_release(struct profile_rows *rows, const char **shown);

#endif
