/* snapshot.h - the flat list of symbols of a program, or of several: what a `.size` file holds.
 *
 * Model and words are those of Chromium's SuperSize, so that its console and viewer open what heft
 * writes, and heft what SuperSize writes: containers, sections, symbols with padding, three forms
 * of the name, object and source path, component, flags; aliases (several symbols for the same
 * bytes); overhead and star symbols.
 *
 * Every section of a program is a section here, by its own name.  The format has symbols in few
 * sections; those of all others stand in its segments .other and, where the file holds nothing of
 * them, .bss, and a member of heft's own in the JSON tells them apart (docs/size-format.md).
 *
 * Invariants after snapshot_finish: symbols stand in the order of the file format (by container,
 * section rank, address); members of an alias list are adjacent, with equal address, size and
 * padding, in one section; in a section no two sized symbols overlap otherwise.  The sum of PSS of
 * a section is the sum of size + padding over its distinct bytes.  The sum over the sections that
 * are in the file is the size of the file, the sum over those in memory the size of the VM image.
 * Numbers are bytes.
 *
 * Built by one thread, then read only: several may. */
#ifndef HEFT_SNAPSHOT_SNAPSHOT_H
#define HEFT_SNAPSHOT_SNAPSHOT_H

#include "base/err.h"
#include "base/intern.h"
#include "base/reader.h"
#include "code/alike.h"
#include "names/supersize.h"

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

/* What the name of an input section says of the symbols in it: ".text.hot.f". */
uint16_t snap_piece_flags(struct str name);
/* What a demangled name says of its symbol: cold, startup, clone, anonymous namespace. */
uint16_t snap_name_flags(struct supersize_name *work, struct str name);
/* Adds the words for flags that people are told: "cold, clone". */
void snap_flag_words(struct text *to, unsigned flags);

enum snap_status { SNAP_UNCHANGED, SNAP_CHANGED, SNAP_ADDED, SNAP_REMOVED };

/* A value of metadata: text, number, list of texts; or JSON that heft does not know, kept as it
 * is. */
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
	/* As a file of others states them, also of sections whose bytes are in .other; of what heft
	 * made, the sections have their sizes themselves. */
	VEC(struct snap_section_size) section_sizes;
};

/* The name of the section of a program that has what is loaded and stands in no section. */
#define SNAP_UNSECTIONED "[no section]"

/* The symbols of a container that lie in one section.  Two sections of one name are two where their
 * flags differ. */
struct snap_section {
	uint32_t container;
	bool native;    /* of a program: its symbols have addresses */
	bool in_file;   /* its bytes are in the file */
	bool in_memory; /* ... in the VM image */
	bool code;
	const char *name; /* ".text", ".eh_frame", ".other" */
	uint64_t size;    /* as the program states it; 0: not known */
	char letter;      /* the file format's: 't' .text ...; 'o' and 'b' for names of one's own */
	uint8_t rank;     /* of its segment in the sorted list */
	uint64_t first, count; /* in symbols; set by snapshot_finish */
};

/* Texts are ids in snapshot.texts; id 0 is "". */
struct snap_symbol {
	uint64_t addr; /* 0: none */
	uint64_t size; /* without padding */
	/* in front of addr (overhead symbols: all they have, size is 0); < 0 only in files of
	 * others, and in diffs */
	int64_t padding;
	uint32_t name, template_name, full_name;
	uint32_t object, source, component;
	uint32_t section; /* index into sections */
	uint32_t alias_count,
		alias_place;  /* members of its list, 1: none other; its place there, from 0 */
	uint32_t disassembly; /* 0: none */
	struct code_print contents; /* contents.h; all 0: not known, not asked for, or of a file */
	uint16_t flags;             /* enum snap_flag */
	uint16_t stack_besides;     /* enum stack_told: why `stack` may be more */
	/* Bytes of stack that the function takes at most with all that it calls, + 1; 0: not
	 * known. */
	uint32_t stack;
};

struct clues;

/* What the file and the VM image hold because of a symbol: its code or data, its padding, and what
 * stands elsewhere for it (unwind entries, relocations, names, constants).  The labels are those of
 * the roll-up by symbol, compile unit and object; what has no symbol or unit goes by a fallback
 * label, "[section .dynamic]". */
struct snap_charge {
	uint64_t file, vm; /* bytes */
	/* As a roll-up by symbols shows it: short; or, before snapshot_split_names, that the symbol
	 * has it as its plain name. */
	uint32_t name;
#define SNAP_PLAIN_NAME UINT32_MAX
	uint32_t space;          /* namespace or module; 0: not known */
	uint32_t source, object; /* object 0: the same text as source */
	uint32_t component;      /* 0: none */
	uint32_t container;
	uint32_t symbol; /* place of the first one of the label; or: */
#define SNAP_NO_SYMBOL UINT32_MAX
	bool debug; /* in sections of debug info */
};

struct snapshot {
	struct intern texts;
	VEC(struct snap_value) build_config;
	VEC(struct snap_container) containers;
	VEC(struct snap_value) extra; /* of files of others: what heft does not know */
	VEC(struct snap_section) sections;
	struct intern section_keys; /* by index in sections */
	VEC(struct snap_symbol) symbols;
	/* They add up to the file and to the VM image.  None: a file of SuperSize. */
	VEC(struct snap_charge) charges;
	bool own;          /* made here, not read: no file has to be written again as it was */
	bool has_contents; /* of all symbols, not only of those whose names heft made */
	bool has_stacks;   /* functions have stacks, as far as they are known */
	/* made here or read from what heft wrote: sections say what of them is in memory, and full
	 * names are final */
	bool by_heft;
	bool exact_names; /* by heft: the other names are cut as SuperSize does */
	bool sparse;      /* a half of a difference: not all symbols of the program are here */
	/* padding is not always the gap to the symbol before; files state it */
	bool stored_padding;
	bool has_components;
	VEC(struct clues *) clues; /* clues.h: by container, NULL: none; perhaps fewer */
	struct arena arena;        /* texts of containers and metadata */
};

void snapshot_init(struct snapshot *s);
void snapshot_release(struct snapshot *s);

static inline struct str snapshot_text(const struct snapshot *s, uint32_t id)
{
	return intern_get(&s->texts, id);
}

/* Index of the section of a container that the file format knows under a name (or a file of others
 * has), added where it is not there yet.  O(1). */
uint32_t snapshot_section(struct snapshot *s, uint32_t container, const char *name);
/* The same where it may be missing: SNAP_NO_SECTION then. */
#define SNAP_NO_SECTION UINT32_MAX
uint32_t snapshot_find_section(const struct snapshot *s, uint32_t container, const char *name);
/* Index of the section with the container, name and flags of `like`, added where it is missing;
 * letter and rank follow from them. */
uint32_t snapshot_section_like(struct snapshot *s, const struct snap_section *like);
/* The segment of the file format that holds a section's symbols: its name, ".other" or ".bss". */
const char *snap_segment(const struct snap_section *sec);
/* The name of the format that a section goes by: ".text" for ".text.hot" and ".init.text"; NULL: it
 * has none. */
const char *snap_folded(struct str name);
/* Whether the format gives the symbols of a segment addresses and padding. */
bool snap_segment_is_native(const char *segment);
/* Whether the format has a native section of that name, with bytes in the file or without. */
bool snap_is_native_name(const char *name, bool in_file);

/* How a symbol stands behind the one before it in its segment, as readers of the format see it. */
enum snap_gap {
	SNAP_GAP,    /* *ret_padding is the room between them */
	SNAP_TWICE,  /* both are at one address, and no aliases */
	SNAP_INSIDE, /* it ends inside the one before it */
};
/* `before` is NULL where there is none. */
enum snap_gap snap_gap(const struct snap_symbol *y, const struct snap_symbol *before,
		       int64_t *ret_padding);

/* Sorts and joins aliases: of native sections what has one address, section and size; of the others
 * by the number in alias_place, if that is not 0 (such symbols have one name, section and size, and
 * no other symbols that number).  Finds whether files have to state the padding.  Afterwards the
 * invariants hold, given that no two lists overlap and padding is set.  Names must have been split
 * before (name, template_name). */
void snapshot_finish(struct snapshot *s);
/* Asserts these invariants, but for overlaps.  O(symbols): by snapshot_finish where HEFT_CHECKS. */
void snapshot_verify(const struct snapshot *s);
/* Charges of a container of which there are none yet, by own bytes with padding: of what no source
 * has measured, entries of zip files.  After snapshot_finish. */
void snapshot_charge_symbols(struct snapshot *s, uint32_t container);
/* Puts charges in the order of their symbols; those without one come last. */
void snapshot_charges_sort(struct snapshot *s);
/* Symbols were moved: `to` is the new place, by the old one. */
void snapshot_charges_follow(struct snapshot *s, const uint32_t *to);

/* Texts get the escapes that files need, so that a program and its file compare equal.  By
 * snapshot_finish. */
void snapshot_escape(struct snapshot *s);
/* Makes the symbols of each segment and section stand side by side, in the order in which these
 * first appear, and sets first and count: all there is to do for symbols that come from a file. */
void snapshot_place_sections(struct snapshot *s);

/* Makes template_name and name of symbols that come from a file; where that is of others, full_name
 * gets its normal form too, as SuperSize does on loading. */
void snapshot_split_names(struct snapshot *s);

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
bool snap_is_owned(struct str full_name);    /* x [anonymous data] */
/* Made by heft from an address: "sub_1234", "sub_1234 [anonymous data]". */
bool snap_is_made_up(struct str full_name);

#endif
