/* debugfile.h - finds the separate debug file of an image.
 *
 * Order: files given by hand with the same build id; then, for every directory given by hand and
 * then /usr/lib/debug: DIR/.build-id/xx/yyyy.debug, and by .gnu_debuglink: beside the image, in
 * .debug/ beside it, and DIR/path-of-image/, of directories given by hand DIR/ and DIR/.debug/
 * as well (the CRC-32 must match where the build ids cannot be compared); then debuginfod's
 * cache, through libdebuginfod.so.1 loaded at run time, only when DEBUGINFOD_URLS is set. */
#ifndef HEFT_IMAGE_DEBUGFILE_H
#define HEFT_IMAGE_DEBUGFILE_H

#include "image/input.h"

struct debug_search {
	const char *const *dirs; /* tried before /usr/lib/debug */
	size_t dir_count;
	bool debuginfod;     /* allowed (and DEBUGINFOD_URLS set) */
	const char *sysroot; /* taken off the front of image paths in DIR/path-of-image, or NULL */
	const char *const *files; /* given by hand; not for debugfile_find */
	size_t file_count;
};

/* Whether two build ids are the same, and there. */
bool same_build_id(struct bytes a, struct bytes b);
/* In lower-case hexadecimal; "" where there is none. */
char *build_id_text(struct arena *a, struct bytes id);
/* DIR/.build-id/xx/yyyy.debug (GDB manual, "Debugging Information in Separate Files"), in the
 * arena; NULL for an id that is none. */
const char *build_id_path(struct arena *a, const char *dir, struct bytes id);

/* The path of im's debug file in malloc'ed memory, or NULL if none is found.  A candidate
 * whose build id differs is passed over with a note.  Never finds the image itself. */
char *debugfile_find(const struct image *im, const struct debug_search *how, struct notes *notes);

/* Whether a file that was given by hand is im's debug file, where the two have no build ids to
 * compare: by the CRC of .gnu_debuglink, else, with a note, by the places of sections.  Not:
 * *ret_why, a constant. */
bool debugfile_is_of(const struct image *im, const struct input *in, struct notes *notes,
		     const char **ret_why);

/* Opens .gnu_debugdata (xz) of an image: *ret is an input on unpacked memory.  False if the
 * section is missing or (with a note) damaged.  *ret_owned is freed by the caller after
 * input_close. */
bool debugdata_open(const struct image *im, struct input *ret, void **ret_owned);

#endif
