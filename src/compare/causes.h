/* causes.h - finds what a change comes from, as far as the two snapshots show it.
 *
 * Each rule has its evidence in the snapshots: options that compilers left in debug info, sections
 * that shrank while the functions stay, packages that only one snapshot has. The rule that explains
 * most bytes is the first cause. Further causes explain bytes that those before them do not: a
 * quarter of the change each. If no cause explains half of the change, the causes are its largest
 * parts.
 *
 * O(symbols), about 1 us per changed symbol and 0.3 us per other symbol. One thread. */
#ifndef HEFT_COMPARE_CAUSES_H
#define HEFT_COMPARE_CAUSES_H

#include "compare/diff_rows.h"

/* Kinds of causes. "names" and "count" are those of struct cause. The order decides between causes
 * that explain about the same bytes. */
enum cause_kind {
	/* Causes that the compilers or the programs state. */
	CAUSE_OPTIONS,  /* Options of the compiler. names: new ones, dropped ones. count: units */
	CAUSE_COMPILER, /* names: the compiler before, after */
	CAUSE_LINKER,   /* names: the linker before, after */
	CAUSE_VERSION,  /* Version of a package. names: package, version before, after */
	/* Causes that are inferred, because they explain the evidence best. */
	CAUSE_OTHER,    /* Two programs with few common functions. of: number of common functions */
	CAUSE_ONE_UNIT, /* All sources are compiled as one */
	CAUSE_CODE, /* Functions of both snapshots changed size. count: all, grown: larger ones */
	/* Functions that were inlined into others. count, grown: their numbers. names: the largest
	 * of each */
	CAUSE_INLINED,
	/* Functions whose code was inlined, and is no longer: they are new or moved to another
	 * source, and others shrank. count, grown: their numbers. names: the largest of each, and
	 * the source to which the first moved */
	CAUSE_OUTLINED,
	CAUSE_UNWIND, /* Tables of exceptions and unwinding. count: cold parts that are gone */
	/* What the changed parts have in common. */
	CAUSE_SECTION, /* A section whose change shows the cause. names: section, explanation */
	CAUSE_TEXTS,   /* Only texts and their padding. names: up to three sources. `texts` */
	CAUSE_SYMBOL,  /* One symbol. names: its label, section, path */
	CAUSE_RUNTIME, /* Part of a run time. names: words for it. count: symbols */
	CAUSE_PACKAGE, /* Packages in one snapshot only. names: the largest. count: packages */
	CAUSE_OBJECTS, /* Objects without debug info. names: up to three. count: symbols */
	CAUSE_FAMILY,  /* A text that names of symbols share. names: that text. count: symbols */
	CAUSE_CLASSES, /* Classes with virtual functions. names: up to three. count: classes */
	/* Nothing else changed. */
	CAUSE_PADDING, /* Padding between segments */
	CAUSE_RENAMED, /* Renamed symbols. count: their number */
	CAUSE_MOVED,   /* Symbols moved to another source file. count: their number */
	/* Other contents of the same size. count: symbols, `of`: compared ones, names: up to three,
	 * `was`: the first one's name before */
	CAUSE_CONTENTS,
	CAUSE_KINDS
};

struct cause {
	enum cause_kind kind;
	uint8_t number; /* Its number in causes.of_pair */
	int sign;       /* 1: new or grown, -1: gone or shrunk, 0: neither */
	double bytes;   /* Bytes that the cause explains: sum of absolute changes */
	double share;   /* Share of the whole change that it explains */
	double delta;   /* Sum of the explained changes, with their signs */
	double before;  /* CAUSE_SYMBOL: its bytes before the change */
	double own;     /* CAUSE_SYMBOL: the change of its own size */
	size_t count, grown;
	size_t of;          /* Number of all units, or of functions in both snapshots. 0: unknown */
	size_t gone, added; /* Numbers of functions that are gone, and new */
	const char *names[3]; /* "" where unused */
	double texts;         /* CAUSE_TEXTS: bytes that differ */
	bool replaced; /* CAUSE_RUNTIME: true if one implementation of the part replaced another */
	bool some;     /* CAUSE_CONTENTS: `count` includes symbols that do not differ */
	const char *prefix; /* CAUSE_OBJECTS: what most of the names begin with, or NULL */
	/* CAUSE_SYMBOL. `instance`: the base has the function with other arguments of its template.
	 * `with_data`: most bytes are not its own, but belong to it. `section_was`: its section in
	 * the base if it is another one, or NULL */
	bool instance, with_data;
	const char *section_was;
	/* Only for CAUSE_CONTENTS. `was`: "" if the name is the same. Of each name: its kind, such
	 * as "function", and its source, or its section if the source is unknown */
	const char *was, *kinds[3], *places[3];
};

enum { CAUSES_MOST = 3 };
struct causes {
	struct cause list[CAUSES_MOST]; /* The first one explains most */
	size_t count;
	bool sole;                    /* True if list[0] explains half of the change, or more */
	bool same_build, other_build; /* True if both build ids are known, and equal; or differ */
	size_t resized;               /* Number of functions in both that have another own size */
	size_t compared;              /* Number of symbols whose contents were compared */
	bool loads_same;              /* True if all loaded sections have the same contents */
	double all;                   /* Sum of absolute changes outside of debug info */
	double padding, moved; /* Change of the padding between segments; bytes of moved symbols */
	const char *debug_options[2]; /* Options of debug info that are gone, and new ones, or "" */
	const char *dwarf[2];         /* DWARF versions before and after: "4, 5". "" if equal */
	int debug_packed; /* 1: debug info is compressed now, -1: no longer, 0: as before */
	/* Sources whose functions lost [0] or gained [1] debug info: their number, and one path */
	struct {
		size_t count;
		const char *path;
	} debug_sources[2];
	const char *own_package; /* Package of `main`, or "" */
	/* Directory of the program's own sources, or "". Names and places of causes lack it */
	const char *root;
	const char *own[2];  /* New functions of own_package, not explained by list[0] */
	const char *used[2]; /* New functions of other packages that both snapshots have. Or "" */
	uint8_t *of_pair;    /* Per pair of charges: number of the cause that explains it, or 0 */
	struct arena arena;
};

/* Finds the causes. None if a side has no charges (struct snap_charge). `loaded`: counts only the
 * bytes that are loaded, as for firmware, whose symbol table is not. */
void causes_find(struct causes *ret, const struct snapshot_diff *d,
		 const struct diff_sections *sections, bool loaded);
void causes_release(struct causes *c);
/* Returns a metadata text of the only container of a snapshot. "" without one. */
struct str causes_metadata(const struct snapshot *s, const char *key);
/* Returns the part of a path below the directory `root`, or the path. */
const char *causes_below(const char *root, const char *path);

#endif
