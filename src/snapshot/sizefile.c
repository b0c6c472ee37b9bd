/* Writes `.size` files. */
#include "snapshot/sizefile_internal.h"

#include "base/gzip.h"
#include "base/sort.h"

#include <stdio.h>
#include <stdlib.h>

void sizefile_add_text(struct text *out, struct str s)
{
	size_t plain = 0; /* All bytes before this index are written */
	for (size_t i = 0; i < s.len; i++) {
		const uint8_t c = (uint8_t)s.p[i];
		char escape[8];
		if (c != '\t' && c != '\n' && c < 0x80)
			continue;
		snprintf(escape, sizeof escape, "\\x%02x", c);
		text_adds(out, (struct str){ s.p + plain, i - plain }, str_of(escape));
		plain = i + 1;
	}
	if (plain < s.len)
		text_add(out, (struct str){ s.p + plain, s.len - plain });
}

static void add_signed(struct text *t, int64_t v)
{
	if (v < 0)
		text_add_char(t, '-');
	text_add_number(t, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

static void sizefile_add_hex(struct text *t, uint64_t v)
{
	char digits[20];
	snprintf(digits, sizeof digits, "%" PRIx64, v);
	text_add(t, str_of(digits));
}

static void add_line_number(struct text *t, uint64_t v)
{
	text_add_number(t, v);
	text_add_char(t, '\n');
}

/* The distinct texts, or pairs of paths, in file order. of_symbol: per symbol, index in `keys` */
struct sizefile_index {
	VEC(uint64_t) keys; /* (object << 32) | source, sorted by text */
	uint32_t *of_symbol;
};

static uint64_t path_key(const struct snap_symbol *y)
{
	return (uint64_t)y->object << 32 | y->source;
}

static uint64_t component_key(const struct snap_symbol *y)
{
	return y->component;
}

struct sizefile_place {
	uint64_t key;
	struct str first, second;
	uint32_t symbol;
};

COMPARISON(compare_places, struct sizefile_place, str_cmp(a->first, b->first),
	   str_cmp(a->second, b->second))

/* Lists the distinct keys of all symbols in ascending order. Returns their number. */
static size_t distinct_keys(const struct snapshot *s, uint64_t (*key)(const struct snap_symbol *),
			    uint64_t *keys)
{
	size_t count = 0;
	for (size_t i = 0; i < s->symbols.count; i++)
		keys[i] = key(&s->symbols.data[i]);
	qsort(keys, s->symbols.count, sizeof *keys, compare_numbers);
	for (size_t i = 0; i < s->symbols.count; i++)
		if (count == 0 || keys[count - 1] != keys[i])
			keys[count++] = keys[i];
	return count;
}

static void index_make(struct sizefile_index *ret, const struct snapshot *s,
		       uint64_t (*key)(const struct snap_symbol *))
{
	const size_t symbols = s->symbols.count;
	uint64_t *keys = mem_alloc((symbols + 1) * sizeof *keys);
	const size_t count = distinct_keys(s, key, keys);
	struct sizefile_place *places = mem_alloc((count + 1) * sizeof *places);
	uint32_t *rank = mem_alloc((count + 1) * sizeof *rank);
	for (size_t i = 0; i < count; i++)
		places[i] = (struct sizefile_place){ keys[i],
						     snapshot_text(s, (uint32_t)(keys[i] >> 32)),
						     snapshot_text(s, (uint32_t)keys[i]),
						     (uint32_t)i };
	qsort(places, count, sizeof *places, compare_places);
	for (size_t i = 0; i < count; i++) {
		rank[places[i].symbol] = (uint32_t)i;
		vec_push(&ret->keys, places[i].key);
	}
	ret->of_symbol = mem_alloc((symbols + 1) * sizeof *ret->of_symbol);
	for (size_t i = 0; i < symbols; i++) {
		const uint64_t wanted = key(&s->symbols.data[i]);
		const uint64_t *at = bsearch(&wanted, keys, count, sizeof *at, compare_numbers);
		ret->of_symbol[i] = rank[at - keys];
	}
	mem_free_all(rank, places, keys);
}

static void index_release(struct sizefile_index *i)
{
	vec_release(&i->keys);
	mem_free(i->of_symbol);
}

struct snapshot_sizefile_out {
	struct text text;
	const struct snapshot *s;
	struct sizefile_head head;
	struct sizefile_index paths, components;
	/* Segments in file order. Only name, container, first and count are set. */
	struct {
		VEC(struct snap_section) list;
	} segments;
};

static void sizefile_find_head(struct snapshot_sizefile_out *o)
{
	const struct snapshot *s = o->s;
	o->head.several = s->containers.count > 1;
	o->head.has_padding = s->sparse || s->stored_padding;
	o->head.has_components = s->has_components;
	for (size_t i = 0; i < s->symbols.count; i++)
		o->head.has_disassembly |= s->symbols.data[i].disassembly != 0;
}

/* Orders sections by their symbols, and finds their segments. Sections without symbols are last. */
static void sizefile_find_order(struct snapshot_sizefile_out *o)
{
	const struct snapshot *s = o->s;
	struct snap_section *last = NULL;
	for (size_t i = 0; i < s->symbols.count;) {
		const struct snap_section *sec = &s->sections.data[s->symbols.data[i].section];
		const char *name = snap_segment(sec);
		ASSERT(sec->first == i && sec->count > 0);
		if (!last || last->container != sec->container || strcmp(last->name, name) != 0) {
			vec_push(&o->segments.list,
				 (struct snap_section){
					 .container = sec->container, .name = name, .first = i });
			last = &o->segments.list.data[o->segments.list.count - 1];
		}
		last->count += sec->count;
		vec_push(&o->head.sections, *sec);
		i += sec->count;
	}
	for (size_t i = 0; i < s->sections.count; i++)
		if (s->sections.data[i].count == 0)
			vec_push(&o->head.sections, s->sections.data[i]);
}

static void add_header(struct snapshot_sizefile_out *o)
{
	struct text json = { 0 };
	sizefile_json_write(&json, o->s, &o->head);
	text_add(&o->text, STR(SIZEFILE_CREATED "\n"));
	text_add(&o->text, o->head.several ? STR(SIZEFILE_V1_1 "\n") : STR(SIZEFILE_V1 "\n"));
	add_line_number(&o->text, json.len);
	text_adds(&o->text, text_str(&json), STR("\n"));
	text_release(&json);
}

static void sizefile_add_paths(struct snapshot_sizefile_out *o)
{
	add_line_number(&o->text, o->paths.keys.count);
	for (size_t i = 0; i < o->paths.keys.count; i++) {
		const uint64_t key = o->paths.keys.data[i];
		sizefile_add_text(&o->text, snapshot_text(o->s, (uint32_t)(key >> 32)));
		text_add_char(&o->text, '\t');
		sizefile_add_text(&o->text, snapshot_text(o->s, (uint32_t)key));
		text_add_char(&o->text, '\n');
	}
}

static void add_components(struct snapshot_sizefile_out *o)
{
	if (!o->head.has_components)
		return;
	add_line_number(&o->text, o->components.keys.count);
	for (size_t i = 0; i < o->components.keys.count; i++) {
		sizefile_add_text(&o->text,
				  snapshot_text(o->s, (uint32_t)o->components.keys.data[i]));
		text_add_char(&o->text, '\n');
	}
}

static void sizefile_add_segments(struct snapshot_sizefile_out *o)
{
	for (size_t i = 0; i < o->segments.list.count; i++) {
		const struct snap_section *sec = &o->segments.list.data[i];
		char container[16] = "";
		if (o->head.several)
			snprintf(container, sizeof container, "<%" PRIu32 ">", sec->container);
		text_adds(&o->text, i > 0 ? STR("\t") : STR(""), str_of(container),
			  str_of(sec->name));
	}
	text_add_char(&o->text, '\n');
	for (size_t i = 0; i < o->segments.list.count; i++) {
		text_add(&o->text, i > 0 ? STR("\t") : STR(""));
		text_add_number(&o->text, o->segments.list.data[i].count);
	}
	text_add_char(&o->text, '\n');
}

/* Appends the difference of two unsigned numbers: kernels' addresses are too high for signed
 * ones. */
static void add_difference(struct text *t, uint64_t v, uint64_t last)
{
	if (v < last)
		text_add_char(t, '-');
	text_add_number(t, v < last ? last - v : v - last);
}

/* Writes a line per segment, with a number per symbol. `delta`: writes the difference to the number
 * before it in the line, or to 0. */
static void add_numbers(struct snapshot_sizefile_out *o,
			int64_t (*number)(const struct snapshot_sizefile_out *, size_t), bool delta)
{
	vec_each(const struct snap_section, sec, &o->segments.list) {
		int64_t last = 0;
		for (size_t j = 0; j < sec->count; j++) {
			const int64_t v = number(o, sec->first + j);
			text_add(&o->text, j > 0 ? STR(" ") : STR(""));
			if (delta)
				add_difference(&o->text, (uint64_t)v, (uint64_t)last);
			else
				add_signed(&o->text, v);
			last = v;
		}
		text_add_char(&o->text, '\n');
	}
}

static int64_t sizefile_address_of(const struct snapshot_sizefile_out *o, size_t i)
{
	return (int64_t)o->s->symbols.data[i].addr;
}

static int64_t sizefile_size_of(const struct snapshot_sizefile_out *o, size_t i)
{
	const struct snap_symbol *y = &o->s->symbols.data[i];
	const bool overhead = snap_is_overhead(snapshot_text(o->s, y->full_name));
	return (int64_t)y->size + (overhead ? y->padding : 0);
}

static int64_t padding_of(const struct snapshot_sizefile_out *o, size_t i)
{
	return o->s->symbols.data[i].padding;
}

static int64_t sizefile_path_of(const struct snapshot_sizefile_out *o, size_t i)
{
	return o->paths.of_symbol[i];
}

static int64_t sizefile_component_of(const struct snapshot_sizefile_out *o, size_t i)
{
	return o->components.of_symbol[i];
}

static void sizefile_add_symbol(struct snapshot_sizefile_out *o, const struct snap_symbol *y)
{
	sizefile_add_text(&o->text, snapshot_text(o->s, y->full_name));
	if (y->alias_count > 1 && y->alias_place == 0) {
		text_add(&o->text, STR("\t0"));
		sizefile_add_hex(&o->text, y->alias_count);
	}
	if (y->flags != 0) {
		text_add_char(&o->text, '\t');
		sizefile_add_hex(&o->text, y->flags);
	}
	text_add_char(&o->text, '\n');
}

static void add_disassembly(struct snapshot_sizefile_out *o)
{
	bool any = false;
	if (!o->head.has_disassembly)
		return;
	for (size_t i = 0; i < o->s->symbols.count; i++) {
		if (o->s->symbols.data[i].disassembly == 0)
			continue;
		text_add(&o->text, any ? STR(" ") : STR(""));
		text_add_number(&o->text, i);
		any = true;
	}
	text_add_char(&o->text, '\n');
	for (size_t i = 0; i < o->s->symbols.count; i++) {
		const struct str text = snapshot_text(o->s, o->s->symbols.data[i].disassembly);
		if (o->s->symbols.data[i].disassembly == 0)
			continue;
		add_line_number(&o->text, text.len);
		text_add(&o->text, text);
	}
}

/* The texts of charges (struct snap_charge) in the order of their first use. Those for paths come
 * first, because they are few and frequent, so that their numbers are short */
struct charge_texts {
	const struct snapshot *s;
	uint32_t *number; /* Per text id: the text's number in the file, from 1. 0 if unused */
	VEC(uint32_t) ids;
	uint32_t places; /* Number of texts at the start of `ids` that are paths, packages and so
			  * on. Names of charges follow */
	uint32_t names;  /* Number of the last text whose number is in the file already */
};

/* Tells how the file states the name of a struct snap_charge: 0 its symbol's full name, 1 the plain
 * name, 2 a text. */
static uint64_t name_of_symbol(const struct snapshot *s, const struct snap_charge *c)
{
	const struct snap_symbol *y = c->symbol == SNAP_NO_SYMBOL ? NULL
								  : &s->symbols.data[c->symbol];
	if (y && c->name == y->full_name)
		return 0;
	return c->name == SNAP_PLAIN_NAME || (y && c->name == y->name) ? 1 : 2;
}

static void charge_text_use(struct charge_texts *t, uint32_t id)
{
	if (id == 0 || t->number[id] > 0)
		return;
	vec_push(&t->ids, id);
	t->number[id] = (uint32_t)t->ids.count;
}

static void charge_texts_find(struct charge_texts *t, const struct snapshot *s)
{
	*t = (struct charge_texts){
		.s = s, .number = mem_zeroed(s->texts.entries.count + 1, sizeof *t->number)
	};
	vec_each(const struct snap_charge, c, &s->charges) {
		charge_text_use(t, c->space);
		charge_text_use(t, c->source);
		charge_text_use(t, c->object);
		charge_text_use(t, c->component);
		charge_text_use(t, c->package);
	}
	t->places = t->names = (uint32_t)t->ids.count;
	vec_each(const struct snap_charge, c, &s->charges)
		if (name_of_symbol(s, c) == 2)
			charge_text_use(t, c->name);
}

static uint64_t charge_name(struct charge_texts *t, const struct snap_charge *c)
{
	const uint64_t of_symbol = name_of_symbol(t->s, c);
	if (of_symbol < 2)
		return of_symbol;
	if (t->number[c->name] > t->names) {
		t->names++;
		return 2;
	}
	return (uint64_t)t->number[c->name] + 2;
}

static uint64_t charge_number(struct charge_texts *t, const struct snap_charge *c, unsigned column)
{
	switch (column) {
	case CHARGE_FILE:
	case CHARGE_VM: return c->file;
	case CHARGE_SYMBOL: return c->symbol == SNAP_NO_SYMBOL ? 0 : (uint64_t)c->symbol + 1;
	case CHARGE_NAME: return charge_name(t, c);
	case CHARGE_SPACE: return t->number[c->space];
	case CHARGE_SOURCE: return t->number[c->source];
	case CHARGE_OBJECT: return t->number[c->object];
	case CHARGE_COMPONENT: return t->number[c->component];
	case CHARGE_PACKAGE: return t->number[c->package];
	case CHARGE_CONTAINER: return c->container;
	default: return c->debug;
	}
}

/* Consecutive charges with the same number in a column */
struct charge_run {
	uint64_t value, base; /* The file has value - base */
	uint64_t count;
};

static void charge_run_write(struct text *t, const struct charge_run *r)
{
	add_difference(t, r->value, r->base);
	if (r->count > 1) {
		text_add_char(t, '*');
		text_add_number(t, r->count);
	}
}

static void charge_column_write(struct text *to, struct charge_texts *t, unsigned column)
{
	const struct snapshot *s = t->s;
	struct charge_run run = { 0 };
	uint64_t last = 0;
	vec_each(const struct snap_charge, c, &s->charges) {
		const uint64_t value = charge_number(t, c, column);
		const uint64_t base = column == CHARGE_SYMBOL ? last
				      : column == CHARGE_VM   ? c->vm
							      : 0;
		last = value;
		if (run.count > 0 && column != CHARGE_FILE &&
		    value - base == run.value - run.base &&
		    (value < base) == (run.value < run.base)) {
			run.count++;
			continue;
		}
		if (run.count > 0) {
			charge_run_write(to, &run);
			text_add_char(to, ' ');
		}
		run = (struct charge_run){ value, base, 1 };
	}
	charge_run_write(to, &run);
	text_add_char(to, '\n');
}

static void sizefile_add_charges(struct snapshot_sizefile_out *o)
{
	struct charge_texts t;
	if (o->head.charges == 0)
		return;
	charge_texts_find(&t, o->s);
	add_line_number(&o->text, t.places);
	add_line_number(&o->text, t.ids.count);
	for (size_t i = 0; i < t.ids.count; i++) {
		sizefile_add_text(&o->text, snapshot_text(o->s, t.ids.data[i]));
		text_add_char(&o->text, '\n');
	}
	for (unsigned column = 0; column < CHARGE_COLUMNS; column++)
		charge_column_write(&o->text, &t, column);
	mem_free(t.number);
	vec_release(&t.ids);
}

static void sizefile_add_symbols(struct snapshot_sizefile_out *o)
{
	sizefile_add_segments(o);
	add_numbers(o, sizefile_address_of, true);
	add_numbers(o, sizefile_size_of, false);
	if (o->head.has_padding)
		add_numbers(o, padding_of, false);
	add_numbers(o, sizefile_path_of, true);
	if (o->head.has_components)
		add_numbers(o, sizefile_component_of, true);
	for (size_t i = 0; i < o->s->symbols.count; i++)
		sizefile_add_symbol(o, &o->s->symbols.data[i]);
	add_disassembly(o);
	sizefile_add_charges(o);
}

/* Compression level of snapshots that heft made. QUICK takes 1/7 of the time of level 9 and 6 %
 * more bytes. Parts of PART bytes are packed in parallel. */
enum { QUICK = 5, PART = 1 << 20 };

struct text sizefile_text(const struct snapshot *s)
{
	struct snapshot_sizefile_out o = { .s = s };
	sizefile_find_head(&o);
	o.head.charges = s->by_heft ? s->charges.count : 0;
	sizefile_find_order(&o);
	index_make(&o.paths, s, path_key);
	index_make(&o.components, s, component_key);
	add_header(&o);
	sizefile_add_paths(&o);
	add_components(&o);
	sizefile_add_symbols(&o);
	index_release(&o.paths);
	index_release(&o.components);
	vec_release_all(&o.segments.list, &o.head.sections);
	return o.text;
}

bool sizefile_write(struct sizefile_out *ret, const struct snapshot *s, struct heft_err *err)
{
	struct bytes packed = { NULL, 0 };
	struct text text = sizefile_text(s);
	const struct bytes plain = { (const uint8_t *)text.p, text.len };
	const bool ok = s->by_heft ? gzip_pack_parts(plain, QUICK, PART, ret->threads, &packed, err)
				   : gzip_pack(plain, &packed, err);
	text_release(&text);
	if (!ok)
		return false;
	vec_reserve(&ret->bytes, packed.size);
	memcpy(ret->bytes.data + ret->bytes.count, packed.p, packed.size);
	ret->bytes.count += packed.size;
	mem_free((void *)(uintptr_t)packed.p);
	return true;
}
