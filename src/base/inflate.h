/* inflate.h - unpacks deflate streams (RFC 1951) in frames of zlib (RFC 1950) and gzip (RFC 1952),
 * piece by piece. Also computes gzip's CRC-32.
 *
 * Uses ISA-L if the build has it, otherwise zlib. inflate_is_there() is false in a build without
 * both. One thread per stream. */
#pragma once

#include "base/reader.h"

enum inflate_frame { INFLATE_ZLIB, INFLATE_GZIP };

struct inflate;

bool inflate_is_there(void);
/* Opens a stream. Call it only if inflate_is_there(). Raises HEFT_ENOMEM. */
struct inflate *inflate_open(enum inflate_frame frame);
/* Begins another stream with the same kind of frame. */
void inflate_restart(struct inflate *z);
/* Unpacks as much as fits into [out, out + room). Sets *ret_used to the number of bytes read, and
 * *ret_made to the number written. False if the data is damaged. */
bool inflate_step(struct inflate *z, struct bytes packed, uint8_t *out, uint64_t room,
		  uint64_t *ret_used, uint64_t *ret_made);
/* True after the end of the stream, if its checksum is right. */
bool inflate_ended(const struct inflate *z);
void inflate_close(struct inflate *z);

/* Computes gzip's CRC-32 (RFC 1952, section 8). */
uint32_t crc32_of(struct bytes b);
