/* Makes the virtual SQLite tables of symbols and charges. */
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

static void put_flag(const struct query_table_cell *c, unsigned flag)
{
	sqlite3_result_int(c->to, (c->y->flags & flag) != 0);
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

enum column {
	C_ID,
	C_CONTAINER,
	C_SECTION,
	C_LETTER,
	C_IN_FILE,
	C_IN_MEMORY,
	C_ADDRESS,
	C_OWN,
	C_PADDING,
	C_PADDED,
	C_OWN_PSS,
	C_PADDING_PSS,
	C_PADDED_PSS,
	C_ALIASES,
	C_ALIAS_GROUP,
	C_NAME,
	C_TEMPLATE_NAME,
	C_FULL_NAME,
	C_NAMESPACE,
	C_KIND,
	C_PATH,
	C_DIRECTORY,
	C_SOURCE,
	C_OBJECT,
	C_COMPONENT,
	C_GENERATED,
	C_ANONYMOUS,
	C_CLONE,
	C_STARTUP,
	C_HOT,
	C_UNLIKELY,
	C_FLAGS,
	C_CONTENTS,
	C_DISASSEMBLY,
	C_STACK,
	C_STACK_BESIDES,
	C_SURE,
};

static const char declaration[] =
	"CREATE TABLE symbols(id INTEGER PRIMARY KEY, container TEXT, section TEXT, letter TEXT, "
	"in_file INTEGER, in_memory INTEGER, address INTEGER, own INTEGER, padding INTEGER, "
	"padded INTEGER, own_pss REAL, padding_pss REAL, padded_pss REAL, aliases INTEGER, "
	"alias_group INTEGER, name TEXT, template_name TEXT, "
	"full_name TEXT, namespace TEXT, kind TEXT, path TEXT, directory TEXT, source TEXT, "
	"object TEXT, component TEXT, generated INTEGER, anonymous INTEGER, clone INTEGER, "
	"startup INTEGER, hot INTEGER, unlikely INTEGER, flags INTEGER, contents INTEGER HIDDEN, "
	"disassembly TEXT HIDDEN, stack INTEGER HIDDEN, stack_besides TEXT HIDDEN, "
	"sure TEXT HIDDEN)";

static void query_table_put_size(const struct query_table_cell *c, enum column column)
{
	const struct snap_symbol *y = c->y;
	switch (column) {
	case C_ADDRESS: sqlite3_result_int64(c->to, (int64_t)y->addr); break;
	case C_OWN: sqlite3_result_int64(c->to, (int64_t)y->size); break;
	case C_PADDING: sqlite3_result_int64(c->to, y->padding); break;
	case C_PADDED: sqlite3_result_int64(c->to, (int64_t)y->size + y->padding); break;
	case C_OWN_PSS: sqlite3_result_double(c->to, (double)y->size / y->alias_count); break;
	case C_PADDING_PSS:
		sqlite3_result_double(c->to, (double)y->padding / y->alias_count);
		break;
	case C_PADDED_PSS: sqlite3_result_double(c->to, snap_pss(y)); break;
	case C_ALIASES: sqlite3_result_int64(c->to, y->alias_count); break;
	default: sqlite3_result_int64(c->to, query_table_id_of(c) - y->alias_place); break;
	}
}

static void put_flag_column(const struct query_table_cell *c, enum column column)
{
	switch (column) {
	case C_GENERATED: put_flag(c, SNAP_GENERATED); break;
	case C_ANONYMOUS: put_flag(c, SNAP_ANONYMOUS); break;
	case C_CLONE: put_flag(c, SNAP_CLONE); break;
	case C_STARTUP: put_flag(c, SNAP_STARTUP); break;
	case C_HOT: put_flag(c, SNAP_HOT); break;
	case C_UNLIKELY: put_flag(c, SNAP_UNLIKELY); break;
	default: sqlite3_result_int(c->to, c->y->flags); break;
	}
}

static void query_table_put_place(const struct query_table_cell *c, enum column column)
{
	const struct snap_section *sec = query_table_section_of(c);
	switch (column) {
	case C_ID: sqlite3_result_int64(c->to, query_table_id_of(c)); break;
	case C_CONTAINER:
		query_table_put_str(c, str_of(c->s->containers.data[sec->container].name));
		break;
	case C_SECTION: query_table_put_str(c, str_of(sec->name)); break;
	case C_LETTER: query_table_put_str(c, (struct str){ &sec->letter, 1 }); break;
	case C_IN_FILE: sqlite3_result_int(c->to, sec->in_file); break;
	default: sqlite3_result_int(c->to, sec->in_memory); break;
	}
}

/* Returns the contents' hash. Fails for a snapshot without hashes, where all symbols would
 * differ. */
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

/* Fails for a snapshot without stacks, where functions would seem to need none. */
static void query_table_put_stack(const struct query_table_cell *c, enum column column)
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
	if (column == C_STACK) {
		sqlite3_result_int64(c->to, (int64_t)c->y->stack - 1);
		return;
	}
	stack_told_words(&words, c->y->stack_besides, NULL);
	sqlite3_result_text(c->to, words.len > 0 ? words.p : "", (int)words.len, SQLITE_TRANSIENT);
	text_release(&words);
}

/* Returns how sure the owner of the symbol's first byte is. NULL without an owner. */
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

static void query_table_put_column(const struct query_table_cell *c, enum column column)
{
	const struct snap_symbol *y = c->y;
	switch (column) {
	case C_NAME: query_table_put_text(c, y->name); break;
	case C_TEMPLATE_NAME: query_table_put_text(c, y->template_name); break;
	case C_FULL_NAME: query_table_put_text(c, y->full_name); break;
	case C_NAMESPACE:
		query_table_put_str(c, name_qualifier(snapshot_text(c->s, y->name)));
		break;
	case C_KIND: query_table_put_str(c, str_of(query_table_kind_of(c))); break;
	case C_PATH: query_table_put_text(c, snap_path(y)); break;
	case C_DIRECTORY: query_table_put_str(c, directory_of(c)); break;
	case C_SOURCE: query_table_put_text(c, y->source); break;
	case C_OBJECT: query_table_put_text(c, y->object); break;
	case C_COMPONENT: query_table_put_text(c, y->component); break;
	case C_CONTENTS: put_contents(c); break;
	case C_DISASSEMBLY: query_table_put_text(c, y->disassembly); break;
	case C_SURE: query_table_put_sure(c); break;
	case C_STACK:
	case C_STACK_BESIDES: query_table_put_stack(c, column); break;
	default:
		if (column <= C_IN_MEMORY)
			query_table_put_place(c, column);
		else if (column <= C_ALIAS_GROUP)
			query_table_put_size(c, column);
		else
			put_flag_column(c, column);
	}
}

enum charge_column {
	CC_ID,
	CC_SYMBOL,
	CC_CONTAINER,
	CC_NAME,
	CC_NAMESPACE,
	CC_KIND,
	CC_PATH,
	CC_SOURCE,
	CC_DIRECTORY,
	CC_OBJECT,
	CC_COMPONENT,
	CC_PACKAGE,
	CC_FILE,
	CC_VM,
	CC_DEBUG,
};

static const char charge_declaration[] =
	"CREATE TABLE charges(id INTEGER PRIMARY KEY, symbol INTEGER, container TEXT, name TEXT, "
	"namespace TEXT, kind TEXT, path TEXT, source TEXT, directory TEXT, object TEXT, "
	"component TEXT, package TEXT, file REAL, vm REAL, debug INTEGER)";

/* Returns a charge made from a symbol, for a snapshot without charges. */
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

/* Returns the size of a charge. If charges were made from symbols: the size with padding, divided
 * by the number of the symbol's names. */
static void put_charge_size(const struct query_table_cell *c, const struct snap_charge *charge,
			    bool vm)
{
	if (c->s->charges.count > 0) {
		sqlite3_result_double(c->to, (double)(vm ? charge->vm : charge->file));
		return;
	}
	const struct snap_section *sec = query_table_section_of(c);
	const bool known = !vm || c->s->by_heft || !sec->in_file;
	const bool counts = !vm ? sec->in_file : c->s->by_heft ? sec->in_memory : true;
	if (known)
		sqlite3_result_double(c->to, counts ? snap_pss(c->y) : 0);
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

static void put_charge_column(const struct query_table_cell *c, const struct snap_charge *charge,
			      size_t at, enum charge_column column)
{
	switch (column) {
	case CC_ID: sqlite3_result_int64(c->to, (sqlite3_int64)at); break;
	case CC_SYMBOL:
		if (c->y)
			sqlite3_result_int64(c->to, query_table_id_of(c));
		break;
	case CC_CONTAINER:
		query_table_put_str(c, str_of(c->s->containers.data[charge->container].name));
		break;
	case CC_NAME: query_table_put_text(c, charge->name); break;
	case CC_NAMESPACE:
		query_table_put_str(c, charge_label(c->s, charge, HEFT_DIFF_BY_NAMESPACE));
		break;
	case CC_KIND: query_table_put_str(c, str_of(charge_kind(c->s, charge))); break;
	case CC_PATH: put_charge_path(c, charge); break;
	case CC_SOURCE: query_table_put_text(c, charge->source); break;
	case CC_DIRECTORY:
		query_table_put_str(c, charge_label(c->s, charge, HEFT_DIFF_BY_DIRECTORY));
		break;
	case CC_OBJECT:
		query_table_put_text(c, charge->object ? charge->object : charge->source);
		break;
	case CC_COMPONENT: query_table_put_text(c, charge->component); break;
	case CC_PACKAGE:
		query_table_put_str(c, charge_label(c->s, charge, HEFT_DIFF_BY_PACKAGE));
		break;
	case CC_FILE: put_charge_size(c, charge, false); break;
	case CC_VM: put_charge_size(c, charge, true); break;
	case CC_DEBUG: sqlite3_result_int(c->to, charge->debug); break;
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
	const int status = sqlite3_declare_vtab(db, charges ? charge_declaration : declaration);
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
		if (!info->aConstraint[i].usable || (column > C_ID) ||
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
		put_charge_column(&(struct query_table_cell){ s, y, to }, &c, at,
				  (enum charge_column)column);
		return SQLITE_OK;
	}
	query_table_put_column(&(struct query_table_cell){ s, &s->symbols.data[at], to },
			       (enum column)column);
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
