/* debuginfo_internal.h - what the files of debuginfo share and others need not see. */
#ifndef HEFT_PROGRAM_DEBUGINFO_INTERNAL_H
#define HEFT_PROGRAM_DEBUGINFO_INTERNAL_H

#include "base/intern.h"
#include "base/unpack.h"
#include "debug/package.h"
#include "program/debuginfo.h"

/* What a symbol of a section stands for, by section index. */
struct debuginfo_base {
	enum { BASE_NONE, BASE_WINDOW, BASE_PART, BASE_PLAIN } kind;
	uint64_t value; /* WINDOW: its address; PART: offset in the dwarf's bytes; PLAIN: 0 */
	size_t part;    /* PART: its index */
};

/* A relocation section that patches a part. */
struct debuginfo_table {
	const struct section *section;
	size_t part;
};

struct debuginfo_symbol {
	enum { SYMBOL_UNSEEN, SYMBOL_NONE, SYMBOL_KNOWN } state;
	uint64_t value;
};

/* Objects only; all zero elsewhere. */
struct debuginfo_relocs {
	struct debuginfo_base *bases;
	VEC(struct debuginfo_table) tables;
	/* Values found so far, of the symbol table that the first table links to. */
	const struct section *symtab;
	struct debuginfo_symbol *symbols;
};

/* A unit of a .dwo file by its id. */
struct debuginfo_id {
	uint64_t id, off;
};

/* A file that the image's DWARF refers to, opened once. */
struct debuginfo_other {
	struct input in;
	struct debuginfo info; /* its sections; no files of its own behind it */
	bool indexed;
	VEC(struct debuginfo_id) ids; /* .dwo: sorted, once indexed */
	struct package_index index;   /* .dwp */
	struct package_dwarf **units; /* .dwp: by row of the index, made when first asked for */
};

struct debuginfo_files {
	const struct image *image;
	const struct debuginfo_part *parts; /* those of struct debuginfo */
	size_t first[DW_SECTIONS + 1];      /* parts of a section: [first[w], first[w + 1]) */
	void *owned[DW_SECTIONS];           /* memory of dwarf.bytes */
	struct debuginfo_relocs relocs;
	struct debuginfo_pass *passes[DW_SECTIONS]; /* under way */

	struct debuginfo_other *sup;
	const char *const
		*given; /* files given by hand, any of which may hold split units; borrowed */
	size_t given_count;
	bool packages_tried;
	VEC(struct debuginfo_other *) packages;
	VEC(struct debuginfo_other *) given_dwos;
	struct intern paths;                /* of .dwo files, by their place in dwos */
	VEC(struct debuginfo_other *) dwos; /* NULL where the file cannot be read */
	struct abbrev_cache abbrevs;
	struct arena arena;
};

/* debuginfo.c: the sections of one file.  `split` prefers .dwo sections where there are both. */
void debuginfo_open_sections(struct debuginfo *d, const struct image *im, bool split,
			     struct notes *notes);

/* debuginfo_reloc.c: windows for the sections that take VM room, and what patches which part. */
void debuginfo_relocs_open(struct debuginfo *d);
void debuginfo_relocs_close(struct debuginfo_relocs *r);
bool debuginfo_needs_relocs(const struct debuginfo_files *f, enum dw_section which);
/* Patches the bytes of a section, which are writable and hold all of its parts. */
void debuginfo_relocate(struct debuginfo_files *f, enum dw_section which, uint8_t *bytes,
			struct notes *notes);

/* debuginfo_pass.c: the pass_* of dwarf.h. */
void debuginfo_pass_begin(struct dwarf *d, enum dw_section which);
void debuginfo_pass(struct dwarf *d, enum dw_section which, uint64_t from, uint64_t to);
void debuginfo_pass_end(struct dwarf *d, enum dw_section which);

/* debuginfo_files.c: other files. */
void debuginfo_open_sup(struct debuginfo *d, const struct debug_search *how);
void debuginfo_files_close(struct debuginfo_files *f);

#endif
