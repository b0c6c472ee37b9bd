/* dwarf.h - holds the DWARF of one file: the bytes of its debug sections, unpacked and relocated.
 *
 * The code that opens a file fills it (program/debuginfo.h), because debug/ knows no container
 * formats. Offsets count in these bytes. Objects with COMDAT groups have several sections of the
 * same name, which are joined.
 *
 * Addresses are as the DWARF states them. In linked images they are VM addresses. In objects, the
 * opener relocates them (see debuginfo_addr there).
 *
 * Bytes are loaded when first requested. So only one thread at a time uses a dwarf, unless all
 * needed sections are loaded. Sources: DWARF 2, 3, 4, 5 (chapter 7), and GNU extensions, named
 * where they are read. */
#pragma once

#include "base/err.h"
#include "base/reader.h"

#define DW_SECTION_LIST(X)                                                                         \
	X(DW_INFO, ".debug_info")                                                                  \
	X(DW_TYPES, ".debug_types")                                                                \
	X(DW_ABBREV, ".debug_abbrev")                                                              \
	X(DW_LINE, ".debug_line")                                                                  \
	X(DW_STR, ".debug_str")                                                                    \
	X(DW_LINE_STR, ".debug_line_str")                                                          \
	X(DW_STR_OFFSETS, ".debug_str_offsets")                                                    \
	X(DW_ADDR, ".debug_addr")                                                                  \
	X(DW_RANGES, ".debug_ranges")                                                              \
	X(DW_RNGLISTS, ".debug_rnglists")                                                          \
	X(DW_LOC, ".debug_loc")                                                                    \
	X(DW_LOCLISTS, ".debug_loclists")                                                          \
	X(DW_ARANGES, ".debug_aranges")                                                            \
	X(DW_NAMES, ".debug_names")                                                                \
	X(DW_MACRO, ".debug_macro")                                                                \
	X(DW_MACINFO, ".debug_macinfo")                                                            \
	X(DW_FRAME, ".debug_frame")                                                                \
	X(DW_PUBNAMES, ".debug_pubnames")                                                          \
	X(DW_PUBTYPES, ".debug_pubtypes")                                                          \
	X(DW_GNU_PUBNAMES, ".debug_gnu_pubnames")                                                  \
	X(DW_GNU_PUBTYPES, ".debug_gnu_pubtypes")                                                  \
	X(DW_GDB_INDEX, ".gdb_index")                                                              \
	X(DW_CU_INDEX, ".debug_cu_index")                                                          \
	X(DW_TU_INDEX, ".debug_tu_index")                                                          \
	X(DW_APPLE_NAMES, ".debug_apple_names")                                                    \
	X(DW_APPLE_TYPES, ".debug_apple_types")                                                    \
	X(DW_APPLE_NAMESPACES, ".debug_apple_namespaces")                                          \
	X(DW_APPLE_OBJC, ".debug_apple_objc")

#define DW_SECTION_OF(section, name) section,
enum dw_section { DW_SECTION_LIST(DW_SECTION_OF) DW_SECTIONS };

#define DW_NO_OFFSET UINT64_MAX

struct dwarf {
	const char *path; /* Path of the file, for notes */
	bool big_endian;
	bool split;        /* True for a .dwo file, or one unit's part of a .dwp */
	bool zero_is_code; /* True if code may be at address 0. If false, 0 marks removed code */
	struct bytes bytes[DW_SECTIONS];
	uint64_t size[DW_SECTIONS]; /* Sizes of unpacked sections, also before they are loaded */
	bool loaded[DW_SECTIONS];
	/* Loads bytes[which]. If that fails, adds a note and leaves the bytes empty. */
	void (*load)(struct dwarf *d, enum dw_section which, struct notes *notes);
	void *load_ctx;
	/* Functions that read a section once with little memory (dwarf_pass_begin). May be NULL. */
	void (*pass_begin)(struct dwarf *d, enum dw_section which);
	void (*pass)(struct dwarf *d, enum dw_section which, uint64_t from, uint64_t to);
	void (*pass_end)(struct dwarf *d, enum dw_section which);
	bool passing[DW_SECTIONS];
	/* Functions that read parts of a section with little memory (dwarf_parts_begin). Or NULL */
	void (*parts_begin)(struct dwarf *d, enum dw_section which);
	void (*part)(struct dwarf *d, enum dw_section which, uint64_t from, uint64_t to);
	void (*parts_end)(struct dwarf *d, enum dw_section which);
	bool parting[DW_SECTIONS];
	struct dwarf *sup; /* Supplementary file of dwz, or NULL */
	struct notes *notes;
};

/* Returns a name such as ".debug_info", without the ".dwo" of split files. */
const char *dw_section_name(enum dw_section which);
/* Finds the section of a name. Accepts ".debug_" and ".zdebug_" names, with or without ".dwo" at
 * the end, and ".gdb_index". False for other names. */
bool dw_section_of(struct str name, enum dw_section *ret, bool *ret_dwo);

static inline struct bytes dwarf_bytes(struct dwarf *d, enum dw_section which)
{
	if (UNLIKELY(!d->loaded[which]) && d->load) {
		d->loaded[which] = true;
		d->load(d, which, d->notes);
	}
	return d->bytes[which];
}

/* Begins a pass. Until dwarf_pass_end(), only bytes [from, to) of the last dwarf_pass() are valid.
 * Earlier bytes may read as zeros. After the pass, the next request loads the section again. */
static inline void dwarf_pass_begin(struct dwarf *d, enum dw_section which)
{
	if (d->pass_begin)
		d->pass_begin(d, which);
}

static inline void dwarf_pass(struct dwarf *d, enum dw_section which, uint64_t from, uint64_t to)
{
	if (UNLIKELY(d->passing[which]))
		d->pass(d, which, from, to);
}

static inline void dwarf_pass_end(struct dwarf *d, enum dw_section which)
{
	if (d->passing[which])
		d->pass_end(d, which);
}

/* Begins to read parts of a large packed section. Until dwarf_parts_end(), only bytes that
 * dwarf_part() has asked for are valid. Others read as zeros. The parts stay in memory as long as
 * the dwarf. Does nothing for other sections, whose bytes are all valid. */
static inline void dwarf_parts_begin(struct dwarf *d, enum dw_section which)
{
	if (d->parts_begin)
		d->parts_begin(d, which);
}

static inline void dwarf_part(struct dwarf *d, enum dw_section which, uint64_t from, uint64_t to)
{
	if (UNLIKELY(d->parting[which]))
		d->part(d, which, from, to);
}

static inline void dwarf_parts_end(struct dwarf *d, enum dw_section which)
{
	if (d->parting[which])
		d->parts_end(d, which);
}

/* True if the file is a package (.dwp): its index gives each unit its parts of the sections. */
static inline bool dwarf_is_package(const struct dwarf *d)
{
	return d->split && d->size[DW_CU_INDEX] + d->size[DW_TU_INDEX] > 0;
}

static inline struct reader dwarf_reader(struct dwarf *d, enum dw_section which)
{
	return reader_of(dwarf_bytes(d, which), d->big_endian);
}

/* True if an address marks removed code: 0, 1, or -1 and -2 cut to the size of addresses. */
static inline bool dwarf_is_tombstone(const struct dwarf *d, uint64_t addr, uint8_t address_size)
{
	const uint64_t top = address_size >= 8 ? UINT64_MAX
					       : (UINT64_C(1) << (8 * address_size)) - 1;
	return (addr == 0 && !d->zero_is_code) || addr == 1 || addr >= top - 1;
}

/* Reads the initial length of a unit or table (7.4) and returns it: the number of bytes that
 * follow. *ret_offset_size is 4 or 8. Marks r bad for reserved values. */
uint64_t read_initial_length(struct reader *r, uint8_t *ret_offset_size);

/* Reads entry `index` of a table of numbers at `base`. Entries have `size` bytes. False if the
 * table is too short, or if base is DW_NO_OFFSET. */
static inline bool dwarf_entry(struct dwarf *d, enum dw_section in, uint64_t base, uint64_t index,
			       unsigned size, uint64_t *ret)
{
	struct reader r = dwarf_reader(d, in);
	ASSERT(size > 0 && size <= 8);
	if (base == DW_NO_OFFSET || index > r.size / size)
		return false;
	reader_seek(&r, add_sat(base, index * size));
	*ret = read_uint(&r, size);
	return reader_ok(&r);
}
