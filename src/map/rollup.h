/* rollup.h - walks spans of several sources together and sums them up by label.
 *
 * A rollup is a tree: the label of the k-th source is the key of level k. Sums are exact: each
 * level has every byte in exactly one node, and the nodes below a node add up to it. rollup_add
 * may be called for any number of inputs, sides and domains. Cost: O(1) per span. One thread at
 * a time. */
#ifndef HEFT_MAP_ROLLUP_H
#define HEFT_MAP_ROLLUP_H

#include "heft.h"
#include "map/rules.h"
#include "map/space.h"
#include "map/tree.h"
#include "names/demangle.h"

enum { LEVELS_MAX = 16 };

/* Kind of a label for filters: a text, or a linkage name, which is tested under all its forms. */
enum { FILTER_TEXTS, FILTER_NAMES, FILTER_KINDS };

/* Decides which bytes to keep. Tests the labels shown on each level, full and short names of shown
 * symbols, sections and segments. */
struct filter {
	const struct pattern *include, *exclude; /* NULL: no condition */
	bool no_debug;                           /* Skip bytes in sections of debug info */
	unsigned sure; /* Keep only bytes with one of these bits of enum heft_sure. 0 keeps all */
	struct notes *notes;
	/* Private. */
	struct {
		uint8_t *bits; /* Per label id: MATCH_* bits, or 0 if not yet tested */
		size_t count;
	} known[FILTER_KINDS];
	struct demangler demangler;
	unsigned matched; /* MATCH_* bits of all labels tested up to now */
};

/* Symbols that were counted, each once per node and image. */
bool filter_excluded(const struct filter *f);

/* The symbols that were counted, each once per node and image. */
struct rollup_counted {
	VEC(uint64_t) pairs;  /* Pairs node << 32 | symbol */
	VEC(uint32_t) images; /* Image of each pair */
	VEC(uint64_t) sizes;  /* Bytes in the file of each pair */
	struct map map;
};

struct rollup {
	struct tree tree; /* Keys are labels, measures are enum heft_size_measure. */
	struct filter filter;
	struct rollup_counted counted[2]; /* Counted symbols, one list per role */
	unsigned code;                    /* Index of the measure for code. 0: none */
	unsigned sure;                    /* Index of the first measure for how sure owners are.
					   * 0: none */
	uint64_t omitted_vm, omitted_file;
};

struct rollup_level {
	const struct spans *spans;
	const label_id *shown; /* Shown label of each claimed label. NULL: unchanged */
	bool named;            /* True if claimed labels are linkage names, which filters also
			        * test */
};

/* Input of one rollup_add: the spans of one domain of one input. */
struct rollup_walk {
	enum heft_domain domain;
	enum heft_role role;
	const struct rollup_level *levels;
	size_t level_count;
	const struct spans *base; /* Labels of the base map, for the filter. NULL: no filter */
	/* For the filter: the section and segment of each byte. May be NULL. */
	const struct spans *sections, *segments;
	const struct spans *symbols; /* Symbols to count. NULL: no counting */
	/* For counting: number of the input's first image, and the ascending starts of its images
	 * in the domain. NULL starts: one image. */
	uint32_t first_image;
	const uint64_t *image_starts;
	size_t image_count;
	const struct spans *code; /* For ROLLUP_CODE: marks the file bytes that are code.
				   * Otherwise NULL */
	/* For the filter and ROLLUP_SURE: certainty of the owner of each byte. Otherwise NULL. */
	const struct spans *sure;
	label_id sure_labels[SURE_WORDS]; /* Labels in `sure`, in the order of enum heft_sure */
	/* Index plus 1 of the level that shows generics. 0: none. Symbols below a generic are its
	 * instances. */
	size_t generics;
	const struct labels *labels;
};

/* Optional measures of a rollup. */
enum { ROLLUP_COUNT = 1, ROLLUP_COPIES = 2, ROLLUP_CODE = 4, ROLLUP_SURE = 8 };

/* Initializes a rollup. `measures`: bits of ROLLUP_*. ROLLUP_COPIES needs ROLLUP_COUNT. Without
 * `diff`, no input may be a base. */
void rollup_init(struct rollup *r, unsigned measures, bool diff);
void rollup_release(struct rollup *r);
void rollup_add(struct rollup *r, const struct rollup_walk *w);
/* Adds both domains of an input, like two calls of rollup_add(). Uses two threads if faster. */
void rollup_add_both(struct rollup *r, const struct rollup_walk *first,
		     const struct rollup_walk *second, unsigned threads);
/* Sets HEFT_SIZE_COPIES of generics and of their parent nodes: the size of all instances except the
 * largest. Call it after all inputs. */
void rollup_add_copies(struct rollup *r);
/* Called for each piece: a range whose shown labels are the same on every level. */
typedef void (*piece_fn)(void *ctx, uint64_t start, uint64_t size, const label_id *labels);
/* Calls fn for every piece, in order. */
void rollup_pieces(const struct rollup_level *levels, size_t level_count, piece_fn fn, void *ctx);

#endif
