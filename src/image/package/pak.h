/* pak.h - Chromium's data packs, versions 4 and 5: resources by a 16-bit id.
 *
 * The format is described in Chromium's "GRIT data pack" notes; little-endian throughout.  v4: u32
 * version, u32 count, u8 encoding.  v5: u32 version, u8 encoding, 3 bytes, u16 count, u16 aliases.
 * Then count + 1 entries of u16 id and u32 offset, the last one marking the end; v5: aliases of u16
 * id and u16 index of an entry; then the data.
 *
 * Invariants: the data of an entry lie inside the bytes, behind the tables, none over another;
 * indices are in range. Borrows nothing after parsing. */
#ifndef HEFT_IMAGE_PACKAGE_PAK_H
#define HEFT_IMAGE_PACKAGE_PAK_H

#include "base/err.h"
#include "base/reader.h"
#include "base/vec.h"

struct pak_entry {
	uint16_t id;
	uint64_t off, size;
};

struct pak_alias {
	uint16_t id, entry; /* entry: index in entries */
};

enum { PAK_ENTRY_SIZE = 6, PAK_ALIAS_SIZE = 4 };

struct pak {
	unsigned version;
	uint8_t encoding; /* 0 binary, 1 UTF-8, 2 UTF-16 */
	VEC(struct pak_entry) entries;
	VEC(struct pak_alias) aliases;
};

/* Whether header and tables fit. */
bool pak_matches(struct bytes b);
/* False where the tables leave the file or offsets run backwards: HEFT_EFORMAT. */
bool pak_parse(struct pak *ret, const char *path, struct bytes b, struct heft_err *err);
void pak_release(struct pak *p);

#endif
