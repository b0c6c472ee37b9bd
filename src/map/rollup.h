/* rollup.h - walks spans of several data sources together and sums them up by label.
 *
 * A rollup is a tree, whose level k has the labels of the k-th data source. Each level has every
 * byte in exactly one node, and the nodes below a node add up to it. rollup_add() adds the VM image
 * or the file of an input to the sums of the inputs or of the bases. Cost: O(1) per span. One
 * thread at a time. */
#pragma once

#include "heft.h"
#include "map/rules.h"
#include "map/space.h"
#include "map/tree.h"
#include "names/demangle.h"

enum { LEVELS_MAX = 16 };

/* Kinds of filter tests: a label as it is, or a linkage name in all its forms. */
enum { FILTER_TEXTS, FILTER_NAMES, FILTER_KINDS };

/* Decides which bytes to keep, by labels, names of symbols, sections and segments */
struct filter {
	const struct pattern *include, *exclude; /* NULL for no condition */
	bool no_debug;                           /* True to omit bytes of debug sections */
	unsigned sure; /* Bits of enum heft_sure: keeps only bytes with one of them. 0 keeps all */
	struct notes *notes;
	struct {
		uint8_t *bits; /* Per label: MATCH_* bits. 0 if not tested yet */
		size_t count;
	} known[FILTER_KINDS];
	struct demangler demangler;
	unsigned matched; /* MATCH_* bits of all labels tested so far */
};

/* For a filter with `exclude`: true if it matched a label. If not, it may be mistyped. */
bool filter_excluded(const struct filter *f);

/* The symbols that were counted, in each node once per image */
struct rollup_counted {
	VEC(uint64_t) pairs;  /* node << 32 | symbol */
	VEC(uint32_t) images; /* Per pair: number of the image that has the symbol */
	VEC(uint64_t) sizes;  /* Per pair: bytes in the file */
	struct map map;
};

struct rollup {
	struct tree tree; /* Keys are labels. Measures are enum heft_size_measure */
	struct filter filter;
	struct rollup_counted counted[2]; /* [HEFT_INPUT] of the inputs, [HEFT_BASE] of the bases */
	unsigned code;                    /* Index of the measure for code. 0 if not measured */
	unsigned sure;                    /* Index of the first measure for the certainty of
					   * owners. 0 if none */
	uint64_t omitted_vm, omitted_file;
};

struct rollup_level {
	const struct spans *spans;
	const label_id *shown; /* Per label of `spans`: the shown label. NULL if unchanged */
	bool named;            /* True if labels are linkage names, which filters test too */
};

/* Input of rollup_add(): the labels of every byte of one input's VM image or file (`domain`) */
struct rollup_walk {
	enum heft_domain domain;
	enum heft_role role;
	const struct rollup_level *levels;
	size_t level_count;
	const struct spans *base; /* For filters: labels of the base map (basemap.h). NULL without
				   * filters */
	/* For filters: section and segment of each byte. May be NULL. */
	const struct spans *sections, *segments;
	const struct spans *symbols; /* Symbols to count, or NULL */
	/* For counting: number of the input's first image, and offsets in VM image or file at which
	 * its images start, ascending. image_starts is NULL if there is one image. */
	uint32_t first_image;
	const uint64_t *image_starts;
	size_t image_count;
	const struct spans *code; /* With ROLLUP_CODE: which file bytes are code. Otherwise NULL */
	/* For filters and ROLLUP_SURE: certainty of the owner of each byte. Otherwise NULL. */
	const struct spans *sure;
	label_id sure_labels[SURE_WORDS]; /* Labels in `sure`, by enum heft_sure */
	/* 1 + index of the level that shows generics, or 0. The symbols below a generic are its
	 * instances. */
	size_t generics;
	const struct labels *labels;
};

/* Optional measures. */
enum { ROLLUP_COUNT = 1, ROLLUP_COPIES = 2, ROLLUP_CODE = 4, ROLLUP_SURE = 8 };

/* `measures`: bits of ROLLUP_*. ROLLUP_COPIES needs ROLLUP_COUNT. `diff`: true to add bases,
 * too. */
void rollup_init(struct rollup *r, unsigned measures, bool diff);
void rollup_release(struct rollup *r);
void rollup_add(struct rollup *r, const struct rollup_walk *w);
/* Adds the VM image and the file of an input, like two calls of rollup_add(). Uses two threads if
 * faster. */
void rollup_add_both(struct rollup *r, const struct rollup_walk *first,
		     const struct rollup_walk *second, unsigned threads);
/* Sets HEFT_SIZE_COPIES of generics and of the nodes above them: the size of all instances except
 * the largest. Call it after all inputs. */
void rollup_add_copies(struct rollup *r);
/* Receives a piece: a range in which each level has one label. */
typedef void (*piece_fn)(void *ctx, uint64_t start, uint64_t size, const label_id *labels);
void rollup_pieces(const struct rollup_level *levels, size_t level_count, piece_fn fn, void *ctx);
