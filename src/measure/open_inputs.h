/* open_inputs.h - opens the inputs of a profile: all at once, or one after the other. */
#ifndef HEFT_MEASURE_OPEN_INPUTS_H
#define HEFT_MEASURE_OPEN_INPUTS_H

#include "measure/profile.h"

/* Opens the inputs. If they are measured one by one (p->one_by_one), opens only the first. Decides
 * whether they are, and whether archives are read in portions. */
bool inputs_open(struct heft_profile *p, struct heft_err *err);
bool entry_open(struct heft_profile *p, struct entry *e, struct heft_err *err);
/* Fails if a program or debug file that the user named belongs to no input. Call it after all
 * inputs were opened. inputs_open() does so if it opens all. */
bool inputs_check(const struct heft_profile *p, struct heft_err *err);

#endif
