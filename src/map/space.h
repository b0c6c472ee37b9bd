/* space.h - who owns each byte of one address space.
 *
 * Sources append claims: "[start, start+size) belongs to label".  claims_resolve turns
 * them into spans: sorted, without overlap, at most one label for each byte.  The first
 * claim of a byte wins; later ones get what is left.
 *
 * A claim of unknown size reaches to the next start of any claim, or to the end of a known
 * claim that covers its start, whichever is nearer; where a known claim made earlier covers
 * its start, or an unknown one made earlier starts there too, it gets nothing.
 *
 * claim: amortised O(1), any order; claims_resolve: O(n) for claims that arrive sorted and
 * apart, else O(n log n), once.  One thread for each struct. */
#ifndef HEFT_MAP_SPACE_H
#define HEFT_MAP_SPACE_H

#include "base/vec.h"
#include "map/label.h"

#define SIZE_UNKNOWN ((UINT64_C(1) << 56) - 1)

/* What made a claim, for explanations. */
enum why {
	WHY_SEGMENT,
	WHY_SECTION,
	WHY_REGION,
	WHY_HEADER,
	WHY_FILE,
	WHY_MEMBER,
	WHY_SYMBOL,
	WHY_UNSIZED_SYMBOL,
	WHY_UNWIND_BOUNDS,
	WHY_ENTRY_POINT,
	WHY_PLT,
	WHY_GOT,
	WHY_CODE_REF,
	WHY_DATA_REF,
	WHY_POINTER_ARRAY,
	WHY_SYMBOL_ENTRY,
	WHY_NAME,
	WHY_VERSION,
	WHY_HASH,
	WHY_RELOCATION,
	WHY_UNWIND,
	WHY_LSDA,
	WHY_GROUP,
	WHY_RUNTIME,
	WHY_DEBUG,
	WHY_LINKER_MAP,
	WHY_BLOCK_MAP,
	WHY_MAPPING,
	WHY_MODULE,
	WHY_ALLOCATION,
	WHY_FALLBACK,
	WHY_COUNT
};

const char *why_text(enum why why);

struct claim {
	_Alignas(8) uint64_t start; /* as wide on all machines */
	uint64_t size : 56;         /* bytes or SIZE_UNKNOWN */
	uint64_t why : 8;
	label_id label;
	uint32_t seq; /* priority: lower wins; set by claims_resolve */
};

struct claims {
	VEC(struct claim) list;
};

/* A claim that continues the last one (same label, no gap) is merged into it.  Empty
 * claims are ignored; one that would wrap is cut at 2^64, one of 2^56 - 1 bytes or more to
 * one byte less. */
void claim(struct claims *c, uint64_t start, uint64_t size, label_id label, enum why why);
/* Puts claims in the order of their starts; where they overlap, the one that starts first has
 * the higher priority from then on, of those that start together the one made first. */
void claims_sort(struct claims *c);
/* Moves the claims of `more` behind those of c. */
void claims_append(struct claims *c, struct claims *more);
void claim_unknown(struct claims *c, uint64_t start, label_id label, enum why why);
/* Asserts that claims have a label and bytes and do not wrap.  O(n): where HEFT_CHECKS. */
void claims_verify(const struct claims *c);

struct span {
	_Alignas(8) uint64_t start;
	uint64_t size;
	label_id label;
};

struct spans {
	VEC(struct span) list; /* sorted by start, no overlap */
};

/* Consumes the claims (c is empty afterwards).  Unknown sizes end at `end` at the latest. */
void claims_resolve(struct claims *c, uint64_t end, struct spans *ret);
/* The same in up to `parts` parts, each on a thread of its own: not inside parallel_for.  The spans
 * are the same for any number. */
void claims_resolve_parts(struct claims *c, uint64_t end, size_t parts, struct spans *ret);

/* Takes away what lies at or behind `end`. */
void spans_cut(struct spans *s, uint64_t end);
void spans_release(struct spans *s);
/* Appends; start must not lie before the end of what is there. */
void spans_push(struct spans *s, uint64_t start, uint64_t size, label_id label);
/* *top keeps what it has and takes what *below has in its gaps; *below is released. */
void spans_overlay(struct spans *top, struct spans *below);
/* The same where *below stands behind all of *top as a rule: then O(spans of *below). */
void spans_append(struct spans *top, struct spans *below);
/* The index of the first span that starts at addr or behind it.  O(log n). */
size_t spans_from(const struct spans *s, uint64_t addr);
/* The span around addr, or NULL.  O(log n). */
const struct span *spans_find(const struct spans *s, uint64_t addr);
/* The label at addr, or LABEL_NONE. */
label_id spans_label(const struct spans *s, uint64_t addr);
/* What padding is charged to what is before it: a fallback of at most 16 bytes to an owner,
 * "[Unmapped]" of at most 16 bytes to what is left of a section. */
enum { PAD_OWNERS = 1, PAD_SECTIONS = 2 };
/* Merges neighbours that touch and have one label, and charges padding; `what` is bits of the
 * above, 0: no padding, `labels` may be NULL then.  What begins at one of the `starts` (sorted) is
 * no padding, however short. */
void spans_pad(struct spans *s, const struct labels *labels, unsigned what, const uint64_t *starts,
	       size_t start_count);
uint64_t spans_total(const struct spans *s);
/* Asserts that spans are sorted, not empty, apart, and have a label.  O(n): for debug builds and
 * tests (HEFT_CHECKS). */
void spans_verify(const struct spans *s);

/* A cursor for look-ups at rising addresses: amortised O(1), falls back to O(log n). */
struct span_cursor {
	const struct spans *spans;
	size_t i;
};
label_id cursor_label(struct span_cursor *c, uint64_t addr);

#endif
