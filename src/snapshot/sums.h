/* sums.h - checksums of the contents of symbols, which tell what differs where no size does.
 *
 * A symbol has a checksum of one byte, so two contents have the same one by a chance of 1 in 255. A
 * file states checksums of groups of neighbours, at most SUM_GROUPS for a section, so that they
 * take few bytes. A group's checksum is that of the sum of its symbols. After reading, the first
 * symbol of a group has the group's checksum. */
#pragma once

#include "snapshot/snapshot.h"

enum { SUM_GROUPS = 4096 };

/* Returns the checksum of bytes: 1 to 255, or 0 without bytes. The same on every machine. */
uint8_t sum_of(struct bytes b);
/* Returns the number of symbols in a group of a section with `count` symbols. The last group may
 * have fewer. */
static inline uint64_t sums_group_size(uint64_t count)
{
	return count / SUM_GROUPS + 1;
}
/* Returns the checksum of the group that begins at a symbol of a section. 0 if it is unknown. */
uint8_t sum_of_group(const struct snapshot *s, const struct snap_section *sec, uint64_t first);
/* Appends the checksums of a section as hexadecimal digits. Appends nothing if none is known. */
void sums_write(struct text *to, const struct snapshot *s, const struct snap_section *sec);
/* Sets the checksums of a section from the digits that sums_write() appends. False if they are
 * wrong. */
bool sums_read(struct snapshot *s, const struct snap_section *sec, struct str digits);
