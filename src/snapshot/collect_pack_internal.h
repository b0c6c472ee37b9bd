/* collect_pack_internal.h - what collect_pack.c and collect_dex.c share.  Private to them. */
#ifndef HEFT_SNAPSHOT_COLLECT_PACK_INTERNAL_H
#define HEFT_SNAPSHOT_COLLECT_PACK_INTERNAL_H

#include "snapshot/collect_pack.h"

/* Adds a symbol without address and paths, whose three names are one.  Valid until the next. */
struct snap_symbol *collect_pack_add(struct snapshot *s, uint32_t container, const char *section,
				     struct str name, uint64_t size);

/* A symbol that is all padding; nothing where there is none. */
void collect_overhead(struct snapshot *s, uint32_t container, const char *section, struct str name,
		      uint64_t size);

/* "$APK/path", as a text. */
uint32_t collect_package_path(struct snapshot *s, struct str path);

/* What `whole` bytes are in a file where they take `part`: the pieces of the whole, one after the
 * other, add up to the part. Both are below 4 GiB. */
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

#endif
