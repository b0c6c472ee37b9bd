/* pak.h - parses Chromium's data packs, versions 4 and 5: resources by a 16-bit id. Described in
 * Chromium's "GRIT data pack" notes. Little-endian.
 *
 * Version 4: u32 version, u32 count, u8 encoding. Version 5: u32 version, u8 encoding, 3 bytes, u16
 * count, u16 aliases. Then count + 1 entries of u16 id and u32 offset. The last entry marks the
 * end. In version 5, aliases of u16 id and u16 entry index follow. The data is last.
 *
 * Invariants: the data of an entry lies inside the bytes, after the tables, and never overlaps
 * another. Indexes are in range. Borrows nothing after parsing. */
#pragma once

#include "base/err.h"
#include "base/reader.h"
#include "base/vec.h"

struct pak_entry {
	uint16_t id;
	uint64_t off, size;
};

struct pak_alias {
	uint16_t id, entry; /* `entry` is an index in entries */
};

enum { PAK_ENTRY_SIZE = 6, PAK_ALIAS_SIZE = 4 };

struct pak {
	unsigned version;
	uint8_t encoding; /* Of texts: 0 binary, 1 UTF-8, 2 UTF-16 */
	VEC(struct pak_entry) entries;
	VEC(struct pak_alias) aliases;
};

/* True if the header and the tables fit a data pack. */
bool pak_matches(struct bytes b);
/* Parses a data pack. HEFT_EFORMAT if the tables leave the file or if offsets decrease. */
bool pak_parse(struct pak *ret, const char *path, struct bytes b, struct heft_err *err);
void pak_release(struct pak *p);
