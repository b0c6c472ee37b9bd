/* linkmap.h - parses the map file of a linker into one model for all linkers: output sections,
 * their pieces of input, and the symbols in each piece.
 *
 * Linkers: GNU ld, gold, lld (both layouts), mold, Apple ld64 (and lld's Mach-O maps), MSVC link
 * (and lld-link). The parser derives only what the fields below say. Names are as printed,
 * demangled or not.
 *
 * Invariants, whatever the file says: the pieces of a section are consecutive in `pieces`, by
 * address. Pieces with a size never overlap and lie inside their section. No addr + size wraps.
 * Symbols are sorted by piece, in the order of the map; symbols without a piece are last. Every
 * index is in range or LINKMAP_NONE. Every text lies inside `bytes`.
 *
 * An unknown line makes a note. A file that is not a map is an error with path and line.
 *
 * Cost: one pass, about 100-200 ns per line; 48 bytes per piece, 32 per symbol. Texts stay in the
 * mapped file. A map never changes after parsing, so several threads may read it.
 *
 * The formats have no specification. Public descriptions are the linkers' manuals: GNU ld (-Map),
 * gold and lld (-Map), mold(1) (--Map), Apple ld(1) (-map), "/MAP (Generate mapfile)" of the MSVC
 * reference. */
#pragma once

#include "base/err.h"
#include "base/file.h"
#include "base/intern.h"
#include "base/reader.h"
#include "base/vec.h"

#define LINKMAP_NONE     UINT32_MAX
#define LINKMAP_NO_ALIGN 0xff

enum linkmap_linker {
	LINKMAP_GNU,
	LINKMAP_GOLD,
	LINKMAP_LLD,
	LINKMAP_MOLD,
	LINKMAP_LD64,
	LINKMAP_MSVC,
};

enum linkmap_kind {
	/* Section of an object. GNU ld lists its own (.plt, .got) under the first object. */
	LINKMAP_OBJECT,
	LINKMAP_COMMON,   /* Common symbols. gold does not state their object */
	LINKMAP_MERGED,   /* Strings or constants after equal ones were merged */
	LINKMAP_INTERNAL, /* Piece made by the linker or its script */
	LINKMAP_FILL,     /* Padding that the map states. Most linkers leave gaps instead */
};

/* A range of `bytes`. */
struct linkmap_text {
	uint64_t off;
	uint32_t len;
};

/* Greatest number of memory regions. */
enum { REGIONS_MAX = 1000 };

/* A line of GNU ld's memory table. Only linker scripts with MEMORY have one. */
struct linkmap_region {
	struct linkmap_text name;
	uint64_t origin, length;
	bool written; /* True if the attributes include write access */
};

struct linkmap_section {
	uint64_t addr, size; /* VM address and bytes. MSVC states no address: it follows from the
			      * symbols, and is 0 without symbols */
	uint64_t load_addr;  /* Address at which the bytes are stored. Equal to addr if the map
			      * has no other */
	struct linkmap_text name;
	struct linkmap_text segment;       /* Segment, in maps of ld64. Empty in others */
	uint32_t first_piece, piece_count; /* Range in `pieces`. */
	uint8_t align_log2;                /* log2 of the alignment, or LINKMAP_NO_ALIGN. */
	bool tls;                          /* TLS section, by its name: .tdata, .tbss */
	/* File headers without a section: mold's EHDR, PHDR and SHDR, gold's "file header". */
	bool header;
};

struct linkmap_piece {
	uint64_t addr;
	/* Bytes in the section. GNU ld prints a merged piece's size before merging, which is
	 * clipped at the next piece. MSVC prints no sizes: a piece ends at the next piece, or at
	 * the end of its group (linkmap_msvc.c). */
	uint64_t size;
	uint64_t input_size; /* Bytes as stated, before merging and relaxing. 0 if not stated. */
	/* Name of the input section (".text.f", "COMMON"), or the name of the linker's piece. */
	uint64_t name_off;
	uint32_t name_len;
	uint32_t object;    /* Index in objects. LINKMAP_NONE if the map names none or
			     * "<internal>". */
	uint32_t section;   /* Index in sections. LINKMAP_NONE in `discarded`. */
	uint8_t kind;       /* Value of enum linkmap_kind. */
	uint8_t align_log2; /* log2 of the alignment, or LINKMAP_NO_ALIGN. */
};

struct linkmap_symbol {
	uint64_t addr; /* VM address. Also for TLS symbols, which lld and gold print as offsets. */
	uint64_t size; /* Bytes. 0 if not stated: GNU ld, gold, mold, MSVC. */
	uint64_t name_off;
	uint32_t name_len;
	uint32_t piece; /* Index in pieces. LINKMAP_NONE for absolute symbols of a linker script. */
};

/* An entry of the table of common symbols (GNU ld, gold). */
struct linkmap_common {
	struct linkmap_text name;
	uint64_t size;
	uint32_t object;
};

struct linkmap {
	enum linkmap_linker linker;
	bool rounded; /* True if sizes of sections are rounded up: GNU ld's map of a PE program */
	VEC(struct linkmap_region) regions; /* Memory regions, in the order of the map. */
	VEC(struct linkmap_section) sections;
	VEC(struct linkmap_piece) pieces;
	VEC(struct linkmap_symbol) symbols;
	VEC(struct linkmap_common) commons;
	/* Pieces that are not in the output: removed by garbage collection or as duplicates (GNU
	 * ld, gold), or dead stripped (ld64, with the symbol's name). Only input_size is set. */
	VEC(struct linkmap_piece) discarded;
	struct intern objects; /* Object paths as printed: "libx.a(y.o)". Names of temporary
			        * objects are equal in each build (linkmap_object.c) */
	struct bytes bytes;    /* Text of the map. */
	struct file file;      /* File of linkmap_adopt(). Owned. */
};

/* True if the first bytes of a file begin a linker map. 4 KiB are enough. */
bool linkmap_begins(struct bytes head);
/* Parses a map from bytes. Borrows the bytes until linkmap_release(). Fails with HEFT_EFORMAT if
 * the bytes are not a map, or only a map's beginning. */
bool linkmap_parse(struct linkmap *lm, const char *path, struct bytes bytes, struct notes *notes,
		   struct heft_err *err);
/* Like linkmap_parse(), for an open, unpacked file. The map then owns the file, even on failure.
 * Releases pages of a mapped file after reading. */
bool linkmap_adopt(struct linkmap *lm, const struct file *f, struct notes *notes,
		   struct heft_err *err);
void linkmap_release(struct linkmap *lm);

static inline struct str linkmap_text(const struct linkmap *lm, struct linkmap_text t)
{
	return (struct str){ (const char *)lm->bytes.p + t.off, t.len };
}

static inline struct str linkmap_piece_name(const struct linkmap *lm, const struct linkmap_piece *p)
{
	return (struct str){ (const char *)lm->bytes.p + p->name_off, p->name_len };
}

static inline struct str linkmap_symbol_name(const struct linkmap *lm,
					     const struct linkmap_symbol *s)
{
	return (struct str){ (const char *)lm->bytes.p + s->name_off, s->name_len };
}

/* True if a section of a program, with this name, address and size, is the map's section. */
bool linkmap_section_is(const struct linkmap *lm, const struct linkmap_section *s, struct str name,
			uint64_t addr, uint64_t size);
/* Returns the section with this name, address and size. LINKMAP_NONE if there is none. */
uint32_t linkmap_find_section(const struct linkmap *lm, struct str name, uint64_t addr,
			      uint64_t size);

/* Returns the path of an object. "" if there is none. */
static inline struct str linkmap_object(const struct linkmap *lm, uint32_t object)
{
	return object == LINKMAP_NONE ? STR("") : intern_get(&lm->objects, object);
}
