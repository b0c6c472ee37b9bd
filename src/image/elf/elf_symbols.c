/* Reads symbol tables and computes the addresses of symbols. gABI "Symbol Table". */
#include "image/elf/elf_internal.h"

static bool names_are_too_many(const struct symtab *t)
{
	struct reader r = reader_of(t->data, t->image->big_endian);
	uint64_t left = names_left(t->names.size + t->data.size);
	struct str name;
	for (size_t i = 0; i < t->count && left > 0; i++) {
		reader_seek(&r, (uint64_t)i * t->entry_size);
		(void)names_take(t->names, read_u32(&r), &left, &name);
	}
	return left == 0;
}

/* Returns the length of the longest name to read, 0 for no limit. Names may overlap, so reading all
 * could cost count x table. If all names together exceed 8 times the symbol and string tables,
 * names over 64 times the mean are not read. */
static uint64_t name_bound(const struct symtab *t)
{
	enum { LEAST = 1024, RATIO = 64 };
	if (t->count == 0 || !has_long_string(t->names) || !names_are_too_many(t))
		return 0;
	const uint64_t most = max_u64(LEAST, t->names.size / t->count * RATIO);
	if (most >= t->names.size)
		return 0;
	IMAGE_NOTE(t->image, t->strings->off, t->strings->file_size,
		   "symbol names of more than %" PRIu64 " bytes are not read", most);
	return most;
}

bool symtab_open(struct symtab *t, const struct image *im, const struct section *s)
{
	const uint32_t least = im->bits == 64 ? SYM64_SIZE : SYM32_SIZE;
	memset(t, 0, sizeof *t);
	t->image = im;
	t->section = s;
	if (im->made_symbols) {
		t->made = im->made_symbols;
		t->count = s->index == im->made_table ? im->made_count : 0;
		t->strings = im->made_strings ? &im->sections[im->made_strings] : NULL;
		return t->count > 0;
	}
	t->data = section_bytes(im, s);
	/* An sh_entsize of 0 occurs and means the standard size. A size above a page is damage. */
	t->entry_size = least;
	if (s->entsize > least && s->entsize <= 4096)
		t->entry_size = (uint32_t)s->entsize;
	else if (s->entsize != 0 && s->entsize != least)
		IMAGE_NOTE(im, s->off, s->file_size,
			   "symbol table (section %" PRIu32 ") has entries of %" PRIu64 " bytes",
			   s->index, s->entsize);
	t->count = (size_t)(t->data.size / t->entry_size);
	if (s->link != 0 && s->link < im->section_count &&
	    im->sections[s->link].type == SHT_STRTAB) {
		t->strings = &im->sections[s->link];
		t->names = section_bytes(im, t->strings);
		/* Cuts the names after the last 0, so that each name has an end. */
		while (t->names.size > 0 && t->names.p[t->names.size - 1] != 0)
			t->names.size--;
	} else {
		IMAGE_NOTE(im, s->off, 0, "symbol table (section %" PRIu32 ") has no string table",
			   s->index);
	}
	const struct section *const *shndx = im->index->shndx;
	if (shndx && shndx[s->index])
		t->xindex = section_bytes(im, shndx[s->index]);
	/* Sets name_max. A table is opened many times, but its names are measured once. If two
	 * threads do this together, both get the same result. */
	const uint32_t index = t->section->index;
	uint64_t *const known = index < t->image->name_bound_count ? &t->image->name_bounds[index]
								   : NULL;
	const uint64_t before = known ? __atomic_load_n(known, __ATOMIC_RELAXED) : 0;
	t->name_max = before > 0 ? before - 1 : name_bound(t);
	if (known && before == 0)
		__atomic_store_n(known, t->name_max + 1, __ATOMIC_RELAXED);
	ASSERT(t->count <= t->data.size / t->entry_size);
	ASSERT(t->names.size == 0 || t->names.p[t->names.size - 1] == 0);
	return t->count > 0;
}

static uint32_t resolve_section(const struct symtab *t, uint32_t i, uint16_t shndx)
{
	const struct image *im = t->image;
	uint32_t index = shndx;
	if (shndx == SHN_XINDEX) {
		struct reader r = reader_at(t->xindex, im->big_endian, (uint64_t)i * 4);
		index = read_u32(&r);
		if (!reader_ok(&r))
			return SYM_BAD;
	} else if (shndx == SHN_ABS) {
		return SYM_ABSOLUTE;
	} else if (shndx == SHN_COMMON ||
		   (shndx == SHN_X86_64_LCOMMON && im->machine == EM_X86_64) ||
		   (shndx == SHN_MIPS_SCOMMON && im->machine == EM_MIPS)) {
		return SYM_COMMON;
	} else if (shndx >= SHN_LORESERVE) {
		return SYM_BAD;
	}
	return index < im->section_count || index == SHN_UNDEF ? index : SYM_BAD;
}

static struct str symbol_name(const struct symtab *t, uint32_t i, uint64_t off)
{
	struct str name = STR("");
	const uint32_t known = t->name_sizes ? t->name_sizes[i] : UINT32_MAX;
	if (known != UINT32_MAX)
		return known > 0 ? (struct str){ (const char *)t->names.p + off, known } : name;
	if (t->name_max == 0 || off >= t->names.size || t->names.size - off <= t->name_max) {
		uint64_t any = UINT64_MAX;
		(void)names_take(t->names, off, &any, &name);
		return name;
	}
	const char *p = (const char *)t->names.p + off;
	const size_t length = strnlen(p, (size_t)t->name_max);
	return length < t->name_max ? (struct str){ p, length } : name;
}

struct symbol symtab_get_nameless(const struct symtab *t, size_t i)
{
	ASSERT(i < t->count);
	if (t->made)
		return t->made[i].symbol;
	const struct image *im = t->image;
	const uint8_t *entry = t->data.p + (uint64_t)i * t->entry_size;
	struct symbol s = { .name = STR(""), .index = (uint32_t)i };
	uint8_t info, other;
	uint16_t shndx;
	/* symtab_open() has checked the size. A constant size lets the compiler drop checks. */
	if (im->bits == 64) {
		struct reader r = reader_of((struct bytes){ entry, SYM64_SIZE }, im->big_endian);
		s.name_off = read_u32(&r);
		info = read_u8(&r);
		other = read_u8(&r);
		shndx = read_u16(&r);
		s.value = read_u64(&r);
		s.size = read_u64(&r);
	} else {
		struct reader r = reader_of((struct bytes){ entry, SYM32_SIZE }, im->big_endian);
		s.name_off = read_u32(&r);
		s.value = read_u32(&r);
		s.size = read_u32(&r);
		info = read_u8(&r);
		other = read_u8(&r);
		shndx = read_u16(&r);
	}
	s.type = info & 0xf;
	s.bind = info >> 4;
	s.visibility = other & 3;
	s.section = resolve_section(t, s.index, shndx);
	/* Derives a symbol's section from its value if sections are derived from segments. Stated
	 * section numbers are then meaningless. */
	if (im->bare && s.section != SYM_NO_SECTION && s.section != SYM_ABSOLUTE &&
	    s.section != SYM_COMMON) {
		const struct section *at = image_section_at(im, s.value);
		s.section = at ? at->index : SYM_BAD;
	}
	return s;
}

struct symbol symtab_get(const struct symtab *t, size_t i)
{
	struct symbol s = symtab_get_nameless(t, i);
	if (!t->made)
		s.name = symbol_name(t, s.index, s.name_off);
	return s;
}

/* Returns the code address in the descriptor at an address. Returns the address itself if there is
 * no descriptor. */
static uint64_t through_descriptor(const struct image *im, uint64_t addr)
{
	const struct elf_index *index = im->index;
	const uint64_t word = (addr - index->opd->addr) / 8;
	const uint64_t code = word < index->opd_count ? index->opd_words[word] : 0;
	return code != 0 ? code : addr;
}

const struct section *image_descriptors(const struct image *im, const uint64_t **ret_words,
					size_t *ret_count)
{
	*ret_words = im->index->opd_words;
	*ret_count = im->index->opd_count;
	return *ret_words ? im->index->opd : NULL;
}

bool symbol_is_descriptor(const struct image *im, const struct symbol *s)
{
	return im->index->opd_words && s->type == STT_FUNC && s->section == im->index->opd->index;
}

bool symbol_addr(const struct image *im, const struct symbol *s, uint64_t *ret)
{
	if (s->section == SYM_NO_SECTION || s->section >= im->section_count)
		return false;
	const struct section *sec = &im->sections[s->section];
	if (!sec->alloc)
		return false;
	/* Clears the bit of a function's value that selects the instruction set (AAELF32 "Symbol
	 * Values"; MIPS16 and microMIPS do the same in dynamic symbol tables). */
	const bool code = s->type == STT_FUNC || s->type == STT_GNU_IFUNC ||
			  s->type == STT_ARM_TFUNC;
	const bool marked = code && (im->machine == EM_ARM || im->machine == EM_MIPS);
	const uint64_t value = s->value & ~(uint64_t)marked;
	if (im->kind == IMAGE_OBJECT) {
		const uint64_t room = (UINT64_C(1) << OBJECT_SECTION_SHIFT) - 1;
		if (value > room || (sec->addr & room) > room - value)
			return false;
		*ret = sec->addr + value;
		if (symbol_is_descriptor(im, s))
			*ret = through_descriptor(im, *ret);
		return true;
	}
	if (s->type == STT_TLS) {
		const struct segment *tls = im->index->tls;
		if (!tls || value > UINT64_MAX - tls->addr)
			return false;
		*ret = tls->addr + value;
		return true;
	}
	if (symbol_is_descriptor(im, s))
		*ret = through_descriptor(im, value);
	else
		*ret = add_sat(value, sec->vm_bias);
	return true;
}

/* Returns the number of defined symbols. SIZE_MAX if one of them is local, because a dynamic table
 * has no local symbols. */
static size_t count_defined(const struct image *im, const struct section *in)
{
	struct symtab t;
	size_t count = 0;
	if (!in || !symtab_open(&t, im, in))
		return 0;
	for (size_t i = 1; i < t.count; i++) {
		const struct symbol s = symtab_get(&t, i);
		if (s.type == STT_FILE || s.type == STT_SECTION || s.section == SYM_NO_SECTION)
			continue;
		if (s.bind == STB_LOCAL)
			return SIZE_MAX;
		count++;
	}
	return count;
}

bool image_symbols_name_places(const struct image *im)
{
	const struct section *all = image_symbols(im);
	if (!all || im->kind == IMAGE_OBJECT)
		return all != NULL;
	const size_t count = count_defined(im, all);
	return count == SIZE_MAX ||
	       count > count_defined(im, image_section_type(im, SHT_DYNSYM, 1));
}

uint64_t symbol_size_in(const struct section *in, const struct symbol *s, uint64_t addr)
{
	const bool all = addr == in->addr && s->size >= in->size;
	return all && in->exec && s->type == STT_OBJECT
		       ? 0
		       : min_u64(s->size, in->size - (addr - in->addr));
}
