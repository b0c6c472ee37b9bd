/* collect_pack_internal.h - declares what collect_pack.c and collect_dex.c share. */
#pragma once

#include "snapshot/collect_pack.h"

/* Adds a symbol without address and paths. `name` is all its names. Valid until the next call. */
struct snap_symbol *collect_pack_add(struct snapshot *s, uint32_t container, const char *section,
				     struct str name, uint64_t size);

/* Adds a symbol that has only padding, unless `size` is 0. */
void collect_overhead(struct snapshot *s, uint32_t container, const char *section, struct str name,
		      uint64_t size);

/* Adds the text "$APK/path" and returns its id. */
uint32_t collect_package_path(struct snapshot *s, struct str path);

/* Divides `part` bytes of the file among pieces, which have `whole` bytes in total before packing.
 * The shares, taken in order, add up to `part`. Both numbers are below 4 GiB */
struct share {
	uint64_t whole, part, done;
};

static inline uint64_t share_take(struct share *s, uint64_t size)
{
	if (s->whole == s->part)
		return size;
	const uint64_t before = s->done * s->part / s->whole;
	s->done += size;
	return s->done * s->part / s->whole - before;
}
