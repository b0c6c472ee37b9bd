/* Reads the data directories of an image: exports, imports, unwind entries, base relocations, the
 * id of its debug info. */
#include "image/pe/pe_internal.h"

/* Returns the name at an RVA, ended by NUL. "" if there is none. */
static struct str pe_tables_name_at(const struct pe *p, uint64_t rva)
{
	const struct pe_section *s;
	struct reader r = pe_at(p, rva, &s);
	const struct str name = read_cstr(&r);
	return reader_ok(&r) ? name : STR("");
}

static struct reader directory(const struct pe *p, enum pe_directory which)
{
	ASSERT(which < PE_DIRECTORIES);
	const struct pe_section *s;
	struct reader r = pe_at(p, p->directories[which].addr, &s);
	r.size = min_u64(r.size, p->directories[which].size);
	return r;
}

struct exports {
	uint32_t base, function_count, name_count, functions, names, ordinals;
};

static struct exports read_export_table(struct reader *r)
{
	struct exports e;
	read_skip(r, 16);
	e.base = read_u32(r);
	e.function_count = read_u32(r);
	e.name_count = read_u32(r);
	e.functions = read_u32(r);
	e.names = read_u32(r);
	e.ordinals = read_u32(r);
	return e;
}

static uint32_t u32_at(const struct pe *p, uint64_t rva)
{
	const struct pe_section *s;
	struct reader r = pe_at(p, rva, &s);
	return read_u32(&r);
}

/* Assigns the pointer, ordinal, slot and text of an exported name to its target. Without a symbol
 * table, the target gets a symbol with this name. */
static void add_export(struct pe *p, const struct exports *e, uint32_t i)
{
	const struct pe_range *dir = &p->directories[PE_EXPORT];
	const struct pe_section *s;
	struct reader r = pe_at(p, e->ordinals + (uint64_t)i * 2, &s);
	const uint64_t ordinal = read_u16(&r);
	const uint32_t text = u32_at(p, e->names + (uint64_t)i * 4);
	const struct str name = pe_tables_name_at(p, text);
	if (ordinal >= e->function_count || name.len == 0 || !pe_spend(p, name.len + 1))
		return;
	const uint32_t target = u32_at(p, e->functions + ordinal * 4);
	const bool forwarded = target - dir->addr < dir->size;
	uint32_t symbol = 0;
	if (p->table == 0 || forwarded)
		symbol = pe_symbol(p, name, forwarded ? 0 : target, 0);
	if (forwarded) /* The target is the name of an export of another library */
		pe_put(p, target, pe_tables_name_at(p, target).len + 1, symbol, 0);
	pe_put(p, e->ordinals + (uint64_t)i * 2, 2, symbol, target);
	pe_put(p, e->names + (uint64_t)i * 4, 4, symbol, target);
	pe_put(p, e->functions + ordinal * 4, 4, symbol, target);
	pe_put(p, text, name.len + 1, symbol, target);
}

/* Adds an imported name: its slots, its hint and its text. */
static void pe_tables_add_import(struct pe *p, uint64_t value, uint64_t lookup, uint64_t slot)
{
	const unsigned word = p->build.im->bits / 8;
	const bool by_ordinal = value >> (word * 8 - 1);
	struct str name = by_ordinal ? STR("") : pe_tables_name_at(p, value + 2);
	if (!pe_spend(p, name.len + 2))
		return;
	if (by_ordinal)
		name = str_of(arena_format(&p->build.im->arena, "ordinal %u",
					   (unsigned)(value & 0xffff)));
	if (name.len == 0)
		return;
	const uint32_t symbol = pe_symbol(p, name, 0, 0);
	if (lookup != 0)
		pe_put(p, lookup, word, symbol, 0);
	pe_put(p, slot, word, symbol, 0);
	if (!by_ordinal)
		pe_put(p, value, (name.len + 4) & ~UINT64_C(1), symbol, 0);
}

static void pe_tables_add_library(struct pe *p, uint64_t rva, uint32_t lookup, uint32_t name,
				  uint32_t slots)
{
	const unsigned word = p->build.im->bits / 8;
	const struct pe_section *s;
	struct reader r = pe_at(p, lookup ? lookup : slots, &s);
	const struct str text = pe_tables_name_at(p, name);
	if (text.len > 0 && pe_spend(p, text.len)) {
		const uint32_t symbol = pe_symbol(p, text, 0, 0);
		pe_put(p, rva, 20, symbol, 0);
		pe_put(p, name, text.len + 1, symbol, 0);
	}
	for (uint64_t off = 0; reader_left(&r) >= word && pe_spend(p, word); off += word) {
		const uint64_t value = read_uint(&r, word);
		if (value == 0)
			return;
		pe_tables_add_import(p, value, lookup ? lookup + off : 0, slots + off);
	}
}

static void pe_tables_read_imports(struct pe *p)
{
	struct reader r = directory(p, PE_IMPORT);
	while (reader_left(&r) >= 20 && pe_spend(p, 20)) {
		const uint64_t rva = p->directories[PE_IMPORT].addr + r.pos;
		const uint32_t lookup = read_u32(&r);
		read_skip(&r, 8);
		const uint32_t name = read_u32(&r), slots = read_u32(&r);
		if (name == 0)
			return;
		pe_tables_add_library(p, rva, lookup, name, slots);
	}
}

/* Returns the size of an UNWIND_INFO of x86-64: codes, then a handler or a chained entry. A chained
 * entry marks code that is a part of another function (*ret_part). */
static uint64_t unwind_size(struct reader *r, bool *ret_part)
{
	enum { EXCEPTION = 1, TERMINATION = 2, CHAINED = 4 };
	const unsigned flags = read_u8(r) >> 3;
	*ret_part = flags & CHAINED;
	read_skip(r, 1);
	const uint64_t codes = read_u8(r);
	const uint64_t size = 4 + 2 * align_up(codes, 2);
	if (flags & CHAINED)
		return size + 12;
	return flags & (EXCEPTION | TERMINATION) ? size + 4 : size;
}

/* Returns the size of a record of AArch64's .xdata. *ret_length is the size of the function. */
static uint64_t arm64_unwind_size(struct reader *r, uint32_t *ret_length)
{
	const uint32_t head = read_u32(r);
	*ret_length = (head & 0x3ffff) * 4;
	uint64_t epilogs = head >> 22 & 31, words = head >> 27, size = 4;
	if (epilogs == 0 && words == 0) {
		const uint32_t more = read_u32(r);
		epilogs = more & 0xffff;
		words = more >> 16 & 0xff;
		size += 4;
	}
	size += 4 * words + (head >> 21 & 1 ? 0 : 4 * epilogs);
	return size + (head >> 20 & 1 ? 4 : 0);
}

/* Reads one function of .pdata. */
static void pe_tables_add_function(struct pe *p, uint64_t rva, struct reader *r, bool x86)
{
	const struct pe_section *s;
	const uint64_t at = rva + r->pos;
	const uint32_t begin = read_u32(r);
	const uint32_t end = x86 ? read_u32(r) : 0;
	const uint32_t data = read_u32(r);
	uint32_t length = x86 && end > begin ? end - begin : 0;
	bool part = false;
	if (begin == 0)
		return;
	pe_put(p, at, x86 ? 12 : 8, 0, begin);
	struct reader info = pe_at(p, data, &s);
	/* True if there is no unwind record. Then `data` itself has the function's length, in words
	 * of 4 bytes. */
	const bool packed = !x86 && data & 3;
	if (packed)
		length = (data >> 2 & 0x7ff) * 4;
	const uint64_t size = x86      ? unwind_size(&info, &part)
			      : packed ? 0
				       : arm64_unwind_size(&info, &length);
	if (reader_ok(&info))
		pe_put(p, data, size, 0, begin);
	if (!part)
		vec_push(&p->build.starts, (struct build_start){ p->base + begin, length });
}

static void pe_tables_read_functions(struct pe *p, const struct pe_range *at, bool x86)
{
	const unsigned size = x86 ? 12 : 8;
	const struct pe_section *s;
	struct reader r = pe_at(p, at->addr, &s);
	r.size = min_u64(r.size, at->size);
	while (reader_left(&r) >= size && pe_spend(p, size))
		pe_tables_add_function(p, at->addr, &r, x86);
}

/* Recognizes ARM64EC code in a file whose header states x86-64 or AArch64. The file's load
 * configuration names hybrid metadata. The metadata has the unwind entries of the other
 * convention. */
void pe_read_hybrid(struct pe *p)
{
	enum { METADATA = 200, EXTRA_UNWIND = 64 };
	struct image *im = p->build.im;
	struct reader r = directory(p, PE_LOAD_CONFIG);
	const struct pe_section *s;
	reader_seek(&r, METADATA);
	const uint64_t at = read_u64(&r);
	if (!reader_ok(&r) || at < p->base || (p->machine != PE_X86_64 && p->machine != PE_AARCH64))
		return;
	struct reader data = pe_at(p, at - p->base, &s);
	reader_seek(&data, EXTRA_UNWIND);
	p->extra_unwind.addr = read_u32(&data);
	p->extra_unwind.size = read_u32(&data);
	if (!reader_ok(&data)) {
		p->extra_unwind = (struct pe_range){ 0 };
		return;
	}
	im->machine_name = p->machine == PE_X86_64 ? "ARM64EC" : "ARM64X";
	im->machine = EM_AARCH64;
}

/* Reads base relocations, in blocks per page: the page's RVA, the block's size, and a word per
 * place. 4 bits of a word are the kind of the patch, 12 bits the offset in the page. */
static void read_base_relocs(struct pe *p)
{
	struct reader r = directory(p, PE_BASE_RELOCATION);
	const uint64_t rva = p->directories[PE_BASE_RELOCATION].addr;
	while (reader_left(&r) >= 8) {
		const uint64_t start = r.pos;
		const uint32_t page = read_u32(&r), size = read_u32(&r);
		if (size < 8 || size - 8 > reader_left(&r))
			return;
		while (r.pos < start + size && pe_spend(p, 2)) {
			const uint64_t at = r.pos;
			const uint16_t entry = read_u16(&r);
			if (entry >> 12 == 0)
				continue;
			pe_put(p, rva + at, 2, 0, page + (entry & 0xfffu));
			p->build.im->moved_places++;
		}
		reader_seek(&r, start + size);
	}
}

/* Reads CodeView's "RSDS": a GUID, an age, the path of the PDB. */
static void read_debug(struct pe *p)
{
	enum { ENTRY_SIZE = 28, CODEVIEW = 2, GUID_SIZE = 16 };
	struct reader r = directory(p, PE_DEBUG);
	while (reader_left(&r) >= ENTRY_SIZE) {
		read_skip(&r, 12);
		const uint32_t type = read_u32(&r), size = read_u32(&r);
		read_skip(&r, 4);
		const uint32_t off = read_u32(&r);
		struct reader data = pe_reader(p, off, size);
		const uint8_t *magic = type == CODEVIEW ? read_take(&data, 4) : NULL;
		if (!magic || memcmp(magic, "RSDS", 4) != 0)
			continue;
		const uint8_t *guid = read_take(&data, GUID_SIZE);
		if (!guid)
			continue;
		/* Reproducible builds may state a zero, which identifies nothing. */
		if (!bytes_are_zeros((struct bytes){ guid, GUID_SIZE }))
			p->build.im->build_id = (struct bytes){ guid, GUID_SIZE };
		p->build.im->debug_age = read_u32(&data);
		p->build.im->debug_name = read_cstr(&data);
	}
}

/* Takes the code of a .NET assembly for data: it is in the intermediate language (ECMA-335,
 * II.25.3.3), and only a stub of a few bytes is code of the machine. */
static void pe_tables_read_cli(struct pe *p)
{
	enum { IL_ONLY = 1 };
	struct reader r = directory(p, PE_CLI);
	read_skip(&r, 16);
	if (!(read_u32(&r) & IL_ONLY) || !reader_ok(&r))
		return;
	vec_each(struct section, s, &p->build.sections) {
		s->flags &= ~(uint64_t)SHF_EXECINSTR;
		s->exec = false;
	}
	vec_each(struct segment, g, &p->build.segments)
		g->exec = false;
}

void pe_read_tables(struct pe *p)
{
	ASSERT(p->build.im->kind == IMAGE_EXEC);
	struct reader r = directory(p, PE_EXPORT);
	const struct exports e = read_export_table(&r);
	for (uint32_t i = 0; reader_ok(&r) && i < e.name_count && pe_spend(p, 6); i++)
		add_export(p, &e, i);
	pe_tables_read_imports(p);
	pe_read_resources(p);
	const size_t first = p->build.starts.count;
	/* Reads the unwind entries. In files with two calling conventions, the directory has the
	 * entries for the header's machine. */
	const uint16_t machine = p->build.im->machine;
	if (machine == EM_X86_64 || machine == EM_AARCH64) {
		pe_tables_read_functions(p, &p->directories[PE_EXCEPTION], p->machine == PE_X86_64);
		pe_tables_read_functions(p, &p->extra_unwind, p->machine != PE_X86_64);
	}
	build_name_starts(&p->build, first);
	read_base_relocs(p);
	read_debug(p);
	pe_tables_read_cli(p);
}
