/* where.h - what the rest of the library may ask of a look-up handle. */
#ifndef HEFT_API_WHERE_H
#define HEFT_API_WHERE_H

#include "base/reader.h"
#include "heft.h"
#include "program/wish.h"

/* Copies the wish. */
void where_set_wish(struct heft_where *w, const struct program_wish *wish);
/* Of the open file; size 0: it has none. */
struct bytes where_build_id(const struct heft_where *w);

#endif
