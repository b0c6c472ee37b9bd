/* as_bloaty.h - gives bytes to symbols and units as Bloaty does, if heft was called "bloaty". */
#pragma once

#include "attr/attr.h"

/* True if Bloaty supports symbols or units of this format. Call if heft was called as Bloaty. */
bool bloaty_claims(const struct attr *a);
/* Claims the bytes of an image. Used instead of the attribution passes. */
void bloaty_run(struct attr *a);
