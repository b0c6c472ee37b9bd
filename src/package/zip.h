/* zip.h - lists the entries of a zip file: .zip, .apk, .jar.
 *
 * Specification: PKWARE's APPNOTE.TXT 6.3.x, sections 4.3 and 4.4, with Zip64 (4.3.14, 4.3.15,
 * 4.5.3). The signing block of Android packages: "APK Signature Scheme v2" of the Android Open
 * Source Project.
 *
 * Invariants, whatever the file says: entries are sorted by offset and lie inside `bytes`. No entry
 * overlaps another entry, the signing block or the central directory. Skips entries that break
 * this, and entries in another file of a split archive, with a note. Borrows the bytes. After
 * parsing, several threads may read it. */
#pragma once

#include "base/err.h"
#include "base/reader.h"
#include "base/vec.h"

enum { ZIP_STORED = 0, ZIP_DEFLATED = 8 };

struct zip_entry {
	uint64_t off;          /* Offset of the local header. */
	uint64_t data, packed; /* Offset and bytes of the packed data. */
	uint64_t size;         /* Unpacked size */
	uint64_t extra;        /* Bytes of extra fields before the data, mostly alignment. */
	struct str name;
	uint32_t crc; /* CRC-32 of the unpacked data */
	uint16_t method;
};

struct zip {
	struct bytes bytes;
	VEC(struct zip_entry) entries;
	uint64_t directory, directory_size; /* Offset and bytes of the central directory. */
	uint64_t directory_extra;           /* Bytes of extra fields in the central directory. */
	uint64_t signing, signing_size;     /* Offset and bytes of the signing block. Size 0 if
					     * there is none. */
};

/* Parses a zip file. HEFT_EFORMAT if there is no central directory. */
bool zip_parse(struct zip *ret, const char *path, struct bytes b, struct notes *notes,
	       struct heft_err *err);
void zip_release(struct zip *z);
/* Returns the unpacked bytes of an entry. *ret_owned is memory that the caller frees, or NULL.
 * False if the data is damaged, uses a method other than deflate, or states an impossible size. */
bool zip_unpack(const struct zip *z, const struct zip_entry *e, struct bytes *ret, void **ret_owned,
		struct heft_err *err);
