/* Opens the file of a linker map. Makes the ELF file of a program from its linker map: guesses the
 * kinds of sections from their names, and writes headers, symbols and zeros. */
#include "image/linkmap_image.h"

#include "base/text.h"
#include "base/unpack.h"
#include "image/elf/elf_const.h"
#include "image/kinds.h"
#include "linkmap/linkmap_names.h"

#define CONTENT_MAX (UINT64_C(1) << 30)

/* Greatest number of sections that symbols can refer to. Sections above it are omitted. */
enum { PARTS_MAX = 0xfe00 };

bool linkmap_open(struct linkmap *lm, const char *path, struct notes *notes, struct heft_err *err)
{
	struct file f;
	if (!file_open(&f, path, err))
		return false;
	if (unpack_in_place(&f, notes, err) &&
	    (linkmap_begins(f.bytes) ||
	     file_format_refuse(file_format_of_plain(f.bytes), USE_MAP, path, f.bytes.size, err)))
		return linkmap_adopt(lm, &f, notes, err);
	file_close(&f);
	return false;
}

static bool linkmap_image_is_named(struct str name, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct str front = str_of(list[i]);
		if (str_starts(name, front) && (name.len == front.len || name.p[front.len] == '.' ||
						front.p[front.len - 1] == '_'))
			return true;
	}
	return false;
}
#define NAMED(name, ...)                                                                           \
	linkmap_image_is_named(name, (const char *const[]){ __VA_ARGS__ },                         \
			       COUNT_OF(((const char *const[]){ __VA_ARGS__ })))

static bool linkmap_image_is_loaded(const struct linkmap_section *s, struct str name)
{
	return s->addr != 0 ||
	       !(NAMED(name, ".debug_", ".zdebug_", ".comment", ".symtab", ".strtab", ".shstrtab",
		       ".symtab_shndx", ".stab", ".stabstr", ".gnu_debuglink", ".gnu_debugaltlink",
		       ".gdb_index", ".gnu.attributes", ".gnu.lto_", ".note.gnu.gold-version",
		       ".llvm_addrsig", ".ARM.attributes", ".riscv.attributes",
		       ".debug_gdb_scripts"));
}

static bool is_without_bytes(struct str name)
{
	return NAMED(name, ".bss", ".tbss", ".sbss", ".lbss", ".dynbss", ".noinit", ".heap",
		     ".stack", ".relro_padding", ".common", ".tls_common", "._user_heap_stack",
		     "COMMON");
}

/* True if the section has only variables without initial values, or reserved space. */
static bool is_all_zeros(const struct linkmap *map, const struct linkmap_section *s)
{
	bool any = false;
	for (uint32_t i = 0; i < s->piece_count; i++) {
		const struct linkmap_piece *p = &map->pieces.data[s->first_piece + i];
		if (p->size == 0)
			continue;
		if (p->kind != LINKMAP_FILL && !is_without_bytes(linkmap_piece_name(map, p)))
			return false;
		any = true;
	}
	return any;
}

/* True if a section is code, judged by its name or its pieces' names. */
static bool linkmap_image_is_code(const struct linkmap *map, const struct linkmap_section *s,
				  struct str name)
{
	if (NAMED(name, ".text", ".init", ".fini", ".plt", ".iplt", ".init.text", ".ltext"))
		return true;
	for (uint32_t i = 0; i < s->piece_count; i++) {
		const struct linkmap_piece *p = &map->pieces.data[s->first_piece + i];
		if (p->size > 0 && str_starts(linkmap_piece_name(map, p), STR(".text")))
			return true;
	}
	return false;
}

void linkmap_doubts(const struct linkmap *map, struct text *ret)
{
	bool copies = false; /* True if the program copies some data to RAM at its start */
	for (size_t i = 0; i < map->sections.count; i++)
		copies |= map->sections.data[i].load_addr != map->sections.data[i].addr;
	/* Finds sections that may have no bytes in the file: in writable memory, without a stored
	 * copy although other sections have one. */
	for (size_t i = 0; copies && i < map->sections.count; i++) {
		const struct linkmap_section *s = &map->sections.data[i];
		const struct str name = linkmap_text(map, s->name);
		const struct linkmap_region *r = map->regions.data, *end = r;
		if (map->regions.count > 0)
			end += min_u64(map->regions.count, REGIONS_MAX);
		while (r < end && s->addr - r->origin >= r->length)
			r++;
		if (s->size == 0 || s->load_addr != s->addr || r == end || !r->written ||
		    !linkmap_image_is_loaded(s, name) || linkmap_image_is_code(map, s, name) ||
		    is_without_bytes(name) || is_all_zeros(map, s))
			continue;
		text_adds(ret, ret->len > 0 ? STR(", ") : STR(""), linkmap_text(map, s->name));
	}
}

/* A section of the file to be made. */
struct linkmap_image_part {
	uint32_t section; /* Index in the map. */
	uint32_t name;    /* Offset in the table of section names. */
	uint64_t flags, addr, load_addr, size, off;
	bool nobits;
};

struct linkmap_image_making {
	const struct linkmap *map;
	VEC(struct linkmap_image_part) parts;
	struct text names, strings, symbols; /* Section names; symbol names; the symbol table. */
	struct linkmap_names read;
	uint32_t own_names[3]; /* Offsets of the names of heft's own sections in `names` */
	uint32_t object;       /* Object of the symbols that were added last */
	uint64_t content;      /* Bytes of all sections in the file. */
	uint32_t locals;       /* Number of symbols in the table. All symbols are local. */
};

/* Appends numbers, little-endian. Digit k of `widths` is the size of number k in bytes. */
static void put_fields(struct text *t, const char *widths, const uint64_t *values)
{
	for (size_t k = 0; widths[k] != '\0'; k++)
		for (int i = 0; i < widths[k] - '0'; i++)
			text_add_char(t, (char)(uint8_t)(values[k] >> (8 * i)));
}
#define PUT(t, widths, ...) put_fields(t, widths, (const uint64_t[]){ __VA_ARGS__ })

static uint32_t linkmap_image_put_name(struct text *t, struct str name)
{
	const size_t at = t->len;
	text_add(t, name);
	text_add_char(t, '\0');
	return (uint32_t)at;
}

static void linkmap_image_add_part(struct linkmap_image_making *m, uint32_t index)
{
	const struct linkmap_section *s = &m->map->sections.data[index];
	const struct str name = linkmap_text(m->map, s->name);
	if (s->header || s->size == 0 || m->parts.count >= PARTS_MAX)
		return;
	struct linkmap_image_part p = { .section = index,
					.name = linkmap_image_put_name(&m->names, name),
					.addr = s->addr,
					.load_addr = s->load_addr,
					.size = s->size,
					.off = m->content,
					.nobits = is_without_bytes(name) ||
						  is_all_zeros(m->map, s) };
	if (linkmap_image_is_loaded(s, name))
		p.flags = SHF_ALLOC |
			  (is_without_bytes(name) || NAMED(name, ".data", ".sdata", ".ldata",
							   ".tdata", ".got", ".init_array",
							   ".fini_array", ".preinit_array",
							   ".ctors", ".dtors", ".dynamic", ".jcr")
				   ? SHF_WRITE
				   : 0u) |
			  (s->tls && p.nobits ? SHF_TLS : 0u) |
			  (linkmap_image_is_code(m->map, s, name) ? SHF_EXECINSTR : 0u);
	m->content = add_sat(m->content, p.nobits ? 0 : p.size);
	vec_push(&m->parts, p);
}

static void linkmap_image_put_symbol(struct linkmap_image_making *m, struct str name, uint8_t info,
				     uint16_t section, const struct linkmap_name *y)
{
	/* st_name, st_info, st_other, st_shndx, st_value, st_size */
	PUT(&m->symbols, "411288", name.len > 0 ? linkmap_image_put_name(&m->strings, name) : 0,
	    info, 0, section, y ? y->addr : 0, y ? y->size : 0);
	m->locals++;
}

/* Adds the symbols of a section as locals, after a file symbol with the name of their object. So
 * the table relates each symbol to its object. */
static void linkmap_image_add_symbols(struct linkmap_image_making *m, uint16_t part, bool code)
{
	const struct linkmap_image_part *p = &m->parts.data[part];
	if (((p->flags & SHF_EXECINSTR) != 0) != code || p->flags & SHF_TLS)
		return;
	linkmap_names_read(&m->read, p->section);
	vec_each(const struct linkmap_name, y, &m->read.list) {
		const uint32_t object = m->map->pieces.data[y->piece].object;
		if (object != m->object)
			linkmap_image_put_symbol(m, linkmap_object(m->map, object),
						 STB_LOCAL << 4 | STT_FILE, SHN_ABS, NULL);
		m->object = object;
		linkmap_image_put_symbol(m, y->name,
					 (uint8_t)(STB_LOCAL << 4 | (code ? STT_FUNC : STT_OBJECT)),
					 (uint16_t)(part + 1), y);
	}
}

/* File offsets of the tables after the contents. */
struct made_at {
	uint64_t symbols, strings, names;
};

/* Puts section headers: sh_name, sh_type, sh_flags, sh_addr, sh_offset, sh_size, sh_link, sh_info,
 * sh_addralign, sh_entsize. */
static void put_sections(const struct linkmap_image_making *m, struct text *t,
			 const struct made_at *at)
{
	static const char widths[] = "4488884488";
	const uint64_t strtab = m->parts.count + 2;
	PUT(t, widths, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	vec_each(const struct linkmap_image_part, p, &m->parts) {
		PUT(t, widths, p->name, p->nobits ? SHT_NOBITS : SHT_PROGBITS, p->flags, p->addr,
		    p->off, p->size, 0, 0, 1, 0);
	}
	PUT(t, widths, m->own_names[0], SHT_SYMTAB, 0, 0, at->symbols, m->symbols.len, strtab,
	    m->locals, 8, SYM64_SIZE);
	PUT(t, widths, m->own_names[1], SHT_STRTAB, 0, 0, at->strings, m->strings.len, 0, 0, 1, 0);
	PUT(t, widths, m->own_names[2], SHT_STRTAB, 0, 0, at->names, m->names.len, 0, 0, 1, 0);
}

/* Puts program headers: p_type, p_flags, p_offset, p_vaddr, p_paddr, p_filesz, p_memsz, p_align.
 * Returns their number. */
static uint16_t put_segments(const struct linkmap_image_making *m, struct text *t)
{
	uint16_t count = 0;
	vec_each(const struct linkmap_image_part, p, &m->parts) {
		const uint64_t rights = PF_R | (p->flags & SHF_WRITE ? PF_W : 0u) |
					(p->flags & SHF_EXECINSTR ? PF_X : 0u);
		if (!(p->flags & SHF_ALLOC) || (p->flags & SHF_TLS && p->nobits))
			continue;
		PUT(t, "44888888", PT_LOAD, rights, p->off, p->addr, p->load_addr,
		    p->nobits ? 0 : p->size, p->size, 1);
		count++;
	}
	return count;
}

static uint64_t put_part(struct text *t, uint64_t from, const struct text *part)
{
	const uint64_t at = from + t->len;
	text_add(t, text_str(part));
	return at;
}

/* Returns the whole file. Contents are zeros; the ELF header overwrites the first. */
static struct bytes linkmap_image_join(const struct linkmap_image_making *m)
{
	static const uint8_t ident[EI_NIDENT] = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 };
	struct text head = { 0 }, tail = { 0 };
	const uint64_t from = max_u64(m->content, EHDR64_SIZE), count = m->parts.count + 4;
	const uint16_t segments = put_segments(m, &tail);
	struct made_at at;
	at.symbols = put_part(&tail, from, &m->symbols);
	at.strings = put_part(&tail, from, &m->strings);
	at.names = put_part(&tail, from, &m->names);
	const uint64_t sections = from + tail.len;
	put_sections(m, &tail, &at);
	/* e_type to e_shstrndx */
	text_add(&head, (struct str){ (const char *)ident, sizeof ident });
	PUT(&head, "2248884222222", ET_EXEC, EM_NONE, 1, 0, from, sections, 0, EHDR64_SIZE,
	    PHDR64_SIZE, segments, SHDR64_SIZE, count, count - 1);
	uint8_t *bytes = mem_zeroed(from + tail.len, 1);
	ASSERT(head.len == EHDR64_SIZE);
	memcpy(bytes, head.p, head.len);
	memcpy(bytes + from, tail.p, tail.len);
	/* Writes an empty .eh_frame_hdr, because zeros are invalid in it. */
	static const uint8_t none[] = { 1, 0xff, 0xff, 0xff };
	vec_each(const struct linkmap_image_part, p, &m->parts) {
		const struct linkmap_section *s = &m->map->sections.data[p->section];
		if (str_eq(linkmap_text(m->map, s->name), STR(".eh_frame_hdr")) && !p->nobits &&
		    p->size >= sizeof none)
			memcpy(bytes + p->off, none, sizeof none);
	}
	const struct bytes ret = { bytes, from + tail.len };
	text_release(&head);
	text_release(&tail);
	return ret;
}

bool linkmap_image(const struct linkmap *map, struct bytes *ret, uint64_t *ret_content)
{
	struct linkmap_image_making m = { .map = map,
					  .read = { .map = map, .all = true },
					  .object = LINKMAP_NONE };
	static const char *const own[] = { ".symtab", ".strtab", ".shstrtab" };
	linkmap_image_put_name(&m.names, STR(""));
	linkmap_image_put_name(&m.strings, STR(""));
	for (uint32_t i = 0; i < m.map->sections.count; i++)
		linkmap_image_add_part(&m, i);
	for (size_t i = 0; i < COUNT_OF(own); i++)
		m.own_names[i] = linkmap_image_put_name(&m.names, str_of(own[i]));
	linkmap_image_put_symbol(&m, STR(""), 0, 0, NULL);
	for (size_t i = 0; i < 2 * m.parts.count; i++)
		linkmap_image_add_symbols(&m, (uint16_t)(i % m.parts.count), i < m.parts.count);
	const bool ok = m.content <= CONTENT_MAX;
	if (ok) {
		*ret = linkmap_image_join(&m);
		*ret_content = m.content;
	}
	vec_release(&m.parts);
	text_release(&m.names);
	text_release(&m.strings);
	text_release(&m.symbols);
	linkmap_names_release(&m.read);
	return ok;
}
