/* Adds, reads and removes the builds of a history. */
#include "history/store.h"

#include "base/sort.h"
#include "history/changes.h"
#include "history/pack.h"

#include <stdio.h>

static const char version_of[] = "SELECT version FROM store";
static const char edition_of[] = "SELECT edition FROM store";
static const char all_builds[] =
	"SELECT id, base, product, config, commit_id, parent, branch, time, machine, file, vm, "
	"symbols FROM builds ORDER BY id";

/* Creates the tables if the database is empty; without `writes`, fails. Else checks its tables. */
static void schema_settle(struct store *s, bool writes)
{
	bool others;
	const unsigned count = db_count_tables(s->db, &others);
	if (count == DB_TABLES)
		return;
	if (count > 0 || others)
		db_fail(s->db, HEFT_EFORMAT, "is no history, but another database");
	else if (!writes)
		db_fail(s->db, HEFT_EFORMAT, "has no builds: heft history add adds them");
	else
		db_make_tables(s->db);
}

static const char *text_copy(struct store *s, struct db_query *q, int cell)
{
	return arena_copy(&s->texts, db_text(q, cell));
}

static struct build build_of_row(struct store *s, struct db_query *q)
{
	struct build b = { .id = (uint32_t)db_int(q, 0), .base = (uint32_t)db_int(q, 1) };
	b.facts = (struct build_facts){ .product = text_copy(s, q, 2),
					.config = text_copy(s, q, 3),
					.commit = text_copy(s, q, 4),
					.parent = text_copy(s, q, 5),
					.branch = text_copy(s, q, 6),
					.time = db_int(q, 7),
					.machine = text_copy(s, q, 8) };
	b.file = (uint64_t)db_int(q, 9);
	b.vm = (uint64_t)db_int(q, 10);
	b.symbols = (uint64_t)db_int(q, 11);
	return b;
}

static void builds_reload(struct store *s)
{
	s->builds.count = 0;
	arena_release(&s->texts);
	for (struct db_query *q = db_query(s->db, all_builds); db_row(q);) {
		const struct build b = build_of_row(s, q);
		const size_t n = s->builds.count;
		/* A base must have a lower id, because bases with higher ids could form a cycle. */
		if (b.id == 0 || b.base >= b.id || (n > 0 && s->builds.data[n - 1].id >= b.id))
			db_fail(s->db, HEFT_EFORMAT, "is damaged: builds are out of order");
		else
			vec_push(&s->builds, b);
	}
}

/* Reads the builds again if another process has changed the store since they were read. */
static void store_refresh(struct store *s)
{
	const int64_t edition = db_ask(s->db, edition_of);
	if (edition == s->edition)
		return;
	s->edition = edition;
	s->read = 0;
	char text[120];
	const int64_t version = db_ask(s->db, version_of);
	snprintf(text, sizeof text,
		 "has schema %" PRId64 ", and this heft knows %d: use a newer heft", version,
		 STORE_VERSION);
	if (version > STORE_VERSION)
		db_fail(s->db, HEFT_EUNSUPPORTED, text);
	else if (version < STORE_VERSION)
		db_fail(s->db, HEFT_EFORMAT, "is damaged: it says no version");
	builds_reload(s);
}

bool store_open(struct store *s, const char *url, unsigned flags, struct heft_err *err)
{
	const bool writes = flags & DB_WRITES;
	*s = (struct store){ .edition = -1 };
	s->db = db_open(url, flags, err);
	if (!s->db)
		return false;
	if (writes)
		db_begin(s->db);
	schema_settle(s, writes);
	store_refresh(s);
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
	vec_release(&s->builds);
	arena_release(&s->texts);
	text_release(&s->text);
	text_release(&s->spare);
	db_close(s->db);
	s->db = NULL;
}

const struct build *store_build(const struct store *s, uint32_t id)
{
	size_t low;
	BISECT(low, 0, s->builds.count, i, s->builds.data[i].id < id);
	return low < s->builds.count && s->builds.data[low].id == id ? &s->builds.data[low] : NULL;
}

static bool is_damaged(struct store *s)
{
	return db_fail(s->db, HEFT_EFORMAT, "is damaged: the list of a build cannot be read");
}

static int64_t depth_of(struct store *s, uint32_t build)
{
	static const char sql[] = "SELECT depth FROM lists WHERE build = $1";
	struct db_query *q = db_query(s->db, sql);
	db_put(q, build);
	const int64_t depth = db_row(q) ? db_int(q, 0) : -1;
	db_do(q);
	return depth;
}

/* Reads the text of a build into s->text. If it is stored as a difference, s->text must contain the
 * text of its base. False if the text is damaged. */
static bool text_step(struct store *s, uint32_t build)
{
	static const char sql[] = "SELECT depth, data FROM lists WHERE build = $1";
	struct db_query *q = db_query(s->db, sql);
	db_put(q, build);
	const bool there = db_row(q);
	const struct str base = there && db_int(q, 0) > 0 ? text_str(&s->text) : STR("");
	const bool ok = there && text_unpack(db_bytes(q, 1), base, &s->spare);
	db_do(q);
	s->read = 0;
	if (!ok)
		return is_damaged(s);
	const struct text before = s->text;
	s->text = s->spare;
	s->spare = before;
	s->read = build;
	return true;
}

static bool text_read(struct store *s, uint32_t build)
{
	VEC(uint32_t) chain = { 0 };
	const struct build *b = store_build(s, build);
	bool ok = b != NULL;
	while (ok && b->id != s->read) {
		const int64_t depth = depth_of(s, b->id);
		vec_push(&chain, b->id);
		if (depth == 0)
			break;
		b = store_build(s, b->base);
		ok = depth > 0 && b != NULL;
	}
	for (size_t i = chain.count; ok && i > 0; i--)
		ok = text_step(s, chain.data[i - 1]);
	vec_release(&chain);
	return ok || is_damaged(s);
}

/* Writes the text of a build into the table `lists`. s->text must contain the text of the build's
 * base. `depth` is the depth of the base, or -1 if there is no base. */
static void list_write(struct store *s, uint32_t build, struct str text, int64_t depth)
{
	const bool whole = depth < 0 || depth + 1 >= STORE_PERIOD;
	struct text packed = { 0 };
	if (!text_pack(text, whole ? STR("") : text_str(&s->text), &packed))
		db_fail(s->db, HEFT_ENOMEM, "takes no list: out of memory");
	struct db_query *q = db_insert(s->db, TABLE_LISTS);
	db_put(q, build);
	db_put(q, whole ? 0 : depth + 1);
	db_put_bytes(q, (struct bytes){ (const uint8_t *)packed.p, packed.len });
	db_do(q);
	text_release(&packed);
}

static struct heft_snapshot *snapshot_of_text(struct store *s, const struct heft_session *like,
					      const char *components, struct heft_err *err)
{
	const struct heft_input in = {
		.size = sizeof in, .name = "history", .data = s->text.p, .data_size = s->text.len
	};
	struct heft_session *session = like ? heft_session_copy(like) : heft_session_new();
	struct heft_snapshot *made = heft_snapshot_new(session);
	bool ok = made || fail(err, HEFT_ENOMEM, HEFT_NO_OFFSET, "out of memory");
	if (ok && components)
		heft_snapshot_set_components(made, components);
	ok = ok && heft_finder_add_input(heft_session_finder(session), &in, err) &&
	     heft_snapshot_open(made, in.name, err);
	heft_session_free(session);
	if (ok)
		return made;
	heft_snapshot_free(made);
	return NULL;
}

struct heft_snapshot *store_read(struct store *s, uint32_t build,
				 const struct heft_session *session, const char *components,
				 struct heft_err *err)
{
	if (!store_build(s, build)) {
		fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET, "there is no build %" PRIu32, build);
		return NULL;
	}
	/* One transaction for all reads takes one lock instead of one per row. */
	db_begin_reading(s->db);
	const bool there = text_read(s, build);
	db_commit(s->db);
	return db_check(s->db, err) && there ? snapshot_of_text(s, session, components, err) : NULL;
}

static bool text_put(void *ctx, const void *data, size_t size)
{
	text_add(ctx, (struct str){ data, size });
	return true;
}

/* Returns the base for a new build: its parent, otherwise the last build of the branch, otherwise
 * the last build. 0 if there is none. */
static uint32_t base_choose(const struct store *s, const struct build_facts *f)
{
	uint32_t best = 0;
	int best_rank = -1;
	for (size_t i = s->builds.count; i > 0 && best_rank < 2; i--) {
		const struct build *b = &s->builds.data[i - 1];
		if (strcmp(b->facts.product, f->product) != 0 ||
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

const struct build *store_build_of(const struct store *s, const struct build_facts *f)
{
	for (size_t i = s->builds.count; i > 0; i--) {
		const struct build_facts *b = &s->builds.data[i - 1].facts;
		if (strcmp(b->commit, f->commit) == 0 && strcmp(b->product, f->product) == 0 &&
		    strcmp(b->config, f->config) == 0)
			return &s->builds.data[i - 1];
	}
	return NULL;
}

static uint32_t build_insert(struct store *s, const struct build_facts *f, uint32_t base,
			     const struct heft_snapshot *snapshot)
{
	const struct build_sizes sizes = build_sizes(snapshot);
	const char *const texts[] = { f->product, f->config, f->commit, f->parent, f->branch };
	static const char last[] = "SELECT coalesce(max(id), 0) FROM builds";
	const uint32_t id = (uint32_t)db_ask(s->db, last) + 1;
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
	db_put(q, (int64_t)heft_snapshot_symbol_count(snapshot));
	db_do(q);
	return id;
}

/* Ids of a build and of its bases, for measures_read(). Empty if there is no build. */
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

/* Reads two sets of numbers into m: `was` from the build `was`, and `now` from the facts `f`. */
static void rows_compare_with(const struct store *s, struct measures *m, uint32_t was,
			      const struct build_facts *f)
{
	struct chain c = chain_of(s, was);
	measures_take(m, f->rows, f->row_count, c.ids.data, c.ids.count);
	vec_release(&c.ids);
}

static bool rows_same(const struct store *s, uint32_t build, const struct build_facts *f)
{
	struct measures m;
	if (f->row_count == 0)
		return true;
	measures_init(&m, s->db);
	rows_compare_with(s, &m, build, f);
	const bool same = measures_same(&m);
	measures_release(&m);
	return same;
}

/* Writes the changes since the base, whose text is in s->text. False if that text is damaged. */
static bool changes_add(struct store *s, uint32_t id, uint32_t base,
			const struct heft_snapshot *now, const struct build_facts *f)
{
	struct heft_err err;
	struct measures m;
	struct heft_snapshot *before = base ? snapshot_of_text(s, NULL, NULL, &err) : NULL;
	const bool ok = !base || before;
	if (ok) {
		measures_init(&m, s->db);
		changes_write(s->db, id, before, now, &m);
		rows_compare_with(s, &m, base, f);
		measures_write(&m, id);
		measures_release(&m);
	}
	heft_snapshot_free(before);
	return ok || is_damaged(s);
}

/* Adds the build to the tables. Called inside a transaction. */
static void build_add(struct store *s, const struct heft_snapshot *snapshot,
		      const struct build_facts *f, struct str text)
{
	const uint32_t base = base_choose(s, f);
	if (base && !text_read(s, base))
		return;
	const uint32_t id = build_insert(s, f, base, snapshot);
	list_write(s, id, text, base ? depth_of(s, base) : -1);
	changes_add(s, id, base, snapshot, f);
	sections_write(s->db, id, snapshot);
}

struct removal {
	struct store *s;
	struct intern gone; /* Ids of removed builds */
};

static bool is_gone(const struct removal *r, uint32_t build)
{
	uint32_t place;
	return intern_find(&r->gone, (struct str){ (const char *)&build, sizeof build }, &place);
}

/* Moves the rows of a removed build to `survivor`, the build whose base it was. If `survivor` is 0,
 * deletes the rows. */
static void rows_move(struct removal *r, uint32_t build, uint32_t survivor)
{
	static const char sql[] = "INSERT INTO moved(build, survivor) VALUES($1, $2)";
	struct db_query *q = db_query(r->s->db, sql);
	db_put(q, build);
	db_put(q, survivor);
	db_do(q);
}

static void run_for_build(struct db *db, const char *sql, uint32_t build)
{
	struct db_query *q = db_query(db, sql);
	db_put(q, build);
	db_do(q);
}

static void base_set(struct store *s, struct build *b, uint32_t base)
{
	static const char to[] = "UPDATE builds SET base = $1 WHERE id = $2";
	static const char none[] = "UPDATE builds SET base = NULL WHERE id = $1";
	b->base = base;
	if (base == 0) {
		run_for_build(s->db, none, b->id);
		return;
	}
	struct db_query *q = db_query(s->db, to);
	db_put(q, base);
	db_put(q, b->id);
	db_do(q);
}

/* Gives a remaining build its nearest remaining base. Its text (`.size` file) does not change. */
static void survivor_move(struct removal *r, struct build *b)
{
	static const char delete[] = "DELETE FROM lists WHERE build = $1";
	struct store *s = r->s;
	struct text text = { 0 };
	uint32_t base = b->base;
	if (!text_read(s, b->id))
		return;
	text_add(&text, text_str(&s->text));
	rows_move(r, b->id, b->id);
	for (; base && is_gone(r, base); base = store_build(s, base)->base)
		rows_move(r, base, b->id);
	if (!base || text_read(s, base)) {
		run_for_build(s->db, delete, b->id);
		list_write(s, b->id, text_str(&text), base ? depth_of(s, base) : -1);
		base_set(s, b, base);
	}
	text_release(&text);
}

/* Merges the rows of removed builds into the row of the surviving build: its change then starts
 * from the value before the first removed build. */
#define MERGE(table, item, columns, values, differs)                                               \
	{                                                                                          \
		"DELETE FROM merged",                                                              \
		"INSERT INTO merged(item, build, " columns ") SELECT g.item, g.survivor, " values  \
		" FROM (SELECT c." item " AS item, m.survivor, min(c.build) AS first_build, "      \
		"max(c.build) AS last_build FROM " table " c JOIN moved m ON m.build = c.build "   \
		"WHERE m.survivor <> 0 GROUP BY c." item ", m.survivor) g JOIN " table             \
		" f ON f." item " = g.item AND f.build = g.first_build JOIN " table                \
		" l ON l." item " = g.item AND l.build = g.last_build",                            \
		"DELETE FROM " table " WHERE build IN (SELECT build FROM moved)",                  \
		"INSERT INTO " table "(" item ", build, " columns ") SELECT item, build, " columns \
		" FROM merged WHERE " differs,                                                     \
	}

static void rows_settle(struct db *db)
{
	static const char *const merges[][4] = {
		MERGE("changes", "symbol", "was, now, vm_was, vm_now",
		      "f.was, l.now, f.vm_was, l.vm_now", "was <> now OR vm_was <> vm_now"),
		MERGE("sizes", "measure", "was, now", "f.was, l.now", "was <> now")
	};
	static const char *const deletes[] = {
		"DELETE FROM sections WHERE build IN (SELECT build FROM moved WHERE survivor = 0)",
		"DELETE FROM lists WHERE build IN (SELECT build FROM moved WHERE survivor = 0)",
		"DELETE FROM builds WHERE id IN (SELECT build FROM moved WHERE survivor = 0)",
		"DELETE FROM moved",
	};
	for (size_t i = 0; i < COUNT_OF(merges); i++)
		for (size_t k = 0; k < COUNT_OF(merges[i]); k++)
			db_do(db_query(db, merges[i][k]));
	for (size_t i = 0; i < COUNT_OF(deletes); i++)
		db_do(db_query(db, deletes[i]));
}

/* Removes builds. Called inside a transaction. */
static void builds_remove(struct store *s, const uint32_t *ids, size_t count)
{
	struct removal r = { .s = s };
	for (size_t i = 0; i < count; i++) {
		intern_add(&r.gone, (struct str){ (const char *)&ids[i], sizeof ids[i] });
		rows_move(&r, ids[i], 0);
	}
	vec_each(struct build, b, &s->builds)
		if (b->base && is_gone(&r, b->base) && !is_gone(&r, b->id))
			survivor_move(&r, b);
	rows_settle(s->db);
	s->read = 0;
	intern_release(&r.gone);
	builds_reload(s);
}

static void change_begin(struct store *s)
{
	db_begin(s->db);
	db_make_staging(s->db);
	store_refresh(s);
}

static bool change_end(struct store *s, bool any, struct heft_err *err)
{
	static const char next[] = "UPDATE store SET edition = edition + 1";
	if (any)
		db_do(db_query(s->db, next));
	if (db_commit(s->db) && any) {
		s->edition++;
		builds_reload(s);
	}
	return db_check(s->db, err);
}

/* Adds a build. Called inside a transaction. `text` is the text of the `.size` file. */
static enum store_outcome build_put(struct store *s, const struct heft_snapshot *snapshot,
				    const struct build_facts *facts, struct str text)
{
	const struct build *there = store_build_of(s, facts);
	if (there && text_read(s, there->id) && str_eq(text, text_str(&s->text)) &&
	    rows_same(s, there->id, facts))
		return STORE_SAME;
	if (there)
		builds_remove(s, &(const uint32_t){ there->id }, 1);
	build_add(s, snapshot, facts, text);
	return there ? STORE_REPLACED : STORE_ADDED;
}

bool store_add(struct store *s, const struct heft_snapshot *snapshot,
	       const struct build_facts *facts, enum store_outcome *ret, struct heft_err *err)
{
	struct text text = { 0 };
	bool ok = heft_snapshot_write_text(snapshot, &(struct heft_sink){ text_put, &text }, err);
	if (ok) {
		change_begin(s);
		*ret = build_put(s, snapshot, facts, text_str(&text));
		ok = change_end(s, *ret != STORE_SAME, err);
	}
	text_release(&text);
	return ok;
}

bool store_remove(struct store *s, const uint32_t *builds, size_t count, struct heft_err *err)
{
	change_begin(s);
	builds_remove(s, builds, count);
	if (!change_end(s, true, err))
		return false;
	db_compact(s->db);
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
