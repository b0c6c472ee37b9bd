/* Derives the sections of a linked file without section headers, from its program headers and its
 * dynamic table. gABI "Program Header" and "Dynamic Section". Derived sections do not overlap. The
 * title of a section is the segment that contains it. */
#include "image/elf/elf_internal.h"

#include "base/sort.h"
#include "base/vec.h"

enum { PARTS_MAX = 64 };

struct bare {
	struct image *im;
	VEC(struct section) parts; /* Tables of program headers and DT_*. Names are constants */
	VEC(struct section) list;  /* Sections. [0] is the null section */
};

/* Returns the bytes of the file from an address to the end of its segment. */
static struct bytes bytes_from(const struct image *im, uint64_t addr)
{
	const struct segment *s = image_load_at(im, addr);
	const uint64_t skip = s ? addr - s->addr : 0;
	if (!s || skip >= s->file_size || s->off >= im->bytes.size ||
	    skip >= im->bytes.size - s->off)
		return (struct bytes){ NULL, 0 };
	return bytes_sub(im->bytes, s->off + skip,
			 min_u64(s->file_size, im->bytes.size - s->off) - skip);
}

static void elf_bare_add_part(struct bare *b, const char *name, uint32_t type, uint64_t addr,
			      uint64_t size, uint64_t align)
{
	size = min_u64(size, bytes_from(b->im, addr).size);
	if (size > 0 && b->parts.count < PARTS_MAX)
		vec_push(&b->parts, (struct section){ .name = str_of(name),
						      .type = type,
						      .addr = addr,
						      .size = size,
						      .align = align });
}

struct elf_bare_table {
	const char *name;
	uint32_t type;
	uint32_t addr, size; /* Dynamic tags (DT_*) with the table's address and size. */
};

static void elf_bare_add_tables(struct bare *b)
{
	static const struct elf_bare_table tables[] = {
		{ ".dynstr", SHT_STRTAB, DT_STRTAB, DT_STRSZ },
		{ ".rela.dyn", SHT_RELA, DT_RELA, DT_RELASZ },
		{ ".rel.dyn", SHT_REL, DT_REL, DT_RELSZ },
		{ ".relr.dyn", SHT_RELR, DT_RELR, DT_RELRSZ },
		{ ".init_array", SHT_INIT_ARRAY, DT_INIT_ARRAY, DT_INIT_ARRAYSZ },
		{ ".fini_array", SHT_FINI_ARRAY, DT_FINI_ARRAY, DT_FINI_ARRAYSZ },
		{ ".preinit_array", SHT_PREINIT_ARRAY, DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ },
	};
	uint64_t addr, size, kind;
	for (size_t i = 0; i < COUNT_OF(tables); i++)
		if (image_dynamic(b->im, tables[i].addr, &addr) &&
		    image_dynamic(b->im, tables[i].size, &size))
			elf_bare_add_part(b, tables[i].name, tables[i].type, addr, size, 0);
	if (image_dynamic(b->im, DT_JMPREL, &addr) && image_dynamic(b->im, DT_PLTRELSZ, &size) &&
	    image_dynamic(b->im, DT_PLTREL, &kind))
		elf_bare_add_part(b, kind == DT_RELA ? ".rela.plt" : ".rel.plt",
				  kind == DT_RELA ? SHT_RELA : SHT_REL, addr, size, 0);
}

/* Returns the number of symbols by the GNU hash table, 0 if damaged. *ret_size: the table's size.
 * An odd value ends a chain, and the last chain ends at the last symbol. */
static uint64_t count_by_gnu_hash(const struct image *im, uint64_t addr, uint64_t *ret_size)
{
	struct reader r = reader_of(bytes_from(im, addr), im->big_endian);
	const uint64_t buckets = read_u32(&r), first = read_u32(&r), words = read_u32(&r);
	uint64_t last = 0;
	read_skip(&r, 4 + words * (im->bits / 8));
	for (uint64_t i = 0; i < buckets && reader_ok(&r); i++)
		last = max_u64(last, read_u32(&r));
	const uint64_t chains = r.pos;
	if (last < first) {
		*ret_size = chains;
		return reader_ok(&r) ? first : 0;
	}
	read_skip(&r, 4 * (last - first));
	while (reader_ok(&r) && !(read_u32(&r) & 1))
		last++;
	*ret_size = r.pos;
	return reader_ok(&r) ? last + 1 : 0;
}

static void elf_bare_add_symbols(struct bare *b)
{
	uint64_t addr, hash, size = 0, count = 0;
	if (!image_dynamic(b->im, DT_SYMTAB, &addr))
		return;
	if (image_dynamic(b->im, DT_GNU_HASH, &hash)) {
		count = count_by_gnu_hash(b->im, hash, &size);
		elf_bare_add_part(b, ".gnu.hash", SHT_GNU_HASH, hash, size, 8);
	}
	if (image_dynamic(b->im, DT_HASH, &hash)) {
		/* Counts the symbols. Hash tables have a chain per symbol. gABI "Hash Table". */
		struct reader r = reader_of(bytes_from(b->im, hash), b->im->big_endian);
		const uint64_t buckets = read_u32(&r), chains = read_u32(&r);
		size = 4 * (2 + buckets + chains);
		count = max_u64(count, reader_ok(&r) ? chains : 0);
		elf_bare_add_part(b, ".hash", SHT_HASH, hash, size, 8);
	}
	const uint64_t each = b->im->bits == 64 ? SYM64_SIZE : SYM32_SIZE;
	elf_bare_add_part(b, ".dynsym", SHT_DYNSYM, addr, min_u64(count, UINT32_MAX) * each, 8);
	if (image_dynamic(b->im, DT_VERSYM, &addr))
		elf_bare_add_part(b, ".gnu.version", SHT_GNU_VERSYM, addr,
				  2 * min_u64(count, UINT32_MAX), 2);
}

/* Adds .eh_frame_hdr and .eh_frame. The header has the offset of .eh_frame, relative to itself
 * in the usual encoding. .eh_frame ends with a length of 0. LSB 5.0 Core, "The .eh_frame_hdr
 * section". */
static void add_frames(struct bare *b, const struct segment *hdr)
{
	enum { VERSION = 1, PCREL_SDATA4 = 0x1b };
	struct reader r = reader_of(bytes_from(b->im, hdr->addr), b->im->big_endian);
	const uint8_t version = read_u8(&r), encoding = read_u8(&r);
	read_skip(&r, 2);
	const uint64_t addr = hdr->addr + r.pos + (uint64_t)(int64_t)read_i32(&r);
	elf_bare_add_part(b, ".eh_frame_hdr", SHT_PROGBITS, hdr->addr, hdr->file_size, hdr->align);
	if (!reader_ok(&r) || version != VERSION || encoding != PCREL_SDATA4)
		return;
	struct reader frames = reader_of(bytes_from(b->im, addr), b->im->big_endian);
	for (uint32_t size; (size = read_u32(&frames)) != 0 && size != UINT32_MAX;)
		read_skip(&frames, size);
	if (reader_ok(&frames))
		elf_bare_add_part(b, ".eh_frame", SHT_PROGBITS, addr, frames.pos, 8);
}

COMPARISON(elf_bare_by_addr, struct section, ORDER(a->addr, b->addr))

/* Adds the section [start, end) of segment `in`. `like` has name, type, and whether it is code. */
static void elf_bare_add_section(struct bare *b, const struct segment *in, struct section like,
				 uint64_t start, uint64_t end)
{
	like.index = (uint32_t)b->list.count;
	like.addr = in->addr + start;
	like.size = end - start;
	like.alloc = true;
	like.write = in->write;
	like.flags = SHF_ALLOC | (like.write ? SHF_WRITE : 0u) | (like.exec ? SHF_EXECINSTR : 0u);
	like.nobits = like.type == SHT_NOBITS;
	like.off = like.nobits ? min_u64(in->off, b->im->bytes.size) : in->off + start;
	like.file_size = like.nobits ? 0 : like.size;
	like.title = str_of(arena_format(&b->im->arena, "[" SEGMENT_FMT "]", SEGMENT_ARG(in)));
	if (end > start)
		vec_push(&b->list, like);
}

/* Adds a segment's parts in the order of addresses, and a section SHT_PROGBITS for each gap. */
static void cut_segment(struct bare *b, const struct segment *s)
{
	const uint64_t held = s->off < b->im->bytes.size
				      ? min_u64(s->file_size, b->im->bytes.size - s->off)
				      : 0;
	const struct section plain = { .name = s->exec    ? STR(".text")
					       : s->write ? STR(".data")
							  : STR(".rodata"),
				       .type = SHT_PROGBITS,
				       .exec = s->exec };
	/* Header tables at the start of the segment are in no section. */
	uint64_t at = s->off < b->im->ehdr_size ? b->im->ehdr_size : s->off;
	if (b->im->phdr_off <= at && at - b->im->phdr_off < b->im->phdr_size)
		at = b->im->phdr_off + b->im->phdr_size;
	at = min_u64(at - s->off, held);
	vec_each(const struct section, p, &b->parts) {
		const uint64_t start = p->addr - s->addr;
		if (p->addr < s->addr || start < at || start >= held || p->size > held - start)
			continue;
		elf_bare_add_section(b, s, plain, at, start);
		elf_bare_add_section(b, s, *p, start, start + p->size);
		at = start + p->size;
	}
	elf_bare_add_section(b, s, plain, at, held);
	elf_bare_add_section(b, s, (struct section){ .name = STR(".bss"), .type = SHT_NOBITS },
			     s->file_size, s->vm_size);
}

/* Sets sh_link: the string table of .dynsym and .dynamic, and the symbol table of relocations,
 * hashes and versions. */
static void link_sections(const struct bare *b)
{
	uint32_t strings = 0, symbols = 0;
	for (uint32_t i = 1; i < b->list.count; i++) {
		if (b->list.data[i].type == SHT_STRTAB)
			strings = i;
		else if (b->list.data[i].type == SHT_DYNSYM)
			symbols = i;
	}
	for (size_t i = 1; i < b->list.count; i++) {
		struct section *s = &b->list.data[i];
		const bool named = s->type == SHT_DYNSYM || s->type == SHT_DYNAMIC;
		const bool about = section_is_reloc(s) || s->type == SHT_HASH ||
				   s->type == SHT_GNU_HASH || s->type == SHT_GNU_VERSYM;
		s->link = named ? strings : about ? symbols : 0;
	}
}

void elf_make_sections(struct image *im)
{
	struct bare b = { .im = im };
	ASSERT(im->kind == IMAGE_EXEC && im->section_count == 0);
	if (!image_has_segment(im, PT_LOAD))
		return;
	elf_bare_add_tables(&b);
	elf_bare_add_symbols(&b);
	each_segment(s, b.im) {
		if (s->type == PT_DYNAMIC)
			elf_bare_add_part(&b, ".dynamic", SHT_DYNAMIC, s->addr, s->file_size,
					  s->align);
		else if (s->type == PT_INTERP)
			elf_bare_add_part(&b, ".interp", SHT_PROGBITS, s->addr, s->file_size,
					  s->align);
		else if (s->type == PT_NOTE)
			elf_bare_add_part(&b, ".note", SHT_NOTE, s->addr, s->file_size, s->align);
		else if (s->type == PT_GNU_EH_FRAME)
			add_frames(&b, s);
		else if (s->type == PT_ARM_EXIDX && b.im->machine == EM_ARM)
			elf_bare_add_part(&b, ".ARM.exidx", SHT_ARM_EXIDX, s->addr, s->file_size,
					  s->align);
	}
	vec_sort_by(&b.parts, elf_bare_by_addr);
	vec_push(&b.list, (struct section){ .type = SHT_NULL });
	for (size_t i = 0; i < im->segment_count; i++)
		if (im->segments[i].type == PT_LOAD)
			cut_segment(&b, &im->segments[i]);
	link_sections(&b);
	im->sections = arena_new(&im->arena, struct section, b.list.count);
	memcpy(im->sections, b.list.data, b.list.count * sizeof *im->sections);
	im->section_count = b.list.count;
	im->name_bound_count = b.list.count;
	im->name_bounds = arena_new(&im->arena, uint64_t, b.list.count);
	im->bare = true;
	vec_release_all(&b.parts, &b.list);
}
