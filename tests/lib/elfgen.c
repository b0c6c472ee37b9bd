#include "elfgen.h"

#include "image/elf/elf_const.h"

struct elfgen elfgen_make(unsigned bits, bool big_endian, uint16_t type, uint16_t machine)
{
	struct elfgen g = {
		.bits = bits, .big_endian = big_endian, .type = type, .machine = machine
	};
	vec_push(&g.sections, (struct elfgen_section){ .name = "" });
	return g;
}

uint32_t elfgen_section(struct elfgen *g, const char *name, uint32_t type, uint64_t flags,
			uint64_t addr, const void *data, uint64_t size)
{
	struct elfgen_section s = {
		.name = name, .type = type, .flags = flags, .addr = addr, .size = size, .align = 1
	};
	if (data) {
		uint8_t *copy = arena_alloc(&g->arena, (size_t)size, 1);
		memcpy(copy, data, (size_t)size);
		s.data = (struct bytes){ copy, size };
	}
	vec_push(&g->sections, s);
	return (uint32_t)g->sections.count - 1;
}

struct elfgen_segment *elfgen_load(struct elfgen *g, uint32_t flags, uint32_t section)
{
	const struct elfgen_section *s = &g->sections.data[section];
	const uint64_t file_size = s->type == SHT_NOBITS ? 0 : s->size;
	vec_push(&g->segments, (struct elfgen_segment){ .type = PT_LOAD,
							.flags = flags,
							.addr = s->addr,
							.file_size = file_size,
							.vm_size = s->size,
							.align = 1,
							.section = section });
	return &g->segments.data[g->segments.count - 1];
}

void elfgen_symbol(struct elfgen *g, const char *name, uint64_t value, uint64_t size, uint8_t info,
		   uint16_t shndx)
{
	if (g->symbols.count == 0)
		vec_push(&g->symbols, (struct elfgen_symbol){ .name = "" });
	vec_push(&g->symbols, (struct elfgen_symbol){ name, value, size, info, 0, shndx });
}

/* ---- bytes ------------------------------------------------------------------------ */

void elfgen_put(struct elfgen_out *o, unsigned width, uint64_t v)
{
	for (unsigned i = 0; i < width; i++) {
		const unsigned shift = 8 * (o->big_endian ? width - 1 - i : i);
		vec_push(&o->bytes, (uint8_t)(v >> shift));
	}
}

void elfgen_put_bytes(struct elfgen_out *o, const void *p, size_t size)
{
	for (size_t i = 0; i < size; i++)
		vec_push(&o->bytes, ((const uint8_t *)p)[i]);
}

void elfgen_put_uleb(struct elfgen_out *o, uint64_t v)
{
	do {
		const uint8_t low = v & 0x7f;
		v >>= 7;
		vec_push(&o->bytes, (uint8_t)(low | (v ? 0x80 : 0)));
	} while (v);
}

void elfgen_put_sleb(struct elfgen_out *o, int64_t v)
{
	for (;;) {
		const uint8_t low = (uint8_t)(v & 0x7f);
		v >>= 7;
		const bool last = (v == 0 && !(low & 0x40)) || (v == -1 && (low & 0x40));
		vec_push(&o->bytes, (uint8_t)(low | (last ? 0 : 0x80)));
		if (last)
			return;
	}
}

void elfgen_poke(struct bytes file, uint64_t off, unsigned width, bool big_endian, uint64_t v)
{
	struct elfgen_out o = { .big_endian = big_endian };
	elfgen_put(&o, width, v);
	ASSERT(off + width <= file.size);
	memcpy((uint8_t *)(uintptr_t)file.p + off, o.bytes.data, width);
	vec_release(&o.bytes);
}

static void pad_to(struct elfgen_out *o, uint64_t off)
{
	while (o->bytes.count < off)
		vec_push(&o->bytes, 0);
}

/* ---- the file --------------------------------------------------------------------- */

static unsigned word(const struct elfgen *g)
{
	return g->bits / 8;
}

static void put_ehdr(struct elfgen *g, struct elfgen_out *o, uint32_t shstrndx)
{
	const bool wide = g->bits == 64;
	const uint8_t ident[EI_NIDENT] = { 0x7f,
					   'E',
					   'L',
					   'F',
					   wide ? ELFCLASS64 : ELFCLASS32,
					   g->big_endian ? ELFDATA2MSB : ELFDATA2LSB,
					   1 };
	const size_t sections = g->no_section_table ? 0 : g->sections.count;
	elfgen_put_bytes(o, ident, sizeof ident);
	elfgen_put(o, 2, g->type);
	elfgen_put(o, 2, g->machine);
	elfgen_put(o, 4, 1);
	elfgen_put(o, word(g), g->entry);
	elfgen_put(o, word(g), g->segments.count ? (wide ? EHDR64_SIZE : EHDR32_SIZE) : 0);
	elfgen_put(o, word(g), g->no_section_table ? 0 : g->shdr_off);
	elfgen_put(o, 4, g->flags);
	elfgen_put(o, 2, wide ? EHDR64_SIZE : EHDR32_SIZE);
	elfgen_put(o, 2, wide ? PHDR64_SIZE : PHDR32_SIZE);
	elfgen_put(o, 2, g->segments.count);
	elfgen_put(o, 2, wide ? SHDR64_SIZE : SHDR32_SIZE);
	elfgen_put(o, 2, sections);
	elfgen_put(o, 2, g->no_section_table ? 0 : shstrndx);
}

static void put_phdr(const struct elfgen *g, struct elfgen_out *o, const struct elfgen_segment *s)
{
	elfgen_put(o, 4, s->type);
	if (g->bits == 64)
		elfgen_put(o, 4, s->flags);
	elfgen_put(o, word(g), s->off);
	elfgen_put(o, word(g), s->addr);
	elfgen_put(o, word(g), s->addr + s->moved);
	elfgen_put(o, word(g), s->file_size);
	elfgen_put(o, word(g), s->vm_size);
	if (g->bits == 32)
		elfgen_put(o, 4, s->flags);
	elfgen_put(o, word(g), s->align);
}

static void put_shdr(const struct elfgen *g, struct elfgen_out *o, const struct elfgen_section *s,
		     uint32_t name_off)
{
	elfgen_put(o, 4, name_off);
	elfgen_put(o, 4, s->type);
	elfgen_put(o, word(g), s->flags);
	elfgen_put(o, word(g), s->addr);
	elfgen_put(o, word(g), s->off);
	elfgen_put(o, word(g), s->size);
	elfgen_put(o, 4, s->link);
	elfgen_put(o, 4, s->info);
	elfgen_put(o, word(g), s->align);
	elfgen_put(o, word(g), s->entsize);
}

static uint64_t put_name(struct elfgen_out *names, const char *name)
{
	const uint64_t off = names->bytes.count;
	elfgen_put_bytes(names, name, strlen(name) + 1);
	return off;
}

static void add_symtab(struct elfgen *g)
{
	struct elfgen_out table = { .big_endian = g->big_endian }, names = { 0 };
	for (size_t i = 0; i < g->symbols.count; i++) {
		const struct elfgen_symbol *s = &g->symbols.data[i];
		elfgen_put(&table, 4, put_name(&names, s->name));
		if (g->bits == 32) {
			elfgen_put(&table, 4, s->value);
			elfgen_put(&table, 4, s->size);
		}
		elfgen_put(&table, 1, s->info);
		elfgen_put(&table, 1, s->other);
		elfgen_put(&table, 2, s->shndx);
		if (g->bits == 64) {
			elfgen_put(&table, 8, s->value);
			elfgen_put(&table, 8, s->size);
		}
	}
	g->symtab = elfgen_section(g, ".symtab", SHT_SYMTAB, 0, 0, table.bytes.data,
				   table.bytes.count);
	g->sections.data[g->symtab].entsize = g->bits == 64 ? SYM64_SIZE : SYM32_SIZE;
	g->sections.data[g->symtab].link = g->symtab + 1;
	elfgen_section(g, ".strtab", SHT_STRTAB, 0, 0, names.bytes.data, names.bytes.count);
	vec_release(&table.bytes);
	vec_release(&names.bytes);
}

static void put_sections(struct elfgen *g, struct elfgen_out *o)
{
	for (size_t i = 1; i < g->sections.count; i++) {
		struct elfgen_section *s = &g->sections.data[i];
		if (s->off == 0) {
			pad_to(o, align_up(o->bytes.count, s->align));
			s->off = o->bytes.count;
		}
		pad_to(o, s->data.size ? s->off : 0);
		elfgen_put_bytes(o, s->data.p, (size_t)s->data.size);
	}
}

struct bytes elfgen_finish(struct elfgen *g)
{
	struct elfgen_out o = { .big_endian = g->big_endian }, names = { 0 }, head;
	if (g->symbols.count)
		add_symtab(g);
	VEC(uint64_t) name_offs = { 0 };
	for (size_t i = 0; i < g->sections.count; i++)
		vec_push(&name_offs, put_name(&names, g->sections.data[i].name));
	vec_push(&name_offs, put_name(&names, ".shstrtab"));
	const uint32_t shstrndx = elfgen_section(g, ".shstrtab", SHT_STRTAB, 0, 0, names.bytes.data,
						 names.bytes.count);
	const uint64_t ehdr = g->bits == 64 ? EHDR64_SIZE : EHDR32_SIZE;
	pad_to(&o, ehdr + g->segments.count * (g->bits == 64 ? PHDR64_SIZE : PHDR32_SIZE));
	put_sections(g, &o);
	pad_to(&o, align_up(o.bytes.count, 8));
	g->shdr_off = o.bytes.count;
	for (size_t i = 0; i < g->sections.count && !g->no_section_table; i++)
		put_shdr(g, &o, &g->sections.data[i], (uint32_t)name_offs.data[i]);
	head = (struct elfgen_out){ .big_endian = g->big_endian };
	put_ehdr(g, &head, shstrndx);
	for (size_t i = 0; i < g->segments.count; i++) {
		struct elfgen_segment *s = &g->segments.data[i];
		if (s->section)
			s->off = g->sections.data[s->section].off;
		put_phdr(g, &head, s);
	}
	memcpy(o.bytes.data, head.bytes.data, head.bytes.count);
	vec_release(&head.bytes);
	vec_release(&names.bytes);
	vec_release(&name_offs);
	vec_release(&g->segments);
	vec_release(&g->symbols);
	vec_release(&g->sections);
	arena_release(&g->arena);
	return (struct bytes){ o.bytes.data, o.bytes.count };
}
