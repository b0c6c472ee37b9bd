/* packed_sink.h - a sink whose bytes go on as one frame of Zstandard (RFC 8878), with a checksum.
 *
 * One thread a handle. */
#ifndef HEFT_BASE_PACKED_SINK_H
#define HEFT_BASE_PACKED_SINK_H

#include "base/err.h"

struct packed_sink;

/* `to` is copied; `level` is zstd's, 0: its own default.  NULL, and *err filled, where there is no
 * memory or no libzstd. */
struct packed_sink *packed_sink_open(const struct heft_sink *to, unsigned level,
				     struct heft_err *err);
/* False where `to` took no more: errno is what it left. */
struct heft_sink packed_sink_of(struct packed_sink *p);
/* Writes the end of the frame; false as above. */
bool packed_sink_end(struct packed_sink *p);
/* NULL is fine. */
void packed_sink_close(struct packed_sink *p);

#endif
