/* Finds the tables of Go's runtime in a program, and the "module data" that point to them. */
#include "program/go_table.h"

#include "image/arch.h"
#include "image/elf/elf_const.h"
#include "program/made_by.h"

static bool go_table_is(const struct image *im)
{
	uint64_t addr;
	/* Go's linker adds a symbol section to a PE file even if it has no symbols. */
	return im->bare || image_section_find(im, ".note.go.buildid") ||
	       (!image_states_sizes(im) && image_section_find(im, ".symtab")) ||
	       go_build_info(im, &addr).size > 0;
}

static bool open_at(const struct image *im, const struct section *s, uint64_t off,
		    struct go_table *ret)
{
	const struct bytes all = section_bytes(im, s);
	*ret = (struct go_table){ .section = s, .off = off };
	if (!pclntab_open(&ret->tab, bytes_sub(all, off, all.size - off), im->big_endian) ||
	    ret->tab.func_count == 0)
		return false;
	pclntab_bind_names(&ret->tab);
	return true;
}

static bool search_in(const struct image *im, const struct section *s, struct go_table *ret)
{
	const struct bytes b = section_bytes(im, s);
	struct pclntab_func first, last;
	for (uint64_t off = 0; off + 8 <= b.size; off += 8) {
		if (b.p[off + 1] != 0xff || b.p[off + 2] != 0xff || b.p[off + 4] != 0 ||
		    !pclntab_matches(bytes_sub(b, off, 8), im->big_endian) ||
		    !open_at(im, s, off, ret))
			continue;
		/* The first and last function must have names, because any data may contain the
		 * magic number. */
		const struct pclntab *t = &ret->tab;
		if (pclntab_record(t, 0, &first) && pclntab_record(t, t->func_count - 1, &last) &&
		    first.name.len > 0 && last.name.len > 0)
			return true;
	}
	return false;
}

/* Searches sections for the table. Linkers other than Go's put it into a larger section, and names
 * of sections may be lost. False if there is none. */
static bool search(const struct image *im, struct go_table *ret)
{
	each_section(s, im)
		if (s->alloc && !s->exec && s->type == SHT_PROGBITS && search_in(im, s, ret))
			return true;
	return false;
}

static const struct section *named_section(const struct image *im)
{
	const struct section *s = image_section_find(im, ".gopclntab");
	return s ? s : image_section_find(im, ".data.rel.ro.gopclntab");
}

bool go_table_present(const struct image *im)
{
	struct go_table table;
	return named_section(im) || (go_table_is(im) && search(im, &table));
}

static bool go_table_find(const struct image *im, struct go_table *ret, struct notes *notes)
{
	const struct section *s = named_section(im);
	if (s) {
		if (open_at(im, s, 0, ret))
			return true;
		/* A table begins with a version number, which garble replaces. Then come two zeros,
		 * the size unit of instructions, and the size of pointers. */
		const struct bytes b = section_bytes(im, s);
		const bool whole = b.size > 8 &&
				   !pclntab_matches(bytes_sub(b, 0, 8), im->big_endian) &&
				   b.p[4] == 0 && b.p[5] == 0 &&
				   (b.p[6] == 1 || b.p[6] == 2 || b.p[6] == 4) &&
				   b.p[7] == im->bits / 8;
		note(notes, im->path, im->file_off + s->off, s->file_size,
		     "the table of Go's functions is %s: they have no names",
		     whole ? "garbled (garble) or of a version of Go not known" : "damaged");
		return false;
	}
	return go_table_is(im) && search(im, ret);
}

/* Finds the value that a relocation writes to an address. False if none does. */
static bool go_table_relocated(const struct image *im, uint64_t addr, uint64_t *ret)
{
	for (size_t i = 1; i < im->section_count; i++) {
		struct reloc_iter it;
		struct reloc r;
		const struct section *s = &im->sections[i];
		if (!section_is_reloc(s) || !s->alloc || !reloc_open(&it, im, s))
			continue;
		while (reloc_next(&it, &r))
			if (r.addr == addr)
				return reloc_target(&it, &r, ret);
	}
	return false;
}

enum { MODULE_WORDS = 50 };

/* The first words of the runtime's "struct moduledata" */
struct go_table_module {
	uint64_t words[MODULE_WORDS];
};

/* Indexes of words in struct moduledata: start and end of the descriptions of types, base of data
 * of functions, list of types, list of tables of methods. 0 if unknown. Found by experiment */
struct module_words {
	size_t types, types_end, func_data, type_links, method_tables;
};

/* Returns the indexes for a layout. Since Go 1.27, the size of the descriptions follows their
 * start. */
static struct module_words module_words(const struct go_table_module *m, enum pclntab_layout layout)
{
	if (layout == PCLNTAB_20 && m->words[38] != 0 && m->words[38] < m->words[37])
		return (struct module_words){ 37, 39, 43, 0, 0 };
	switch (layout) {
	case PCLNTAB_2:
	case PCLNTAB_16: return (struct module_words){ 35, 36, 0, 40, 43 };
	case PCLNTAB_18: return (struct module_words){ 35, 36, 38, 42, 45 };
	case PCLNTAB_20: break;
	}
	/* In Go 1.26, an address and a number that occurs twice precede the lists. */
	const size_t more = m->words[46] == m->words[47];
	return (struct module_words){ 37, 38, 40, 44 + more, 47 + more };
}

/* Reads the words of a struct moduledata from the file. If a word is 0 there, a dynamic relocation
 * may set it. False if the file has no bytes there. */
static bool go_table_read_module(const struct image *im, uint64_t addr, struct go_table_module *ret)
{
	const unsigned width = im->bits / 8;
	struct reader r = reader_of(image_at(im, addr, MODULE_WORDS * width), im->big_endian);
	for (size_t i = 0; i < MODULE_WORDS; i++)
		ret->words[i] = read_uint(&r, width);
	for (size_t i = 1; reader_ok(&r) && i < im->section_count; i++) {
		struct reloc_iter it;
		struct reloc at;
		const struct section *s = &im->sections[i];
		if (!section_is_reloc(s) || !s->alloc || !reloc_open(&it, im, s))
			continue;
		while (reloc_next(&it, &at)) {
			const uint64_t word = (at.addr - addr) / width;
			if (at.addr >= addr && word < MODULE_WORDS && ret->words[word] == 0)
				(void)reloc_target(&it, &at, &ret->words[word]);
		}
	}
	return reader_ok(&r);
}

/* True if a struct moduledata is at an address: it begins with the addresses of the table, and of
 * the names in the table. */
static bool is_module(const struct image *im, const struct go_table *g, uint64_t addr,
		      struct go_table_module *ret)
{
	return go_table_read_module(im, addr, ret) && ret->words[0] == go_table_addr(g) &&
	       ret->words[1] == go_table_addr(g) + g->tab.names;
}

static bool find_in_section(const struct image *im, const struct go_table *g,
			    const struct section *s, struct go_table_module *ret)
{
	const unsigned width = im->bits / 8;
	struct reader r = reader_of(section_bytes(im, s), im->big_endian);
	const uint64_t wanted = go_table_addr(g);
	for (uint64_t off = 0; off + width <= r.size; off += width) {
		const uint64_t word = width == 8 ? read_u64(&r) : read_u32(&r);
		if (word == wanted && is_module(im, g, s->addr + off, ret))
			return true;
	}
	return false;
}

/* Finds struct moduledata in a position-independent program: a relocation sets its first word. */
static bool find_by_relocation(const struct image *im, const struct go_table *g,
			       struct go_table_module *ret)
{
	for (size_t i = 1; i < im->section_count; i++) {
		struct reloc_iter it;
		struct reloc r;
		uint64_t target;
		const struct section *s = &im->sections[i];
		if (!section_is_reloc(s) || !s->alloc || !reloc_open(&it, im, s))
			continue;
		while (reloc_next(&it, &r))
			if (reloc_target(&it, &r, &target) && target == go_table_addr(g) &&
			    is_module(im, g, r.addr, ret))
				return true;
	}
	return false;
}

static bool find_module(const struct image *im, const struct go_table *g,
			struct go_table_module *ret)
{
	if (find_by_relocation(im, g, ret))
		return true;
	/* The runtime writes to struct moduledata, so writable sections are searched first. */
	for (int write = 1; write >= 0; write--)
		each_section(s, im) {
			if (s->alloc && !s->exec && s->write == (write == 1) &&
			    s->type == SHT_PROGBITS && find_in_section(im, g, s, ret))
				return true;
		}
	return false;
}

/* Indexes of words in struct moduledata that are the same in all layouts from PCLNTAB_16 on. */
enum { MODULE_FUNCS = 13, MODULE_FIND_FUNC = 19, MODULE_CODE = 20, MODULE_TEXT = 22 };
enum { MODULE_NOPTR = 24, MODULE_DATA = 26 };

static struct go_range range_of(const struct image *im, uint64_t start, uint64_t end)
{
	const struct section *s = image_section_at(im, start);
	const bool good = start < end && s && end <= s->addr + s->size;
	return good ? (struct go_range){ start, end } : (struct go_range){ 0, 0 };
}

/* Returns the size in bytes of a program that produces a pointer bitmap for the garbage collector
 * (package runtime, mbitmap.go). The first byte of an instruction tells what it does. 0 ends the
 * program. A byte n from 1 to 0x7f appends the next n bits of the program. 0x80 is followed by two
 * ULEB128 numbers, n and c: it appends the last n bits c times. For a byte from 0x81, n is the low
 * 7 bits, and only c follows. */
static uint64_t gc_program_size(const struct image *im, uint64_t addr)
{
	const struct section *s = image_section_at(im, addr);
	if (!s)
		return 0;
	struct reader r = reader_at(section_bytes(im, s), im->big_endian, addr - s->addr);
	for (uint8_t op; (op = read_u8(&r)) != 0 && reader_ok(&r);) {
		if (op < 0x80)
			read_skip(&r, (op + 7u) / 8);
		if (op == 0x80)
			(void)read_uleb(&r);
		if (op >= 0x80)
			(void)read_uleb(&r);
	}
	return reader_ok(&r) ? s->addr + r.pos - addr : 0;
}

/* Returns the list whose address and count are at `word` of struct moduledata. */
static struct go_part list_part(const struct image *im, const struct go_table_module *m,
				size_t word, uint64_t each)
{
	const uint64_t addr = m->words[word], count = m->words[word + 1];
	const struct section *s = word > 0 ? image_section_at(im, addr) : NULL;
	const bool fits = s && count <= (s->addr + s->size - addr) / each;
	return (struct go_part){ NULL, addr, fits ? count * each : 0 };
}

/* Adds what struct moduledata says about the table and the parts. */
static void module_apply(const struct image *im, struct go_table *g,
			 const struct go_table_module *m)
{
	const struct module_words w = module_words(m, g->tab.layout);
	const uint64_t data = m->words[w.types - 2], bss = m->words[w.types - 1];
	const uint64_t functions = m->words[MODULE_FIND_FUNC];
	/* The functions and their records are at the end of the table. */
	const uint64_t funcs = m->words[MODULE_FUNCS] - go_table_addr(g);
	const uint64_t size = m->words[MODULE_FUNCS + 1];
	if (funcs == g->tab.funcs && size <= g->tab.bytes.size - funcs)
		g->tab.bytes.size = funcs + size;
	if (g->tab.layout >= PCLNTAB_18 && image_section_at(im, m->words[w.func_data]))
		g->func_data = m->words[w.func_data];
	g->types = range_of(im, m->words[w.types], m->words[w.types_end]);
	g->noptr = range_of(im, m->words[MODULE_NOPTR], m->words[MODULE_NOPTR + 1]);
	g->data = range_of(im, m->words[MODULE_DATA], m->words[MODULE_DATA + 1]);
	/* The look-up table has a word per 4 KiB of code and a byte per 256 bytes. */
	const uint64_t start = m->words[MODULE_CODE], end = m->words[MODULE_CODE + 1];
	const uint64_t code = end > start ? end - start : 0;
	const uint64_t lookup = 4 * (code / 4096 + (code % 4096 != 0)) + code / 256 +
				(code % 256 != 0);
	g->parts[0] = (struct go_part){ "runtime.findfunctab", functions, lookup };
	g->parts[GO_MASK] = (struct go_part){ "runtime.gcdata", data, gc_program_size(im, data) };
	g->parts[2] = (struct go_part){ "runtime.gcbss", bss, gc_program_size(im, bss) };
	g->parts[GO_TYPE_LINKS] = list_part(im, m, w.type_links, GO_TYPE_LINK_SIZE);
	g->parts[GO_METHOD_TABLES] = list_part(im, m, w.method_tables, im->bits / 8);
}

/* Finds parts by section names, if struct moduledata does not give their addresses. */
static void find_sections(const struct image *im, struct go_table *g)
{
	static const struct {
		size_t part;
		const char *section, *name;
	} known[] = {
		{ GO_TYPE_LINKS, ".typelink", "runtime.typelink" },
		{ GO_TYPE_LINKS, ".data.rel.ro.typelink", "runtime.typelink" },
		{ GO_METHOD_TABLES, ".itablink", "runtime.itablink" },
		{ GO_METHOD_TABLES, ".data.rel.ro.itablink", "runtime.itablink" },
	};
	for (size_t i = 0; i < COUNT_OF(known); i++) {
		struct go_part *p = &g->parts[known[i].part];
		const struct section *s = image_section_find(im, known[i].section);
		p->name = known[i].name;
		if (p->size == 0 && s)
			*p = (struct go_part){ p->name, s->addr, s->size };
	}
	struct go_part *info = &g->parts[GO_BUILD_INFO];
	info->name = "go.buildinfo";
	info->size = go_build_info(im, &info->addr).size;
}

bool go_table_open(struct go_table *g, const struct image *im, struct notes *notes)
{
	if (im->kind != IMAGE_EXEC || !go_table_find(im, g, notes))
		return false;
	struct go_table_module module;
	const bool known = g->tab.layout >= PCLNTAB_16 && find_module(im, g, &module);
	const struct section *text = image_section_find(im, ".text"),
			     *in = image_section_at(im, g->tab.text);
	/* Since Go 1.26, the table no longer has the address of the code. struct moduledata has
	 * it. */
	if (g->tab.text_off > 0 && !(in && in->exec) &&
	    !go_table_relocated(im, g->section->addr + g->off + g->tab.text_off, &g->tab.text))
		g->tab.text = known ? module.words[MODULE_TEXT] : text ? text->addr : 0;
	if (known)
		module_apply(im, g, &module);
	find_sections(im, g);
	ASSERT(g->section && g->tab.func_count > 0 && g->off < g->section->size);
	return true;
}

const struct go_table *go_slot_open(struct go_slot *s, const struct image *im, struct notes *notes)
{
	if (s->im != im)
		s->found = go_table_open(&s->table, im, notes);
	s->im = im;
	return s->found ? &s->table : NULL;
}

bool go_table_func(const struct go_table *g, const struct image *im, uint64_t i,
		   struct pclntab_func *ret)
{
	if (!pclntab_func(&g->tab, i, ret))
		return false;
	if (g->tab.quantum != 4 || ret->tables[PCLNTAB_LINE] != 0)
		return true;
	/* Excludes the zeros that align the next function. Only on MIPS are zeros an
	 * instruction. */
	struct reader r = reader_of(image_at(im, ret->addr, ret->size), im->big_endian);
	uint64_t end = 0;
	while (!image_arch(im)->zeros_are_code && reader_left(&r) >= 4)
		end = read_u32(&r) != 0 ? r.pos : end;
	ASSERT(end <= ret->size);
	if (end > 0)
		ret->size = end;
	return true;
}

void go_table_code(const struct go_table *g, uint64_t *ret_start, uint64_t *ret_end)
{
	struct pclntab_func f;
	*ret_start = *ret_end = 0;
	if (pclntab_func(&g->tab, 0, &f))
		*ret_start = f.addr;
	if (pclntab_func(&g->tab, g->tab.func_count - 1, &f))
		*ret_end = f.addr + f.size;
}

/* Indexes in struct pclntab_func.more and .data. */
enum { MORE_INLINED = 2, DATA_INLINED = 3, DATA_INLINED_OLD = 4 };

bool go_table_data(const struct go_table *g, const struct pclntab_func *f, uint64_t i,
		   uint64_t *ret)
{
	const struct pclntab *t = &g->tab;
	struct reader r = reader_of(t->bytes, t->big_endian);
	if (i >= f->data_count)
		return false;
	reader_seek(&r, f->data + i * f->data_width);
	const uint64_t value = read_uint(&r, f->data_width);
	if (t->layout < PCLNTAB_18)
		*ret = value;
	else
		*ret = g->func_data + value;
	return t->layout < PCLNTAB_18 ? value != 0 : value != UINT32_MAX && g->func_data != 0;
}

uint64_t go_table_call_values(const struct go_table *g, const struct pclntab_func *f)
{
	return f->more_count > MORE_INLINED ? pclntab_more(&g->tab, f, MORE_INLINED) : 0;
}

/* True if an inlined call at the address is valid: with a name and, in old layouts, no parent. */
static bool are_calls(const struct go_table *g, const struct image *im, uint64_t addr)
{
	struct str name;
	const bool new = g->tab.layout == PCLNTAB_20;
	struct reader r = reader_of(image_at(im, addr, go_table_call_size(g)), im->big_endian);
	const int16_t parent = (int16_t)read_u16(&r);
	read_skip(&r, new ? 2 : 10);
	const uint32_t off = read_u32(&r);
	return reader_ok(&r) && (new || parent == -1) &&
	       bytes_cstr(g->tab.bytes, add_sat(g->tab.names, off), &name) && name.len > 0;
}

/* The highest value in the table is the index of the last call. Until Go 1.16, FUNCDATA items had
 * other numbers, but not in all programs of 1.16. */
uint64_t go_table_calls(const struct go_table *g, const struct image *im,
			const struct pclntab_func *f, uint64_t *ret_addr)
{
	int64_t highest = -1;
	const uint64_t off = go_table_call_values(g, f);
	struct pclntab_values v = pclntab_values(&g->tab, off);
	while (off != 0 && v.end < f->size && pclntab_values_next(&v))
		highest = v.value > highest ? v.value : highest;
	if (highest < 0 || highest > UINT16_MAX)
		return 0;
	const bool old = g->tab.layout < PCLNTAB_18;
	const bool found = (old && go_table_data(g, f, DATA_INLINED_OLD, ret_addr) &&
			    are_calls(g, im, *ret_addr)) ||
			   (go_table_data(g, f, DATA_INLINED, ret_addr) &&
			    are_calls(g, im, *ret_addr));
	return found ? (uint64_t)highest + 1 : 0;
}

/* The functions below distinguish addresses from numbers in the code and data of a Go program. */

struct go_mask_run {
	struct go_mask *m;
	uint64_t at, count; /* `at`: number of bits written. `count`: number of bits that fit */
};

static void go_mask_push(struct go_mask_run *r, bool bit)
{
	if (bit && r->at < r->count)
		r->m->bits[r->at / 8] |= (uint8_t)(1u << r->at % 8);
	r->at++;
}

/* Repeats bits. False if they do not fit. */
static bool go_mask_repeat(struct go_mask_run *r, uint64_t count, uint64_t times)
{
	if (count == 0 || count > r->at || times > (r->count - r->at) / count)
		return false;
	for (uint64_t i = count * times; i > 0; i--) {
		const uint64_t from = r->at - count;
		go_mask_push(r, r->m->bits[from / 8] >> from % 8 & 1);
	}
	return true;
}

/* Runs the bit program (package runtime, mbitmap.go). 1 to 0x7f: as many bits follow, lowest first.
 * 0x80, then numbers n and c: repeats the last n bits c times. 0x81 to 0xff, then c: n is the low 7
 * bits. 0 ends it. False if damaged: it describes too many words. */
static bool go_mask_run(struct go_mask_run *r, struct reader *program)
{
	for (uint8_t op; (op = read_u8(program)) != 0 && reader_ok(program) && r->at <= r->count;) {
		if (op < 0x80) {
			for (unsigned byte = 0, i = 0; i < op; i++) {
				byte = i % 8 == 0 ? read_u8(program) : byte >> 1;
				go_mask_push(r, byte & 1);
			}
			continue;
		}
		const uint64_t count = op == 0x80 ? read_uleb(program) : op & 0x7fu;
		if (!go_mask_repeat(r, count, read_uleb(program)))
			return false;
	}
	return reader_ok(program) && r->at <= r->count;
}

void go_mask_read(struct go_mask *m, const struct image *im, const struct go_table *table)
{
	const struct go_part *p = &table->parts[GO_MASK];
	const uint64_t size = table->data.end - table->data.start;
	if (size == 0 || p->size == 0 || image_at(im, table->data.start, size).size < size)
		return;
	*m = (struct go_mask){ table->data, table->tab.pointer, NULL };
	struct go_mask_run r = { m, 0, size / m->word };
	struct reader program = reader_of(image_at(im, p->addr, p->size), im->big_endian);
	ASSERT(m->word > 0 && !m->bits);
	m->bits = mem_zeroed(r.count / 8 + 1, 1);
	if (!go_mask_run(&r, &program) || r.at == 0)
		go_mask_release(m);
}

void go_mask_release(struct go_mask *m)
{
	mem_free(m->bits);
	*m = (struct go_mask){ { 0, 0 }, 0, NULL };
}

void go_words_read(struct go_words *w, const struct image *im, const struct go_table *table)
{
	*w = (struct go_words){ .im = im, .table = table };
	if (table->tab.layout >= PCLNTAB_16)
		go_table_code(table, &w->code.start, &w->code.end);
	go_mask_read(&w->mask, im, table);
}

void go_words_release(struct go_words *w)
{
	go_mask_release(&w->mask);
}

/* Judges a reference. Code for x86-64 and AArch64 computes all addresses from the program counter.
 * Code for 386 has addresses only as memory operands. Code for ARM loads addresses and numbers from
 * pools. Addresses of zeroed variables may look like numbers: they count only if the code then
 * loads or stores there. */
enum go_ref go_words_judge(const struct go_words *w, const struct code_ref *ref)
{
	if (ref->use == USE_ACCESS)
		return GO_ADDRESS;
	if (!image_arch(w->im)->pools || ref->use == USE_SCRATCH)
		return GO_NUMBER;
	return image_at(w->im, ref->to, 1).size > 0 ? GO_ADDRESS : GO_EITHER;
}

/* True if a word is a number, not an address. These are records of Go's linker, words in read-only
 * data whose value is the address of a variable, and words in variables without pointers (g->noptr)
 * that do not point to another one. In g->noptr, only tasks that initialise packages have
 * pointers. */
bool go_words_no_address(const struct go_words *w, uint64_t place, bool place_written,
			 uint64_t target, bool target_written)
{
	enum { OTHERS = 4096 }; /* Maximal size, in bytes, of the records after go.buildinfo */
	const struct go_table *g = w->table;
	ASSERT(g);
	/* Records of Go's linker about the program: the build, the checksum of its cryptography,
	 * its parts. From Go 1.18 on they come before the variables without pointers. */
	const struct go_part *build = &g->parts[GO_BUILD_INFO];
	const uint64_t size = g->noptr.start - build->addr;
	if (g->tab.layout >= PCLNTAB_18 &&
	    place - build->addr < (size < build->size + OTHERS ? size : build->size))
		return true;
	if (place >= g->noptr.start && place < g->noptr.end)
		return target < g->noptr.start || target >= g->noptr.end || target % g->tab.pointer;
	return g->noptr.end > 0 && !place_written && target_written;
}
