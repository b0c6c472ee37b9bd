/* inflate.h - unpacks deflate streams (RFC 1951) in frames of zlib (RFC 1950) and gzip (RFC 1952),
 * piece by piece. Also computes gzip's CRC-32.
 *
 * Uses ISA-L if the build has it, otherwise zlib. inflate_is_there() is false in a build without
 * both. One thread per stream. */
#ifndef HEFT_BASE_INFLATE_H
#define HEFT_BASE_INFLATE_H

#include "base/reader.h"

enum inflate_frame { INFLATE_ZLIB, INFLATE_GZIP };

struct inflate;

/* True if this build can unpack deflate streams. */
bool inflate_is_there(void);
/* Begins a stream. Call it only if inflate_is_there() is true. Raises HEFT_ENOMEM. */
struct inflate *inflate_open(enum inflate_frame frame);
/* Begins another stream with the same kind of frame. */
void inflate_restart(struct inflate *z);
/* Unpacks as much as fits into [out, out + room). *ret_used: bytes read from `packed`. *ret_made:
 * bytes written to `out`. False if the data is damaged. */
bool inflate_step(struct inflate *z, struct bytes packed, uint8_t *out, uint64_t room,
		  uint64_t *ret_used, uint64_t *ret_made);
/* True if the stream has ended and its checksum is right. */
bool inflate_ended(const struct inflate *z);
void inflate_close(struct inflate *z);

/* Computes gzip's CRC-32 (RFC 1952, section 8). */
uint32_t crc32_of(struct bytes b);

#endif
