/* Reads the ELF header, the program headers and the section headers into struct image. gABI,
 * "Object Files" and "Program Loading". */
#include "image/elf/elf_internal.h"
#include "image/elf/elf_note.h"
#include "image/elf/elf_const.h"

/* Fields of the ELF header that only parsing needs. */
struct ehdr {
	uint64_t phoff, shoff;
	uint32_t ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};

struct elf_parse {
	struct image *im;
	const char *who; /* "path" or "path(member)", for error messages */
	struct ehdr eh;
	struct heft_err *err;
};

/* Returns the end of the address space of the image's class. UINT64_MAX for 64 bits. */
static uint64_t addr_limit(const struct image *im)
{
	return im->bits == 64 ? UINT64_MAX : UINT64_C(1) << 32;
}

bool elf_matches(struct bytes bytes)
{
	return bytes.size >= 4 && memcmp(bytes.p, "\177ELF", 4) == 0;
}

static bool parse_ident(struct elf_parse *p)
{
	struct image *im = p->im;
	const uint8_t *id = im->bytes.p;
	const uint64_t at = im->file_off;
	if (!elf_matches(im->bytes))
		return fail(p->err, HEFT_EFORMAT, at, "%s: not an ELF file", p->who);
	if (im->bytes.size < EI_NIDENT)
		return fail(p->err, HEFT_EFORMAT, at,
			    "%s: ELF file of %" PRIu64 " bytes is too short for its header", p->who,
			    im->bytes.size);
	if (id[EI_CLASS] != ELFCLASS32 && id[EI_CLASS] != ELFCLASS64)
		return fail(p->err, HEFT_EFORMAT, at + EI_CLASS,
			    "%s: ELF header at offset %" PRIu64
			    ": unknown class (EI_CLASS) %u, neither 32 nor 64 bit",
			    p->who, at + EI_CLASS, id[EI_CLASS]);
	if (id[EI_DATA] != ELFDATA2LSB && id[EI_DATA] != ELFDATA2MSB)
		return fail(p->err, HEFT_EFORMAT, at + EI_DATA,
			    "%s: ELF header at offset %" PRIu64 ": unknown byte order (EI_DATA) %u",
			    p->who, at + EI_DATA, id[EI_DATA]);
	im->bits = id[EI_CLASS] == ELFCLASS64 ? 64 : 32;
	im->big_endian = id[EI_DATA] == ELFDATA2MSB;
	im->os_abi = id[EI_OSABI];
	return true;
}

static bool parse_ehdr(struct elf_parse *p)
{
	struct image *im = p->im;
	struct ehdr *eh = &p->eh;
	struct reader r = reader_at(im->bytes, im->big_endian, EI_NIDENT);
	im->type = read_u16(&r);
	im->machine = read_u16(&r);
	read_skip(&r, 4); /* Skip e_version */
	im->entry = read_elf_word(&r, im->bits);
	eh->phoff = read_elf_word(&r, im->bits);
	eh->shoff = read_elf_word(&r, im->bits);
	im->flags = read_u32(&r);
	eh->ehsize = read_u16(&r);
	eh->phentsize = read_u16(&r);
	eh->phnum = read_u16(&r);
	eh->shentsize = read_u16(&r);
	eh->shnum = read_u16(&r);
	eh->shstrndx = read_u16(&r);
	if (!reader_ok(&r))
		return fail(p->err, HEFT_EFORMAT, im->file_off + r.bad,
			    "%s: ELF header is cut off at offset %" PRIu64, p->who,
			    im->file_off + im->bytes.size);
	im->kind = im->type == ET_REL    ? IMAGE_OBJECT
		   : im->type == ET_CORE ? IMAGE_CORE
					 : IMAGE_EXEC;
	const uint64_t least = im->bits == 64 ? EHDR64_SIZE : EHDR32_SIZE;
	im->ehdr_size = min_u64(max_u64(eh->ehsize, least), im->bytes.size);
	return true;
}

/* Fails if `count` entries of `entsize` bytes (>= `least`) at `off` are not all in the file. */
static bool check_table(struct elf_parse *p, const char *what, uint64_t off, uint64_t count,
			uint32_t entsize, uint32_t least)
{
	const struct image *im = p->im;
	if (entsize < least)
		return fail(p->err, HEFT_EFORMAT, im->file_off,
			    "%s: ELF header: %s entries of %" PRIu32 " bytes, at least %" PRIu32
			    " are needed",
			    p->who, what, entsize, least);
	if (off > im->bytes.size)
		return fail(p->err, HEFT_EFORMAT, add_sat(im->file_off, off),
			    "%s: %s table at offset %" PRIu64 " is outside the file of %" PRIu64
			    " bytes (truncated?)",
			    p->who, what, off, im->bytes.size);
	if (count > (im->bytes.size - off) / entsize)
		return fail(p->err, HEFT_EFORMAT, im->file_off + off,
			    "%s: %s table at offset %" PRIu64 " (%" PRIu64
			    " entries) goes beyond the end of the file of %" PRIu64
			    " bytes (truncated?)",
			    p->who, what, off, count, im->bytes.size);
	return true;
}

static void read_shdr(const struct image *im, uint64_t off, struct section *s, uint32_t *name_off)
{
	struct reader r = reader_at(im->bytes, im->big_endian, off);
	*name_off = read_u32(&r);
	s->type = read_u32(&r);
	if (s->type == SHT_AARCH64_AUTH_RELR && im->machine == EM_AARCH64)
		s->type = SHT_AUTH_RELR;
	s->flags = read_elf_word(&r, im->bits);
	s->addr = read_elf_word(&r, im->bits);
	s->off = read_elf_word(&r, im->bits);
	s->size = read_elf_word(&r, im->bits);
	s->link = read_u32(&r);
	s->info = read_u32(&r);
	s->align = read_elf_word(&r, im->bits);
	s->entsize = read_elf_word(&r, im->bits);
}

static void read_phdr(const struct image *im, uint64_t off, struct segment *s);

/* Handles a core that was cut off before its section headers. Only section headers would state a
 * number of segments above 65,534. So computes the number: the program headers end at the notes. */
static void do_without_sections(struct elf_parse *p)
{
	struct ehdr *eh = &p->eh;
	const struct image *im = p->im;
	IMAGE_NOTE(im, HEFT_NO_OFFSET, 0,
		   "the section header table at offset %" PRIu64 " is outside the file (cut off)",
		   eh->shoff);
	eh->shoff = eh->shnum = 0;
	if (eh->phnum != PN_XNUM || eh->phentsize == 0)
		return;
	struct segment first;
	read_phdr(im, eh->phoff, &first);
	const uint64_t room = min_u64(first.off, im->bytes.size);
	eh->phnum = room > eh->phoff
			    ? (uint32_t)min_u64((room - eh->phoff) / eh->phentsize, UINT32_MAX)
			    : 0;
}

/* Resolves counts that are too large for the ELF header and stored in section 0 (gABI: e_shnum,
 * e_shstrndx; e_phnum by the PN_XNUM extension of Solaris and Linux). Fails if the table of section
 * headers is not in the file. */
static bool resolve_counts(struct elf_parse *p)
{
	struct ehdr *eh = &p->eh;
	const struct image *im = p->im;
	if (eh->shoff == 0) {
		if (eh->shnum != 0)
			IMAGE_NOTE(im, 0, 0,
				   "%" PRIu32 " sections stated, but no section header table",
				   eh->shnum);
		eh->shnum = 0;
		return true;
	}
	const uint32_t least = im->bits == 64 ? SHDR64_SIZE : SHDR32_SIZE;
	if (im->kind == IMAGE_CORE &&
	    (eh->shoff > im->bytes.size || im->bytes.size - eh->shoff < least ||
	     (im->bytes.size - eh->shoff) / least < eh->shnum)) {
		do_without_sections(p);
		return true;
	}
	const bool needs_zero = eh->shnum == 0 || eh->shstrndx == SHN_XINDEX ||
				eh->phnum == PN_XNUM;
	if (!check_table(p, "section header", eh->shoff, needs_zero ? 1 : eh->shnum, eh->shentsize,
			 least))
		return false;
	if (!needs_zero)
		return true;
	struct section zero = { 0 };
	uint32_t name;
	read_shdr(im, eh->shoff, &zero, &name);
	uint64_t count = eh->shnum ? eh->shnum : zero.size;
	if (eh->shstrndx == SHN_XINDEX)
		eh->shstrndx = zero.link;
	if (eh->phnum == PN_XNUM)
		eh->phnum = zero.info;
	if (!check_table(p, "section header", eh->shoff, count, eh->shentsize, least))
		return false;
	if (count > UINT32_MAX - 8)
		return fail(p->err, HEFT_ELIMIT, im->file_off, "%s: too many sections", p->who);
	eh->shnum = (uint32_t)count;
	return true;
}

static void read_phdr(const struct image *im, uint64_t off, struct segment *s)
{
	struct reader r = reader_at(im->bytes, im->big_endian, off);
	s->type = read_u32(&r);
	uint32_t flags = im->bits == 64 ? read_u32(&r) : 0;
	s->off = read_elf_word(&r, im->bits);
	s->addr = read_elf_word(&r, im->bits);
	s->load_addr = read_elf_word(&r, im->bits);
	s->file_size = read_elf_word(&r, im->bits);
	s->vm_size = read_elf_word(&r, im->bits);
	if (im->bits == 32)
		flags = read_u32(&r);
	s->align = read_elf_word(&r, im->bits);
	s->read = flags & PF_R;
	s->write = flags & PF_W;
	s->exec = flags & PF_X;
}

/* Clips the memory of a segment. elf_index_build() clips its bytes in the file. */
static void clip_segment(const struct image *im, struct segment *s)
{
	const uint64_t room = addr_limit(im) - min_u64(s->addr, addr_limit(im));
	if (s->vm_size > room) {
		IMAGE_NOTE(im, HEFT_NO_OFFSET, s->vm_size - room,
			   "segment %" PRIu32 " goes beyond the end of the address space",
			   s->index);
		s->vm_size = room;
	}
	if (s->type == PT_LOAD && s->file_size > s->vm_size) {
		IMAGE_NOTE(im, s->off, s->file_size - s->vm_size,
			   "segment %" PRIu32 " is larger in the file than in memory", s->index);
		s->file_size = s->vm_size;
	}
}

/* Sets load addresses to VM addresses where p_paddr is unusable: in cores, if it does not fit, or
 * if all of several are 0. */
static void settle_load_addrs(struct image *im)
{
	bool known = false, several = false;
	const struct segment *first = NULL;
	each_segment(s, im) {
		if (s->type != PT_LOAD)
			continue;
		known |= s->load_addr != 0;
		several |= first != NULL;
		first = first ? first : s;
	}
	for (size_t i = 0; i < im->segment_count; i++) {
		struct segment *s = &im->segments[i];
		const bool fits = s->load_addr <= addr_limit(im) &&
				  addr_limit(im) - s->load_addr >= s->file_size;
		if (im->kind == IMAGE_CORE || (several && !known) || !fits)
			s->load_addr = s->addr;
	}
}

static bool parse_segments(struct elf_parse *p)
{
	ASSERT(p->im->bits == 32 || p->im->bits == 64);
	struct image *im = p->im;
	const struct ehdr *eh = &p->eh;
	if (eh->phnum == 0)
		return true;
	if (!check_table(p, "program header", eh->phoff, eh->phnum, eh->phentsize,
			 im->bits == 64 ? PHDR64_SIZE : PHDR32_SIZE))
		return false;
	im->phdr_off = eh->phoff;
	im->phdr_size = (uint64_t)eh->phnum * eh->phentsize;
	im->segments = arena_new(&im->arena, struct segment, eh->phnum);
	im->segment_count = eh->phnum;
	for (uint32_t i = 0; i < eh->phnum; i++) {
		struct segment *s = &im->segments[i];
		s->index = i;
		read_phdr(im, eh->phoff + (uint64_t)i * eh->phentsize, s);
		clip_segment(im, s);
	}
	settle_load_addrs(im);
	return true;
}

/* Sets the address of a section and clips the section to its address space. */
static void elf_place_section(const struct image *im, struct section *s, uint64_t first_vm_index)
{
	uint64_t limit = addr_limit(im);
	if (im->kind == IMAGE_OBJECT) {
		const uint64_t slot = UINT64_C(1) << OBJECT_SECTION_SHIFT;
		const uint64_t base = (first_vm_index + s->index) << OBJECT_SECTION_SHIFT;
		const bool fits = s->addr < slot && s->size < slot - s->addr;
		s->addr = fits ? base + s->addr : base;
		limit = base + (slot - 1);
	}
	const uint64_t room = limit - min_u64(s->addr, limit);
	if (s->size <= room)
		return;
	if (s->alloc)
		IMAGE_NOTE(im, HEFT_NO_OFFSET, s->size - room,
			   "section %" PRIu32 " goes beyond the end of its address space",
			   s->index);
	s->size = room;
}

static void parse_section(const struct image *im, struct section *s, uint64_t first_vm_index)
{
	s->alloc = s->flags & SHF_ALLOC && s->type != SHT_NULL;
	s->write = s->flags & SHF_WRITE;
	s->exec = s->flags & SHF_EXECINSTR;
	s->tls = s->flags & SHF_TLS;
	s->compressed = s->flags & SHF_COMPRESSED && s->type != SHT_NOBITS;
	s->nobits = s->type == SHT_NOBITS;
	const uint64_t room = s->off < im->bytes.size ? im->bytes.size - s->off : 0;
	s->file_size = s->nobits || s->type == SHT_NULL ? 0 : s->size;
	if (s->file_size > room) {
		IMAGE_NOTE(im, s->off, s->file_size - room,
			   "section %" PRIu32 " goes beyond the end of the file", s->index);
		s->file_size = room;
	}
	if (room == 0)
		s->off = min_u64(s->off, im->bytes.size);
	elf_place_section(im, s, first_vm_index);
}

static struct bytes elf_name_table(const struct elf_parse *p)
{
	const struct image *im = p->im;
	const uint32_t i = p->eh.shstrndx;
	if (i == 0)
		return (struct bytes){ NULL, 0 };
	if (i >= im->section_count || im->sections[i].type != SHT_STRTAB) {
		IMAGE_NOTE(im, HEFT_NO_OFFSET, 0,
			   "the section name table (section %" PRIu32 ") is no string table", i);
		return (struct bytes){ NULL, 0 };
	}
	return section_bytes(im, &im->sections[i]);
}

static void elf_name_sections(const struct elf_parse *p, const uint32_t *name_offs)
{
	struct image *im = p->im;
	const struct bytes table = elf_name_table(p);
	for (uint32_t i = 0; i < im->section_count; i++) {
		struct section *s = &im->sections[i];
		s->name = STR("");
		if (!bytes_cstr(table, name_offs[i], &s->name) && table.size)
			IMAGE_NOTE(im, HEFT_NO_OFFSET, 0,
				   "section %" PRIu32 " has a name outside the name table", i);
	}
}

static bool parse_sections(struct elf_parse *p, uint64_t first_vm_index)
{
	struct image *im = p->im;
	const struct ehdr *eh = &p->eh;
	if (eh->shnum == 0)
		return true;
	const uint64_t vm_indexes = UINT64_C(1) << (64 - OBJECT_SECTION_SHIFT);
	if (im->kind == IMAGE_OBJECT &&
	    (first_vm_index > vm_indexes || eh->shnum > vm_indexes - first_vm_index))
		return fail(p->err, HEFT_ELIMIT, im->file_off,
			    "%s: too many sections (over %" PRIu64 " in all)", p->who, vm_indexes);
	im->shdr_off = eh->shoff;
	im->shdr_size = (uint64_t)eh->shnum * eh->shentsize;
	im->sections = arena_new(&im->arena, struct section, eh->shnum);
	im->section_count = eh->shnum;
	im->name_bound_count = eh->shnum;
	im->name_bounds = arena_new(&im->arena, uint64_t, eh->shnum);
	uint32_t *names = mem_zeroed(eh->shnum, sizeof *names);
	for (uint32_t i = 0; i < eh->shnum; i++) {
		struct section *s = &im->sections[i];
		s->index = i;
		read_shdr(im, eh->shoff + (uint64_t)i * eh->shentsize, s, &names[i]);
		if (i == 0) /* Section 0 only has counts that do not fit the header. */
			*s = (struct section){ .link = s->link, .info = s->info };
		parse_section(im, s, first_vm_index);
	}
	elf_name_sections(p, names);
	mem_free(names);
	return true;
}

enum { READ_RATIO = 2 };

/* Subtracts `size` from *left. If *left is less, returns true without a change. */
static bool is_again(uint64_t *left, uint64_t size)
{
	const bool again = size > *left;
	*left -= again ? 0 : size;
	return again;
}

void image_find_repeated(struct image *im)
{
	const uint64_t most = im->bytes.size * READ_RATIO;
	uint64_t sections = most, loads = most, notes = most, others = most;
	for (size_t i = 1; i < im->section_count; i++) {
		struct section *s = &im->sections[i];
		if (s->again)
			continue;
		s->again = is_again(&sections, s->file_size);
		if (s->again)
			IMAGE_NOTE(im, s->off, s->file_size,
				   "section %" PRIu32 " is not read: its bytes are those of others",
				   s->index);
	}
	for (size_t i = 0; i < im->segment_count; i++) {
		struct segment *s = &im->segments[i];
		uint64_t *left = s->type == PT_LOAD   ? &loads
				 : s->type == PT_NOTE ? &notes
						      : &others;
		s->again = is_again(left, s->file_size);
		if (s->again)
			IMAGE_NOTE(im, s->off, s->file_size,
				   "segment %" PRIu32 " is not read: its bytes are those of others",
				   s->index);
	}
}

static void parse_build_id(struct image *im)
{
	if (im->kind == IMAGE_CORE)
		return;
	each_section(s, im) {
		if (s->type == SHT_NOTE && elf_find_build_id(section_bytes(im, s), s->align,
							     im->big_endian, &im->build_id))
			return;
	}
	each_segment(s, im) {
		if (s->type == PT_NOTE && elf_find_build_id(segment_bytes(im, s), s->align,
							    im->big_endian, &im->build_id))
			return;
	}
}

/* True if a segment is stored at another address than it runs at. */
static bool stored_elsewhere(const struct image *im)
{
	for (size_t i = 0; i < im->segment_count; i++)
		if (im->segments[i].type == PT_LOAD &&
		    im->segments[i].load_addr != im->segments[i].addr)
			return true;
	return false;
}

bool elf_parse(struct image *im, const struct image_place *at, struct bytes bytes,
	       struct notes *notes, struct heft_err *err)
{
	*im = (struct image){ .format = "ELF",
			      .path = at->path,
			      .member = at->member,
			      .bytes = bytes,
			      .file_off = at->file_off,
			      .notes = notes };
	struct elf_parse p = { .im = im, .who = at->path, .err = err };
	if (at->member.len)
		p.who = arena_format(&im->arena, "%s(" STR_FMT ")", at->path, STR_ARG(at->member));
	if (!parse_ident(&p) || !parse_ehdr(&p) || !resolve_counts(&p) || !parse_segments(&p) ||
	    !parse_sections(&p, at->first_vm_index)) {
		image_release(im);
		return false;
	}
	const struct image_part parts[] = {
		{ 0, im->ehdr_size, "[ELF Header]" },
		{ im->shdr_off, im->shdr_size, "[ELF Section Headers]" },
		{ im->phdr_off, im->phdr_size, "[ELF Program Headers]" },
	};
	im->parts = arena_new(&im->arena, struct image_part, COUNT_OF(parts));
	memcpy(im->parts, parts, sizeof parts);
	im->part_count = COUNT_OF(parts);
	if (im->kind == IMAGE_EXEC && stored_elsewhere(im))
		elf_move_overlays(im);
	if (im->kind == IMAGE_EXEC && im->section_count == 0)
		elf_make_sections(im);
	if (im->type == ET_EXEC)
		elf_find_kernel_relocs(im);
	elf_index_build(im);
	image_find_repeated(im);
	parse_build_id(im);
	if (HEFT_CHECKS)
		image_verify(im);
	return true;
}

bool elf_note_next(struct reader *r, uint64_t align, struct elf_note *ret)
{
	const uint64_t pad = align == 8 ? 8 : 4;
	if (reader_left(r) < 12)
		return false;
	const uint32_t name_size = read_u32(r);
	const uint32_t desc_size = read_u32(r);
	const uint32_t type = read_u32(r);
	const uint8_t *name = read_take(r, name_size);
	reader_seek(r, align_up(r->pos, pad));
	const uint8_t *desc = read_take(r, desc_size);
	if (!name || !desc)
		return false;
	const char *text = (const char *)name;
	*ret = (struct elf_note){ { text, strnlen(text, name_size) }, type, { desc, desc_size } };
	r->pos = min_u64(align_up(r->pos, pad), r->size);
	return true;
}

bool elf_find_build_id(struct bytes notes, uint64_t align, bool big_endian, struct bytes *ret)
{
	struct reader r = reader_of(notes, big_endian);
	struct elf_note n;
	while (elf_note_next(&r, align, &n)) {
		if (n.type == NT_GNU_BUILD_ID && str_eq(n.owner, STR("GNU")) && n.desc.size > 0) {
			*ret = n.desc;
			return true;
		}
	}
	return false;
}
