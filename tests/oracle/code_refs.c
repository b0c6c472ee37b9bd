/* Prints what code_refs finds in an ELF file, function by function:
 *
 *     FROM KIND TO SIZE
 *
 * in hexadecimal, KIND one of mem addr call jump imm.  Built and read by arm64_refs.sh. */
#include "code/code.h"
#include "image/image.h"

#include <elf.h>
#include <stdio.h>

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static void print_refs(enum code_isa isa, struct bytes code, uint64_t addr)
{
	static const char *const names[] = { [REF_MEM] = "mem",
					     [REF_ADDR] = "addr",
					     [REF_CALL] = "call",
					     [REF_JUMP] = "jump",
					     [REF_IMM] = "imm" };
	code_ref_vec refs = { 0 };
	const unsigned kinds = REF_MEM | REF_ADDR | REF_CALL | REF_JUMP | REF_INSIDE;
	const uint64_t bad = code_refs(isa, code, addr, &(struct ref_wish){ .kinds = kinds },
				       &refs);
	if (bad != 0)
		fprintf(stderr, "%" PRIx64 ": %" PRIu64 " bytes not decoded\n", addr, bad);
	for (size_t i = 0; i < refs.count; i++)
		printf("%" PRIx64 " %s %" PRIx64 " %u\n", refs.data[i].from,
		       names[refs.data[i].kind], refs.data[i].to, refs.data[i].size);
	vec_release(&refs);
}

typedef VEC(uint64_t) addr_vec;

static void function_starts(const uint8_t *file, const Elf64_Shdr *sh, unsigned count,
			    addr_vec *ret)
{
	for (unsigned i = 0; i < count; i++) {
		if (sh[i].sh_type != SHT_SYMTAB && sh[i].sh_type != SHT_DYNSYM)
			continue;
		const uint64_t n = sh[i].sh_size / sizeof(Elf64_Sym);
		for (uint64_t k = 0; k < n; k++) {
			Elf64_Sym s;
			memcpy(&s, file + sh[i].sh_offset + k * sizeof s, sizeof s);
			if (ELF64_ST_TYPE(s.st_info) == STT_FUNC && s.st_shndx != SHN_UNDEF)
				vec_push(ret, s.st_value);
		}
	}
	qsort(ret->data, ret->count, sizeof *ret->data, by_value);
}

static void print_section(enum code_isa isa, const uint8_t *file, const Elf64_Shdr *s,
			  const addr_vec *starts)
{
	const struct bytes all = { file + s->sh_offset, s->sh_size };
	uint64_t at = s->sh_addr;
	const uint64_t end = s->sh_addr + s->sh_size;
	for (size_t i = 0; i <= starts->count && at < end; i++) {
		const uint64_t next = i < starts->count ? min_u64(starts->data[i], end) : end;
		if (next <= at)
			continue;
		print_refs(isa, bytes_sub(all, at - s->sh_addr, next - at), at);
		at = next;
	}
}

/* A trusted file of the test's own making: nothing is checked. */
int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	if (!f) {
		fprintf(stderr, "usage: code_refs FILE\n");
		return 2;
	}
	fseek(f, 0, SEEK_END);
	const size_t size = (size_t)ftell(f);
	rewind(f);
	uint8_t *file = mem_alloc(size);
	if (fread(file, 1, size, f) != size)
		return 2;
	fclose(f);
	Elf64_Ehdr e;
	memcpy(&e, file, sizeof e);
	Elf64_Shdr *sh = mem_zeroed(e.e_shnum, sizeof *sh);
	memcpy(sh, file + e.e_shoff, e.e_shnum * sizeof *sh);
	const struct image im = { .machine = e.e_machine };
	addr_vec starts = { 0 };
	function_starts(file, sh, e.e_shnum, &starts);
	for (unsigned i = 0; i < e.e_shnum; i++)
		if (sh[i].sh_type == SHT_PROGBITS && sh[i].sh_flags & SHF_EXECINSTR)
			print_section(code_isa_of(&im), file, &sh[i], &starts);
	vec_release(&starts);
	mem_free(sh);
	mem_free(file);
	return 0;
}
