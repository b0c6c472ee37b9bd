/* unit_name.h - finds the name of a compile unit for reports: absolute, by the rule of
 * debug/path.h. */
#ifndef HEFT_DEBUG_UNIT_NAME_H
#define HEFT_DEBUG_UNIT_NAME_H

#include "base/text.h"
#include "debug/unit.h"

/* Adds the name to `out`. A compile unit without a name is split, and its other half is missing. It
 * is named after the primary file of its line program, known since version 5, else after its .dwo
 * file. False if it has none of these; `out` is then unchanged. */
bool unit_name(const struct unit *u, struct text *out);

#endif
