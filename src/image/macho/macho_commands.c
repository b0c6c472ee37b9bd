/* Reads the load commands: segments with their sections, and the ranges of __LINKEDIT. */
#include "image/macho/macho_internal.h"

enum { LC_SEGMENT = 1, LC_SYMTAB = 2, LC_DYSYMTAB = 0xb, LC_SEGMENT_64 = 0x19, LC_UUID = 0x1b };
enum { LC_CODE_SIGNATURE = 0x1d, LC_DYLD_INFO = 0x22, LC_FUNCTION_STARTS = 0x26, LC_MAIN = 0x28 };
enum { LC_DATA_IN_CODE = 0x29, LC_EXPORTS_TRIE = 0x33, LC_CHAINED_FIXUPS = 0x34 };
enum { LC_REQ_DYLD = (int)0x80000000 };

enum { NAME_SIZE = 16, PROT_READ = 1, PROT_WRITE = 2, PROT_EXEC = 4 };

/* Commands that state one range (linkedit_data_command). */
static const struct {
	uint32_t command;
	const char *title;
} ranges[] = {
	{ LC_CODE_SIGNATURE, "Code Signature" },
	{ 0x1e, "Segment Split Info" },
	{ LC_FUNCTION_STARTS, "Function Start Addresses" },
	{ LC_DATA_IN_CODE, "Table of Non-instructions" },
	{ 0x2b, "Code Signing DRs" },
	{ 0x2e, "Optimization Hints" },
	{ LC_EXPORTS_TRIE, "Exports Trie" },
	{ LC_CHAINED_FIXUPS, "Chained Fixups" },
	{ 0x36, "Atom Info" },
};

/* Reads and returns a name in a field of 16 bytes. A shorter name ends with NUL. */
static struct str read_name(struct macho *m, struct reader *r)
{
	const char *p = (const char *)read_take(r, NAME_SIZE);
	const struct str name = { p ? p : "", p ? strnlen(p, NAME_SIZE) : 0 };
	return str_of(arena_copy(&m->build.im->arena, name));
}

static uint64_t macho_commands_flags_of(const struct segment *seg, struct str segment,
					uint32_t flags)
{
	const bool debug = flags & S_ATTR_DEBUG || str_eq(segment, STR("__DWARF")) ||
			   str_eq(segment, STR("__LLVM"));
	const uint32_t type = flags & 0xff;
	uint64_t ret = debug ? 0 : SHF_ALLOC;
	if (flags & (S_ATTR_PURE_INSTRUCTIONS | S_ATTR_SOME_INSTRUCTIONS))
		ret |= SHF_EXECINSTR;
	if (str_starts(segment, STR("__DATA")) || (seg->write && !seg->exec))
		ret |= SHF_WRITE;
	if (type == S_CSTRING_LITERALS)
		ret |= SHF_MERGE | SHF_STRINGS;
	else if (type == S_4BYTE_LITERALS || type == S_8BYTE_LITERALS || type == S_16BYTE_LITERALS)
		ret |= SHF_MERGE;
	return ret;
}

static uint64_t macho_commands_entry_size(uint32_t flags)
{
	switch (flags & 0xff) {
	case S_CSTRING_LITERALS: return 1;
	case S_4BYTE_LITERALS: return 4;
	case S_8BYTE_LITERALS: return 8;
	case S_16BYTE_LITERALS: return 16;
	default: return 0;
	}
}

static void macho_commands_read_section(struct macho *m, struct reader *r,
					const struct segment *seg)
{
	struct image *im = m->build.im;
	struct macho_section s = { 0 };
	const struct str section = read_name(m, r), segment = read_name(m, r);
	s.addr = read_macho_word(r, m);
	s.size = read_macho_word(r, m);
	s.off = read_u32(r);
	const uint32_t align = read_u32(r);
	s.reloc_off = read_u32(r);
	s.reloc_count = read_u32(r);
	s.flags = read_u32(r);
	s.first_indirect = read_u32(r);
	s.stub_size = read_u32(r);
	if (im->bits == 64)
		read_skip(r, 4);
	if (!reader_ok(r))
		return;
	/* Sections with offset 0 have no bytes, because every file has its header there. dSYM files
	 * contain only debug sections, and sometimes __eh_frame. */
	const uint32_t type = s.flags & 0xff;
	const bool absent = type == S_ZEROFILL || type == S_GB_ZEROFILL ||
			    type == S_THREAD_LOCAL_ZEROFILL || seg->file_size == 0 || s.off == 0;
	const struct section made = {
		.name = macho_section_name(m, segment, section, s.flags),
		.title = str_of(arena_format(&im->arena, STR_FMT "," STR_FMT, STR_ARG(segment),
					     STR_ARG(section))),
		.type = absent ? SHT_NOBITS : SHT_PROGBITS,
		.flags = macho_commands_flags_of(seg, segment, s.flags),
		.addr = im->kind == IMAGE_OBJECT ? 0 : s.addr,
		.off = s.off,
		.size = s.size,
		.file_size = absent ? 0 : s.size,
		.align = align < 32 ? UINT64_C(1) << align : 0,
		.entsize = macho_commands_entry_size(s.flags),
	};
	s.index = build_section(&m->build, &made);
	if (str_eq(section, STR("__unwind_info")))
		m->unwind = (struct macho_range){ s.off, made.file_size, s.index };
	vec_push(&m->sections, s);
}

/* Reads a segment_command. */
static void macho_commands_read_segment(struct macho *m, struct reader *r)
{
	const struct image *im = m->build.im;
	struct segment s = { .name = read_name(m, r) };
	s.addr = read_macho_word(r, m);
	s.vm_size = read_macho_word(r, m);
	s.off = read_macho_word(r, m);
	s.file_size = read_macho_word(r, m);
	const uint32_t most = read_u32(r), first = read_u32(r);
	const uint32_t count = read_u32(r);
	read_skip(r, 4);
	s.read = first & PROT_READ;
	s.write = first & PROT_WRITE;
	s.exec = first & PROT_EXEC;
	if (!reader_ok(r))
		return;
	if (m->segments.count < MACHO_SEGMENTS_MAX)
		vec_push(&m->segments, (struct macho_segment){ s.addr, s.off, s.file_size });
	if (str_eq(s.name, STR("__TEXT")))
		m->text_addr = s.addr;
	if (str_eq(s.name, STR("__LINKEDIT"))) {
		m->linkedit_addr = s.addr;
		m->linkedit_off = s.off;
		m->linkedit_size = min_u64(s.file_size, s.vm_size);
	}
	/* Skips __PAGEZERO, because it takes no memory. Skips the segment of an object, because it
	 * only groups sections. */
	if (most != 0 && im->kind != IMAGE_OBJECT)
		build_segment(&m->build, &s);
	for (uint32_t i = 0; i < count && reader_left(r) > 0; i++)
		macho_commands_read_section(m, r, &s);
}

/* Adds a section for a range of __LINKEDIT, and returns the range. In linked images the range also
 * takes memory. */
static struct macho_range macho_commands_add_range(struct macho *m, const char *title, uint64_t off,
						   uint64_t size)
{
	const uint64_t skip = off - m->linkedit_off;
	const bool mapped = off >= m->linkedit_off && skip <= m->linkedit_size &&
			    size <= m->linkedit_size - skip && m->linkedit_size > 0;
	const struct section s = { .name = str_of(title),
				   .title = str_of(title),
				   .type = SHT_PROGBITS,
				   .flags = mapped ? SHF_ALLOC : 0,
				   .addr = mapped ? m->linkedit_addr + skip : 0,
				   .off = off,
				   .size = size,
				   .file_size = size };
	if (size == 0)
		return (struct macho_range){ off, 0, 0 };
	const uint32_t index = build_section(&m->build, &s);
	const struct section *made = &m->build.sections.data[index];
	return (struct macho_range){ made->off, made->file_size, index };
}

static void read_linkedit_data(struct macho *m, struct reader *r, uint32_t command)
{
	const uint32_t off = read_u32(r), size = read_u32(r);
	for (size_t i = 0; i < COUNT_OF(ranges); i++) {
		if (ranges[i].command != command || !reader_ok(r))
			continue;
		const struct macho_range range = macho_commands_add_range(m, ranges[i].title, off,
									  size);
		switch (command) {
		case LC_CODE_SIGNATURE: macho_read_signature(m, &range); break;
		case LC_FUNCTION_STARTS: m->starts = range; break;
		case LC_DATA_IN_CODE: m->data_in_code = range; break;
		case LC_EXPORTS_TRIE: m->exports = range; break;
		case LC_CHAINED_FIXUPS: m->fixups = range; break;
		default: break;
		}
	}
}

/* Reads symtab_command. */
static void read_symtab(struct macho *m, struct reader *r)
{
	const uint32_t off = read_u32(r), count = read_u32(r);
	const uint32_t strings = read_u32(r), strings_size = read_u32(r);
	const uint64_t size = m->build.im->bits == 64 ? 16 : 12;
	if (!reader_ok(r) || m->symbols.index != 0)
		return;
	m->symbols = macho_commands_add_range(m, "Symbol Table", off, count * size);
	m->strings = macho_commands_add_range(m, "String Table", strings, strings_size);
	m->symbol_count = m->symbols.size / size;
}

/* Reads dysymtab_command: pairs of an offset and a count of entries. */
static void read_dysymtab(struct macho *m, struct reader *r)
{
	const struct {
		const char *title;
		uint64_t size;
	} tables[] = {
		{ "Table of Contents", 8 },
		{ "Module Table", m->build.im->bits == 64 ? 56 : 52 },
		{ "Referenced Symbol Table", 4 },
		{ "Indirect Symbol Table", 4 },
		{ "External Relocation Entries", 8 },
		{ "Local Relocation Entries", 8 },
	};
	read_skip(r, 6 * 4); /* Skips ranges of the symbol table. */
	for (size_t i = 0; i < COUNT_OF(tables); i++) {
		const uint32_t off = read_u32(r), count = read_u32(r);
		if (!reader_ok(r))
			return;
		const struct macho_range range = macho_commands_add_range(m, tables[i].title, off,
									  count * tables[i].size);
		if (i == 3)
			m->indirect = range;
	}
}

/* Reads dyld_info_command. */
static void read_dyld_info(struct macho *m, struct reader *r)
{
	static const char *const titles[] = { "Rebase Info", "Binding Info", "Weak Binding Info",
					      "Lazy Binding Info", "Export Info" };
	for (size_t i = 0; i < COUNT_OF(titles); i++) {
		const uint32_t off = read_u32(r), size = read_u32(r);
		if (!reader_ok(r))
			return;
		struct macho_range *to = i < MACHO_OPCODES ? &m->opcodes[i] : &m->exports;
		*to = macho_commands_add_range(m, titles[i], off, size);
	}
}

static void macho_commands_read(struct macho *m, uint32_t command, struct reader *r)
{
	struct image *im = m->build.im;
	switch (command & ~(uint32_t)LC_REQ_DYLD) {
	case LC_SEGMENT:
	case LC_SEGMENT_64: macho_commands_read_segment(m, r); break;
	case LC_UUID: {
		const uint8_t *id = read_take(r, 16);
		im->build_id = (struct bytes){ id, id ? 16 : 0 };
		break;
	}
	case LC_MAIN: im->entry = m->text_addr + read_u64(r); break;
	default: break;
	}
}

/* Reads a command that states ranges. Segments must be read before. */
static void read_range_command(struct macho *m, uint32_t command, struct reader *r)
{
	command &= ~(uint32_t)LC_REQ_DYLD;
	if (command == LC_SYMTAB)
		read_symtab(m, r);
	else if (command == LC_DYSYMTAB)
		read_dysymtab(m, r);
	else if (command == LC_DYLD_INFO)
		read_dyld_info(m, r);
	else
		read_linkedit_data(m, r, command);
}

static void each_command(struct macho *m,
			 void (*read)(struct macho *m, uint32_t command, struct reader *r))
{
	struct reader r = macho_reader(m, m->header_size, m->commands_size);
	for (uint32_t i = 0; i < m->command_count && reader_left(&r) > 0; i++) {
		const uint64_t at = r.pos;
		const uint32_t command = read_u32(&r), size = read_u32(&r);
		if (!reader_ok(&r) || size < 8 || size > r.size - at) {
			IMAGE_NOTE(m->build.im, m->header_size + at, r.size - at,
				   "load command %" PRIu32
				   " is damaged, and what follows is not read",
				   i);
			return;
		}
		struct reader sub = read_sub(&r, size - 8);
		read(m, command, &sub);
	}
}

void macho_read_commands(struct macho *m)
{
	ASSERT(m->header_size + m->commands_size <= m->build.im->bytes.size);
	ASSERT(m->sections.count == 0);
	each_command(m, macho_commands_read);
	each_command(m, read_range_command);
}
