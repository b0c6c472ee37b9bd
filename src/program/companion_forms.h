/* companion_forms.h - opens symbols and debug info of other forms (PDB, source map, Go's and the
 * kernel's tables) as a companion image. Private to program/.
 *
 * A companion resembles a separate debug file: it has the sections of `im` without bytes, and
 * symbols or DWARF. Each *_open() returns false, and makes nothing, if there is no companion. If
 * the companion is damaged, it returns false with *err. */
#pragma once

#include "base/text.h"
#include "debug/write/dwarf_write.h"
#include "image/build.h"
#include "image/input.h"
#include "program/go_table.h"
#include "program/session.h"

bool pdb_file_named(const char *path);
bool pdb_file_check(struct bytes b, const char *path, struct heft_err *err);
/* True if the PDB belongs to the build of the image, by GUID and age. */
bool pdb_file_is_of(struct bytes b, const struct image *im);

/* Opens the PDB at `path` as a companion image of `im`, a linked image of the same build. The
 * companion has the sections of `im` without bytes, the symbols of the PDB, and the PDB's debug
 * info as DWARF. `in` owns the new bytes. Closes the PDB. False, with *err, if it is damaged. */
bool pdb_file_open(const struct image *im, const char *path, struct input *in, struct notes *notes,
		   struct heft_err *err);

/* Finds the PDB of an image. The caller frees the path with mem_free(). NULL if there is none.
 * Tries the path that the image names. Then tries a file with that name, or with the image's name,
 * in the image's folder and in the directories. Skips a PDB of another build with a note. */
char *pdb_file_find(const struct image *im, const struct debug_search *how, struct notes *notes);

/* Finds the source map of an image. The caller frees the path with mem_free(). NULL if there is
 * none. First looks among the user's maps, by the image's path or URL. Otherwise looks for the
 * URL's file name in the image's folder, unless the user forbids searching. Adds a note if all maps
 * of the user are for other modules. */
char *source_map_find(const struct image *im, const struct program_wish *wish, struct notes *notes);

/* Opens the map at `path` as a companion image of `im`: its sections without bytes, and DWARF made
 * from the map. False, with *err, if the map is damaged. */
bool source_map_open(const struct image *im, const char *path, struct input *in,
		     struct notes *notes, struct heft_err *err);

bool kernel_has_symbols(const struct image *im);
/* Makes the symbols from the table that the kernel carries for its own messages
 * (runtime/kallsyms.h). The kernel is an ELF file, or for AArch64 the bootable file. The bootable
 * file has only two sections. Its unnamed bytes after the code are called "(data without symbols)".
 * Borrows from `im`. */
bool kernel_symbols_open(const struct image *im, struct input *ret, struct notes *notes);

/* Bits of `what` for go_symbols_open() */
enum { GO_SYMBOLS = 1, GO_LINES = 2 };

/* Makes the symbols of a stripped Go program. GO_SYMBOLS: a symbol per function and per table of
 * the whole program. A file symbol with the name of their package precedes a package's functions.
 * GO_LINES: the DWARF of go_dwarf_make(). Borrows from `im`, its table and *ret_owned (or NULL).
 * The caller frees *ret_owned after the image. */
void go_symbols_open(const struct image *im, const struct go_table *table, unsigned what,
		     struct input *ret, void **ret_owned, struct notes *notes);

enum { GO_DWARF_ABBREV, GO_DWARF_INFO, GO_DWARF_LINE, GO_DWARF_STR, GO_DWARF_SECTIONS };

struct go_dwarf {
	struct text sections[GO_DWARF_SECTIONS];
};

extern const char *const go_dwarf_names[GO_DWARF_SECTIONS];

/* Writes packages, lines and inlined calls of the tables as DWARF 5, so that all readers of DWARF
 * use them. False, with nothing to release, if the sections would exceed DWARF's 32-bit form.
 *
 * Each run of functions of one package is a unit with the package's name. It has a subprogram per
 * function, and one line program. A subprogram has an inlined subroutine per range of inlined code,
 * nested as the calls are. Names are offsets in the table. .debug_str is a copy of the table. The
 * table lists inlined calls in one form in Go 1.12 to 1.19, and in another from 1.20 on (found by
 * experiment). Skips damaged parts.
 *
 * Memory: about three times the bytes of the table. Time: O(bytes of the table). */
bool go_dwarf_make(struct go_dwarf *d, const struct image *im, const struct go_table *table);
void go_dwarf_release(struct go_dwarf *d);

/* Begins *ret with the sections of `im`, at the same indexes but without bytes. Borrows from `im`
 * and `path`. Until sections are added, the image has the bytes of `im`. */
void made_image_begin(struct image_build *b, struct image *ret, const struct image *im,
		      const char *path, struct notes *notes);
/* Adds a section. *bytes collects the bytes of all added sections, and must outlive the image. */
void made_image_add(struct image_build *b, struct text *bytes, struct str name,
		    const struct text *contents);
void made_image_add_dwarf(struct image_build *b, struct text *bytes, const struct dwarf_made *d);
