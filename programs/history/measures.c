/* Stores numbers of builds that do not belong to one symbol, such as the size of a folder. */
#include "history/measures.h"

#include "base/sort.h"

static const char all_measures[] = "SELECT id, source, kind, label FROM measures ORDER BY id";

static uint32_t measures_key_of(struct measures *m, struct str source, struct str kind,
				struct str label)
{
	m->key.len = 0;
	text_add_part(&m->key, source);
	text_add_part(&m->key, kind);
	text_add_part(&m->key, label);
	const uint32_t key = intern_add(&m->keys, text_str(&m->key));
	if (key == m->levels.count)
		vec_push(&m->levels, (struct level){ 0 });
	return key;
}

void measures_parts(const struct measures *m, uint32_t key, struct str ret[3])
{
	struct str rest = intern_get(&m->keys, key);
	for (size_t i = 0; i < 3; i++) {
		ret[i] = (struct str){ rest.p, strlen(rest.p) };
		rest.p += ret[i].len + 1;
	}
}

void measures_init(struct measures *m, struct db *db)
{
	uint32_t last = 0;
	*m = (struct measures){ .db = db };
	for (struct db_query *q = db_query(db, all_measures); db_row(q);) {
		const int64_t id = db_int(q, 0);
		if (id <= last || id >= UINT32_MAX) {
			db_fail(db, HEFT_EFORMAT,
				"is damaged: a measure has a number out of range");
			continue;
		}
		const uint32_t key = measures_key_of(m, db_text(q, 1), db_text(q, 2),
						     db_text(q, 3));
		last = m->levels.data[key].id = (uint32_t)id;
		vec_push(&m->known, key);
	}
}

void measures_release(struct measures *m)
{
	intern_release(&m->keys);
	vec_release_all(&m->levels, &m->known);
	text_release(&m->key);
}

struct level *measures_get(struct measures *m, struct str source, struct str kind, struct str label)
{
	const uint32_t key = measures_key_of(m, source, kind, label);
	return &m->levels.data[key];
}

/* Returns the number (struct level) whose row in the table `measures` has this id. NULL if none. */
static struct level *measures_level_of(struct measures *m, int64_t id)
{
	size_t low;
	BISECT(low, 0, m->known.count, i, m->levels.data[m->known.data[i]].id < id);
	struct level *l = low < m->known.count ? &m->levels.data[m->known.data[low]] : NULL;
	return l && l->id == id ? l : NULL;
}

static bool is_in(const uint32_t *chain, size_t count, int64_t build)
{
	size_t low;
	BISECT(low, 0, count, i, chain[i] > build);
	return low < count && chain[low] == build;
}

void measures_read(struct measures *m, const char *source, const uint32_t *chain, size_t count)
{
	static const char of_source[] =
		"SELECT measure, build, now FROM sizes WHERE measure IN (SELECT id FROM measures "
		"WHERE source = $1)";
	struct db_query *q = db_query(m->db, of_source);
	db_put_text(q, str_of(source));
	while (db_row(q)) {
		struct level *l = measures_level_of(m, db_int(q, 0));
		const int64_t build = db_int(q, 1);
		/* Keep the value that the nearest build of the chain stores: the one with the
		 * highest id. */
		if (!l || build <= l->build || !is_in(chain, count, build))
			continue;
		l->build = (uint32_t)build;
		l->was = db_real(q, 2);
	}
}

void measures_take(struct measures *m, const struct measured_row *rows, size_t row_count,
		   const uint32_t *chain, size_t count)
{
	struct intern sources = { { 0 } };
	for (size_t i = 0; i < row_count; i++) {
		const struct str source = str_of(rows[i].source);
		uint32_t place;
		if (!intern_find(&sources, source, &place)) {
			intern_add(&sources, source);
			measures_read(m, rows[i].source, chain, count);
		}
		struct level *l = measures_get(m, source, str_of(rows[i].kind),
					       str_of(rows[i].label));
		l->now += rows[i].value;
		l->given = true;
	}
	intern_release(&sources);
}

bool measures_same(const struct measures *m)
{
	for (size_t i = 0; i < m->levels.count; i++)
		if (m->levels.data[i].was != m->levels.data[i].now)
			return false;
	return true;
}

static void insert_measure(struct measures *m, uint32_t key, uint32_t id)
{
	struct str parts[3];
	measures_parts(m, key, parts);
	struct db_query *q = db_insert(m->db, TABLE_MEASURES);
	db_put(q, id);
	for (size_t i = 0; i < COUNT_OF(parts); i++)
		db_put_text(q, parts[i]);
	db_do(q);
	m->levels.data[key].id = id;
	vec_push(&m->known, key);
}

void measures_write(struct measures *m, uint32_t build)
{
	const uint32_t *last = vec_last(&m->known);
	uint32_t last_id = last ? m->levels.data[*last].id : 0;
	for (uint32_t i = 0; i < m->levels.count; i++) {
		const struct level *l = &m->levels.data[i];
		if (l->id == 0 && (l->given || l->was != l->now))
			insert_measure(m, i, ++last_id);
		if (l->was == l->now)
			continue;
		struct db_query *q = db_insert(m->db, TABLE_SIZES);
		db_put(q, l->id);
		db_put(q, build);
		db_put_real(q, l->was);
		db_put_real(q, l->now);
		db_do(q);
	}
}
