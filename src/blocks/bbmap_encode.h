/* bbmap_encode.h - writes basic-block maps: the model of bbmap.h in versions 1 to 5 (LLVM
 * "Extensions", SHT_LLVM_BB_ADDR_MAP).
 *
 * An entry is written with all it has that the version can say; the rest is left out:
 *
 *   version 1   an entry for each range, blocks numbered from 0, no profile
 *   version 2   numbers, ranges, profile
 *   version 3   ends of calls as well; version 4 hashes; version 5 frequencies after linking
 *
 * bbmap_next reads from it what went in, and what a compiler wrote comes out byte for byte if it is
 * written in its own version. */
#ifndef HEFT_CODE_BBMAP_ENCODE_H
#define HEFT_CODE_BBMAP_ENCODE_H

#include "blocks/bbmap.h"

enum { BBMAP_VERSION_MIN = 1 };

struct bbmap_encoder {
	uint8_t version;   /* BBMAP_VERSION_MIN to BBMAP_VERSION_MAX */
	uint8_t addr_size; /* 4 or 8 */
	bool big_endian;
	VEC(uint8_t) bytes; /* what was written; the caller's to release */
};

/* Appends an entry.  Features whose details it has not (details.count 0) are left out.  False, and
 * nothing is written, where blocks overlap or do not stand in order: versions from 1 on cannot say
 * that. */
bool bbmap_encode(struct bbmap_encoder *x, const struct bbmap_entry *e);

#endif
