/* Parses Mach-O files: reads the header and calls the readers of each part. */
#include "image/macho/macho_internal.h"

enum { MH_OBJECT = 1, MH_EXECUTE = 2, MH_DYLIB = 6, MH_BUNDLE = 8, MH_DYLIB_STUB = 9 };

/* Values of mach_header.magic as bytes of the file. */
static const struct {
	uint8_t magic[4];
	uint8_t bits;
	bool big_endian;
} magics[] = {
	{ { 0xce, 0xfa, 0xed, 0xfe }, 32, false },
	{ { 0xcf, 0xfa, 0xed, 0xfe }, 64, false },
	{ { 0xfe, 0xed, 0xfa, 0xce }, 32, true },
	{ { 0xfe, 0xed, 0xfa, 0xcf }, 64, true },
};

/* Maps cputype to EM_* values. */
static const struct {
	uint32_t cpu;
	uint16_t machine;
} machines[] = {
	{ 7, EM_386 },
	{ 0x01000007, EM_X86_64 },
	{ 12, EM_ARM },
	{ 0x0100000c, EM_AARCH64 },
	{ 0x0200000c, EM_AARCH64 },
	{ 18, EM_PPC },
	{ 0x01000012, EM_PPC64 },
};

static int find_magic(struct bytes b)
{
	for (size_t i = 0; i < COUNT_OF(magics) && b.size >= 4; i++)
		if (memcmp(b.p, magics[i].magic, 4) == 0)
			return (int)i;
	return -1;
}

bool macho_matches(struct bytes bytes)
{
	return find_magic(bytes) >= 0;
}

struct reader macho_reader(const struct macho *m, uint64_t off, uint64_t size)
{
	return reader_of(bytes_sub(m->build.im->bytes, off, size), m->build.im->big_endian);
}

static uint16_t type_of(uint32_t file_type)
{
	switch (file_type) {
	case MH_OBJECT: return ET_REL;
	case MH_DYLIB:
	case MH_BUNDLE:
	case MH_DYLIB_STUB: return ET_DYN;
	default: return ET_EXEC;
	}
}

static bool macho_parse_header(struct macho *m, struct heft_err *err)
{
	struct image *im = m->build.im;
	const int magic = find_magic(im->bytes);
	im->bits = magics[magic].bits;
	im->big_endian = magics[magic].big_endian;
	struct reader r = reader_at(im->bytes, im->big_endian, 4);
	m->cpu = read_u32(&r);
	read_skip(&r, 4); /* Skip cpusubtype */
	m->file_type = read_u32(&r);
	m->command_count = read_u32(&r);
	m->commands_size = read_u32(&r);
	im->flags = read_u32(&r);
	if (im->bits == 64)
		read_skip(&r, 4);
	if (!reader_ok(&r))
		return fail(err, HEFT_EFORMAT, im->file_off + r.bad,
			    "%s: Mach-O header is cut off at offset %" PRIu64, m->build.who,
			    im->file_off + im->bytes.size);
	m->header_size = r.pos;
	if (m->commands_size > im->bytes.size - r.pos)
		return fail(err, HEFT_EFORMAT, im->file_off + r.pos,
			    "%s: load commands of %" PRIu32
			    " bytes go beyond the end of the file of %" PRIu64
			    " bytes (truncated?)",
			    m->build.who, m->commands_size, im->bytes.size);
	im->format = "Mach-O";
	im->full_titles = true;
	for (size_t i = 0; i < COUNT_OF(machines); i++)
		if (machines[i].cpu == m->cpu)
			im->machine = machines[i].machine;
	im->type = type_of(m->file_type);
	im->kind = m->file_type == MH_OBJECT ? IMAGE_OBJECT : IMAGE_EXEC;
	return true;
}

/* Reads the protections from mach_header.flags and from the signature. */
static void macho_read_protection(struct macho *m)
{
	enum { ALLOW_STACK_EXECUTION = 0x20000, PIE = 0x200000, NO_HEAP_EXECUTION = 0x1000000 };
	struct image *im = m->build.im;
	const bool library = m->file_type != MH_EXECUTE;
	im->protection = (struct image_protection){
		.known = im->kind == IMAGE_EXEC,
		.moves = library || im->flags & PIE,
		.no_exec_data = !(im->flags & ALLOW_STACK_EXECUTION) &&
				(im->bits == 64 || im->flags & NO_HEAP_EXECUTION),
		.features = m->hardened    ? "signed hardened"
			    : m->is_signed ? "signed"
					   : "",
	};
}

bool macho_parse(struct image *im, const struct image_place *at, struct bytes bytes,
		 struct notes *notes, struct heft_err *err)
{
	struct macho m = { .cpu = 0 };
	build_init(&m.build, im, at, bytes, notes);
	const bool ok = macho_parse_header(&m, err);
	if (ok) {
		build_part(&m.build, 0, m.header_size + m.commands_size, "[Mach-O Headers]");
		macho_read_commands(&m);
		m.slots_left = m.indirect.size;
		m.relocs_left = bytes.size;
		macho_read_symbols(&m);
		macho_read_relocs(&m);
		macho_read_unwind(&m);
		macho_read_frames(&m);
		macho_read_linkedit(&m);
		macho_read_protection(&m);
		build_finish(&m.build, m.symbols.index, m.strings.index);
	}
	build_release(&m.build);
	vec_release_all(&m.sections, &m.segments, &m.pointers, &m.indexes);
	map_release(&m.names);
	if (!ok)
		image_release(im);
	return ok;
}
