/* inflate.h - unpacks deflate streams (RFC 1951) in the frames of zlib (RFC 1950) and gzip (RFC
 * 1952), piece by piece; and the CRC-32 of gzip.
 *
 * By ISA-L where the build has it, else by zlib.  A build without both says so in
 * inflate_is_there.  One thread a stream. */
#ifndef HEFT_BASE_INFLATE_H
#define HEFT_BASE_INFLATE_H

#include "base/reader.h"

enum inflate_frame { INFLATE_ZLIB, INFLATE_GZIP };

struct inflate;

/* Whether this build can unpack such streams. */
bool inflate_is_there(void);
/* Begins a stream.  Only where inflate_is_there.  Raises HEFT_ENOMEM. */
struct inflate *inflate_open(enum inflate_frame frame);
/* Begins another stream of the same frame. */
void inflate_restart(struct inflate *z);
/* Unpacks what fits into [out, out + room) of `packed`.  *ret_used: bytes of `packed` that were
 * read; *ret_made: bytes of `out` that were written.  False: the data are damaged. */
bool inflate_step(struct inflate *z, struct bytes packed, uint8_t *out, uint64_t room,
		  uint64_t *ret_used, uint64_t *ret_made);
/* Whether the stream has ended, with its checksum right. */
bool inflate_ended(const struct inflate *z);
void inflate_close(struct inflate *z);

/* The CRC-32 of gzip (RFC 1952, section 8). */
uint32_t crc32_of(struct bytes b);

#endif
