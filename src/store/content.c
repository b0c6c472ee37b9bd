#include "store/content.h"

#include "snapshot/sizefile.h"

#include <stdio.h>
#include <zstd.h>

/* ---- from a snapshot ------------------------------------------------------------------------- */

static void add_head(struct text *head, const struct snapshot *s)
{
	struct sizefile_segments segments = { { 0 } };
	struct text start = { 0 };
	sizefile_start(&start, &segments, s);
	text_add_varint(head, (s->own ? CONTENT_OWN : 0u) |
				      (s->stored_padding ? CONTENT_PADDING : 0u) |
				      (s->has_components ? CONTENT_COMPONENTS : 0u) |
				      (s->containers.count > 1 ? CONTENT_SEVERAL : 0u));
	text_add_varint(head, segments.list.count);
	for (size_t i = 0; i < segments.list.count; i++) {
		const struct snap_section *g = &segments.list.data[i];
		const struct str name = str_of(g->name);
		text_add_varint(head, g->container);
		text_add_varint(head, name.len);
		text_add(head, name);
		text_add_varint(head, g->count);
	}
	text_add(head, text_str(&start));
	text_release(&start);
	vec_release(&segments.list);
}

/* The texts of a snapshot in the catalog, by number; UINT32_MAX: not there yet. */
struct texts {
	const struct snapshot *s;
	struct catalog *c;
	uint32_t *ids;
};

static uint32_t text_in(struct texts *t, uint32_t id)
{
	if (t->ids[id] == UINT32_MAX)
		t->ids[id] = intern_add(&t->c->texts, snapshot_text(t->s, id));
	return t->ids[id];
}

/* The place of a symbol in the catalog. */
static uint32_t symbol_in(struct texts *t, const struct snap_symbol *y)
{
	const struct known k = {
		.name = text_in(t, y->full_name),
		.section = intern_add(&t->c->texts, str_of(t->s->sections.data[y->section].name)),
		.object = text_in(t, y->object),
		.source = text_in(t, y->source),
		.component = text_in(t, y->component),
		.flags = y->flags,
	};
	return catalog_add(t->c, &k);
}

static struct entry entry_of(const struct snapshot *s, size_t i, bool first,
			     const struct entry *before)
{
	const struct snap_symbol *y = &s->symbols.data[i];
	struct entry e = { .size = y->size, .padding = y->padding };
	e.aliases = y->alias_count > 1 && y->alias_place == 0 ? y->alias_count : 0;
	e.gap = (int64_t)(y->addr - list_place(first ? NULL : before, first ? 0 : y[-1].addr,
					       y->alias_place > 0, y->padding));
	return e;
}

static bool begins_segment(const struct snapshot *s, size_t i)
{
	if (i == 0)
		return true;
	const struct snap_section *a = &s->sections.data[s->symbols.data[i - 1].section];
	const struct snap_section *b = &s->sections.data[s->symbols.data[i].section];
	return a != b &&
	       (a->container != b->container || strcmp(snap_segment(a), snap_segment(b)) != 0);
}

void content_make(struct content *c, struct catalog *catalog, const struct snapshot *s)
{
	const size_t count = s->texts.entries.count;
	struct texts t = { s, catalog, mem_alloc((count + 1) * sizeof *t.ids) };
	memset(t.ids, 0xff, (count + 1) * sizeof *t.ids);
	add_head(&c->head, s);
	vec_reserve(&c->entries.list, s->symbols.count);
	for (size_t i = 0; i < s->symbols.count; i++) {
		struct entry e = entry_of(s, i, begins_segment(s, i),
					  &c->entries.list.data[i > 0 ? i - 1 : 0]);
		e.symbol = symbol_in(&t, &s->symbols.data[i]);
		vec_push(&c->entries.list, e);
	}
	catalog_settle(catalog);
	for (size_t i = 0; i < c->entries.list.count; i++) {
		struct entry *e = &c->entries.list.data[i];
		e->symbol = catalog->list.data[e->symbol].id;
	}
	mem_free(t.ids);
}

void content_release(struct content *c)
{
	text_release(&c->head);
	vec_release(&c->entries.list);
}

bool content_same(const struct content *a, const struct content *b)
{
	const size_t count = a->entries.list.count;
	if (!str_eq(text_str(&a->head), text_str(&b->head)) || count != b->entries.list.count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!entry_same(&a->entries.list.data[i], &b->entries.list.data[i]))
			return false;
	return true;
}

/* ---- to the text of a file ------------------------------------------------------------------- */

struct segment {
	uint64_t container, count;
	struct str name;
};

struct writer {
	const struct content *c;
	struct catalog *catalog;
	struct text *out;
	unsigned flags;
	VEC(struct segment) segments;
	struct str start;
	/* By entry. */
	const struct known **known;
	int64_t *column;
	uint64_t *addrs;
};

static bool read_head(struct writer *w)
{
	const struct str head = text_str(&w->c->head);
	struct reader r = reader_make(head.p, head.len, false);
	w->flags = (unsigned)read_uleb(&r);
	uint64_t total = 0;
	for (uint64_t left = read_uleb(&r); left > 0 && reader_ok(&r); left--) {
		struct segment g = { .container = read_uleb(&r) };
		g.name.len = read_uleb(&r);
		g.name.p = (const char *)read_take(&r, g.name.len);
		g.count = read_uleb(&r);
		total = add_sat(total, g.count);
		if (reader_ok(&r))
			vec_push(&w->segments, g);
	}
	w->start.len = reader_left(&r);
	w->start.p = (const char *)read_take(&r, w->start.len);
	return reader_ok(&r) && total == w->c->entries.list.count;
}

/* Finds symbols and addresses of all entries. */
static bool look_up(struct writer *w)
{
	const struct entry *e = w->c->entries.list.data;
	size_t i = 0;
	uint32_t place;
	catalog_read(w->catalog, &w->c->entries);
	for (size_t n = 0; n < w->segments.count; n++) {
		uint32_t members = 0; /* of the alias list at work, still to come */
		for (uint64_t k = 0; k < w->segments.data[n].count; k++, i++) {
			if (!catalog_find(w->catalog, e[i].symbol, &place))
				return false;
			w->column[i] = place;
			w->addrs[i] = list_place(k > 0 ? &e[i - 1] : NULL,
						 k > 0 ? w->addrs[i - 1] : 0, members > 0,
						 e[i].padding) +
				      (uint64_t)e[i].gap;
			members = members > 0 ? members - 1 : e[i].aliases - (e[i].aliases > 0);
		}
	}
	/* The list moves while it grows. */
	for (i = 0; i < w->c->entries.list.count; i++)
		w->known[i] = &w->catalog->list.data[w->column[i]];
	return true;
}

static void add_signed(struct text *t, int64_t v)
{
	if (v < 0)
		text_add_char(t, '-');
	text_add_number(t, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

static void add_count(struct text *t, uint64_t count)
{
	text_add_number(t, count);
	text_add_char(t, '\n');
}

/* A line a segment of w->column; as differences, the first to 0, if `delta`. */
static void add_column(struct writer *w, bool delta)
{
	size_t i = 0;
	for (size_t n = 0; n < w->segments.count; n++) {
		int64_t last = 0;
		for (uint64_t k = 0; k < w->segments.data[n].count; k++, i++) {
			if (k > 0)
				text_add_char(w->out, ' ');
			add_signed(w->out, w->column[i] - last);
			last = delta ? w->column[i] : 0;
		}
		text_add_char(w->out, '\n');
	}
}

/* Addresses may be above all that is signed. */
static void add_addresses(struct writer *w)
{
	size_t i = 0;
	for (size_t n = 0; n < w->segments.count; n++) {
		uint64_t last = 0;
		for (uint64_t k = 0; k < w->segments.data[n].count; k++, i++) {
			const uint64_t v = w->addrs[i];
			text_add(w->out, k > 0 ? STR(" ") : STR(""));
			text_add(w->out, v < last ? STR("-") : STR(""));
			text_add_number(w->out, v < last ? last - v : v - last);
			last = v;
		}
		text_add_char(w->out, '\n');
	}
}

static void add_segments(struct writer *w)
{
	for (size_t n = 0; n < w->segments.count; n++) {
		const struct segment *g = &w->segments.data[n];
		char container[24] = "";
		if (w->flags & CONTENT_SEVERAL)
			snprintf(container, sizeof container, "<%" PRIu64 ">", g->container);
		text_add(w->out, n > 0 ? STR("\t") : STR(""));
		text_add(w->out, str_of(container));
		text_add(w->out, g->name);
	}
	text_add_char(w->out, '\n');
	for (size_t n = 0; n < w->segments.count; n++) {
		text_add(w->out, n > 0 ? STR("\t") : STR(""));
		text_add_number(w->out, w->segments.data[n].count);
	}
	text_add_char(w->out, '\n');
}

/* The texts that symbols have, one after the other where they differ: a list may have one twice. */
static void number_texts(struct writer *w, struct text *lines, bool paths)
{
	const struct known *last = NULL;
	int64_t count = 0;
	for (size_t i = 0; i < w->c->entries.list.count; i++) {
		const struct known *k = w->known[i];
		if (!last || (paths ? k->object != last->object || k->source != last->source
				    : k->component != last->component)) {
			text_add(lines, catalog_text(w->catalog, paths ? k->object : k->component));
			text_add(lines, paths ? STR("\t") : STR(""));
			text_add(lines, paths ? catalog_text(w->catalog, k->source) : STR(""));
			text_add_char(lines, '\n');
			count++;
		}
		last = k;
		w->column[i] = count - 1;
	}
	struct text all = { 0 };
	add_count(&all, (uint64_t)count);
	text_add(&all, text_str(lines));
	text_release(lines);
	*lines = all;
}

static void add_names(struct writer *w)
{
	char field[24];
	for (size_t i = 0; i < w->c->entries.list.count; i++) {
		const uint32_t aliases = w->c->entries.list.data[i].aliases;
		text_add(w->out, catalog_text(w->catalog, w->known[i]->name));
		snprintf(field, sizeof field, "\t0%" PRIx32, aliases);
		text_add(w->out, aliases > 0 ? str_of(field) : STR(""));
		snprintf(field, sizeof field, "\t%" PRIx32, w->known[i]->flags);
		text_add(w->out, w->known[i]->flags ? str_of(field) : STR(""));
		text_add_char(w->out, '\n');
	}
}

static void add_sizes(struct writer *w)
{
	for (size_t i = 0; i < w->c->entries.list.count; i++) {
		const struct entry *e = &w->c->entries.list.data[i];
		const bool overhead = snap_is_overhead(catalog_text(w->catalog, w->known[i]->name));
		w->column[i] = (int64_t)(e->size + (overhead ? (uint64_t)e->padding : 0));
	}
	add_column(w, false);
	for (size_t i = 0; i < w->c->entries.list.count; i++)
		w->column[i] = w->c->entries.list.data[i].padding;
	if (w->flags & CONTENT_PADDING)
		add_column(w, false);
}

static void add_file(struct writer *w)
{
	struct text paths = { 0 }, components = { 0 };
	text_add(w->out, w->start);
	number_texts(w, &paths, true);
	text_add(w->out, text_str(&paths));
	number_texts(w, &components, false);
	if (w->flags & CONTENT_COMPONENTS)
		text_add(w->out, text_str(&components));
	add_segments(w);
	add_addresses(w);
	add_sizes(w);
	paths.len = components.len = 0;
	number_texts(w, &paths, true);
	add_column(w, true);
	number_texts(w, &components, false);
	if (w->flags & CONTENT_COMPONENTS)
		add_column(w, true);
	add_names(w);
	text_release(&paths);
	text_release(&components);
}

bool content_text(const struct content *c, struct catalog *catalog, struct text *out, bool *ret_own)
{
	const size_t count = c->entries.list.count;
	struct writer w = { .c = c, .catalog = catalog, .out = out };
	w.known = mem_alloc((count + 1) * sizeof *w.known);
	w.column = mem_alloc((count + 1) * sizeof *w.column);
	w.addrs = mem_alloc((count + 1) * sizeof *w.addrs);
	const bool ok = read_head(&w) && look_up(&w);
	if (ok)
		add_file(&w);
	*ret_own = w.flags & CONTENT_OWN;
	vec_release(&w.segments);
	mem_free(w.addrs);
	mem_free(w.column);
	mem_free(w.known);
	return ok;
}

/* ---- bytes that are kept --------------------------------------------------------------------- */

/* What packed bytes may become: so many for each of them, or so many. */
#define UNPACKED_RATIO 1024
#define UNPACKED_MIN   (UINT64_C(64) << 20)

static const struct content nothing;

/* The head with its length, and the steps from the list of the base; packed with the head of the
 * base in mind. */
bool content_pack(const struct content *c, const struct content *base, struct bytes *ret)
{
	const struct content *from = base ? base : &nothing;
	struct text plain = { 0 };
	text_add_varint(&plain, c->head.len);
	text_add(&plain, text_str(&c->head));
	list_encode(&plain, &from->entries, &c->entries);
	const size_t room = ZSTD_compressBound(plain.len);
	uint8_t *packed = mem_alloc(room);
	ZSTD_CCtx *z = ZSTD_createCCtx();
	const size_t size = z ? ZSTD_compress_usingDict(z, packed, room, plain.p, plain.len,
							from->head.p, from->head.len, 6)
			      : 0;
	ZSTD_freeCCtx(z);
	text_release(&plain);
	*ret = (struct bytes){ packed, size };
	return size > 0 && !ZSTD_isError(size);
}

static bool unpack_plain(const struct content *from, struct bytes packed, struct text *ret)
{
	const unsigned long long size = ZSTD_getFrameContentSize(packed.p, packed.size);
	*ret = (struct text){ 0 };
	if (size > max_u64(UNPACKED_MIN, packed.size * UNPACKED_RATIO))
		return false;
	*ret = (struct text){ memory_try(size + 1), 0, size + 1 };
	ZSTD_DCtx *z = ret->p ? ZSTD_createDCtx() : NULL;
	const size_t got = z ? ZSTD_decompress_usingDict(z, ret->p, size, packed.p, packed.size,
							 from->head.p, from->head.len)
			     : 0;
	ZSTD_freeDCtx(z);
	ret->len = size;
	return z && got == size;
}

bool content_unpack(struct content *ret, const struct content *base, struct bytes packed)
{
	const struct content *from = base ? base : &nothing;
	struct text plain;
	bool ok = unpack_plain(from, packed, &plain);
	if (ok) {
		struct reader r = reader_make(plain.p, plain.len, false);
		const uint64_t head = read_uleb(&r);
		const char *p = (const char *)read_take(&r, head);
		if (reader_ok(&r))
			text_add(&ret->head, (struct str){ p, head });
		const uint64_t left = reader_left(&r);
		ok = reader_ok(&r) &&
		     list_decode(&ret->entries, &from->entries,
				 (struct bytes){ (const uint8_t *)read_take(&r, left), left });
	}
	text_release(&plain);
	return ok;
}
