/* bundle.h - claims, member by member, files that were put into or after a finished program.
 * Private to attr_bundle.c and the readers of single formats. */
#ifndef HEFT_ATTR_BUNDLE_BUNDLE_H
#define HEFT_ATTR_BUNDLE_BUNDLE_H

#include "attr/attr.h"

struct bundle {
	struct attr *attr;
	const struct section *in; /* Section of the bytes. NULL if appended, or in no section. */
	uint64_t start;           /* Offset in the image if `in` is NULL */
	struct bytes bytes;
	uint64_t addr; /* Address of a note or resource that is mapped. 0 if none. */
};

/* Converts a text to struct bytes. */
static inline struct bytes bundle_bytes(struct str s)
{
	return (struct bytes){ (const uint8_t *)s.p, s.len };
}

/* Claims [off, off + size) of the bytes, clipped to them. */
void bundle_put(const struct bundle *b, uint64_t off, uint64_t size, label_id label);
/* Claim bytes like bundle_put(): for the member `name`, and for tables of members' places. */
void bundle_member(const struct bundle *b, uint64_t off, uint64_t size, struct str name);
void bundle_tables(const struct bundle *b, uint64_t off, uint64_t size);

/* bundle_node.c: claims the blob of a Node.js single executable application. */
void bundle_node(const struct bundle *b);

/* bundle_pkg.c: claims a pkg program's members. False if the bytes do not end in a pkg prelude. */
bool bundle_pkg(const struct bundle *b);
/* Claims the members of a pkg archive among the assets of a single executable application. Another
 * asset is the manifest. `archive` begins at `off` of the bundle. */
void bundle_pkg_archive(const struct bundle *b, struct bytes archive, uint64_t off,
			struct bytes manifest);

#endif
