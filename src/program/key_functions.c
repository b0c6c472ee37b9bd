/* Finds the key functions of classes, by names of symbols and pointers in vtables. */
#include "program/key_functions.h"

#include "base/sort.h"
#include "image/elf/elf_const.h"

/* A symbol "_ZTV", "_ZTI", "_ZTS" or "_ZTT" of a class. */
struct class_table {
	uint64_t hash; /* Hash of `type` */
	uint64_t addr, size;
	struct str type; /* The mangled type: "1K", "N2ns1KE" */
	bool functions;  /* True for a virtual table */
};

/* A pointer to code in a virtual table: its address is `place` */
struct table_slot {
	uint64_t target, place;
	uint32_t table; /* Index in key_finder.virtuals */
};

struct virtual_table {
	uint64_t addr, size;
	struct str type;
	uint64_t key_place; /* Address of the pointer to the first function, or UINT64_MAX */
	uint64_t key;       /* Address of the first function */
};

struct key_finder {
	const struct image *im, *in;
	struct symtab symbols;
	VEC(struct class_table) tables;
	VEC(struct virtual_table) virtuals; /* Sorted by address */
	VEC(struct table_slot) slots;       /* Sorted by target */
};

/* True if a mangled type may be an instance of a template. An instance has no key function,
 * although one unit may define a specialized function of it. */
static bool may_be_instance(struct str type)
{
	for (size_t i = 0; i < type.len;) {
		size_t len = 0;
		if (type.p[i] == 'I' ||
		    (type.p[i] == 'S' && i + 1 < type.len && type.p[i + 1] != 't'))
			return true;
		for (; i < type.len && type.p[i] >= '0' && type.p[i] <= '9'; i++)
			len = min_u64(len * 10 + (size_t)(type.p[i] - '0'), type.len);
		i += len > 0 ? len : 1;
	}
	return false;
}

/* Reads a symbol, if it is a table of a class that may have a key function. gcc makes the tables of
 * other classes weak. */
static bool class_table_read(const struct key_finder *k, const struct symbol *s,
			     struct class_table *ret)
{
	const char kind = s->name.len > 4 && str_starts(s->name, STR("_ZT")) ? s->name.p[3] : 0;
	if (s->bind == STB_LOCAL || s->size == 0 ||
	    (kind != 'V' && kind != 'I' && kind != 'S' && kind != 'T') ||
	    !symbol_addr(k->in, s, &ret->addr))
		return false;
	ret->size = s->size;
	ret->type = (struct str){ s->name.p + 4, s->name.len - 4 };
	if (s->bind != STB_GLOBAL && may_be_instance(ret->type))
		return false;
	ret->hash = hash_bytes(ret->type.p, ret->type.len);
	ret->functions = kind == 'V';
	return true;
}

static void tables_list(struct key_finder *k)
{
	for (size_t i = 1; i < k->symbols.count; i++) {
		const struct symbol s = symtab_get(&k->symbols, i);
		struct class_table t;
		if (!class_table_read(k, &s, &t))
			continue;
		vec_push(&k->tables, t);
		if (t.functions)
			vec_push(&k->virtuals,
				 (struct virtual_table){ t.addr, t.size, t.type, UINT64_MAX, 0 });
	}
	vec_sort(&k->tables);
	vec_sort(&k->virtuals);
}

static void slot_add(struct key_finder *k, uint32_t table, uint64_t place, uint64_t target)
{
	const struct section *to = image_section_at(k->im, target);
	if (to && to->exec)
		vec_push(&k->slots, (struct table_slot){ target, place, table });
}

/* Lists pointers of virtual tables from the file: at fixed addresses, no relocation lists them. */
static void slots_of_file(struct key_finder *k)
{
	const unsigned word = k->im->bits / 8u;
	for (uint32_t i = 0; i < k->virtuals.count; i++) {
		const struct virtual_table *v = &k->virtuals.data[i];
		const struct bytes b = image_at(k->im, v->addr, v->size);
		struct reader r = reader_of(b, k->im->big_endian);
		while (reader_left(&r) >= word) {
			const uint64_t place = v->addr + r.pos;
			slot_add(k, i, place, read_uint(&r, word));
		}
	}
}

static void slots_of_relocs(struct key_finder *k, const struct section *s)
{
	struct reloc_iter it;
	struct reloc r;
	uint64_t target;
	if (!s->alloc || !section_is_reloc(s) || !reloc_open(&it, k->im, s))
		return;
	while (reloc_next(&it, &r)) {
		const size_t next = vec_upper(&k->virtuals, r.addr);
		const struct virtual_table *v = next > 0 ? &k->virtuals.data[next - 1] : NULL;
		if (v && r.alloc && r.addr - v->addr < v->size && reloc_target(&it, &r, &target))
			slot_add(k, (uint32_t)(next - 1), r.addr, target);
	}
}

/* True if a function is a member of the class `type`: "_ZN1K1fEv" or "_ZNK2ns1K1fEv". */
static bool is_member(struct str function, struct str type)
{
	struct str rest = { function.p + 3, function.len - 3 };
	if (type.len > 2 && type.p[0] == 'N')
		type = (struct str){ type.p + 1, type.len - 2 };
	if (!str_starts(function, STR("_ZN")))
		return false;
	while (rest.len > 0 &&
	       (*rest.p == 'K' || *rest.p == 'V' || *rest.p == 'R' || *rest.p == 'O'))
		rest = (struct str){ rest.p + 1, rest.len - 1 };
	return str_starts(rest, type);
}

/* Finds the key function of each virtual table: the first function in it that is a member of the
 * class and that only one unit defines. */
static void keys_find(struct key_finder *k)
{
	for (size_t i = 1; i < k->symbols.count; i++) {
		const struct symbol s = symtab_get(&k->symbols, i);
		uint64_t addr;
		if (s.bind != STB_GLOBAL || s.type != STT_FUNC || !symbol_addr(k->in, &s, &addr))
			continue;
		size_t at = vec_lower(&k->slots, addr);
		for (; at < k->slots.count && k->slots.data[at].target == addr; at++) {
			const struct table_slot *slot = &k->slots.data[at];
			struct virtual_table *v = &k->virtuals.data[slot->table];
			if (slot->place >= v->key_place || !is_member(s.name, v->type))
				continue;
			v->key_place = slot->place;
			v->key = addr;
		}
	}
}

static void tables_add(const struct key_finder *k, const struct virtual_table *v,
		       key_table_vec *ret)
{
	const uint64_t hash = hash_bytes(v->type.p, v->type.len);
	size_t i = vec_lower(&k->tables, hash);
	for (; i < k->tables.count && k->tables.data[i].hash == hash; i++) {
		const struct class_table *t = &k->tables.data[i];
		if (str_eq(t->type, v->type))
			vec_push(ret, (struct key_table){ t->addr, t->size, v->key });
	}
}

void key_functions_find(const struct image *im, const struct image *in, const struct section *table,
			key_table_vec *ret)
{
	struct key_finder k = { .im = im, .in = in };
	ASSERT(im->kind == IMAGE_EXEC);
	if (!symtab_open(&k.symbols, in, table))
		return;
	tables_list(&k);
	if (k.virtuals.count > 0) {
		slots_of_file(&k);
		for (size_t i = 1; i < im->section_count; i++)
			slots_of_relocs(&k, &im->sections[i]);
		vec_sort(&k.slots);
		keys_find(&k);
	}
	for (size_t i = 0; i < k.virtuals.count; i++)
		if (k.virtuals.data[i].key_place != UINT64_MAX)
			tables_add(&k, &k.virtuals.data[i], ret);
	vec_release_all(&k.tables, &k.virtuals, &k.slots);
}
