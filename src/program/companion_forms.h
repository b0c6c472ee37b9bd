/* companion_forms.h - opens symbols and debug info that are not in an object file's form as a
 * companion image. Private to program/.
 *
 * The companion stands beside `im` like a separate debug file: it has the same sections without
 * bytes, and symbols or DWARF. Each *_open() is false, with nothing made, if there is no companion;
 * with *err, if it is damaged. */
#ifndef HEFT_PROGRAM_COMPANION_FORMS_H
#define HEFT_PROGRAM_COMPANION_FORMS_H

#include "base/text.h"
#include "debug/write/dwarf_write.h"
#include "image/build.h"
#include "image/input.h"
#include "program/go_table.h"
#include "program/wish.h"

/* ---- PDB of a Windows program (debug/codeview) ----------------------------------------------- */

bool pdb_file_named(const char *path); /* True if the file is a PDB. */
/* Checks the headers. False, with *err, if they are damaged. */
bool pdb_file_check(struct bytes b, const char *path, struct heft_err *err);
/* True if the PDB is of the build that the image names, by GUID and age. */
bool pdb_file_is_of(struct bytes b, const struct image *im);

/* Opens the PDB at `path` as a companion image of `im`, a linked image of the same build. It has
 * the sections of `im` without bytes, the symbols of the PDB, and its debug info as DWARF. `in`
 * owns the bytes made; the PDB is closed again. False, with *err, if it is damaged. */
bool pdb_file_open(const struct image *im, const char *path, struct input *in, struct notes *notes,
		   struct heft_err *err);

/* Finds the PDB of an image. The path is for mem_free(); NULL if there is none. Tries the path that
 * the image names, if it exists here. Then tries a file of that name or of the image's name, beside
 * the image and in the directories. A PDB of another build is skipped with a note. */
char *pdb_file_find(const struct image *im, const struct debug_search *how, struct notes *notes);

/* ---- source map of a WebAssembly module ------------------------------------------------------ */

/* Finds the source map of an image. The path is for mem_free(); NULL if there is none. Tries the
 * options' maps for the image's path or URL; otherwise, if looking for files is allowed, the file
 * that the URL names, beside the image. Maps of other modules in the options cause a note. */
char *source_map_find(const struct image *im, const struct program_wish *wish, struct notes *notes);

/* Opens the map at `path` as a companion image of `im`: its sections without bytes, and DWARF made
 * from the map. False, with *err, if it is damaged. */
bool source_map_open(const struct image *im, const char *path, struct input *in,
		     struct notes *notes, struct heft_err *err);

/* ---- debug map of a Mach-O program ----------------------------------------------------------- */

/* Collects the debug info that stayed in a program's objects. The debug map in the symbol table
 * names the objects and says where each symbol went. The DWARF of all objects becomes one
 * (debug/write/moved_unit.h), like that of a dSYM.
 *
 * An object is searched for where the linker saw it, after the options' path maps. Further places
 * are the sysroot, the debug directories (by whole path and by name alone), and the folder of the
 * program. An object with another time than the linker saw is not used. Missing or unusable objects
 * become notes. False if the image has no debug map, or if none of its objects has DWARF. *ret owns
 * everything that was made. */
bool debug_map_open(const struct image *im, const struct program_wish *wish, struct input *ret,
		    struct notes *notes);

/* ---- symbols of a stripped Linux kernel ------------------------------------------------------ */

/* True if the image is a kernel with a table of symbols. O(its bytes). */
bool kernel_has_symbols(const struct image *im);
/* Makes the symbols from the table that the kernel carries for its own messages
 * (runtime/kallsyms.h). The kernel is an ELF file, or for AArch64 the bootable file. The
 * latter has only two sections, so its bytes after the code and without a name are called "(data
 * without symbols)". Borrows from `im`. */
bool kernel_symbols_open(const struct image *im, struct input *ret, struct notes *notes);

/* ---- tables of Go's runtime (runtime/pclntab.h) ---------------------------------------------- */

/* Parts that the image may have. */
enum { GO_SYMBOLS = 1, GO_LINES = 2 };

/* Makes the symbols of a stripped Go program. With GO_SYMBOLS there is a symbol per table of the
 * whole program and per function; the package name is the file before the functions. With GO_LINES
 * there is the DWARF of go_dwarf_make(). Borrows from `im`, its table and *ret_owned (or NULL),
 * which the caller frees after the image. */
void go_symbols_open(const struct image *im, const struct go_table *table, unsigned what,
		     struct input *ret, void **ret_owned, struct notes *notes);

enum { GO_DWARF_ABBREV, GO_DWARF_INFO, GO_DWARF_LINE, GO_DWARF_STR, GO_DWARF_SECTIONS };

struct go_dwarf {
	struct text sections[GO_DWARF_SECTIONS];
};

extern const char *const go_dwarf_names[GO_DWARF_SECTIONS];

/* Writes what the tables say about packages, lines and inlined calls as DWARF 5. So all readers of
 * DWARF use it. False if the sections would be too large for DWARF's 32-bit form; then nothing
 * needs to be released.
 *
 * A unit stands for each run of functions of one package and has the package's name. It has a
 * subprogram per function and one line program. A subprogram has an inlined subroutine per piece of
 * inlined code, below the calls around it. Names are offsets in the table itself, a copy of which
 * is .debug_str. Lists of calls have two forms, Go 1.12 to 1.19 and from 1.20 on; found by
 * experiment. Damaged parts are left out.
 *
 * Memory: about three times the bytes of the table. Time: O(bytes of the table). */
bool go_dwarf_make(struct go_dwarf *d, const struct image *im, const struct go_table *table);
void go_dwarf_release(struct go_dwarf *d);

/* ---- making a companion ---------------------------------------------------------------------- */

/* Begins *ret with the sections of `im`, at their indexes and without bytes. It borrows from `im`,
 * and has the bytes of `im` until sections are added. `path` is borrowed. */
void made_image_begin(struct image_build *b, struct image *ret, const struct image *im,
		      const char *path, struct notes *notes);
/* Adds a section with bytes. The bytes of all added sections are in *bytes, which must live as long
 * as the image. */
void made_image_add(struct image_build *b, struct text *bytes, struct str name,
		    const struct text *contents);
/* Likewise adds the sections of DWARF. */
void made_image_add_dwarf(struct image_build *b, struct text *bytes, const struct dwarf_made *d);

#endif
