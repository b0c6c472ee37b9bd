/* space.h - finds the owner of each byte of one address space.
 *
 * Data sources append claims: "[start, start+size) belongs to label". claims_resolve() turns them
 * into spans, which are sorted and do not overlap. So each byte has at most one label. If claims
 * overlap, the byte belongs to the first claim.
 *
 * A claim of unknown size ends at the next start of any claim, or with a claim of known size that
 * covers its start, whichever comes first. It gets nothing if an earlier claim covers its start or
 * starts there too.
 *
 * claim: amortised O(1), in any order. claims_resolve: O(n) for claims that arrive sorted and
 * without overlap, else O(n log n), once. One thread per struct. */
#pragma once

#include "base/vec.h"
#include "map/label.h"

#define SIZE_UNKNOWN ((UINT64_C(1) << 56) - 1)

/* Why a claim was made: its text for explanations, and how certain the owner is. */
#define WHY_LIST(X)                                                                                \
	X(WHY_SEGMENT, "segment", STATED)                                                          \
	X(WHY_SECTION, "section header", STATED)                                                   \
	X(WHY_REGION, "memory region", STATED)                                                     \
	X(WHY_HEADER, "header table", STATED)                                                      \
	X(WHY_FILE, "input file", STATED)                                                          \
	X(WHY_MEMBER, "archive member", STATED)                                                    \
	X(WHY_SYMBOL, "symbol table", STATED)                                                      \
	X(WHY_UNSIZED_SYMBOL, "symbol without a size", INFERRED)                                   \
	X(WHY_UNWIND_BOUNDS, "function bounds from unwind table", STATED)                          \
	X(WHY_ENTRY_POINT, "entry point", INFERRED)                                                \
	X(WHY_PLT, "PLT stub", PROVED)                                                             \
	X(WHY_GOT, "GOT slot", PROVED)                                                             \
	X(WHY_CODE_REF, "code reference", INFERRED)                                                \
	X(WHY_DATA_REF, "data reference", INFERRED)                                                \
	X(WHY_CODE_ORDER, "code reference in the order of units", PROVED)                          \
	X(WHY_DATA_ORDER, "data reference in the order of units", PROVED)                          \
	X(WHY_AFTER, "after other data, referred to from other units only", INFERRED)              \
	X(WHY_POINTER_ARRAY, "pointer array slot", PROVED)                                         \
	X(WHY_SYMBOL_ENTRY, "symbol table entry", STATED)                                          \
	X(WHY_NAME, "name", STATED)                                                                \
	X(WHY_VERSION, "symbol version", STATED)                                                   \
	X(WHY_HASH, "hash table", STATED)                                                          \
	X(WHY_RELOCATION, "relocation", STATED)                                                    \
	X(WHY_UNWIND, "unwind table entry", STATED)                                                \
	X(WHY_LSDA, "exception table", STATED)                                                     \
	X(WHY_GROUP, "section group", STATED)                                                      \
	X(WHY_KEY_FUNCTION, "key function of the class", PROVED)                                   \
	X(WHY_RUNTIME, "table of the runtime", STATED)                                             \
	X(WHY_DEBUG, "debug info", STATED)                                                         \
	X(WHY_LINKER_MAP, "linker map", STATED)                                                    \
	X(WHY_BLOCK_MAP, "basic-block map", STATED)                                                \
	X(WHY_DERIVED, "blocks derived from code", INFERRED)                                       \
	X(WHY_MAPPING, "mapping", STATED)                                                          \
	X(WHY_MODULE, "file of a module", STATED)                                                  \
	X(WHY_ALLOCATION, "heap block", STATED)                                                    \
	X(WHY_PADDING, "alignment", UNOWNED)                                                       \
	X(WHY_FALLBACK, "fallback", UNOWNED)

#define WHY_OF(why, text, sure) why,
enum why { WHY_LIST(WHY_OF) WHY_COUNT };

const char *why_text(enum why why);
/* Number of words for how certain an owner is: "stated", "proved", "inferred". */
enum { SURE_WORDS = 3 };
extern const char *const sure_words[SURE_WORDS];
/* Returns the index of the word for this reason. SURE_WORDS for padding, and without an owner. */
unsigned why_sure(enum why why);

struct claim {
	_Alignas(8) uint64_t start; /* Aligned to 8 bytes on all machines */
	uint64_t size : 56;         /* Number of bytes, or SIZE_UNKNOWN */
	uint64_t why : 8;
	label_id label;
	uint32_t seq; /* Priority, set by claims_resolve(). The lowest wins */
};

struct claims {
	VEC(struct claim) list;
};

/* Appends a claim, or extends the last one, if that ends here with the same label. Ignores an empty
 * claim. Cuts a claim at 2^64, and its size at 2^56 - 2. */
void claim(struct claims *c, uint64_t start, uint64_t size, label_id label, enum why why);
/* Sorts claims by start, and sets priorities: earlier starts first, then in the order in which
 * claims were made. */
void claims_sort(struct claims *c);
void claims_append(struct claims *c, struct claims *more);
void claim_unknown(struct claims *c, uint64_t start, label_id label, enum why why);
/* Asserts that claims have labels and bytes, and do not wrap. O(n): only if HEFT_CHECKS. */
void claims_verify(const struct claims *c);

struct span {
	_Alignas(8) uint64_t start;
	uint64_t size;
	label_id label;
};

struct spans {
	VEC(struct span) list; /* Sorted by start, without overlap */
};

/* Turns claims into spans, and empties c. Claims of unknown size end at most at `end`. */
void claims_resolve(struct claims *c, uint64_t end, struct spans *ret);
/* Like claims_resolve(), on up to `parts` threads. Not inside parallel_for(). The result is the
 * same. */
void claims_resolve_parts(struct claims *c, uint64_t end, size_t parts, struct spans *ret);

/* Cuts spans off at `end`. */
void spans_cut(struct spans *s, uint64_t end);
void spans_release(struct spans *s);
/* Appends a span, which must not begin before the last one ends. */
void spans_push(struct spans *s, uint64_t start, uint64_t size, label_id label);
/* Fills the gaps of *top with spans of *below. Releases *below. */
void spans_overlay(struct spans *top, struct spans *below);
/* Like spans_overlay(), but O(spans of *below) if *below is after *top, as usual. */
void spans_append(struct spans *top, struct spans *below);
size_t spans_from(const struct spans *s, uint64_t addr);
/* Returns the span that contains addr. NULL if there is none. O(log n). */
const struct span *spans_find(const struct spans *s, uint64_t addr);
/* Returns the label of the span that contains addr. LABEL_NONE if there is none. */
label_id spans_label(const struct spans *s, uint64_t addr);
/* Padding that belongs to the span before it. PAD_OWNERS: at most 16 bytes of a fallback after an
 * owner. PAD_SECTIONS: at most 16 bytes of "[Unmapped]" after unowned bytes of a section. */
enum { PAD_OWNERS = 1, PAD_SECTIONS = 2 };
/* Gives padding to the span before it, and merges adjacent spans with one label. `what`: bits of
 * PAD_*, or 0 for no padding, and then `labels` may be NULL. `starts` (sorted): at each of these,
 * something begins, so the bytes from there on are no padding. */
void spans_pad(struct spans *s, const struct labels *labels, unsigned what, const uint64_t *starts,
	       size_t start_count);
uint64_t spans_total(const struct spans *s);
/* Asserts that spans are sorted, not empty, labelled, without overlap. O(n): only if
 * HEFT_CHECKS. */
void spans_verify(const struct spans *s);

/* A position for look-ups. Amortised O(1) if addresses ascend, otherwise O(log n) */
struct span_cursor {
	const struct spans *spans;
	size_t i;
};
label_id cursor_label(struct span_cursor *c, uint64_t addr);
