/* bundle.h - what was put into or behind a finished program, member by member.  Private to
 * attr_bundle.c and the readers of single formats. */
#ifndef HEFT_SOURCE_ATTR_BUNDLE_BUNDLE_H
#define HEFT_SOURCE_ATTR_BUNDLE_BUNDLE_H

#include "source/attr/attr.h"

struct bundle {
	struct attr *attr;
	const struct section *in; /* whose bytes they are; NULL: appended, or of none */
	uint64_t start;           /* in the image, where `in` is NULL */
	struct bytes bytes;
	uint64_t addr; /* of a note or resource that is mapped; else 0 */
};

/* The bytes of a text. */
static inline struct bytes bundle_bytes(struct str s)
{
	return (struct bytes){ (const uint8_t *)s.p, s.len };
}

/* Claims [off, off + size) of the bytes, clipped to these. */
void bundle_put(const struct bundle *b, uint64_t off, uint64_t size, label_id label);
/* The same for the member `name`, and for tables that say where members are. */
void bundle_member(const struct bundle *b, uint64_t off, uint64_t size, struct str name);
void bundle_tables(const struct bundle *b, uint64_t off, uint64_t size);

/* bundle_node.c: the blob of a Node.js single executable application. */
void bundle_node(const struct bundle *b);

/* bundle_pkg.c: false where the bytes end in no prelude of pkg. */
bool bundle_pkg(const struct bundle *b);
/* The archive of pkg that a single executable application has among its assets, by the manifest
 * that is another: claims the members, of which `archive` begins at `off` of the bundle. */
void bundle_pkg_archive(const struct bundle *b, struct bytes archive, uint64_t off,
			struct bytes manifest);

#endif
