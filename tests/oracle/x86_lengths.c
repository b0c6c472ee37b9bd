/* Heft's x86 decoder against Zydis, side by side.
 *
 *     x86_lengths FILE...     every executable section of ELF files, linearly
 *     x86_lengths --opcodes   every opcode of every map with many prefixes, ModRM and SIB bytes
 *
 * A difference is: Zydis decodes an instruction, and heft none, or one of another length, other
 * target (rip-relative or branch), other flow.  After one the walk goes on where Zydis does.
 * What Zydis rejects and heft takes is only counted (heft accepts unknown opcodes of regular
 * maps).  In a section the references of code_refs must be those of single decoding, too.
 * Exit status: 0 no difference, 1 differences, 2 trouble. */
#include "code/x86.h"

#include <Zydis/Zydis.h>
#include <elf.h>
#include <stdio.h>

#define SHOWN 20

struct totals {
	uint64_t insns, bytes, relative, only_heft, only_zydis, both_bad, differ;
};

struct walk {
	ZydisDecoder zydis;
	bool mode64;
	struct totals t;
};

static void walk_init(struct walk *w, bool mode64)
{
	*w = (struct walk){ .mode64 = mode64 };
	ZydisDecoderInit(&w->zydis,
			 mode64 ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LONG_COMPAT_32,
			 mode64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
}

static void show(struct walk *w, uint64_t addr, const uint8_t *p, size_t n, unsigned heft,
		 unsigned zydis, const char *what)
{
	if (w->t.differ++ >= SHOWN)
		return;
	printf("  %#" PRIx64 ": heft %u, zydis %u, %s:", addr, heft, zydis, what);
	for (size_t i = 0; i < n && i < X86_MAX_LEN; i++)
		printf(" %02x", p[i]);
	printf("\n");
}

static bool target_of(const struct walk *w, const ZydisDecodedInstruction *in,
		      const ZydisDecoderContext *ctx, uint64_t addr, uint64_t *ret)
{
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeOperands(&w->zydis, ctx, in, op, in->operand_count)))
		return false;
	for (unsigned i = 0; i < in->operand_count; i++) {
		const bool imm = op[i].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
				 op[i].imm.is_relative;
		const bool mem = op[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
				 (op[i].mem.base == ZYDIS_REGISTER_RIP ||
				  op[i].mem.base == ZYDIS_REGISTER_EIP);
		if (imm || mem)
			return ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(in, &op[i], addr, ret));
	}
	return false;
}

static bool same_flow(const ZydisDecodedInstruction *in, const struct x86_insn *h)
{
	const bool near_direct = in->raw.imm[0].is_relative;
	if (in->mnemonic == ZYDIS_MNEMONIC_XABORT) /* Zydis: an unconditional branch */
		return h->flow == X86_PLAIN;
	switch (in->meta.category) {
	case ZYDIS_CATEGORY_COND_BR: return h->flow == (near_direct ? X86_JCC : X86_PLAIN);
	case ZYDIS_CATEGORY_UNCOND_BR: return h->flow == (near_direct ? X86_JMP : X86_JMP_INDIRECT);
	case ZYDIS_CATEGORY_CALL: return h->flow == (near_direct ? X86_CALL : X86_CALL_INDIRECT);
	case ZYDIS_CATEGORY_RET: return h->flow == X86_RET;
	default: break;
	}
	switch (in->mnemonic) {
	case ZYDIS_MNEMONIC_XBEGIN: return h->flow == X86_JCC;
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_HLT:
	case ZYDIS_MNEMONIC_INT3: return h->flow == X86_TRAP;
	case ZYDIS_MNEMONIC_SYSRET:
	case ZYDIS_MNEMONIC_SYSEXIT:
	case ZYDIS_MNEMONIC_RSM: return h->flow == X86_RET;
	default: return h->flow == X86_PLAIN || h->flow == X86_NOP;
	}
}

/* Compares at p; returns how far Zydis goes on. */
static unsigned compare(struct walk *w, const uint8_t *p, size_t left, uint64_t addr)
{
	ZydisDecodedInstruction z;
	ZydisDecoderContext ctx;
	struct x86_insn h;
	const bool ok_z = ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&w->zydis, &ctx, p, left, &z));
	const bool ok_h = x86_decode(p, left, w->mode64, &h);
	/* The jumps of Knights Corner contradict VEX. */
	if (!ok_z || z.meta.isa_set == ZYDIS_ISA_SET_KNCJKBR) {
		w->t.both_bad += !ok_h;
		w->t.only_heft += ok_h;
		return 1;
	}
	w->t.insns++;
	if (!ok_h || h.len != z.length) {
		w->t.only_zydis += !ok_h;
		show(w, addr, p, left, ok_h ? h.len : 0, z.length, "length");
		return z.length;
	}
	uint64_t to;
	if (z.attributes & ZYDIS_ATTRIB_IS_RELATIVE && target_of(w, &z, &ctx, addr, &to)) {
		w->t.relative++;
		uint64_t mine = addr + h.len + (uint64_t)h.disp;
		if (z.address_width == 32 && h.pc_relative)
			mine = (uint32_t)mine;
		if (!w->mode64)
			mine = z.operand_width == 16 && z.mnemonic != ZYDIS_MNEMONIC_XBEGIN
				       ? (uint16_t)mine
				       : (uint32_t)mine;
		const bool branch = h.flow == X86_JCC || h.flow == X86_JMP || h.flow == X86_CALL;
		if (mine != to || h.pc_relative == branch)
			show(w, addr, p, left, h.len, z.length, "target");
	} else if (h.pc_relative) {
		show(w, addr, p, left, h.len, z.length, "pc-relative");
	}
	/* For Zydis the opcode suffix of 3DNow! is no immediate, and moffs is none for heft. */
	if (z.raw.imm[0].size / 8 != h.imm_size && !z.raw.imm[0].is_relative &&
	    !z.raw.imm[1].size && z.opcode_map != ZYDIS_OPCODE_MAP_0F0F)
		show(w, addr, p, left, h.imm_size, z.raw.imm[0].size / 8, "immediate");
	if (!same_flow(&z, &h))
		show(w, addr, p, left, h.flow, z.meta.category, "flow");
	return z.length;
}

/* ---- whole sections -------------------------------------------------------- */

static void add_expected(code_ref_vec *v, const struct x86_insn *h, bool mode64, uint64_t from)
{
	const uint64_t mask = mode64 ? UINT64_MAX : UINT32_MAX;
	const uint64_t rel = (from + h->len + (uint64_t)h->disp) & mask;
	struct code_ref r = { .from = from, .to = rel, .field = from + h->disp_off };
	r.tail = (uint8_t)(h->len - h->disp_off);
	if (h->flow == X86_CALL) {
		r.kind = REF_CALL;
	} else if (h->flow == X86_JMP || h->flow == X86_JCC) {
		r.kind = REF_JUMP;
	} else if (h->flow != X86_NOP && h->flow != X86_TRAP) {
		r.kind = h->pc_relative ? (h->address ? REF_ADDR : REF_MEM) : REF_IMM;
		r.size = h->pc_relative ? h->mem_size : 0;
		if (!h->pc_relative)
			r.to = (uint64_t)h->disp & mask;
	}
	if (r.kind && (r.kind != REF_IMM || h->disp_size >= 4))
		vec_push(v, r);
	if (h->imm_size >= 4)
		vec_push(v, (struct code_ref){ .from = from,
					       .to = (uint64_t)h->imm & mask,
					       .field = from + h->imm_off,
					       .tail = (uint8_t)(h->len - h->imm_off),
					       .kind = REF_IMM });
}

static bool same_ref(const struct code_ref *a, const struct code_ref *b)
{
	return a->from == b->from && a->to == b->to && a->field == b->field && a->tail == b->tail &&
	       a->kind == b->kind && a->size == b->size;
}

static void compare_refs(struct walk *w, struct bytes code, uint64_t addr)
{
	code_ref_vec got = { 0 }, want = { 0 };
	const unsigned all = REF_MEM | REF_ADDR | REF_CALL | REF_JUMP | REF_IMM | REF_INSIDE;
	const uint64_t bad = x86_refs(code, w->mode64, addr,
				      &(struct ref_wish){ all, 0, UINT64_MAX }, &got);
	uint64_t bad2 = 0;
	for (uint64_t off = 0; off < code.size;) {
		struct x86_insn h;
		if (x86_decode(code.p + off, code.size - off, w->mode64, &h)) {
			add_expected(&want, &h, w->mode64, addr + off);
			off += h.len;
		} else {
			bad2++;
			off++;
		}
	}
	/* UINT64_MAX itself is outside of [0, UINT64_MAX). */
	size_t n = 0;
	for (size_t i = 0; i < want.count; i++)
		if (want.data[i].kind != REF_IMM || want.data[i].to != UINT64_MAX)
			want.data[n++] = want.data[i];
	bool same = bad == bad2 && got.count == n;
	for (size_t i = 0; same && i < n; i++)
		same = same_ref(&got.data[i], &want.data[i]);
	if (!same) {
		printf("  code_refs: %zu references, single decoding: %zu; %" PRIu64 ", %" PRIu64
		       " bad bytes\n",
		       got.count, n, bad, bad2);
		w->t.differ++;
	}
	vec_release(&got);
	vec_release(&want);
}

static void compare_section(struct walk *w, struct bytes code, uint64_t addr)
{
	for (uint64_t off = 0; off < code.size;)
		off += compare(w, code.p + off, code.size - off, addr + off);
	w->t.bytes += code.size;
	compare_refs(w, code, addr);
}

struct section {
	uint32_t type;
	uint64_t flags, addr, off, size;
};

static bool section_at(struct bytes file, bool is64, uint64_t i, struct section *ret)
{
	if (is64) {
		Elf64_Ehdr e;
		Elf64_Shdr s;
		memcpy(&e, file.p, sizeof e);
		const struct bytes b = bytes_sub(file, e.e_shoff + i * sizeof s, sizeof s);
		if (i >= e.e_shnum || !b.p)
			return false;
		memcpy(&s, b.p, sizeof s);
		*ret = (struct section){ s.sh_type, s.sh_flags, s.sh_addr, s.sh_offset, s.sh_size };
		return true;
	}
	Elf32_Ehdr e;
	Elf32_Shdr s;
	memcpy(&e, file.p, sizeof e);
	const struct bytes b = bytes_sub(file, e.e_shoff + i * sizeof s, sizeof s);
	if (i >= e.e_shnum || !b.p)
		return false;
	memcpy(&s, b.p, sizeof s);
	*ret = (struct section){ s.sh_type, s.sh_flags, s.sh_addr, s.sh_offset, s.sh_size };
	return true;
}

static bool read_all(const char *path, struct bytes *ret)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		return false;
	fseek(f, 0, SEEK_END);
	const long size = ftell(f);
	rewind(f);
	uint8_t *p = mem_alloc(size > 0 ? (size_t)size : 1);
	*ret = (struct bytes){ p, size > 0 ? (uint64_t)size : 0 };
	const bool ok = fread(p, 1, (size_t)ret->size, f) == ret->size;
	fclose(f);
	return ok;
}

static void print_totals(const char *name, const struct totals *t)
{
	printf("%s: %" PRIu64 " bytes, %" PRIu64 " instructions, %" PRIu64 " pc-relative, %" PRIu64
	       " different (%" PRIu64 " rejected); invalid for both %" PRIu64
	       ", for Zydis only %" PRIu64 "\n",
	       name, t->bytes, t->insns, t->relative, t->differ, t->only_zydis, t->both_bad,
	       t->only_heft);
}

static int compare_file(const char *path, uint64_t *insns)
{
	struct bytes file;
	if (!read_all(path, &file) || file.size < sizeof(Elf64_Ehdr) ||
	    memcmp(file.p, ELFMAG, SELFMAG) != 0) {
		fprintf(stderr, "%s: not an ELF file\n", path);
		return 2;
	}
	const bool is64 = file.p[EI_CLASS] == ELFCLASS64;
	struct walk w;
	walk_init(&w, is64);
	struct section s;
	for (uint64_t i = 0; section_at(file, is64, i, &s); i++)
		if (s.type == SHT_PROGBITS && s.flags & SHF_EXECINSTR)
			compare_section(&w, bytes_sub(file, s.off, s.size), s.addr);
	print_totals(path, &w.t);
	*insns += w.t.insns;
	mem_free((void *)(uintptr_t)file.p);
	return w.t.differ != 0;
}

/* ---- every opcode ---------------------------------------------------------- */

static const uint8_t modrm_bytes[] = { 0x00, 0x04, 0x05, 0x06, 0x0d, 0x14, 0x1d, 0x25, 0x2c,
				       0x35, 0x3d, 0x44, 0x45, 0x4d, 0x55, 0x5d, 0x65, 0x6d,
				       0x75, 0x7d, 0x84, 0x85, 0x86, 0xbd, 0xc0, 0xc8, 0xd0,
				       0xd8, 0xe0, 0xe8, 0xf0, 0xf8, 0xc1, 0xca, 0xd3, 0xfb };
static const uint8_t sib_bytes[] = { 0x00, 0x25, 0x0d, 0x65 };

static void try_tails(struct walk *w, const uint8_t *head, size_t n)
{
	uint8_t b[32];
	memcpy(b, head, n);
	for (size_t m = 0; m < COUNT_OF(modrm_bytes); m++) {
		for (size_t s = 0; s < COUNT_OF(sib_bytes); s++) {
			for (size_t i = n; i < sizeof b; i++)
				b[i] = (uint8_t)(0x11 * i + s);
			b[n] = modrm_bytes[m];
			b[n + 1] = sib_bytes[s];
			(void)compare(w, b, sizeof b, 0x400000);
		}
	}
}

static void try_legacy(struct walk *w)
{
	static const struct {
		uint8_t n, b[4];
	} prefixes[] = { { 0, { 0 } },          { 1, { 0x66 } },       { 1, { 0x67 } },
			 { 1, { 0xf2 } },       { 1, { 0xf3 } },       { 1, { 0xf0 } },
			 { 1, { 0x48 } },       { 1, { 0x41 } },       { 2, { 0x66, 0x48 } },
			 { 2, { 0x48, 0x66 } }, { 2, { 0xf3, 0x48 } }, { 2, { 0x66, 0xf2 } },
			 { 2, { 0x67, 0x4f } }, { 2, { 0x2e, 0x66 } }, { 1, { 0x64 } } },
	  maps[] = { { 0, { 0 } }, { 1, { 0x0f } }, { 2, { 0x0f, 0x38 } }, { 2, { 0x0f, 0x3a } } };
	for (size_t p = 0; p < COUNT_OF(prefixes); p++) {
		for (size_t m = 0; m < COUNT_OF(maps); m++) {
			for (unsigned op = 0; op < 256; op++) {
				uint8_t head[8];
				memcpy(head, prefixes[p].b, prefixes[p].n);
				memcpy(head + prefixes[p].n, maps[m].b, maps[m].n);
				const size_t n = (size_t)prefixes[p].n + maps[m].n;
				head[n] = (uint8_t)op;
				try_tails(w, head, n + 1);
			}
		}
	}
}

/* p1 holds W, vvvv = none, L or the EVEX bit, pp. */
static void try_vector(struct walk *w)
{
	for (unsigned op = 0; op < 256; op++) {
		for (unsigned p1 = 0; p1 < 8; p1++) {
			const uint8_t pp = (uint8_t)((p1 & 4 ? 0x80 : 0) | 0x78 | (p1 & 3));
			for (unsigned l = 0; l < 3; l++) {
				const uint8_t vl = (uint8_t)(l & 1 ? pp | 4 : pp);
				const uint8_t pl = (uint8_t)(l << 5 | 0x08);
				if (l < 2 && !(p1 & 4))
					try_tails(w, (uint8_t[]){ 0xc5, vl | 0x80, (uint8_t)op },
						  3);
				for (unsigned map = 0; map < 12; map++) {
					const uint8_t m = (uint8_t)(0xe0 | map);
					const uint8_t e = (uint8_t)(0xf0 | map);
					const uint8_t o = (uint8_t)op, pe = (uint8_t)(pp | 4);
					if (l < 2)
						try_tails(w, (uint8_t[]){ 0xc4, m, vl, o }, 4);
					if (l < 2)
						try_tails(w, (uint8_t[]){ 0x8f, m, vl, o }, 4);
					if (map < 8)
						try_tails(w, (uint8_t[]){ 0x62, e, pe, pl, o }, 5);
					if (map < 8)
						try_tails(w,
							  (uint8_t[]){ 0x62, e, pe, pl | 0x11, o },
							  5);
				}
			}
		}
	}
}

static int compare_opcodes(void)
{
	uint64_t differ = 0;
	for (int mode64 = 0; mode64 < 2; mode64++) {
		struct walk w;
		walk_init(&w, mode64);
		try_legacy(&w);
		try_vector(&w);
		print_totals(mode64 ? "every opcode, x86-64" : "every opcode, i386", &w.t);
		differ += w.t.differ;
	}
	return differ != 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--opcodes") == 0)
		return compare_opcodes();
	int status = argc < 2 ? 2 : 0;
	uint64_t insns = 0;
	for (int i = 1; i < argc; i++) {
		const int s = compare_file(argv[i], &insns);
		status = s > status ? s : status;
	}
	printf("%" PRIu64 " instructions in all\n", insns);
	return insns < 1000 && status == 0 ? 1 : status;
}
