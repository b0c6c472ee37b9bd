/* ClickHouse, by its HTTP interface.
 *
 * It knows no transactions, and rows are only added.  So a transaction keeps its rows until the
 * end and sends them table by table, that of the builds last: what belongs to no build is never
 * looked at.  A later build of the same name hides the one before, and table `gone` has those that
 * were taken out.
 *
 * Writers wait for each other by a request that does not end before its transaction: the server
 * runs no two of one id, and ends it, some time later, when the connection is gone, as with a
 * process that was killed.
 *
 * Values: of statements, numbers in digits and texts as unhex('0123..'), so that no byte of them is
 * ever read as SQL; of rows, the binary form (RowBinary). */
#include "store/engine.h"
#include "store/http.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const char schema[] =
	"CREATE TABLE IF NOT EXISTS paths(id Int64, path String) ENGINE = MergeTree ORDER BY id;"
	"CREATE TABLE IF NOT EXISTS symbols(id Int64, hash Int64, name String, section Int64, "
	"object Int64, source Int64, component Int64, flags Int64) "
	"ENGINE = MergeTree ORDER BY (hash, id);"
	"CREATE TABLE IF NOT EXISTS lists(build Int64, depth Int64, data String) "
	"ENGINE = MergeTree ORDER BY build SETTINGS index_granularity = 1;"
	"CREATE TABLE IF NOT EXISTS sections(section Int64, build Int64, size Int64, "
	"in_file Int64, in_memory Int64) ENGINE = MergeTree ORDER BY (section, build);"
	"CREATE TABLE IF NOT EXISTS changes(symbol Int64, build Int64, was Float64, own Float64) "
	"ENGINE = MergeTree ORDER BY (symbol, build);"
	"CREATE TABLE IF NOT EXISTS measures(id Int64, source String, kind String, "
	"label String) ENGINE = MergeTree ORDER BY (label, id);"
	"CREATE TABLE IF NOT EXISTS sizes(measure Int64, build Int64, was Float64, now Float64) "
	"ENGINE = MergeTree ORDER BY (measure, build);"
	"CREATE TABLE IF NOT EXISTS builds(id Int64, base Int64, product String, config String, "
	"commit_id String, parent String, branch String, time Int64, machine String, file Int64, "
	"vm Int64, symbols Int64) ENGINE = MergeTree ORDER BY id;"
	"CREATE TABLE IF NOT EXISTS gone(build Int64) ENGINE = MergeTree ORDER BY build;"
	"CREATE VIEW IF NOT EXISTS measured AS SELECT build, product, config, commit_id, branch, "
	"time, source, kind, label, was, now, now - was AS change FROM (SELECT * FROM (SELECT "
	"measure, build, was, now FROM sizes) ANY INNER JOIN (SELECT id AS measure, source, kind, "
	"label FROM measures) USING measure) ANY INNER JOIN (SELECT id AS build, product, config, "
	"commit_id, branch, time FROM builds) USING build;"
	"CREATE VIEW IF NOT EXISTS steps AS SELECT build, product, config, commit_id, branch, "
	"time, "
	"name, section, source, object, component, was, own, own - was AS change "
	"FROM " CLICKHOUSE_NAMES(
		"SELECT symbol, build, was, own FROM changes") " ANY INNER JOIN (SELECT id AS "
							       "build, product, config, commit_id, "
							       "branch, time FROM builds) "
							       "USING build;"
							       "CREATE TABLE IF NOT EXISTS "
							       "store(version Int64, edition "
							       "Int64) "
							       "ENGINE = MergeTree ORDER BY "
							       "edition;";

struct clickhouse {
	struct http *http;
	struct http *lock;                    /* NULL: not held */
	struct text url, lock_url, lock_body; /* lock_url: up to where a token stands */
	struct text rows[TABLES];
	struct text statement;
	struct text holder; /* what the server has shown last of the request that locks */
	char token[60];     /* of the last try to lock */
};

struct statement {
	struct text answer, cells;
	size_t at, end; /* of the row at work, and that after it, in the answer */
};

static struct clickhouse *own(const struct db *db)
{
	return db->own;
}

/* ---- requests -------------------------------------------------------------------------------- */

static bool post(struct db *db, struct str body, struct text *ret)
{
	struct heft_err err;
	long status = 0;
	if (http_post(own(db)->http, (struct bytes){ (const uint8_t *)body.p, body.len }, ret,
		      &status, &err))
		return true;
	return db_say(db, err.code, "%s: %s", status == 0 ? "cannot be reached" : "fails",
		      err.text);
}

static void run(struct db *db, const char *sql)
{
	while (*sql && !db->failed) {
		const size_t len = strcspn(sql, ";");
		post(db, (struct str){ sql, len }, NULL);
		sql += len + (sql[len] == ';');
	}
}

/* ---- opening --------------------------------------------------------------------------------- */

/* The name of a database needs no quoting. */
static bool is_name(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_",
			    s.p[i]))
			return false;
	return s.len > 0;
}

/* http://host:port/?database=name, and for `lock` what is in front of a request that stays. */
static bool make_urls(struct text *t, struct text *lock, const char *url)
{
	const char *host = strstr(url, "://") + 3;
	const size_t len = strcspn(host, "/?#");
	const struct str authority = { host, len };
	const struct str base = { host + len + (host[len] == '/'),
				  strlen(host + len) - (host[len] == '/') };
	const char *port = memchr(host, ':', len) ? "" : ":8123";
	text_add(t, STR("http://"));
	text_add(t, authority);
	text_add(t, str_of(port));
	text_add(t, STR("/?database="));
	text_add(t, base);
	text_add(t, STR("&insert_distributed_sync=1"));
	text_add(lock, text_str(t));
	text_add(lock, STR("&max_query_size=256&query_id=heft-writer-"));
	text_add(lock, base);
	text_add(lock, STR("&query=INSERT%20INTO%20writers%20/*"));
	text_add_char(t, '\0');
	return len > 0 && is_name(base);
}

static bool open_server(struct db *db, const char *url)
{
	struct clickhouse *c = mem_zeroed(1, sizeof *c);
	struct heft_err err;
	db->own = c;
	if (!make_urls(&c->url, &c->lock_url, url))
		return db_say(db, HEFT_EARG,
			      "is no address: write clickhouse://[user@]host[:port]/database");
	c->http = http_open(c->url.p, &err);
	return c->http || db_say(db, err.code, "cannot be used: %s", err.text);
}

static void close_server(struct db *db)
{
	struct clickhouse *c = db->own;
	if (!c)
		return;
	http_close(c->lock);
	http_close(c->http);
	for (size_t i = 0; i < TABLES; i++)
		text_release(&c->rows[i]);
	text_release(&c->url);
	text_release(&c->lock_url);
	text_release(&c->lock_body);
	text_release(&c->statement);
	text_release(&c->holder);
	mem_free(c);
}

/* ---- one writer at a time -------------------------------------------------------------------- */

/* The server has to run the request, which it does when its buffer of 1 MiB is full. */
enum { LOCK_BYTES = (1 << 20) + 4096, LOCK_PAUSE = 20, LOCK_TRY = 2000 /* ms */ };

enum holder { HOLDER_NONE, HOLDER_OTHER, HOLDER_SELF };

/* Whose request, which locks this database, is at work; HOLDER_NONE after a failure. */
static enum holder find_holder(struct db *db)
{
	struct clickhouse *c = own(db);
	c->holder.len = 0;
	post(db,
	     STR("SELECT query FROM system.processes WHERE query_id = concat('heft-writer-', "
		 "currentDatabase()) FORMAT TabSeparated"),
	     &c->holder);
	text_add_char(&c->holder, '\0');
	return c->holder.len == 1                      ? HOLDER_NONE
	       : strstr(c->holder.p, c->token) != NULL ? HOLDER_SELF
						       : HOLDER_OTHER;
}

#define ROWS_MARK "/* rows of heft history in "

/* Marks a request that adds rows. */
static void add_mark(struct text *t, const struct clickhouse *c)
{
	const char *name = strstr(c->url.p, "?database=") + strlen("?database=");
	text_add(t, STR(ROWS_MARK));
	text_add(t, (struct str){ name, strcspn(name, "&") });
	text_add(t, STR(" */"));
}

/* Whether the server still adds rows of a job, which may have been killed meanwhile: they would be
 * taken for those of the next job's build. */
static bool adds_rows(struct db *db)
{
	struct text answer = { 0 };
	post(db,
	     STR("SELECT count() FROM system.processes WHERE query LIKE 'INSERT%' AND "
		 "position(query, concat('" ROWS_MARK
		 "', currentDatabase(), ' */')) > 0 FORMAT TabSeparated"),
	     &answer);
	const bool any = answer.len > 0 && answer.p[0] != '0';
	text_release(&answer);
	return any && !db->failed;
}

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* A try that was given up may be shown later, so that each has a token of its own. */
static void make_token(struct clickhouse *c)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(c->token, sizeof c->token, "heft-%ld-%lld-%ld,", (long)getpid(),
		 (long long)now.tv_sec, now.tv_nsec);
}

static struct http *open_lock(struct clickhouse *c, struct heft_err *err)
{
	const size_t prefix = c->lock_url.len;
	text_add(&c->lock_url, str_of(c->token));
	text_add(&c->lock_url, STR("*/%20FORMAT%20TabSeparated"));
	text_add_char(&c->lock_url, '\0');
	c->lock_url.len = prefix;
	return http_open(c->lock_url.p, err);
}

static void close_lock(struct db *db)
{
	http_close(own(db)->lock);
	own(db)->lock = NULL;
}

/* The server has ended the request, or it could not be sent. */
static enum holder lost_lock(struct db *db, const struct heft_err *err)
{
	close_lock(db);
	if (strstr(err->text, "is already running"))
		return HOLDER_OTHER;
	db_say(db, HEFT_EIO, "cannot be locked: %s", err->text);
	return HOLDER_NONE;
}

/* Tries once, and tells who has the lock then; HOLDER_NONE where the server has shown no request in
 * time, or after a failure. */
static enum holder try_lock(struct db *db)
{
	struct clickhouse *c = own(db);
	struct heft_err err = { .text = "the request cannot be sent" };
	make_token(c);
	enum holder holder = find_holder(db);
	if (holder != HOLDER_NONE)
		return holder;
	while (c->lock_body.len < LOCK_BYTES)
		text_add_char(&c->lock_body, 'x');
	const struct bytes body = { (const uint8_t *)c->lock_body.p, c->lock_body.len };
	c->lock = open_lock(c, &err);
	if (!c->lock || !http_hold(c->lock, body))
		return lost_lock(db, &err);
	/* A server may refuse without an answer, where it reads a body to the end first. */
	const int64_t start = now_ms();
	while (!db->failed && holder == HOLDER_NONE && now_ms() - start < LOCK_TRY) {
		if (!http_is_held(c->lock, &err))
			return lost_lock(db, &err);
		holder = find_holder(db);
	}
	if (holder != HOLDER_SELF)
		close_lock(db);
	return holder;
}

static void pause_for(long ms)
{
	const struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
	nanosleep(&t, NULL);
}

static void wait_for_rows(struct db *db)
{
	const int64_t start = now_ms();
	while (adds_rows(db)) {
		if (now_ms() - start >= DB_PATIENCE)
			db_say(db, HEFT_EIO,
			       "still adds rows of a job that has ended; try again later");
		else
			pause_for(LOCK_PAUSE);
	}
}

static void begin(struct db *db, bool writes)
{
	if (!writes)
		return;
	run(db, "CREATE TABLE IF NOT EXISTS writers(token String) ENGINE = Null");
	struct text last = { 0 };
	int64_t start = now_ms();
	while (!db->failed) {
		const enum holder holder = try_lock(db);
		const bool waits = holder == HOLDER_NONE || !(db->flags & DB_NO_WAIT);
		if (db->failed || holder == HOLDER_SELF)
			break;
		/* Who gets it next is chance, and many may be waiting. */
		if (!str_eq(text_str(&last), text_str(&own(db)->holder)))
			start = now_ms();
		last.len = 0;
		text_add(&last, text_str(&own(db)->holder));
		if (!waits || now_ms() - start >= DB_PATIENCE)
			db_say(db, HEFT_EIO,
			       "is locked by another process; try again when that has ended");
		else
			pause_for(LOCK_PAUSE);
	}
	text_release(&last);
	if (!db->failed)
		wait_for_rows(db);
}

/* Returns when the server no longer shows the request, or in LOCK_TRY.  One whose connection is
 * merely closed is shown for a while, and would be taken for that of another process. */
static void unlock(struct db *db)
{
	struct http *lock = own(db)->lock;
	const int64_t start = now_ms();
	const bool failed = db->failed;
	struct heft_err err;
	if (!lock)
		return;
	http_let_go(lock);
	while (now_ms() - start < LOCK_TRY && http_is_held(lock, &err))
		;
	close_lock(db);
	while (now_ms() - start < LOCK_TRY && find_holder(db) == HOLDER_SELF)
		;
	/* What was committed stays so, whatever becomes of the server now. */
	db->failed = failed;
}

static void send_rows(struct db *db, enum db_table table)
{
	struct clickhouse *c = own(db);
	struct text body = { 0 };
	if (db->failed || c->rows[table].len == 0)
		return;
	if (table == TABLE_BUILDS && find_holder(db) != HOLDER_SELF) {
		db_say(db, HEFT_EIO, "has ended this job's lock, and nothing was changed");
		return;
	}
	text_add(&body, STR("INSERT INTO "));
	text_add(&body, str_of(db_tables[table].name));
	text_add_char(&body, '(');
	text_add(&body, str_of(db_tables[table].columns));
	text_add(&body, STR(") "));
	add_mark(&body, c);
	text_add(&body, STR(" FORMAT RowBinary\n"));
	text_add(&body, text_str(&c->rows[table]));
	post(db, text_str(&body), NULL);
	text_release(&body);
}

static void forget_rows(struct db *db)
{
	for (size_t i = 0; i < TABLES; i++)
		own(db)->rows[i].len = 0;
}

static void commit(struct db *db)
{
	for (size_t i = 0; i < TABLES; i++)
		send_rows(db, (enum db_table)i);
	if (db->failed)
		return;
	forget_rows(db);
	unlock(db);
}

static void rollback(struct db *db)
{
	forget_rows(db);
	unlock(db);
}

/* ---- rows that are added --------------------------------------------------------------------- */

static void add_bytes(struct text *t, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		text_add_char(t, (char)(v >> 8 * i));
}

static void add(struct db_query *q)
{
	struct text *t = &own(q->db)->rows[q->table - db_tables];
	uint64_t bits;
	for (size_t i = 0; i < q->values.count; i++) {
		const struct db_value *v = &q->values.data[i];
		switch (v->type) {
		case DB_INT:
		case DB_NULL: add_bytes(t, (uint64_t)v->integer); break;
		case DB_REAL:
			memcpy(&bits, &v->real, sizeof bits);
			add_bytes(t, bits);
			break;
		case DB_TEXT:
		case DB_BYTES:
			text_add_varint(t, v->size);
			text_add(t, db_value_text(q, i));
			break;
		case DB_LIST: ASSERT(false);
		}
	}
}

/* ---- statements ------------------------------------------------------------------------------ */

static bool prepare(struct db_query *q)
{
	q->own = mem_zeroed(1, sizeof(struct statement));
	return true;
}

static void forget(struct db_query *q)
{
	struct statement *st = q->own;
	if (!st)
		return;
	text_release(&st->answer);
	text_release(&st->cells);
	mem_free(st);
}

static void reset(struct db_query *q)
{
	struct statement *st = q->own;
	st->answer.len = st->at = st->end = 0;
}

static void add_hex(struct text *t, struct str s)
{
	char hex[3];
	text_add(t, STR("unhex('"));
	for (size_t i = 0; i < s.len; i++) {
		hex_text(hex, (const uint8_t *)s.p + i, 1);
		text_add(t, (struct str){ hex, 2 });
	}
	text_add(t, STR("')"));
}

static void add_param(struct text *t, const struct db_query *q, size_t i)
{
	const struct db_value *v = &q->values.data[i];
	char number[40];
	switch (v->type) {
	case DB_INT: snprintf(number, sizeof number, "toInt64(%" PRId64 ")", v->integer); break;
	case DB_REAL: snprintf(number, sizeof number, "%.17g", v->real); break;
	case DB_NULL: snprintf(number, sizeof number, "0"); break;
	case DB_LIST:
		text_add_char(t, '(');
		text_add(t, db_value_text(q, i));
		text_add_char(t, ')');
		return;
	case DB_TEXT:
	case DB_BYTES: add_hex(t, db_value_text(q, i)); return;
	}
	text_add(t, str_of(number));
}

/* The text of a statement with its values. */
static void start(struct db_query *q)
{
	struct clickhouse *c = own(q->db);
	struct statement *st = q->own;
	struct text *t = &c->statement;
	t->len = 0;
	for (const char *p = q->text; *p; p++) {
		const size_t number = (size_t)(p[1] - '1');
		if (*p == '$' && number < q->values.count) {
			add_param(t, q, number);
			p++;
		} else {
			text_add_char(t, *p);
		}
	}
	if (str_starts(str_of(q->text), STR("SELECT")))
		text_add(t, STR(" FORMAT TabSeparated"));
	reset(q);
	post(q->db, text_str(t), &st->answer);
}

static bool row(struct db_query *q)
{
	struct statement *st = q->own;
	st->at = st->end;
	st->cells.len = 0;
	if (st->at >= st->answer.len)
		return false;
	const char *newline = memchr(st->answer.p + st->at, '\n', st->answer.len - st->at);
	st->end = newline ? (size_t)(newline - st->answer.p) + 1 : st->answer.len;
	if (st->cells.cap < st->end - st->at) {
		st->cells.p = mem_resize(st->cells.p, st->end - st->at);
		st->cells.cap = st->end - st->at;
	}
	return true;
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* A cell as it came; "\n" behind the last. */
static struct str raw_cell(const struct db_query *q, int cell)
{
	const struct statement *st = q->own;
	const char *p = st->answer.p + st->at, *end = st->answer.p + st->end;
	for (; cell > 0; cell--) {
		const char *tab = memchr(p, '\t', (size_t)(end - p));
		p = tab ? tab + 1 : end;
	}
	size_t len = 0;
	while (p + len < end && p[len] != '\t' && p[len] != '\n')
		len++;
	return (struct str){ p, len };
}

static double get_real(struct db_query *q, int cell)
{
	char number[40];
	snprintf(number, sizeof number, STR_FMT, STR_ARG(raw_cell(q, cell)));
	return strtod(number, NULL);
}

static int64_t get_int(struct db_query *q, int cell)
{
	char number[40];
	snprintf(number, sizeof number, STR_FMT, STR_ARG(raw_cell(q, cell)));
	return strtoll(number, NULL, 10);
}

/* Room for all cells of the row is there; each holds up to the next row. */
static struct str get_text(struct db_query *q, int cell)
{
	static const char letters[] = "bfrnt0'\\", bytes[] = "\b\f\r\n\t\0'\\";
	struct statement *st = q->own;
	const struct str s = raw_cell(q, cell);
	const size_t start = st->cells.len;
	if (s.len == 0 || !memchr(s.p, '\\', s.len))
		return s;
	for (size_t i = 0; i < s.len; i++) {
		const char *at = s.p[i] == '\\' && i + 1 < s.len ? strchr(letters, s.p[i + 1])
								 : NULL;
		text_add_char(&st->cells, at ? bytes[at - letters] : s.p[i]);
		i += at != NULL;
	}
	return (struct str){ st->cells.p + start, st->cells.len - start };
}

static struct bytes get_bytes(struct db_query *q, int cell)
{
	const struct str s = get_text(q, cell);
	return (struct bytes){ (const uint8_t *)s.p, s.len };
}

const struct db_engine engine_clickhouse = {
	.kind = DB_CLICKHOUSE,
	.schema = schema,
	/* Table `store` is made last. */
	.count_own = { { NULL, NULL,
			 "SELECT if(count() > 0, 9, 0) FROM system.tables WHERE "
			 "database = currentDatabase() AND name = 'store'" } },
	.count_others = { { NULL, NULL, NULL } },
	.open = open_server,
	.close = close_server,
	.run = run,
	.begin = begin,
	.commit = commit,
	.rollback = rollback,
	.prepare = prepare,
	.forget = forget,
	.reset = reset,
	.start = start,
	.add = add,
	.row = row,
	.get_int = get_int,
	.get_real = get_real,
	.get_text = get_text,
	.get_bytes = get_bytes,
};
