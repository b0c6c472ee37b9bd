/* raw.h - firmware as programmers and boot loaders take it: bytes at addresses, and no names.
 *
 * Intel HEX, Motorola S-records, UF2, images for Espressif's boot loaders, and plain bytes whose
 * address somebody tells.  All become chunks of bytes at addresses, which raw_image makes an image
 * of, alone or as the bytes of the program that they were made of (raw_join).
 *
 * Whatever the file says: chunks are sorted and do not overlap, none is empty or wraps, each lies
 * inside `bytes`, and there are at most RAW_CHUNKS_MAX.  A record that is damaged is left out, with
 * a note that has its line.
 *
 * Cost: O(file).  Immutable after parsing; several threads may read it.
 *
 * Formats: Intel, "Hexadecimal Object File Format Specification", revision A (1988); Motorola,
 * "S-Records", M68000 Family Programmer's Reference Manual, appendix C; Microsoft, "USB Flashing
 * Format (UF2)"; Espressif, esptool's documentation, "Firmware Image Format". */
#ifndef HEFT_IMAGE_RAW_RAW_H
#define HEFT_IMAGE_RAW_RAW_H

#include "image/image.h"

enum { RAW_CHUNKS_MAX = 1000 };

struct raw_chunk {
	uint64_t addr, off, size; /* off in raw.bytes */
};

struct raw {
	const char *format; /* "Intel HEX"; a constant */
	uint16_t machine;   /* EM_*; EM_NONE where the file does not tell */
	uint64_t entry;     /* 0: not told */
	VEC(struct raw_chunk) chunks;
	VEC(struct image_part) parts; /* bytes at no address: headers, checksums */
	struct bytes bytes;           /* the file's, or what its text means */
	void *owned;                  /* the latter */
};

/* Whether a file is of one of the formats, plain bytes aside. */
bool raw_matches(struct bytes b);
/* `r` is released by the caller in any case.  `path` is for notes.  HEFT_EFORMAT where there is not
 * one byte of data. */
bool raw_parse(struct raw *r, const char *path, struct bytes b, struct notes *notes,
	       struct heft_err *err);
/* Plain bytes; those that would wrap are left out, with a note. */
void raw_plain(struct raw *r, const char *path, struct bytes b, uint64_t base, struct notes *notes);
void raw_release(struct raw *r);

/* The image of the chunks alone: a segment and a section each, named by their addresses, with long
 * runs of zeros and of 0xff apart as "[padding]".  It borrows the bytes. */
void raw_image(struct image *im, const struct image_place *at, const struct raw *r,
	       struct notes *notes);

/* How the bytes of a program that are stored compare with the chunks. */
struct raw_match {
	uint64_t same, differing, missing; /* bytes; missing: of sections, no chunk has them */
	uint64_t first_differing, first_missing;
};

struct raw_match raw_compare(const struct raw *r, const struct image *program);
/* The lowest address that a section of a program is stored at; false: it stores no byte. */
bool raw_lowest(const struct image *program, uint64_t *ret);
/* Makes an ELF image the one of the chunks.  `bytes` are those of the chunks and, from
 * r->bytes.size on, those of the ELF file, which the image was parsed of; all of it is borrowed.
 * Its sections and segments then have the bytes of the chunks, and what else is in these are
 * sections named "[padding]" and "[not in NAME]". */
void raw_join(struct image *im, const struct raw *r, struct bytes bytes, const char *name);

#endif
