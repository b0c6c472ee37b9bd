/* debuginfo.h - opens the DWARF of an image, wherever it is: unpacks and relocates sections,
 * finds dwz's supplementary file and split units (.dwo, .dwp).
 *
 * What is missing or does not fit is a note that says which file was looked for and how many
 * bytes (of units in the file at hand) it concerns; the rest stands.
 *
 * Objects: the DWARF's addresses are relocated to small numbers that fit any address size
 * (every section that takes VM room gets a window of its own, from DEBUGINFO_FIRST up);
 * debuginfo_addr turns them into VM addresses as the image has them.  Offsets of thread-local
 * variables are such addresses, too; symbols that stand nowhere are 0.  Linked images have
 * final bytes, relocations kept or not, and addresses as they are.
 *
 * Not for several threads at once. */
#ifndef HEFT_PROGRAM_DEBUGINFO_H
#define HEFT_PROGRAM_DEBUGINFO_H

#include "debug/unit.h"
#include "image/debugfile.h"

#define DEBUGINFO_FIRST 0x10000
/* The same where debug info has addresses of two bytes. */
#define DEBUGINFO_FIRST_OF_16 0x100

/* A section of the image as a part of the dwarf's bytes. */
struct debuginfo_part {
	enum dw_section which;
	uint64_t off, size; /* in the dwarf's bytes, which are unpacked */
	const struct section *section;
};

struct debuginfo_window {
	uint64_t addr, size; /* as the DWARF states it */
	uint64_t vm;         /* VM address of the image */
};

struct debuginfo {
	struct dwarf dwarf;
	const struct image *image;
	VEC(struct debuginfo_part) parts;     /* by `which`, then by off */
	VEC(struct debuginfo_window) windows; /* by addr; empty in linked images */
	struct debuginfo_files *files;        /* private: other files, memory owned */
};

/* Whether the image has DWARF of its own (.debug_info, or .debug_line with any bytes). */
bool debuginfo_present(const struct image *im);

/* Whether the image holds split units (a .dwo file or a package of them). */
bool debuginfo_is_split(const struct image *im);
/* Whether the image names `sup` as dwz's supplementary file of its debug info. */
bool debuginfo_is_sup(const struct image *im, const struct image *sup);

/* `how`: where dwz's supplementary files and split units are looked for; NULL: in the system's
 * places.  The image must stay as long as the debuginfo.  Never fails: what cannot be read is a
 * note and an empty section. Bytes of sections are loaded when first asked for. */
void debuginfo_open(struct debuginfo *d, const struct image *im, const struct debug_search *how,
		    struct notes *notes);
void debuginfo_close(struct debuginfo *d);

/* The VM address behind an address of the DWARF; false where an object has none there.  The end
 * of a section is one. */
bool debuginfo_addr(const struct debuginfo *d, uint64_t addr, uint64_t *ret);

/* The same of the address of a variable. */
bool debuginfo_data_addr(const struct debuginfo *d, uint64_t addr, uint64_t *ret);

/* The split unit of a skeleton (a unit with dwo_name and signature, DWARF 5 or GNU's 4): header
 * only, for unit_open.  Looked for in the files given by hand, in IMAGE.dwp beside the image, then
 * in the .dwo file: dwo_name as it is if absolute, else comp_dir/dwo_name, then dwo_name beside the
 * image.  *ret_dwarf lives as long as d.  False, with a note, where it is nowhere. */
bool debuginfo_split(struct debuginfo *d, const struct unit *skeleton, struct unit *ret);

#endif
