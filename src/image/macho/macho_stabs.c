/* Reads the symbol table's entries for debuggers (stab.h). These entries are not symbols, but each
 * belongs to a symbol. Entries that name a unit's source and object belong to the first symbol of
 * the unit. In a linked file, they form the debug map. */
#include "image/macho/macho_internal.h"

enum {
	N_GSYM = 0x20, /* Variable, by its name */
	N_FUN = 0x24,  /* Function. An entry without a name is the end of the function before */
	N_STSYM = 0x26,
	N_LCSYM = 0x28,
	N_BNSYM = 0x2e,
	N_ENSYM = 0x4e,
	N_SO = 0x64, /* Start of a unit. Without a name: end of the unit. */
	N_OSO = 0x66,
};

struct stabs {
	struct macho *m;
	VEC(struct image_entry) waiting; /* Entries of the unit, until its first address is known */
	uint64_t last;                   /* Address of the previous entry. */
	bool known;                      /* True if the unit already had an address */
	VEC(struct debug_object) objects;
	VEC(struct moved_symbol) moved;
	bool in_object; /* True if the last object has not ended */
};

static void macho_stabs_put(struct stabs *s, const struct image_entry *e)
{
	if (e->symbol != 0 || s->known)
		build_entry(&s->m->build, e);
	else
		vec_push(&s->waiting, *e);
}

/* Adds an entry and its name. */
static void macho_stabs_add(struct stabs *s, const struct nlist *n, uint64_t off, struct str name,
			    uint32_t symbol)
{
	const struct macho *m = s->m;
	struct image_entry e = { .section = m->symbols.index,
				 .symbol = symbol,
				 .off = off,
				 .size = m->build.im->bits == 64 ? 16 : 12,
				 .addr = s->last };
	macho_stabs_put(s, &e);
	e.section = m->strings.index;
	e.off = n->name;
	e.size = name.len + 1;
	if (name.len > 0)
		macho_stabs_put(s, &e);
}

static void macho_stabs_flush(struct stabs *s)
{
	for (size_t i = 0; s->known && i < s->waiting.count; i++) {
		s->waiting.data[i].addr = s->last;
		build_entry(&s->m->build, &s->waiting.data[i]);
	}
	s->waiting.count = 0;
}

static bool macho_stabs_place(const struct stabs *s, const struct nlist *n, uint64_t *ret)
{
	const struct macho_section *in = macho_section_of(s->m, n->section);
	const bool placed = n->type == N_FUN || n->type == N_STSYM || n->type == N_LCSYM ||
			    n->type == N_BNSYM || n->type == N_ENSYM;
	if (!in || !placed)
		return false;
	*ret = s->m->build.im->kind == IMAGE_OBJECT
		       ? s->m->build.sections.data[in->index].addr + (n->value - in->addr)
		       : n->value;
	return true;
}

static void read_stab(struct stabs *s, const struct nlist *n, uint64_t off, struct str name)
{
	if (n->type == N_SO && name.len > 0 && s->known) {
		s->known = false;
	} else if (macho_stabs_place(s, n, &s->last)) {
		s->known = true;
		macho_stabs_flush(s);
	}
	const uint32_t symbol = n->type == N_GSYM ? macho_name_find(s->m, name) : 0;
	if (n->type != N_GSYM || symbol != 0)
		macho_stabs_add(s, n, off, name, symbol);
	if (n->type == N_SO && name.len == 0) {
		macho_stabs_flush(s);
		s->known = false;
	}
}

static void add_moved(struct stabs *s, struct str name, uint64_t addr)
{
	if (!s->in_object)
		return;
	vec_push(&s->moved, (struct moved_symbol){ .name = macho_plain_name(name),
						   .addr = addr + s->m->build.im->vm_bias });
	s->objects.data[s->objects.count - 1].count++;
}

static void map_stab(struct stabs *s, const struct nlist *n, struct str name)
{
	uint32_t symbol;
	switch (n->type) {
	case N_SO: s->in_object = false; return;
	case N_OSO:
		s->in_object = true;
		vec_push(&s->objects, (struct debug_object){ name, n->value, s->moved.count, 0 });
		return;
	case N_FUN:
		if (name.len == 0 && s->in_object && s->moved.count > 0)
			s->moved.data[s->moved.count - 1].size = n->value;
		if (name.len == 0)
			return;
		break;
	case N_STSYM:
	case N_LCSYM: break;
	case N_GSYM:
		symbol = macho_name_find(s->m, name);
		if (symbol != 0)
			add_moved(s, name, s->m->build.symbols.data[symbol].symbol.value);
		return;
	default: return;
	}
	add_moved(s, name, n->value);
}

static void macho_stabs_hand_on(struct stabs *s)
{
	struct image *im = s->m->build.im;
	struct debug_object *objects = arena_new(&im->arena, struct debug_object,
						 s->objects.count + 1);
	struct moved_symbol *moved = arena_new(&im->arena, struct moved_symbol, s->moved.count + 1);
	for (size_t i = 0; i < s->objects.count; i++)
		objects[i] = s->objects.data[i];
	for (size_t i = 0; i < s->moved.count; i++)
		moved[i] = s->moved.data[i];
	im->debug_objects = objects;
	im->debug_object_count = s->objects.count;
	im->moved_symbols = moved;
}

void macho_read_stabs(struct macho *m)
{
	struct stabs s = { .m = m };
	struct reader r = macho_reader(m, m->symbols.off, m->symbols.size);
	const struct bytes strings = macho_strings(m);
	uint64_t left = names_left(strings.size + m->symbols.size);
	for (uint64_t i = 0; i < m->symbol_count; i++) {
		const uint64_t off = r.pos;
		const struct nlist n = macho_read_nlist(&r, m);
		struct str name = STR("");
		if (!(n.type & N_STAB))
			continue;
		(void)names_take(strings, n.name, &left, &name);
		read_stab(&s, &n, off, name);
		if (m->build.im->kind != IMAGE_OBJECT)
			map_stab(&s, &n, name);
	}
	macho_stabs_flush(&s);
	macho_stabs_hand_on(&s);
	vec_release_all(&s.waiting, &s.objects, &s.moved);
}
