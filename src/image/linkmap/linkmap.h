/* linkmap.h - what a linker says about its own output: the map file.
 *
 * GNU ld, gold, lld (both layouts), mold, Apple ld64 (and lld's Mach-O maps of the same form), MSVC
 * link (and lld-link) become one neutral model: output sections, the pieces of input in each, the
 * symbols in each piece.  Nothing is guessed here but what the fields below say; names are those
 * the linker printed, demangled or not.
 *
 * Invariants, whatever the file says: the pieces of a section follow each other in `pieces`, by
 * address, and two pieces with a size never overlap; a piece with a size lies inside its section;
 * no addr + size wraps; symbols stand by piece, in the order of the map, those of no piece last;
 * every index is in range or LINKMAP_NONE; every text lies inside `bytes`.
 *
 * Lines that are not understood are notes.  A file that is no map is an error naming path and line.
 *
 * Cost: one pass, about 100-200 ns a line; 48 bytes a piece, 32 a symbol.  Texts stay in the
 * file, which is mapped, not read.  A map never changes after parsing; several threads may read it.
 *
 * Formats have no specification; the public descriptions are the manuals of the linkers: GNU ld
 * (-Map), gold and lld (-Map), mold(1) (--Map), ld(1) of Apple (-map), "/MAP (Generate mapfile)" of
 * the MSVC reference. */
#ifndef HEFT_IMAGE_LINKMAP_LINKMAP_H
#define HEFT_IMAGE_LINKMAP_LINKMAP_H

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
	/* a section of an object; GNU ld books its own (.plt, .got) on the first one */
	LINKMAP_OBJECT,
	LINKMAP_COMMON,   /* common symbols; gold does not say whose */
	LINKMAP_MERGED,   /* strings or constants of which equal ones became one */
	LINKMAP_INTERNAL, /* made by the linker or by its script */
	LINKMAP_FILL,     /* padding the map states; most linkers leave gaps instead */
};

/* A run of `bytes`. */
struct linkmap_text {
	uint64_t off;
	uint32_t len;
};

/* A line of the memory table that GNU ld has for a script with MEMORY. */
struct linkmap_region {
	struct linkmap_text name;
	uint64_t origin, length;
	bool written; /* its attributes say so */
};

struct linkmap_section {
	uint64_t addr, size; /* MSVC states no address: 0 for a section without symbols */
	uint64_t load_addr;  /* where its bytes are stored; addr where the map says no other */
	struct linkmap_text name;
	struct linkmap_text segment;       /* ld64; empty elsewhere */
	uint32_t first_piece, piece_count; /* in pieces */
	uint8_t align_log2;                /* or LINKMAP_NO_ALIGN */
	bool tls;                          /* .tdata, .tbss: by name */
	/* headers of the file, which no section table names: mold's EHDR, PHDR and SHDR, gold's
	 * "file header" */
	bool header;
};

struct linkmap_piece {
	uint64_t addr;
	/* Bytes of the section.  GNU ld states what a merged piece had before others took its
	 * place; that is cut at the next piece.  MSVC states no sizes: what is left up to the next
	 * piece or group. */
	uint64_t size;
	uint64_t input_size; /* as stated, before merging and relaxing; 0 where none is stated */
	/* the input section: ".text.f", "COMMON"; what the linker calls its own */
	uint64_t name_off;
	uint32_t name_len;
	uint32_t object;    /* in objects; LINKMAP_NONE where the map names none or "<internal>" */
	uint32_t section;   /* in sections; LINKMAP_NONE in `discarded` */
	uint8_t kind;       /* enum linkmap_kind */
	uint8_t align_log2; /* or LINKMAP_NO_ALIGN */
};

struct linkmap_symbol {
	uint64_t addr; /* also of TLS symbols, which lld and gold print as offsets */
	uint64_t size; /* 0 where none is stated: GNU ld, gold, mold, MSVC */
	uint64_t name_off;
	uint32_t name_len;
	uint32_t piece; /* in pieces; LINKMAP_NONE: of a linker script, absolute */
};

/* The table of common symbols of GNU ld and gold. */
struct linkmap_common {
	struct linkmap_text name;
	uint64_t size;
	uint32_t object;
};

struct linkmap {
	enum linkmap_linker linker;
	VEC(struct linkmap_region) regions; /* in the order of the map */
	VEC(struct linkmap_section) sections;
	VEC(struct linkmap_piece) pieces;
	VEC(struct linkmap_symbol) symbols;
	VEC(struct linkmap_common) commons;
	/* What did not make it into the output: by garbage collection, as another's duplicate (GNU
	 * ld, gold), dead stripped (ld64, where the name is the symbol's).  input_size only. */
	VEC(struct linkmap_piece) discarded;
	struct intern
		objects;    /* paths as printed: "x.o", "libx.a(y.o)", also LTO's temporary ones */
	struct bytes bytes; /* the text of the map */
	struct file file;   /* what linkmap_open opened */
	void *unpacked;     /* of a map that came packed; owned */
};

/* Opens a map, also one packed in a way unpack_in_place knows (gzip, zstd, xz, lz4).  On success
 * the caller releases it. */
/* Asserts that indexes and names lie inside.  O(pieces + symbols): at the end of the parser where
 * HEFT_CHECKS. */
void linkmap_verify(const struct linkmap *lm);
bool linkmap_open(struct linkmap *lm, const char *path, struct notes *notes, struct heft_err *err);

/* The same from bytes, which are borrowed until linkmap_release. */
bool linkmap_parse(struct linkmap *lm, const char *path, struct bytes bytes, struct notes *notes,
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

/* The section that has this name, place and size; LINKMAP_NONE: none. */
uint32_t linkmap_find_section(const struct linkmap *lm, struct str name, uint64_t addr,
			      uint64_t size);

/* "" where there is none. */
static inline struct str linkmap_object(const struct linkmap *lm, uint32_t object)
{
	return object == LINKMAP_NONE ? STR("") : intern_get(&lm->objects, object);
}

#endif
