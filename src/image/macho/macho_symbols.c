/* Reads the symbol table (nlist), and the slots and stubs of symbols. */
#include "image/macho/macho_internal.h"

/* Bits of n_type and n_desc. */
enum { N_TYPE = 0x0e, N_EXT = 1, N_PEXT = 0x10 };
enum { N_UNDF = 0, N_ABS = 2, N_SECT = 0xe };
enum { N_WEAK_DEF = 0x80 };

struct nlist macho_read_nlist(struct reader *r, const struct macho *m)
{
	struct nlist n;
	n.name = read_u32(r);
	n.type = read_u8(r);
	n.section = read_u8(r);
	n.desc = read_u16(r);
	n.value = read_macho_word(r, m);
	return n;
}

const struct macho_section *macho_section_of(const struct macho *m, uint8_t number)
{
	const bool is = number > 0 && number <= m->sections.count;
	ASSERT(!is || m->sections.data[number - 1].index < m->build.sections.count);
	return is ? &m->sections.data[number - 1] : NULL;
}

struct bytes macho_strings(const struct macho *m)
{
	struct bytes b = bytes_sub(m->build.im->bytes, m->strings.off, m->strings.size);
	while (b.size > 0 && b.p[b.size - 1] != 0)
		b.size--;
	return b;
}

struct str macho_plain_name(struct str name)
{
	const bool mangled = str_starts(name, STR("__Z")) || str_starts(name, STR("__R"));
	return mangled ? (struct str){ name.p + 1, name.len - 1 } : name;
}

static void macho_symbols_place(struct macho *m, const struct nlist *n, struct symbol *s)
{
	const struct macho_section *in = macho_section_of(m, n->section);
	s->value = n->value;
	switch (n->type & N_TYPE) {
	case N_ABS: s->section = SYM_ABSOLUTE; return;
	case N_UNDF:
		if (n->value == 0)
			return;
		s->section = SYM_COMMON;
		s->size = n->value;
		return;
	case N_SECT: break;
	default: return;
	}
	if (!in || n->value < in->addr)
		return;
	s->section = in->index;
	if (m->build.im->kind == IMAGE_OBJECT)
		s->value = n->value - in->addr;
	s->type = m->build.sections.data[in->index].exec ? STT_FUNC : STT_OBJECT;
}

static void macho_symbols_add(struct macho *m, const struct nlist *n, struct str name, uint64_t off,
			      uint64_t size)
{
	struct made_symbol s = { .entry_off = off, .entry_size = size, .name_size = name.len + 1 };
	s.symbol.name = macho_plain_name(name);
	s.symbol.name_off = n->name;
	s.symbol.bind = !(n->type & N_EXT)     ? STB_LOCAL
			: n->desc & N_WEAK_DEF ? STB_WEAK
					       : STB_GLOBAL;
	s.symbol.visibility = n->type & N_PEXT ? STV_HIDDEN : STV_DEFAULT;
	macho_symbols_place(m, n, &s.symbol);
	build_symbol(&m->build, &s);
}

/* Reads the symbol table. Skips entries for debuggers (see macho_stabs.c). A file with debug info
 * has more of them than symbols. */
static void macho_symbols_read_table(struct macho *m)
{
	struct reader r = macho_reader(m, m->symbols.off, m->symbols.size);
	const struct bytes strings = macho_strings(m);
	uint64_t left = names_left(strings.size + m->symbols.size);
	m->first_symbol = (uint32_t)m->build.symbols.count;
	vec_reserve(&m->indexes, m->symbol_count);
	for (uint64_t i = 0; i < m->symbol_count; i++) {
		const uint64_t off = r.pos;
		const struct nlist n = macho_read_nlist(&r, m);
		const bool is_symbol = !(n.type & N_STAB);
		vec_push(&m->indexes, is_symbol ? (uint32_t)m->build.symbols.count : 0);
		struct str name = STR("");
		if (!is_symbol)
			continue;
		(void)names_take(strings, n.name, &left, &name);
		macho_symbols_add(m, &n, name, off, r.pos - off);
	}
}

uint32_t macho_symbol_index(const struct macho *m, uint64_t i)
{
	const uint32_t index = i < m->indexes.count ? m->indexes.data[i] : 0;
	ASSERT(index < m->build.symbols.count);
	return index;
}

static uint64_t slot_size(const struct macho *m, const struct macho_section *s)
{
	switch (s->flags & 0xff) {
	case S_SYMBOL_STUBS: return s->stub_size;
	case S_NON_LAZY_SYMBOL_POINTERS:
	case S_LAZY_SYMBOL_POINTERS:
	case S_LAZY_DYLIB_SYMBOL_POINTERS:
	case S_THREAD_LOCAL_VARIABLE_POINTERS: return m->build.im->bits / 8;
	default: return 0;
	}
}

/* Reads the slots of a section. The indirect symbol table has the symbol index of each slot, from
 * reserved1 on. */
static void macho_symbols_read_slots(struct macho *m, const struct macho_section *s, uint64_t size)
{
	struct reader r = macho_reader(m, m->indirect.off, m->indirect.size);
	reader_seek(&r, (uint64_t)s->first_indirect * 4);
	for (uint64_t off = 0; off + size <= s->size && reader_left(&r) >= 4; off += size) {
		if (m->slots_left < 4)
			return;
		m->slots_left -= 4;
		const uint64_t at = r.pos;
		const uint32_t symbol = macho_symbol_index(m, read_u32(&r));
		if (symbol == 0)
			continue;
		build_entry(&m->build, &(struct image_entry){ s->index, symbol, off, size, 0 });
		build_entry(&m->build,
			    &(struct image_entry){ m->indirect.index, symbol, at, 4, 0 });
	}
}

void macho_read_symbols(struct macho *m)
{
	macho_symbols_read_table(m);
	for (size_t i = 0; i < m->sections.count; i++) {
		const uint64_t size = slot_size(m, &m->sections.data[i]);
		if (size > 0)
			macho_symbols_read_slots(m, &m->sections.data[i], size);
	}
	if (m->build.im->kind == IMAGE_OBJECT)
		return;
	macho_read_starts(m);
	build_name_starts(&m->build, 0);
}

/* Translates Mach-O names of sections to ELF's names. */

static const struct {
	const char *section, *name;
} known[] = {
	/* Long names are truncated to 16 bytes. */
	{ "__text", ".text" },
	{ "__stubs", ".stubs" },
	{ "__cstring", ".rodata.str1.1" },
	{ "__ustring", ".rodata.ustring" },
	{ "__literal4", ".rodata.cst4" },
	{ "__literal8", ".rodata.cst8" },
	{ "__literal16", ".rodata.cst16" },
	{ "__literals", ".rodata.literals" },
	{ "__rodata", ".rodata" },
	{ "__const", ".data.rel.ro" },
	{ "__eh_frame", ".eh_frame" },
	{ "__gcc_except_tab", ".gcc_except_table" },
	{ "__bss", ".bss" },
	{ "__common", ".bss" },
	{ "__thread_data", ".tdata" },
	{ "__thread_bss", ".tbss" },
	{ "__thread_vars", ".data.thread" },
	{ "__cfstring", ".data.cfstring" },
	{ "__mod_init_func", ".ctors" },
	{ "__apple_names", ".debug_apple_names" },
	{ "__apple_types", ".debug_apple_types" },
	{ "__apple_objc", ".debug_apple_objc" },
	{ "__apple_namespac", ".debug_apple_namespaces" },
	{ "__debug_str_offs", ".debug_str_offsets" },
	{ "__debug_gnu_pubn", ".debug_gnu_pubnames" },
	{ "__debug_gnu_pubt", ".debug_gnu_pubtypes" },
};

struct str macho_section_name(struct macho *m, struct str segment, struct str section,
			      uint32_t flags)
{
	if (str_eq(segment, STR("__TEXT")) && str_eq(section, STR("__const")))
		return STR(".rodata");
	for (size_t i = 0; i < COUNT_OF(known); i++)
		if (str_eq(section, str_of(known[i].section)))
			return str_of(known[i].name);
	if (str_starts(section, STR("__objc_")) || str_starts(section, STR("__swift5_")))
		return str_of(
			arena_format(&m->build.im->arena, ".data." STR_FMT, STR_ARG(section)));
	if (flags & S_ATTR_PURE_INSTRUCTIONS)
		return STR(".text");
	if (!str_starts(section, STR("__")))
		return str_of(arena_copy(&m->build.im->arena, section));
	section = (struct str){ section.p + 2, section.len - 2 };
	return str_of(arena_format(&m->build.im->arena, "." STR_FMT, STR_ARG(section)));
}
