/* program.h - a program opened with all that belongs to it.
 *
 * The file itself and what the user named for it are opened at once; everything else is looked for
 * and read when it is first asked for, and stays until the program is closed: its separate debug
 * file, its linker map, its DWARF, its symbol table, what names its addresses.  What cannot be used
 * is a note. One thread at a time. */
#ifndef HEFT_PROGRAM_PROGRAM_H
#define HEFT_PROGRAM_PROGRAM_H

#include "image/linkmap/linkmap.h"
#include "program/companion.h"
#include "program/dwarf_slot.h"
#include "program/name_index.h"
#include "program/symbol_table.h"
#include "program/symbolize.h"

struct program {
	const char *path;   /* borrowed */
	struct input input; /* the file; an archive has several images or none */
	/* private */
	const struct program_wish *wish;
	struct notes *notes;
	bool *given; /* by index of wish->debug_files: it is of this program */
	struct companion debug;
	struct companion lines; /* its like with DWARF, where `debug` was asked for without */
	struct go_slot go;
	struct linkmap map;
	struct memory_regions regions;
	struct dwarf_slot dwarf;
	struct symbol_table symbols;
	struct name_index *names;              /* by image; NULL: no name was asked for */
	struct symbolizer symbolizer, besides; /* besides: of its own DWARF beside a PDB */
	bool open, map_open, map_tried, debug_tried, dwarf_tried, symbols_read, symbolizer_tried,
		regions_read;
};

/* Opens the file and what the wish names for it.  `wish` and `notes` are
 * borrowed until program_close, which may be called on a zeroed struct and after a failure. */
bool program_open(struct program *p, const char *path, enum file_use use,
		  const struct program_wish *wish, struct notes *notes, struct heft_err *err);
/* The same of a file that is open, which belongs to the program from then on, also on failure. */
bool program_adopt(struct program *p, struct file *f, enum file_use use,
		   const struct program_wish *wish, struct notes *notes, struct heft_err *err);
/* The same of bytes in memory (borrowed); no linker map is looked for beside `path`. */
bool program_parse(struct program *p, const char *path, struct bytes bytes,
		   const struct program_wish *wish, struct notes *notes, struct heft_err *err);
/* program_open for a handle with one program: HEFT_EARG where a debug file of the wish is not of
 * it, or the wish names a program of a dump. */
bool program_open_alone(struct program *p, const char *path, enum file_use use,
			const struct program_wish *wish, struct notes *notes, struct heft_err *err);
/* That of an open program. */
bool program_check_alone(const struct program *p, struct heft_err *err);
void program_close(struct program *p);

/* Sets used[i] where debug file i of the wish is used for this program. */
void program_mark_used(const struct program *p, bool *used);
/* HEFT_EARG where a debug file of the wish was not marked for any program. */
bool program_check_used(const struct program_wish *wish, const bool *used, struct heft_err *err);

/* The one image; NULL in an archive. */
static inline const struct image *program_image(const struct program *p)
{
	return p->input.archive ? NULL : &p->input.images[0];
}

/* Its separate debug file, or the symbols (with `dwarf`, DWARF) that it holds in another form;
 * NULL: none.  Looked for where the image lacks a symbol table, or DWARF, if `dwarf` is wanted. */
const struct input *program_debug(struct program *p, bool dwarf);
/* The path of its separate debug file, "" where there is none: nothing else is made ready. */
const char *program_debug_file(struct program *p);
/* The image of the one that program_debug gives. */
const struct image *program_debug_image(struct program *p, bool dwarf);
/* The image of the one in use so far, and its path ("": none, or it is packed in the program). */
static inline const struct image *program_debug_in_use(const struct program *p)
{
	return companion_image(&p->debug);
}
static inline const char *program_debug_path(const struct program *p)
{
	return companion_path(&p->debug);
}
/* Its linker map: of the maps of the wish the one that agrees with most of its sections, else one
 * that lies beside it.  NULL: none.  A map that agrees with some sections only is a note. */
const struct linkmap *program_map(struct program *p);
/* The memory regions of its machine: those of the wish, else of its linker map, else runs of what
 * is loaded close together.  None of an archive and of an object. */
const struct memory_regions *program_regions(struct program *p);
/* What an image or its debug file has of DWARF, and of dwz's and split files behind it; NULL:
 * none. */
struct debuginfo *program_dwarf(struct program *p);
struct symbol_table *program_symbols(struct program *p);
/* The symbols of image i of the input by their names. */
struct name_index *program_names(struct program *p, size_t i);
/* NULL where there is no DWARF. */
struct symbolizer *program_symbolizer(struct program *p);

#endif
