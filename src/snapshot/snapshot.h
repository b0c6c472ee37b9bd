/* snapshot.h - holds the flat list of symbols of one or more programs, as a `.size` file does.
 *
 * heft and Chromium's SuperSize share the model, so each tool opens the other's files. A snapshot
 * has containers (one per program) and sections. A symbol has a size, padding before it, and three
 * forms of the name. It also has the paths of object and source, a component, and flags. Aliases
 * are several symbols for the same bytes. Overhead symbols ("Overhead: x") and star symbols
 * ("** x") stand for bytes that no symbol of the program has.
 *
 * Each section of a program is a section of the snapshot with the same name. The file format has
 * only a fixed set of sections, here called segments. It puts symbols of other sections in the
 * segment .other, or in .bss if they take no bytes of the file. heft adds a JSON member with the
 * real sections (docs/size-format.md).
 *
 * Invariants after snapshot_finish():
 * - Symbols are in the order of the file format: by container, section rank, address.
 * - Members of an alias list are adjacent, in one section, with equal address, size and padding.
 * - Other symbols with a size do not overlap in a section.
 * - The sum of PSS of a section is the sum of size + padding over its distinct bytes.
 * - The sections in the file add up to the file size. The sections in memory add up to the VM
 *   image's size.
 *
 * Numbers are bytes. One thread builds a snapshot. Then it is read-only for any number of
 * threads. */
#pragma once

#include "base/err.h"
#include "base/intern.h"
#include "base/reader.h"
#include "code/alike.h"
#include "map/space.h"
#include "names/supersize.h"

enum snap_flag {
	SNAP_ANONYMOUS = 1, /* The name was in an anonymous namespace */
	SNAP_STARTUP = 2,
	SNAP_UNLIKELY = 4,
	SNAP_REL = 8,
	SNAP_REL_LOCAL = 16,
	SNAP_GENERATED = 32, /* The build generated the source */
	SNAP_CLONE = 64,     /* The name had the suffix of a clone */
	SNAP_HOT = 128,
	SNAP_COVERED = 256,
	SNAP_UNCOMPRESSED = 512,
	SNAP_FEATURE = 1024,
};

/* Returns the flags that the name of an input section shows, such as ".text.hot.f". */
uint16_t snap_piece_flags(struct str name);
/* Returns the flags that a demangled name shows: cold, startup, clone, anonymous namespace. */
uint16_t snap_name_flags(struct supersize_name *work, struct str name);
/* Appends the words for flags: "cold, clone". */
void snap_flag_words(struct text *to, unsigned flags);
void snap_flag_add(struct text *to, const char *word);

enum snap_status { SNAP_UNCHANGED, SNAP_CHANGED, SNAP_ADDED, SNAP_REMOVED };

/* A metadata value: text, number, list of texts, or JSON. Unknown JSON is kept as it is. */
struct snap_value {
	const char *key;
	enum { SNAP_TEXT, SNAP_NUMBER, SNAP_LIST, SNAP_JSON } kind;
	const char *text; /* SNAP_TEXT, or the text of SNAP_JSON */
	int64_t number;
	const char *const *list; /* SNAP_LIST: ends with NULL */
};

struct snap_metric {
	const char *file, *name; /* Such as "libfoo.so" and "COUNT/Relocations" */
	const char *value;       /* A number, as JSON text */
};

struct snap_section_size {
	const char *name;
	uint64_t size;
};

struct snap_container {
	const char *name; /* "" for the only container */
	VEC(struct snap_value) metadata;
	VEC(struct snap_metric) metrics;
	/* Sizes of sections in another tool's file, also of those whose symbols are in .other. In
	 * heft's snapshots, the sections themselves have sizes. */
	VEC(struct snap_section_size) section_sizes;
};

/* Name of the section for bytes that are in no section: headers, and gaps between sections. */
#define SNAP_UNSECTIONED ".other"

/* Name of the metric for bytes after the last section and segment of the file. */
#define SNAP_APPENDED "SIZE/appended"

/* A section of a container, with its symbols. Sections of one name but with other flags are
 * different */
struct snap_section {
	uint32_t container;
	bool native;    /* True for a section of a program, whose symbols have addresses */
	bool in_file;   /* True if the bytes are in the file */
	bool in_memory; /* True if the bytes are in the VM image */
	bool code;
	const char *name;      /* Such as ".text", ".eh_frame", ".other" */
	uint64_t size;         /* Size as the program states it. 0: unknown */
	const char *sums;      /* While a file is read: hex digits of the section's checksums
			        * (sums.h). NULL if it has none */
	char letter;           /* Letter of the file format, such as 't' for .text. 'o' or 'b' if
			        * the format does not know the name */
	uint8_t rank;          /* Rank of its segment among the sorted symbols */
	uint64_t first, count; /* Range of its symbols, set by snapshot_finish() */
};

/* Texts are ids in snapshot.texts. Id 0 is "" */
struct snap_symbol {
	uint64_t addr; /* 0 if it has no address */
	uint64_t size; /* Bytes without padding */
	/* Bytes before addr. An overhead symbol has padding, and size 0. Negative only in files of
	 * other tools and in diffs. */
	int64_t padding;
	uint32_t name, template_name, full_name;
	uint32_t object, source, component;
	uint32_t section;                  /* Index in snapshot.sections */
	uint32_t alias_count, alias_place; /* `alias_count`: symbols that share its bytes, at
					    * least 1. `alias_place`: its index among them */
	uint32_t disassembly;              /* Text id. 0 if none */
	struct code_print contents; /* Hash (contents.h). All 0 if it is unknown or not wanted,
				     * or if the snapshot was read from a file */
	uint16_t flags;             /* Bits of enum snap_flag */
	uint8_t stack_besides;      /* Reasons why `stack` may be too small: bits of enum
				     * stack_told */
	uint8_t sum;                /* Checksum of its bytes (sums.h). 0 if it is unknown */
	/* Bytes of stack that the function with its callees needs at most, plus 1. 0 if unknown. */
	uint32_t stack;
};

struct clues;

/* A charge: all bytes in file and VM image that exist because of a symbol. They are its code or
 * data, padding, and what it causes elsewhere: unwind entries, relocations, names, constants. Its
 * texts are labels of the data sources `symbols`, `compileunits` and `objects`. Bytes without a
 * symbol or unit have a fallback label, such as "[section .dynamic]". */
struct snap_charge {
	uint64_t file, vm; /* Bytes in the file and in the VM image */
	/* Short name, as in the roll-up. SNAP_PLAIN_NAME means the symbol's plain name, until
	 * snapshot_split_names(). */
	uint32_t name;
#define SNAP_PLAIN_NAME UINT32_MAX
	uint32_t space;          /* Namespace or module. 0 if unknown */
	uint32_t source, object; /* `object` is 0 if it equals `source` */
	uint32_t component;      /* 0 if none */
	uint32_t package;        /* By the data source `packages`. 0 if unknown */
	uint32_t container;
	uint32_t
		symbol; /* First symbol with `name`: index in snapshot.symbols, or SNAP_NO_SYMBOL */
#define SNAP_NO_SYMBOL UINT32_MAX
	bool debug; /* True for bytes in debug sections */
};

struct snapshot {
	struct intern texts;
	VEC(struct snap_value) build_config;
	VEC(struct snap_container) containers;
	VEC(struct snap_value)
	extra; /* Members of SuperSize's or another tool's JSON that heft does not know */
	VEC(struct snap_section) sections;
	struct intern section_keys; /* Id of a key: index in `sections` */
	VEC(struct snap_symbol) symbols;
	/* Charges. They add up to the file and the VM image. SuperSize's files have none. */
	VEC(struct snap_charge) charges;
	bool own;          /* True if this process made it, instead of reading a file */
	bool has_contents; /* True if all symbols have a hash of their contents, instead of only
			    * those with generated names */
	bool has_stacks;   /* True if functions have stack sizes, where known */
	/* True if heft made the snapshot, and not SuperSize: sections state whether they are in
	 * memory, and full names need no change. */
	bool by_heft;
	bool exact_names; /* With by_heft: true if short names are exactly SuperSize's */
	bool sparse;      /* True for one side of a difference, which omits unchanged symbols */
	/* True if files must state padding: some differs from the gap to the symbol before. */
	bool stored_padding;
	bool has_components;
	VEC(struct clues *)
	clues; /* Per container: its struct clues, or NULL. The list may be shorter */
	/* Per container: how sure the owners of its VM image are. Labels are indexes of sure_words.
	 * Empty if not wanted. */
	VEC(struct spans) sure;
	struct arena arena; /* Owns texts of containers and metadata */
};

void snapshot_init(struct snapshot *s);
void snapshot_release(struct snapshot *s);

static inline struct str snapshot_text(const struct snapshot *s, uint32_t id)
{
	return intern_get(&s->texts, id);
}

/* Returns the index of a container's section. Adds the section if it is new. `name` is one
 * that the file format defines, or comes from another tool's file. O(1). */
uint32_t snapshot_section(struct snapshot *s, uint32_t container, const char *name);
/* Result of snapshot_find_section() if there is no such section. */
#define SNAP_NO_SECTION UINT32_MAX
uint32_t snapshot_find_section(const struct snapshot *s, uint32_t container, const char *name);
/* Returns the index of the section with the container, name and flags of `like`. Adds it if it is
 * new. Its letter and rank follow from the name. */
uint32_t snapshot_section_like(struct snapshot *s, const struct snap_section *like);
/* Returns the segment of the file format for a section's symbols: its name, ".other" or ".bss". */
const char *snap_segment(const struct snap_section *sec);
/* Returns the format's name for a section, such as ".text" for ".text.hot". NULL without one. */
const char *snap_folded(struct str name);
/* True if the format gives the symbols of a segment addresses and padding. */
bool snap_segment_is_native(const char *segment);
/* True if the format has a segment with addresses and this name. `in_file`: whether the section has
 * bytes in the file. */
bool snap_is_native_name(const char *name, bool in_file);

/* Where a symbol is relative to the one before it in its segment, as readers compute it */
enum snap_gap {
	SNAP_GAP,    /* *ret_padding is the gap between the symbols */
	SNAP_TWICE,  /* Both symbols have one address, but are not aliases */
	SNAP_INSIDE, /* The symbol ends inside the previous symbol */
};
/* Tells where `y` is relative to `before`, the symbol before it. `before` is NULL if `y` is the
 * first. */
enum snap_gap snap_gap(const struct snap_symbol *y, const struct snap_symbol *before,
		       int64_t *ret_padding);

/* Sorts the symbols and joins aliases. In sections with addresses, symbols with equal address and
 * size are aliases. In other sections, symbols with the same nonzero alias_place are aliases.
 * Aliases must have equal name, section and size. Decides whether files must state padding. Names
 * must be split before (name, template_name). Afterwards the invariants hold, if padding is set and
 * no alias lists overlap. */
void snapshot_finish(struct snapshot *s);
/* Makes charges for a container that no data source measured, such as entries of zip files. A
 * symbol is charged for its own bytes and padding. Call it after snapshot_finish(). */
void snapshot_charge_symbols(struct snapshot *s, uint32_t container);
/* Sorts charges as their symbols are. Charges without a symbol come last. */
void snapshot_charges_sort(struct snapshot *s);
/* Updates the charges after symbols moved. `to[i]` is the new index of symbol i. */
void snapshot_charges_follow(struct snapshot *s, const uint32_t *to);

/* Escapes characters that snapshot files cannot contain. This makes the snapshot of a program
 * equal to the one that is read back from its file. snapshot_finish() calls it. */
void snapshot_escape(struct snapshot *s);
/* Makes the symbols of each segment and section adjacent, in order of first appearance. Sets their
 * ranges. Files have another order. */
void snapshot_place_sections(struct snapshot *s);

/* Sets name and template_name of symbols that were read from a file, by their full_name. In files
 * of other tools, also changes full_name to the form that SuperSize uses. */
void snapshot_split_names(struct snapshot *s);

/* Splits the names of one symbol of .dex or .dex.method. */
void snapshot_split_dex(struct snapshot *s, struct snap_symbol *y);
/* Returns the part of a name after its last blank, or the whole name without a blank. */
struct str snap_last_word(struct str s);

/* Returns the PSS (proportional size): size + padding, divided by the number of aliases. */
static inline double snap_pss(const struct snap_symbol *y)
{
	return ((double)y->size + (double)y->padding) / y->alias_count;
}

/* Tell a symbol's kind by its full name. */
bool snap_is_literal(struct str full_name);  /* A quoted text, or "string literal" */
bool snap_is_overhead(struct str full_name); /* "Overhead: x" */
bool snap_is_star(struct str full_name);     /* "** x" */
bool snap_is_owned(struct str full_name);    /* "x [anonymous data]" */
/* True if heft generated the name from an address: "sub_1234", "sub_1234 [anonymous data]". */
bool snap_is_made_up(struct str full_name);
/* Returns the size of the packed file's name and of the slash after it, if all containers lie in
 * that file. Otherwise 0. O(containers). */
size_t snap_packed_prefix(const struct snapshot *s);
/* Returns the name of a container without that of the packed file, because the file may have
 * another name in another version. "" for the file itself. `prefix`: from snap_packed_prefix(). */
struct str snap_container_key(const struct snapshot *s, uint32_t container, size_t prefix);
