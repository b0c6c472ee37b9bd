/* Reads the notes of ELF cores: registers of threads, the process, the signal, mapped files. */
#include "image/core.h"

#include "image/elf/elf_internal.h"
#include "image/elf/elf_note.h"

/* Layout of the registers in NT_PRSTATUS. The offset of pr_reg follows from the ELF class. The
 * order of the registers follows from the machine (its ptrace structure: user_regs_struct, pt_regs,
 * user_pt_regs). */
struct reg_layout {
	uint16_t machine;
	uint8_t bits; /* 32 or 64, the class of the ELF file */
	uint8_t width, count;
	uint8_t pc, sp, fp, tp; /* Indexes of the registers. NO_REG if the layout lacks one. */
};

enum { NO_REG = 255 };

static const struct reg_layout layouts[] = {
	{ EM_X86_64, 64, 8, 27, 16, 19, 4, 21 },   { EM_X86_64, 32, 8, 27, 16, 19, 4, 21 },
	{ EM_386, 32, 4, 17, 12, 15, 5, NO_REG },  { EM_AARCH64, 64, 8, 34, 32, 31, 29, NO_REG },
	{ EM_ARM, 32, 4, 18, 15, 13, 11, NO_REG }, { EM_RISCV, 64, 8, 32, 0, 2, 8, 4 },
	{ EM_RISCV, 32, 4, 32, 0, 2, 8, 4 },
};

static uint64_t reg(const uint64_t *regs, uint8_t i)
{
	return i == NO_REG ? 0 : regs[i];
}

/* Reads the registers. Without a layout `l`, takes all numbers until the end, including pr_fpvalid,
 * as registers. */
static void read_regs(struct core *c, struct core_thread *t, struct reader *r,
		      const struct reg_layout *l, unsigned word)
{
	const unsigned width = l ? l->width : word;
	const size_t count = l ? l->count : (size_t)(reader_left(r) / width);
	uint64_t *regs = arena_new(&c->arena, uint64_t, count + 1);
	for (size_t i = 0; i < count; i++)
		regs[i] = read_wide(r, width);
	if (!reader_ok(r))
		return;
	t->regs = regs;
	t->reg_count = count;
	t->pc = l ? reg(regs, l->pc) : 0;
	t->sp = l ? reg(regs, l->sp) : 0;
	t->fp = l ? reg(regs, l->fp) : 0;
	t->tp = l ? reg(regs, l->tp) : 0;
}

static void read_prstatus(struct core *c, const struct image *im, struct reader r)
{
	const bool wide = im->bits == 64;
	const struct reg_layout *l = NULL;
	for (size_t i = 0; i < COUNT_OF(layouts) && !l; i++)
		if (layouts[i].machine == im->machine && layouts[i].bits == im->bits)
			l = &layouts[i];
	struct core_thread t = { 0 };
	reader_seek(&r, 12);
	const int signal = read_u16(&r); /* Field pr_cursig */
	reader_seek(&r, wide ? 32 : 24);
	t.id = read_u32(&r);
	if (!reader_ok(&r))
		return;
	if (c->threads.count == 0 && c->signal == 0)
		c->signal = signal;
	reader_seek(&r, wide ? 112 : 72);
	read_regs(c, &t, &r, l, wide ? 8 : 4);
	vec_push(&c->threads, t);
}

static const char *fixed_text(struct core *c, struct reader *r, size_t size)
{
	const char *p = (const char *)read_take(r, size);
	size_t used = p != NULL ? strnlen(p, size) : 0;
	while (used > 0 && p[used - 1] == ' ') /* A title that the program set may end in blanks */
		used--;
	return used > 0 ? arena_copy(&c->arena, (struct str){ p, used }) : "";
}

/* Reads struct elf_prpsinfo. The struct has three layouts: 64 bit, 32 bit with 16-bit user ids, 32
 * bit with 32-bit user ids. */
static void read_prpsinfo(struct core *c, const struct image *im, struct reader r)
{
	const bool wide = im->bits == 64;
	reader_seek(&r, wide ? 24 : r.size < 128 ? 12 : 16);
	c->pid = read_u32(&r);
	read_skip(&r, 12); /* Skips parent, group and session. */
	c->name = fixed_text(c, &r, 16);
	c->command = fixed_text(c, &r, 80);
	if (!reader_ok(&r)) {
		c->pid = 0;
		c->command = c->name = "";
	}
}

/* Reads the signal. si_addr is a fault address only if the processor raised the signal: its code is
 * positive and not SI_KERNEL. */
static void read_siginfo(struct core *c, const struct image *im, struct reader r)
{
	enum { ILL = 4, TRAP = 5, BUS = 7, FPE = 8, BUS_MIPS = 10, SEGV = 11, SI_KERNEL = 0x80 };
	const bool swapped = im->machine == EM_MIPS;
	const int32_t signal = read_i32(&r);
	int32_t code = read_i32(&r);
	const int32_t next = read_i32(&r);
	code = swapped ? code : next;
	if (im->bits == 64)
		read_skip(&r, 4);
	const uint64_t addr = read_elf_word(&r, im->bits);
	if (!reader_ok(&r))
		return;
	c->signal = signal > 0 ? signal : 0;
	c->has_fault = code > 0 && code < SI_KERNEL &&
		       (signal == ILL || signal == BUS || signal == FPE || signal == SEGV ||
			signal == TRAP || (swapped && signal == BUS_MIPS));
	c->fault_addr = c->has_fault ? addr : 0;
}

static void read_auxv(struct core *c, const struct image *im, struct reader r)
{
	const uint64_t pair = im->bits / 4;
	while (reader_left(&r) >= pair) {
		const uint64_t key = read_elf_word(&r, im->bits);
		const uint64_t value = read_elf_word(&r, im->bits);
		switch (key) {
		case AT_NULL: return;
		case AT_PHDR: c->phdr = value; break;
		case AT_PHENT: c->phent = value; break;
		case AT_PHNUM: c->phnum = value; break;
		case AT_BASE: c->base = value; break;
		case AT_ENTRY: c->entry = value; break;
		case AT_EXECFN: c->execfn = value; break;
		case AT_SYSINFO_EHDR: c->vdso = value; break;
		default: break;
		}
	}
}

/* Reads NT_FILE: a count, the unit of offsets, {start, end, offset} per file, all paths. */
static void core_read_files(struct core *c, const struct image *im, struct reader r)
{
	const uint64_t count = read_elf_word(&r, im->bits);
	const uint64_t unit = read_elf_word(&r, im->bits);
	const uint64_t entry = 3u * im->bits / 8;
	if (!reader_ok(&r) || count > reader_left(&r) / entry) {
		IMAGE_NOTE(im, HEFT_NO_OFFSET, r.size,
			   "the core's list of mapped files is damaged (%" PRIu64 " files)", count);
		return;
	}
	struct reader texts = r;
	read_skip(&texts, count * entry);
	for (uint64_t i = 0; i < count; i++) {
		struct core_file f = { .start = read_elf_word(&r, im->bits) };
		f.end = read_elf_word(&r, im->bits);
		f.off = read_elf_word(&r, im->bits);
		f.off = unit && f.off > UINT64_MAX / unit ? UINT64_MAX : f.off * unit;
		const struct str path = read_cstr(&texts);
		if (!reader_ok(&texts))
			return;
		f.path = arena_copy(&c->arena, path);
		if (f.start < f.end)
			vec_push(&c->files, f);
	}
}

static void read_note(struct core *c, const struct image *im, const struct elf_note *n)
{
	struct reader r = reader_of(n->desc, im->big_endian);
	if (str_eq(n->owner, STR(CORE_NOTE_OWNER)) && n->type == CORE_NOTE_COMPACT)
		c->compact = true;
	if (str_eq(n->owner, STR("VMCOREINFO")) || str_eq(n->owner, STR("QEMU")) ||
	    str_eq(n->owner, STR("Xen")))
		c->machine_wide = true;
	if (!str_eq(n->owner, STR("CORE")) && !str_eq(n->owner, STR("LINUX")))
		return;
	switch (n->type) {
	case NT_PRSTATUS: read_prstatus(c, im, r); break;
	case NT_PRPSINFO: read_prpsinfo(c, im, r); break;
	case NT_SIGINFO:
		if (c->threads.count <= 1) /* gdb writes one NT_SIGINFO per thread. Only the
					    * first is read */
			read_siginfo(c, im, r);
		break;
	case NT_AUXV: read_auxv(c, im, r); break;
	case NT_ARM_TLS: { /* TPIDR_EL0 of the thread in the last NT_PRSTATUS */
		const uint64_t tp = read_u64(&r);
		if (reader_ok(&r) && c->threads.count > 0)
			c->threads.data[c->threads.count - 1].tp = tp;
		break;
	}
	case NT_FILE:
		if (c->files.count == 0)
			core_read_files(c, im, r);
		break;
	default: break;
	}
}

void core_read(struct core *c, const struct image *im)
{
	ASSERT(im->kind == IMAGE_CORE);
	*c = (struct core){ .command = "", .name = "" };
	each_segment(s, im) {
		struct elf_note n;
		if (s->type != PT_NOTE)
			continue;
		struct reader r = reader_of(segment_bytes(im, s), im->big_endian);
		while (elf_note_next(&r, s->align, &n))
			read_note(c, im, &n);
	}
}

void core_release(struct core *c)
{
	vec_release_all(&c->files, &c->threads);
	arena_release(&c->arena);
}
