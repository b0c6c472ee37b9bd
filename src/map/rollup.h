/* rollup.h - spans of several sources walked together and summed up by label.
 *
 * A rollup is a tree: level k is keyed by the label of the k-th source.  Sums are
 * exact: every byte of a space goes to exactly one node of every level, and the nodes below a
 * node add up to it.  rollup_add may be called for any number of inputs, sides and domains.
 * Cost: O(1) for each span.  One thread at a time. */
#ifndef HEFT_MAP_ROLLUP_H
#define HEFT_MAP_ROLLUP_H

#include "heft.h"
#include "map/rules.h"
#include "map/space.h"
#include "map/tree.h"
#include "names/demangle.h"

enum { LEVELS_MAX = 16 };

/* What a label of a filter stands for: as it is, or all names of a linker name. */
enum { FILTER_TEXTS, FILTER_NAMES, FILTER_KINDS };

/* Which spans to keep: by the labels shown on any level, by the full and short names of symbols
 * that are shown, and by the places that a walk adds. */
struct filter {
	const struct pattern *include, *exclude; /* NULL = no condition */
	bool no_debug; /* sections of debug info are left out: of the walk's places */
	struct notes *notes;
	/* private */
	struct {
		uint8_t *bits; /* by label id: 0 not asked yet, else MATCH_* bits */
		size_t count;
	} known[FILTER_KINDS];
	struct demangler demangler;
	unsigned matched; /* MATCH_* bits of all that was asked */
};

/* Whether the filter has a condition. */
static inline bool filter_is_set(const struct filter *f)
{
	return f->include || f->exclude || f->no_debug;
}
/* Whether some label matched what is to be left out, of those that were asked; true where there is
 * no such expression. */
bool filter_excluded(const struct filter *f);

/* The symbols that were counted, each once for a node and an image. */
struct rollup_counted {
	VEC(uint64_t) pairs;  /* node << 32 | symbol */
	VEC(uint32_t) images; /* of each pair */
	VEC(uint64_t) sizes;  /* of each pair: bytes in the file */
	struct map map;
};

struct rollup {
	struct tree tree; /* keys are labels, measures enum heft_size_measure */
	struct filter filter;
	struct rollup_counted counted[2]; /* by role */
	unsigned code;                    /* number of the measure of code, 0: none */
	uint64_t omitted_vm, omitted_file;
};

struct rollup_level {
	const struct spans *spans;
	const label_id *shown; /* label as claimed -> label as shown; NULL = as it is */
	bool named;            /* labels as claimed are linker names, which filters ask about */
};

/* What one rollup_add walks: the spans of one domain of one input. */
struct rollup_walk {
	enum heft_domain domain;
	enum heft_role role;
	const struct rollup_level *levels;
	size_t level_count;
	const struct spans *base; /* base map labels, for the filter; NULL = no filter */
	/* For the filter: who lies in which section and segment; or NULL. */
	const struct spans *sections, *segments;
	const struct spans *symbols; /* for counting; NULL = no counting */
	/* For counting: the number of the input's first image, and where its images begin in the
	 * domain, ascending; no starts: it has one. */
	uint32_t first_image;
	const uint64_t *image_starts;
	size_t image_count;
	const struct spans *code; /* ROLLUP_CODE where code is; of the file, or NULL */
	/* One more than the level whose nodes are generics, symbols their instances; 0: none. */
	size_t generics;
	const struct labels *labels;
};

/* The measures of a rollup besides sizes. */
enum { ROLLUP_COUNT = 1, ROLLUP_COPIES = 2, ROLLUP_CODE = 4 };

/* `measures`: some of the above, copies only with count.  Without `diff` no input may have the role
 * HEFT_BASE. */
void rollup_init(struct rollup *r, unsigned measures, bool diff);
void rollup_release(struct rollup *r);
void rollup_add(struct rollup *r, const struct rollup_walk *w);
/* Both domains of one input: the same as rollup_add of one and then the other, but with two
 * threads side by side where that pays. */
void rollup_add_both(struct rollup *r, const struct rollup_walk *first,
		     const struct rollup_walk *second, unsigned threads);
/* After all inputs: HEFT_SIZE_COPIES of the nodes that are generics and of those above them, all
 * instances but the largest. */
void rollup_add_copies(struct rollup *r);
/* One piece where the labels of all levels stay the same; labels as shown. */
typedef void (*piece_fn)(void *ctx, uint64_t start, uint64_t size, const label_id *labels);
/* Calls fn for every piece, in order. */
void rollup_pieces(const struct rollup_level *levels, size_t level_count, piece_fn fn, void *ctx);

#endif
