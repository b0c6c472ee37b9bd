#define _GNU_SOURCE /* memmem */
#include "program/symbol_rule.h"

#include "image/code_symbols.h"

#include <ctype.h>

enum { INDEX_BITS = 20 };

uint32_t symbol_rank(const struct symbol *s)
{
	const uint32_t index = (uint32_t)min_u64(s->index, (1u << INDEX_BITS) - 1);
	const uint32_t untyped = s->type == STT_NOTYPE;
	const uint32_t bind = s->bind == STB_LOCAL ? 2 : s->bind == STB_WEAK ? 1 : 0;
	uint32_t underscores = 0;
	while (underscores < s->name.len && underscores < 15 && s->name.p[underscores] == '_')
		underscores++;
	return (untyped << 8 | bind << 4 | underscores) << INDEX_BITS | index;
}

static bool are_digits(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.len > 0;
}

/* A constant of rustc that has no name, "anon.", the number of its module and its own; with
 * ".llvm." behind it if link-time optimization made it known to other modules. */
static bool is_nameless_constant(struct str name)
{
	enum { MODULE = 32 };
	const struct str start = STR("anon."), llvm = STR(".llvm.");
	if (!str_starts(name, start) || name.len <= start.len + MODULE ||
	    name.p[start.len + MODULE] != '.')
		return false;
	for (size_t i = 0; i < MODULE; i++)
		if (!isxdigit((unsigned char)name.p[start.len + i]))
			return false;
	struct str rest = { name.p + start.len + MODULE + 1, name.len - start.len - MODULE - 1 };
	const char *promoted = memmem(rest.p, rest.len, llvm.p, llvm.len);
	if (promoted)
		rest.len = (size_t)(promoted - rest.p);
	return are_digits(rest);
}

/* clang's label of a function's exception table. */
static bool is_exception_table(struct str name)
{
	const struct str start = STR("GCC_except_table");
	return str_starts(name, start) &&
	       are_digits((struct str){ name.p + start.len, name.len - start.len });
}

/* Labels of the assembler, which some keep in the tables of objects: constants and jump targets;
 * and clang's of texts and of variables that it put together, which have names of their own: mold
 * keeps these in programs. */
static bool is_assembler_label(const struct symbol *s)
{
	return s->bind == STB_LOCAL &&
	       (is_exception_table(s->name) ||
		(s->type == STT_NOTYPE && str_starts(s->name, STR(".L"))) ||
		str_starts(s->name, STR(".L.str")) || str_starts(s->name, STR(".L_MergedGlobals")));
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool symbol_is_block(const struct symbol *s, struct str *ret, size_t *ret_id)
{
	const struct str mark = STR(".BB.");
	size_t n = 0;
	while (s->type == STT_NOTYPE && n < s->name.len && is_letter(s->name.p[n]))
		n++;
	const struct str rest = { s->name.p + n, s->name.len - n };
	if (n == 0 || rest.len <= mark.len || !str_starts(rest, mark))
		return false;
	*ret = (struct str){ rest.p + mark.len, rest.len - mark.len };
	*ret_id = n;
	return true;
}

struct str symbol_owner(const struct symbol *s)
{
	struct str function;
	size_t id;
	return symbol_is_block(s, &function, &id) ? function : s->name;
}

bool symbol_is_mark(const struct symbol *s)
{
	return s->type == STT_FILE || s->type == STT_SECTION || symbol_mark(s) != '\0' ||
	       is_assembler_label(s) || is_nameless_constant(s->name);
}

bool symbol_names_a_place(const struct symbol *s)
{
	switch (s->type) {
	case STT_NOTYPE:
	case STT_OBJECT:
	case STT_FUNC:
	case STT_TLS:
	case STT_GNU_IFUNC:
	case STT_ARM_TFUNC: return !symbol_is_mark(s);
	default: return false;
	}
}

const struct section *symbol_section(const struct image *im, const struct symbol *s, uint64_t addr)
{
	if (s->section == SYM_NO_SECTION || s->section >= im->section_count)
		return NULL;
	const struct section *in = &im->sections[s->section];
	if (!section_takes_vm(im, in) || addr < in->addr || addr - in->addr > in->size)
		return NULL;
	return in;
}
