/* pak_info.h - reads the names of resources in data packs. Also lists the resources that share
 * another's payload.
 *
 * Names come from the `.pak.info` files of Chromium's build: a line "NAME,id,path/of/list.grd" per
 * resource. Ids are valid for one build. The snapshot owns the texts. */
#pragma once

#include "snapshot/snapshot.h"

/* A resource that shares another one's payload, as the pack's table says */
struct pak_same {
	uint64_t key; /* Sort key: section in bits 63..32, id of this resource in 31..16, id of the
		       * resource that has the payload in 15..0 */
	uint32_t name, source;
};

struct pak_info {
	/* Per id, 0 to 65535: text id of "path/list.grd: NAME", or 0. NULL: no list was read. */
	uint32_t *names;
	uint32_t *sources;         /* Per id: text id of the list's path, or 0. NULL: no list was
				    * read */
	VEC(struct pak_same) same; /* Resources with equal contents. collect_pak() fills it */
};

/* Reads the bytes of a .pak.info file. Bad lines are skipped with a note. */
void pak_info_parse(struct pak_info *i, struct snapshot *s, const char *path, struct bytes b,
		    struct notes *notes);
/* Reads the first file that exists. If there is none, resources have no names. */
void pak_info_read(struct pak_info *i, struct snapshot *s, const char *const *paths, size_t count,
		   struct notes *notes);
void pak_info_release(struct pak_info *i);
