#include "store/store.h"

#include "store/changes.h"
#include "store/upgrade.h"

#include <stdio.h>

/* ---- opening --------------------------------------------------------------------------------- */

static const struct sql version_of = SQL_TWO(
	"SELECT version FROM store", "SELECT if(max(version) = 0, 3, max(version)) FROM store");
static const struct sql edition_of = SQL_TWO("SELECT edition FROM store",
					     "SELECT max(edition) FROM store");
#define BUILDS                                                                                     \
	"SELECT id, base, product, config, commit_id, parent, branch, time, machine, file, vm, "   \
	"symbols, "
static const struct sql all_builds = SQL_TWO(
	BUILDS "0 FROM builds ORDER BY id",
	BUILDS "(id GLOBAL NOT IN (SELECT max(id) FROM builds GROUP BY product, config, "
	       "commit_id)) OR (id GLOBAL IN (SELECT build FROM gone)) FROM builds "
	       "ORDER BY id");

/* Makes the tables where there is not even an empty store. */
static void settle_schema(struct store *s, bool writes)
{
	bool others;
	const unsigned count = db_count_tables(s->db, &others);
	if (count == TABLES + 1 || (count == DB_TABLES_OF_1 && db_ask(s->db, &version_of) == 1))
		return;
	if (count > 0 || others)
		db_fail(s->db, HEFT_EFORMAT, "is no history, but another database");
	else if (!writes)
		db_fail(s->db, HEFT_EFORMAT, "has no builds: heft history add adds them");
	else
		db_make_tables(s->db);
}

static int64_t check_version(struct store *s)
{
	char text[120];
	const int64_t version = db_ask(s->db, &version_of);
	snprintf(text, sizeof text,
		 "has schema %" PRId64 ", and this heft knows %d: use a newer heft", version,
		 STORE_VERSION);
	if (version > STORE_VERSION)
		db_fail(s->db, HEFT_EUNSUPPORTED, text);
	else if (version < 1)
		db_fail(s->db, HEFT_EFORMAT, "is damaged: it says no version");
	return version;
}

static const char *copy(struct store *s, struct db_query *q, int cell)
{
	return arena_copy(&s->texts, db_text(q, cell));
}

static struct build read_build(struct store *s, struct db_query *q)
{
	struct build b = { .id = (uint32_t)db_int(q, 0), .base = (uint32_t)db_int(q, 1) };
	b.facts = (struct build_facts){ .product = copy(s, q, 2),
					.config = copy(s, q, 3),
					.commit = copy(s, q, 4),
					.parent = copy(s, q, 5),
					.branch = copy(s, q, 6),
					.time = db_int(q, 7),
					.machine = copy(s, q, 8) };
	b.file = (uint64_t)db_int(q, 9);
	b.vm = (uint64_t)db_int(q, 10);
	b.symbols = (uint64_t)db_int(q, 11);
	b.hidden = db_int(q, 12) != 0;
	return b;
}

static void reload(struct store *s)
{
	s->builds.count = 0;
	arena_release(&s->texts);
	for (struct db_query *q = db_query(s->db, &all_builds); db_row(q);) {
		const struct build b = read_build(s, q);
		const size_t n = s->builds.count;
		/* A base that comes later would be read for ever. */
		if (b.id == 0 || b.base >= b.id || (n > 0 && s->builds.data[n - 1].id >= b.id))
			db_fail(s->db, HEFT_EFORMAT, "is damaged: builds are out of order");
		else
			vec_push(&s->builds, b);
	}
}

/* Forgets what was read if another process has changed the store since. */
static void refresh(struct store *s)
{
	const int64_t edition = db_ask(s->db, &edition_of);
	if (edition == s->edition)
		return;
	s->edition = edition;
	s->version = check_version(s);
	s->last.build = 0;
	catalog_release(&s->catalog);
	catalog_init(&s->catalog, s->db);
	reload(s);
}

/* After a change of its own. */
static void next_edition(struct store *s)
{
	static const struct sql next = SQL_TWO(
		"UPDATE store SET edition = $1, version = $2",
		"INSERT INTO store(edition, version) SELECT toInt64($1), toInt64($2)");
	struct db_query *q = db_query(s->db, &next);
	db_put(q, ++s->edition);
	db_put(q, s->version = STORE_VERSION);
	db_do(q);
}

/* In the transaction of who writes.  A store of version 2 can be read as it is. */
static void bring_up(struct store *s, bool writes)
{
	if (s->version == 1 && !writes)
		db_fail(s->db, HEFT_EUNSUPPORTED,
			"has schema 1, of an older heft: 'heft history add' or 'gc' makes it 3");
	else if (s->version == 1 && !db_upgrade(s->db))
		db_fail(s->db, HEFT_EUNSUPPORTED,
			"has schema 1, of an older heft: export its builds and import them into a "
			"new one");
	if (!writes)
		return;
	upgrade_fill(s);
	/* Who sees the version sees the rows; where none are seen before the end, they go first. */
	if (db_only_adds(s->db) && db_commit(s->db))
		db_begin(s->db);
	next_edition(s);
}

bool store_open(struct store *s, const char *url, unsigned flags, struct heft_err *err)
{
	const bool writes = flags & DB_WRITES;
	*s = (struct store){ .edition = -1 };
	s->db = db_open(url, flags, err);
	if (!s->db)
		return false;
	catalog_init(&s->catalog, s->db);
	if (writes)
		db_begin(s->db);
	settle_schema(s, writes);
	refresh(s);
	if (s->version < STORE_VERSION)
		bring_up(s, writes);
	if (writes)
		db_commit(s->db);
	if (db_check(s->db, err))
		return true;
	store_close(s);
	return false;
}

void store_close(struct store *s)
{
	if (!s->db)
		return;
	catalog_release(&s->catalog);
	content_release(&s->last.content);
	content_release(&s->spare);
	vec_release(&s->builds);
	arena_release(&s->texts);
	db_close(s->db);
	s->db = NULL;
}

const struct build *store_build(const struct store *s, uint32_t id)
{
	size_t low = 0, high = s->builds.count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (s->builds.data[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->builds.count && s->builds.data[low].id == id ? &s->builds.data[low] : NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

static const struct sql list_of = SQL_ALL("SELECT depth, data FROM lists WHERE build = $1");

static bool damaged(struct store *s)
{
	return db_fail(s->db, HEFT_EFORMAT, "is damaged: the list of a build cannot be read");
}

/* Takes the content, and leaves the memory of another one to be filled. */
static void remember(struct store *s, uint32_t build, struct content *c)
{
	const struct content before = s->last.content;
	s->last = (struct remembered){ build, *c };
	*c = before;
	c->head.len = 0;
	c->entries.list.count = 0;
}

/* Reads the list of a build that is in s->last's, or behind a build whose list is there. */
static bool read_step(struct store *s, uint32_t build)
{
	struct db_query *q = db_query(s->db, &list_of);
	db_put(q, build);
	const bool there = db_row(q);
	const bool whole = there && db_int(q, 0) == 0;
	const bool ok = there &&
			content_unpack(&s->spare, whole ? NULL : &s->last.content, db_bytes(q, 1));
	db_do(q);
	if (!ok)
		return damaged(s);
	remember(s, build, &s->spare);
	return true;
}

static int64_t depth_of(struct store *s, uint32_t build)
{
	static const struct sql sql = SQL_ALL("SELECT depth FROM lists WHERE build = $1");
	struct db_query *q = db_query(s->db, &sql);
	db_put(q, build);
	const int64_t depth = db_row(q) ? db_int(q, 0) : -1;
	db_do(q);
	return depth;
}

/* Puts the content of a build into s->last. */
static bool read_content(struct store *s, uint32_t build)
{
	VEC(uint32_t) chain = { 0 };
	const struct build *b = store_build(s, build);
	bool ok = b != NULL;
	for (; ok && b->id != s->last.build; b = store_build(s, b->base)) {
		const int64_t depth = depth_of(s, b->id);
		vec_push(&chain, b->id);
		if (depth == 0)
			break;
		ok = depth > 0 && store_build(s, b->base) != NULL;
	}
	for (size_t i = chain.count; ok && i > 0; i--)
		ok = read_step(s, chain.data[i - 1]);
	vec_release(&chain);
	return ok || damaged(s);
}

bool store_read(struct store *s, uint32_t build, struct text *ret, bool *ret_own,
		struct heft_err *err)
{
	if (!store_build(s, build))
		return fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET, "there is no build %" PRIu32,
			    build);
	/* One lock for all that is read, and not one for each row. */
	db_begin_reading(s->db);
	if (read_content(s, build) && !content_text(&s->last.content, &s->catalog, ret, ret_own))
		damaged(s);
	db_commit(s->db);
	return db_check(s->db, err);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The build that a new one is told from: its parent, else the last one of the branch, else the last
 * one; 0: none. */
static uint32_t choose_base(const struct store *s, const struct build_facts *f)
{
	uint32_t best = 0;
	int best_rank = -1;
	for (size_t i = s->builds.count; i > 0 && best_rank < 2; i--) {
		const struct build *b = &s->builds.data[i - 1];
		if (b->hidden || strcmp(b->facts.product, f->product) != 0 ||
		    strcmp(b->facts.config, f->config) != 0)
			continue;
		const int rank = *f->parent && strcmp(b->facts.commit, f->parent) == 0 ? 2
				 : strcmp(b->facts.branch, f->branch) == 0             ? 1
										       : 0;
		if (rank > best_rank) {
			best = b->id;
			best_rank = rank;
		}
	}
	return best;
}

static const struct build *same_build(const struct store *s, const struct build_facts *f)
{
	for (size_t i = s->builds.count; i > 0; i--) {
		const struct build_facts *b = &s->builds.data[i - 1].facts;
		if (!s->builds.data[i - 1].hidden && strcmp(b->commit, f->commit) == 0 &&
		    strcmp(b->product, f->product) == 0 && strcmp(b->config, f->config) == 0)
			return &s->builds.data[i - 1];
	}
	return NULL;
}

static uint32_t insert_build(struct store *s, const struct build_facts *f, uint32_t base,
			     const struct snapshot *snapshot)
{
	const struct build_sizes sizes = build_sizes(snapshot);
	const char *const texts[] = { f->product, f->config, f->commit, f->parent, f->branch };
	static const struct sql last = SQL_ALL("SELECT coalesce(max(id), 0) FROM builds");
	const uint32_t id = (uint32_t)db_ask(s->db, &last) + 1;
	struct db_query *q = db_insert(s->db, TABLE_BUILDS);
	db_put(q, id);
	if (base)
		db_put(q, base);
	else
		db_put_null(q);
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		db_put_text(q, str_of(texts[i]));
	db_put(q, f->time);
	db_put_text(q, str_of(f->machine));
	db_put(q, (int64_t)sizes.file);
	db_put(q, (int64_t)sizes.vm);
	db_put(q, (int64_t)snapshot->symbols.count);
	db_do(q);
	return id;
}

static void write_list(struct store *s, uint32_t build, int64_t depth, struct bytes b)
{
	struct db_query *q = db_insert(s->db, TABLE_LISTS);
	db_put(q, build);
	db_put(q, depth);
	db_put_bytes(q, b);
	db_do(q);
}

/* Writes the list of a build whose base has the content `from` at the depth `depth`; `from` NULL:
 * it has none. */
static void put_content(struct store *s, uint32_t build, const struct content *c,
			const struct content *from, int64_t depth)
{
	struct bytes packed;
	const bool whole = !from || depth + 1 >= STORE_PERIOD;
	if (content_pack(c, whole ? NULL : from, &packed))
		write_list(s, build, whole ? 0 : depth + 1, packed);
	else
		db_fail(s->db, HEFT_ENOMEM, "takes no list: out of memory");
	mem_free((void *)(uintptr_t)packed.p);
}

/* A build and its bases, for measures_read; 0: none. */
struct chain {
	VEC(uint32_t) ids;
};

static struct chain chain_of(const struct store *s, uint32_t build)
{
	struct chain c = { { 0 } };
	for (const struct build *b = store_build(s, build); b; b = store_build(s, b->base))
		vec_push(&c.ids, b->id);
	return c;
}

/* Numbers as they were in a build, and as the facts of another one say. */
static void compare_rows(const struct store *s, struct measures *m, uint32_t was,
			 const struct build_facts *f)
{
	struct chain c = chain_of(s, was);
	measures_take(m, f->rows, f->row_count, c.ids.data, c.ids.count);
	vec_release(&c.ids);
}

static bool same_rows(const struct store *s, uint32_t build, const struct build_facts *f)
{
	struct measures m;
	if (f->row_count == 0)
		return true;
	measures_init(&m, s->db);
	compare_rows(s, &m, build, f);
	const bool same = measures_same(&m);
	measures_release(&m);
	return same;
}

/* Inside a transaction: puts the build into the tables, and its content, which it takes, into
 * s->last. */
static void insert(struct store *s, const struct snapshot *snapshot, const struct build_facts *f,
		   struct content *c)
{
	const uint32_t base = choose_base(s, f);
	const bool has_base = base && read_content(s, base);
	const uint32_t id = insert_build(s, f, base, snapshot);
	put_content(s, id, c, has_base ? &s->last.content : NULL, has_base ? depth_of(s, base) : 0);
	struct measures m;
	measures_init(&m, s->db);
	changes_write(s->db, &s->catalog, id, has_base ? &s->last.content : NULL, c, &m);
	compare_rows(s, &m, base, f);
	measures_write(&m, id);
	measures_release(&m);
	sections_write(s->db, &s->catalog, id, snapshot);
	remember(s, id, c);
}

/* A copy of the content of a build. */
static bool copy_content(struct store *s, uint32_t build, struct content *ret)
{
	*ret = (struct content){ { 0 } };
	if (!read_content(s, build))
		return false;
	text_add(&ret->head, text_str(&s->last.content.head));
	vec_copy(&ret->entries.list, &s->last.content.entries.list);
	return true;
}

static void set_base(struct store *s, uint32_t build, uint32_t base)
{
	static const struct sql sql = SQL_TWO("UPDATE builds SET base = $1 WHERE id = $2", NULL);
	struct db_query *q = db_query(s->db, &sql);
	if (base)
		db_put(q, base);
	else
		db_put_null(q);
	db_put(q, build);
	db_do(q);
}

static void delete_rows(struct store *s, const struct sql *sql, uint32_t build)
{
	struct db_query *q = db_query(s->db, sql);
	db_put(q, build);
	db_do(q);
}

static const struct sql delete_list = SQL_TWO("DELETE FROM lists WHERE build = $1", NULL);

/* Gives a build the base of its base.  The content of both stays as it is. */
static void move_base(struct store *s, const struct build *b, uint32_t base)
{
	struct content c;
	const struct content *from = NULL;
	if (!copy_content(s, b->id, &c))
		return;
	if (read_content(s, b->base))
		changes_erase(s->db, &s->catalog, b->id, &s->last.content, &c);
	if (base && read_content(s, base))
		from = &s->last.content;
	const uint32_t gone = b->base;
	set_base(s, b->id, base);
	delete_rows(s, &delete_list, b->id);
	put_content(s, b->id, &c, from, from ? depth_of(s, base) : 0);
	changes_write(s->db, &s->catalog, b->id, from, &c, NULL);
	measures_move_base(s->db, b->id, gone);
	content_release(&c);
}

/* The rows of its own changes go as well. */
static void delete_build(struct store *s, const struct build *b)
{
	static const struct sql sections = SQL_TWO("DELETE FROM sections WHERE build = $1", NULL);
	static const struct sql builds = SQL_TWO("DELETE FROM builds WHERE id = $1", NULL);
	struct content c;
	if (!copy_content(s, b->id, &c))
		return;
	const bool has_base = b->base && read_content(s, b->base);
	changes_erase(s->db, &s->catalog, b->id, has_base ? &s->last.content : NULL, &c);
	measures_erase(s->db, b->id);
	delete_rows(s, &sections, b->id);
	delete_rows(s, &delete_list, b->id);
	delete_rows(s, &builds, b->id);
	content_release(&c);
}

/* Inside a transaction. */
static void take_out(struct store *s, uint32_t id)
{
	const struct build *gone = store_build(s, id);
	if (!gone || db_only_adds(s->db))
		return;
	for (size_t i = 0; i < s->builds.count; i++) {
		struct build *b = &s->builds.data[i];
		if (b->base == id) {
			move_base(s, b, gone->base);
			b->base = gone->base;
		}
	}
	delete_build(s, gone);
	if (s->last.build == id)
		s->last.build = 0;
	const size_t at = (size_t)(gone - s->builds.data);
	memmove(&s->builds.data[at], &s->builds.data[at + 1],
		(s->builds.count - at - 1) * sizeof *s->builds.data);
	s->builds.count--;
}

static enum store_outcome replace(struct store *s, const struct snapshot *snapshot,
				  const struct build_facts *facts, struct content *c)
{
	const struct build *there = same_build(s, facts);
	if (there && read_content(s, there->id) && content_same(c, &s->last.content) &&
	    same_rows(s, there->id, facts))
		return STORE_SAME;
	if (there)
		take_out(s, there->id);
	insert(s, snapshot, facts, c);
	return there ? STORE_REPLACED : STORE_ADDED;
}

bool store_add(struct store *s, const struct snapshot *snapshot, const struct build_facts *facts,
	       enum store_outcome *ret, struct heft_err *err)
{
	struct content c = { { 0 } };
	db_begin(s->db);
	refresh(s);
	catalog_begin(&s->catalog);
	content_make(&c, &s->catalog, snapshot);
	const enum store_outcome outcome = replace(s, snapshot, facts, &c);
	content_release(&c);
	if (outcome != STORE_SAME)
		next_edition(s);
	if (db_commit(s->db) && outcome != STORE_SAME)
		reload(s);
	*ret = outcome;
	return db_check(s->db, err);
}

bool store_measures(struct store *s, struct measures *ret, const char *source, uint32_t before,
		    uint32_t build, struct heft_err *err)
{
	struct chain c = chain_of(s, build);
	measures_init(ret, s->db);
	measures_read(ret, source, c.ids.data, c.ids.count);
	for (size_t i = 0; i < ret->levels.count; i++) {
		struct level *l = &ret->levels.data[i];
		*l = (struct level){ .id = l->id, .now = l->was };
	}
	vec_release(&c.ids);
	c = chain_of(s, before);
	measures_read(ret, source, c.ids.data, c.ids.count);
	vec_release(&c.ids);
	return db_check(s->db, err);
}

/* Where rows are only added. */
static void mark_gone(struct store *s, const uint32_t *builds, size_t count)
{
	static const struct sql sql = {
		{ NULL, NULL, "INSERT INTO gone SELECT id FROM builds WHERE id IN $1" }
	};
	int64_t *ids = mem_alloc((count + 1) * sizeof *ids);
	for (size_t i = 0; i < count; i++)
		ids[i] = builds[i];
	struct db_query *q = db_query(s->db, &sql);
	db_put_list(q, ids, count);
	db_do(q);
	mem_free(ids);
}

bool store_remove(struct store *s, const uint32_t *builds, size_t count, struct heft_err *err)
{
	db_begin(s->db);
	refresh(s);
	catalog_begin(&s->catalog);
	for (size_t i = 0; i < count; i++)
		take_out(s, builds[i]);
	mark_gone(s, builds, count);
	next_edition(s);
	if (db_commit(s->db)) {
		reload(s);
		db_compact(s->db);
	}
	return db_check(s->db, err);
}
