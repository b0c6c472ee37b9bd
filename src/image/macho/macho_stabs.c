/* Reads the symbol table's entries for debuggers (stab.h). These entries are not symbols, but each
 * belongs to a symbol. Entries that name a unit's source and object belong to the first symbol of
 * the unit. In a linked file, they form the debug map, from which dsymutil makes a bundle. */
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
		if (n.type == N_OSO && m->build.im->kind != IMAGE_OBJECT)
			m->build.im->has_debug_map = true;
	}
	macho_stabs_flush(&s);
	vec_release(&s.waiting);
}
