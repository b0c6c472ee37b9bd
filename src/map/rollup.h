/* rollup.h - walks spans of several sources together and sums them up by label.
 *
 * A rollup is a tree: the label of the k-th source is the key of level k. Sums are exact: every
 * byte of a space is in exactly one node of every level, and the nodes below a node add up to it.
 * rollup_add may be called for any number of inputs, sides and domains. Cost: O(1) per span. One
 * thread at a time. */
#ifndef HEFT_MAP_ROLLUP_H
#define HEFT_MAP_ROLLUP_H

#include "heft.h"
#include "map/rules.h"
#include "map/space.h"
#include "map/tree.h"
#include "names/demangle.h"

enum { LEVELS_MAX = 16 };

/* Kind of a filter's label: a text, or a linkage name. A linkage name stands for all names of the
 * symbol. */
enum { FILTER_TEXTS, FILTER_NAMES, FILTER_KINDS };

/* Decides which spans to keep. Tests the labels shown on any level, the full and short names of
 * shown symbols, and the sections and segments of the walk. */
struct filter {
	const struct pattern *include, *exclude; /* NULL = no condition */
	bool no_debug; /* Leave out sections of debug info, by the sections of the walk */
	unsigned sure; /* Keep only bytes with these bits of enum heft_sure. 0 = all */
	struct notes *notes;
	/* private */
	struct {
		uint8_t *bits; /* Per label id: 0 if not tested yet, else MATCH_* bits. */
		size_t count;
	} known[FILTER_KINDS];
	struct demangler demangler;
	unsigned matched; /* MATCH_* bits of all labels tested so far. */
};

/* True if any label tested so far matched `exclude`, or if there is no such expression. */
bool filter_excluded(const struct filter *f);

/* The symbols that were counted, each once per node and image. */
struct rollup_counted {
	VEC(uint64_t) pairs;  /* node << 32 | symbol */
	VEC(uint32_t) images; /* image of each pair */
	VEC(uint64_t) sizes;  /* bytes in the file of each pair */
	struct map map;
};

struct rollup {
	struct tree tree; /* Keys are labels, measures enum heft_size_measure */
	struct filter filter;
	struct rollup_counted counted[2]; /* one per role */
	unsigned code;                    /* Number of the measure of code. 0 if none. */
	unsigned sure;                    /* First measure by how sure owners are. 0 if none. */
	uint64_t omitted_vm, omitted_file;
};

struct rollup_level {
	const struct spans *spans;
	const label_id *shown; /* Shown label per claimed label. NULL: unchanged. */
	bool named;            /* Claimed labels are linkage names. Filters test these names. */
};

/* Input of one rollup_add: the spans of one domain of one input. */
struct rollup_walk {
	enum heft_domain domain;
	enum heft_role role;
	const struct rollup_level *levels;
	size_t level_count;
	const struct spans *base; /* Base map labels, for the filter. NULL = no filter. */
	/* For the filter: section and segment of each byte. May be NULL. */
	const struct spans *sections, *segments;
	const struct spans *symbols; /* For counting. NULL = no counting. */
	/* For counting: number of the input's first image, and the starts of its images in the
	 * domain, ascending. Without starts it has one image. */
	uint32_t first_image;
	const uint64_t *image_starts;
	size_t image_count;
	const struct spans *code; /* ROLLUP_CODE: places of code in the file. NULL otherwise. */
	/* How sure the owner of each byte is, for the filter and ROLLUP_SURE. NULL otherwise. */
	const struct spans *sure;
	label_id sure_labels[SURE_WORDS]; /* Labels in `sure`, in the order of enum heft_sure */
	/* Index plus 1 of the level with generics. 0 if none. Symbols below a generic are its
	 * instances. */
	size_t generics;
	const struct labels *labels;
};

/* Measures of a rollup besides sizes. */
enum { ROLLUP_COUNT = 1, ROLLUP_COPIES = 2, ROLLUP_CODE = 4, ROLLUP_SURE = 8 };

/* Initializes a rollup. `measures`: bits of ROLLUP_*; copies only together with count. Without
 * `diff` no input may have the role HEFT_BASE. */
void rollup_init(struct rollup *r, unsigned measures, bool diff);
void rollup_release(struct rollup *r);
void rollup_add(struct rollup *r, const struct rollup_walk *w);
/* Adds both domains of an input, like two calls of rollup_add(), on two threads if faster. */
void rollup_add_both(struct rollup *r, const struct rollup_walk *first,
		     const struct rollup_walk *second, unsigned threads);
/* Sets HEFT_SIZE_COPIES of generics and of the nodes above: the size of all instances except the
 * largest. Call it after all inputs. */
void rollup_add_copies(struct rollup *r);
/* A piece: a range in which the labels of all levels stay the same. Labels as shown. */
typedef void (*piece_fn)(void *ctx, uint64_t start, uint64_t size, const label_id *labels);
/* Calls fn for every piece, in order. */
void rollup_pieces(const struct rollup_level *levels, size_t level_count, piece_fn fn, void *ctx);

#endif
