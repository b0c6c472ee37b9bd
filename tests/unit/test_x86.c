/* Hand-picked encodings.  Lengths follow the Intel SDM, volume 2; the oracle
 * tests/oracle/x86_lengths.sh compares all the rest with Zydis. */
#include "code/addr_mask.h"
#include "code/x86.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* Bytes of an instruction; the literal's own NUL is not one of them. */
#define B(text) (const uint8_t *)(text), sizeof(text) - 1

enum { I386, X64 };

static struct x86_insn decode(bool mode64, const uint8_t *p, size_t n)
{
	struct x86_insn in;
	assert_true(x86_decode(p, n, mode64, &in));
	assert_int_equal(in.len, n);
	return in;
}

static void rejects(bool mode64, const uint8_t *p, size_t n)
{
	/* Padded, so that it is not the end of the bytes that rejects. */
	uint8_t padded[32] = { 0 };
	struct x86_insn in;
	memcpy(padded, p, n);
	assert_false(x86_decode(padded, sizeof padded, mode64, &in));
}

struct sized {
	bool mode64;
	const uint8_t *p;
	size_t len;
};

static void lengths_follow_prefixes_maps_and_modrm(void **state)
{
	(void)state;
	static const struct sized table[] = {
		{ X64, B("\x48\x89\xe5") },                   /* mov %rsp,%rbp */
		{ X64, B("\x8b\x44\x24\x08") },               /* mov 8(%rsp),%eax */
		{ X64, B("\x8b\x84\x24\0\1\0\0") },           /* disp32 behind SIB */
		{ X64, B("\x8b\x04\x25\0\1\0\0") },           /* SIB without base */
		{ X64, B("\x8b\x04\x8d\0\1\0\0") },           /* index only */
		{ X64, B("\x43\x8b\x44\x25\0") },             /* r13 base needs disp8 */
		{ X64, B("\x66\xc7\x00\1\0") },               /* 66: imm16 */
		{ X64, B("\x66\x48\xc7\x00\1\0\0\0") },       /* REX.W beats 66 */
		{ X64, B("\x48\xb8\1\2\3\4\5\6\7\x08") },     /* movabs */
		{ X64, B("\x66\xb8\1\2") },                   /* mov imm16 */
		{ X64, B("\xa1\1\2\3\4\5\6\7\x08") },         /* moffs64 */
		{ X64, B("\x67\xa1\1\2\3\4") },               /* moffs32 by 67 */
		{ I386, B("\xa1\1\2\3\4") },                  /* moffs32 */
		{ I386, B("\x67\xa1\1\2") },                  /* moffs16 */
		{ X64, B("\xc8\x10\0\1") },                   /* enter */
		{ X64, B("\xf6\xc1\1") },                     /* test imm8 */
		{ X64, B("\xf7\xc1\1\0\0\0") },               /* test imm32 */
		{ X64, B("\xf7\xd9") },                       /* neg */
		{ X64, B("\xc7\xf8\1\0\0\0") },               /* xbegin */
		{ X64, B("\xc6\xf8\1") },                     /* xabort */
		{ X64, B("\x0f\x0f\xc1\x9e") },               /* 3DNow! pfadd */
		{ X64, B("\x66\x0f\x3a\x0f\xc1\4") },         /* palignr */
		{ X64, B("\xf3\x0f\x38\xf6\xc1") },           /* adox */
		{ X64, B("\x66\x0f\x78\xc1\1\2") },           /* extrq: two immediates */
		{ X64, B("\x0f\x20\x05") },                   /* mov cr: mod ignored */
		{ X64, B("\xc5\xf8\x77") },                   /* vzeroupper */
		{ X64, B("\xc5\xf9\x70\xc1\1") },             /* vpshufd */
		{ X64, B("\xc4\xe3\x7d\x18\x05\0\0\0\0\1") }, /* vinsertf128 rip */
		{ X64, B("\xc4\xe2\x7d\x18\x05\0\0\0\0") },   /* vbroadcastss rip */
		{ X64, B("\x62\xf1\x7c\x48\x28\x40\1") },     /* vmovaps zmm disp8*64 */
		{ X64, B("\x62\xf3\x75\x48\x25\xc2\xff") },   /* vpternlogd */
		{ X64, B("\x62\xf5\x7c\x48\x58\xc0") },       /* vaddph, map 5 */
		{ X64, B("\x62\xf6\x7d\x48\x98\xc0") },       /* vfmadd132ph, map 6 */
		{ X64, B("\x8f\xe8\x78\xc0\xc1\5") },         /* XOP vprotb imm8 */
		{ X64, B("\x8f\xe9\x78\x01\xc9") },           /* XOP map 9 blcfill */
		{ X64, B("\x8f\xea\x78\x10\xc1\1\0\0\0") },   /* XOP map A bextr */
		{ X64, B("\x8f\xc0") },                       /* pop */
		{ X64, B("\xd5\x10\x55") },                   /* REX2 push %r21 */
		{ X64, B("\xd5\x48\x8b\x44\x24\x08") },       /* REX2.W mov 8(%rsp),%r16 */
		{ X64, B("\x66\xd5\x40\x81\xc0\1\0") },       /* 66 and REX2: imm16 */
		{ X64, B("\xd5\x18\xb8\1\2\3\4\5\6\7\x08") }, /* REX2.W movabs */
		{ X64, B("\xd5\xc0\xaf\x05\0\0\0\0") },       /* REX2 imul rip, map 1 */
		{ X64, B("\xd5\x00\xa1\1\2\3\4\5\6\7\x08") }, /* jmpabs */
		{ X64, B("\x62\xd4\xd4\x18\xff\xf7") },       /* push2p */
		{ X64, B("\x62\xf4\x7d\x18\x81\xc0\1\0") },   /* NDD add imm16 */
		{ I386, B("\xd5\x0a") },                      /* aad */
		{ I386, B("\xc5\x00") },                      /* lds */
		{ I386, B("\xc5\xf8\x77") },                  /* VEX */
		{ I386, B("\xc4\x00") },                      /* les */
		{ I386, B("\x62\x00") },                      /* bound */
		{ I386, B("\x62\xf1\x7c\x48\x28\xc0") },      /* EVEX */
		{ I386, B("\x67\x8b\x06\1\2") },              /* 16-bit disp16 */
		{ I386, B("\x67\x8b\x47\1") },                /* 16-bit disp8 */
		{ I386, B("\x9a\1\2\3\4\5\6") },              /* far call */
		{ I386, B("\x66\xea\1\2\5\6") },              /* far jmp 16:16 */
		{ I386, B("\x40") },                          /* inc %eax */
		{ I386, B("\x06") },                          /* push %es */
	};
	for (size_t i = 0; i < COUNT_OF(table); i++)
		(void)decode(table[i].mode64, table[i].p, table[i].len);
}

static void what_64_bit_mode_lost_is_rejected(void **state)
{
	(void)state;
	static const uint8_t lost[] = { 0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x27, 0x2f, 0x37,
					0x3f, 0x60, 0x61, 0x82, 0x9a, 0xce, 0xd4, 0xd6, 0xea };
	for (size_t i = 0; i < sizeof lost; i++) {
		struct x86_insn in;
		const uint8_t code[32] = { lost[i] };
		assert_false(x86_decode(code, sizeof code, true, &in));
		assert_true(x86_decode(code, sizeof code, false, &in));
	}
}

static void undefined_encodings_are_rejected(void **state)
{
	(void)state;
	rejects(X64, B("\x0f\x04"));
	rejects(X64, B("\x0f\x3b"));
	rejects(X64, B("\xff\xf8"));         /* FF /7 */
	rejects(X64, B("\xff\xd8"));         /* far call of a register */
	rejects(X64, B("\xfe\xd0"));         /* FE /2 */
	rejects(X64, B("\x8d\xc0"));         /* lea of a register */
	rejects(X64, B("\x8f\xe0"));         /* 8F /4 that is no XOP */
	rejects(X64, B("\x66\xc5\xf8\x77")); /* 66 before VEX */
	rejects(X64, B("\x48\xc5\xf8\x77")); /* REX before VEX */
	rejects(X64, B("\xc4\xe0\x78\x10")); /* VEX map 0 */
	rejects(X64, B("\x48\xd5\x00\x90")); /* REX before REX2 */
	rejects(X64, B("\xd5\x00\x70\x00")); /* REX2 before a short jump */
	rejects(X64, B("\xd5\x80\x38\x00")); /* REX2 before 0F38 */
}

static void sixteen_bytes_are_too_long_and_fifteen_are_not(void **state)
{
	(void)state;
	uint8_t code[40];
	struct x86_insn in;
	memset(code, 0x66, sizeof code);
	assert_false(x86_decode(code, sizeof code, true, &in));
	code[14] = 0x90;
	assert_true(x86_decode(code, sizeof code, true, &in));
	assert_int_equal(in.len, 15);
	code[14] = 0x66;
	code[15] = 0x90;
	assert_false(x86_decode(code, sizeof code, true, &in));
}

static void a_cut_instruction_is_none(void **state)
{
	(void)state;
	static const uint8_t code[] = { 0x48, 0x8b, 0x84, 0x25, 1, 2, 3, 4 };
	struct x86_insn in;
	for (size_t n = 0; n < sizeof code; n++)
		assert_false(x86_decode(code, n, true, &in));
	assert_true(x86_decode(code, sizeof code, true, &in));
	assert_false(x86_decode(NULL, 0, true, &in));
}

static void flow_kinds_are_told(void **state)
{
	(void)state;
	static const struct {
		struct sized insn;
		enum x86_flow flow;
	} table[] = {
		{ { X64, B("\x74\x05") }, X86_JCC },
		{ { X64, B("\x0f\x84\1\0\0\0") }, X86_JCC },
		{ { X64, B("\xe3\x05") }, X86_JCC },
		{ { X64, B("\xc7\xf8\1\0\0\0") }, X86_JCC },
		{ { X64, B("\xeb\x05") }, X86_JMP },
		{ { X64, B("\xf2\xe9\1\0\0\0") }, X86_JMP },
		{ { X64, B("\xff\x25\1\0\0\0") }, X86_JMP_INDIRECT },
		{ { X64, B("\x3e\xff\xe0") }, X86_JMP_INDIRECT },
		{ { X64, B("\xff\x28") }, X86_JMP_INDIRECT },
		{ { I386, B("\xea\1\2\3\4\5\6") }, X86_JMP_INDIRECT },
		{ { X64, B("\xe8\1\0\0\0") }, X86_CALL },
		{ { X64, B("\x66\xe8\1\0\0\0") }, X86_CALL },
		{ { I386, B("\x66\xe8\1\0") }, X86_CALL },
		{ { X64, B("\xff\xd0") }, X86_CALL_INDIRECT },
		{ { X64, B("\x41\xff\x54\x24\x08") }, X86_CALL_INDIRECT },
		{ { X64, B("\xc3") }, X86_RET },
		{ { X64, B("\xf3\xc3") }, X86_RET },
		{ { X64, B("\xc2\x08\0") }, X86_RET },
		{ { X64, B("\x48\xcf") }, X86_RET },
		{ { X64, B("\x0f\x0b") }, X86_TRAP },
		{ { X64, B("\x0f\xb9\xc0") }, X86_TRAP },
		{ { X64, B("\x0f\xff\xc0") }, X86_TRAP },
		{ { X64, B("\xcc") }, X86_TRAP },
		{ { X64, B("\xf4") }, X86_TRAP },
		{ { X64, B("\x90") }, X86_NOP },
		{ { X64, B("\x66\x90") }, X86_NOP },
		{ { X64, B("\x66\x2e\x0f\x1f\x84\0\0\0\0\0") }, X86_NOP },
		{ { X64, B("\xf3\x90") }, X86_PLAIN },         /* pause */
		{ { X64, B("\x41\x90") }, X86_PLAIN },         /* xchg %r8d,%eax */
		{ { X64, B("\xf3\x0f\x1e\xfa") }, X86_PLAIN }, /* endbr64 */
		{ { X64, B("\x0f\x05") }, X86_PLAIN },         /* syscall */
		{ { X64, B("\xff\xc0") }, X86_PLAIN },         /* inc */
		{ { I386, B("\x8d\x76\0") }, X86_NOP },        /* lea 0(%esi),%esi */
		{ { I386, B("\x8d\xb4\x26\0\0\0\0") }, X86_NOP },
		{ { I386, B("\x89\xf6") }, X86_NOP },
		{ { I386, B("\x8d\x76\1") }, X86_PLAIN },
		{ { X64, B("\x89\xf6") }, X86_PLAIN }, /* clears the upper half */
	};
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		const struct sized *s = &table[i].insn;
		assert_int_equal(decode(s->mode64, s->p, s->len).flow, table[i].flow);
	}
}

static void a_rip_relative_operand_is_found_with_its_field_and_width(void **state)
{
	(void)state;
	struct x86_insn in = decode(X64, B("\x48\xc7\x05\x10\0\0\0\1\0\0\x80"));
	assert_true(in.pc_relative);
	assert_false(in.address || in.absolute || in.indexed);
	assert_int_equal(in.disp, 16);
	assert_int_equal(in.disp_off, 3);
	assert_int_equal(in.disp_size, 4);
	assert_int_equal(in.mem_size, 8);
	assert_int_equal(in.imm_off, 7);
	assert_int_equal(in.imm_size, 4);
	assert_int_equal(in.imm, -2147483647);

	in = decode(X64, B("\x48\x8d\x3d\xf0\xff\xff\xff"));
	assert_true(in.pc_relative && in.address);
	assert_int_equal(in.disp, -16);
}

static void widths_of_pc_relative_operands_are_known(void **state)
{
	(void)state;
	static const struct {
		const uint8_t *p;
		size_t len;
		unsigned size;
	} table[] = {
		{ B("\x8a\x05\0\0\0\0"), 1 },
		{ B("\x66\x8b\x05\0\0\0\0"), 2 },
		{ B("\x8b\x05\0\0\0\0"), 4 },
		{ B("\x48\x8b\x05\0\0\0\0"), 8 },
		{ B("\xff\x15\0\0\0\0"), 8 },
		{ B("\x0f\xb6\x05\0\0\0\0"), 1 },
		{ B("\x0f\xb7\x05\0\0\0\0"), 2 },
		{ B("\x48\x63\x05\0\0\0\0"), 4 },
		{ B("\xf3\x0f\x10\x05\0\0\0\0"), 4 },
		{ B("\xf2\x0f\x59\x05\0\0\0\0"), 8 },
		{ B("\x0f\x28\x05\0\0\0\0"), 16 },
		{ B("\xc5\xfc\x28\x05\0\0\0\0"), 32 },
		{ B("\xc5\xfb\x10\x05\0\0\0\0"), 8 },
		{ B("\x62\xf1\x7c\x48\x28\x05\0\0\0\0"), 64 },
		{ B("\x62\xf1\x7c\x58\x58\x05\0\0\0\0"), 0 }, /* broadcast */
		{ B("\xf3\x0f\x7e\x05\0\0\0\0"), 0 },         /* not said cheaply */
	};
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		const struct x86_insn in = decode(X64, table[i].p, table[i].len);
		assert_true(in.pc_relative);
		assert_int_equal(in.mem_size, table[i].size);
	}
}

static void table_operands_without_base_are_told_from_bare_ones(void **state)
{
	(void)state;
	struct x86_insn in = decode(X64, B("\xff\x24\xc5\x10\x20\x40\0")); /* jmp *T(,%rax,8) */
	assert_true(in.indexed && !in.absolute && !in.pc_relative);
	assert_int_equal(in.disp, 0x402010);
	assert_int_equal(in.flow, X86_JMP_INDIRECT);
	assert_int_equal(in.mem_size, 8);

	in = decode(X64, B("\x8b\x04\x25\x10\x20\x40\0"));
	assert_true(in.absolute && !in.indexed && !in.pc_relative);
	in = decode(X64, B("\x42\x8b\x04\x25\x10\x20\x40\0")); /* index r12 */
	assert_true(in.indexed && !in.absolute);
	in = decode(I386, B("\x8b\x0d\x10\x20\x40\0"));
	assert_true(in.absolute && !in.pc_relative);
	assert_int_equal(in.mem_size, 4);
	in = decode(X64, B("\x8a\x80\x10\x20\x40\0")); /* T(%rax) */
	assert_false(in.absolute || in.indexed || in.pc_relative);
	assert_int_equal(in.disp_size, 4);
	in = decode(I386, B("\xa1\x10\x20\x40\x80"));
	assert_true(in.absolute);
	assert_int_equal(in.disp_off, 1);
}

static void branch_displacements_are_signed(void **state)
{
	(void)state;
	assert_int_equal(decode(X64, B("\xeb\xfe")).disp, -2);
	assert_int_equal(decode(X64, B("\xe8\xfb\xff\xff\xff")).disp, -5);
	assert_int_equal(decode(I386, B("\x66\xe9\xfc\xff")).disp, -4);
	assert_int_equal(decode(X64, B("\x0f\x85\x80\0\0\0")).disp_off, 2);
	assert_int_equal(decode(X64, B("\x6a\xff")).imm, -1);
	assert_int_equal(decode(X64, B("\x49\xb8\0\0\0\0\0\0\0\x80")).imm, INT64_MIN);
}

/* The places of calls and jumps, one decoded instruction after the other. */
static uint64_t walk_branches(const uint8_t *p, size_t n, bool mode64, uint64_t *places)
{
	uint64_t bad = 0;
	for (size_t off = 0; off < n;) {
		struct x86_insn in;
		if (!x86_decode(p + off, n - off, mode64, &in)) {
			bad++;
			off++;
			continue;
		}
		if (in.flow == X86_CALL || in.flow == X86_JMP || in.flow == X86_JCC)
			*places = *places * 31 + off + 1;
		off += in.len;
	}
	return bad;
}

/* Code of 0 to 63 bytes in a buffer of just that size: instructions begin and end at its edges. */
static void short_code_is_scanned_as_it_is_decoded(void **state)
{
	(void)state;
	const unsigned kinds = REF_CALL | REF_JUMP | REF_INSIDE;
	uint32_t seed = 1;
	for (unsigned round = 0; round < 20000; round++) {
		const size_t n = round % 64;
		const bool mode64 = round / 64 % 2 != 0;
		uint8_t *p = malloc(n + 1);
		assert_non_null(p);
		for (size_t i = 0; i < n; i++) {
			seed = seed * 1664525 + 1013904223;
			p[i] = (uint8_t)(seed >> 24);
		}
		code_ref_vec refs = { 0 };
		uint64_t wanted = 0, found = 0;
		const uint64_t bad = walk_branches(p, n, mode64, &wanted);
		assert_int_equal(x86_refs((struct bytes){ p, n }, mode64, 0x1000,
					  &(struct ref_wish){ .kinds = kinds }, &refs),
				 bad);
		for (size_t i = 0; i < refs.count; i++)
			found = found * 31 + (refs.data[i].from - 0x1000) + 1;
		assert_int_equal(found, wanted);
		vec_release(&refs);
		free(p);
	}
}

enum { FROM = 0x10000000 };

/* Sums up the references to [low, high), by place and target. */
static uint64_t sum_refs(struct bytes code, const struct ref_wish *wish, uint64_t low,
			 uint64_t high, uint64_t *count)
{
	code_ref_vec refs = { 0 };
	uint64_t sum = 0;
	(void)x86_refs(code, true, FROM, wish, &refs);
	for (size_t i = 0; i < refs.count; i++) {
		const struct code_ref *r = &refs.data[i];
		if (r->to < low || r->to >= high)
			continue;
		sum = sum * 31 + r->from * 3 + r->to * 5 + r->field * 7 + r->tail + r->kind;
		++*count;
	}
	vec_release(&refs);
	return sum;
}

/* Fills code with bytes. Many are the ModRM byte of a pc-relative operand, and most of these have a
 * small displacement. */
static void starts_are_those_of_decoded_instructions(void **state)
{
	uint8_t p[300];
	uint32_t seed = 7, starts[65];
	(void)state;
	for (unsigned round = 0; round < 400; round++) {
		const bool mode64 = round & 1;
		const struct bytes code = { p, 1 + round % sizeof p };
		for (size_t i = 0; i < code.size; i++)
			p[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
		for (size_t at = 0; at < code.size;) {
			const struct bytes rest = { p + at, code.size - at };
			const size_t count = x86_starts(rest, mode64, 64, starts);
			assert_true(count > 0 && starts[0] == 0);
			for (size_t i = 0; i < count; i++) {
				struct x86_insn in;
				const uint8_t *q = rest.p + starts[i];
				const bool good = x86_decode(q, rest.size - starts[i], mode64, &in);
				assert_true(starts[i] < 64);
				assert_int_equal(starts[i + 1] - starts[i], good ? in.len : 1);
			}
			assert_true(starts[count] >= 64 || starts[count] == rest.size);
			at += starts[count];
		}
	}
}

/* Random code, in which most instructions can be found from the bytes just before. */
static void the_instruction_at_a_place_is_the_one_of_the_scan(void **state)
{
	uint8_t p[900];
	uint32_t seed = 5, starts[sizeof p + 1], known = 0;
	(void)state;
	for (unsigned round = 0; round < 60; round++) {
		const struct bytes code = { p, sizeof p - round };
		for (size_t i = 0; i < code.size; i++)
			p[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
		(void)x86_starts(code, true, (uint32_t)code.size, starts);
		for (size_t place = 0, i = 0, before = 0; place < code.size; place++) {
			i += starts[i + 1] <= place;
			assert_int_equal(x86_insn_at(code, 0, place), starts[i]);
			assert_int_equal(x86_insn_at(code, before, place), starts[i]);
			const uint64_t alone = x86_insn_at(code, UINT64_MAX, place);
			assert_true(alone == starts[i] || alone == UINT64_MAX);
			known += alone != UINT64_MAX;
			before = seed % 5 == 0 ? starts[i] : before;
		}
	}
	assert_in_range(known, 60 * sizeof p / 2, 60 * sizeof p);
}

static void kinds_tell_instructions_apart_but_not_registers(void **state)
{
	(void)state;
	/* mov %rax,%rbx; mov %rcx,%rdx; mov %eax,%ebx; mov 8(%rax),%rbx */
	const uint64_t moves[] = { 0xc38948, 0xca8948, 0xc389, 0x08588b48 };
	assert_int_equal(x86_kind(moves[0], true), x86_kind(moves[1], true));
	assert_int_not_equal(x86_kind(moves[0], true), x86_kind(moves[2], true));
	assert_int_not_equal(x86_kind(moves[0], true), x86_kind(moves[3], true));
	/* jmp and jmp with other distances, call */
	assert_int_equal(x86_kind(0x11223344e9, true), x86_kind(0xe9, true));
	assert_int_not_equal(x86_kind(0xe9, true), x86_kind(0xe8, true));
	/* mul and div of a register: ModRM tells them apart. */
	assert_int_not_equal(x86_kind(0xe0f7, true), x86_kind(0xf0f7, true));
	/* nop, nopw 0(%rax,%rax,1), pause */
	assert_int_equal(x86_kind(0x90, true), 0);
	assert_int_equal(x86_kind(0x00441f0f, true), 0);
	assert_int_not_equal(x86_kind(0x90f3, true), 0);
	/* vaddps and vsubps; les in i386 */
	assert_int_not_equal(x86_kind(0xc158f0c5, true), x86_kind(0xc15cf0c5, true));
	assert_int_not_equal(x86_kind(0x00c5, false), x86_kind(0xc158f0c5, false));
}

static void fill_relative(uint8_t *p, size_t n, uint32_t *seed)
{
	for (size_t i = 0; i < n; i++) {
		*seed = *seed * 1664525 + 1013904223;
		p[i] = (uint8_t)(*seed >> 24);
		if ((*seed >> 20 & 7) == 0)
			p[i] = (uint8_t)(0x05 | (p[i] & 0x38));
		if ((*seed >> 20 & 7) == 1) /* call, mov $..., %eax */
			p[i] = (*seed >> 19 & 1) != 0 ? 0xe8 : 0xb8;
		if (i > 3 && p[i - 4] == 0xb8) {
			const uint32_t value = (uint32_t)FROM + (*seed >> 12);
			memcpy(p + i - 3, &value, sizeof value);
		}
		if (i > 4 && (p[i - 4] & 0xc7) == 0x05 && (*seed >> 16 & 3) != 0)
			p[i] = (*seed >> 18 & 1) != 0 ? 0xff : 0;
	}
}

static void a_mask_leaves_out_nothing_that_is_wanted(void **state)
{
	(void)state;
	static const unsigned kinds[] = { REF_MEM | REF_ADDR,
					  REF_MEM | REF_ADDR | REF_CALL | REF_JUMP,
					  REF_MEM | REF_ADDR | REF_IMM };
	uint32_t seed = 7;
	uint64_t counted[COUNT_OF(kinds)] = { 0 };
	for (unsigned round = 0; round < 20000; round++) {
		/* Code in which all is skipped, some, or nothing */
		const size_t n = round % 16 == 0 ? round % 3001 : round % 257;
		const uint64_t low = round % 3 == 0   ? FROM - (seed >> 9)
				     : round % 3 == 1 ? FROM + n + (seed >> 14)
						      : FROM + (seed >> 4);
		const uint64_t high = low + 1 + (seed >> (7 + round % 6));
		const uint64_t far = round % 5 == 0 ? UINT64_C(1) << 40 : high;
		uint8_t *p = malloc(n + 1);
		assert_non_null(p);
		fill_relative(p, n, &seed);
		struct addr_mask mask = { 0 };
		if (round % 7 == 0) { /* All that is wanted is in the second range */
			addr_range_open(&mask.near, far, far + 4096, ADDR_MASK_NEAR);
			addr_range_open(&mask.far, low, high, ADDR_MASK_FAR);
		} else {
			addr_range_open(&mask.near, low, far, ADDR_MASK_NEAR);
		}
		addr_mask_add(&mask, low, high);
		uint64_t count = 0, all = 0;
		const struct bytes code = { p, n };
		struct ref_wish wish = { kinds[round / 3 % 3], low - low % 3, high + 2, NULL };
		const uint64_t wanted = sum_refs(code, &wish, low, high, &all);
		wish.mask = &mask;
		const uint64_t sum = sum_refs(code, &wish, low, high, &count);
		assert_int_equal(count, all);
		assert_int_equal(sum, wanted);
		counted[round / 3 % 3] += count;
		addr_mask_release(&mask);
		free(p);
	}
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		assert_in_range(counted[i], 300, UINT64_MAX);
}

static void a_mask_knows_its_members(void **state)
{
	(void)state;
	struct addr_mask none = { 0 }, m = { 0 }, wide = { 0 };
	assert_false(addr_mask_may_have(&none, 0));
	addr_range_open(&m.near, 0x1000, 0x9000, ADDR_MASK_NEAR);
	addr_range_open(&m.far, 0x40, 0x80, ADDR_MASK_FAR);
	addr_mask_add(&m, 0x1805, 0x1806);
	addr_mask_add(&m, 0x2000, 0x7001);
	addr_mask_add(&m, 0x8fff, 0x9000);
	addr_mask_add(&m, 0x3000, 0x3000);
	addr_mask_add(&m, 0x100, 0x200); /* Not in the range */
	addr_mask_add(&m, 0x20, 0x60);
	assert_true(addr_mask_may_have(&m, 0x40) && addr_mask_may_have(&m, 0x5f) &&
		    !addr_mask_may_have(&m, 0x60) && !addr_mask_may_have(&m, 0x3f) &&
		    !addr_mask_may_have(&m, 0x150));
	assert_true(addr_mask_may_have(&m, 0x1805) && addr_mask_may_have(&m, 0x8fff));
	assert_false(addr_mask_may_have(&m, 0x17ff) || addr_mask_may_have(&m, 0x1810) ||
		     addr_mask_may_have(&m, 0xfff) || addr_mask_may_have(&m, 0x9000) ||
		     addr_mask_may_have(&m, 0x1fff) || addr_mask_may_have(&m, 0x7010));
	for (uint64_t addr = 0x2000; addr < 0x7001; addr++)
		assert_true(addr_mask_may_have(&m, addr));
	addr_range_open(&wide.near, 0, UINT64_MAX, ADDR_MASK_NEAR);
	addr_mask_add(&wide, UINT64_MAX - 1, UINT64_MAX);
	assert_true(addr_mask_may_have(&wide, UINT64_MAX - 1));
	assert_false(addr_mask_may_have(&wide, 0));
	addr_mask_release(&m);
	addr_mask_release(&wide);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths_follow_prefixes_maps_and_modrm),
		cmocka_unit_test(the_instruction_at_a_place_is_the_one_of_the_scan),
		cmocka_unit_test(what_64_bit_mode_lost_is_rejected),
		cmocka_unit_test(undefined_encodings_are_rejected),
		cmocka_unit_test(sixteen_bytes_are_too_long_and_fifteen_are_not),
		cmocka_unit_test(a_cut_instruction_is_none),
		cmocka_unit_test(flow_kinds_are_told),
		cmocka_unit_test(a_rip_relative_operand_is_found_with_its_field_and_width),
		cmocka_unit_test(widths_of_pc_relative_operands_are_known),
		cmocka_unit_test(table_operands_without_base_are_told_from_bare_ones),
		cmocka_unit_test(branch_displacements_are_signed),
		cmocka_unit_test(short_code_is_scanned_as_it_is_decoded),
		cmocka_unit_test(starts_are_those_of_decoded_instructions),
		cmocka_unit_test(kinds_tell_instructions_apart_but_not_registers),
		cmocka_unit_test(a_mask_leaves_out_nothing_that_is_wanted),
		cmocka_unit_test(a_mask_knows_its_members),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
