/* Answers questions about images: sections, bytes at an address, unpacked contents. */
#include "image/arch.h"
#include "image/elf/elf_const.h"
#include "image/elf/elf_internal.h"
#include "image/kinds.h"

#include "base/digits.h"
#include "base/pages.h"
#include "base/unpack.h"

void image_release(struct image *im)
{
	arena_release(&im->arena);
	memset(im, 0, sizeof *im);
}

const struct section *image_section_named(const struct image *im, struct str name)
{
	for (size_t i = 1; i < im->section_count; i++)
		if (str_eq(im->sections[i].name, name))
			return &im->sections[i];
	return NULL;
}

const struct section *image_section_find(const struct image *im, const char *name)
{
	return image_section_named(im, str_of(name));
}

const struct section *image_section_type(const struct image *im, uint32_t type, size_t from)
{
	for (size_t i = from; i < im->section_count; i++)
		if (im->sections[i].type == type)
			return &im->sections[i];
	return NULL;
}

const struct section *image_symbols(const struct image *im)
{
	const struct section *s = image_section_type(im, SHT_SYMTAB, 1);
	return s && (s->file_size > 0 || !im->by_build) ? s : NULL;
}

bool section_is_made(const struct image *im, const struct section *s)
{
	if (im->full_titles)
		return !memchr(s->title.p, ',', s->title.len);
	return im->from_base && (s->index == im->made_table || s->index == im->made_strings);
}

const struct section *image_made_names(const struct image *im)
{
	ASSERT(im->made_strings < im->section_count || im->made_strings == 0);
	return im->made_strings > 0 ? &im->sections[im->made_strings] : NULL;
}

bool image_entry_symbol(const struct image *im, const struct image_entry *e, struct symbol *ret)
{
	ASSERT(e->symbol == 0 || e->symbol < im->made_count);
	if (e->symbol > 0)
		*ret = im->made_symbols[e->symbol].symbol;
	return e->symbol > 0;
}

bool symtab_has_locals_first(const struct symtab *t)
{
	/* False for COFF, whose tables list local and global symbols of a source file together. */
	return !t->made;
}

const struct section *image_section_at(const struct image *im, uint64_t addr)
{
	const struct elf_piece *p = elf_pieces_at(&im->index->sections, addr);
	return p ? &im->sections[p->index] : NULL;
}

const struct segment *image_load_at(const struct image *im, uint64_t addr)
{
	const struct segment *found = NULL;
	each_segment(s, im) {
		if (s->type == PT_LOAD && addr >= s->addr && addr - s->addr < s->vm_size &&
		    (!found || s->addr >= found->addr))
			found = s;
	}
	return found;
}

struct bytes section_bytes(const struct image *im, const struct section *s)
{
	return s->again ? (struct bytes){ NULL, 0 } : bytes_sub(im->bytes, s->off, s->file_size);
}

struct bytes segment_bytes(const struct image *im, const struct segment *s)
{
	return s->again ? (struct bytes){ NULL, 0 } : bytes_sub(im->bytes, s->off, s->file_size);
}

/* Returns [delta, delta+size) of `all`, cut at the end of `all`. */
static struct bytes bytes_cut(struct bytes all, uint64_t delta, uint64_t size)
{
	if (delta >= all.size)
		return (struct bytes){ NULL, 0 };
	return bytes_sub(all, delta, min_u64(size, all.size - delta));
}

struct bytes image_at(const struct image *im, uint64_t addr, uint64_t size)
{
	if (im->index->loads.count > 0 && im->kind != IMAGE_OBJECT) {
		const struct elf_piece *p = elf_pieces_at(&im->index->loads, addr);
		if (!p)
			return (struct bytes){ NULL, 0 };
		const struct segment *seg = &im->segments[p->index];
		return bytes_cut(segment_bytes(im, seg), addr - seg->addr, size);
	}
	const struct section *s = image_section_at(im, addr);
	if (!s)
		return (struct bytes){ NULL, 0 };
	return bytes_cut(section_bytes(im, s), addr - s->addr, size);
}

struct packed {
	bool is_packed;
	enum unpack_method method;
	struct bytes bytes;
	uint64_t size; /* Stated size after unpacking */
};

/* Reads the header of a compressed section, Elf32_Chdr or Elf64_Chdr. The packed bytes follow.
 * Fails if the method is unknown. gABI, "Section Compression". */
static bool read_chdr(const struct image *im, struct reader *r, struct packed *ret,
		      struct heft_err *err)
{
	const uint32_t type = read_u32(r);
	if (im->bits == 64)
		read_skip(r, 4); /* Skip ch_reserved */
	ret->size = read_elf_word(r, im->bits);
	(void)read_elf_word(r, im->bits); /* Skips ch_addralign. */
	ret->method = type == ELFCOMPRESS_ZLIB ? UNPACK_ZLIB : UNPACK_ZSTD;
	if (reader_ok(r) && type != ELFCOMPRESS_ZLIB && type != ELFCOMPRESS_ZSTD)
		return fail(err, HEFT_EUNSUPPORTED, 0, "unknown compression type %" PRIu32, type);
	return true;
}

static bool image_read_packed(const struct image *im, const struct section *s, struct packed *ret,
			      struct heft_err *err)
{
	const struct bytes raw = section_bytes(im, s);
	const bool zdebug = !s->compressed && str_starts(s->name, STR(".zdebug_")) &&
			    raw.size >= 4 && memcmp(raw.p, "ZLIB", 4) == 0;
	*ret = (struct packed){ .is_packed = s->compressed || zdebug,
				.bytes = raw,
				.size = raw.size };
	if (!ret->is_packed)
		return true;
	struct reader r = reader_of(raw, im->big_endian);
	if (zdebug) { /* GNU's older form: "ZLIB", the size as 8 big-endian bytes, zlib data */
		r.big_endian = true;
		read_skip(&r, 4);
		ret->size = read_u64(&r);
		ret->method = UNPACK_ZLIB;
	} else if (!read_chdr(im, &r, ret, err)) {
		return false;
	}
	if (!reader_ok(&r))
		return fail(err, HEFT_EFORMAT, 0, "the compression header is cut off");
	ret->bytes = bytes_sub(raw, r.pos, reader_left(&r));
	return unpack_possible(ret->method, ret->bytes.size, ret->size, err);
}

bool section_unpacked_size(const struct image *im, const struct section *s, uint64_t *ret)
{
	ASSERT(s->index < im->section_count);
	struct packed packed;
	if (!image_read_packed(im, s, &packed, NULL))
		return false;
	*ret = packed.size;
	return true;
}

bool section_unpack_stream(const struct image *im, const struct section *s,
			   struct unpack_stream **ret)
{
	struct packed packed;
	struct heft_err err;
	if (!image_read_packed(im, s, &packed, &err) || !packed.is_packed)
		return false;
	if (unpack_stream_open(ret, packed.method, packed.bytes, packed.size, &err))
		return true;
	IMAGE_NOTE(im, s->off, s->file_size, "section " STR_FMT " cannot be unpacked: %s",
		   STR_ARG(s->name), err.text);
	return false;
}

/* Bytes of the smallest page. Only whole pages can be given back. */
enum { PAGE_MIN = 4096 };

void image_forget(const struct image *im, struct bytes b)
{
	const uintptr_t p = (uintptr_t)b.p, base = (uintptr_t)im->bytes.p;
	const bool inside = b.size <= im->bytes.size && p >= base &&
			    p - base <= im->bytes.size - b.size;
	if (im->mapped && inside && b.size >= PAGE_MIN)
		pages_drop(b.p, b.size);
}

bool section_unpack(const struct image *im, const struct section *s, struct bytes *ret,
		    void **ret_owned)
{
	struct packed packed;
	struct heft_err err;
	*ret = (struct bytes){ NULL, 0 };
	*ret_owned = NULL;
	const bool ok = image_read_packed(im, s, &packed, &err);
	if (ok && !packed.is_packed) {
		*ret = packed.bytes;
		return true;
	}
	if (!ok || !unpack(packed.method, packed.bytes, packed.size, ret, &err)) {
		IMAGE_NOTE(im, s->off, s->file_size, "section " STR_FMT " cannot be unpacked: %s",
			   STR_ARG(s->name), err.text);
		*ret = (struct bytes){ NULL, 0 };
		return false;
	}
	*ret_owned = (void *)(uintptr_t)ret->p;
	return true;
}

bool image_dynamic(const struct image *im, uint64_t tag, uint64_t *ret)
{
	struct bytes bytes = { NULL, 0 };
	for (size_t i = 0; i < im->segment_count; i++)
		if (im->segments[i].type == PT_DYNAMIC)
			bytes = segment_bytes(im, &im->segments[i]);
	struct reader r = reader_of(bytes, im->big_endian);
	while (reader_left(&r) > 0) {
		const uint64_t found = read_elf_word(&r, im->bits);
		const uint64_t value = read_elf_word(&r, im->bits);
		if (!reader_ok(&r) || found == DT_NULL)
			return false;
		if (found == tag) {
			*ret = value;
			return true;
		}
	}
	return false;
}

bool section_name_is_debug(struct str name)
{
	return str_starts(name, STR(".debug_")) || str_starts(name, STR(".zdebug_")) ||
	       str_eq(name, STR(".gdb_index")) || str_starts(name, STR(".stab"));
}

bool image_has_segment(const struct image *im, uint32_t type)
{
	for (size_t i = 0; i < im->segment_count; i++)
		if (im->segments[i].type == type)
			return true;
	return false;
}

bool image_is_pie(const struct image *im)
{
	uint64_t value;
	if (im->type != ET_DYN)
		return false;
	if (image_dynamic(im, DT_FLAGS_1, &value) && (value & DF_1_PIE))
		return true;
	/* A library with an interpreter (libc.so) has a name (DT_SONAME). A program has none. */
	return image_has_segment(im, PT_INTERP) && !image_dynamic(im, DT_SONAME, &value);
}

/* Parses any container. Formats with a magic number come first. False, with *err, on failure. */
bool image_parse(struct image *im, const struct image_place *at, struct bytes bytes,
		 struct notes *notes, struct heft_err *err)
{
	const struct file_format *f = file_format_of_plain(bytes);
	return (f->parse ? f->parse : elf_parse)(im, at, bytes, notes, err);
}

static const char *image_type_name(const struct image *im)
{
	switch (im->type) {
	case ET_REL: return "relocatable";
	case ET_EXEC: return "executable";
	case ET_DYN: return image_is_pie(im) ? "pie executable" : "shared object";
	case ET_CORE: return "core file";
	default: return NULL;
	}
}

const char *image_machine_name(struct image *im)
{
	if (im->machine_name)
		return im->machine_name;
	const char *name = image_arch(im)->name;
	return name ? name : arena_format(&im->arena, "machine %u", im->machine);
}

const char *image_describe(struct image *im)
{
	const char *type = image_type_name(im);
	if (!type)
		type = arena_format(&im->arena, "type %#x", im->type);
	return arena_format(&im->arena, "%s %u-bit %s %s, %s", im->format, im->bits,
			    im->big_endian ? "MSB" : "LSB", type, image_machine_name(im));
}

bool section_takes_vm(const struct image *im, const struct section *s)
{
	if (!s->alloc)
		return false;
	if (im->kind == IMAGE_OBJECT || !s->tls || !s->nobits)
		return true;
	return !image_load_at(im, s->addr);
}

static bool image_verify_is_inside(uint64_t off, uint64_t size, uint64_t room)
{
	return off <= room && size <= room - off;
}

static void check_sections(const struct image *im)
{
	ASSERT(im->section_count == 0 || im->sections);
	for (size_t i = 0; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		ASSERT(s->index == i);
		ASSERT(image_verify_is_inside(s->off, s->file_size, im->bytes.size));
		ASSERT(s->addr <= UINT64_MAX - s->size);
		ASSERT(!s->nobits || s->file_size == 0);
		ASSERT(s->name.p || s->name.len == 0);
		ASSERT(s->made_reloc_count == 0 || s->made_relocs);
	}
}

/* Checks tables of containers other than ELF. */
static void check_made(const struct image *im)
{
	ASSERT(im->made_table < im->section_count || im->made_table == 0);
	ASSERT(im->made_strings < im->section_count || im->made_strings == 0);
	ASSERT(im->made_table == 0 || im->sections[im->made_table].type == SHT_SYMTAB);
	ASSERT(im->by_build || (im->made_count == 0 && im->entry_count == 0));
	for (size_t i = 0; i < im->entry_count; i++) {
		const struct image_entry *e = &im->entries[i];
		ASSERT(e->section < im->section_count && e->symbol < im->made_count);
		const struct section *s = &im->sections[e->section];
		ASSERT(image_verify_is_inside(e->off, e->size, s->nobits ? s->size : s->file_size));
	}
	for (size_t i = 0; i < im->made_count; i++) {
		const uint32_t in = im->made_symbols[i].symbol.section;
		ASSERT(in < im->section_count || in >= SYM_BAD || in == SYM_NO_SECTION);
	}
}

void image_verify(const struct image *im)
{
	ASSERT(im->bits == 32 || im->bits == 64);
	ASSERT(im->format && im->path && im->index);
	ASSERT(image_verify_is_inside(0, im->ehdr_size, im->bytes.size));
	ASSERT(image_verify_is_inside(im->phdr_off, im->phdr_size, im->bytes.size));
	ASSERT(image_verify_is_inside(im->shdr_off, im->shdr_size, im->bytes.size));
	for (size_t i = 0; i < im->part_count; i++) {
		ASSERT(im->parts[i].label);
		ASSERT(image_verify_is_inside(im->parts[i].off, im->parts[i].size, im->bytes.size));
	}
	each_segment(g, im) {
		ASSERT(image_verify_is_inside(g->off, g->file_size, im->bytes.size));
		ASSERT(g->addr <= UINT64_MAX - g->vm_size);
		ASSERT(g->type != PT_LOAD || g->file_size <= g->vm_size);
		ASSERT(g->type != PT_LOAD || g->load_addr <= UINT64_MAX - g->file_size);
	}
	check_sections(im);
	check_made(im);
}

char *build_id_text(struct arena *a, struct bytes id)
{
	char *text = arena_new(a, char, 2 * id.size + 1);
	hex_text(text, id.p, (size_t)id.size);
	return text;
}

bool image_export(const struct image *im, const struct image_entry *e, uint64_t *ret)
{
	const struct str in = section_title(&im->sections[e->section]);
	/* In PE, only ordinals of exports and places of base relocations take 2 bytes. */
	const bool pe = im->from_base && e->size == 2 && !str_eq(in, STR(".reloc"));
	const bool macho = im->entry == 0 && str_eq(in, STR("Export Info"));
	*ret = e->addr;
	if (!pe && !macho && !str_eq(in, STR("Export")))
		return false;
	if (e->symbol != 0)
		(void)symbol_addr(im, &im->made_symbols[e->symbol].symbol, ret);
	return *ret != 0;
}
