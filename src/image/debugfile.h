/* debugfile.h - finds the separate debug file of an image.
 *
 * Candidates, in this order:
 * - files that the user named, with the same build id;
 * - DIR/.build-id/xx/yyyy.debug, for every directory DIR that the user named, then for
 *   /usr/lib/debug;
 * - the file that .gnu_debuglink names: in the image's folder, in its .debug/, in
 *   DIR/path-of-image/, and for directories that the user named in DIR/ and DIR/.debug/. If
 *   build ids are missing, the CRC-32 must match;
 * - debuginfod's cache, only if DEBUGINFOD_URLS is set. libdebuginfod.so.1 is loaded at run
 *   time. */
#pragma once

#include "image/input.h"

struct debug_search {
	const char *const *dirs; /* Directories that are tried before /usr/lib/debug */
	size_t dir_count;
	bool debuginfod;          /* True to allow debuginfod. DEBUGINFOD_URLS must also be set */
	const char *sysroot;      /* Prefix that is removed from the image's path in
				   * DIR/path-of-image. NULL if there is none */
	const char *const *files; /* Files that the user named. debugfile_find() ignores them */
	size_t file_count;
};

/* True if both build ids exist and are equal. */
bool same_build_id(struct bytes a, struct bytes b);
/* Returns DIR/.build-id/xx/yyyy.debug, allocated in the arena. NULL if the id has fewer than 2 or
 * more than 64 bytes. GDB manual, "Debugging Information in Separate Files". */
const char *build_id_path(struct arena *a, const char *dir, struct bytes id);

/* Returns the path of im's debug file in malloc'ed memory, or NULL if none is found. A candidate
 * with a different build id is skipped with a note. Never returns the image itself. */
char *debugfile_find(const struct image *im, const struct debug_search *how, struct notes *notes);

/* True if a file that the user named is im's debug file, if build ids are missing. Compares the CRC
 * of .gnu_debuglink. Without a CRC, compares the addresses and sizes of sections and adds a note.
 * If false, *ret_why is a constant text with the reason. */
bool debugfile_is_of(const struct image *im, const struct input *in, struct notes *notes,
		     const char **ret_why);

/* Opens .gnu_debugdata (xz) of an image: *ret becomes an input of the unpacked memory. False if the
 * section is missing or (with a note) damaged. The caller frees *ret_owned after input_close(). */
bool debugdata_open(const struct image *im, struct input *ret, void **ret_owned);
