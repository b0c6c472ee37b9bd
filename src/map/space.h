/* space.h - finds the owner of each byte of one address space.
 *
 * Sources append claims: "[start, start+size) belongs to label". claims_resolve turns claims into
 * spans. Spans are sorted and do not overlap, so each byte has at most one label. If claims
 * overlap, the byte belongs to the first claim.
 *
 * A claim of unknown size ends at the next start of any claim, or with a claim of known size that
 * covers its start, whichever comes first. It gets nothing if an earlier claim covers its start or
 * starts there too.
 *
 * claim: amortised O(1), in any order. claims_resolve: O(n) for claims that arrive sorted and
 * without overlap, else O(n log n), once. One thread per struct. */
#ifndef HEFT_MAP_SPACE_H
#define HEFT_MAP_SPACE_H

#include "base/vec.h"
#include "map/label.h"

#define SIZE_UNKNOWN ((UINT64_C(1) << 56) - 1)

/* Reason for a claim, shown in explanations. */
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
	WHY_CODE_ORDER,
	WHY_DATA_ORDER,
	WHY_AFTER,
	WHY_POINTER_ARRAY,
	WHY_SYMBOL_ENTRY,
	WHY_NAME,
	WHY_VERSION,
	WHY_HASH,
	WHY_RELOCATION,
	WHY_UNWIND,
	WHY_LSDA,
	WHY_GROUP,
	WHY_KEY_FUNCTION,
	WHY_RUNTIME,
	WHY_DEBUG,
	WHY_LINKER_MAP,
	WHY_BLOCK_MAP,
	WHY_MAPPING,
	WHY_MODULE,
	WHY_ALLOCATION,
	WHY_PADDING,
	WHY_FALLBACK,
	WHY_COUNT
};

const char *why_text(enum why why);
/* Number of words for how sure an owner is: "stated", "proved", "inferred". */
enum { SURE_WORDS = 3 };
extern const char *const sure_words[SURE_WORDS];
/* Returns the certainty of a claim with this reason, as an index of the words. SURE_WORDS for
 * padding and bytes without an owner. */
unsigned why_sure(enum why why);

struct claim {
	_Alignas(8) uint64_t start; /* Aligned to 8 bytes on all machines */
	uint64_t size : 56;         /* Bytes, or SIZE_UNKNOWN */
	uint64_t why : 8;
	label_id label;
	uint32_t seq; /* Priority: the lowest wins. Set by claims_resolve() */
};

struct claims {
	VEC(struct claim) list;
};

/* Appends a claim. Merges it into the last claim if that has the same label and ends at its start.
 * Ignores an empty claim. Clips a claim to end at 2^64 at most, and its size to 2^56 - 2. */
void claim(struct claims *c, uint64_t start, uint64_t size, label_id label, enum why why);
/* Sorts claims by start. Sets priorities: an earlier start is higher; of equal starts, the claim
 * made first is higher. */
void claims_sort(struct claims *c);
/* Moves the claims of `more` to the end of c. */
void claims_append(struct claims *c, struct claims *more);
void claim_unknown(struct claims *c, uint64_t start, label_id label, enum why why);
/* Asserts that claims have a label and bytes and do not wrap. O(n): only if HEFT_CHECKS. */
void claims_verify(const struct claims *c);

struct span {
	_Alignas(8) uint64_t start;
	uint64_t size;
	label_id label;
};

struct spans {
	VEC(struct span) list; /* Sorted by start, without overlap */
};

/* Resolves claims. c is empty afterwards. Unknown sizes end at `end` at the latest. */
void claims_resolve(struct claims *c, uint64_t end, struct spans *ret);
/* Resolves claims in up to `parts` parts, each on its own thread. Not allowed inside parallel_for.
 * The spans are the same for any number of parts. */
void claims_resolve_parts(struct claims *c, uint64_t end, size_t parts, struct spans *ret);

/* Removes the parts of spans at or after `end`. */
void spans_cut(struct spans *s, uint64_t end);
void spans_release(struct spans *s);
/* Appends a span. Its start must not be before the end of the last span. */
void spans_push(struct spans *s, uint64_t start, uint64_t size, label_id label);
/* Fills the gaps of *top with spans of *below. Releases *below. */
void spans_overlay(struct spans *top, struct spans *below);
/* Like spans_overlay(), but O(spans of *below) if *below lies after all of *top, as usual. */
void spans_append(struct spans *top, struct spans *below);
/* Returns the index of the first span that starts at or after addr. O(log n). */
size_t spans_from(const struct spans *s, uint64_t addr);
/* Returns the span that contains addr, or NULL. O(log n). */
const struct span *spans_find(const struct spans *s, uint64_t addr);
/* Returns the label at addr, or LABEL_NONE. */
label_id spans_label(const struct spans *s, uint64_t addr);
/* Kinds of padding, charged to the span before. PAD_OWNERS: up to 16 bytes of a fallback after an
 * owner. PAD_SECTIONS: up to 16 bytes of "[Unmapped]" after unowned bytes of a section. */
enum { PAD_OWNERS = 1, PAD_SECTIONS = 2 };
/* Merges adjacent spans with the same label, and charges padding. `what`: bits of PAD_OWNERS and
 * PAD_SECTIONS. 0: no padding; `labels` may be NULL. Bytes from one of the sorted `starts` on are
 * not padding. */
void spans_pad(struct spans *s, const struct labels *labels, unsigned what, const uint64_t *starts,
	       size_t start_count);
uint64_t spans_total(const struct spans *s);
/* Asserts that spans are sorted, not empty, without overlap, and have a label. O(n): for debug
 * builds and tests (HEFT_CHECKS). */
void spans_verify(const struct spans *s);

/* A cursor for look-ups. Rising addresses: amortised O(1). Others: O(log n). */
struct span_cursor {
	const struct spans *spans;
	size_t i;
};
label_id cursor_label(struct span_cursor *c, uint64_t addr);

#endif
