/* Finds the symbols of an image by the names that people use. */
#include "program/name_index.h"

#include "base/map.h"
#include "base/sort.h"
#include "image/elf/elf_const.h"
#include "program/go_types.h"
#include "program/symbol_rule.h"

#include <ctype.h>
#include <stdlib.h>

void name_index_init(struct name_index *n, const struct image *im, const struct image *debug,
		     struct symbol_table *table)
{
	*n = (struct name_index){ .im = im, .debug = debug, .table = table };
}

void name_index_release(struct name_index *n)
{
	vec_release_all(&n->list, &n->keys, &n->hex, &n->imports);
	text_release(&n->plain);
	name_forms_release(&n->forms);
}

static void table_list(struct name_index *n, const struct image *im, const struct section *table)
{
	struct symtab t;
	const char *file = NULL;
	if (!table || !symtab_open(&t, im, table))
		return;
	vec_reserve(&n->list, t.count);
	for (size_t i = 1; i < t.count && n->list.count < UINT32_MAX; i++) {
		const struct symbol s = symtab_get(&t, i);
		uint64_t addr;
		if (s.type == STT_FILE)
			file = symbol_source(&s).len > 0 ? s.name.p : NULL;
		if (s.name.len == 0 || !symbol_names_a_place(&s) || !symbol_addr(im, &s, &addr))
			continue;
		const struct section *in = symbol_section(im, &s, addr);
		/* .tbss has no bytes in the image, so no section is found by address. */
		if (!in && s.type == STT_TLS && s.section < im->section_count)
			in = &im->sections[s.section];
		if (in)
			vec_push(&n->list, (struct named_symbol){
						   addr, symbol_size_in(in, &s, addr), s.name.p,
						   s.bind == STB_LOCAL ? file : NULL, in });
	}
}

/* Reads the symbol tables that symbol_table_read() reads, but keeps all names of an address. */
static void symbols_read(struct name_index *n)
{
	if (n->read)
		return;
	n->read = true;
	const struct section *own = image_section_type(n->im, SHT_SYMTAB, 1);
	table_list(n, n->im, own);
	if (n->debug)
		table_list(n, n->debug, image_section_type(n->debug, SHT_SYMTAB, 1));
	if (!own)
		table_list(n, n->im, image_section_type(n->im, SHT_DYNSYM, 1));
}

struct key_maker {
	struct name_index *n;
	uint32_t who;
};

static void key_add(void *ctx, struct str text, enum name_form form)
{
	const struct key_maker *k = ctx;
	const struct name_key key = { hash_bytes(text.p, text.len), k->who, (uint8_t)form };
	vec_push(&k->n->keys, key);
}

static void keys_make(struct name_index *n,
		      void (*texts)(struct name_forms *, struct str, name_form_fn, void *))
{
	n->keys.count = 0;
	for (size_t i = 0; i < n->list.count; i++) {
		struct key_maker k = { n, (uint32_t)i };
		texts(&n->forms, str_of(n->list.data[i].name), key_add, &k);
	}
	vec_sort(&n->keys);
}

struct text_test {
	struct str text;
	enum name_form form; /* Most exact form of a name that matches the text */
	bool known;
};

static void text_compare(void *ctx, struct str text, enum name_form form)
{
	struct text_test *t = ctx;
	if (!str_eq(text, t->text))
		return;
	if (!t->known || form < t->form)
		t->form = form;
	t->known = true;
}

/* Adds a match if the key stands for this text. Other texts may have the same hash. */
static void key_check(struct name_index *n, const struct name_key *k, struct str text,
		      name_matches *ret)
{
	const struct named_symbol *s = &n->list.data[k->who];
	struct text_test t = { .text = text };
	if (n->forms_read)
		name_forms_each(&n->forms, str_of(s->name), text_compare, &t);
	else
		name_forms_of_linker(&n->forms, str_of(s->name), text_compare, &t);
	if (t.known)
		vec_push(ret, (struct name_match){ s->addr, s, t.form });
}

/* Greatest number of symbols that a name may match. Others are ignored. */
enum { MATCHES_MAX = 10000 };

static void keys_find(struct name_index *n, struct str text, name_matches *ret)
{
	const size_t most = ret->count + MATCHES_MAX;
	const uint64_t hash = hash_bytes(text.p, text.len);
	size_t i = vec_lower(&n->keys, hash);
	uint32_t last = UINT32_MAX;
	for (; i < n->keys.count && n->keys.data[i].hash == hash && ret->count < most; i++) {
		if (n->keys.data[i].who != last)
			key_check(n, &n->keys.data[i], text, ret);
		last = n->keys.data[i].who;
	}
}

COMPARISON(match_compare, struct name_match, ORDER(a->addr, b->addr), ORDER(a->form, b->form),
	   ORDER(a->symbol, b->symbol))

static int match_compare_forms(const void *a, const void *b)
{
	const struct name_match *x = a, *y = b;
	return x->form != y->form ? (x->form < y->form ? -1 : 1) : match_compare(a, b);
}

/* Sorts matches by form. Keeps each address once, with its most exact form. */
static void matches_settle(name_matches *m, size_t from)
{
	size_t kept = 0;
	if (m->count == from)
		return;
	struct name_match *list = m->data + from;
	qsort(list, m->count - from, sizeof *list, match_compare);
	for (size_t i = 0; i < m->count - from; i++)
		if (kept == 0 || list[kept - 1].addr != list[i].addr)
			list[kept++] = list[i];
	m->count = from + kept;
	qsort(list, kept, sizeof *list, match_compare_forms);
}

static bool hex_read(struct str digits, uint64_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < digits.len; i++) {
		const int c = tolower((unsigned char)digits.p[i]);
		if (!isxdigit(c) || *ret >> 60 != 0)
			return false;
		*ret = *ret << 4 | (uint64_t)(isdigit(c) ? c - '0' : c - 'a' + 10);
	}
	return digits.len > 0;
}

bool name_is_generated(struct str name, uint64_t *ret_addr)
{
	const struct str start = STR("sub_");
	return str_starts(name, start) &&
	       hex_read((struct str){ name.p + start.len, name.len - start.len }, ret_addr);
}

static void forms_read(struct name_index *n)
{
	size_t count = 0;
	const struct symbol_place *stubs = n->table ? symbol_table_stubs(n->table, &count) : NULL;
	for (size_t i = 0; i < count; i++)
		vec_push(&n->list,
			 (struct named_symbol){ stubs[i].addr, stubs[i].size, stubs[i].name, NULL,
						image_section_at(n->im, stubs[i].addr) });
	keys_make(n, name_forms_each);
	n->forms_read = true;
}

/* Finds the descriptions of a Go type, or the names that descriptions refer to. `text` is "type:"
 * and the type's name, or what go_type_label() calls such names. */
static void go_types_find(const struct name_index *n, struct str text, name_matches *ret)
{
	const struct str start = STR("type:");
	struct go_table g;
	if (!str_starts(text, start) || !go_table_open(&g, n->im, NULL))
		return;
	const struct str label = str_from(text, start.len);
	enum { NAMES_MOST = 1 << 20 }; /* Descriptions and names beyond are ignored */
	const size_t most = ret->count + NAMES_MOST;
	const bool is_name = str_starts(label, STR("."));
	for (uint64_t at = 0; ret->count < most;) {
		at = is_name ? go_types_next_name(&g, n->im, at) : go_types_next(&g, n->im, at);
		if (at == 0)
			break;
		if (str_eq(go_type_label(&g, n->im, at), label))
			vec_push(ret, (struct name_match){ at, NULL, NAME_LINKER });
	}
}

size_t name_index_find(struct name_index *n, struct str text, name_matches *ret)
{
	const size_t from = ret->count;
	const struct str plain = name_plain(&n->plain, text);
	symbols_read(n);
	if (n->keys.count == 0)
		keys_make(n, name_forms_of_linker);
	keys_find(n, plain, ret);
	matches_settle(ret, from);
	if (!n->forms_read && (ret->count == from || ret->data[from].form != NAME_LINKER)) {
		ret->count = from;
		forms_read(n);
		keys_find(n, plain, ret);
		matches_settle(ret, from);
	}
	if (ret->count == from)
		go_types_find(n, text, ret);
	uint64_t addr;
	if (ret->count == from && name_is_generated(plain, &addr) && image_section_at(n->im, addr))
		vec_push(ret, (struct name_match){ addr, NULL, NAME_LINKER });
	ASSERT(ret->count >= from);
	return ret->count - from;
}

size_t name_matches_surest(const name_matches *m, size_t from)
{
	size_t i = from;
	ASSERT(from <= m->count);
	while (i < m->count && m->data[i].form == m->data[from].form)
		i++;
	return i - from;
}

static void hex_name_add(struct name_index *n, const char *linkage)
{
	const struct str name = name_identifier(str_of(linkage));
	size_t digits = 0;
	while (digits < name.len && isxdigit((unsigned char)name.p[digits]))
		digits++;
	if (digits > 0 && digits == name.len)
		vec_push(&n->hex, hash_bytes(name.p, name.len));
}

/* Fills n->hex with the hashes of names that look like hexadecimal numbers. Reads the names from
 * n->table, or without one from the index. */
static void hex_names_read(struct name_index *n)
{
	if (!n->table)
		symbols_read(n);
	for (size_t i = 0; n->table && i < n->table->list.count; i++)
		hex_name_add(n, n->table->list.data[i].name);
	for (size_t i = 0; i < n->list.count; i++)
		hex_name_add(n, n->list.data[i].name);
	vec_sort(&n->hex);
	n->hex_read = true;
}

static bool has_hash(const name_hashes *h, struct str text)
{
	const uint64_t hash = hash_bytes(text.p, text.len);
	const size_t i = vec_lower(h, hash);
	return i < h->count && h->data[i] == hash;
}

bool name_index_has_hex(struct name_index *n, struct str digits)
{
	if (!n->hex_read)
		hex_names_read(n);
	return has_hash(&n->hex, digits);
}

static void import_add(void *ctx, struct str text, enum name_form form)
{
	struct name_index *n = ctx;
	(void)form;
	vec_push(&n->imports, hash_bytes(text.p, text.len));
}

static void imports_read(struct name_index *n, uint32_t type)
{
	const struct section *table = image_section_type(n->im, type, 1);
	struct symtab t;
	if (!table || !symtab_open(&t, n->im, table))
		return;
	for (size_t i = 1; i < t.count; i++) {
		const struct symbol s = symtab_get(&t, i);
		if (s.section == SHN_UNDEF && s.name.len > 0)
			name_forms_each(&n->forms, s.name, import_add, n);
	}
}

bool name_index_has_import(struct name_index *n, struct str text)
{
	if (!n->imports_read) {
		imports_read(n, SHT_SYMTAB);
		imports_read(n, SHT_DYNSYM);
		vec_sort(&n->imports);
	}
	n->imports_read = true;
	return has_hash(&n->imports, name_plain(&n->plain, text));
}
