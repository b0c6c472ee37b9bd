/* packed_sink.h - compresses the bytes of a sink as one Zstandard frame (RFC 8878) with a checksum.
 *
 * One thread per handle. */
#ifndef HEFT_BASE_PACKED_SINK_H
#define HEFT_BASE_PACKED_SINK_H

#include "base/err.h"

struct packed_sink;

/* Opens a packed sink. Copies `to`. `level` is zstd's; 0 is its default. NULL, with *err filled, if
 * there is no memory or no libzstd. */
struct packed_sink *packed_sink_open(const struct heft_sink *to, unsigned level,
				     struct heft_err *err);
/* Returns the sink. Its functions return false if `to` fails, and keep the errno of `to`. */
struct heft_sink packed_sink_of(struct packed_sink *p);
/* Writes the end of the frame. False if `to` fails. */
bool packed_sink_end(struct packed_sink *p);
/* Frees the sink. NULL is allowed. */
void packed_sink_close(struct packed_sink *p);

#endif
