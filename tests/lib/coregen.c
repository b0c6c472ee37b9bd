#include "coregen.h"

#include "heap/block.h"
#include "image/elf/elf_const.h"

struct coregen coregen_make(unsigned bits, bool big_endian, uint16_t machine)
{
	return (struct coregen){ .bits = bits,
				 .big_endian = big_endian,
				 .machine = machine,
				 .name = "",
				 .command = "" };
}

struct coregen_region *coregen_region(struct coregen *g, uint64_t addr, uint64_t size,
				      const void *held, uint64_t held_size, uint32_t flags)
{
	vec_push(&g->regions,
		 (struct coregen_region){
			 .addr = addr, .size = size, .held = { held, held_size }, .flags = flags });
	return &g->regions.data[g->regions.count - 1];
}

/* ---- notes ---------------------------------------------------------------------------------- */

static void put_word(struct elfgen_out *o, const struct coregen *g, uint64_t v)
{
	elfgen_put(o, g->bits / 8, v);
}

static void put_zeros(struct elfgen_out *o, uint64_t until)
{
	while (o->bytes.count < until)
		elfgen_put(o, 1, 0);
}

static void put_text(struct elfgen_out *o, const char *text, uint64_t size)
{
	const uint64_t end = o->bytes.count + size;
	elfgen_put_bytes(o, text, min_u64(strlen(text), size));
	put_zeros(o, end);
}

static void put_note(struct elfgen_out *o, uint32_t type, struct elfgen_out *desc)
{
	elfgen_put(o, 4, 5);
	elfgen_put(o, 4, desc->bytes.count);
	elfgen_put(o, 4, type);
	elfgen_put_bytes(o, "CORE\0\0\0\0", 8);
	elfgen_put_bytes(o, desc->bytes.data, desc->bytes.count);
	put_zeros(o, align_up(o->bytes.count, 4));
	vec_release(&desc->bytes);
}

static struct elfgen_out new_out(const struct coregen *g)
{
	return (struct elfgen_out){ .big_endian = g->big_endian };
}

/* Places of pc, sp, fp and the thread pointer in the registers, and how many there are. */
static const struct {
	uint16_t machine;
	unsigned bits, count, pc, sp, fp, tp;
} machines[] = {
	{ EM_X86_64, 64, 27, 16, 19, 4, 21 },   { EM_386, 32, 17, 12, 15, 5, 99 },
	{ EM_AARCH64, 64, 34, 32, 31, 29, 99 }, { EM_ARM, 32, 18, 15, 13, 11, 99 },
	{ EM_RISCV, 64, 32, 0, 2, 8, 4 },
};

static void put_prstatus(struct elfgen_out *o, const struct coregen *g,
			 const struct coregen_thread *t)
{
	struct elfgen_out d = new_out(g);
	const bool wide = g->bits == 64;
	put_zeros(&d, 12);
	elfgen_put(&d, 2, g->signal);
	put_zeros(&d, wide ? 32 : 24);
	elfgen_put(&d, 4, t->id);
	put_zeros(&d, wide ? 112 : 72);
	for (size_t m = 0; m < COUNT_OF(machines); m++)
		for (unsigned i = 0; machines[m].machine == g->machine && i < machines[m].count;
		     i++)
			put_word(&d, g,
				 i == machines[m].pc   ? t->pc
				 : i == machines[m].sp ? t->sp
				 : i == machines[m].fp ? t->fp
				 : i == machines[m].tp ? t->tp
						       : i);
	put_note(o, NT_PRSTATUS, &d);
}

static void put_prpsinfo(struct elfgen_out *o, const struct coregen *g)
{
	struct elfgen_out d = new_out(g);
	put_zeros(&d, g->bits == 64 ? 24 : 12);
	elfgen_put(&d, 4, g->pid);
	put_zeros(&d, d.bytes.count + 12);
	put_text(&d, g->name, 16);
	put_text(&d, g->command, 80);
	put_note(o, NT_PRPSINFO, &d);
}

static void put_siginfo(struct elfgen_out *o, const struct coregen *g)
{
	struct elfgen_out d = new_out(g);
	elfgen_put(&d, 4, g->signal);
	elfgen_put(&d, 4, 0);
	elfgen_put(&d, 4, 1); /* SEGV_MAPERR */
	put_zeros(&d, g->bits == 64 ? 16 : 12);
	put_word(&d, g, g->fault);
	put_zeros(&d, 128);
	put_note(o, NT_SIGINFO, &d);
}

static void put_auxv(struct elfgen_out *o, const struct coregen *g)
{
	struct elfgen_out d = new_out(g);
	for (size_t i = 0; i < g->auxv.count; i++)
		put_word(&d, g, g->auxv.data[i]);
	put_word(&d, g, AT_NULL);
	put_word(&d, g, 0);
	put_note(o, NT_AUXV, &d);
}

static void put_files(struct elfgen_out *o, const struct coregen *g)
{
	struct elfgen_out d = new_out(g), names = new_out(g);
	uint64_t count = 0;
	for (size_t i = 0; i < g->regions.count; i++)
		count += g->regions.data[i].path != NULL;
	put_word(&d, g, count);
	put_word(&d, g, 0x1000);
	for (size_t i = 0; i < g->regions.count; i++) {
		const struct coregen_region *r = &g->regions.data[i];
		if (!r->path)
			continue;
		put_word(&d, g, r->addr);
		put_word(&d, g, r->addr + r->size);
		put_word(&d, g, r->file_off / 0x1000);
		elfgen_put_bytes(&names, r->path, strlen(r->path) + 1);
	}
	elfgen_put_bytes(&d, names.bytes.data, names.bytes.count);
	vec_release(&names.bytes);
	put_note(o, NT_FILE, &d);
}

static struct elfgen_out make_notes(const struct coregen *g)
{
	struct elfgen_out o = new_out(g);
	for (size_t i = 0; i < g->threads.count; i++) {
		put_prstatus(&o, g, &g->threads.data[i]);
		if (i > 0)
			continue;
		put_prpsinfo(&o, g);
		if (g->signal)
			put_siginfo(&o, g);
		put_auxv(&o, g);
		if (!g->no_files)
			put_files(&o, g);
	}
	return o;
}

/* ---- the file ------------------------------------------------------------------------------- */

struct bytes coregen_finish(struct coregen *g)
{
	struct elfgen e = elfgen_make(g->bits, g->big_endian, ET_CORE, g->machine);
	struct elfgen_out notes = make_notes(g);
	e.no_section_table = true;
	const uint32_t n = elfgen_section(&e, "", SHT_PROGBITS, 0, 0, notes.bytes.data,
					  notes.bytes.count);
	vec_push(&e.segments, (struct elfgen_segment){ .type = PT_NOTE,
						       .file_size = notes.bytes.count,
						       .align = 4,
						       .section = n });
	for (size_t i = 0; i < g->regions.count; i++) {
		const struct coregen_region *r = &g->regions.data[i];
		const uint32_t s = elfgen_section(&e, "", SHT_PROGBITS, 0, r->addr, r->held.p,
						  r->held.size);
		vec_push(&e.segments, (struct elfgen_segment){ .type = PT_LOAD,
							       .flags = r->flags,
							       .addr = r->addr,
							       .file_size = r->held.size,
							       .vm_size = r->size,
							       .align = 0x1000,
							       .section = s });
	}
	const struct bytes file = elfgen_finish(&e);
	vec_release(&notes.bytes);
	vec_release(&g->regions);
	vec_release(&g->threads);
	vec_release(&g->auxv);
	return file;
}

/* ---- what the recorder leaves ------------------------------------------------------------- */

static void poke(uint8_t *out, uint64_t at, unsigned width, bool big_endian, uint64_t v)
{
	for (unsigned i = 0; i < width; i++)
		out[at + (big_endian ? width - 1 - i : i)] = (uint8_t)(v >> 8 * i);
}

void coregen_page(uint8_t *out, unsigned word, bool big_endian, uint64_t addr, uint32_t kind,
		  uint32_t number, uint32_t used)
{
	static const uint32_t sizes[] = { 0,
					  sizeof(struct heap_process),
					  sizeof(struct heap_module),
					  sizeof(struct heap_thread),
					  sizeof(struct heap_node),
					  sizeof(struct heap_stack),
					  sizeof(struct heap_remote),
					  sizeof(struct heap_moment) };
	struct heap_page p = { .magic = HEAP_PAGE_MAGIC + word,
			       .self = addr,
			       .process = addr,
			       .kind = kind,
			       .number = number,
			       .entry_size = sizes[kind],
			       .used = used,
			       .version = HEAP_VERSION };
	p.check = heap_page_check(&p);
	memset(out, 0, HEAP_PAGE_SIZE);
	poke(out, 0, 8, big_endian, p.magic);
	poke(out, 8, 8, big_endian, p.self);
	poke(out, 16, 8, big_endian, p.process);
	const uint32_t words[] = { p.kind, p.number, p.entry_size, p.used,
				   p.slot, p.epoch,  p.version,    p.check };
	for (unsigned i = 0; i < COUNT_OF(words); i++)
		poke(out, 24 + 4 * i, 4, big_endian, words[i]);
}

void coregen_block(uint8_t *out, uint64_t at, bool big_endian, uint64_t addr, uint64_t size,
		   unsigned flags, uint32_t stack)
{
	const uint64_t mark = HEAP_MARK | (uint64_t)flags << HEAP_FLAG_SHIFT | size;
	const uint64_t owner = flags & HEAP_WIDE ? UINT64_C(77) << 32 : 0;
	const uint64_t sequence = flags & HEAP_WIDE ? at : 0;
	const uint64_t wide = flags & HEAP_FREED ? 0 : sequence ^ owner;
	poke(out, at - 8, 8, big_endian, mark);
	poke(out, at - 16, 8, big_endian,
	     (uint64_t)heap_check(addr + at, mark, stack, wide) << 32 | stack);
	if (flags & HEAP_WIDE) {
		poke(out, at - 24, 8, big_endian, owner);
		poke(out, at - 32, 8, big_endian, sequence);
	}
	if (flags & HEAP_CANARY)
		poke(out, at + size, 8, big_endian, heap_canary(addr + at));
}

uint64_t coregen_inline(uint8_t *out, uint64_t at, unsigned word, bool big_endian, uint64_t addr,
			uint64_t size, const uint64_t *frames, unsigned count)
{
	const uint64_t room = align_up(16 + (uint64_t)count * word, 16), distance = room + 16;
	uint64_t check = 0;
	memset(out + at - distance, 0, room);
	for (unsigned i = 0; i < count; i++) {
		check = heap_inline_check(check, frames[i]);
		poke(out, at - distance + 16 + (uint64_t)i * word, word, big_endian, frames[i]);
	}
	poke(out, at - distance, 8, big_endian, HEAP_INLINE_MAGIC + word);
	poke(out, at - distance + 8, 8, big_endian, check >> 32 << 32 | count);
	coregen_block(out, at, big_endian, addr, size, HEAP_INLINE, (uint32_t)distance);
	return distance;
}
