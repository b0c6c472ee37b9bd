/* snapshot.h - the flat list of symbols of a program, or of several: what a `.size` file holds.
 *
 * Model and words are those of Chromium's SuperSize, so that its console and viewer open what heft writes and the
 * other way round: containers, sections, symbols with padding, three forms of the name, object and source
 * path, component, flags; aliases (several symbols for the same bytes); overhead and star symbols.
 *
 * Invariants after snapshot_finish: symbols stand in the order of the file format (by container, section rank,
 * address); members of an alias list are adjacent, with equal address, size and padding, in one section; in a section
 * no two sized symbols overlap otherwise.  The sum of PSS of a section is the sum of size + padding over its distinct
 * bytes.  Numbers are bytes.
 *
 * Built by one thread, then read only: several may. */
#ifndef HEFT_SNAPSHOT_SNAPSHOT_H
#define HEFT_SNAPSHOT_SNAPSHOT_H

#include "base/err.h"
#include "base/intern.h"
#include "base/reader.h"

enum snap_flag {
	SNAP_ANONYMOUS = 1, /* an anonymous namespace was taken out of the name */
	SNAP_STARTUP = 2,
	SNAP_UNLIKELY = 4,
	SNAP_REL = 8,
	SNAP_REL_LOCAL = 16,
	SNAP_GENERATED = 32, /* its source is generated */
	SNAP_CLONE = 64,     /* a clone suffix was taken off the name */
	SNAP_HOT = 128,
	SNAP_COVERED = 256,
	SNAP_UNCOMPRESSED = 512,
	SNAP_FEATURE = 1024,
};

enum snap_status { SNAP_UNCHANGED, SNAP_CHANGED, SNAP_ADDED, SNAP_REMOVED };

/* A value of metadata: text, number, list of texts; or JSON that heft does not know, kept as it is. */
struct snap_value {
	const char *key;
	enum { SNAP_TEXT, SNAP_NUMBER, SNAP_LIST, SNAP_JSON } kind;
	const char *text;        /* SNAP_TEXT: the text; SNAP_JSON: its JSON */
	int64_t number;          /* SNAP_NUMBER */
	const char *const *list; /* SNAP_LIST, ends with NULL */
};

struct snap_metric {
	const char *file, *name; /* "libfoo.so", "COUNT/Relocations" */
	const char *value;       /* a number, as JSON has it */
};

struct snap_section_size {
	const char *name;
	uint64_t size;
};

struct snap_container {
	const char *name; /* "" where there is one only */
	VEC(struct snap_value) metadata;
	VEC(struct snap_metric) metrics;
	VEC(struct snap_section_size) section_sizes; /* also those whose bytes are in .other */
	/* Addresses in front of which nothing is padding: where sections of the program begin of which
	 * several became one here.  Sorted by snapshot_finish. */
	VEC(uint64_t) starts;
};

/* The symbols of a container that lie in one section. */
struct snap_section {
	uint32_t container;
	const char *name; /* one of the file format's: ".text", ".other" */
	char letter;
	uint64_t first, count; /* in symbols; set by snapshot_finish */
};

/* Texts are ids in snapshot.texts; id 0 is "". */
struct snap_symbol {
	uint64_t addr;   /* 0: none */
	uint64_t size;   /* without padding */
	int64_t padding; /* in front of addr (overhead symbols: all they have, size is 0); < 0 only in
	                   * files of others, and in diffs */
	uint32_t name, template_name, full_name;
	uint32_t object, source, component;
	uint32_t section; /* index into sections */
	uint32_t alias_count,
		alias_place;  /* members of its list, 1: none other; its place there, from 0 */
	uint32_t disassembly; /* 0: none */
	uint16_t flags;       /* enum snap_flag */
};

struct snapshot {
	struct intern texts;
	VEC(struct snap_value) build_config;
	VEC(struct snap_container) containers;
	VEC(struct snap_value) extra; /* of files of others: what heft does not know */
	VEC(struct snap_section) sections;
	VEC(struct snap_symbol) symbols;
	bool own;            /* made here, not read: no file has to be written again as it was */
	bool sparse;         /* a half of a difference: not all symbols of the program are here */
	bool stored_padding; /* padding is not always the gap to the symbol before; files state it */
	bool has_components;
	struct arena arena; /* texts of containers and metadata */
};

void snapshot_init(struct snapshot *s);
void snapshot_release(struct snapshot *s);

static inline struct str snapshot_text(const struct snapshot *s, uint32_t id)
{
	return intern_get(&s->texts, id);
}

/* Index of the section of a container, added where it is not there yet. */
uint32_t snapshot_section(struct snapshot *s, uint32_t container, const char *name);
/* The file format's letter of a section name: 't' .text ...; 'o' for names it does not know. */
char snapshot_letter(const char *section);
/* Whether the file format has symbols in a section of that name. */
bool snapshot_is_known(const char *section);
/* Sections without bytes in a file: .bss and its like. */
bool snapshot_is_bss(const char *section);
/* Sections of programs: their symbols have addresses. */
bool snapshot_is_native(const char *section);
/* Sorts, joins equal addresses to alias lists (and what has no address by the number in alias_place, if that is not 0:
 * such symbols have one name, section and size, and no other symbols that number), clips overlaps, computes padding (unless it is stored): afterwards the
 * invariants hold.  Names must have been split before (name, template_name). */
void snapshot_finish(struct snapshot *s);
/* Texts get the escapes that files need, so that a program and its file compare equal.  By snapshot_finish. */
void snapshot_escape(struct snapshot *s);
/* Makes the symbols of each section stand side by side, in the order in which sections first appear, and sets
 * first and count: all there is to do for symbols that come from a file. */
void snapshot_place_sections(struct snapshot *s);

/* Makes template_name and name (and normal forms of full_name) of symbols that come from a file; `exact`: as
 * SuperSize does on loading. */
void snapshot_split_names(struct snapshot *s, bool exact);

/* The same of one symbol of .dex or .dex.method. */
void snapshot_split_dex(struct snapshot *s, struct snap_symbol *y);

/* size + padding shared by the members of the alias list. */
static inline double snap_pss(const struct snap_symbol *y)
{
	return ((double)y->size + (double)y->padding) / y->alias_count;
}

/* By the text of its full name. */
bool snap_is_literal(struct str full_name);  /* "..." or string literal */
bool snap_is_overhead(struct str full_name); /* Overhead: x */
bool snap_is_star(struct str full_name);     /* ** x */

#endif
