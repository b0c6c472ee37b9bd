/* Decides which symbols own bytes, and corrects wrong sizes. */
#define _GNU_SOURCE /* For memmem(). */
#include "program/symbol_rule.h"

#include "image/code_symbols.h"
#include "names/demangle.h"

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

/* Returns a pointer to address and size of record `i`. */
static uint64_t *extent_of(void *list, size_t size, size_t i)
{
	return (uint64_t *)(void *)((char *)list + i * size);
}

typedef VEC(size_t) index_vec;

/* Lists the records that end in the middle of a later record. */
static void find_crossing(void *list, size_t count, size_t size, index_vec *ret)
{
	index_vec open = { 0 }; /* Records around the current one, the innermost last */
	for (size_t i = 0; i < count; i++) {
		const uint64_t *new = extent_of(list, size, i);
		while (new[1] > 0 && open.count > 0) {
			const size_t last = open.data[open.count - 1];
			const uint64_t *old = extent_of(list, size, last);
			const uint64_t apart = new[0] - old[0];
			if (old[1] > apart && old[1] - apart >= new[1])
				break;
			if (old[1] > apart)
				vec_push(ret, last);
			open.count--;
		}
		if (new[1] > 0)
			vec_push(&open, i);
	}
	vec_release(&open);
}

void symbols_cut_crossing(void *list, size_t count, size_t size)
{
	index_vec crossing = { 0 };
	find_crossing(list, count, size, &crossing);
	bool *cut = crossing.count > 0 ? mem_zeroed(count, sizeof *cut) : NULL;
	for (size_t i = 0; i < crossing.count; i++)
		cut[crossing.data[i]] = true;
	uint64_t here = 0, behind = 0; /* `here`: address of the previous record. `behind`: the
				        * next address above it */
	for (size_t i = count; cut && i-- > 0;) {
		uint64_t *extent = extent_of(list, size, i);
		if (extent[1] > 0 && extent[0] != here) {
			behind = here;
			here = extent[0];
		}
		if (cut[i]) {
			ASSERT(behind > extent[0]);
			extent[1] = behind - extent[0];
		}
	}
	mem_free(cut);
	vec_release(&crossing);
}

static bool are_digits(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.len > 0;
}

/* True for a string that LLVM's ThinLTO exported to other modules: ".str.2.llvm.123". Names of
 * variables do not begin with a dot. */
static bool is_promoted_text(struct str name)
{
	const struct str text = STR(".str");
	if (!str_starts(name, text))
		return false;
	const struct str base = suffix_without_promotion(name);
	const struct str rest = { base.p + text.len, base.len - text.len };
	return base.len < name.len &&
	       (rest.len == 0 ||
		(*rest.p == '.' && are_digits((struct str){ rest.p + 1, rest.len - 1 })));
}

/* True for a constant that rustc did not name: "anon.", number of the module, own number. ".llvm."
 * follows if link-time optimization exported it. */
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

struct str symbol_source(const struct symbol *s)
{
	ASSERT(s->type == STT_FILE);
	const bool made = str_starts(s->name, STR("<")) || str_eq(s->name, STR("ld-temp.o"));
	return made ? STR("") : s->name;
}

bool symbol_is_block(const struct symbol *s, struct str *ret, size_t *ret_id)
{
	const struct str mark = STR(".BB.");
	size_t n = 0;
	while (s->type == STT_NOTYPE && n < s->name.len && isalpha((unsigned char)s->name.p[n]))
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

/* True for the name by which gcc's link-time optimization refers to the debug info of a source:
 * "main.c.33bc48bd". */
static bool is_debug_of_source(const struct symbol *s)
{
	enum { DIGITS = 8 };
	size_t i = s->name.len;
	if (s->type != STT_NOTYPE || s->bind != STB_WEAK || s->visibility != STV_HIDDEN)
		return false;
	while (i > 0 && s->name.len - i < DIGITS && strchr("0123456789abcdef", s->name.p[i - 1]))
		i--;
	return i > 1 && s->name.len - i == DIGITS && s->name.p[i - 1] == '.';
}

bool symbol_is_mark(const struct symbol *s)
{
	const struct str table = STR("GCC_except_table"), name = s->name;
	if (is_debug_of_source(s))
		return true;
	if (s->type == STT_FILE || s->type == STT_SECTION || symbol_mark(s) != '\0' ||
	    is_nameless_constant(name) || is_promoted_text(name))
		return true;
	if (s->bind != STB_LOCAL)
		return false;
	/* clang's label for the exception table of a function. */
	if (str_starts(name, table) &&
	    are_digits((struct str){ name.p + table.len, name.len - table.len }))
		return true;
	/* Labels of the assembler for constants and jump targets, and of clang for strings and
	 * merged variables. Objects may keep them beside real names. mold keeps them in
	 * programs. */
	return (s->type == STT_NOTYPE && str_starts(name, STR(".L"))) ||
	       str_starts(name, STR(".L.str")) || str_starts(name, STR(".L_MergedGlobals"));
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
	const struct section *in = symbol_is_descriptor(im, s) ? image_section_at(im, addr)
							       : &im->sections[s->section];
	if (!in || !section_takes_vm(im, in) || addr < in->addr || addr - in->addr > in->size)
		return NULL;
	return in;
}
