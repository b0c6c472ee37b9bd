/* snapshot.h - holds the flat list of symbols of one or more programs, as a `.size` file does.
 *
 * Model and words are those of Chromium's SuperSize. So SuperSize's console and viewer open
 * files of heft, and heft opens files of SuperSize. The model has containers, sections, symbols
 * with padding, three forms of the name, object and source path, component, flags, aliases
 * (several symbols for the same bytes), overhead symbols and star symbols.
 *
 * A section of a program is a section of the snapshot with the same name. The format has symbols
 * in few sections. Symbols of other sections are in its segment .other, or in .bss if they take
 * no bytes of the file. A JSON member of heft's own distinguishes these sections
 * (docs/size-format.md).
 *
 * Invariants after snapshot_finish():
 * - Symbols are in the order of the file format: by container, section rank, address.
 * - Members of an alias list are adjacent, in one section, with equal address, size and padding.
 * - Other symbols with a size do not overlap in a section.
 * - The sum of PSS of a section is the sum of size + padding over its distinct bytes.
 * - The sections in the file add up to the size of the file, those in memory to the size of the
 *   VM image.
 *
 * Numbers are bytes. One thread builds a snapshot. Then it is read-only for any number of
 * threads. */
#ifndef HEFT_SNAPSHOT_SNAPSHOT_H
#define HEFT_SNAPSHOT_SNAPSHOT_H

#include "base/err.h"
#include "base/intern.h"
#include "base/reader.h"
#include "code/alike.h"
#include "map/space.h"
#include "names/supersize.h"

enum snap_flag {
	SNAP_ANONYMOUS = 1, /* An anonymous namespace was removed from the name. */
	SNAP_STARTUP = 2,
	SNAP_UNLIKELY = 4,
	SNAP_REL = 8,
	SNAP_REL_LOCAL = 16,
	SNAP_GENERATED = 32, /* The source is generated. */
	SNAP_CLONE = 64,     /* A clone suffix was removed from the name. */
	SNAP_HOT = 128,
	SNAP_COVERED = 256,
	SNAP_UNCOMPRESSED = 512,
	SNAP_FEATURE = 1024,
};

/* Returns the flags that follow from the name of a symbol's input section, such as
 * ".text.hot.f". */
uint16_t snap_piece_flags(struct str name);
/* Returns flags that follow from a demangled name: cold, startup, clone, anonymous namespace. */
uint16_t snap_name_flags(struct supersize_name *work, struct str name);
/* Appends words for the flags that users see: "cold, clone". */
void snap_flag_words(struct text *to, unsigned flags);
/* Adds a word to the list of words. */
void snap_flag_add(struct text *to, const char *word);

enum snap_status { SNAP_UNCHANGED, SNAP_CHANGED, SNAP_ADDED, SNAP_REMOVED };

/* A value of metadata: text, number, list of texts. JSON unknown to heft is kept unchanged. */
struct snap_value {
	const char *key;
	enum { SNAP_TEXT, SNAP_NUMBER, SNAP_LIST, SNAP_JSON } kind;
	const char *text;        /* For SNAP_TEXT the text, for SNAP_JSON its JSON. */
	int64_t number;          /* For SNAP_NUMBER. */
	const char *const *list; /* For SNAP_LIST; NULL ends the list. */
};

struct snap_metric {
	const char *file, *name; /* For example "libfoo.so" and "COUNT/Relocations". */
	const char *value;       /* A number, as written in JSON. */
};

struct snap_section_size {
	const char *name;
	uint64_t size;
};

struct snap_container {
	const char *name; /* "" if there is only one container. */
	VEC(struct snap_value) metadata;
	VEC(struct snap_metric) metrics;
	/* Section sizes that a file of another tool states, including sections whose bytes are in
	 * .other. In heft's own snapshots, the sections have their sizes. */
	VEC(struct snap_section_size) section_sizes;
};

/* Name of the section for loaded bytes outside of all sections. */
#define SNAP_UNSECTIONED "[no section]"

/* The symbols of a container in one section. Sections with equal names but different flags are
 * different sections. */
struct snap_section {
	uint32_t container;
	bool native;    /* Section of a program: its symbols have addresses. */
	bool in_file;   /* The bytes are in the file. */
	bool in_memory; /* The bytes are in the VM image. */
	bool code;
	const char *name; /* Such as ".text", ".eh_frame", ".other". */
	uint64_t size;    /* Bytes as the program states them. 0 if unknown. */
	char letter;      /* Letter of the file format: 't' for .text and so on. 'o' and 'b' for
			   * names that the format lacks. */
	uint8_t rank;     /* Rank of its segment in the sorted list. */
	uint64_t first, count; /* Range in symbols, set by snapshot_finish(). */
};

/* A symbol. Texts are ids in snapshot.texts; id 0 is "". */
struct snap_symbol {
	uint64_t addr; /* 0 if there is none. */
	uint64_t size; /* Bytes without padding. */
	/* Bytes before addr. An overhead symbol has only padding, and size 0. Negative only in
	 * files of other tools and in diffs. */
	int64_t padding;
	uint32_t name, template_name, full_name;
	uint32_t object, source, component;
	uint32_t section; /* Index in sections. */
	uint32_t alias_count,
		alias_place;        /* `alias_count`: members of its alias list, 1 if it is alone.
			       * `alias_place`: its index in that list, from 0. */
	uint32_t disassembly;       /* 0 if there is none. */
	struct code_print contents; /* Hash of the contents (contents.h). All 0 if unknown, not
				     * requested, or read from a file. */
	uint16_t flags;             /* Bits of enum snap_flag. */
	uint16_t stack_besides;     /* Caveats: reasons why `stack` may be too small (enum
				     * stack_told). */
	/* Bytes of stack that the function and its callees take at most, plus 1. 0 if unknown. */
	uint32_t stack;
};

struct clues;

/* All bytes that the file and the VM image contain because of a symbol: its code or data, its
 * padding, and its parts elsewhere. Such parts are unwind entries, relocations, names and
 * constants. Its labels are those of the roll-up by symbol, compile unit and object. Bytes without
 * a symbol or unit have a fallback label, such as "[section .dynamic]". */
struct snap_charge {
	uint64_t file, vm; /* Bytes. */
	/* Short name, as in a roll-up by symbols. Before snapshot_split_names(), SNAP_PLAIN_NAME
	 * means the plain name of the symbol. */
	uint32_t name;
#define SNAP_PLAIN_NAME UINT32_MAX
	uint32_t space;          /* Namespace or module. 0 if unknown. */
	uint32_t source, object; /* If `object` is 0, it equals `source`. */
	uint32_t component;      /* 0 if there is none. */
	uint32_t package;        /* As the source `packages` tells it. 0 if unknown. */
	uint32_t container;
	uint32_t symbol; /* Index of the label's first symbol, or SNAP_NO_SYMBOL: */
#define SNAP_NO_SYMBOL UINT32_MAX
	bool debug; /* The bytes are in sections of debug info. */
};

struct snapshot {
	struct intern texts;
	VEC(struct snap_value) build_config;
	VEC(struct snap_container) containers;
	VEC(struct snap_value)
	extra; /* From other tools' files: members unknown to heft. */
	VEC(struct snap_section) sections;
	struct intern section_keys; /* The id is the index in sections. */
	VEC(struct snap_symbol) symbols;
	/* Charges add up to the file and to the VM image. Empty for a file of SuperSize. */
	VEC(struct snap_charge) charges;
	bool own;          /* Made by this process, not read from a file. So the file format may
			    * be chosen freely. */
	bool has_contents; /* All symbols have a hash of their contents, not only symbols with
			    * made-up names. */
	bool has_stacks;   /* Functions have stack sizes, if known. */
	/* Made by heft. Sections then state what is in memory, and full names are final. */
	bool by_heft;
	bool exact_names; /* Only with by_heft: the other names are shortened as SuperSize does. */
	bool sparse;      /* One side of a difference. The side lacks some symbols of the
			   * program. */
	/* Some padding differs from the gap to the previous symbol, so files state it. */
	bool stored_padding;
	bool has_components;
	VEC(struct clues *)
	clues; /* Clues (clues.h) per container; NULL if there are none. The
				    * list may be shorter than the containers. */
	/* Per container, how sure the owners of its VM image are. Labels are indexes of sure_words.
	 * Empty if nobody asked. */
	VEC(struct spans) sure;
	struct arena arena; /* Memory of texts of containers and metadata. */
};

void snapshot_init(struct snapshot *s);
void snapshot_release(struct snapshot *s);

static inline struct str snapshot_text(const struct snapshot *s, uint32_t id)
{
	return intern_get(&s->texts, id);
}

/* Returns the index of the container's section with a name of the file format (or of another tool's
 * file). Adds the section if missing. O(1). */
uint32_t snapshot_section(struct snapshot *s, uint32_t container, const char *name);
/* Returns the index of a section by name. SNAP_NO_SECTION if it is missing. */
#define SNAP_NO_SECTION UINT32_MAX
uint32_t snapshot_find_section(const struct snapshot *s, uint32_t container, const char *name);
/* Returns the index of the section with the container, name and flags of `like`. Adds it if
 * missing; letter and rank follow from the name. */
uint32_t snapshot_section_like(struct snapshot *s, const struct snap_section *like);
/* Returns the file format's segment for a section's symbols: the name, ".other" or ".bss". */
const char *snap_segment(const struct snap_section *sec);
/* Returns the format's name for a section: ".text" for ".text.hot", ".init.text". NULL if none. */
const char *snap_folded(struct str name);
/* True if the format gives the symbols of a segment addresses and padding. */
bool snap_segment_is_native(const char *segment);
/* True if the format has a native section with this name. `in_file`: true for a section with bytes
 * in the file. */
bool snap_is_native_name(const char *name, bool in_file);

/* Position of a symbol relative to the previous symbol of its segment, as readers of the format
 * compute it. */
enum snap_gap {
	SNAP_GAP,    /* *ret_padding is the gap between them. */
	SNAP_TWICE,  /* Both symbols have the same address but are no aliases. */
	SNAP_INSIDE, /* The symbol ends inside of the previous symbol. */
};
/* Compares a symbol with the previous one. `before` is NULL if there is none. */
enum snap_gap snap_gap(const struct snap_symbol *y, const struct snap_symbol *before,
		       int64_t *ret_padding);

/* Sorts the symbols and joins aliases. In native sections, symbols with equal address, section and
 * size are aliases. In other sections, symbols with the same nonzero number in alias_place are
 * aliases. Aliases must have equal name, section and size. Decides whether files must state the
 * padding. Afterwards the invariants hold, if no two lists overlap and padding is set. Names must
 * be split before (name, template_name). */
void snapshot_finish(struct snapshot *s);
/* Makes charges for a container that has none: own bytes with padding. For symbols that no source
 * has measured, such as entries of zip files. Call it after snapshot_finish(). */
void snapshot_charge_symbols(struct snapshot *s, uint32_t container);
/* Sorts charges in the order of their symbols. Charges without a symbol come last. */
void snapshot_charges_sort(struct snapshot *s);
/* Updates the charges after symbols were moved. `to[i]` is the new index of symbol i. */
void snapshot_charges_follow(struct snapshot *s, const uint32_t *to);

/* Replaces characters that files cannot contain by escapes, so that a program and its file compare
 * equal. snapshot_finish() calls it. */
void snapshot_escape(struct snapshot *s);
/* Makes the symbols of each segment and section adjacent, in the order of appearance. Sets first
 * and count. Symbols from a file need no other sorting. */
void snapshot_place_sections(struct snapshot *s);

/* Makes template_name and name of symbols from a file. If another tool wrote the file, normalizes
 * full_name too, as SuperSize does on loading. */
void snapshot_split_names(struct snapshot *s);

/* Splits the names of one symbol of .dex or .dex.method. */
void snapshot_split_dex(struct snapshot *s, struct snap_symbol *y);
/* Returns the part of a name after its last blank, or the whole name without a blank. */
struct str snap_last_word(struct str s);

/* Returns the PSS: size + padding, divided by the members of the alias list. */
static inline double snap_pss(const struct snap_symbol *y)
{
	return ((double)y->size + (double)y->padding) / y->alias_count;
}

/* Tests of a symbol's kind by its full name. */
bool snap_is_literal(struct str full_name);  /* "..." or "string literal". */
bool snap_is_overhead(struct str full_name); /* "Overhead: x". */
bool snap_is_star(struct str full_name);     /* ** x */
bool snap_is_owned(struct str full_name);    /* "x [anonymous data]". */
/* True if heft made the name from an address: "sub_1234", "sub_1234 [anonymous data]". */
bool snap_is_made_up(struct str full_name);

#endif
