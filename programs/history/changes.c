/* Writes the changes of a build as rows of the database. */
#include "history/changes.h"

#include "base/fnv.h"

/* The fields that identify a symbol in the store. Its size is not one of them. */
enum part { NAME, SECTION, SOURCE, OBJECT, COMPONENT, PARTS };

/* Sum over all symbols with one key: bytes in the file and the VM image, in the base and now. */
struct sum {
	double was, now, vm_was, vm_now;
};
struct changes_sums {
	struct intern keys; /* Keys. A symbol's key is all its fields, each with a NUL */
	VEC(struct sum) list;
	struct text key;
};

static void sums_release(struct changes_sums *s)
{
	intern_release(&s->keys);
	vec_release(&s->list);
	text_release(&s->key);
}

static struct sum *changes_sum_of(struct changes_sums *s, struct str key)
{
	const uint32_t id = intern_add(&s->keys, key);
	if (id == s->list.count)
		vec_push(&s->list, (struct sum){ 0 });
	return &s->list.data[id];
}

static void parts_add(struct changes_sums *s, const char *const parts[PARTS], double file,
		      double vm, bool before)
{
	s->key.len = 0;
	for (size_t k = 0; k < PARTS; k++)
		text_add(&s->key, (struct str){ parts[k], strlen(parts[k]) + 1 });
	struct sum *sum = changes_sum_of(s, text_str(&s->key));
	*(before ? &sum->was : &sum->now) += file;
	*(before ? &sum->vm_was : &sum->vm_now) += vm;
}

/* The symbol of a struct heft_snapshot_charge, with its full name and its section. */
struct charged_symbol {
	size_t number;
	struct heft_snapshot_symbol y;
	struct heft_snapshot_section section;
};

static void charge_add(struct changes_sums *s, const struct heft_snapshot *of, size_t i,
		       struct charged_symbol *last, bool before)
{
	struct heft_snapshot_charge c = { .size = sizeof c };
	if (!heft_snapshot_charge(of, i, &c, NULL))
		return;
	if (c.symbol != HEFT_NO_SYMBOL && c.symbol != last->number) {
		ASSERT(heft_snapshot_symbol(of, c.symbol, &last->y, NULL));
		ASSERT(heft_snapshot_section(of, last->y.section, &last->section, NULL));
		last->number = c.symbol;
	}
	const bool named = c.symbol != HEFT_NO_SYMBOL;
	const char *const parts[PARTS] = { named ? last->y.name : c.name,
					   named ? last->section.name : "", c.source, c.object,
					   c.component };
	static const char *const debug[PARTS] = { "[debug info]", "", "", "", "" };
	parts_add(s, c.debug ? debug : parts, (double)c.file, (double)c.vm, before);
}

/* Returns the bytes of a symbol in a SuperSize list, which has no charges: its own bytes, or its
 * padding if it has none, divided by its number of aliases. */
static double own_of(const struct heft_snapshot_symbol *y)
{
	return (y->own > 0 ? (double)y->own : (double)y->padding) / y->aliases;
}

static void uncharged_add(struct changes_sums *s, const struct heft_snapshot *of, bool before)
{
	struct heft_snapshot_symbol y = { .size = sizeof y };
	struct heft_snapshot_section section = { .size = sizeof section };
	size_t at = SIZE_MAX; /* Index of the last section found. SIZE_MAX: none yet */
	for (size_t i = 0; heft_snapshot_symbol(of, i, &y, NULL); i++) {
		if (y.section != at && heft_snapshot_section(of, y.section, &section, NULL))
			at = y.section;
		const char *const parts[PARTS] = { y.name, section.name, y.source, y.object,
						   y.component };
		parts_add(s, parts, own_of(&y), own_of(&y), before);
	}
}

static void sums_add(struct changes_sums *s, const struct heft_snapshot *of, bool before)
{
	struct charged_symbol last = { SIZE_MAX,
				       { .size = sizeof last.y },
				       { .size = sizeof last.section } };
	const size_t count = heft_snapshot_charge_count(of);
	if (count == 0)
		uncharged_add(s, of, before);
	for (size_t i = 0; i < count; i++)
		charge_add(s, of, i, &last, before);
}

/* Removes rounding errors from a sum. Shared bytes that are divided equally cause them. */
static double clean(double v)
{
	const double whole = v < 0 ? -(double)(uint64_t)(0.5 - v) : (double)(uint64_t)(v + 0.5);
	return v - whole < 1e-6 && whole - v < 1e-6 ? whole : v;
}

/* Makes two sums equal if they differ only by rounding: their terms had another order. */
static void pair_clean(double *was, double *now)
{
	*was = clean(*was);
	*now = clean(*now);
	if (*now - *was < 1e-6 && *was - *now < 1e-6)
		*now = *was;
}

static void parts_of(const struct changes_sums *s, uint32_t id, struct str ret[PARTS])
{
	const char *p = intern_get(&s->keys, id).p;
	for (size_t i = 0; i < PARTS; i++) {
		ret[i] = str_of(p);
		p += ret[i].len + 1;
	}
}

static void measure_add(struct measures *m, const char *source, struct str label,
			const struct sum *by)
{
	struct level *l = measures_get(m, str_of(source), STR("file"), label);
	l->was += by->was;
	l->now += by->now;
	l = measures_get(m, str_of(source), STR("vm"), label);
	l->was += by->vm_was;
	l->now += by->vm_now;
}

/* Adds a path's bytes to the measures. A component counts once. A source or object counts for each
 * folder above it. */
static void path_measure(struct measures *m, enum part part, struct str path, const struct sum *by)
{
	if (part == COMPONENT && path.len > 0)
		measure_add(m, "component", path, by);
	for (size_t i = 0; i < path.len && part != COMPONENT; i++)
		if (path.p[i] == '/')
			measure_add(m, part == SOURCE ? "source" : "object",
				    (struct str){ path.p, i + 1 }, by);
}

/* Adds the bytes of symbols to the measures of their paths. Sums up symbols by path first, because
 * many have the same path. */
static void paths_measure(struct measures *m, enum part part, const struct changes_sums *symbols)
{
	struct changes_sums paths = { .keys = { { 0 } } };
	struct str parts[PARTS];
	for (uint32_t i = 0; i < symbols->list.count; i++) {
		const struct sum *by = &symbols->list.data[i];
		parts_of(symbols, i, parts);
		struct sum *sum = changes_sum_of(&paths, parts[part]);
		sum->was += by->was;
		sum->now += by->now;
		sum->vm_was += by->vm_was;
		sum->vm_now += by->vm_now;
	}
	for (uint32_t i = 0; i < paths.list.count; i++)
		path_measure(m, part, intern_get(&paths.keys, i), &paths.list.data[i]);
	sums_release(&paths);
}

static void folders_measure(struct measures *m, const struct changes_sums *symbols)
{
	static const enum part parts[] = { SOURCE, COMPONENT, OBJECT };
	for (size_t i = 0; i < COUNT_OF(parts); i++)
		paths_measure(m, parts[i], symbols);
	for (size_t i = 0; i < m->levels.count; i++)
		pair_clean(&m->levels.data[i].was, &m->levels.data[i].now);
}

static void stage_row(struct db *db, const struct changes_sums *s, uint32_t id)
{
	const struct str key = intern_get(&s->keys, id);
	struct str parts[PARTS];
	parts_of(s, id, parts);
	struct db_query *q = db_insert(db, TABLE_STAGED);
	db_put(q, (int64_t)fnv_add(FNV_START, key.p, key.len));
	for (size_t i = 0; i < PARTS; i++)
		db_put_text(q, parts[i]);
	db_put_real(q, s->list.data[id].was);
	db_put_real(q, s->list.data[id].now);
	db_put_real(q, s->list.data[id].vm_was);
	db_put_real(q, s->list.data[id].vm_now);
	db_do(q);
}

/* Rows that were added to the table `staged` name symbols. Finds these symbols in the store, and
 * adds new ones. The hash covers all fields of a symbol, so hash and name identify it. CROSS JOIN
 * makes SQLite begin with the staged rows. */
static void staged_settle(struct db *db, uint32_t build)
{
	static const char paths[] =
		"INSERT INTO paths(path) SELECT section FROM staged UNION SELECT source FROM "
		"staged UNION SELECT object FROM staged UNION SELECT component FROM staged "
		"EXCEPT SELECT path FROM paths";
	static const char symbols[] =
		"INSERT INTO symbols(hash, name, section, object, source, component) "
		"SELECT t.hash, t.name, a.id, o.id, s.id, c.id FROM (SELECT * FROM staged x WHERE "
		"NOT EXISTS (SELECT 1 FROM symbols y WHERE y.hash = x.hash AND y.name = x.name)) "
		"t CROSS JOIN paths a CROSS JOIN paths o CROSS JOIN paths s CROSS JOIN paths c "
		"WHERE a.path = t.section AND o.path = t.object AND s.path = t.source AND "
		"c.path = t.component";
	static const char changes[] =
		"INSERT INTO changes(symbol, build, was, now, vm_was, vm_now) SELECT y.id, "
		"CAST($1 AS BIGINT), t.was, t.now, t.vm_was, t.vm_now FROM staged t CROSS JOIN "
		"symbols y WHERE y.hash = t.hash AND "
		"y.name = t.name";
	db_settle_staged(db);
	db_do(db_query(db, paths));
	db_do(db_query(db, symbols));
	struct db_query *q = db_query(db, changes);
	db_put(q, build);
	db_do(q);
}

void changes_write(struct db *db, uint32_t build, const struct heft_snapshot *base,
		   const struct heft_snapshot *now, struct measures *sums)
{
	struct changes_sums symbols = { .keys = { { 0 } } };
	if (base)
		sums_add(&symbols, base, true);
	sums_add(&symbols, now, false);
	for (uint32_t i = 0; i < symbols.list.count; i++) {
		struct sum *sum = &symbols.list.data[i];
		pair_clean(&sum->was, &sum->now);
		pair_clean(&sum->vm_was, &sum->vm_now);
		if (sum->was != sum->now || sum->vm_was != sum->vm_now)
			stage_row(db, &symbols, i);
	}
	staged_settle(db, build);
	folders_measure(sums, &symbols);
	sums_release(&symbols);
}

static int64_t changes_section_bytes(const struct heft_snapshot_section *s)
{
	return s->symbol_size + s->padding;
}

struct build_sizes build_sizes(const struct heft_snapshot *s)
{
	struct heft_snapshot_section sec = { .size = sizeof sec };
	struct build_sizes sizes = { 0, 0 };
	for (size_t i = 0; heft_snapshot_section(s, i, &sec, NULL); i++) {
		const uint64_t size = (uint64_t)changes_section_bytes(&sec);
		sizes.file += sec.in_file ? size : 0;
		sizes.vm += sec.in_memory ? size : 0;
	}
	return sizes;
}

static void section_insert(struct db *db, uint32_t build, const struct heft_snapshot_section *s,
			   int64_t size)
{
	static const char path[] =
		"INSERT INTO paths(path) SELECT CAST($1 AS TEXT) WHERE NOT EXISTS (SELECT 1 "
		"FROM paths WHERE path = $1)";
	static const char row[] = "INSERT INTO sections(section, build, size, in_file, in_memory) "
				  "SELECT id, CAST($1 AS BIGINT), CAST($2 AS BIGINT), CAST($3 AS "
				  "BIGINT), CAST($4 AS BIGINT) FROM paths WHERE path = $5";
	struct db_query *q = db_query(db, path);
	db_put_text(q, str_of(s->name));
	db_do(q);
	q = db_query(db, row);
	db_put(q, build);
	db_put(q, size);
	db_put(q, s->in_file);
	db_put(q, s->in_memory);
	db_put_text(q, str_of(s->name));
	db_do(q);
}

/* Adds rows for sections. Sections with the same name share one row. */
void sections_write(struct db *db, uint32_t build, const struct heft_snapshot *s)
{
	struct heft_snapshot_section sec = { .size = sizeof sec };
	VEC(struct heft_snapshot_section) rows = { 0 };
	struct intern names = { { 0 } };
	for (size_t i = 0; heft_snapshot_section(s, i, &sec, NULL); i++) {
		const uint32_t place = intern_add(&names, str_of(sec.name));
		if (place == rows.count) {
			vec_push(&rows, sec);
			continue;
		}
		struct heft_snapshot_section *row = &rows.data[place];
		row->symbol_size += sec.symbol_size;
		row->padding += sec.padding;
		row->in_file |= sec.in_file;
		row->in_memory |= sec.in_memory;
	}
	for (size_t i = 0; i < rows.count; i++)
		section_insert(db, build, &rows.data[i], changes_section_bytes(&rows.data[i]));
	vec_release(&rows);
	intern_release(&names);
}
