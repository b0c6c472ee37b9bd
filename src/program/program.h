/* program.h - opens a program with all files that belong to it.
 *
 * The file and the files that the user named for it are opened immediately. Its separate debug
 * file, linker map, DWARF, symbol table and locator are found and read on request. These parts stay
 * until the program is closed. Unusable files become notes. One thread at a time. */
#pragma once

#include "linkmap/linkmap.h"
#include "program/companion.h"
#include "program/dwarf_slot.h"
#include "program/name_index.h"
#include "program/symbol_table.h"
#include "program/symbolize.h"

struct program {
	const char *path;
	struct input input; /* An archive has several images or none */
	/* Private. */
	const struct program_wish *wish;
	struct notes *notes;
	bool *given; /* Per file of wish->debug_files: true if it belongs to this program */
	struct companion debug;
	struct companion lines; /* A second companion with DWARF, if `debug` has none */
	struct go_slot go;
	struct linkmap map;
	struct memory_regions regions;
	struct dwarf_slot dwarf;
	struct symbol_table symbols;
	struct name_index *names;                /* Per image. NULL if no name was looked up */
	struct symbolizer *symbolizer, *besides; /* `besides`: reads the program's own DWARF if
						  * `symbolizer` reads a PDB */
	bool open, map_open, map_tried, debug_tried, dwarf_tried, symbols_read, symbolizer_tried,
		regions_read;
};

/* Opens the file and the files that the options name for it. Borrows `wish` and `notes` until
 * program_close(). program_close() may be called on a zeroed struct and after a failure. */
bool program_open(struct program *p, const char *path, enum file_use use,
		  const struct program_wish *wish, struct notes *notes, struct heft_err *err);
/* With the option in_portions: continues with the next members of an archive. False at the end. */
bool program_next_portion(struct program *p);
/* Opens a program from an open file. The program then owns the file, even after a failure. */
bool program_adopt(struct program *p, struct file *f, enum file_use use,
		   const struct program_wish *wish, struct notes *notes, struct heft_err *err);
/* Opens a program from bytes in memory (borrowed). Does not search for a linker map near `path`. */
bool program_parse(struct program *p, const char *path, struct bytes bytes,
		   const struct program_wish *wish, struct notes *notes, struct heft_err *err);
/* Like program_open(), for a handle with one program. HEFT_EARG if a debug file of the options does
 * not belong to the program, or if the options name a program for a dump. */
bool program_open_alone(struct program *p, const char *path, enum file_use use,
			const struct program_wish *wish, struct notes *notes, struct heft_err *err);
/* Makes the checks of program_open_alone() after a program was opened. */
bool program_check_alone(const struct program *p, struct heft_err *err);
void program_close(struct program *p);

/* Sets used[i] if debug file i of the options is used for this program. */
void program_mark_used(const struct program *p, bool *used);
/* Fails with HEFT_EARG if a debug file of the options belongs to no program. */
bool program_check_used(const struct program_wish *wish, const bool *used, struct heft_err *err);

/* Returns the image of the program. NULL for an archive. */
static inline const struct image *program_image(const struct program *p)
{
	return p->input.archive ? NULL : &p->input.images[0];
}

/* Returns what the program lacks: its separate debug file, or symbols (with `dwarf`: DWARF) in
 * another form inside it. NULL if there is none. Searches only if the image lacks a symbol table
 * or, with `dwarf`, DWARF. */
const struct input *program_debug(struct program *p, bool dwarf);
/* Returns the path of the separate debug file. "" without one. Reads no symbols. */
const char *program_debug_file(struct program *p);
/* Returns the image of program_debug(). NULL if there is none. */
const struct image *program_debug_image(struct program *p, bool dwarf);
/* Return the debug image if it is already open, and its path. "" if there is none, or if it is
 * inside the program. */
static inline const struct image *program_debug_in_use(const struct program *p)
{
	return companion_image(&p->debug);
}
static inline const char *program_debug_path(const struct program *p)
{
	return companion_path(&p->debug);
}
/* Returns the linker map: the map of the options that agrees with most sections, otherwise a map in
 * the program's folder. NULL without one. Adds a note if the map disagrees with some sections. */
const struct linkmap *program_map(struct program *p);
/* Returns the machine's memory regions: from the options, otherwise from the linker map, otherwise
 * guessed from segments that are close to each other. An archive or object has none. */
const struct memory_regions *program_regions(struct program *p);
struct symbol_table *program_symbols(struct program *p);
/* Returns the index of the symbols of image `i` by name. */
struct name_index *program_names(struct program *p, size_t i);
struct symbolizer *program_symbolizer(struct program *p);
