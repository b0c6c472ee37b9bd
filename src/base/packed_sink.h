/* packed_sink.h - a sink that compresses its bytes as one Zstandard frame (RFC 8878) with a
 * checksum. One thread per handle. */
#pragma once

#include "base/err.h"

struct packed_sink;

/* Writes to a copy of `to`. `level` is zstd's, 0 is its default. NULL, with *err, if there is no
 * memory or no libzstd. */
struct packed_sink *packed_sink_open(const struct heft_sink *to, unsigned level,
				     struct heft_err *err);
/* Returns the sink that compresses. It fails if `to` fails, with the same errno. */
struct heft_sink packed_sink_of(struct packed_sink *p);
/* Ends the frame. False if `to` fails. */
bool packed_sink_end(struct packed_sink *p);
/* Frees the handle. NULL is allowed. */
void packed_sink_close(struct packed_sink *p);
