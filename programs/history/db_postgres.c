/* Implements the engine for PostgreSQL, by libpq. libpq is loaded when needed, because it loads a
 * dozen other libraries.
 *
 * Texts of a database are UTF-8 without NUL, but names in programs may be any bytes. So a byte
 * outside valid characters is stored as the character U+EF00 + byte. If a text has one of these 256
 * characters, each of its bytes is stored in the same way. So reading returns what was written. */
#include "base/library.h"
#include "history/engine.h"

#ifdef HEFT_HAVE_POSTGRESQL

#include "base/utf8.h"

#include <libpq-fe.h>
#include <poll.h>
#include <stdio.h>

static const char schema[] = DB_SCHEMA(
	"BIGINT", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "TEXT COLLATE \"C\"",
	"DOUBLE PRECISION", "BYTEA", "", "",
	"CREATE INDEX paths_by_path ON paths USING hash(path);"
	"CREATE INDEX measures_by_label ON measures USING hash(label);");

#define FUNCTIONS(X)                                                                               \
	X(PQconnectStartParams)                                                                    \
	X(PQconnectPoll)                                                                           \
	X(PQsocket)                                                                                \
	X(PQfinish)                                                                                \
	X(PQstatus)                                                                                \
	X(PQerrorMessage)                                                                          \
	X(PQsetNoticeProcessor)                                                                    \
	X(PQconninfoParse)                                                                         \
	X(PQconninfoFree)                                                                          \
	X(PQfreemem)                                                                               \
	X(PQexec)                                                                                  \
	X(PQexecParams)                                                                            \
	X(PQprepare)                                                                               \
	X(PQexecPrepared)                                                                          \
	X(PQresultStatus)                                                                          \
	X(PQresultErrorField)                                                                      \
	X(PQclear)                                                                                 \
	X(PQntuples)                                                                               \
	X(PQnfields)                                                                               \
	X(PQgetvalue)                                                                              \
	X(PQgetlength)                                                                             \
	X(PQputCopyData)                                                                           \
	X(PQputCopyEnd)                                                                            \
	X(PQgetResult)

struct db_postgres_library {
#define MEMBER(name) __typeof__(name) *name;
	FUNCTIONS(MEMBER)
#undef MEMBER
};

static bool db_postgres_load(struct db_postgres_library *ret)
{
	static const char *const files[] = { "libpq.so.5", NULL };
#define FUNCTION(name) { #name, &ret->name },
	const struct library_function functions[] = { FUNCTIONS(FUNCTION) };
#undef FUNCTION
	return library_load(files, functions, COUNT_OF(functions));
}

struct postgres {
	struct db_postgres_library pq;
	PGconn *conn;
	struct text rows[TABLES]; /* Rows in the form of COPY that were not sent yet */
	struct text name;         /* Name of a prepared statement, for PQprepare() */
};

struct statement {
	char name[24];
	PGresult *result;
	int at; /* Current row, from 0 */
	VEC(const char *) params;
	VEC(size_t) places; /* Per parameter: its offset in `texts`. SIZE_MAX for NULL */
	struct text texts;
	struct text cells; /* Decoded cells of the row, if they differ from the server's bytes */
	uint8_t *bytes;
};

static struct postgres *own(const struct db *db)
{
	return db->own;
}

static const struct {
	const char *state; /* SQLSTATE code of an error, or its first letters */
	enum heft_code code;
	const char *text;
} reasons[] = {
	{ "55P03", HEFT_EIO, "is locked by another process; try again when that has ended" },
	{ "53100", HEFT_EIO, "cannot grow: the disk is full; nothing was changed" },
	{ "53200", HEFT_EIO, "is on a server that has no memory; nothing was changed" },
	{ "25006", HEFT_EIO, "cannot be written: the server only lets read" },
	{ "42501", HEFT_EIO, "cannot be used: the server does not permit it" },
	{ "57P", HEFT_EIO, "is gone: its server was shut down; nothing was changed" },
};

/* Records the first line of libpq's message. */
static void say_message(struct db *db, const char *before, const char *message)
{
	const size_t len = strcspn(message, "\n");
	db_say(db, HEFT_EIO, "%s: %.*s", before, (int)len, message);
}

static void say_result(struct db *db, const PGresult *r)
{
	const struct db_postgres_library *pq = &own(db)->pq;
	const char *state = r ? pq->PQresultErrorField(r, PG_DIAG_SQLSTATE) : NULL;
	const char *said = r ? pq->PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY) : NULL;
	for (size_t i = 0; state && i < COUNT_OF(reasons); i++)
		if (strncmp(state, reasons[i].state, strlen(reasons[i].state)) == 0)
			db_say(db, reasons[i].code, "%s", reasons[i].text);
	if (pq->PQstatus(own(db)->conn) == CONNECTION_BAD)
		say_message(db, "is gone, and nothing was changed",
			    pq->PQerrorMessage(own(db)->conn));
	else
		say_message(db, "fails", said ? said : pq->PQerrorMessage(own(db)->conn));
}

/* True if a result is a success. */
static bool is_fine(struct db *db, const PGresult *r)
{
	const ExecStatusType status = r ? own(db)->pq.PQresultStatus(r) : PGRES_FATAL_ERROR;
	if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_COPY_IN)
		return true;
	say_result(db, r);
	return false;
}

static void no_notice(void *ctx, const char *message)
{
	(void)ctx;
	(void)message;
}

/* Rejects an address with a password, in the user part or as an option. False if it is rejected. */
static bool check_address(struct db *db, const char *url)
{
	struct db_postgres_library *pq = &own(db)->pq;
	char *error = NULL;
	PQconninfoOption *options = pq->PQconninfoParse(url, &error);
	bool secret = false;
	if (!options)
		db_say(db, HEFT_EARG, "is no address: write postgresql://[user@]host[:port]/db");
	for (PQconninfoOption *o = options; o && o->keyword; o++)
		secret |= o->val && *o->val && strcmp(o->keyword, "password") == 0;
	if (secret)
		db_say(db, HEFT_EARG, "%s",
		       "was given with a password, which everybody on this machine sees; put it "
		       "into ~/.pgpass");
	pq->PQconninfoFree(options);
	if (error)
		pq->PQfreemem(error);
	return !db->failed;
}

static void db_postgres_run(struct db *db, const char *sql)
{
	PGresult *r = own(db)->pq.PQexec(own(db)->conn, sql);
	is_fine(db, r);
	own(db)->pq.PQclear(r);
}

/* Connects step by step. The handler of notices must be set before the first byte arrives.
 * Otherwise libpq prints the message of a server that is shutting down. */
static void connect_by_steps(struct postgres *p, const char *url)
{
	enum { PATIENCE = 10000 }; /* Milliseconds */
	const char *const words[] = { "dbname", "client_encoding", "fallback_application_name",
				      NULL };
	const char *const values[] = { url, "UTF8", "heft", NULL };
	PostgresPollingStatusType s = PGRES_POLLING_WRITING;
	p->conn = p->pq.PQconnectStartParams(words, values, 1);
	if (p->pq.PQstatus(p->conn) == CONNECTION_BAD)
		return;
	p->pq.PQsetNoticeProcessor(p->conn, no_notice, NULL);
	while (s == PGRES_POLLING_WRITING || s == PGRES_POLLING_READING) {
		struct pollfd fd = { p->pq.PQsocket(p->conn),
				     s == PGRES_POLLING_READING ? POLLIN : POLLOUT, 0 };
		if (poll(&fd, 1, PATIENCE) <= 0)
			return;
		s = p->pq.PQconnectPoll(p->conn);
	}
}

static bool db_postgres_connect_to(struct db *db, const char *url)
{
	struct postgres *p = own(db);
	char set[60];
	connect_by_steps(p, url);
	if (p->pq.PQstatus(p->conn) != CONNECTION_OK) {
		const char *why = p->pq.PQerrorMessage(p->conn);
		say_message(db, "cannot be reached", *why ? why : "it does not answer");
		return false;
	}
	/* JIT is off, because compiling a statement takes longer than running it. */
	snprintf(set, sizeof set, "SET jit = off; SET lock_timeout = %d",
		 db->flags & DB_NO_WAIT ? 1 : DB_PATIENCE);
	db_postgres_run(db, set);
	return !db->failed;
}

static bool open_server(struct db *db, const char *url)
{
	struct postgres *p = mem_zeroed(1, sizeof *p);
	db->own = p;
	if (!db_postgres_load(&p->pq))
		return db_say(db, HEFT_EUNSUPPORTED,
			      "needs libpq.so.5, which is not here (package libpq5)");
	return check_address(db, url) && db_postgres_connect_to(db, url);
}

static void close_server(struct db *db)
{
	struct postgres *p = db->own;
	if (!p)
		return;
	if (p->conn)
		p->pq.PQfinish(p->conn);
	for (size_t i = 0; i < TABLES; i++)
		text_release(&p->rows[i]);
	mem_free(p);
}

/* Appends a byte. Escapes bytes that would end a cell of COPY. */
static void db_postgres_add_byte(struct text *t, char c)
{
	static const char special[] = "\\\n\r\t", letters[] = "\\nrt";
	const char *at = c ? strchr(special, c) : NULL;
	if (at)
		text_add_char(t, '\\');
	text_add_char(t, at ? letters[at - special] : c);
}

static bool is_stand_in(uint32_t c)
{
	return c >= 0xef00 && c <= 0xefff;
}

/* Appends a text in UTF-8. `copy`: in the form of a COPY cell. */
static void db_postgres_add_text(struct text *t, struct str s, bool copy)
{
	char room[4];
	uint32_t c;
	for (size_t i = 0, n; i < s.len; i += n) {
		n = utf8_decode(s, i, &c);
		const bool plain = n > 0 && c != 0 && !is_stand_in(c);
		const struct str out =
			plain ? (struct str){ s.p + i, n }
			      : (struct str){ room, utf8_encode(0xef00 + (uint8_t)s.p[i], room) };
		n = plain ? n : 1;
		if (copy && out.len == 1)
			db_postgres_add_byte(t, *out.p);
		else
			text_add(t, out);
	}
}

static void db_postgres_add_hex(struct text *t, struct str s)
{
	char hex[3];
	text_add(t, STR("\\\\x"));
	for (size_t i = 0; i < s.len; i++) {
		hex_text(hex, (const uint8_t *)s.p + i, 1);
		text_add(t, (struct str){ hex, 2 });
	}
}

static void db_postgres_add_number(struct text *t, const struct db_value *v)
{
	char number[40];
	if (v->type == DB_INT)
		snprintf(number, sizeof number, "%" PRId64, v->integer);
	else
		snprintf(number, sizeof number, "%.17g", v->real);
	text_add(t, str_of(number));
}

static void db_postgres_add(struct db_query *q)
{
	struct text *t = &own(q->db)->rows[q->table - db_tables];
	for (size_t i = 0; i < q->values.count; i++) {
		const struct db_value *v = &q->values.data[i];
		if (i > 0)
			text_add_char(t, '\t');
		switch (v->type) {
		case DB_INT:
		case DB_REAL: db_postgres_add_number(t, v); break;
		case DB_TEXT: db_postgres_add_text(t, db_value_text(q, i), true); break;
		case DB_BYTES: db_postgres_add_hex(t, db_value_text(q, i)); break;
		case DB_NULL: text_add(t, STR("\\N")); break;
		}
	}
	text_add_char(t, '\n');
}

static void copy_rows(struct db *db, const struct db_table_facts *table, struct text *rows)
{
	enum { PIECE = 1 << 20 };
	struct postgres *p = own(db);
	char sql[200];
	snprintf(sql, sizeof sql, "COPY %s(%s) FROM STDIN", table->name, table->columns);
	db_postgres_run(db, sql);
	for (size_t at = 0; at < rows->len && !db->failed; at += PIECE)
		if (p->pq.PQputCopyData(p->conn, rows->p + at,
					(int)min_u64(rows->len - at, PIECE)) != 1)
			say_result(db, NULL);
	if (!db->failed && p->pq.PQputCopyEnd(p->conn, NULL) != 1)
		say_result(db, NULL);
	for (PGresult *r; !db->failed && (r = p->pq.PQgetResult(p->conn)) != NULL;) {
		is_fine(db, r);
		p->pq.PQclear(r);
	}
	rows->len = 0;
}

/* Sends the pending rows, so that statements see them. */
static void send_rows(struct db *db)
{
	for (size_t i = 0; i < TABLES && !db->failed; i++)
		if (own(db)->rows[i].len > 0)
			copy_rows(db, &db_tables[i], &own(db)->rows[i]);
}

/* One lock serves all histories of a database. Its number is 'heft' and 'hist' in ASCII. */
#define LOCK "SELECT pg_advisory_xact_lock(7522531402746262388)"

static void db_postgres_begin(struct db *db, bool writes)
{
	db_postgres_run(db, writes ? "BEGIN" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
	if (writes && !db->failed)
		db_postgres_run(db, LOCK);
}

static void db_postgres_commit(struct db *db)
{
	send_rows(db);
	if (!db->failed)
		db_postgres_run(db, "COMMIT");
}

static void db_postgres_rollback(struct db *db)
{
	struct postgres *p = own(db);
	for (size_t i = 0; i < TABLES; i++)
		p->rows[i].len = 0;
	p->pq.PQclear(p->pq.PQexec(p->conn, "ROLLBACK"));
}

static bool db_postgres_prepare(struct db_query *q)
{
	struct postgres *p = own(q->db);
	if (q->table)
		return true;
	struct statement *st = mem_zeroed(1, sizeof *st);
	snprintf(st->name, sizeof st->name, "heft%zu", q->db->queries.count);
	q->own = st;
	PGresult *r = p->pq.PQprepare(p->conn, st->name, q->text, 0, NULL);
	is_fine(q->db, r);
	p->pq.PQclear(r);
	if (q->db->failed)
		mem_free(st);
	return !q->db->failed;
}

static void db_postgres_reset(struct db_query *q)
{
	struct statement *st = q->own;
	own(q->db)->pq.PQclear(st->result);
	st->result = NULL;
}

static void db_postgres_forget(struct db_query *q)
{
	struct statement *st = q->own;
	if (!st)
		return;
	db_postgres_reset(q);
	vec_release_all(&st->params, &st->places);
	text_release(&st->texts);
	text_release(&st->cells);
	mem_free_all(st->bytes, st);
}

static void add_param(struct text *t, const struct db_query *q, size_t i)
{
	const struct db_value *v = &q->values.data[i];
	if (v->type == DB_INT || v->type == DB_REAL) {
		db_postgres_add_number(t, v);
	} else {
		db_postgres_add_text(t, db_value_text(q, i), false);
	}
	text_add_char(t, '\0');
}

static void db_postgres_start(struct db_query *q)
{
	struct statement *st = q->own;
	struct postgres *p = own(q->db);
	st->texts.len = st->params.count = st->places.count = 0;
	for (size_t i = 0; i < q->values.count; i++) {
		ASSERT(q->values.data[i].type != DB_BYTES);
		vec_push(&st->places, q->values.data[i].type == DB_NULL ? SIZE_MAX : st->texts.len);
		add_param(&st->texts, q, i);
	}
	for (size_t i = 0; i < st->places.count; i++)
		vec_push(&st->params,
			 st->places.data[i] == SIZE_MAX ? NULL : st->texts.p + st->places.data[i]);
	send_rows(q->db);
	st->at = -1;
	if (!q->db->failed)
		st->result = p->pq.PQexecPrepared(p->conn, st->name, (int)st->params.count,
						  st->params.data, NULL, NULL, 0);
	if (!q->db->failed)
		is_fine(q->db, st->result);
}

static bool db_postgres_row(struct db_query *q)
{
	struct statement *st = q->own;
	st->cells.len = 0;
	return ++st->at < own(q->db)->pq.PQntuples(st->result);
}

static struct str db_postgres_cell_of(const struct db_query *q, int cell)
{
	const struct statement *st = q->own;
	const struct db_postgres_library *pq = &own(q->db)->pq;
	return (struct str){ pq->PQgetvalue(st->result, st->at, cell),
			     (size_t)pq->PQgetlength(st->result, st->at, cell) };
}

static int64_t db_postgres_get_int(struct db_query *q, int cell)
{
	return strtoll(db_postgres_cell_of(q, cell).p, NULL, 10);
}

static double db_postgres_get_real(struct db_query *q, int cell)
{
	return strtod(db_postgres_cell_of(q, cell).p, NULL);
}

static bool has_stand_in(struct str s)
{
	for (size_t i = 0; i + 2 < s.len; i++)
		if (s.p[i] == '\xee' && (uint8_t)s.p[i + 1] >= 0xbc)
			return true;
	return false;
}

/* Reserves memory for all cells of the row, so that a cell is valid until the next row. */
static void reserve_row(struct db_query *q)
{
	struct statement *st = q->own;
	const struct db_postgres_library *pq = &own(q->db)->pq;
	size_t all = 1;
	for (int i = 0; i < pq->PQnfields(st->result); i++)
		all += (size_t)pq->PQgetlength(st->result, st->at, i);
	if (st->cells.cap >= all)
		return;
	st->cells.p = mem_resize(st->cells.p, all);
	st->cells.cap = all;
}

static struct str db_postgres_get_text(struct db_query *q, int cell)
{
	struct statement *st = q->own;
	const struct str s = db_postgres_cell_of(q, cell);
	uint32_t c = 0;
	if (!has_stand_in(s))
		return s;
	reserve_row(q);
	const size_t start = st->cells.len;
	for (size_t i = 0, n; i < s.len; i += n) {
		n = utf8_decode(s, i, &c);
		if (n == 3 && is_stand_in(c))
			text_add_char(&st->cells, (char)(c - 0xef00));
		else
			text_add(&st->cells, (struct str){ s.p + i, n ? n : 1 });
		n = n ? n : 1;
	}
	return (struct str){ st->cells.p + start, st->cells.len - start };
}

static uint8_t db_postgres_digit(char c)
{
	return (uint8_t)(c >= 'a' ? c - 'a' + 10 : c - '0');
}

/* Decodes the server's form of bytes, \x0123... */
static struct bytes db_postgres_get_bytes(struct db_query *q, int cell)
{
	struct statement *st = q->own;
	const struct str s = db_postgres_cell_of(q, cell);
	const size_t size = s.len >= 2 ? s.len / 2 - 1 : 0;
	st->bytes = mem_resize(st->bytes, size + 1);
	for (size_t i = 0; i < size; i++)
		st->bytes[i] = (uint8_t)(db_postgres_digit(s.p[2 * i + 2]) << 4 |
					 db_postgres_digit(s.p[2 * i + 3]));
	return (struct bytes){ st->bytes, size };
}

static const struct db_engine engine = {
	.schema = schema,
	.staging = DB_STAGING("TEXT COLLATE \"C\""),
	/* Without statistics, the server assumes that a new table is large. */
	.staged = "ANALYZE staged",
	.count_own = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() "
		     "AND tablename IN (" DB_TABLE_NAMES ")",
	/* Tables of other programs are allowed, because a team may share a database. */
	.count_others = NULL,
	.open = open_server,
	.close = close_server,
	.run = db_postgres_run,
	.begin = db_postgres_begin,
	.commit = db_postgres_commit,
	.rollback = db_postgres_rollback,
	.prepare = db_postgres_prepare,
	.forget = db_postgres_forget,
	.reset = db_postgres_reset,
	.start = db_postgres_start,
	.add = db_postgres_add,
	.row = db_postgres_row,
	.get_int = db_postgres_get_int,
	.get_real = db_postgres_get_real,
	.get_text = db_postgres_get_text,
	.get_bytes = db_postgres_get_bytes,
};

const struct db_engine *const engine_postgres = &engine;

#else

const struct db_engine *const engine_postgres = NULL;

#endif
