/* unit_name.h - the name of a compile unit as reports show it: absolute by the rule of
 * debug/path.h. */
#ifndef HEFT_DEBUG_UNIT_NAME_H
#define HEFT_DEBUG_UNIT_NAME_H

#include "base/text.h"
#include "debug/unit.h"

/* Adds the name to `out`.  A compile unit without a name (a split one whose other half is missing)
 * gets the primary file of its line program, which is known since version 5, else the name of its
 * .dwo file.  False where it has none of these; then `out` is unchanged. */
bool unit_name(const struct unit *u, struct text *out);

#endif
