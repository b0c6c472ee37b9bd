/* Parses PE images and COFF objects: reads headers and sections and calls the readers of the
 * other parts. */
#include "image/pe/pe_internal.h"

enum { COFF_SIZE = 20, BIG_SIZE = 56, SECTION_SIZE = 40, SYMBOL_SIZE = 18, BIG_SYMBOL_SIZE = 20 };
enum { FILE_NO_RELOCS = 1, FILE_DLL = 0x2000 };
enum { PE32 = 0x10b, PE32_PLUS = 0x20b, LFANEW = 0x3c };

/* Flags of sections (the field Characteristics). */
enum { SCN_CODE = 0x20, SCN_UNINITIALIZED = 0x80, SCN_LINK_INFO = 0x200, SCN_LINK_REMOVE = 0x800 };
enum { SCN_MANY_RELOCS = 0x01000000, SCN_EXECUTE = 0x20000000, SCN_READ = 0x40000000 };
#define SCN_WRITE UINT32_C(0x80000000)

static const struct {
	uint16_t coff, machine;
	uint8_t bits;
} machines[] = {
	{ 0x8664, EM_X86_64, 64 },      { 0x14c, EM_386, 32 },         { 0xaa64, EM_AARCH64, 64 },
	{ 0x1c0, EM_ARM, 32 },          { 0x1c2, EM_ARM, 32 },         { 0x1c4, EM_ARM, 32 },
	{ 0x5064, EM_RISCV, 64 },       { 0x5032, EM_RISCV, 32 },      { 0x6264, EM_LOONGARCH, 64 },
	{ PE_ARM64EC, EM_AARCH64, 64 }, { PE_ARM64X, EM_AARCH64, 64 },
};

/* Names the machine for ARM64EC and ARM64X. ARM64EC is AArch64 code with the calling convention of
 * x86-64; ARM64X files have code of both conventions. See Microsoft, "Arm64EC ABI" and "Arm64X PE
 * files". */
static void machine_name(struct pe *p)
{
	if (p->machine == PE_ARM64EC || p->machine == PE_ARM64X)
		p->build.im->machine_name = p->machine == PE_ARM64EC ? "ARM64EC" : "ARM64X";
}

bool pe_find_machine(uint16_t coff, uint16_t *ret, uint8_t *ret_bits)
{
	for (size_t i = 0; i < COUNT_OF(machines); i++) {
		if (machines[i].coff != coff)
			continue;
		*ret = machines[i].machine;
		*ret_bits = machines[i].bits;
		return true;
	}
	return false;
}

struct reader pe_reader(const struct pe *p, uint64_t off, uint64_t size)
{
	return reader_of(bytes_sub(p->build.im->bytes, off, size), false);
}

bool pe_spend(struct pe *p, uint64_t size)
{
	if (size > p->left)
		return false;
	p->left -= size;
	return true;
}

struct reader pe_at(const struct pe *p, uint64_t rva, const struct pe_section **ret)
{
	enum { MOST = 1024 }; /* Limit of sections that are searched. Windows loads at most 96. */
	*ret = NULL;
	for (size_t i = 0; i < p->sections.count && i < MOST; i++) {
		const struct pe_section *s = &p->sections.data[i];
		const struct section *made = &p->build.sections.data[s->index];
		if (rva < s->addr || rva - s->addr >= made->file_size)
			continue;
		ASSERT(made->off <= p->build.im->bytes.size);
		*ret = s;
		const uint64_t skip = rva - s->addr;
		return pe_reader(p, made->off + skip, made->file_size - skip);
	}
	return reader_make(NULL, 0, false);
}

void pe_put(struct pe *p, uint64_t rva, uint64_t size, uint32_t symbol, uint64_t owner)
{
	ASSERT(symbol < p->build.symbols.count);
	const struct pe_section *s;
	(void)pe_at(p, rva, &s);
	if (s && size > 0)
		build_entry(&p->build, &(struct image_entry){ .section = s->index,
							      .symbol = symbol,
							      .off = rva - s->addr,
							      .size = size,
							      .addr = p->base + owner });
}

uint32_t pe_symbol(struct pe *p, struct str name, uint64_t rva, uint64_t size)
{
	const struct pe_section *s = NULL;
	struct made_symbol made = { .symbol = { .name = name, .bind = STB_GLOBAL, .size = size } };
	if (rva != 0)
		(void)pe_at(p, rva, &s);
	if (s) {
		made.symbol.section = s->index;
		made.symbol.value = p->base + rva;
		made.symbol.type = p->build.sections.data[s->index].exec ? STT_FUNC : STT_OBJECT;
	}
	return build_symbol(&p->build, &made);
}

/* Returns the offset of "PE\0\0". 0 if there is none. */
static uint64_t pe_offset(struct bytes b)
{
	struct reader r = reader_of(b, false);
	if (b.size < 64 || memcmp(b.p, "MZ", 2) != 0)
		return 0;
	reader_seek(&r, LFANEW);
	const uint32_t off = read_u32(&r);
	const struct bytes magic = bytes_sub(b, off, 4);
	return magic.size == 4 && memcmp(magic.p, "PE\0\0", 4) == 0 ? off : 0;
}

bool pe_matches(struct bytes bytes)
{
	return pe_offset(bytes) != 0;
}

/* True for ANON_OBJECT_HEADER_BIGOBJ: 0, 0xffff, version 2 and a class id. */
static bool is_big(struct bytes b)
{
	static const uint8_t id[16] = { 0xc7, 0xa1, 0xba, 0xd1, 0xee, 0xba, 0xa9, 0x4b,
					0xaf, 0x20, 0xfa, 0xf6, 0x6a, 0xa4, 0xdc, 0xb8 };
	return b.size >= BIG_SIZE && memcmp(b.p, "\0\0\xff\xff", 4) == 0 &&
	       memcmp(b.p + 12, id, sizeof id) == 0;
}

/* True if `bytes` begin with an object's header, and its tables lie in `size` bytes. */
static bool coff_header_fits(struct bytes bytes, uint64_t size)
{
	struct reader r = reader_of(bytes, false);
	uint16_t machine;
	uint8_t bits;
	if (is_big(bytes))
		return true;
	const uint16_t coff = read_u16(&r), sections = read_u16(&r);
	read_skip(&r, 4);
	const uint64_t symbols = read_u32(&r), count = read_u32(&r);
	const uint16_t optional = read_u16(&r);
	read_skip(&r, 2);
	return reader_ok(&r) && pe_find_machine(coff, &machine, &bits) && optional == 0 &&
	       COFF_SIZE + (uint64_t)sections * SECTION_SIZE <= size && symbols <= size &&
	       count <= (size - symbols) / SYMBOL_SIZE && sections + count > 0;
}

bool coff_matches(struct bytes bytes)
{
	return coff_header_fits(bytes, bytes.size);
}

bool coff_begins(struct bytes bytes)
{
	enum { LARGEST = INT32_MAX };
	return coff_header_fits(bytes, LARGEST);
}

static uint64_t pe_file_flags_of(struct str name, uint32_t flags)
{
	uint64_t ret = SHF_ALLOC;
	if (flags & (SCN_LINK_INFO | SCN_LINK_REMOVE) || section_name_is_debug(name) ||
	    str_starts(name, STR(".debug$")) || str_starts(name, STR(".gnu_debug")))
		ret = 0;
	if (flags & (SCN_CODE | SCN_EXECUTE))
		ret |= SHF_EXECINSTR;
	return flags & SCN_WRITE ? ret | SHF_WRITE : ret;
}

static void pe_file_add_section(struct pe *p, struct pe_section *s, struct str name)
{
	const bool object = p->build.im->kind == IMAGE_OBJECT;
	const bool none = s->off == 0 || (object && s->flags & SCN_UNINITIALIZED);
	const uint32_t size = object || s->size == 0 ? s->file_size : s->size;
	const uint32_t held = none ? 0 : s->file_size;
	const struct section made = { .name = name,
				      .title = name,
				      .type = none ? SHT_NOBITS : SHT_PROGBITS,
				      .flags = pe_file_flags_of(name, s->flags),
				      .addr = object ? 0 : p->base + s->addr,
				      .off = s->off,
				      .size = size,
				      .file_size = held < size ? held : size };
	s->index = build_section(&p->build, &made);
	vec_push(&p->sections, *s);
	if (object)
		return;
	if (made.flags & SHF_ALLOC)
		build_segment(&p->build, &(struct segment){ .name = name,
							    .read = s->flags & SCN_READ,
							    .write = s->flags & SCN_WRITE,
							    .exec = s->flags & SCN_EXECUTE,
							    .addr = made.addr,
							    .vm_size = size,
							    .off = s->off,
							    .file_size = made.file_size });
	/* Padding after the section in the file belongs to the section. */
	build_range(&p->build, name, s->off, held);
	build_part(&p->build, s->off, held, name.p);
}

static void pe_read_sections(struct pe *p)
{
	ASSERT(p->sections.count == 0);
	struct reader r = pe_reader(p, p->sections_off, (uint64_t)p->section_count * SECTION_SIZE);
	for (uint32_t i = 0; i < p->section_count && reader_left(&r) >= SECTION_SIZE; i++) {
		struct pe_section s = { 0 };
		const char *text = (const char *)read_take(&r, 8);
		const struct str field = { text, strnlen(text, 8) };
		s.size = read_u32(&r);
		s.addr = read_u32(&r);
		s.file_size = read_u32(&r);
		s.off = read_u32(&r);
		s.reloc_off = read_u32(&r);
		read_skip(&r, 4);
		s.reloc_count = read_u16(&r);
		read_skip(&r, 2);
		s.flags = read_u32(&r);
		if (s.flags & SCN_MANY_RELOCS && s.reloc_count == UINT16_MAX) {
			struct reader first = pe_reader(p, s.reloc_off, 4);
			s.reloc_count = read_u32(&first);
		}
		pe_file_add_section(p, &s, coff_long_name(p, field));
	}
}

/* Reads COFF's header; images have "PE\0\0" before. *ret_optional: size of the optional header. */
static void pe_file_read_header(struct pe *p, struct reader *r, uint16_t *ret_optional)
{
	p->machine = read_u16(r);
	p->section_count = read_u16(r);
	read_skip(r, 4);
	p->symbols_off = read_u32(r);
	p->symbol_count = read_u32(r);
	*ret_optional = read_u16(r);
	p->characteristics = read_u16(r);
	p->symbol_size = SYMBOL_SIZE;
}

static void read_optional_header(struct pe *p, struct reader *r)
{
	enum { EFI_APPLICATION = 10, EFI_ROM = 13 }; /* First and last subsystem of UEFI */
	const uint16_t magic = read_u16(r);
	read_skip(r, 14);
	const uint32_t entry = read_u32(r);
	read_skip(r, 4);
	if (magic != PE32_PLUS)
		read_skip(r, 4); /* Skip BaseOfData */
	p->base = magic == PE32_PLUS ? read_u64(r) : read_u32(r);
	p->build.im->base = p->base;
	p->build.im->from_base = true;
	p->build.im->bits = magic == PE32_PLUS ? 64 : 32;
	p->build.im->entry = p->base + entry;
	read_skip(r, 36); /* Skips the fields before Subsystem */
	const uint16_t subsystem = read_u16(r);
	p->efi = subsystem >= EFI_APPLICATION && subsystem <= EFI_ROM;
	p->protection = read_u16(r);
	read_skip(r, magic == PE32_PLUS ? 32 : 16); /* Skips the sizes of stack and heap. */
	read_skip(r, 4);                            /* Skip LoaderFlags */
	p->directory_count = read_u32(r);
	for (uint32_t i = 0; i < PE_DIRECTORIES && i < p->directory_count; i++) {
		p->directories[i].addr = read_u32(r);
		p->directories[i].size = read_u32(r);
	}
}

static bool read_image_headers(struct pe *p, struct heft_err *err)
{
	struct image *im = p->build.im;
	struct reader r = reader_of(im->bytes, false);
	uint16_t optional;
	uint8_t bits;
	reader_seek(&r, pe_offset(im->bytes) + 4);
	pe_file_read_header(p, &r, &optional);
	struct reader sub = read_sub(&r, optional);
	if (!reader_ok(&r) || optional < 28)
		return fail(err, HEFT_EFORMAT, im->file_off + min_u64(r.pos, im->bytes.size),
			    "%s: PE header is cut off at offset %" PRIu64, p->build.who,
			    im->file_off + im->bytes.size);
	read_optional_header(p, &sub);
	p->sections_off = r.pos;
	if ((uint64_t)p->section_count * SECTION_SIZE > reader_left(&r))
		return fail(err, HEFT_EFORMAT, im->file_off + r.pos,
			    "%s: section table of %" PRIu32
			    " entries goes beyond the end of the file of %" PRIu64
			    " bytes (truncated?)",
			    p->build.who, p->section_count, im->bytes.size);
	if (!pe_find_machine(p->machine, &im->machine, &bits))
		im->machine = EM_NONE;
	machine_name(p);
	im->format = "PE";
	im->kind = IMAGE_EXEC;
	im->type = p->characteristics & FILE_DLL ? ET_DYN : ET_EXEC;
	return true;
}

void pe_begin(struct pe *p, struct image *im, const struct image_place *at, struct bytes bytes,
	      struct notes *notes)
{
	memset(p, 0, sizeof *p);
	build_init(&p->build, im, at, bytes, notes);
	p->left = 2 * bytes.size;
}

bool pe_end(struct pe *p, bool ok)
{
	ASSERT(p->table < p->build.sections.count && p->names < p->build.sections.count);
	if (ok)
		build_finish(&p->build, p->table, p->names);
	build_release(&p->build);
	vec_release(&p->sections);
	if (!ok)
		image_release(p->build.im);
	return ok;
}

static void add_feature(struct image *im, bool has, const char *name)
{
	if (has)
		im->protection.features = arena_format(&im->arena, "%s%s%s",
						       im->protection.features,
						       *im->protection.features ? " " : "", name);
}

static void pe_file_read_protection(struct pe *p)
{
	enum { HIGH_ENTROPY = 0x20, DYNAMIC_BASE = 0x40, FORCE_INTEGRITY = 0x80 };
	enum { NX_COMPAT = 0x100, NO_SEH = 0x400, APP_CONTAINER = 0x1000, GUARD_CF = 0x4000 };
	struct image *im = p->build.im;
	const uint16_t has = p->protection;
	im->protection = (struct image_protection){
		.known = true,
		.moves = (has & DYNAMIC_BASE ||
			  (p->efi && p->directories[PE_BASE_RELOCATION].size > 0)) &&
			 !(p->characteristics & FILE_NO_RELOCS),
		.no_exec_data = has & NX_COMPAT,
		.features = "",
	};
	add_feature(im, has & GUARD_CF, "cfg");
	add_feature(im, has & HIGH_ENTROPY, "high-entropy");
	add_feature(im, has & NO_SEH, "no-seh");
	add_feature(im, has & APP_CONTAINER, "app-container");
	add_feature(im, has & FORCE_INTEGRITY, "force-integrity");
	add_feature(im, p->directories[PE_SECURITY].size > 0, "signed");
}

bool pe_parse(struct image *im, const struct image_place *at, struct bytes bytes,
	      struct notes *notes, struct heft_err *err)
{
	struct pe p;
	pe_begin(&p, im, at, bytes, notes);
	if (!read_image_headers(&p, err))
		return pe_end(&p, false);
	/* Adds the headers, which are in memory at the image's base. */
	const uint64_t table = (uint64_t)p.section_count * SECTION_SIZE;
	build_segment(&p.build, &(struct segment){ .name = STR("[PE Headers]"),
						   .read = true,
						   .addr = p.base,
						   .vm_size = p.sections_off + table,
						   .file_size = p.sections_off + table });
	build_part(&p.build, 0, p.sections_off, "[PE Headers]");
	build_part(&p.build, p.sections_off, table, "[PE Section Headers]");
	const struct pe_range *certificates = &p.directories[PE_SECURITY];
	if (certificates->size > 0) /* The address of certificates is a file offset */
		build_part(&p.build, certificates->addr, certificates->size, "[PE Certificates]");
	pe_file_read_protection(&p);
	coff_read_strings(&p);
	pe_read_sections(&p);
	pe_read_hybrid(&p);
	coff_read_symbols(&p);
	pe_read_tables(&p);
	return pe_end(&p, true);
}

static void read_object_header(struct pe *p)
{
	struct image *im = p->build.im;
	struct reader r = reader_of(im->bytes, false);
	uint16_t optional;
	if (!is_big(im->bytes)) {
		pe_file_read_header(p, &r, &optional);
		p->sections_off = COFF_SIZE;
		return;
	}
	reader_seek(&r, 6);
	p->machine = read_u16(&r);
	reader_seek(&r, 44);
	p->section_count = read_u32(&r);
	p->symbols_off = read_u32(&r);
	p->symbol_count = read_u32(&r);
	p->symbol_size = BIG_SYMBOL_SIZE;
	p->sections_off = BIG_SIZE;
}

bool coff_parse(struct image *im, const struct image_place *at, struct bytes bytes,
		struct notes *notes, struct heft_err *err)
{
	struct pe p;
	(void)err;
	pe_begin(&p, im, at, bytes, notes);
	im->format = "COFF";
	im->kind = IMAGE_OBJECT;
	im->type = ET_REL;
	im->bits = 32;
	read_object_header(&p);
	(void)pe_find_machine(p.machine, &im->machine, &im->bits);
	machine_name(&p);
	build_part(&p.build, 0, p.sections_off, "[COFF Header]");
	build_part(&p.build, p.sections_off, (uint64_t)p.section_count * SECTION_SIZE,
		   "[COFF Section Headers]");
	coff_read_strings(&p);
	pe_read_sections(&p);
	coff_read_symbols(&p);
	coff_read_relocs(&p);
	return pe_end(&p, true);
}

/* Reads short import objects, of which import libraries consist ("PE Format", Import Library
 * Format). An object has a header, the name of a symbol, and the name of its library. */

enum { HEADER_SIZE = 20, CODE = 0 };

struct import_object_import {
	uint16_t machine, type;
	struct str name, library;
};

static bool read_import(struct bytes b, struct import_object_import *ret)
{
	struct reader r = reader_of(b, false);
	const uint16_t zero = read_u16(&r), all = read_u16(&r), version = read_u16(&r);
	ret->machine = read_u16(&r);
	read_skip(&r, 4); /* Skip the time */
	const uint32_t size = read_u32(&r);
	read_skip(&r, 2); /* Skips ordinal or hint. */
	ret->type = read_u16(&r) & 3;
	ret->name = read_cstr(&r);
	ret->library = read_cstr(&r);
	return reader_ok(&r) && zero == 0 && all == 0xffff && version == 0 &&
	       size <= b.size - HEADER_SIZE && ret->name.len > 0;
}

bool import_matches(struct bytes bytes)
{
	struct import_object_import i;
	uint16_t machine;
	uint8_t bits;
	return read_import(bytes, &i) && pe_find_machine(i.machine, &machine, &bits);
}

/* Makes an image with one symbol. This symbol owns all bytes. Returns what pe_end() returns. */
bool import_parse(struct image *im, const struct image_place *at, struct bytes bytes,
		  struct notes *notes, struct heft_err *err)
{
	struct import_object_import i;
	struct pe p;
	(void)err;
	pe_begin(&p, im, at, bytes, notes);
	(void)read_import(bytes, &i);
	im->format = "COFF import";
	im->kind = IMAGE_OBJECT;
	im->type = ET_REL;
	(void)pe_find_machine(i.machine, &im->machine, &im->bits);
	if (i.machine == PE_ARM64EC)
		im->machine_name = "ARM64EC";
	const struct section whole = { .name = STR("Import Object"),
				       .title = STR("Import Object"),
				       .type = SHT_PROGBITS,
				       .size = bytes.size,
				       .file_size = bytes.size };
	const uint32_t section = build_section(&p.build, &whole);
	const struct made_symbol made = {
		.symbol = { .name = i.name, .type = i.type == CODE ? STT_FUNC : STT_OBJECT }
	};
	build_entry(&p.build, &(struct image_entry){ .section = section,
						     .symbol = build_symbol(&p.build, &made),
						     .size = bytes.size });
	return pe_end(&p, true);
}
