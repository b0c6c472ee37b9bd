/* Makes the virtual SQLite tables of symbols and of charges (struct snap_charge). */
#include "query/query_table.h"

#include "map/paths.h"
#include "names/namespace.h"
#include "compare/charge_pairs.h"
#include "map/rows.h"
#include "snapshot/symbol_label.h"
#include "stack/depths.h"

struct query_table_cell {
	const struct snapshot *s;
	const struct snap_symbol *y;
	sqlite3_context *to;
};

static void query_table_put_str(const struct query_table_cell *c, struct str s)
{
	/* SQLite takes lengths as int. */
	sqlite3_result_text(c->to, s.p, s.len < INT32_MAX ? (int)s.len : INT32_MAX, SQLITE_STATIC);
}

static void query_table_put_text(const struct query_table_cell *c, uint32_t id)
{
	query_table_put_str(c, snapshot_text(c->s, id));
}

static void put_int(const struct query_table_cell *c, int64_t n)
{
	sqlite3_result_int64(c->to, n);
}

static void put_real(const struct query_table_cell *c, double x)
{
	sqlite3_result_double(c->to, x);
}

static const struct snap_section *query_table_section_of(const struct query_table_cell *c)
{
	return &c->s->sections.data[c->y->section];
}

static int64_t query_table_id_of(const struct query_table_cell *c)
{
	return c->y - c->s->symbols.data;
}

static const char *query_table_kind_of(const struct query_table_cell *c)
{
	const struct str name = snapshot_text(c->s, c->y->full_name);
	if (snap_is_literal(name))
		return "literal";
	if (snap_is_overhead(name))
		return "overhead";
	if (name.len > 0 && name.p[0] == '*')
		return "placeholder";
	if (query_table_section_of(c)->code)
		return "code";
	return query_table_section_of(c)->native ? "data" : "other";
}

static struct str directory_of(const struct query_table_cell *c)
{
	const uint32_t path = snap_path(c->y);
	return path ? path_directory(snapshot_text(c->s, path), 0) : STR("");
}

/* Sets the cell to the hash of the contents. Fails for a snapshot without hashes, because all
 * symbols would differ. */
static void put_contents(const struct query_table_cell *c)
{
	if (c->s->own && !c->s->has_contents)
		sqlite3_result_error(c->to,
				     "the snapshot was made without contents "
				     "(HEFT_SNAPSHOT_CONTENTS)",
				     -1);
	else if (!c->s->own)
		sqlite3_result_error(c->to,
				     "a .size file does not hold the contents of symbols; ask the "
				     "program itself",
				     -1);
	else if (c->y->contents.whole != 0)
		sqlite3_result_int64(c->to, (int64_t)c->y->contents.whole);
}

/* Sets the cell to the stack size or, if `besides`, its caveats. Fails without stacks. */
static void query_table_put_stack(const struct query_table_cell *c, bool besides)
{
	struct text words = { 0 };
	if (!c->s->has_stacks) {
		sqlite3_result_error(c->to,
				     c->s->own ? "the snapshot was made without stacks "
						 "(HEFT_SNAPSHOT_STACKS), or has none"
					       : "the .size file was made without --stacks",
				     -1);
		return;
	}
	if (c->y->stack == 0)
		return;
	if (!besides) {
		put_int(c, (int64_t)c->y->stack - 1);
		return;
	}
	stack_told_words(&words, c->y->stack_besides, NULL);
	sqlite3_result_text(c->to, words.len > 0 ? words.p : "", (int)words.len, SQLITE_TRANSIENT);
	text_release(&words);
}

/* Sets the cell to how certain it is who owns the symbol's first byte. NULL without an owner. */
static void query_table_put_sure(const struct query_table_cell *c)
{
	const struct snap_section *sec = query_table_section_of(c);
	if (!c->s->own || c->s->sure.count == 0) {
		sqlite3_result_error(c->to,
				     c->s->own ? "the snapshot was made without sureness "
						 "(HEFT_SNAPSHOT_SURE), or has none"
					       : "a .size file does not hold how sure owners are; "
						 "ask the program itself",
				     -1);
		return;
	}
	const label_id word = sec->in_memory && c->y->size > 0 && sec->container < c->s->sure.count
				      ? spans_label(&c->s->sure.data[sec->container], c->y->addr)
				      : LABEL_NONE;
	if (word < SURE_WORDS)
		query_table_put_str(c, str_of(sure_words[word]));
}

/* Columns of a table after its id: name, type, and the call that returns the value. */
#define COLUMN_NAME(name, type, value)    C_##name,
#define COLUMN_DECLARE(name, type, value) ", " #name " " #type
#define COLUMN_CASE(name, type, value)                                                             \
	case C_##name: value; break;

#define SYMBOL_COLUMNS(X)                                                                          \
	X(container, TEXT,                                                                         \
	  query_table_put_str(c, str_of(c->s->containers.data[sec->container].name)))              \
	X(section, TEXT, query_table_put_str(c, str_of(sec->name)))                                \
	X(letter, TEXT, query_table_put_str(c, (struct str){ &sec->letter, 1 }))                   \
	X(in_file, INTEGER, put_int(c, sec->in_file))                                              \
	X(in_memory, INTEGER, put_int(c, sec->in_memory))                                          \
	X(address, INTEGER, put_int(c, (int64_t)y->addr))                                          \
	X(own, INTEGER, put_int(c, (int64_t)y->size))                                              \
	X(padding, INTEGER, put_int(c, y->padding))                                                \
	X(padded, INTEGER, put_int(c, (int64_t)y->size + y->padding))                              \
	X(own_pss, REAL, put_real(c, (double)y->size / y->alias_count))                            \
	X(padding_pss, REAL, put_real(c, (double)y->padding / y->alias_count))                     \
	X(padded_pss, REAL, put_real(c, snap_pss(y)))                                              \
	X(aliases, INTEGER, put_int(c, y->alias_count))                                            \
	X(alias_group, INTEGER, put_int(c, query_table_id_of(c) - y->alias_place))                 \
	X(name, TEXT, query_table_put_text(c, y->name))                                            \
	X(template_name, TEXT, query_table_put_text(c, y->template_name))                          \
	X(full_name, TEXT, query_table_put_text(c, y->full_name))                                  \
	X(namespace, TEXT, query_table_put_str(c, name_qualifier(snapshot_text(c->s, y->name))))   \
	X(kind, TEXT, query_table_put_str(c, str_of(query_table_kind_of(c))))                      \
	X(path, TEXT, query_table_put_text(c, snap_path(y)))                                       \
	X(directory, TEXT, query_table_put_str(c, directory_of(c)))                                \
	X(source, TEXT, query_table_put_text(c, y->source))                                        \
	X(object, TEXT, query_table_put_text(c, y->object))                                        \
	X(component, TEXT, query_table_put_text(c, y->component))                                  \
	X(generated, INTEGER, put_int(c, (y->flags & SNAP_GENERATED) != 0))                        \
	X(anonymous, INTEGER, put_int(c, (y->flags & SNAP_ANONYMOUS) != 0))                        \
	X(clone, INTEGER, put_int(c, (y->flags & SNAP_CLONE) != 0))                                \
	X(startup, INTEGER, put_int(c, (y->flags & SNAP_STARTUP) != 0))                            \
	X(hot, INTEGER, put_int(c, (y->flags & SNAP_HOT) != 0))                                    \
	X(unlikely, INTEGER, put_int(c, (y->flags & SNAP_UNLIKELY) != 0))                          \
	X(flags, INTEGER, put_int(c, y->flags))                                                    \
	X(contents, INTEGER HIDDEN, put_contents(c))                                               \
	X(disassembly, TEXT HIDDEN, query_table_put_text(c, y->disassembly))                       \
	X(stack, INTEGER HIDDEN, query_table_put_stack(c, false))                                  \
	X(stack_besides, TEXT HIDDEN, query_table_put_stack(c, true))                              \
	X(sure, TEXT HIDDEN, query_table_put_sure(c))

static void query_table_put_column(const struct query_table_cell *c, int column)
{
	enum { C_id, SYMBOL_COLUMNS(COLUMN_NAME) };
	const struct snap_symbol *y = c->y;
	const struct snap_section *sec = query_table_section_of(c);
	switch (column) {
	case C_id:
		put_int(c, query_table_id_of(c));
		break;
		SYMBOL_COLUMNS(COLUMN_CASE)
	}
}

/* Returns a charge with the bytes of a symbol, for a snapshot without charges. */
static struct snap_charge charge_of_symbol(const struct snapshot *s, uint32_t symbol)
{
	const struct snap_symbol *y = &s->symbols.data[symbol];
	return (struct snap_charge){ .name = y->full_name,
				     .source = y->source,
				     .object = y->object,
				     .component = y->component,
				     .container = s->sections.data[y->section].container,
				     .symbol = symbol };
}

static const char *charge_kind(const struct snapshot *s, const struct snap_charge *c)
{
	static const char *const words[] = {
		[HEFT_ROW_NAME] = "symbol",     [HEFT_ROW_SECTION] = "section",
		[HEFT_ROW_HEADER] = "header",   [HEFT_ROW_FALLBACK] = "fallback",
		[HEFT_ROW_LITERAL] = "literal",
	};
	const struct str name = snapshot_text(s, c->name);
	return words[snap_is_literal(name) ? HEFT_ROW_LITERAL : rows_kind(name)];
}

/* Sets the cell to the size of a charge. If charges were made from symbols, this is the size with
 * padding, divided by the number of the symbol's names. */
static void put_charge_size(const struct query_table_cell *c, const struct snap_charge *charge,
			    bool vm)
{
	if (c->s->charges.count > 0) {
		put_real(c, (double)(vm ? charge->vm : charge->file));
		return;
	}
	const struct snap_section *sec = query_table_section_of(c);
	const bool known = !vm || c->s->by_heft || !sec->in_file;
	const bool counts = !vm ? sec->in_file : c->s->by_heft ? sec->in_memory : true;
	if (known)
		put_real(c, counts ? snap_pss(c->y) : 0);
}

static void put_charge_path(const struct query_table_cell *c, const struct snap_charge *charge)
{
	if (c->y)
		query_table_put_text(c, snap_path(c->y));
	else if (charge_is_fallback(c->s, charge->name) || charge_is_fallback(c->s, charge->source))
		query_table_put_str(c, STR(""));
	else
		query_table_put_text(c, charge->source);
}

#define CHARGE_COLUMNS(X)                                                                          \
	X(symbol, INTEGER, c->y ? put_int(c, query_table_id_of(c)) : (void)0)                      \
	X(container, TEXT,                                                                         \
	  query_table_put_str(c, str_of(c->s->containers.data[charge->container].name)))           \
	X(name, TEXT, query_table_put_text(c, charge->name))                                       \
	X(namespace, TEXT,                                                                         \
	  query_table_put_str(c, charge_label(c->s, charge, HEFT_DIFF_BY_NAMESPACE)))              \
	X(kind, TEXT, query_table_put_str(c, str_of(charge_kind(c->s, charge))))                   \
	X(path, TEXT, put_charge_path(c, charge))                                                  \
	X(source, TEXT, query_table_put_text(c, charge->source))                                   \
	X(directory, TEXT,                                                                         \
	  query_table_put_str(c, charge_label(c->s, charge, HEFT_DIFF_BY_DIRECTORY)))              \
	X(object, TEXT, query_table_put_text(c, charge->object ? charge->object : charge->source)) \
	X(component, TEXT, query_table_put_text(c, charge->component))                             \
	X(package, TEXT, query_table_put_str(c, charge_label(c->s, charge, HEFT_DIFF_BY_PACKAGE))) \
	X(file, REAL, put_charge_size(c, charge, false))                                           \
	X(vm, REAL, put_charge_size(c, charge, true))                                              \
	X(debug, INTEGER, put_int(c, charge->debug))

static void put_charge_column(const struct query_table_cell *c, const struct snap_charge *charge,
			      size_t at, int column)
{
	enum { C_id, CHARGE_COLUMNS(COLUMN_NAME) };
	switch (column) {
	case C_id:
		put_int(c, (int64_t)at);
		break;
		CHARGE_COLUMNS(COLUMN_CASE)
	}
}

struct query_table {
	sqlite3_vtab base; /* SQLite's part. Must be the first field */
	const struct snapshot *s;
	bool charges; /* True for a table of charges, false for symbols */
};

struct query_table_cursor {
	sqlite3_vtab_cursor base; /* Must be the first field */
	size_t at, end;
};

static int query_table_open(sqlite3 *db, const struct snapshot *s, bool charges, sqlite3_vtab **ret)
{
	static const char symbol_table[] =
		"CREATE TABLE symbols(id INTEGER PRIMARY KEY" SYMBOL_COLUMNS(COLUMN_DECLARE) ")";
	static const char charge_table[] =
		"CREATE TABLE charges(id INTEGER PRIMARY KEY" CHARGE_COLUMNS(COLUMN_DECLARE) ")";
	const int status = sqlite3_declare_vtab(db, charges ? charge_table : symbol_table);
	if (status != SQLITE_OK)
		return status;
	struct query_table *t = sqlite3_malloc(sizeof *t);
	if (!t)
		return SQLITE_NOMEM;
	*t = (struct query_table){ .s = s, .charges = charges };
	*ret = &t->base;
	return SQLITE_OK;
}

static int table_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
			 sqlite3_vtab **ret, char **message)
{
	(void)argc, (void)argv, (void)message;
	return query_table_open(db, aux, false, ret);
}

static int charges_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
			   sqlite3_vtab **ret, char **message)
{
	(void)argc, (void)argv, (void)message;
	return query_table_open(db, aux, true, ret);
}

static int table_disconnect(sqlite3_vtab *base)
{
	sqlite3_free(base);
	return SQLITE_OK;
}

/* Chooses a plan. Plan 1: one symbol by its id. Plan 0: all. */
static int table_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const double count = (double)((struct query_table *)base)->s->symbols.count;
	info->estimatedCost = count;
	info->estimatedRows = (sqlite3_int64)count;
	for (int i = 0; i < info->nConstraint; i++) {
		const int column = info->aConstraint[i].iColumn;
		if (!info->aConstraint[i].usable || column > 0 ||
		    info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		info->aConstraintUsage[i].argvIndex = 1;
		info->idxNum = 1;
		info->estimatedCost = 1;
		info->estimatedRows = 1;
		break;
	}
	return SQLITE_OK;
}

static int cursor_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
	(void)base;
	struct query_table_cursor *c = sqlite3_malloc(sizeof *c);
	if (!c)
		return SQLITE_NOMEM;
	*c = (struct query_table_cursor){ 0 };
	*ret = &c->base;
	return SQLITE_OK;
}

static int cursor_close(sqlite3_vtab_cursor *base)
{
	sqlite3_free(base);
	return SQLITE_OK;
}

static size_t row_count(const sqlite3_vtab_cursor *base)
{
	const struct query_table *t = (const struct query_table *)base->pVtab;
	const size_t charges = t->charges ? t->s->charges.count : 0;
	return charges > 0 ? charges : t->s->symbols.count;
}

static int cursor_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
			 sqlite3_value **argv)
{
	struct query_table_cursor *c = (struct query_table_cursor *)base;
	(void)text;
	c->at = 0;
	c->end = row_count(base);
	if (plan != 1 || argc != 1)
		return SQLITE_OK;
	/* SQLite checks the equality again, so a value that is not an integer finds nothing. */
	const sqlite3_int64 id = sqlite3_value_int64(argv[0]);
	if (id < 0 || (uint64_t)id >= c->end) {
		c->end = 0;
		return SQLITE_OK;
	}
	c->at = (size_t)id;
	c->end = c->at + 1;
	return SQLITE_OK;
}

static int cursor_next(sqlite3_vtab_cursor *base)
{
	((struct query_table_cursor *)base)->at++;
	return SQLITE_OK;
}

static int cursor_eof(sqlite3_vtab_cursor *base)
{
	const struct query_table_cursor *c = (const struct query_table_cursor *)base;
	return c->at >= c->end;
}

static int cursor_column(sqlite3_vtab_cursor *base, sqlite3_context *to, int column)
{
	const struct query_table *t = (const struct query_table *)base->pVtab;
	const struct snapshot *s = t->s;
	const size_t at = ((const struct query_table_cursor *)base)->at;
	if (t->charges) {
		const struct snap_charge c = s->charges.count > 0
						     ? s->charges.data[at]
						     : charge_of_symbol(s, (uint32_t)at);
		const struct snap_symbol *y = c.symbol == SNAP_NO_SYMBOL
						      ? NULL
						      : &s->symbols.data[c.symbol];
		put_charge_column(&(struct query_table_cell){ s, y, to }, &c, at, column);
		return SQLITE_OK;
	}
	query_table_put_column(&(struct query_table_cell){ s, &s->symbols.data[at], to }, column);
	return SQLITE_OK;
}

static int cursor_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
	*ret = (sqlite3_int64)((const struct query_table_cursor *)base)->at;
	return SQLITE_OK;
}

int query_table_add(sqlite3 *db, const char *name, const struct snapshot *s, bool charges)
{
	/* Without xCreate, the table exists immediately, under the module's name. */
#define MODULE(connect)                                                                            \
	{                                                                                          \
		.xConnect = (connect),                                                             \
		.xBestIndex = table_best_index,                                                    \
		.xDisconnect = table_disconnect,                                                   \
		.xOpen = cursor_open,                                                              \
		.xClose = cursor_close,                                                            \
		.xFilter = cursor_filter,                                                          \
		.xNext = cursor_next,                                                              \
		.xEof = cursor_eof,                                                                \
		.xColumn = cursor_column,                                                          \
		.xRowid = cursor_rowid,                                                            \
	}
	static const sqlite3_module modules[] = { MODULE(table_connect), MODULE(charges_connect) };
#undef MODULE
	return sqlite3_create_module_v2(db, name, &modules[charges], (void *)(uintptr_t)s, NULL);
}
