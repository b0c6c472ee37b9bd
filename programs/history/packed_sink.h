/* packed_sink.h - a sink whose bytes go on as one frame of Zstandard (RFC 8878).  One thread. */
#ifndef HEFT_HISTORY_PACKED_SINK_H
#define HEFT_HISTORY_PACKED_SINK_H

#include "heft.h"

#include "base/err.h"

struct packed_sink;

/* NULL, and *err filled, where there is no memory.  `to` is copied. */
struct packed_sink *packed_sink_open(const struct heft_sink *to, struct heft_err *err);
struct heft_sink packed_sink_of(struct packed_sink *p);
/* Writes the end of the frame. */
bool packed_sink_end(struct packed_sink *p, struct heft_err *err);
void packed_sink_close(struct packed_sink *p);

#endif
