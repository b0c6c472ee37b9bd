/* store.h - a history: builds of programs, kept in a database.
 *
 * docs/history.md has the tables.  A build is kept as the text of its `.size` file: packed as the
 * difference from the text of its *base*, an earlier build of the same product and configuration,
 * and whole each STORE_PERIOD builds.  What changed since the base stands in tables as well, where
 * people ask for it by SQL.
 *
 * A change is one transaction: all of it is there, or nothing.  Any number of processes may read
 * and write at once; writers wait for one another.
 *
 * One thread. */
#ifndef HEFT_HISTORY_STORE_H
#define HEFT_HISTORY_STORE_H

#include "base/arena.h"
#include "history/measures.h"

enum { STORE_VERSION = 1, STORE_PERIOD = 128 };

/* What is said of a build.  Texts are never NULL. */
struct build_facts {
	const char *product, *config, *branch;
	const char *commit, *parent; /* parent "": not known */
	const char *machine;
	int64_t time; /* of the commit, in seconds since 1970 */
	/* Numbers of data sources, budgets and heaps; nothing is said of a source without rows. */
	const struct measured_row *rows;
	size_t row_count;
};

/* A build that is kept. */
struct build {
	uint32_t id;
	uint32_t base; /* 0: none */
	struct build_facts facts;
	uint64_t file, vm; /* bytes */
	uint64_t symbols;
};

struct store {
	struct db *db;
	VEC(struct build) builds; /* by rising id */
	struct arena texts;       /* of the builds */
	int64_t edition;          /* of the store when the builds were read */
	uint32_t read;            /* the build whose text is in `text`; 0: none */
	struct text text, spare;
};

/* db_open has the forms of the address, and the flags. */
bool store_open(struct store *s, const char *url, unsigned flags, struct heft_err *err);
void store_close(struct store *s);

enum store_outcome {
	STORE_ADDED,
	STORE_SAME,     /* the build was there and held the same */
	STORE_REPLACED, /* it was there and held something else, which is gone */
};
/* Adds a build; one of the same product, configuration and commit gives way to it, unless it holds
 * the same.  After a failure the store can only be closed. */
bool store_add(struct store *s, const struct heft_snapshot *snapshot,
	       const struct build_facts *facts, enum store_outcome *ret, struct heft_err *err);
/* Opens the snapshot of a build, from a copy of the session (NULL: a new one).  `components` is a
 * file that tells owners of sources, or NULL. */
struct heft_snapshot *store_read(struct store *s, uint32_t build,
				 const struct heft_session *session, const char *components,
				 struct heft_err *err);
/* Reads the numbers of a source as a build has them; those of another one, or 0, into `was`. */
bool store_measures(struct store *s, struct measures *ret, const char *source, uint32_t before,
		    uint32_t build, struct heft_err *err);
/* Takes builds out; those whose base they are get another one. */
bool store_remove(struct store *s, const uint32_t *builds, size_t count, struct heft_err *err);

/* NULL where there is none. */
const struct build *store_build(const struct store *s, uint32_t id);

#endif
