/* raw_internal.h - what the parsers of raw images share. */
#ifndef HEFT_IMAGE_RAW_RAW_INTERNAL_H
#define HEFT_IMAGE_RAW_RAW_INTERNAL_H

#include "image/raw/raw.h"

struct raw_build {
	struct raw *raw;
	const char *path;
	struct notes *notes;
	VEC(struct raw_chunk) chunks; /* as they come; off in `bytes` */
	VEC(uint8_t) bytes;
	uint64_t shift; /* of the address of a record */
};

/* Adds bytes at an address, below 2^33. */
void raw_put(struct raw_build *b, uint64_t addr, const uint8_t *p, uint64_t size);
/* Hands all of it to the image, which has a copy of the bytes in the order of their addresses. */
void raw_finish(struct raw_build *b);
/* Takes chunks whose bytes are the file's, in any order. */
void raw_take(struct raw *r, struct raw_chunk *list, size_t count, const char *path,
	      struct notes *notes);

/* ---- text ------------------------------------------------------------------------------------ */

struct raw_lines {
	struct str text;
	size_t pos;
	uint64_t line; /* of the line last read, from 1 */
	uint64_t off;  /* where it begins */
};

/* The next line that is not empty, without blanks at its ends.  False: there is none. */
bool raw_line_next(struct raw_lines *l, struct str *ret);

enum { RAW_RECORD_MAX = 260 };

/* Reads pairs of hexadecimal digits; false where it is anything else, or more than there is room
 * for. */
bool raw_hex(struct str digits, uint8_t ret[static RAW_RECORD_MAX], size_t *ret_count);
uint8_t raw_sum(const uint8_t *p, size_t count);

#define RAW_NOTE(b, l, bytes, fmt, ...)                                                            \
	note((b)->notes, (b)->path, (l)->off, bytes, "line %" PRIu64 ": " fmt, (l)->line,          \
	     ##__VA_ARGS__)

bool ihex_matches(struct bytes b);
void ihex_parse(struct raw_build *b, struct str text);
bool srec_matches(struct bytes b);
void srec_parse(struct raw_build *b, struct str text);
bool uf2_matches(struct bytes b);
void uf2_parse(struct raw_build *b, struct bytes file);
bool esp_matches(struct bytes b);
void esp_parse(struct raw *r, const char *path, struct bytes file, struct notes *notes);

/* Calls fn for runs of bytes that are one after the other all of `b`: padding is all zeros or all
 * 0xff, `least` bytes long or all of b. */
typedef void (*raw_run_fn)(void *ctx, uint64_t off, uint64_t size, bool padding);
void raw_runs(struct bytes b, uint64_t least, raw_run_fn fn, void *ctx);
/* What counts as a run of padding in so many bytes. */
uint64_t raw_least_run(uint64_t size);

#endif
