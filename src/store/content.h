/* content.h - what a build holds: the list of its symbols, and what its `.size` file has in front
 * of them.
 *
 * A snapshot becomes a content, and a content the text of a `.size` file, which sizefile_read
 * checks as it does any other.  So a store has no second reader of symbols.
 *
 * One thread. */
#ifndef HEFT_STORE_CONTENT_H
#define HEFT_STORE_CONTENT_H

#include "store/catalog.h"
#include "store/list.h"

struct content {
	/* flags (enum content_flag), count of segments, and of each its container, the length of
	 * its name, the name and its count of symbols; then the start of the file (sizefile_start);
	 * numbers are LEB128 */
	struct text head;
	struct entries entries;
};

enum content_flag {
	CONTENT_OWN = 1, /* snapshot.own */
	CONTENT_PADDING = 2,
	CONTENT_COMPONENTS = 4,
	CONTENT_SEVERAL = 8, /* containers */
};

/* *c is zeroed.  Its symbols are added to the catalog. */
void content_make(struct content *c, struct catalog *catalog, const struct snapshot *s);
void content_release(struct content *c);
bool content_same(const struct content *a, const struct content *b);

/* Appends the text of the `.size` file; false where the content is damaged.  *ret_own is the value
 * of snapshot.own, which no file has. */
bool content_text(const struct content *c, struct catalog *catalog, struct text *out,
		  bool *ret_own);

/* The bytes that are kept: of the content of a build whose base has the content `base`; NULL: the
 * whole.  content_unpack fails where they are damaged. */
bool content_pack(const struct content *c, const struct content *base, struct bytes *ret);
bool content_unpack(struct content *ret, const struct content *base, struct bytes packed);

#endif
