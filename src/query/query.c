/* Runs SQL statements over a snapshot, by SQLite. */
#include "query/query.h"

#include "base/mem.h"
#include "map/rules.h"
#include "query/query_table.h"

#include <stdio.h>

struct query {
	struct owned *owned; /* Closes the database if the API call is ended early */
	sqlite3 *db;
	const struct snapshot *s, *before; /* `before` may be NULL */
};

/* Tables and views beside the virtual tables. The last statement uses each virtual table once,
 * because authorize() would forbid SQLite to declare it later. */
static const char schema[] =
	"CREATE TABLE metadata(container TEXT, key TEXT, value TEXT);"
	"CREATE TABLE section_sizes(container TEXT, section TEXT, size INTEGER);"
	"CREATE TABLE names(container TEXT);"
	"CREATE VIEW aliases AS SELECT alias_group, id, aliases, section, address, own, "
	"full_name, source, object FROM symbols WHERE aliases > 1;"
	"CREATE VIEW sections AS SELECT container, section, letter, in_file, count(*) symbols, "
	"sum(alias_group = id) unique_symbols, sum(padded_pss) padded, sum(padding_pss) padding, "
	"(SELECT z.size FROM section_sizes z WHERE z.container = symbols.container AND "
	"z.section = symbols.section) stated_size FROM symbols GROUP BY container, section;"
	"CREATE VIEW sources AS SELECT source, directory, component, max(generated) generated, "
	"count(*) symbols, sum(padded_pss) padded, sum(padding_pss) padding FROM symbols "
	"WHERE in_file GROUP BY source;"
	"CREATE VIEW components AS SELECT component, count(*) symbols, count(DISTINCT source) "
	"sources, "
	"sum(padded_pss) padded, sum(padding_pss) padding FROM symbols WHERE in_file GROUP BY "
	"component;"
	"CREATE VIEW containers AS SELECT n.container, (SELECT count(*) FROM symbols s WHERE "
	"s.container = n.container) symbols, (SELECT sum(padded_pss) FROM symbols s WHERE "
	"s.container = n.container AND in_file) padded FROM names n;"
	"SELECT 1 FROM symbols, charges, pragma_table_list, pragma_table_info('symbols') LIMIT 0;";

static bool is_harmless_pragma(const char *name)
{
	return name && (strcmp(name, "table_info") == 0 || strcmp(name, "table_list") == 0 ||
			strcmp(name, "table_xinfo") == 0);
}

/* Allows only reading: no statement that changes, attaches or opens anything. */
static int authorize(void *ctx, int action, const char *a, const char *b, const char *c,
		     const char *d)
{
	(void)ctx, (void)c, (void)d;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE: return SQLITE_OK;
	/* fts3_tokenizer() reads and sets addresses of functions. */
	case SQLITE_FUNCTION:
		return sqlite3_stricmp(b, "fts3_tokenizer") == 0 ? SQLITE_DENY : SQLITE_OK;
	case SQLITE_PRAGMA: return is_harmless_pragma(a) ? SQLITE_OK : SQLITE_DENY;
	default: return SQLITE_DENY;
	}
}

static void free_pattern(void *p)
{
	pattern_free(p);
}

static void query_tell(sqlite3_context *to, const struct heft_err *err)
{
	if (err->code == HEFT_ENOMEM)
		sqlite3_result_error_nomem(to);
	else
		sqlite3_result_error(to, err->text, -1);
}

static bool guarded_match(struct pattern *p, const char *text, bool *ret, struct heft_err *err)
{
	return GUARDED_INSIDE(err, (*ret = pattern_matches(p, str_of(text), NULL), true));
}

static bool guarded_pattern(struct pattern **ret, const char *regex, struct heft_err *err)
{
	return GUARDED_INSIDE(err, (*ret = pattern_new(str_of(regex), err)) != NULL);
}

/* Implements "text REGEXP pattern": SQLite calls regexp(pattern, text). The function must return to
 * SQLite, even when out of memory. */
static void regexp(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	const char *regex = (const char *)sqlite3_value_text(argv[0]);
	const char *text = (const char *)sqlite3_value_text(argv[1]);
	struct pattern *p = sqlite3_get_auxdata(to, 0);
	struct heft_err err = { .code = HEFT_ENOMEM };
	bool is;
	ASSERT(argc == 2);
	if (!regex || !text)
		return;
	if (!p) {
		if (!guarded_pattern(&p, regex, &err)) {
			query_tell(to, &err);
			return;
		}
		sqlite3_set_auxdata(to, 0, p, free_pattern);
		p = sqlite3_get_auxdata(to, 0);
	}
	if (p && guarded_match(p, text, &is, &err))
		sqlite3_result_int(to, is);
	else
		query_tell(to, &err);
}

static bool query_insert(struct query *q, const char *sql, const char *a, const char *b,
			 const char *c)
{
	sqlite3_stmt *st = NULL;
	bool ok = sqlite3_prepare_v2(q->db, sql, -1, &st, NULL) == SQLITE_OK &&
		  sqlite3_bind_text(st, 1, a, -1, SQLITE_TRANSIENT) == SQLITE_OK &&
		  (!b || sqlite3_bind_text(st, 2, b, -1, SQLITE_TRANSIENT) == SQLITE_OK) &&
		  (!c || sqlite3_bind_text(st, 3, c, -1, SQLITE_TRANSIENT) == SQLITE_OK) &&
		  sqlite3_step(st) == SQLITE_DONE;
	sqlite3_finalize(st);
	return ok;
}

static bool insert_value(struct query *q, const char *container, const struct snap_value *v)
{
	static const char sql[] = "INSERT INTO metadata VALUES(?, ?, ?)";
	char number[24];
	bool ok = true;
	snprintf(number, sizeof number, "%" PRId64, v->number);
	switch (v->kind) {
	case SNAP_LIST:
		for (size_t i = 0; ok && v->list[i]; i++)
			ok = query_insert(q, sql, container, v->key, v->list[i]);
		return ok;
	case SNAP_NUMBER: return query_insert(q, sql, container, v->key, number);
	default: return query_insert(q, sql, container, v->key, v->text);
	}
}

static bool insert_size(struct query *q, const char *container, const char *section, uint64_t size)
{
	char digits[24];
	snprintf(digits, sizeof digits, "%" PRIu64, size);
	return query_insert(q, "INSERT INTO section_sizes VALUES(?, ?, ?)", container, section,
			    digits);
}

static bool insert_container(struct query *q, const struct snap_container *c)
{
	bool ok = query_insert(q, "INSERT INTO names VALUES(?)", c->name, NULL, NULL);
	for (size_t i = 0; ok && i < c->metadata.count; i++)
		ok = insert_value(q, c->name, &c->metadata.data[i]);
	for (size_t i = 0; ok && i < c->section_sizes.count; i++)
		ok = insert_size(q, c->name, c->section_sizes.data[i].name,
				 c->section_sizes.data[i].size);
	return ok;
}

/* Inserts the section sizes of the snapshot, if heft made it. */
static bool insert_sections(struct query *q)
{
	bool ok = true;
	for (size_t i = 0; ok && q->s->by_heft && i < q->s->sections.count; i++) {
		const struct snap_section *sec = &q->s->sections.data[i];
		ASSERT(sec->container < q->s->containers.count);
		ok = insert_size(q, q->s->containers.data[sec->container].name, sec->name,
				 sec->size);
	}
	return ok;
}

static int cancelled(void *ctx)
{
	(void)ctx;
	return !progress_goes_on();
}

/* Adds the tables of `before`. Uses them once: authorize() would forbid to declare them later. */
static bool fill_before(struct query *q)
{
	return !q->before ||
	       (query_table_add(q->db, "symbols_before", q->before, false) == SQLITE_OK &&
		query_table_add(q->db, "charges_before", q->before, true) == SQLITE_OK &&
		sqlite3_exec(q->db, "SELECT 1 FROM symbols_before, charges_before LIMIT 0", NULL,
			     NULL, NULL) == SQLITE_OK);
}

static bool query_fill(struct query *q)
{
	sqlite3_progress_handler(q->db, 4096, cancelled, NULL);
	bool ok = query_table_add(q->db, "symbols", q->s, false) == SQLITE_OK &&
		  query_table_add(q->db, "charges", q->s, true) == SQLITE_OK && fill_before(q) &&
		  sqlite3_create_function_v2(q->db, "regexp", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
					     NULL, regexp, NULL, NULL, NULL) == SQLITE_OK &&
		  sqlite3_exec(q->db, schema, NULL, NULL, NULL) == SQLITE_OK;
	for (size_t i = 0; ok && i < q->s->build_config.count; i++)
		ok = insert_value(q, "", &q->s->build_config.data[i]);
	for (size_t i = 0; ok && i < q->s->containers.count; i++)
		ok = insert_container(q, &q->s->containers.data[i]);
	return ok && insert_sections(q) &&
	       sqlite3_set_authorizer(q->db, authorize, NULL) == SQLITE_OK;
}

static void close_database(void *q)
{
	sqlite3_close(((struct query *)q)->db);
}

struct query *query_open(const struct snapshot *s, const struct snapshot *before,
			 struct heft_err *err)
{
	if (!sqlite_is_there()) {
		fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
		     "libsqlite3 is not installed, which queries need");
		return NULL;
	}
	struct query *q = mem_zeroed(1, sizeof *q);
	q->s = s;
	q->before = before;
	q->owned = memory_own(close_database, q);
	if (sqlite3_open(":memory:", &q->db) == SQLITE_OK && query_fill(q))
		return q;
	progress_ask();
	fail(err, HEFT_ELIMIT, HEFT_NO_OFFSET, "SQLite: %s", sqlite3_errmsg(q->db));
	query_close(q);
	return NULL;
}

static void query_bind_address(sqlite3_stmt *st, int i, uint64_t address)
{
	if (address == UINT64_MAX)
		sqlite3_bind_text(st, i, NULL, 0, SQLITE_STATIC);
	else
		sqlite3_bind_int64(st, i, (sqlite3_int64)address);
}

static bool query_insert_refs(sqlite3_stmt *st, const struct query_graph *g)
{
	struct query_ref r;
	bool ok = true;
	for (size_t i = 0; ok && g->ref(g->ctx, i, &r); i++) {
		sqlite3_bind_text(st, 1, r.user, -1, SQLITE_STATIC);
		sqlite3_bind_text(st, 2, r.used, -1, SQLITE_STATIC);
		sqlite3_bind_text(st, 3, r.kind, -1, SQLITE_STATIC);
		sqlite3_bind_int64(st, 4, (sqlite3_int64)r.places);
		query_bind_address(st, 5, r.address);
		ok = sqlite3_step(st) == SQLITE_DONE && sqlite3_reset(st) == SQLITE_OK;
	}
	return ok;
}

static bool query_insert_kept(sqlite3_stmt *st, const struct query_graph *g)
{
	struct query_kept k;
	bool ok = true;
	for (size_t i = 0; ok && g->kept(g->ctx, i, &k); i++) {
		sqlite3_bind_text(st, 1, k.symbol, -1, SQLITE_STATIC);
		query_bind_address(st, 2, k.address);
		sqlite3_bind_int64(st, 3, (sqlite3_int64)k.own_file);
		sqlite3_bind_int64(st, 4, (sqlite3_int64)k.own_vm);
		sqlite3_bind_int64(st, 5, (sqlite3_int64)k.file);
		sqlite3_bind_int64(st, 6, (sqlite3_int64)k.vm);
		ok = sqlite3_step(st) == SQLITE_DONE && sqlite3_reset(st) == SQLITE_OK;
	}
	return ok;
}

static bool query_fill_table(struct query *q, const char *sql, const struct query_graph *g,
			     bool (*rows)(sqlite3_stmt *st, const struct query_graph *g))
{
	sqlite3_stmt *st = NULL;
	const bool ok = sqlite3_prepare_v2(q->db, sql, -1, &st, NULL) == SQLITE_OK && rows(st, g);
	sqlite3_finalize(st);
	return ok;
}

bool query_add_graph(struct query *q, const struct query_graph *g, struct heft_err *err)
{
	static const char tables[] =
		"CREATE TABLE refs(user TEXT, used TEXT, kind TEXT, places INTEGER, address "
		"INTEGER);"
		"CREATE TABLE kept(symbol TEXT, address INTEGER, own_file INTEGER, own_vm INTEGER, "
		"retained_file INTEGER, retained_vm INTEGER);"
		"BEGIN;";
	static const char indexes[] = "CREATE INDEX refs_used ON refs(used);"
				      "CREATE INDEX refs_user ON refs(user);"
				      "CREATE INDEX kept_address ON kept(address);"
				      "COMMIT;";
	sqlite3_set_authorizer(q->db, NULL, NULL);
	const bool ok =
		sqlite3_exec(q->db, tables, NULL, NULL, NULL) == SQLITE_OK &&
		query_fill_table(q, "INSERT INTO refs VALUES(?,?,?,?,?)", g, query_insert_refs) &&
		query_fill_table(q, "INSERT INTO kept VALUES(?,?,?,?,?,?)", g, query_insert_kept) &&
		sqlite3_exec(q->db, indexes, NULL, NULL, NULL) == SQLITE_OK;
	sqlite3_set_authorizer(q->db, authorize, NULL);
	progress_ask();
	return ok || fail(err, HEFT_ELIMIT, HEFT_NO_OFFSET, "SQLite: %s", sqlite3_errmsg(q->db));
}

void query_close(struct query *q)
{
	if (!q)
		return;
	memory_disown(q->owned);
	close_database(q);
	mem_free(q);
}

static bool stopped(struct heft_err *err)
{
	return fail(err, HEFT_EIO, HEFT_NO_OFFSET, "the output took no more");
}

static bool sql_error(const struct query *q, const char *sql, struct heft_err *err)
{
	const char *message = sqlite3_errmsg(q->db);
	progress_ask(); /* Ends the API call if the user interrupted it */
	if (sqlite3_errcode(q->db) == SQLITE_NOMEM)
		return fail(err, HEFT_ENOMEM, HEFT_NO_OFFSET, "out of memory");
	if (strcmp(message, "not authorized") == 0)
		message = "snapshots are only read: not allowed";
#if SQLITE_VERSION_NUMBER >= 3038000
	const int at = sqlite3_error_offset(q->db);
	unsigned line = 1, column = 1;
	for (int i = 0; i < at && sql[i]; i++) {
		column = sql[i] == '\n' ? 1 : column + 1;
		line += sql[i] == '\n';
	}
	if (at >= 0)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "SQL, line %u, column %u: %s", line,
			    column, message);
#else
	(void)sql;
#endif
	return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "SQL: %s", message);
}

static struct query_cell query_cell_of(sqlite3_stmt *st, int i)
{
	struct query_cell c = { .kind = QUERY_TEXT };
	switch (sqlite3_column_type(st, i)) {
	case SQLITE_NULL: c.kind = QUERY_NULL; return c;
	case SQLITE_INTEGER:
		c.kind = QUERY_INTEGER;
		c.integer = sqlite3_column_int64(st, i);
		break;
	case SQLITE_FLOAT:
		c.kind = QUERY_REAL;
		c.real = sqlite3_column_double(st, i);
		break;
	default: break;
	}
	const char *text = (const char *)sqlite3_column_text(st, i);
	c.text = (struct str){ text ? text : "", (size_t)sqlite3_column_bytes(st, i) };
	return c;
}

static bool columns(sqlite3_stmt *st, const struct query_visitor *v)
{
	const int count = sqlite3_column_count(st);
	const char **names = mem_zeroed((size_t)count + 1, sizeof *names);
	for (int i = 0; i < count; i++) {
		const char *name = sqlite3_column_name(st, i);
		names[i] = name ? name : "";
	}
	const bool ok = v->columns(v->ctx, names, (size_t)count);
	mem_free(names);
	return ok;
}

/* Runs one statement to its end. */
static bool run_one(struct query *q, sqlite3_stmt *st, const struct query_visitor *v,
		    struct heft_err *err)
{
	const int count = sqlite3_column_count(st);
	int status;
	if (count == 0)
		return sqlite3_step(st) == SQLITE_DONE || sql_error(q, "", err);
	struct query_cell *cells = mem_zeroed((size_t)count, sizeof *cells);
	bool ok = columns(st, v);
	while (ok && (status = sqlite3_step(st)) == SQLITE_ROW) {
		for (int i = 0; i < count; i++)
			cells[i] = query_cell_of(st, i);
		ok = v->row(v->ctx, cells, (size_t)count);
	}
	mem_free(cells);
	if (!ok)
		return stopped(err);
	if (status != SQLITE_DONE)
		return sql_error(q, "", err);
	return v->end(v->ctx) || stopped(err);
}

static bool run_guarded(struct query *q, sqlite3_stmt *st, const struct query_visitor *v,
			struct heft_err *err)
{
	return GUARDED_INSIDE(err, run_one(q, st, v, err));
}

bool query_run(struct query *q, const char *sql, const struct query_visitor *v,
	       struct heft_err *err)
{
	while (*sql) {
		sqlite3_stmt *st = NULL;
		const char *rest = sql;
		if (sqlite3_prepare_v2(q->db, sql, -1, &st, &rest) != SQLITE_OK) {
			sqlite3_finalize(st);
			return sql_error(q, sql, err);
		}
		/* `st` is NULL for a text with only blanks and comments. */
		const bool ok = !st || run_guarded(q, st, v, err);
		sqlite3_finalize(st);
		if (!ok)
			return false;
		if (rest == sql)
			break;
		sql = rest;
	}
	return true;
}

bool query_is_complete(const char *sql)
{
	return !sqlite_is_there() || sqlite3_complete(sql) != 0;
}
