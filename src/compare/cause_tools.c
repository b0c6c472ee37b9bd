/* Rules of causes by what compilers and programs state of themselves: metadata of the snapshots. */
#include "compare/cause_evidence.h"
#include "program/made_by.h"

enum { TOOLS_MOST = 64 };

/* A compiler with options, and its number of units in each snapshot. */
struct unit_tool {
	struct str compiler, options;
	uint64_t units[2];
};

struct unit_tools_of_both {
	struct unit_tool list[TOOLS_MOST];
	size_t count;
	uint64_t units[2]; /* Numbers of all units in each snapshot */
};

struct str causes_metadata(const struct snapshot *s, const char *key)
{
	if (s->containers.count != 1)
		return STR("");
	const struct snap_container *c = &s->containers.data[0];
	for (size_t i = 0; i < c->metadata.count; i++)
		if (strcmp(c->metadata.data[i].key, key) == 0 &&
		    c->metadata.data[i].kind == SNAP_TEXT)
			return str_of(c->metadata.data[i].text);
	return STR("");
}

/* Takes the text before the next separator off *rest. */
static struct str causes_take_item(struct str *rest, char separator)
{
	const struct str item = str_take(rest, separator);
	while (rest->len > 0 && rest->p[0] == ' ')
		*rest = str_from(*rest, 1);
	return item;
}

/* Adds "3 GNU C++17 12.2.0 -O2 -g". */
static void tools_add(struct unit_tools_of_both *t, size_t side, struct str item)
{
	uint64_t units = 0;
	size_t i = 0, at = 0;
	for (; i < item.len && item.p[i] >= '0' && item.p[i] <= '9' && units < UINT32_MAX; i++)
		units = units * 10 + (uint64_t)(item.p[i] - '0');
	item = str_from(item, i < item.len ? i + 1 : i);
	while (at < item.len && !str_starts(str_from(item, at), STR(" -")))
		at++;
	const struct str compiler = str_upto(item, at), options = str_from(item, at);
	size_t k = 0;
	while (k < t->count &&
	       !(str_eq(t->list[k].compiler, compiler) && str_eq(t->list[k].options, options)))
		k++;
	if (k == TOOLS_MOST)
		return;
	if (k == t->count)
		t->list[t->count++] = (struct unit_tool){ .compiler = compiler,
							  .options = options };
	ASSERT(k < t->count && side < 2);
	t->list[k].units[side] += units;
	t->units[side] += units;
}

static struct str first_word(struct str s)
{
	return causes_take_item(&s, ' ');
}

/* Returns the compiler that lost (`side` 0) or gained most units. NULL without one. `like` limits
 * the search to compilers with the same first word. */
static const struct unit_tool *most_units(const struct unit_tools_of_both *t, size_t side,
					  const struct unit_tool *like)
{
	const struct unit_tool *ret = NULL;
	uint64_t most = 0;
	for (size_t i = 0; i < t->count; i++) {
		const struct unit_tool *x = &t->list[i];
		if (x->units[side] <= x->units[!side] || x->units[side] - x->units[!side] <= most ||
		    (like && !str_eq(first_word(x->compiler), first_word(like->compiler))))
			continue;
		most = x->units[side] - x->units[!side];
		ret = x;
	}
	return ret;
}

static bool has_word(struct str words, struct str word)
{
	while (words.len > 0)
		if (str_eq(causes_take_item(&words, ' '), word))
			return true;
	return false;
}

/* Lists the options that `other` lacks. `debug`: only those of debug info, otherwise all others. */
static const char *options_beyond(struct arena *a, struct str options, struct str other, bool debug)
{
	struct text list = { 0 };
	while (options.len > 0) {
		const struct str word = causes_take_item(&options, ' ');
		const bool is_debug = str_starts(word, STR("-g"));
		/* gcc records the linker among the options, but it does not change code. */
		if (str_starts(word, STR("-fuse-ld=")) || word.len == 0 || is_debug != debug ||
		    has_word(other, word) || has_word(text_str(&list), word))
			continue;
		if (list.len > 0)
			text_add_char(&list, ' ');
		text_add(&list, word);
	}
	const char *ret = arena_copy(a, text_str(&list));
	text_release(&list);
	return ret;
}

/* Options change the code of sources that both snapshots have. New functions count only if they are
 * few beside it: `text` is not empty then. */
static bool claims_compiled(const struct cause_guess *g, const struct cause_part *p)
{
	return p->fallback || p->change == HEFT_CHANGED || p->change == HEFT_REMOVED ||
	       (g->text.len > 0 && p->code && p->old_path);
}

/* True if a list of options has no inlining: with `-O0`, `-Og` or without any `-O`. */
static bool lacks_inlining(struct str options)
{
	return has_word(options, STR("-O0")) || has_word(options, STR("-Og")) ||
	       !cause_has(options, STR("-O"));
}

/* Adds what the compilers state. `new_too`: new functions in old sources come from it too, also if
 * they are not few. */
static void tools_guess(struct cause_evidence *e, struct cause cause, bool new_too)
{
	double added = 0, other = 0;
	vec_each(const struct cause_part, p, &e->parts)
		*(p->change == HEFT_ADDED ? &added : &other) += cause_size(p);
	const struct str text = new_too || added < other ? STR("new") : STR("");
	cause.names[2] = "";
	vec_push(&e->guesses,
		 (struct cause_guess){ cause, claims_compiled, text, 2 * cause.count >= cause.of });
}

/* Returns the language of gcc's "GNU C++17 12.2.0": "C++17". "" for other compilers. */
static struct str language_of(struct str compiler)
{
	return str_eq(causes_take_item(&compiler, ' '), STR("GNU"))
		       ? causes_take_item(&compiler, ' ')
		       : STR("");
}

/* True if two compilers differ in the language alone. */
static bool differ_in_language(struct str a, struct str b)
{
	const struct str of_a = language_of(a), of_b = language_of(b);
	return of_a.len > 0 && of_b.len > 0 && !str_eq(of_a, of_b) &&
	       str_eq(str_from(a, 4 + of_a.len), str_from(b, 4 + of_b.len));
}

/* Guesses that units which had the compiler `lost` have `gained`. */
static void tools_guess_units(struct cause_evidence *e, const struct unit_tools_of_both *t,
			      const struct unit_tool *lost, const struct unit_tool *gained)
{
	const bool language = differ_in_language(lost->compiler, gained->compiler);
	const bool compiler = !language && !str_eq(lost->compiler, gained->compiler);
	struct cause c = {
		.kind = compiler ? CAUSE_COMPILER : CAUSE_OPTIONS,
		.count = (size_t)min_u64(lost->units[0] - lost->units[1],
					 gained->units[1] - gained->units[0]),
		.of = (size_t)t->units[1],
		.gone = (size_t)e->gone,
		.added = (size_t)e->added,
		.names = { options_beyond(e->arena, gained->options, lost->options, false),
			   options_beyond(e->arena, lost->options, gained->options, false) },
	};
	if (compiler) {
		c.names[0] = arena_copy(e->arena, lost->compiler);
		c.names[1] = arena_copy(e->arena, gained->compiler);
	} else if (language) {
		const struct str to = language_of(gained->compiler),
				 from = language_of(lost->compiler);
		c.names[0] = arena_format(e->arena, "%.*s%s%s", STR_ARG(to), *c.names[0] ? " " : "",
					  c.names[0]);
		c.names[1] = arena_format(e->arena, "%.*s%s%s", STR_ARG(from),
					  *c.names[1] ? " " : "", c.names[1]);
	}
	/* A few units that went and others that came look like units with other options. */
	const bool few = c.count * 20 < c.of;
	if (!few && (*c.names[0] || *c.names[1]))
		tools_guess(e, c, lacks_inlining(lost->options) != lacks_inlining(gained->options));
}

/* Compares whether debug info is compressed, and the versions that the headers of units have. */
static void dwarf_compare(struct cause_evidence *e, struct causes *ret)
{
	const bool packed = causes_metadata(e->d->after, "elf_debug_packed").len > 0;
	ret->debug_packed = packed -
			    (causes_metadata(e->d->before, "elf_debug_packed").len > 0 ? 1 : 0);
	const struct str was = causes_metadata(e->d->before, "elf_dwarf_versions");
	const struct str now = causes_metadata(e->d->after, "elf_dwarf_versions");
	if (str_eq(was, now))
		return;
	ret->dwarf[0] = arena_copy(e->arena, was);
	ret->dwarf[1] = arena_copy(e->arena, now);
}

/* Compares the compilers that the units of debug info state. */
static bool tools_compare_units(struct cause_evidence *e, struct causes *ret)
{
	static const char key[] = "elf_units_made_by";
	struct unit_tools_of_both t = { .count = 0 };
	struct str lists[] = { causes_metadata(e->d->before, key),
			       causes_metadata(e->d->after, key) };
	for (size_t side = 0; side < 2; side++)
		while (lists[side].len > 0)
			tools_add(&t, side, causes_take_item(&lists[side], ';'));
	if (t.units[0] == 0 || t.units[1] == 0)
		return false;
	const struct unit_tool *lost = most_units(&t, 0, NULL);
	const struct unit_tool *gained = lost ? most_units(&t, 1, lost) : NULL;
	e->same_options = lost == NULL && t.count > 0 && t.list[0].options.len > 0;
	if (lost == NULL)
		return true;
	if (gained == NULL)
		gained = most_units(&t, 1, NULL);
	if (gained == NULL)
		return true;
	ret->debug_options[0] = options_beyond(e->arena, lost->options, gained->options, true);
	ret->debug_options[1] = options_beyond(e->arena, gained->options, lost->options, true);
	tools_guess_units(e, &t, lost, gained);
	return true;
}

/* Returns the linker of a list of tools. */
static struct str linker_of(struct str list)
{
	while (list.len > 0) {
		const struct str item = causes_take_item(&list, ',');
		if (made_by_is_linker(item))
			return item;
	}
	return STR("GNU ld or gold");
}

/* True if few of the functions that stay have another size of their own. */
static bool functions_stay(const struct cause_evidence *e)
{
	size_t changed = 0;
	for (size_t i = 0; i < e->parts.count; i++) {
		const struct cause_part *p = &e->parts.data[i];
		changed += p->code && cause_sign(p) == 0 && p->own != 0;
	}
	return changed * 8 <= e->kept;
}

/* Guesses that another linker made the program, if the functions stay as they are. */
static void linkers_compare(struct cause_evidence *e)
{
	const struct str old = causes_metadata(e->d->before, "elf_made_by");
	const struct str new_ = causes_metadata(e->d->after, "elf_made_by");
	const struct str was = linker_of(old), is = linker_of(new_);
	if (old.len == 0 || new_.len == 0 || str_eq(was, is) || !functions_stay(e))
		return;
	vec_push(&e->guesses,
		 (struct cause_guess){ .cause = { .kind = CAUSE_LINKER,
						  .names = { arena_copy(e->arena, was),
							     arena_copy(e->arena, is), "" } },
				       .claims = cause_claims_all,
				       .first = true });
}

/* Returns the first compiler of a list that another list lacks. "" without one. */
static struct str item_beyond(struct str list, struct str other)
{
	while (list.len > 0) {
		const struct str item = causes_take_item(&list, ',');
		if (item.len > 0 && !cause_has(other, item) && !made_by_is_linker(item))
			return item;
	}
	return STR("");
}

/* Compares the compilers that the programs state. A library may bring another one, so the functions
 * that stay must differ too. */
static void tools_compare(struct cause_evidence *e)
{
	struct str old = causes_metadata(e->d->before, "elf_made_by");
	struct str new_ = causes_metadata(e->d->after, "elf_made_by");
	const struct str gone = item_beyond(old, new_), added = item_beyond(new_, old);
	if ((gone.len == 0 && added.len == 0) || !cause_code_differs(e, 1))
		return;
	const struct str was = gone.len > 0 ? gone : causes_take_item(&old, ',');
	const struct str is = added.len > 0 ? added : causes_take_item(&new_, ',');
	if (was.len > 0 && is.len > 0)
		tools_guess(e,
			    (struct cause){ .kind = CAUSE_COMPILER,
					    .names = { arena_copy(e->arena, was),
						       arena_copy(e->arena, is) } },
			    true);
}

/* Finds modules and crates with another version: "NAME VERSION, NAME VERSION". */
static void parts_compare(struct cause_evidence *e)
{
	struct str old = causes_metadata(e->d->before, "elf_parts");
	while (old.len > 0) {
		struct str version = causes_take_item(&old, ',');
		const struct str name = causes_take_item(&version, ' ');
		struct str list = causes_metadata(e->d->after, "elf_parts");
		while (list.len > 0 && name.len > 0) {
			struct str now = causes_take_item(&list, ',');
			if (!str_eq(causes_take_item(&now, ' '), name) || str_eq(now, version))
				continue;
			const struct cause c = { .kind = CAUSE_VERSION,
						 .names = { arena_copy(e->arena, name),
							    arena_copy(e->arena, version),
							    arena_copy(e->arena, now) } };
			vec_push(&e->guesses, (struct cause_guess){ c, cause_claims_version,
								    str_of(c.names[0]) });
		}
	}
}

/* Returns the source of a function. "" if debug info does not describe it, and for data. */
static struct str described_source(const struct snapshot *s, const struct snap_charge *c)
{
	const struct str path = snapshot_text(s, c->source);
	const bool code = c->symbol != SNAP_NO_SYMBOL &&
			  s->sections.data[s->symbols.data[c->symbol].section].code;
	return code && path.len > 0 && path.p[0] != '[' ? path : STR("");
}

/* Functions of a source: those that only the base or only the later snapshot describes, and those
 * that both describe. */
struct described {
	size_t one[2], both;
};

/* Finds sources most of whose functions only one snapshot describes. The symbol table tells the
 * sources of some functions without debug info, too. None if functions moved: then a source may be
 * another one of the other snapshot. */
static void causes_find_described(struct cause_evidence *e, struct causes *ret)
{
	struct intern paths = { { 0 } };
	VEC(struct described) list = { 0 };
	const struct snapshot *const before = e->d->before, *const after = e->d->after;
	bool moved = false;
	vec_each(const struct charge_pair, p, &e->d->charges.list) {
		if (p->debug || p->before == SNAP_NO_SYMBOL || p->after == SNAP_NO_SYMBOL)
			continue;
		const struct str was = described_source(before, &before->charges.data[p->before]);
		const struct str now = described_source(after, &after->charges.data[p->after]);
		moved = moved || (was.len > 0 && now.len > 0 && !str_eq(was, now));
		if (was.len == 0 && now.len == 0)
			continue;
		const uint32_t id = intern_add(&paths, was.len > 0 ? was : now);
		if (id == list.count)
			vec_push(&list, (struct described){ .both = 0 });
		*(was.len > 0 && now.len > 0 ? &list.data[id].both
					     : &list.data[id].one[was.len == 0]) += 1;
	}
	for (size_t side = 0; side < 2; side++)
		ret->debug_sources[side].path = "";
	for (size_t i = 0; i < 2 * list.count && !moved; i++) {
		const struct described *x = &list.data[i / 2];
		if (x->one[i % 2] > 0 && x->one[i % 2] >= x->both &&
		    ret->debug_sources[i % 2].count++ == 0)
			ret->debug_sources[i % 2].path = arena_copy(
				e->arena, intern_get(&paths, (uint32_t)(i / 2)));
	}
	vec_release(&list);
	intern_release(&paths);
}

void causes_guess_tools(struct cause_evidence *e, struct causes *ret)
{
	const struct str old = causes_metadata(e->d->before, "elf_build_id");
	const struct str new_ = causes_metadata(e->d->after, "elf_build_id");
	ret->same_build = old.len > 0 && str_eq(old, new_);
	ret->other_build = old.len > 0 && new_.len > 0 && !ret->same_build;
	dwarf_compare(e, ret);
	if (!tools_compare_units(e, ret))
		tools_compare(e);
	causes_find_described(e, ret);
	linkers_compare(e);
	parts_compare(e);
}
