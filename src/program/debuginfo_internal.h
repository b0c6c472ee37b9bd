/* debuginfo_internal.h - declares what debuginfo*.c share. Private to them. */
#pragma once

#include "base/intern.h"
#include "base/unpack.h"
#include "debug/package.h"
#include "program/debuginfo.h"

/* What a symbol of a section stands for in relocations of debug info */
struct debuginfo_base {
	enum { BASE_NONE, BASE_WINDOW, BASE_PART, BASE_PLAIN } kind;
	uint64_t value; /* WINDOW: start of the section's window. PART: offset in the joined
			 * bytes. PLAIN: 0 */
	size_t part;    /* PART: index in debuginfo.parts */
};

/* A relocation section, and the part of the DWARF that it patches */
struct debuginfo_table {
	const struct section *section;
	size_t part;
};

struct debuginfo_symbol {
	enum { SYMBOL_UNSEEN, SYMBOL_NONE, SYMBOL_KNOWN } state;
	uint64_t value;
};

/* Relocations of an object. All zero for a linked image. */
struct debuginfo_relocs {
	struct debuginfo_base *bases;
	VEC(struct debuginfo_table) tables;
	/* Values of the symbols in the symbol table `symtab`, as far as found. Usually all
	 * relocation sections use this symbol table. */
	const struct section *symtab;
	struct debuginfo_symbol *symbols;
};

/* A unit of a .dwo file, and its id. */
struct debuginfo_id {
	uint64_t id, off;
};

/* Another file to which the image's DWARF refers. Opened once. */
struct debuginfo_other {
	struct input in;
	struct debuginfo info; /* Its own references to other files are ignored */
	bool indexed;
	VEC(struct debuginfo_id) ids; /* For a .dwo file: units; index_units() sorts them */
	struct package_index index;   /* For a package (.dwp) */
	struct package_dwarf **units; /* For a package (.dwp): DWARF per row of the index. NULL
				       * until used */
};

struct debuginfo_files {
	const struct image *image;
	const struct debuginfo_part *parts;
	size_t first[DW_SECTIONS + 1]; /* Parts of section w are [first[w], first[w + 1]) */
	void *owned[DW_SECTIONS];      /* Per section: memory that dwarf.bytes borrows */
	struct debuginfo_relocs relocs;
	struct debuginfo_pass *passes[DW_SECTIONS]; /* Per section: the running pass, or NULL */
	struct debuginfo_kept *kept[DW_SECTIONS];   /* Per section: parts kept unpacked, or NULL */

	struct debuginfo_other *sup;
	const char *const *given; /* Files that the user named */
	size_t given_count;
	bool packages_tried;
	VEC(struct debuginfo_other *) packages;
	VEC(struct debuginfo_other *) given_dwos;
	struct intern paths;                /* Paths of .dwo files. Id: index in `dwos` */
	VEC(struct debuginfo_other *) dwos; /* Each NULL if it cannot be read */
	struct abbrev_cache abbrevs;
	struct arena arena;
};

/* debuginfo.c: opens the sections of a file. `split`: prefers .dwo sections. */
void debuginfo_open_sections(struct debuginfo *d, const struct image *im, bool split,
			     struct notes *notes);

/* debuginfo_reloc.c: lists which relocations patch which part of the debug info, and gives each
 * section in the VM image its window (debuginfo.h). */
void debuginfo_relocs_open(struct debuginfo *d);
void debuginfo_relocs_close(struct debuginfo_relocs *r);
bool debuginfo_needs_relocs(const struct debuginfo_files *f, enum dw_section which);
/* Patches the bytes of a section, which must be a complete and writable copy. */
void debuginfo_relocate(struct debuginfo_files *f, enum dw_section which, uint8_t *bytes,
			struct notes *notes);

/* debuginfo_pass.c: implements the functions pass_* of dwarf.h. */
void debuginfo_pass_begin(struct dwarf *d, enum dw_section which);
void debuginfo_pass(struct dwarf *d, enum dw_section which, uint64_t from, uint64_t to);
void debuginfo_pass_end(struct dwarf *d, enum dw_section which);

/* debuginfo_parts.c: implements the functions part* of dwarf.h. */
void debuginfo_parts_begin(struct dwarf *d, enum dw_section which);
void debuginfo_part(struct dwarf *d, enum dw_section which, uint64_t from, uint64_t to);
void debuginfo_parts_end(struct dwarf *d, enum dw_section which);
/* Loads the whole section, if parts of it were read. */
bool debuginfo_parts_load(struct dwarf *d, enum dw_section which);
void debuginfo_parts_close(struct debuginfo_files *f);

/* Packed sections of at least so many bytes are read in pieces. */
enum { DEBUGINFO_STREAM_MIN = 32 << 20 };

/* debuginfo_files.c: opens and closes the other files to which the DWARF refers. */
void debuginfo_open_sup(struct debuginfo *d, const struct debug_search *how);
void debuginfo_files_close(struct debuginfo_files *f);
