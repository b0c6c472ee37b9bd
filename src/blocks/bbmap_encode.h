/* bbmap_encode.h - writes basic-block maps: the model of bbmap.h in versions 1 to 5 (LLVM
 * "Extensions", SHT_LLVM_BB_ADDR_MAP).
 *
 * An entry is written with those details that the version can express:
 *
 * - Version 1: an entry for each range, blocks numbered from 0, no profile.
 * - Version 2: numbers, ranges, profile.
 * - Version 3: also ends of calls. Version 4: also hashes. Version 5: also frequencies after
 *   linking.
 *
 * bbmap_next() reads back the same entries. A compiler's entry is reproduced byte by byte in its
 * own version. */
#pragma once

#include "blocks/bbmap.h"

enum { BBMAP_VERSION_MIN = 1 };

struct bbmap_encoder {
	uint8_t version;   /* BBMAP_VERSION_MIN to BBMAP_VERSION_MAX */
	uint8_t addr_size; /* 4 or 8 */
	bool big_endian;
	VEC(uint8_t) bytes; /* The output. The caller frees it */
};

/* Appends an entry. Omits features for which details are missing (details.count 0). False, without
 * output, if blocks overlap or do not ascend: versions since 1 cannot express that. */
bool bbmap_encode(struct bbmap_encoder *x, const struct bbmap_entry *e);
