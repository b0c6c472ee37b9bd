/* pak_info.h - names of the resources in data packs: the `.pak.info` files that Chromium's build
 * writes, a line "NAME,id,path/of/list.grd" for each resource; and which of them have no payload
 * of their own.
 *
 * Ids are those of one build.  Texts are the snapshot's; names are filled in once, then read. */
#ifndef HEFT_SNAPSHOT_PAK_INFO_H
#define HEFT_SNAPSHOT_PAK_INFO_H

#include "snapshot/snapshot.h"

/* What a pack says of a resource whose payload is that of another. */
struct pak_same {
	uint64_t key; /* section 63..32, its id 31..16, the other's 15..0 */
	uint32_t name, source;
};

struct pak_info {
	/* by id, 0 to 65535: text of "path/of/list.grd: NAME", or 0; NULL: none read */
	uint32_t *names;
	uint32_t *sources;         /* the same of the path */
	VEC(struct pak_same) same; /* by collect_pak */
};

/* Reads the bytes of a file; lines that are none are left out with a note. */
void pak_info_parse(struct pak_info *i, struct snapshot *s, const char *path, struct bytes b,
		    struct notes *notes);
/* The same of the first of the files that is there; of none, no names. */
void pak_info_read(struct pak_info *i, struct snapshot *s, const char *const *paths, size_t count,
		   struct notes *notes);
void pak_info_release(struct pak_info *i);

#endif
