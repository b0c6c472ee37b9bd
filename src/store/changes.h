/* changes.h - what a build changed, as rows for people and questions: own bytes of symbols (those
 * that several names share in parts for each), and the sizes of sections.
 *
 * O(symbols in memory).  One thread. */
#ifndef HEFT_STORE_CHANGES_H
#define HEFT_STORE_CHANGES_H

#include "store/content.h"
#include "store/measures.h"

/* Paths of symbols whose sums are kept as rows of these sources. */
enum path_kind { PATH_SOURCE, PATH_COMPONENT, PATH_OBJECT, PATH_KINDS };
extern const char *const path_kind_words[PATH_KINDS];
/* Calls `fn` with what a symbol of this path counts for: its folders, or itself. */
void path_labels(enum path_kind kind, struct str path, void (*fn)(void *ctx, struct str label),
		 void *ctx);

/* Rows for the symbols whose own bytes differ from those of the base; NULL: there is none.  The own
 * bytes of folders of sources and objects, and of components, go to `sums`; NULL: nowhere. */
void changes_write(struct db *db, struct catalog *catalog, uint32_t build,
		   const struct content *base, const struct content *now, struct measures *sums);
/* Takes these rows out. */
void changes_erase(struct db *db, struct catalog *catalog, uint32_t build,
		   const struct content *base, const struct content *now);
/* Rows for the sections, those of one name in one. */
void sections_write(struct db *db, struct catalog *catalog, uint32_t build,
		    const struct snapshot *s);

struct build_sizes {
	uint64_t file, vm; /* bytes; vm 0 where it is not known */
};
struct build_sizes build_sizes(const struct snapshot *s);

#endif
