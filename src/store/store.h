/* store.h - a history: builds of programs, kept in a database.
 *
 * docs/history.md has the tables.  What a build holds is kept as the difference from its *base*, an
 * earlier build of the same product and configuration (content.h), each STORE_PERIOD builds as a
 * whole; what changed since the base stands in tables as well, where people ask for it by SQL.
 * Reading a build takes the last whole one before it and the differences since.
 *
 * A change is one transaction: all of it is there, or nothing.  Any number of processes may read
 * and write at once; writers wait for one another.
 *
 * One thread. */
#ifndef HEFT_STORE_STORE_H
#define HEFT_STORE_STORE_H

#include "store/content.h"
#include "store/measures.h"

enum { STORE_VERSION = 3, STORE_PERIOD = 128 };

/* What is said of a build.  Texts are never NULL. */
struct build_facts {
	const char *product, *config, *branch;
	const char *commit, *parent; /* parent "": not known */
	const char *machine;
	int64_t time; /* of the commit, in seconds since 1970 */
	/* Numbers of data sources, budgets and heaps; of a source that none of them has nothing is
	 * said. */
	const struct heft_history_row *rows;
	size_t row_count;
};

/* A build that is kept. */
struct build {
	uint32_t id;
	uint32_t base; /* 0: none */
	struct build_facts facts;
	uint64_t file, vm; /* bytes */
	uint64_t symbols;
	/* Another one has taken its place, or it was taken out, where rows are only added: it is
	 * there for those that are told from it. */
	bool hidden;
};

/* The content that was read or added last. */
struct remembered {
	uint32_t build; /* 0: none */
	struct content content;
};

struct store {
	struct db *db;
	struct catalog catalog;
	VEC(struct build) builds; /* by rising id */
	struct arena texts;       /* of the builds */
	int64_t edition, version; /* of the store when the builds were read */
	struct remembered last;
	struct content spare; /* its memory serves for the next one that is read */
};

/* db_open has the forms of the address, and the flags. */
bool store_open(struct store *s, const char *url, unsigned flags, struct heft_err *err);
void store_close(struct store *s);

enum store_outcome { STORE_ADDED, STORE_SAME, STORE_REPLACED };
/* Adds a build; one of the same product, configuration and commit gives way to it, unless it holds
 * the same.  After a failure the store can only be closed. */
bool store_add(struct store *s, const struct snapshot *snapshot, const struct build_facts *facts,
	       enum store_outcome *ret, struct heft_err *err);
/* Appends the text of the `.size` file of a build. */
bool store_read(struct store *s, uint32_t build, struct text *ret, bool *ret_own,
		struct heft_err *err);
/* Reads the numbers of a source as a build has them; those of another one, or 0, into `was`. */
bool store_measures(struct store *s, struct measures *ret, const char *source, uint32_t before,
		    uint32_t build, struct heft_err *err);
/* Takes builds out; those whose base they are get another one. */
bool store_remove(struct store *s, const uint32_t *builds, size_t count, struct heft_err *err);

/* NULL where there is none. */
const struct build *store_build(const struct store *s, uint32_t id);

#endif
