/* debuginfo.h - opens the DWARF of an image, wherever it is: unpacks and relocates sections, finds
 * dwz's supplementary file and split units (.dwo, .dwp).
 *
 * Missing or mismatched files become notes. A note names the missing file and the bytes of units
 * that need it. Other units stay usable.
 *
 * Objects: the DWARF's addresses are relocated to small numbers that fit any address size. Every
 * section in the VM image gets its own range of them (a window), from DEBUGINFO_FIRST on.
 * debuginfo_addr() converts them to VM addresses. Offsets of thread-local variables are such
 * numbers too. Symbols without an address are 0. Linked images have final bytes and addresses, and
 * their relocations are not applied.
 *
 * Not for several threads at once. */
#pragma once

#include "debug/unit.h"
#include "image/debugfile.h"

#define DEBUGINFO_FIRST 0x10000
/* Used instead of DEBUGINFO_FIRST if addresses have two bytes. */
#define DEBUGINFO_FIRST_OF_16 0x100

/* A section of the image. DWARF readers see the joined bytes of all sections of its name */
struct debuginfo_part {
	enum dw_section which;
	uint64_t off, size; /* Range in the joined bytes */
	const struct section *section;
};

struct debuginfo_window {
	uint64_t addr, size; /* Range of addresses in an object's DWARF that stands for a section */
	uint64_t vm;         /* VM address of that section */
};

struct debuginfo {
	struct dwarf dwarf;
	const struct image *image;
	VEC(struct debuginfo_part) parts;     /* Sorted by `which`, then by `off` */
	VEC(struct debuginfo_window) windows; /* Sorted by address. Empty for linked images */
	struct debuginfo_files *files;        /* Private */
};

/* True if the image has DWARF of its own: .debug_info, or a .debug_line with any bytes. */
bool debuginfo_present(const struct image *im);

/* True if the image has split units: a .dwo file or a package of them. */
bool debuginfo_is_split(const struct image *im);
/* True if the image names `sup` as the supplementary file (dwz) of its debug info. */
bool debuginfo_is_sup(const struct image *im, const struct image *sup);

/* Opens the debug info of an image. `how` says where to search for dwz's supplementary files and
 * split units. NULL: in the system's directories. The image must live as long as the debuginfo.
 * Never fails: unreadable parts become notes and empty sections. Sections are loaded when used. */
void debuginfo_open(struct debuginfo *d, const struct image *im, const struct debug_search *how,
		    struct notes *notes);
void debuginfo_close(struct debuginfo *d);

/* Converts an address of the DWARF to a VM address. The end of a section is valid too. False if the
 * address belongs to no section of an object. */
bool debuginfo_addr(const struct debuginfo *d, uint64_t addr, uint64_t *ret);

/* Like debuginfo_addr(), for a variable: in WebAssembly, data has an address space of its own. */
bool debuginfo_data_addr(const struct debuginfo *d, uint64_t addr, uint64_t *ret);

/* Finds the split unit of a skeleton (a unit with dwo_name and signature, DWARF 5 or GNU's 4). The
 * result is a header for unit_open(). Searches the given files, then IMAGE.dwp in the image's
 * folder, then the .dwo file: dwo_name if absolute, otherwise comp_dir/dwo_name, then dwo_name in
 * the image's folder. *ret_dwarf lives as long as d. False, with a note, if it is not found. */
bool debuginfo_split(struct debuginfo *d, const struct unit *skeleton, struct unit *ret);
