/* Lengths, kinds and targets of instructions as heft has them against lines of llvm-objdump -d.
 * usage: llvm-objdump -d FILE | flow_lengths thumb|x86-64|riscv32|riscv64
 *        llvm-objdump -d FILE | flow_lengths riscv32-zcmp|riscv32-xqci|riscv32-xcv|riscv64-xandes
 *        objdump -d FILE | flow_lengths avr|xtensa
 *
 * Prints what differs, 20 lines at most, and "N instructions, M differ"; exit status 1 where any
 * does.  With a second word, a number, the bytes are decoded again that often and the speed is told
 * instead. */
#include "code/flow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct line {
	uint64_t addr;
	uint8_t bytes[15];
	unsigned size;
	bool arm;
	char name[32], operands[200];
};

static struct {
	enum code_isa isa;
	uint64_t count, other;
	VEC(uint8_t) code; /* of all lines */
} run;

/* A group of hexadecimal digits is a number, lowest byte first in the file; instructions of the ARM
 * set, which are no concern here, have eight. */
static const char *take_group(const char *p, struct line *l)
{
	char *end;
	const uint64_t v = strtoull(p, &end, 16);
	const size_t digits = (size_t)(end - p);
	l->arm = run.isa == CODE_THUMB && digits == 8;
	for (size_t i = 0; i < digits / 2 && l->size < sizeof l->bytes; i++)
		l->bytes[l->size++] = (uint8_t)(v >> 8 * i);
	return end;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* "   addr: 0123 4567  \tname\toperands" */
static bool parse(const char *text, struct line *l)
{
	char *p;
	memset(l, 0, sizeof *l);
	l->addr = strtoull(text, &p, 16);
	if (p == text || p[0] != ':' || (p[1] != ' ' && p[1] != '\t'))
		return false;
	const char *at = p + 2;
	while (is_hex(*at)) {
		at = take_group(at, l);
		at += *at == ' ';
	}
	at = strchr(at, '\t');
	return at && l->size > 0 && !l->arm &&
	       sscanf(at, "%31s %199[^\n]", l->name, l->operands) >= 1 && l->name[0] != '.' &&
	       l->name[0] != '<';
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* The target that the disassembler prints, behind all commas. */
static bool has_target(const struct line *l, uint64_t *ret)
{
	const char *at = l->operands;
	for (const char *p = at; (p = strstr(p, ", ")) != NULL; p += 2)
		at = p + 2;
	*ret = strtoull(at, NULL, 16);
	return begins(at, "0x");
}

static const char *const conditions[] = { "eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc",
					  "hi", "ls", "ge", "lt", "gt", "le", "" };

/* `name` is `stem`, perhaps with a condition, and ".w" or ".n". */
static bool is_thumb(const char *name, const char *stem, bool *ret_conditional)
{
	const size_t size = strlen(stem);
	if (!begins(name, stem))
		return false;
	for (size_t i = 0; i < COUNT_OF(conditions); i++) {
		const char *rest = name + size;
		if (!begins(rest, conditions[i]))
			continue;
		rest += strlen(conditions[i]);
		*ret_conditional = conditions[i][0] != '\0';
		if (*rest == '\0' || strcmp(rest, ".w") == 0 || strcmp(rest, ".n") == 0)
			return true;
	}
	return false;
}

/* Whether the kind is what the mnemonic says; in IT blocks the condition is not in the bytes. */
static bool thumb_agrees(const struct line *l, const struct flow *f)
{
	bool conditional = false;
	const bool to_pc = strstr(l->operands, "pc}") || begins(l->operands, "pc,");
	const bool stack = strstr(l->operands, "[sp]") || begins(l->operands, "sp!");
	if (begins(l->name, "cbz") || begins(l->name, "cbnz"))
		return f->kind == FLOW_CONDITIONAL;
	if (is_thumb(l->name, "bl", &conditional) || is_thumb(l->name, "blx", &conditional))
		return f->kind == FLOW_CALL && f->direct == begins(l->operands, "0x");
	if (is_thumb(l->name, "b", &conditional))
		return f->kind == FLOW_JUMP || (conditional && f->kind == FLOW_CONDITIONAL);
	if (is_thumb(l->name, "bx", &conditional))
		return f->kind == (begins(l->operands, "lr") ? FLOW_RETURN : FLOW_JUMP_INDIRECT);
	if (begins(l->name, "wls") || begins(l->name, "le"))
		return f->kind == FLOW_CONDITIONAL;
	if (begins(l->name, "tb"))
		return f->kind == FLOW_JUMP_INDIRECT;
	if (begins(l->name, "udf"))
		return f->kind == FLOW_TRAP;
	if (begins(l->name, "pop") && to_pc)
		return f->kind == FLOW_RETURN;
	if ((begins(l->name, "ldm") || begins(l->name, "ldr")) && to_pc)
		return f->kind == (stack ? FLOW_RETURN : FLOW_JUMP_INDIRECT);
	if (begins(l->name, "mov") && to_pc)
		return f->kind == (strstr(l->operands, "lr") ? FLOW_RETURN : FLOW_JUMP_INDIRECT);
	if (begins(l->name, "add") && to_pc)
		return f->kind == FLOW_JUMP_INDIRECT;
	return f->kind == FLOW_PLAIN || f->kind == FLOW_NOP ||
	       (f->kind == FLOW_RETURN && begins(l->name, "subs")) ||
	       (f->kind == FLOW_RETURN && begins(l->name, "eret"));
}

static bool riscv_agrees(const struct line *l, const struct flow *f)
{
	static const char *const vendors[] = { "qc.", "c.", "e.", "c.", "cv.", "nds." };
	static const char *const returns[] = { "mret", "sret", "mnret", "dret", "mileaveret" };
	const char *name = l->name;
	for (size_t i = 0; i < COUNT_OF(vendors); i++)
		name += begins(name, vendors[i]) ? strlen(vendors[i]) : 0;
	for (size_t i = 0; i < COUNT_OF(returns); i++)
		if (strcmp(name, returns[i]) == 0)
			return f->kind == FLOW_RETURN;
	if (strcmp(name, "ret") == 0 || begins(name, "cm.popret"))
		return f->kind == FLOW_RETURN;
	if (strcmp(name, "j") == 0)
		return f->kind == FLOW_JUMP;
	if (strcmp(name, "jr") == 0)
		return f->kind == FLOW_JUMP_INDIRECT ||
		       (f->kind == FLOW_RETURN && strstr(l->operands, "t0"));
	if (strcmp(name, "cm.jt") == 0)
		return f->kind == FLOW_JUMP_INDIRECT;
	if (begins(name, "jal") || strcmp(name, "cm.jalt") == 0)
		return f->kind == FLOW_CALL && f->direct == (strcmp(name, "jal") == 0);
	if (name[0] == 'b' && strchr("eqnlgb", name[1]) && name[1] != '\0' && !begins(name, "bext"))
		return f->kind == FLOW_CONDITIONAL;
	if (begins(name, "unimp") || begins(name, "ebreak"))
		return f->kind == FLOW_TRAP;
	return f->kind == FLOW_PLAIN || f->kind == FLOW_NOP;
}

static bool avr_agrees(const struct line *l, const struct flow *f)
{
	static const char *const skips[] = { "cpse", "sbrc", "sbrs", "sbic", "sbis" };
	for (size_t i = 0; i < COUNT_OF(skips); i++)
		if (strcmp(l->name, skips[i]) == 0)
			return f->kind == FLOW_CONDITIONAL;
	if (strcmp(l->name, "call") == 0 || strcmp(l->name, "rcall") == 0)
		return f->kind == FLOW_CALL && f->direct;
	if (strcmp(l->name, "jmp") == 0 || strcmp(l->name, "rjmp") == 0)
		return f->kind == FLOW_JUMP;
	if (begins(l->name, "ret"))
		return f->kind == FLOW_RETURN;
	if (strcmp(l->name, "icall") == 0 || strcmp(l->name, "eicall") == 0)
		return f->kind == FLOW_CALL && !f->direct;
	if (strcmp(l->name, "ijmp") == 0 || strcmp(l->name, "eijmp") == 0)
		return f->kind == FLOW_JUMP_INDIRECT;
	if (strcmp(l->name, "break") == 0)
		return f->kind == FLOW_TRAP;
	if (begins(l->name, "br"))
		return f->kind == FLOW_CONDITIONAL;
	return f->kind == FLOW_PLAIN || f->kind == FLOW_NOP;
}

static bool xtensa_agrees(const struct line *l, const struct flow *f)
{
	if (strcmp(l->name, "excw") == 0) /* what is no instruction is called so, too */
		return true;
	if (begins(l->name, "callx"))
		return f->kind == FLOW_CALL && !f->direct;
	if (begins(l->name, "call"))
		return f->kind == FLOW_CALL && f->direct;
	if (strcmp(l->name, "j") == 0)
		return f->kind == FLOW_JUMP;
	if (strcmp(l->name, "jx") == 0)
		return f->kind == FLOW_JUMP_INDIRECT;
	if (begins(l->name, "ret") || begins(l->name, "rf"))
		return f->kind == FLOW_RETURN;
	if (begins(l->name, "ill") || begins(l->name, "break"))
		return f->kind == FLOW_TRAP;
	if (l->name[0] == 'b' || begins(l->name, "loopnez") || begins(l->name, "loopgtz"))
		return f->kind == FLOW_CONDITIONAL;
	return f->kind == FLOW_PLAIN || f->kind == FLOW_NOP;
}

/* Where GNU's disassembler says that an instruction leads: behind a semicolon, or last. */
static bool has_gnu_target(const struct line *l, uint64_t *ret)
{
	const char *at = strstr(l->operands, "; 0x");
	if (at) {
		*ret = strtoull(at + 2, NULL, 16);
		return true;
	}
	at = strchr(l->operands, '<');
	while (at && at > l->operands && (at[-1] == ' ' || is_hex(at[-1])))
		at--;
	*ret = at ? strtoull(at, NULL, 16) : 0;
	return at && run.isa == CODE_XTENSA;
}

static bool x86_agrees(const struct line *l, const struct flow *f)
{
	if (begins(l->name, "call"))
		return f->kind == FLOW_CALL;
	if (begins(l->name, "jmp"))
		return f->kind == (strchr(l->operands, '*') ? FLOW_JUMP_INDIRECT : FLOW_JUMP);
	if (l->name[0] == 'j' || begins(l->name, "loop"))
		return f->kind == FLOW_CONDITIONAL;
	return begins(l->name, "ret") == (f->kind == FLOW_RETURN);
}

static bool kind_agrees(const struct line *l, const struct flow *f)
{
	switch (run.isa) {
	case CODE_THUMB: return thumb_agrees(l, f);
	case CODE_AVR: return avr_agrees(l, f);
	case CODE_XTENSA: return xtensa_agrees(l, f);
	case CODE_X86_64: return x86_agrees(l, f);
	default: return riscv_agrees(l, f);
	}
}

static bool agrees(const struct line *l)
{
	struct flow f;
	uint64_t target;
	if (!flow_decode(run.isa, l->bytes, l->size, l->addr, &f) || f.size != l->size)
		return false;
	if (!kind_agrees(l, &f))
		return false;
	/* What a skip leads over is seen where the next instruction stands. */
	const bool gnu = run.isa == CODE_AVR || run.isa == CODE_XTENSA;
	const bool leads = f.kind == FLOW_JUMP || f.kind == FLOW_CONDITIONAL || f.direct;
	const uint64_t mask = code_isa_plain(run.isa) == CODE_RISCV64 || run.isa == CODE_X86_64
				      ? UINT64_MAX
				      : UINT32_MAX;
	if (!leads || !(gnu ? has_gnu_target(l, &target) : has_target(l, &target)))
		return true;
	return (target & mask) == f.target;
}

static int tell_speed(unsigned times)
{
	uint64_t sum = 0;
	const clock_t start = clock();
	for (unsigned i = 0; i < times; i++)
		for (uint64_t off = 0; off < run.code.count;) {
			struct flow f;
			if (!flow_decode(run.isa, run.code.data + off, run.code.count - off, off,
					 &f))
				f.size = 2;
			sum += f.kind;
			off += f.size;
		}
	const double seconds = (double)(clock() - start) / (double)CLOCKS_PER_SEC;
	const double mb = (double)run.code.count * (double)times / 1e6;
	printf("%.1f MB decoded %u times, %.0f MB/s (%" PRIu64 ")\n", (double)run.code.count / 1e6,
	       times, seconds > 0 ? mb / seconds : 0.0, sum);
	return 0;
}

int main(int argc, char **argv)
{
	char text[1000];
	struct line l;
	if (argc < 2)
		return 2;
	static const struct {
		const char *name;
		enum code_isa isa;
	} sets[] = {
		{ "thumb", CODE_THUMB },
		{ "avr", CODE_AVR },
		{ "xtensa", CODE_XTENSA },
		{ "x86-64", CODE_X86_64 },
		{ "riscv32", CODE_RISCV32 },
		{ "riscv64", CODE_RISCV64 },
		{ "riscv32-zcmp", CODE_RISCV32_ZCMP },
		{ "riscv32-xqci", CODE_RISCV32_XQCI },
		{ "riscv32-xcv", CODE_RISCV32_XCV },
		{ "riscv64-xandes", CODE_RISCV64_XANDES },
	};
	for (size_t i = 0; i < COUNT_OF(sets); i++)
		if (strcmp(argv[1], sets[i].name) == 0)
			run.isa = sets[i].isa;
	while (fgets(text, sizeof text, stdin)) {
		if (!parse(text, &l))
			continue;
		run.count++;
		for (unsigned i = 0; argc > 2 && i < l.size; i++)
			vec_push(&run.code, l.bytes[i]);
		if (argc > 2 || agrees(&l))
			continue;
		if (run.other++ < 20)
			printf("%s", text);
	}
	if (argc > 2)
		return tell_speed((unsigned)atoi(argv[2]));
	printf("%" PRIu64 " instructions, %" PRIu64 " differ\n", run.count, run.other);
	return run.other > 0 || run.count == 0;
}
