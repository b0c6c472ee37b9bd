/* store.h - keeps a history, the builds of programs, in a database.
 *
 * docs/history.md describes the tables. A build is stored as the text of its `.size` file,
 * compressed as the difference from the text of its *base*. The base is an earlier build of the
 * same product and configuration. Every STORE_PERIOD builds, the whole text is stored. Changes
 * since the base are also in tables, for queries in SQL.
 *
 * A change is one transaction: it is done completely or not at all. Any number of processes may
 * read and write. Writers wait for one another.
 *
 * One thread. */
#pragma once

#include "base/arena.h"
#include "history/measures.h"

enum { STORE_VERSION = 1, STORE_PERIOD = 128 };

/* Facts about a build. Texts are never NULL. */
struct build_facts {
	const char *product, *config, *branch;
	const char *commit, *parent; /* `parent` is "" if unknown */
	const char *machine;
	int64_t time; /* Time of the commit, in seconds since 1970 */
	/* Numbers of data sources, budgets and heaps. A source without rows was not measured. */
	const struct measured_row *rows;
	size_t row_count;
};

/* A build in the store. */
struct build {
	uint32_t id;
	uint32_t base; /* Id of its base, an earlier build. 0 if there is none */
	struct build_facts facts;
	uint64_t file, vm; /* Bytes */
	uint64_t symbols;
};

struct store {
	struct db *db;
	VEC(struct build) builds; /* Sorted by ascending id */
	struct arena texts;       /* Memory of the builds' texts */
	int64_t edition;          /* The store's change counter when the builds were read */
	uint32_t read;            /* Build whose text is in `text`. 0 if there is none */
	struct text text, spare;
};

/* Opens a store. db_open() describes address and flags. */
bool store_open(struct store *s, const char *url, unsigned flags, struct heft_err *err);
void store_close(struct store *s);

enum store_outcome {
	STORE_ADDED,
	STORE_SAME,     /* The build existed with the same contents */
	STORE_REPLACED, /* The build existed with other contents, which were replaced */
};
/* Adds a build. Replaces a build of the same product, configuration and commit, unless its contents
 * are equal. After a failure the store can only be closed. */
bool store_add(struct store *s, const struct heft_snapshot *snapshot,
	       const struct build_facts *facts, enum store_outcome *ret, struct heft_err *err);
/* Opens the snapshot of a build, with a copy of the session (NULL: a new session). `components` is
 * a file that names owners of sources, or NULL. */
struct heft_snapshot *store_read(struct store *s, uint32_t build,
				 const struct heft_session *session, const char *components,
				 struct heft_err *err);
/* Reads the numbers of a source ("regions", "budgets" ...) in a build into `now`, and those of
 * build `before` (if not 0) into `was`. */
bool store_measures(struct store *s, struct measures *ret, const char *source, uint32_t before,
		    uint32_t build, struct heft_err *err);
/* Removes builds. A build whose base is removed gets another base. */
bool store_remove(struct store *s, const uint32_t *builds, size_t count, struct heft_err *err);

const struct build *store_build(const struct store *s, uint32_t id);
/* Returns the build with this product, configuration and commit. NULL if there is none. */
const struct build *store_build_of(const struct store *s, const struct build_facts *f);
