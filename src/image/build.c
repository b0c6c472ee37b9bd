/* Builds images of files that are not ELF: collects what a parser adds, clips it, derives the
 * sizes of symbols, and makes the image. */
#include "image/build.h"

#include "base/map.h"
#include "base/sort.h"
#include "image/elf/elf_internal.h"

void build_init(struct image_build *b, struct image *im, const struct image_place *at,
		struct bytes bytes, struct notes *notes)
{
	*im = (struct image){ .path = at->path,
			      .member = at->member,
			      .bytes = bytes,
			      .file_off = at->file_off,
			      .notes = notes,
			      .vm_bias = at->vm_bias,
			      .by_build = true };
	memset(b, 0, sizeof *b);
	b->im = im;
	b->who = at->path;
	if (at->member.len)
		b->who = arena_format(&im->arena, "%s(" STR_FMT ")", at->path, STR_ARG(at->member));
	b->first_vm_index = at->first_vm_index;
	vec_push(&b->sections, (struct section){ .name = STR("") });
	vec_push(&b->symbols, (struct made_symbol){ .symbol.name = STR("") });
}

void build_as(struct image_build *b, const struct image *im)
{
	b->im->format = im->format;
	b->im->kind = im->kind;
	b->im->bits = im->bits;
	b->im->big_endian = im->big_endian;
	b->im->machine = im->machine;
	b->im->type = im->type;
}

void build_release(struct image_build *b)
{
	vec_release_all(&b->segments, &b->sections, &b->symbols, &b->parts, &b->starts,
			&b->entries);
}

/* Clips [*off, *off + *size) to the file. Adds a note about the lost bytes. */
static void clip_file(const struct image *im, struct str what, uint64_t *off, uint64_t *size)
{
	const uint64_t start = min_u64(*off, im->bytes.size);
	const uint64_t room = im->bytes.size - start;
	if (*size > room) {
		IMAGE_NOTE(im, *off, *size - room, STR_FMT " goes beyond the end of the file",
			   STR_ARG(what));
		*size = room;
	}
	*off = start;
}

uint32_t build_section(struct image_build *b, const struct section *given)
{
	ASSERT(b->sections.count > 0 && b->sections.count < SYM_BAD);
	struct section s = *given;
	s.index = (uint32_t)b->sections.count;
	s.alloc = s.flags & SHF_ALLOC;
	s.write = s.flags & SHF_WRITE;
	s.exec = s.flags & SHF_EXECINSTR;
	s.tls = s.flags & SHF_TLS;
	s.nobits = s.type == SHT_NOBITS;
	if (s.nobits)
		s.file_size = 0;
	clip_file(b->im, section_title(&s), &s.off, &s.file_size);
	if (!s.alloc)
		s.size = s.file_size;
	/* Gives each section of an object its own window of addresses (see image.h). Clips alloc
	 * sections to the address space. */
	const uint64_t slot = UINT64_C(1) << OBJECT_SECTION_SHIFT;
	const uint64_t index = (b->first_vm_index + s.index) %
			       (UINT64_C(1) << (64 - OBJECT_SECTION_SHIFT));
	uint64_t limit = UINT64_MAX;
	if (b->im->kind == IMAGE_OBJECT) {
		const uint64_t base = index << OBJECT_SECTION_SHIFT;
		s.addr = base + (s.addr < slot / 2 ? s.addr : 0);
		limit = base + slot / 2;
	}
	if (!s.alloc && b->im->kind != IMAGE_OBJECT)
		s.addr = 0;
	if (s.alloc && s.size > limit - min_u64(s.addr, limit)) {
		IMAGE_NOTE(b->im, HEFT_NO_OFFSET, s.size,
			   "section " STR_FMT " goes beyond the end of its address space",
			   STR_ARG(section_title(&s)));
		s.size = limit - min_u64(s.addr, limit);
	}
	ASSERT(s.addr <= UINT64_MAX - s.size);
	vec_push(&b->sections, s);
	return s.index;
}

uint32_t build_range(struct image_build *b, struct str title, uint64_t off, uint64_t size)
{
	const struct section s = { .name = STR(""),
				   .title = title,
				   .type = SHT_PROGBITS,
				   .off = off,
				   .size = size,
				   .file_size = size,
				   .again = true };
	return build_section(b, &s);
}

void build_segment(struct image_build *b, const struct segment *given)
{
	struct segment s = *given;
	s.index = (uint32_t)b->segments.count;
	s.type = PT_LOAD;
	s.vm_size = min_u64(s.vm_size, UINT64_MAX - s.addr);
	s.file_size = min_u64(s.file_size, s.vm_size);
	s.load_addr = s.addr;
	vec_push(&b->segments, s);
}

void build_part(struct image_build *b, uint64_t off, uint64_t size, const char *label)
{
	ASSERT(label);
	clip_file(b->im, str_of(label), &off, &size);
	vec_push(&b->parts, (struct image_part){ off, size, label });
}

uint32_t build_symbol(struct image_build *b, const struct made_symbol *s)
{
	ASSERT(s->symbol.name.p || s->symbol.name.len == 0);
	const uint32_t index = (uint32_t)b->symbols.count;
	vec_push(&b->symbols, *s);
	b->symbols.data[index].symbol.index = index;
	return index;
}

bool build_has_room(const struct image_build *b, size_t count, uint64_t each, uint64_t off)
{
	ASSERT(each > 0);
	enum { MANY = 65536 };
	const struct image *im = b->im;
	const uint64_t most = MANY + im->bytes.size / each;
	if (count < most)
		return true;
	if (note_is_first(im->notes, im->path, hash_pair(im->file_off, most)))
		IMAGE_NOTE(im, off, 0,
			   "more than %" PRIu64 " small pieces: heft does not read the rest", most);
	return false;
}

uint32_t build_relocs(struct image_build *b, uint32_t of, uint32_t symbols, uint64_t off,
		      uint64_t size)
{
	const struct section s = { .name = STR(""),
				   .title = STR("Relocation Entries"),
				   .type = SHT_RELA,
				   .off = off,
				   .file_size = size,
				   .info = of,
				   .link = symbols };
	return build_section(b, &s);
}

void build_set_relocs(struct image_build *b, uint32_t table, struct reloc *list, uint64_t count)
{
	ASSERT(table > 0 && table < b->sections.count && (list || count == 0));
	b->sections.data[table].made_relocs = list;
	b->sections.data[table].made_reloc_count = count;
}

/* If `e` follows one of the last two entries and has the same owner, makes that entry longer and
 * returns true. Tries two, because the entries of two tables may alternate. */
static bool build_continues(struct image_build *b, const struct image_entry *e)
{
	for (size_t i = 1; i <= 2 && i <= b->entries.count; i++) {
		struct image_entry *last = &b->entries.data[b->entries.count - i];
		if (last->section == e->section && last->symbol == e->symbol &&
		    last->addr == e->addr && last->off + last->size == e->off) {
			last->size += e->size;
			return true;
		}
	}
	return false;
}

void build_entry(struct image_build *b, const struct image_entry *given)
{
	struct image_entry e = *given;
	const struct section *s = &b->sections.data[e.section];
	ASSERT(e.section < b->sections.count && e.symbol < b->symbols.count);
	const uint64_t size = s->type == SHT_NOBITS ? s->size : s->file_size;
	if (e.section == 0 || e.off >= size)
		return;
	e.size = min_u64(e.size, size - e.off);
	if (!build_continues(b, &e))
		vec_push(&b->entries, e);
}

struct build_code {
	uint64_t addr, end, section;
};

typedef VEC(struct build_code) code_vec;

static void build_name_start(struct image_build *b, const struct build_start *at,
			     const code_vec *code)
{
	const size_t i = vec_upper(code, at->addr);
	if (i == 0 || at->addr >= code->data[i - 1].end)
		return;
	struct made_symbol s = { .symbol = { .section = (uint32_t)code->data[i - 1].section,
					     .value = at->addr,
					     .size = at->size,
					     .type = STT_FUNC,
					     .bind = STB_LOCAL } };
	s.symbol.name = str_of(arena_format(&b->im->arena, "sub_%" PRIx64, at->addr));
	build_symbol(b, &s);
}

void build_name_starts(struct image_build *b, size_t first)
{
	ASSERT(first <= b->starts.count);
	VEC(struct build_start) known = { 0 };
	code_vec code = { 0 };
	for (size_t i = 1; i < b->sections.count; i++) {
		const struct section *s = &b->sections.data[i];
		if (s->alloc && s->exec && s->size > 0)
			vec_push(&code, (struct build_code){ s->addr, s->addr + s->size, i });
	}
	vec_sort(&code);
	for (size_t i = 1; i < b->symbols.count; i++) {
		const struct symbol *s = &b->symbols.data[i].symbol;
		if (s->section != SYM_NO_SECTION)
			vec_push(&known, (struct build_start){ s->value, 0 });
	}
	vec_sort(&known);
	for (size_t i = first; i < b->starts.count; i++) {
		const uint64_t addr = b->starts.data[i].addr;
		const size_t at = vec_lower(&known, addr);
		if (at == known.count || known.data[at].addr != addr)
			build_name_start(b, &b->starts.data[i], &code);
	}
	vec_release_all(&known, &code);
}

/* An address at which a symbol or another piece begins. `symbol` is the symbol's index, or 0. */
struct build_bound {
	uint64_t addr, symbol;
};

static void list_bounds(const struct image_build *b, struct build_bound *ret, size_t *count)
{
	*count = 0;
	for (size_t i = 0; i < b->starts.count; i++)
		ret[(*count)++] = (struct build_bound){ b->starts.data[i].addr, 0 };
	for (size_t i = 1; i < b->symbols.count; i++) {
		const struct symbol *s = &b->symbols.data[i].symbol;
		uint64_t addr;
		if (s->type != STT_FILE && s->type != STT_SECTION && symbol_addr(b->im, s, &addr))
			ret[(*count)++] = (struct build_bound){ addr, i };
	}
	sort_by_key(ret, *count, sizeof *ret);
}

static void size_symbols(struct image_build *b)
{
	struct build_bound *bounds = mem_zeroed(b->starts.count + b->symbols.count, sizeof *bounds);
	size_t count;
	list_bounds(b, bounds, &count);
	uint64_t next = UINT64_MAX; /* Next higher address at which a piece begins */
	for (size_t i = count; i-- > 0;) {
		if (i + 1 < count && bounds[i + 1].addr != bounds[i].addr)
			next = bounds[i + 1].addr;
		struct symbol *s = &b->symbols.data[bounds[i].symbol].symbol;
		if (bounds[i].symbol == 0 || s->size > 0)
			continue;
		const struct section *in = &b->im->sections[s->section];
		const uint64_t end = min_u64(next, in->addr + in->size);
		s->size = end > bounds[i].addr ? end - bounds[i].addr : 0;
		s->guessed = true;
	}
	mem_free(bounds);
}

#define TAKE(to, from, T)                                                                          \
	do {                                                                                       \
		(to) = arena_new(&b->im->arena, T, (from)->count + 1);                             \
		if ((from)->count > 0)                                                             \
			memcpy((to), (from)->data, (from)->count * sizeof(T));                     \
	} while (0)

/* Adds `bias` to every address. Clips ranges at the end of the address space. */
static void build_move(struct image_build *b, uint64_t bias)
{
	vec_each(struct segment, s, &b->segments) {
		s->addr += bias;
		s->vm_size = min_u64(s->vm_size, UINT64_MAX - s->addr);
		s->file_size = min_u64(s->file_size, s->vm_size);
	}
	for (size_t i = 1; i < b->sections.count; i++) {
		struct section *s = &b->sections.data[i];
		s->addr += s->alloc ? bias : 0;
		s->size = min_u64(s->size, UINT64_MAX - s->addr);
	}
	for (size_t i = 1; i < b->symbols.count; i++)
		if (b->symbols.data[i].symbol.section < b->sections.count)
			b->symbols.data[i].symbol.value += bias;
	for (size_t i = 0; i < b->starts.count; i++)
		b->starts.data[i].addr += bias;
	for (size_t i = 0; i < b->entries.count; i++)
		b->entries.data[i].addr += bias;
}

void build_finish(struct image_build *b, uint32_t table, uint32_t strings)
{
	struct image *im = b->im;
	const struct section none = { .name = STR(""), .type = SHT_SYMTAB };
	if (table == 0 && b->symbols.count > 1)
		table = build_section(b, &none);
	ASSERT(table < b->sections.count && strings < b->sections.count);
	if (table != 0)
		b->sections.data[table].type = SHT_SYMTAB;
	if (strings != 0)
		b->sections.data[strings].type = SHT_STRTAB;
	if (im->kind == IMAGE_EXEC && im->vm_bias != 0)
		build_move(b, im->vm_bias);
	TAKE(im->segments, &b->segments, struct segment);
	im->segment_count = b->segments.count;
	TAKE(im->sections, &b->sections, struct section);
	im->section_count = b->sections.count;
	TAKE(im->parts, &b->parts, struct image_part);
	im->part_count = b->parts.count;
	struct image_entry *entries;
	TAKE(entries, &b->entries, struct image_entry);
	im->entries = entries;
	im->entry_count = b->entries.count;
	im->made_table = table;
	im->made_strings = strings;
	elf_index_build(im);
	image_find_repeated(im);
	size_symbols(b);
	struct made_symbol *symbols;
	TAKE(symbols, &b->symbols, struct made_symbol);
	im->made_symbols = symbols;
	im->made_count = b->symbols.count;
	if (HEFT_CHECKS)
		image_verify(im);
	build_release(b);
}
