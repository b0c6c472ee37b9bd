#include "generate.h"

#include "../lib/elfgen.h"
#include "image/elf/elf_const.h"

#include <stdio.h>

enum { DATA_MAX = 700 };

struct kind {
	const char *name;
	uint32_t type;
	uint64_t flags;
};

static const struct kind kinds[] = {
	{ ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR },
	{ ".text.b", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR },
	{ ".rodata", SHT_PROGBITS, SHF_ALLOC },
	{ ".rodata.str1.1", SHT_PROGBITS, SHF_ALLOC | SHF_MERGE | SHF_STRINGS },
	{ ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE },
	{ ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE },
	{ ".tdata", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE | SHF_TLS },
	{ ".tbss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE | SHF_TLS },
	{ ".eh_frame", SHT_PROGBITS, SHF_ALLOC },
	{ ".eh_frame_hdr", SHT_PROGBITS, SHF_ALLOC },
	{ ".gcc_except_table", SHT_PROGBITS, SHF_ALLOC },
	{ ".ARM.exidx", SHT_ARM_EXIDX, SHF_ALLOC },
	{ ".ARM.extab", SHT_PROGBITS, SHF_ALLOC },
	{ ".init_array", SHT_INIT_ARRAY, SHF_ALLOC | SHF_WRITE },
	{ ".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR },
	{ ".got", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE },
	{ ".rela.dyn", SHT_RELA, SHF_ALLOC },
	{ ".rel.dyn", SHT_REL, SHF_ALLOC },
	{ ".relr.dyn", SHT_RELR, SHF_ALLOC },
	{ ".rela.text", SHT_RELA, SHF_INFO_LINK },
	{ ".crel.text", SHT_CREL, SHF_INFO_LINK },
	{ ".aps2", SHT_ANDROID_RELA, SHF_ALLOC },
	{ ".dynsym", SHT_DYNSYM, SHF_ALLOC },
	{ ".dynstr", SHT_STRTAB, SHF_ALLOC },
	{ ".gnu.hash", SHT_GNU_HASH, SHF_ALLOC },
	{ ".hash", SHT_HASH, SHF_ALLOC },
	{ ".gnu.version", SHT_GNU_VERSYM, SHF_ALLOC },
	{ ".gnu.version_r", SHT_GNU_VERNEED, SHF_ALLOC },
	{ ".gnu.version_d", SHT_GNU_VERDEF, SHF_ALLOC },
	{ ".dynamic", SHT_DYNAMIC, SHF_ALLOC | SHF_WRITE },
	{ ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC },
	{ ".gnu_debugdata", SHT_PROGBITS, 0 },
	{ ".gnu_debuglink", SHT_PROGBITS, 0 },
	{ ".debug_info", SHT_PROGBITS, SHF_COMPRESSED },
	{ ".zdebug_line", SHT_PROGBITS, 0 },
	{ ".comment", SHT_PROGBITS, SHF_MERGE | SHF_STRINGS },
	{ ".group", SHT_GROUP, 0 },
	{ ".symtab_shndx", SHT_SYMTAB_SHNDX, 0 },
	{ ".llvm_addrsig", SHT_LLVM_ADDRSIG, 0 },
	{ "", SHT_PROGBITS, SHF_ALLOC },
	{ "\xff\x01 odd\n\"name\",", 0x6abcdef0, UINT64_MAX },
};

static uint16_t any_machine(struct rng *r)
{
	static const uint16_t machines[] = { EM_X86_64, EM_X86_64, EM_AARCH64, EM_386,   EM_ARM,
					     EM_PPC64,  EM_RISCV,  EM_MIPS,    EM_S390,  EM_PPC,
					     EM_SPARC,  EM_NONE,   EM_ALPHA,   EM_IA_64, 0xfffe };
	return machines[rng_below(r, COUNT_OF(machines))];
}

/* Words that look like addresses, small numbers, code and text. */
static void fill(struct rng *r, uint8_t *p, size_t size, uint64_t near)
{
	const unsigned style = (unsigned)rng_below(r, 5);
	for (size_t i = 0; i < size; i++) {
		if (style == 0)
			p[i] = (uint8_t)rng_next(r);
		else if (style == 1)
			p[i] = (uint8_t)rng_below(r, 4);
		else if (style == 2)
			p[i] = (uint8_t)(rng_once_in(r, 6) ? 0 : 'a' + rng_below(r, 26));
		else if (i % 8 == 0)
			near += rng_below(r, 64);
		if (style > 2)
			p[i] = (uint8_t)(near >> 8 * (style == 3 ? i % 8 : i % 4));
	}
}

static uint64_t near_or_odd(struct rng *r, uint64_t near)
{
	if (rng_once_in(r, 12))
		return rng_odd_number(r);
	near += rng_below(r, 128);
	return near - rng_below(r, 64);
}

static void add_section(struct elfgen *g, struct rng *r, uint64_t *at)
{
	const struct kind *k = &kinds[rng_below(r, COUNT_OF(kinds))];
	uint8_t data[DATA_MAX];
	const uint64_t size = rng_below(r, rng_once_in(r, 3) ? DATA_MAX : 64);
	const uint64_t addr = rng_once_in(r, 8) ? near_or_odd(r, *at) : *at;
	const bool nobits = k->type == SHT_NOBITS;
	fill(r, data, (size_t)size, *at);
	const uint32_t i = elfgen_section(g, k->name, k->type, k->flags, addr, nobits ? NULL : data,
					  size);
	struct elfgen_section *s = &g->sections.data[i];
	const uint64_t around = g->sections.count + 3;
	s->link = (uint32_t)(rng_once_in(r, 3) ? rng_below(r, around) : i + 1);
	s->info = (uint32_t)rng_below(r, around);
	s->entsize = rng_once_in(r, 4) ? rng_odd_number(r) : rng_below(r, 5) * 8;
	s->align = UINT64_C(1) << rng_below(r, 5);
	if (rng_once_in(r, 10)) {
		s->data.size = 0;
		s->off = near_or_odd(r, 64 + rng_below(r, 2000));
	}
	if (rng_once_in(r, 12))
		s->size = rng_odd_number(r);
	if (rng_once_in(r, 15))
		s->flags ^= UINT64_C(1) << rng_below(r, 32);
	*at += size + (rng_once_in(r, 3) ? rng_below(r, 40) : 0);
}

static void add_segment(struct elfgen *g, struct rng *r)
{
	static const uint32_t types[] = { PT_LOAD, PT_LOAD, PT_LOAD, PT_TLS, PT_DYNAMIC, PT_NOTE };
	const uint32_t s = (uint32_t)rng_below(r, g->sections.count);
	struct elfgen_segment *seg = elfgen_load(g, (uint32_t)rng_below(r, 8), s);
	seg->type = types[rng_below(r, COUNT_OF(types))];
	seg->align = rng_once_in(r, 3) ? rng_odd_number(r) : 4096;
	if (rng_once_in(r, 2)) {
		seg->file_size += rng_below(r, 1500);
		seg->vm_size += rng_below(r, 3000);
	}
	if (rng_once_in(r, 6))
		seg->vm_size = rng_odd_number(r);
	if (rng_once_in(r, 6))
		seg->file_size = rng_odd_number(r);
	if (rng_once_in(r, 8)) {
		seg->section = 0;
		seg->off = near_or_odd(r, 1000);
	}
	if (rng_once_in(r, 8))
		seg->addr = near_or_odd(r, seg->addr);
}

static void add_symbol(struct elfgen *g, struct rng *r)
{
	static const char *const names[] = {
		"main",     "_Z3foov", "_ZN1aC2Ev.cold", "$x",     "$d.1",  "a",
		"",         "_R1",     "_D1aFZv",        "x@@V1",  "_ZL1b", "[odd]",
		"\xc3\xa9", "memcpy",  "__start_x",      "_ZTV1a",
	};
	const uint32_t s = (uint32_t)rng_below(r, g->sections.count + 2);
	const uint64_t size = rng_once_in(r, 10) ? rng_odd_number(r) : rng_below(r, 80);
	uint64_t base = 0;
	if (s < g->sections.count)
		base = rng_below(r, g->sections.data[s].size);
	if (s < g->sections.count && g->type != ET_REL)
		base += g->sections.data[s].addr;
	static const uint16_t odd[] = { 0, 0xfff1, 0xfff2, 0xffff, 0xff00 };
	/* One random number a statement: compilers differ in the order of arguments. */
	const char *name = names[rng_below(r, COUNT_OF(names))];
	const uint64_t bind = rng_below(r, 3), type = rng_below(r, 11);
	const uint64_t any = odd[rng_below(r, COUNT_OF(odd))];
	const uint64_t value = near_or_odd(r, base);
	elfgen_symbol(g, name, value, size, (uint8_t)(bind << 4 | type),
		      (uint16_t)(rng_once_in(r, 8) ? any : s));
}

/* Overwrites some fields of the headers, whatever they are. */
static void spoil(struct rng *r, struct bytes file)
{
	const uint64_t header = min_u64(file.size, 400);
	for (uint64_t n = rng_below(r, 4); n > 0; n--) {
		const bool tail = rng_once_in(r, 2); /* the section headers are there */
		const uint64_t from = tail ? file.size - min_u64(file.size, 1200) : 16;
		const uint64_t width = UINT64_C(1) << rng_below(r, 4);
		const uint64_t off = from + rng_below(r, tail ? file.size - from : header - 24);
		if (off + width <= file.size)
			elfgen_poke(file, off, (unsigned)width, false, rng_odd_number(r));
	}
}

struct bytes generate_image(struct rng *r)
{
	static const uint16_t types[] = { ET_EXEC, ET_DYN, ET_REL, ET_REL, ET_CORE, 0xfe01 };
	const unsigned bits = rng_once_in(r, 3) ? 32 : 64;
	const bool big_endian = rng_once_in(r, 3);
	const uint16_t type = types[rng_below(r, COUNT_OF(types))];
	struct elfgen g = elfgen_make(bits, big_endian, type, any_machine(r));
	uint64_t at = rng_once_in(r, 3) ? 0 : UINT64_C(1) << rng_below(r, bits);
	g.entry = near_or_odd(r, at);
	g.flags = (uint32_t)rng_next(r);
	g.no_section_table = rng_once_in(r, 15);
	for (uint64_t n = rng_below(r, 18); n > 0; n--)
		add_section(&g, r, &at);
	for (uint64_t n = g.type == ET_REL ? 0 : rng_below(r, 6); n > 0; n--)
		add_segment(&g, r);
	for (uint64_t n = rng_once_in(r, 4) ? 0 : rng_below(r, 40); n > 0; n--)
		add_symbol(&g, r);
	const struct bytes file = elfgen_finish(&g);
	if (rng_once_in(r, 3))
		spoil(r, file);
	return file;
}

/* ---- archives --------------------------------------------------------------------- */

static void put_member(struct elfgen_out *o, struct rng *r, const char *name, struct bytes b)
{
	char head[61];
	const uint64_t size = rng_once_in(r, 15) ? rng_below(r, 100000) : b.size;
	snprintf(head, sizeof head, "%-16s%-12u%-6u%-6u%-8o%-10" PRIu64 "`\n", name, 0u, 0u, 0u,
		 0644u, size);
	elfgen_put_bytes(o, head, 60);
	elfgen_put_bytes(o, b.p, (size_t)b.size);
	if (b.size % 2 && !rng_once_in(r, 10))
		elfgen_put(o, 1, '\n');
}

struct bytes generate_archive(struct rng *r)
{
	static const char *const names[] = { "a.o/",    "b.o",     "/0",     "/7",        "/",
					     "//",      "/SYM64/", "#1/12",  "__.SYMDEF", "/999999",
					     "#1/9999", "",        "a.o:1/", "#1/x",      " /" };
	static const char table[] = "long_name_one.o/\nlong_name_two.o/\n\0\0\0\1";
	struct elfgen_out o = { 0 };
	elfgen_put_bytes(&o, rng_once_in(r, 12) ? "!<thin>\n" : "!<arch>\n", 8);
	for (uint64_t n = rng_below(r, 7); n > 0; n--) {
		const char *name = names[rng_below(r, COUNT_OF(names))];
		struct bytes b = { (const uint8_t *)table, rng_below(r, sizeof table) };
		const bool image = rng_once_in(r, 2);
		if (image)
			b = generate_image(r);
		put_member(&o, r, name, b);
		if (image)
			mem_free((void *)(uintptr_t)b.p);
	}
	return (struct bytes){ o.bytes.data, o.bytes.count };
}

/* ---- the same sections in another order -------------------------------------------- */

enum { PARTS = 12 };

static void shuffle(struct rng *r, uint32_t *order)
{
	for (uint32_t i = 0; i < PARTS; i++)
		order[i] = i;
	for (uint32_t i = PARTS - 1; i > 0; i--) {
		const uint32_t k = (uint32_t)rng_below(r, i + 1);
		const uint32_t t = order[i];
		order[i] = order[k];
		order[k] = t;
	}
}

/* Section i stands at 4096 + 512 i in the file and at 0x10000 + 512 i in memory. */
static struct bytes in_order(const uint64_t *sizes, const uint32_t *order, bool big_endian)
{
	static const char *const names[PARTS] = { ".text", ".data", ".rodata", ".a", ".b", ".c",
						  ".d",    ".e",    ".f",      ".g", ".h", ".i" };
	static const uint8_t zeros[512];
	struct elfgen g = elfgen_make(64, big_endian, ET_EXEC, EM_NONE);
	for (uint32_t i = 0; i < PARTS; i++) {
		const uint32_t k = order[i];
		const uint32_t s = elfgen_section(&g, names[k], SHT_PROGBITS,
						  SHF_ALLOC | (k % 3 ? 0 : SHF_EXECINSTR),
						  0x10000 + 512 * k, NULL, sizes[k]);
		g.sections.data[s].off = 4096 + 512 * k;
	}
	for (uint32_t i = 0; i < PARTS; i++) {
		char name[16];
		snprintf(name, sizeof name, "sym%u", i);
		uint16_t at = 0;
		while (order[at] != i)
			at++;
		elfgen_symbol(&g, arena_copy(&g.arena, str_of(name)), 0x10000 + 512 * i,
			      sizes[i] / 2, STB_GLOBAL << 4 | STT_OBJECT, (uint16_t)(at + 1));
	}
	const uint32_t fill = elfgen_section(&g, ".last", SHT_PROGBITS, 0, 0, zeros, 512);
	g.sections.data[fill].off = 4096 + 512 * PARTS;
	struct elfgen_segment *load = elfgen_load(&g, PF_R, 1);
	*load = (struct elfgen_segment){ .type = PT_LOAD,
					 .flags = PF_R,
					 .off = 4096,
					 .addr = 0x10000,
					 .file_size = 512 * PARTS,
					 .vm_size = 512 * PARTS,
					 .align = 4096 };
	return elfgen_finish(&g);
}

struct shuffled generate_shuffled(struct rng *r)
{
	uint64_t sizes[PARTS];
	uint32_t first[PARTS], second[PARTS];
	for (uint32_t i = 0; i < PARTS; i++)
		sizes[i] = 1 + rng_below(r, 512);
	const bool big_endian = rng_once_in(r, 2);
	shuffle(r, first);
	shuffle(r, second);
	return (struct shuffled){ in_order(sizes, first, big_endian),
				  in_order(sizes, second, big_endian) };
}
