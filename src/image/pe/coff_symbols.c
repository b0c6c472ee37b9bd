/* Reads COFF's symbol and string table, and the relocations of objects. */
#include "image/pe/pe_internal.h"

/* Storage classes of symbols. */
enum { CLASS_EXTERNAL = 2, CLASS_STATIC = 3, CLASS_FILE = 103, CLASS_WEAK = 105 };

enum { RELOC_SIZE = 10, SECTION_ABSOLUTE = -1 };

void coff_read_strings(struct pe *p)
{
	const struct image *im = p->build.im;
	const uint64_t size = p->symbol_count * p->symbol_size;
	if (p->symbols_off == 0 || size > im->bytes.size || p->symbols_off > im->bytes.size - size)
		return;
	struct reader r = pe_reader(p, p->symbols_off + size, 4);
	const uint64_t off = p->symbols_off + size, length = read_u32(&r);
	p->strings = bytes_sub(im->bytes, off, min_u64(length, im->bytes.size - off));
	while (p->strings.size > 0 && p->strings.p[p->strings.size - 1] != 0)
		p->strings.size--;
	ASSERT(p->strings.size == 0 || p->strings.p[p->strings.size - 1] == 0);
}

/* Returns a copy of a name of up to 8 bytes from its field. */
static struct str coff_symbols_keep(struct pe *p, struct str field)
{
	return str_of(arena_copy(&p->build.im->arena, field));
}

/* Returns the name of a section. "/123" is an offset in the string table. After "//" the offset is
 * in base 64, for more than 7 digits. */
struct str coff_long_name(struct pe *p, struct str field)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const bool wide = str_starts(field, STR("//"));
	struct str name;
	uint64_t off = 0;
	if (!str_starts(field, STR("/")))
		return coff_symbols_keep(p, field);
	for (size_t i = wide ? 2 : 1; i < field.len; i++) {
		const char *digit = memchr(digits, field.p[i], sizeof digits - 1);
		const bool decimal = field.p[i] >= '0' && field.p[i] <= '9';
		if (!digit || (!wide && !decimal))
			return coff_symbols_keep(p, field);
		off = wide ? off * 64 + (uint64_t)(digit - digits)
			   : off * 10 + (uint64_t)(field.p[i] - '0');
	}
	return bytes_cstr(p->strings, off, &name) ? name : coff_symbols_keep(p, field);
}

struct coff_symbol {
	struct str field; /* Name field, 8 bytes. */
	uint32_t zeros, off, value;
	int32_t section;
	uint16_t type;
	uint8_t class, aux_count;
};

static struct coff_symbol coff_symbols_read(const struct pe *p, struct reader *r)
{
	struct coff_symbol s;
	struct reader name = read_sub(r, 8);
	s.field = (struct str){ (const char *)name.base, strnlen((const char *)name.base, 8) };
	s.zeros = read_u32(&name);
	s.off = read_u32(&name);
	s.value = read_u32(r);
	s.section = p->symbol_size == 18 ? read_i16(r) : read_i32(r);
	s.type = read_u16(r);
	s.class = read_u8(r);
	s.aux_count = read_u8(r);
	return s;
}

static void name_symbol(struct pe *p, const struct coff_symbol *s, struct reader aux,
			struct made_symbol *ret)
{
	struct str name = STR("");
	if (s->class == CLASS_FILE) {
		const char *text = (const char *)aux.base;
		ret->symbol.name = coff_symbols_keep(p,
						     (struct str){ text, strnlen(text, aux.size) });
		return;
	}
	if (s->zeros != 0) {
		name = coff_symbols_keep(p, s->field);
	} else if (names_take(p->strings, s->off, &p->names_left, &name)) {
		ret->symbol.name_off = s->off;
		ret->name_size = name.len + 1;
	}
	const bool mangled = p->build.im->machine == EM_386 && str_starts(name, STR("__Z"));
	ret->symbol.name = mangled ? (struct str){ name.p + 1, name.len - 1 } : name;
}

/* Assigns the symbol's table entry to the owner of its address. Makes the address a struct
 * build_start, so that other symbols end before it. */
static void coff_symbols_add_part(struct pe *p, const struct made_symbol *s)
{
	if (p->build.im->kind == IMAGE_OBJECT)
		return;
	vec_push(&p->build.starts, (struct build_start){ s->symbol.value, 0 });
	build_entry(&p->build, &(struct image_entry){ .section = p->table,
						      .off = s->entry_off,
						      .size = s->entry_size,
						      .addr = s->symbol.value });
}

static void coff_symbols_place(const struct pe *p, const struct coff_symbol *s, struct symbol *ret)
{
	const bool object = p->build.im->kind == IMAGE_OBJECT;
	ret->value = s->value;
	ret->bind = s->class == CLASS_EXTERNAL ? STB_GLOBAL
		    : s->class == CLASS_WEAK   ? STB_WEAK
					       : STB_LOCAL;
	ret->type = STT_NOTYPE;
	if (s->class == CLASS_FILE) {
		ret->type = STT_FILE;
		ret->section = SYM_ABSOLUTE;
	} else if (s->section == SECTION_ABSOLUTE) {
		ret->section = SYM_ABSOLUTE;
	} else if (s->section == 0 && s->value > 0 && s->class == CLASS_EXTERNAL) {
		ret->section = SYM_COMMON;
		ret->size = s->value;
	} else if (s->section > 0 && (uint64_t)s->section <= p->sections.count) {
		const struct pe_section *in = &p->sections.data[s->section - 1];
		const struct section *made = &p->build.sections.data[in->index];
		ret->section = in->index;
		ret->value = object ? s->value : made->addr + s->value;
		ret->type = made->exec ? STT_FUNC : STT_OBJECT;
		/* True for a symbol that only marks an object's part of a section: a static symbol
		 * with a section record, or with a name of the import tables. */
		if (s->class == CLASS_STATIC && s->type >> 4 != 2 &&
		    (s->aux_count > 0 || str_starts(ret->name, STR(".idata$"))))
			ret->type = STT_SECTION;
	}
}

/* Adds a symbol, and an empty symbol for each of its auxiliary entries, because relocations count
 * these as symbols. */
static void coff_symbols_add(struct pe *p, struct reader *r, uint64_t *left)
{
	struct made_symbol made = { .entry_off = r->pos };
	const struct coff_symbol s = coff_symbols_read(p, r);
	const uint64_t aux = min_u64(s.aux_count, *left);
	const struct reader rest = read_sub(r, aux * p->symbol_size);
	name_symbol(p, &s, rest, &made);
	coff_symbols_place(p, &s, &made.symbol);
	made.entry_size = r->pos - made.entry_off;
	if (made.symbol.type == STT_SECTION)
		coff_symbols_add_part(p, &made);
	build_symbol(&p->build, &made);
	const struct made_symbol none = { .symbol = { .name = STR("") } };
	for (uint64_t i = 0; i < aux; i++)
		build_symbol(&p->build, &none);
	*left -= aux;
}

static uint32_t coff_symbols_add_table(struct pe *p, const char *title, uint64_t off, uint64_t size)
{
	const struct section s = { .name = str_of(title),
				   .title = str_of(title),
				   .type = SHT_PROGBITS,
				   .off = off,
				   .file_size = size };
	return size > 0 ? build_section(&p->build, &s) : 0;
}

void coff_read_symbols(struct pe *p)
{
	if (p->strings.size == 0 && p->symbol_count == 0)
		return;
	const uint64_t size = p->symbol_count * p->symbol_size;
	struct reader r = pe_reader(p, p->symbols_off, size);
	p->first_symbol = (uint32_t)p->build.symbols.count;
	p->table = coff_symbols_add_table(p, "COFF Symbol Table", p->symbols_off, r.size);
	p->names = coff_symbols_add_table(p, "COFF String Table", p->symbols_off + size,
					  p->strings.size);
	p->names_left = names_left(p->strings.size + r.size);
	uint64_t left = r.size / p->symbol_size;
	while (left > 0) {
		left--;
		coff_symbols_add(p, &r, &left);
	}
}

struct coff_symbols_type {
	uint16_t coff, elf, width; /* Types, and bytes of the field. Width 0: the number is
				    * inside an instruction. */
};

enum { ARM64_LO12 = 277 }; /* Number of R_AARCH64_ADD_ABS_LO12_NC. */

static const struct coff_symbols_type x86_64[] = {
	{ 1, R_X86_64_64, 8 },   { 2, R_X86_64_32, 4 },   { 3, R_X86_64_32, 4 },
	{ 4, R_X86_64_PC32, 4 }, { 5, R_X86_64_PC32, 4 }, { 6, R_X86_64_PC32, 4 },
	{ 7, R_X86_64_PC32, 4 }, { 8, R_X86_64_PC32, 4 }, { 9, R_X86_64_PC32, 4 },
	{ 11, R_X86_64_32, 4 },
};
static const struct coff_symbols_type i386[] = {
	{ 6, R_386_32, 4 },
	{ 7, R_386_32, 4 },
	{ 11, R_386_32, 4 },
	{ 20, R_386_PC32, 4 },
};
static const struct coff_symbols_type arm64[] = {
	{ 1, R_AARCH64_ABS32, 4 },  { 2, R_AARCH64_ABS32, 4 },
	{ 3, R_AARCH64_CALL26, 0 }, { 4, R_AARCH64_ADR_PREL_PG_HI21, 0 },
	{ 6, ARM64_LO12, 0 },       { 7, ARM64_LO12, 0 },
	{ 8, R_AARCH64_ABS32, 4 },  { 14, R_AARCH64_ABS64, 8 },
};
static const struct coff_symbols_type arm[] = { { 1, R_ARM_ABS32, 4 }, { 2, R_ARM_ABS32, 4 } };

static const struct coff_symbols_type *type_in(const struct coff_symbols_type *t, size_t count,
					       uint16_t coff)
{
	for (size_t i = 0; i < count; i++)
		if (t[i].coff == coff)
			return &t[i];
	return NULL;
}

static const struct coff_symbols_type *find_type(uint16_t machine, uint16_t coff)
{
	switch (machine) {
	case EM_X86_64: return type_in(x86_64, COUNT_OF(x86_64), coff);
	case EM_386: return type_in(i386, COUNT_OF(i386), coff);
	case EM_AARCH64: return type_in(arm64, COUNT_OF(arm64), coff);
	case EM_ARM: return type_in(arm, COUNT_OF(arm), coff);
	default: return NULL;
	}
}

static bool read_reloc(const struct pe *p, const struct pe_section *s, struct reader *r,
		       struct reloc *ret)
{
	const struct section *made = &p->build.sections.data[s->index];
	*ret = (struct reloc){ .entry_off = r->pos, .entry_size = RELOC_SIZE };
	const uint32_t off = read_u32(r) - s->addr, symbol = read_u32(r);
	const struct coff_symbols_type *t = find_type(p->build.im->machine, read_u16(r));
	if (!t || symbol >= p->symbol_count)
		return false;
	const bool pcrel = (p->build.im->machine == EM_X86_64 && t->elf == R_X86_64_PC32) ||
			   (p->build.im->machine == EM_386 && t->elf == R_386_PC32);
	ret->type = t->elf;
	ret->symbol = p->first_symbol + symbol;
	ret->addr = off;
	ret->has_addend = true;
	if (t->width > 0 && off <= made->file_size) {
		struct reader field = pe_reader(p, made->off + off, t->width);
		const uint64_t v = read_uint(&field, t->width);
		ret->addend = (t->width == 4 ? (int32_t)v : (int64_t)v) - (pcrel ? 4 : 0);
	}
	return ret->symbol < p->build.symbols.count;
}

static void coff_symbols_read_section_relocs(struct pe *p, const struct pe_section *s)
{
	const uint64_t size = (uint64_t)s->reloc_count * RELOC_SIZE;
	if (!pe_spend(p, size))
		return;
	const uint32_t index = build_relocs(&p->build, s->index, p->table, s->reloc_off, size);
	const struct section *made = &p->build.sections.data[index];
	struct reader r = pe_reader(p, made->off, made->file_size);
	struct reloc *list = arena_new(&p->build.im->arena, struct reloc,
				       made->file_size / RELOC_SIZE + 1);
	uint64_t count = 0;
	while (reader_left(&r) >= RELOC_SIZE)
		if (read_reloc(p, s, &r, &list[count]))
			count++;
	build_set_relocs(&p->build, index, list, count);
}

void coff_read_relocs(struct pe *p)
{
	ASSERT(p->build.im->kind == IMAGE_OBJECT);
	ASSERT(p->first_symbol <= p->build.symbols.count);
	for (size_t i = 0; i < p->sections.count && p->table != 0; i++)
		if (p->sections.data[i].reloc_count > 0)
			coff_symbols_read_section_relocs(p, &p->sections.data[i]);
}
