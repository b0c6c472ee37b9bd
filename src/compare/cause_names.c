/* Rules of causes by the names, packages and objects that only one snapshot has. */
#include "compare/align_paths.h"
#include "compare/cause_evidence.h"

#include <math.h>

static void names_guess(struct cause_evidence *e, struct cause_guess g, struct str name)
{
	g.cause.names[0] = arena_copy(e->arena, name);
	g.cause.names[1] = g.cause.names[1] ? g.cause.names[1] : "";
	g.cause.names[2] = g.cause.names[2] ? g.cause.names[2] : "";
	g.text = g.text.len > 0 ? g.text : str_of(g.cause.names[0]);
	vec_push(&e->guesses, g);
}

/* True for parts of packages that are new if cause.sign is 1, or gone if it is -1. */
static bool claims_package(const struct cause_guess *g, const struct cause_part *p)
{
	return p->package_sign != 0 && p->package_sign == g->cause.sign;
}

/* Returns a package's name without its version. */
static struct str package_plain(struct str package)
{
	const char *blank = package.len > 0 ? memchr(package.p, ' ', package.len) : NULL;
	return blank ? str_upto(package, (size_t)(blank - package.p)) : package;
}

bool cause_claims_version(const struct cause_guess *g, const struct cause_part *p)
{
	const struct str name = package_plain(p->package);
	return str_starts(name, g->text) && (name.len == g->text.len || name.p[g->text.len] == '/');
}

static void version_guess(struct cause_evidence *e, struct str before, struct str after)
{
	const struct str name = package_plain(after), *const sides[] = { &before, &after };
	struct cause_guess g = { .cause = { .kind = CAUSE_VERSION },
				 .claims = cause_claims_version };
	for (size_t i = 0; i < 2; i++)
		g.cause.names[i + 1] = arena_copy(
			e->arena, str_from(*sides[i], min_u64(sides[i]->len, name.len + 1)));
	names_guess(e, g, name);
}

/* A package, and in which of the two snapshots it is. */
struct package_sides {
	bool on[2];
	struct str label[2];
	double bytes; /* Sum of the changes of its parts (struct cause_part) */
};

struct package_list {
	struct intern names;
	VEC(struct package_sides) list;
};

static void packages_list(struct package_list *all, const struct cause_evidence *e)
{
	for (size_t side = 0; side < 2; side++) {
		const struct snapshot *s = side == 0 ? e->d->before : e->d->after;
		for (size_t i = 0; i < s->charges.count; i++) {
			const struct str label = snapshot_text(s, s->charges.data[i].package);
			const uint32_t id = intern_add(&all->names, package_plain(label));
			if (id == all->list.count)
				vec_push(&all->list, (struct package_sides){ .on = { false } });
			all->list.data[id].on[side] = label.len > 0 && label.p[0] != '[';
			all->list.data[id].label[side] = label;
		}
	}
}

/* Sets package_sign of the parts, and adds their changes to their packages. */
static void packages_weigh(struct package_list *all, struct cause_evidence *e)
{
	vec_each(struct cause_part, p, &e->parts) {
		uint32_t id;
		if (!intern_find(&all->names, package_plain(p->package), &id))
			continue;
		struct package_sides *x = &all->list.data[id];
		p->package_sign = x->on[1] - x->on[0];
		x->bytes += cause_size(p);
	}
}

/* Counts copies of other packages' code as parts of a new or removed package, if they are in a
 * source file of that package: compilers copy generic code to where it is used. */
static void packages_take_copies(struct cause_evidence *e)
{
	struct intern sources[2] = { { { 0 } }, { { 0 } } };
	uint32_t id;
	vec_each(const struct cause_part, p, &e->parts)
		if (p->package_sign != 0 && p->package_sign == cause_sign(p) && p->path.len > 0 &&
		    p->path.p[0] != '[')
			intern_add(&sources[p->package_sign > 0], p->path);
	vec_each(struct cause_part, p, &e->parts) {
		const int sign = cause_sign(p);
		if (sign != 0 && p->package_sign == 0 && !(sign > 0 && p->old_path) &&
		    intern_find(&sources[sign > 0], p->path, &id))
			p->package_sign = sign;
	}
	intern_release(&sources[0]);
	intern_release(&sources[1]);
}

/* Guesses that packages are new or gone. The three largest are named. */
static void packages_guess_side(const struct package_list *all, struct cause_evidence *e, int sign)
{
	struct cause_guess g = { .cause = { .kind = CAUSE_PACKAGE, .sign = sign },
				 .claims = claims_package };
	const struct package_sides *largest[3] = { NULL, NULL, NULL };
	for (size_t i = 0; i < all->list.count; i++) {
		const struct package_sides *p = &all->list.data[i];
		if (p->on[1] - p->on[0] != sign)
			continue;
		g.cause.count++;
		for (size_t k = 0; k < COUNT_OF(largest); k++)
			if (p != NULL && (largest[k] == NULL || p->bytes > largest[k]->bytes)) {
				const struct package_sides *out = largest[k];
				largest[k] = p;
				p = out;
			}
	}
	for (size_t k = 0; k < COUNT_OF(largest); k++)
		g.cause.names[k] = largest[k] == NULL
					   ? ""
					   : arena_copy(e->arena, largest[k]->label[sign > 0]);
	if (g.cause.count > 0)
		vec_push(&e->guesses, g);
}

/* Guesses that packages are new, gone, or have another version. */
static void packages_guess(struct cause_evidence *e)
{
	struct package_list all = { { { 0 } } };
	/* A package may be a folder below the root that all sources share. With another root,
	 * folders have other names. */
	if (!str_eq(align_main_package(e->d->before), align_main_package(e->d->after)))
		return;
	packages_list(&all, e);
	packages_weigh(&all, e);
	packages_take_copies(e);
	packages_guess_side(&all, e, 1);
	packages_guess_side(&all, e, -1);
	vec_each(const struct package_sides, p, &all.list)
		if (p->on[0] && p->on[1] && !str_eq(p->label[0], p->label[1]))
			version_guess(e, p->label[0], p->label[1]);
	vec_release(&all.list);
	intern_release(&all.names);
}

/* True for new (gone) symbols without a source file. Used if most other code has source files. */
static bool claims_undescribed(const struct cause_guess *g, const struct cause_part *p)
{
	return cause_sign(p) == g->cause.sign && !p->fallback &&
	       (p->path.len == 0 || p->path.p[0] == '[' ||
		(!p->old_path && str_ends(p->path, STR(".o"))));
}

/* Returns the beginning of names, up to their first "_", that has half of the bytes of what a guess
 * claims. NULL without one. Reads the names twice (majority vote). */
static const char *objects_prefix(struct cause_evidence *e, const struct cause_guess *g)
{
	struct str best = STR("");
	double votes = 0, with = 0, all = 0;
	for (int pass = 0; pass < 2; pass++)
		vec_each(const struct cause_part, p, &e->parts) {
			const char *line = p->name.len > 3
						   ? memchr(p->name.p + 2, '_', p->name.len - 3)
						   : NULL;
			if (!claims_undescribed(g, p))
				continue;
			const struct str prefix =
				line ? str_upto(p->name, (size_t)(line + 1 - p->name.p)) : STR("");
			const bool same = line && str_eq(prefix, best);
			all += pass > 0 ? cause_size(p) : 0;
			with += pass > 0 && same ? cause_size(p) : 0;
			if (pass > 0 || !line)
				continue;
			best = !same && votes < cause_size(p) ? prefix : best;
			votes = same ? votes + cause_size(p) : fabs(votes - cause_size(p));
		}
	return best.len > 0 && 2 * with >= all ? arena_copy(e->arena, best) : NULL;
}

/* Guesses that objects without debug info are new or gone. */
static void objects_guess(struct cause_evidence *e)
{
	if (e->described <= e->undescribed)
		return;
	for (int sign = -1; sign <= 1; sign += 2) {
		struct cause_guess g = { .cause = { .kind = CAUSE_OBJECTS, .sign = sign },
					 .claims = claims_undescribed };
		size_t count = 0;
		const char *names[3] = { "", "", "" };
		for (size_t i = 0; i < e->parts.count && count < COUNT_OF(names); i++) {
			const struct cause_part *p = &e->parts.data[i];
			bool known = p->path.len == 0 || p->path.p[0] == '[' ||
				     !claims_undescribed(&g, p);
			for (size_t k = 0; k < count; k++)
				known = known || str_eq(str_of(names[k]), p->path);
			if (!known)
				names[count++] = arena_copy(e->arena, p->path);
		}
		memcpy(g.cause.names, names, sizeof names);
		g.text = STR(" ");
		g.cause.prefix = objects_prefix(e, &g);
		vec_push(&e->guesses, g);
	}
}

static const char floats[] = "text of floating-point numbers (`dtoa`, `strtod`)";
static const char exceptions[] = "exceptions and their unwinder";

/* Parts of run times, by texts in the names or paths of their symbols. */
static const struct runtime_part {
	const char *words, *texts; /* `texts`: separated by blanks. "=x" is the whole name x */
} runtime_parts[] = {
	{ "formatted output (`printf`)", "printf ssputs ssprint sprint_r sfputs fwalk" },
	{ "formatted input (`scanf`)", "scanf" },
	{ "the heap's allocator (`malloc`)", "malloc =_free_r =free realloc calloc sbrk" },
	{ "arithmetic with `double` in software",
	  "ieee754-df __aeabi_d =__adddf3 =__subdf3 =__muldf3 =__divdf3 sfdf2 dfsf2 df2" },
	{ "arithmetic with `float` in software",
	  "ieee754-sf __aeabi_f =__addsf3 =__subsf3 =__mulsf3 =__divsf3 sf2" },
	{ "division of 64-bit numbers in software",
	  "ldivmod divmoddi4 =__divdi3 =__udivdi3 moddi3" },
	{ floats, "dtoa strtod gdtoa mprec printf_float printf_fp" },
	{ "input and output streams with their locales (`iostream`)",
	  "basic_ostream basic_istream basic_iostream streambuf ios_base basic_ios std::locale "
	  "num_put num_get money time_put time_get ctype codecvt numpunct messages filebuf" },
	{ exceptions, "_Unwind_ __cxa_throw __cxa_begin_catch __cxa_end_catch __cxa_rethrow "
		      "__gxx_personality unwind-dw2 eh_throw eh_alloc" },
	{ "a sanitizer", "__asan_ __ubsan_ __tsan_ __msan_ __sanitizer_" },
	{ "counters of coverage or profiles", "gcov __llvm_profile __profc_ __profd_ __llvm_prf" },
};

static bool is_runtime(const struct runtime_part *r, const struct cause_part *p)
{
	struct str list = str_of(r->texts);
	while (list.len > 0) {
		const struct str word = str_take(&list, ' ');
		if (word.p[0] == '=' ? str_eq(p->name, str_from(word, 1))
				     : cause_has(p->name, word) || cause_has(p->path, word))
			return true;
	}
	return false;
}

static unsigned runtime_bit(const char *words)
{
	size_t i = 0;
	while (runtime_parts[i].words != words)
		i++;
	ASSERT(i < COUNT_OF(runtime_parts));
	return 1u << i;
}

bool cause_is_exceptions(const struct cause_part *p)
{
	return p->runtime & runtime_bit(exceptions);
}

static bool claims_runtime(const struct cause_guess *g, const struct cause_part *p)
{
	unsigned bits = runtime_bit(g->cause.names[1]);
	/* If `printf` came or went, its code for floating-point numbers did too. */
	if (bits == 1)
		bits |= runtime_bit(floats);
	return p->runtime & bits && cause_sign(p) == g->cause.sign;
}

/* Adds a guess that runtime_parts[part] is new or gone. If some symbols with its texts in their
 * names changed in the opposite direction, one implementation replaced another (cause.gone). */
static void runtime_guess_part(struct cause_evidence *e, size_t part, int sign)
{
	const unsigned bit = 1u << part;
	double bytes[2] = { 0, 0 }; /* Changed bytes, in the direction `sign` and the opposite */
	vec_each(const struct cause_part, p, &e->parts) {
		const bool numbers = part == 0 && p->runtime & runtime_bit(floats);
		if (p->runtime & bit && !numbers && cause_sign(p) != 0)
			bytes[cause_sign(p) != sign] += cause_size(p);
	}
	if (bytes[0] > 0)
		names_guess(e,
			    (struct cause_guess){
				    .cause = { .kind = CAUSE_RUNTIME,
					       .sign = sign,
					       .replaced = bytes[1] * 20 >= bytes[0],
					       .names = { "", runtime_parts[part].words } },
				    .claims = claims_runtime },
			    str_of(runtime_parts[part].words));
}

static void runtime_guess(struct cause_evidence *e)
{
	vec_each(struct cause_part, p, &e->parts) {
		for (size_t k = 0; k < COUNT_OF(runtime_parts) && !p->fallback; k++)
			p->runtime |= is_runtime(&runtime_parts[k], p) ? 1u << k : 0;
	}
	for (size_t i = 0; i < COUNT_OF(runtime_parts); i++)
		for (int sign = -1; sign <= 1; sign += 2)
			runtime_guess_part(e, i, sign);
}

/* A text that names share: a namespace, a class, a template, the beginning of C names. */
struct family {
	double bytes;
	size_t count;
	uint32_t last; /* Index of the struct cause_part that was counted last, plus 1 */
	bool common;   /* True if the other snapshot has the text too */
};

struct families {
	struct intern texts;
	VEC(struct family) list;
	double bytes;  /* cause_size() of the part (struct cause_part) whose name is being read */
	uint32_t part; /* Index of that part, plus 1. 0 for names of the other snapshot */
};

/* Limits for the families of one name. Only malicious names exceed them. */
enum { NAME_READ_MOST = 2000, SPACES_MOST = 6, FAMILIES_MOST = 8, FAMILY_LEAST = 3 };

static void family_count(struct families *f, struct str text)
{
	uint32_t id;
	if (str_eq(text, STR("const")) || str_eq(text, STR("operator")))
		return;
	if (f->part == 0) {
		if (intern_find(&f->texts, text, &id))
			f->list.data[id].common = true;
		return;
	}
	id = intern_add(&f->texts, text);
	if (id == f->list.count)
		vec_push(&f->list, (struct family){ .bytes = 0 });
	ASSERT(id < f->list.count && f->part > 0);
	struct family *x = &f->list.data[id];
	if (x->last == f->part)
		return;
	x->last = f->part;
	x->bytes += f->bytes;
	x->count++;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$';
}

/* Counts the families in a qualified name: "a", "a::b", and "a::b::c" if arguments follow. */
static void family_read_path(struct families *f, struct str path, bool template)
{
	size_t spaces = 0;
	for (size_t i = 1; i + 1 < path.len && spaces < SPACES_MOST; i++)
		if (path.p[i] == ':' && path.p[i + 1] == ':') {
			family_count(f, str_upto(path, i++));
			spaces++;
		}
	if (template)
		family_count(f, path);
}

/* Counts the families in a name: the texts that other names may share with it. */
static void family_read(struct families *f, struct str name)
{
	size_t i = 0, words = 0;
	name = str_upto(name, name.len < NAME_READ_MOST ? name.len : NAME_READ_MOST);
	while (i < name.len) {
		const size_t start = i;
		while (i < name.len &&
		       (is_word(name.p[i]) || (i > start && name.p[i] == ':' && i + 2 < name.len &&
					       (name.p[i + 1] == ':' || name.p[i - 1] == ':'))))
			i++;
		words += i > start;
		/* After "::" is the rest of a name whose beginning has template arguments. */
		if (i > start && (start == 0 || name.p[start - 1] != ':'))
			family_read_path(f, (struct str){ name.p + start, i - start },
					 i < name.len && name.p[i] == '<');
		i += i < name.len;
	}
	const char *line = name.len > 3 ? memchr(name.p + 2, '_', name.len - 3) : NULL;
	if (words == 1 && line && !memchr(name.p, ':', (size_t)(line - name.p)) &&
	    !snap_is_made_up(name))
		family_count(f, str_upto(name, (size_t)(line + 1 - name.p)));
}

/* Returns how much a family (a text that names share) helps to explain a change. The measure
 * is its bytes. They count half if the name begins with "_", because such names are reserved for
 * libraries and tell users less. */
static double family_worth(const struct families *f, uint32_t id)
{
	const struct family *x = &f->list.data[id];
	const struct str text = intern_get(&f->texts, id);
	size_t last = text.len;
	while (last > 0 && text.p[last - 1] != ':')
		last--;
	const bool reserved = last < text.len && text.p[last] == '_';
	return x->common || x->count < FAMILY_LEAST ? 0 : reserved ? x->bytes / 2 : x->bytes;
}

/* Returns a family's text without the inline namespaces of standard libraries. */
static struct str family_shown(struct text *shown, struct str text)
{
	static const char *const inline_spaces[] = { "__cxx11::", "__1::", "__2::" };
	shown->len = 0;
	for (size_t i = 0; i < text.len;) {
		size_t skipped = 0;
		for (size_t k = 0; k < COUNT_OF(inline_spaces); k++)
			if (str_starts(str_from(text, i), str_of(inline_spaces[k])))
				skipped = strlen(inline_spaces[k]);
		if (skipped == 0)
			text_add_char(shown, text.p[i]);
		i += skipped > 0 ? skipped : 1;
	}
	return text_str(shown);
}

/* True if a name has `text` as whole words. If `text` is the beginning of C names ("png_"), the
 * last word may go on after it. */
static bool has_family(struct str name, struct str text)
{
	ASSERT(text.len > 0);
	const bool begins = text.p[text.len - 1] == '_';
	for (size_t i = 0; i + text.len <= name.len; i++) {
		const char *at = memchr(name.p + i, text.p[0], name.len - i);
		if (at == NULL)
			return false;
		i = (size_t)(at - name.p);
		const size_t end = i + text.len;
		if (str_starts(str_from(name, i), text) && (i == 0 || !is_word(name.p[i - 1])) &&
		    (begins || end == name.len || !is_word(name.p[end])))
			return true;
	}
	return false;
}

static bool claims_family(const struct cause_guess *g, const struct cause_part *p)
{
	return !p->fallback && cause_sign(p) == g->cause.sign && has_family(p->name, g->text);
}

static bool claims_classes(const struct cause_guess *g, const struct cause_part *p)
{
	struct str list = g->text;
	bool has = false;
	while (list.len > 0 && !has && !p->fallback && cause_sign(p) == g->cause.sign)
		has = has_family(p->name, str_take(&list, '\n'));
	return has;
}

enum { CLASSES_MOST = 64, CLASSES_LEAST = 2 };

/* Guesses that classes are new or gone (`sign`), from virtual tables that one snapshot has. */
static void classes_guess(struct cause_evidence *e, int sign)
{
	struct text list = { 0 };
	struct cause_guess g = { .cause = { .kind = CAUSE_CLASSES, .sign = sign },
				 .claims = claims_classes };
	for (size_t i = 0; i < e->parts.count && g.cause.count < CLASSES_MOST; i++) {
		const struct cause_part *p = &e->parts.data[i];
		const struct str mark = STR(" [vtable]");
		if (cause_sign(p) != sign || !str_ends(p->name, mark) || p->name.len == mark.len)
			continue;
		const struct str name = str_upto(p->name, p->name.len - mark.len);
		if (g.cause.count < COUNT_OF(g.cause.names))
			g.cause.names[g.cause.count] = arena_copy(e->arena, name);
		text_add(&list, g.cause.count++ > 0 ? STR("\n") : STR(""));
		text_add(&list, name);
	}
	for (size_t i = g.cause.count; i < COUNT_OF(g.cause.names); i++)
		g.cause.names[i] = "";
	g.text = str_of(arena_copy(e->arena, text_str(&list)));
	if (g.cause.count >= CLASSES_LEAST)
		vec_push(&e->guesses, g);
	text_release(&list);
}

/* Guesses that families of names (struct family) are new or gone (`sign`). */
static void families_guess(struct cause_evidence *e, int sign)
{
	struct families f = { .bytes = 0 };
	struct text shown = { 0 };
	const struct snapshot *other = sign > 0 ? e->d->before : e->d->after;
	for (uint32_t i = 0; i < e->parts.count; i++) {
		const struct cause_part *p = &e->parts.data[i];
		f.bytes = cause_size(p);
		f.part = i + 1;
		if (cause_sign(p) == sign && !p->fallback)
			family_read(&f, p->name);
	}
	f.part = 0;
	for (size_t i = 0; f.list.count > 0 && i < other->symbols.count; i++)
		family_read(&f, snapshot_text(other, other->symbols.data[i].full_name));
	for (size_t n = 0; n < FAMILIES_MOST; n++) {
		uint32_t best = 0;
		for (uint32_t i = 1; i < f.list.count; i++)
			if (family_worth(&f, i) > family_worth(&f, best))
				best = i;
		if (f.list.count == 0 || family_worth(&f, best) == 0)
			break;
		const struct str text = intern_get(&f.texts, best);
		names_guess(e,
			    (struct cause_guess){ { .kind = CAUSE_FAMILY, .sign = sign },
						  claims_family,
						  str_of(arena_copy(e->arena, text)) },
			    family_shown(&shown, text));
		f.list.data[best].common = true;
	}
	vec_release(&f.list);
	intern_release(&f.texts);
	text_release(&shown);
}

void causes_guess_names(struct cause_evidence *e)
{
	packages_guess(e);
	objects_guess(e);
	runtime_guess(e);
	for (int sign = 1; sign >= -1; sign -= 2) {
		families_guess(e, sign);
		classes_guess(e, sign);
	}
}
