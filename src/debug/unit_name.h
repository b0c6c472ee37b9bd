/* unit_name.h - finds the name that reports show for a compile unit: an absolute path, as in
 * debug/path.h. */
#ifndef HEFT_DEBUG_UNIT_NAME_H
#define HEFT_DEBUG_UNIT_NAME_H

#include "base/text.h"
#include "debug/unit.h"

/* Adds the name to `out`. A compile unit without a name is a skeleton whose split unit is missing.
 * Its name is file 0 of its line program (since version 5), or else its .dwo file. False, with
 * `out` unchanged, if there is none. */
bool unit_name(const struct unit *u, struct text *out);

#endif
