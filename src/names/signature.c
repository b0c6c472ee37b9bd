/* Makes shorter forms of demangled names, and recognizes special names. */
#include "names/signature.h"

#include "names/cut.h"

/* What demanglers write before the name of a symbol such as a vtable: "vtable for ". `word` is its
 * length without " for " or " to ". */
static const struct special {
	const char *text;
	uint8_t size, word;
} specials[] = {
#define SPECIAL(word, link) { word link, sizeof(word link) - 1, sizeof(word) - 1 }
	SPECIAL("vtable", " for "),
	SPECIAL("VTT", " for "),
	SPECIAL("typeinfo", " for "),
	SPECIAL("typeinfo name", " for "),
	SPECIAL("typeinfo fn", " for "),
	SPECIAL("guard variable", " for "),
	SPECIAL("virtual thunk", " to "),
	SPECIAL("non-virtual thunk", " to "),
	SPECIAL("covariant return thunk", " to "),
	SPECIAL("construction vtable", " for "),
	SPECIAL("reference temporary", " for "),
	SPECIAL("thread-local wrapper routine", " for "),
	SPECIAL("thread-local initialization routine", " for "),
	SPECIAL("template parameter object", " for "),
	SPECIAL("invocation function for block", " in "),
	SPECIAL("initializer for module", " "),
	SPECIAL("TLS wrapper function", " for "),
	SPECIAL("TLS init function", " for "),
	SPECIAL("transaction clone", " for "),
	SPECIAL("non-transaction clone", " for "),
	/* Written by demanglers of the D language. */
	SPECIAL("initializer", " for "),
	SPECIAL("ClassInfo", " for "),
	SPECIAL("Interface", " for "),
	SPECIAL("ModuleInfo", " for "),
#undef SPECIAL
};

/* Returns the size of "reference temporary #0", as libiberty writes it, at a name's start. 0 for
 * others. */
static size_t numbered_temporary(struct str name)
{
	static const struct str lead = { "reference temporary #", 21 };
	size_t i = lead.len;
	if (!str_starts(name, lead))
		return 0;
	while (i < name.len && name.p[i] >= '0' && name.p[i] <= '9')
		i++;
	return str_starts(str_from(name, i), STR(" for ")) ? i : 0;
}

/* True if a name may begin with one of `specials`, by its first two letters. */
static bool may_be_special(struct str name)
{
	if (name.len < 5)
		return false;
	switch (name.p[0]) {
	case 'v':
		return name.p[1] == 't' || name.p[1] == 'i'; /* vtable, VTT, virtual thunk; not
							      * void */
	case 'c': return name.p[1] == 'o';
	case 't': return name.p[1] != 'o';
	case 'n': return name.p[1] == 'o';
	case 'V':
	case 'g':
	case 'r':
	case 'i':
	case 'T':
	case 'C':
	case 'I':
	case 'M': return true;
	default: return false;
	}
}

struct str signature_special(struct str *name)
{
	const struct str all = *name;
	ASSERT(all.p || all.len == 0);
	if (!may_be_special(all))
		return (struct str){ all.p, 0 };
	const size_t numbered = numbered_temporary(all);
	if (numbered != 0) {
		*name = (struct str){ all.p + numbered + 5, all.len - numbered - 5 };
		return (struct str){ all.p, numbered };
	}
	for (size_t i = 0; i < COUNT_OF(specials); i++) {
		const struct special *s = &specials[i];
		if (s->text[0] != all.p[0] || all.len <= s->size ||
		    memcmp(all.p, s->text, s->size) != 0)
			continue;
		*name = str_from(all, s->size);
		return (struct str){ all.p, s->word };
	}
	return (struct str){ all.p, 0 };
}

/* True if the type after "typeinfo for" is no class. Then it may have blanks ("unsigned int") that
 * do not end a return type. */
static bool is_plain_type(struct str type)
{
	const char last = type.len > 0 ? type.p[type.len - 1] : 0;
	size_t depth = 0, i = type.len;
	if (last == '*' || last == '&' || last == ']' || str_ends(type, STR(" const")))
		return true;
	if (last != ')')
		return !memchr(type.p, ':', type.len) && !memchr(type.p, '<', type.len) &&
		       memchr(type.p, ' ', type.len);
	/* True for "void (int)" and "void (*)(int)", but not for "f()::'lambda'(int)". */
	while (i-- > 0) {
		if (type.p[i] == ')')
			depth++;
		else if (type.p[i] == '(' && --depth == 0)
			return i > 0 && (type.p[i - 1] == ' ' || type.p[i - 1] == ')');
	}
	return true;
}

/* Returns A of "A-in-B", the name of a construction vtable. Other names stay. */
static struct str without_base(struct str special, struct str name)
{
	if (!str_eq(special, STR("construction vtable")))
		return name;
	for (size_t i = name.len; i-- > 1;) {
		if (str_starts(str_from(name, i), STR("-in-")))
			return (struct str){ name.p, i };
	}
	return name;
}

static bool signature_run(struct cut *c, enum sig_language language, struct str special,
			  struct str name)
{
	if (language == SIG_RUST)
		return cut_rust(c);
	if (language == SIG_D)
		return cut_d(c);
	if (str_starts(special, STR("typeinfo")) && is_plain_type(name))
		return cut_cxx_type(c);
	return cut_cxx(c);
}

size_t signature_cut(struct str full, enum sig_language language, unsigned keep, char *out)
{
	struct str name = full;
	struct str special = { full.p, 0 };
	if (language != SIG_RUST)
		special = signature_special(&name);
	name = without_base(special, name);
	struct cut c = { .base = name.p,
			 .p = name.p,
			 .end = name.p + name.len,
			 .out = out,
			 .keep = keep,
			 .at_start = true };
	return signature_run(&c, language, special, name) ? c.len : 0;
}
