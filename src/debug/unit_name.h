/* unit_name.h - finds the name of a compile unit for reports. The name is an absolute path, as
 * defined in debug/path.h. */
#ifndef HEFT_DEBUG_UNIT_NAME_H
#define HEFT_DEBUG_UNIT_NAME_H

#include "base/text.h"
#include "debug/unit.h"

/* Adds the name to `out`. A compile unit without a name is a skeleton whose split unit is missing.
 * Its name is the primary file of its line program, known since version 5, or else its .dwo file.
 * False, with `out` unchanged, if it has none of these. */
bool unit_name(const struct unit *u, struct text *out);

#endif
