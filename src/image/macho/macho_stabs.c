/* Entries of the symbol table for debuggers (stab.h).  They are no symbols, but each is there
 * because of one; those that name a unit's source and object go to the first thing of the unit. */
#include "image/macho/macho_internal.h"

enum {
	N_GSYM = 0x20, /* a variable, by its name */
	N_FUN = 0x24,  /* without a name: the end of the function before */
	N_STSYM = 0x26,
	N_LCSYM = 0x28,
	N_BNSYM = 0x2e,
	N_ENSYM = 0x4e,
	N_SO = 0x64, /* a unit begins; without a name: it ends */
	N_OSO = 0x66,
};

struct stabs {
	struct macho *m;
	VEC(struct image_entry) waiting; /* of the unit, for the first thing in it */
	uint64_t last;                   /* the address of the entry before */
	bool known;                      /* that there is one, in this unit */
};

static void put(struct stabs *s, const struct image_entry *e)
{
	if (e->symbol != 0 || s->known)
		build_entry(&s->m->build, e);
	else
		vec_push(&s->waiting, *e);
}

/* An entry and its name. */
static void add(struct stabs *s, const struct nlist *n, uint64_t off, struct str name,
		uint32_t symbol)
{
	const struct macho *m = s->m;
	struct image_entry e = { .section = m->symbols.index,
				 .symbol = symbol,
				 .off = off,
				 .size = m->build.im->bits == 64 ? 16 : 12,
				 .addr = s->last };
	put(s, &e);
	e.section = m->strings.index;
	e.off = n->name;
	e.size = name.len + 1;
	if (name.len > 0)
		put(s, &e);
}

static void flush(struct stabs *s)
{
	for (size_t i = 0; s->known && i < s->waiting.count; i++) {
		s->waiting.data[i].addr = s->last;
		build_entry(&s->m->build, &s->waiting.data[i]);
	}
	s->waiting.count = 0;
}

static bool place(const struct stabs *s, const struct nlist *n, uint64_t *ret)
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
	} else if (place(s, n, &s->last)) {
		s->known = true;
		flush(s);
	}
	const uint32_t symbol = n->type == N_GSYM ? macho_name_find(s->m, name) : 0;
	if (n->type != N_GSYM || symbol != 0)
		add(s, n, off, name, symbol);
	if (n->type == N_SO && name.len == 0) {
		flush(s);
		s->known = false;
	}
}

void macho_read_stabs(struct macho *m)
{
	struct stabs s = { .m = m };
	struct reader r = macho_reader(m, m->symbols.off, m->symbols.size);
	const struct bytes strings = macho_strings(m);
	for (uint64_t i = 0; i < m->symbol_count; i++) {
		const uint64_t off = r.pos;
		const struct nlist n = macho_read_nlist(&r, m);
		struct str name = STR("");
		(void)bytes_cstr(strings, n.name, &name);
		if (n.type & N_STAB)
			read_stab(&s, &n, off, name);
	}
	flush(&s);
	vec_release(&s.waiting);
}
