/* zip.h - the entries of a zip file: .zip, .apk, .jar.  PKWARE's APPNOTE.TXT 6.3.x, sections 4.3
 * and 4.4; the signing block of Android packages: "APK Signature Scheme v2" of the Android Open
 * Source Project.
 *
 * Invariants, whatever the file says: entries stand by offset, none overlaps another, the signing
 * block or the central directory, all lie inside `bytes`.  What does not is a note and left out, as
 * are entries in another file of several. Zip64 (sections 4.3.14, 4.3.15 and 4.5.3) is read.
 *
 * Borrows the bytes.  Read once; several threads may read it. */
#ifndef HEFT_IMAGE_PACKAGE_ZIP_H
#define HEFT_IMAGE_PACKAGE_ZIP_H

#include "base/err.h"
#include "base/reader.h"
#include "base/vec.h"

enum { ZIP_STORED = 0, ZIP_DEFLATED = 8 };

struct zip_entry {
	uint64_t off;          /* of the local header */
	uint64_t data, packed; /* where its bytes are, and how many */
	uint64_t size;         /* unpacked */
	uint64_t extra;        /* bytes of extra fields in front of data: alignment, mostly */
	struct str name;
	uint32_t crc; /* of what is unpacked */
	uint16_t method;
};

struct zip {
	struct bytes bytes;
	VEC(struct zip_entry) entries;
	uint64_t directory, directory_size; /* central directory */
	uint64_t directory_extra;           /* bytes of extra fields in it */
	uint64_t signing, signing_size;     /* signing block; size 0: none */
};

/* Whether the bytes begin with a local header. */
bool zip_matches(struct bytes b);
/* False where there is no central directory: HEFT_EFORMAT. */
bool zip_parse(struct zip *ret, const char *path, struct bytes b, struct notes *notes,
	       struct heft_err *err);
void zip_release(struct zip *z);
/* The bytes of an entry; *ret_owned is memory that the caller frees, or NULL.  False where the data
 * are damaged, packed in another way than deflate, or become more than they can. */
bool zip_unpack(const struct zip *z, const struct zip_entry *e, struct bytes *ret, void **ret_owned,
		struct heft_err *err);

#endif
