/* Copies a finished ELF file with one more section: checks it, lays out the copy, writes it. */
#include "image/elf/elf_append.h"

#include "image/elf/elf_internal.h"

/* Offsets of fields in the ELF header and in section headers, by class. */
struct elf_append_fields {
	unsigned word; /* Bytes of an address, offset or size. */
	unsigned e_phoff, e_shoff, e_shentsize, e_shnum, e_shstrndx;
	unsigned sh_type, sh_flags, sh_addr, sh_offset, sh_size, sh_link, sh_info, sh_align,
		sh_entsize;
};

static const struct elf_append_fields fields32 = { 4,  28, 32, 46, 48, 50, 4, 8,
						   12, 16, 20, 24, 28, 32, 36 };
static const struct elf_append_fields fields64 = { 8,  32, 40, 58, 60, 62, 4, 8,
						   16, 24, 32, 40, 44, 48, 56 };

struct append {
	const struct image *im;
	const struct elf_addition *what;
	const struct elf_append_fields *f;
	uint32_t entsize, names; /* Bytes of a section header; index of the section of names. */
	uint64_t kept;           /* Bytes of the file that the copy keeps. */
	uint64_t place;          /* File offset of the new section's bytes */
	uint64_t names_off, names_size, table_off;
	uint8_t *table; /* New section header table */
	uint32_t count; /* Number of sections in the new table. */
};

static void poke(const struct append *a, uint8_t *p, uint64_t v, unsigned width)
{
	for (unsigned i = 0; i < width; i++)
		p[i] = (uint8_t)(v >> 8 * (a->im->big_endian ? width - 1 - i : i));
}

static uint64_t elf_append_peek(const struct append *a, const uint8_t *p, unsigned width)
{
	struct reader r = reader_make(p, width, a->im->big_endian);
	return read_wide(&r, width);
}

static void elf_append_prepare(struct append *a, const struct image *im)
{
	const uint8_t *header = im->bytes.p;
	*a = (struct append){ .im = im, .f = im->bits == 64 ? &fields64 : &fields32 };
	a->entsize = (uint32_t)elf_append_peek(a, header + a->f->e_shentsize, 2);
	a->names = (uint32_t)elf_append_peek(a, header + a->f->e_shstrndx, 2);
	if (a->names == SHN_XINDEX && im->section_count > 0)
		a->names = im->sections[0].link;
}

/* Returns the highest end of a header, segment or section. Ignores the section of names. */
static uint64_t content_end(const struct append *a)
{
	const struct image *im = a->im;
	uint64_t end = max_u64(im->ehdr_size, im->phdr_off + im->phdr_size);
	for (size_t i = 0; i < im->segment_count; i++)
		end = max_u64(end, im->segments[i].off + im->segments[i].file_size);
	for (size_t i = 1; i < im->section_count; i++)
		if (i != a->names)
			end = max_u64(end, im->sections[i].off + im->sections[i].file_size);
	return end;
}

static bool elf_append_refuse(const struct image *im, struct heft_err *err, const char *why)
{
	return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET, "%s: cannot add a section: %s",
		    im->path, why);
}

/* Fails for a file with bytes at its end that no header covers. A program may search for them at
 * the end of the file. */
static bool elf_append_check_end(const struct append *a, struct heft_err *err)
{
	const struct image *im = a->im;
	static const char module[] = "~Module signature appended~\n";
	const struct section *names = &im->sections[a->names];
	uint64_t end = max_u64(content_end(a), names->off + names->file_size);
	end = max_u64(end, im->shdr_off + im->shdr_size);
	const struct bytes rest = bytes_sub(im->bytes, end, im->bytes.size - end);
	if (bytes_are_zeros(rest))
		return true;
	if (rest.size >= sizeof module - 1 &&
	    memcmp(rest.p + rest.size - (sizeof module - 1), module, sizeof module - 1) == 0)
		return elf_append_refuse(im, err, "it ends in the signature of a kernel module");
	return fail(err, HEFT_EUNSUPPORTED, end,
		    "%s: cannot add a section: the last %" PRIu64
		    " bytes belong to no section (a signature or an appended archive?)",
		    im->path, rest.size);
}

static bool elf_append_check(const struct append *a, struct heft_err *err)
{
	const struct image *im = a->im;
	if (im->member.len > 0 || im->file_off != 0)
		return elf_append_refuse(im, err, "it is in an archive");
	if (im->kind == IMAGE_OBJECT)
		return elf_append_refuse(im, err, "it is an object that is still to be linked");
	if (im->kind == IMAGE_CORE)
		return elf_append_refuse(im, err, "it is a core");
	if (im->section_count == 0 || im->bare)
		return elf_append_refuse(im, err, "it has no section header table");
	const struct section *names = a->names < im->section_count ? &im->sections[a->names]
								   : &im->sections[0];
	if (names->type != SHT_STRTAB || names->alloc || names->compressed ||
	    names->file_size != names->size)
		return elf_append_refuse(im, err,
					 "its section names are missing, in memory or packed");
	return elf_append_check_end(a, err);
}

bool elf_can_append(const struct image *im, struct heft_err *err)
{
	struct append a;
	elf_append_prepare(&a, im);
	return elf_append_check(&a, err);
}

static void lay_out(struct append *a)
{
	const struct image *im = a->im;
	const struct elf_addition *what = a->what;
	const struct section *names = &im->sections[a->names];
	const struct section *old = what->replaced ? &im->sections[what->replaced] : NULL;
	const uint64_t end = content_end(a);
	const bool last = names->off >= end && im->shdr_off >= end;
	a->kept = last ? end : im->bytes.size;
	a->place = align_up(a->kept, max_u64(what->align, 1));
	a->names_off = a->place + what->bytes.size;
	if (old && what->bytes.size <= old->file_size && !old->alloc) {
		a->place = old->off;
		a->names_off = a->kept;
	}
	a->names_size = names->size + (old ? 0 : strlen(what->name) + 1);
	a->table_off = align_up(a->names_off + a->names_size, 8);
	a->count = (uint32_t)im->section_count + (old ? 0 : 1);
}

/* Makes the new section header table: a copy of the old one, with the new section. A section that
 * replaces another keeps that section's name. */
static void elf_append_make_table(struct append *a)
{
	const struct image *im = a->im;
	const struct elf_addition *what = a->what;
	const struct elf_append_fields *f = a->f;
	a->table = mem_zeroed(a->count, a->entsize);
	memcpy(a->table, im->bytes.p + im->shdr_off, im->section_count * (size_t)a->entsize);
	const uint32_t index = what->replaced ? what->replaced : a->count - 1;
	uint8_t *p = a->table + (size_t)index * a->entsize;
	if (!what->replaced)
		poke(a, p, im->sections[a->names].size, 4);
	poke(a, p + f->sh_type, what->type, 4);
	poke(a, p + f->sh_flags, what->flags, f->word);
	poke(a, p + f->sh_addr, 0, f->word);
	poke(a, p + f->sh_offset, a->place, f->word);
	poke(a, p + f->sh_size, what->bytes.size, f->word);
	poke(a, p + f->sh_link, what->link, 4);
	poke(a, p + f->sh_info, 0, 4);
	poke(a, p + f->sh_align, max_u64(what->align, 1), f->word);
	poke(a, p + f->sh_entsize, 0, f->word);
	uint8_t *names = a->table + (size_t)a->names * a->entsize;
	poke(a, names + f->sh_offset, a->names_off, f->word);
	poke(a, names + f->sh_size, a->names_size, f->word);
	if (a->count >= SHN_LORESERVE)
		poke(a, a->table + f->sh_size, a->count, f->word);
}

struct elf_append_out {
	const struct heft_sink *sink;
	uint64_t pos;
	bool failed;
};

static void elf_append_put(struct elf_append_out *o, const void *data, uint64_t size)
{
	if (size > 0 && !o->failed)
		o->failed = !o->sink->write(o->sink->ctx, data, size);
	o->pos += size;
}

static void pad_to(struct elf_append_out *o, uint64_t pos)
{
	static const uint8_t zeros[64];
	while (o->pos < pos)
		elf_append_put(o, zeros, min_u64(pos - o->pos, sizeof zeros));
}

/* Writes the first `kept` bytes of the file, with the new header and the new section's bytes. */
static void put_kept(const struct append *a, struct elf_append_out *o)
{
	const struct image *im = a->im;
	const struct elf_addition *what = a->what;
	const uint64_t size = im->bits == 64 ? EHDR64_SIZE : EHDR32_SIZE;
	uint8_t header[EHDR64_SIZE];
	memcpy(header, im->bytes.p, size);
	poke(a, header + a->f->e_shoff, a->table_off, a->f->word);
	poke(a, header + a->f->e_shnum, a->count >= SHN_LORESERVE ? 0 : a->count, 2);
	elf_append_put(o, header, size);
	if (a->place >= a->kept) {
		elf_append_put(o, im->bytes.p + o->pos, a->kept - o->pos);
		pad_to(o, a->place);
		elf_append_put(o, what->bytes.p, what->bytes.size);
		return;
	}
	elf_append_put(o, im->bytes.p + o->pos, a->place - o->pos);
	elf_append_put(o, what->bytes.p, what->bytes.size);
	pad_to(o, a->place + im->sections[what->replaced].file_size);
	elf_append_put(o, im->bytes.p + o->pos, a->kept - o->pos);
}

bool elf_append(const struct image *im, const struct elf_addition *what,
		const struct heft_sink *sink, struct heft_err *err)
{
	struct append a;
	struct elf_append_out o = { .sink = sink };
	elf_append_prepare(&a, im);
	if (!elf_append_check(&a, err))
		return false;
	a.what = what;
	lay_out(&a);
	if (im->bits == 32 && a.table_off + (uint64_t)a.count * a.entsize > UINT32_MAX)
		return elf_append_refuse(im, err, "it would be larger than 4 GiB");
	if (a.count == UINT32_MAX)
		return elf_append_refuse(im, err, "it has as many sections as there may be");
	elf_append_make_table(&a);
	put_kept(&a, &o);
	const struct section *names = &im->sections[a.names];
	elf_append_put(&o, im->bytes.p + names->off, names->size);
	if (!what->replaced)
		elf_append_put(&o, what->name, strlen(what->name) + 1);
	pad_to(&o, a.table_off);
	elf_append_put(&o, a.table, (uint64_t)a.count * a.entsize);
	mem_free(a.table);
	return !o.failed ||
	       fail(err, HEFT_EIO, HEFT_NO_OFFSET, "%s: cannot write the copy", im->path);
}
