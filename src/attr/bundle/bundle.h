/* bundle.h - claims the members of file bundles that are inside a program or appended to it.
 * Private to attr_bundle.c and the readers of single formats. */
#pragma once

#include "attr/attr.h"

struct bundle {
	struct attr *attr;
	const struct section *in; /* Section that holds the bundle, or NULL */
	uint64_t start;           /* Offset in the image if `in` is NULL */
	struct bytes bytes;
	uint64_t addr; /* VM address of the note or resource. 0 if not mapped. */
};

static inline struct bytes bundle_bytes(struct str s)
{
	return (struct bytes){ (const uint8_t *)s.p, s.len };
}

/* Claims [off, off + size) of the bundle, clipped to its bytes. */
void bundle_put(const struct bundle *b, uint64_t off, uint64_t size, label_id label);
/* Claim like bundle_put(), as the member `name` of the bundle, or as the bundle's tables. */
void bundle_member(const struct bundle *b, uint64_t off, uint64_t size, struct str name);
void bundle_tables(const struct bundle *b, uint64_t off, uint64_t size);

/* bundle_pkg.c: claims a pkg program's members. False if the bytes do not end in a pkg prelude. */
bool bundle_pkg(const struct bundle *b);
/* Claims the members of a pkg archive that is an asset of a single executable application. Another
 * asset is its manifest. `archive` begins at offset `off` of the bundle. */
void bundle_pkg_archive(const struct bundle *b, struct bytes archive, uint64_t off,
			struct bytes manifest);
