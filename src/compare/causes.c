/* Finds what a change comes from: gathers evidence, asks the rules, and chooses. */
#define _GNU_SOURCE /* For memmem(). */

#include "compare/cause_evidence.h"

#include "compare/align_paths.h"
#include "image/image.h"

#include <math.h>
#include <stdlib.h>

/* Least shares of the change that a cause must explain: to be the only cause, to be a further
 * cause, or to be one of several large causes. */
static const double share_sole = 0.5, share_beside = 0.25, share_part = 0.05;

bool cause_has(struct str text, struct str part)
{
	return part.len == 0 || (text.len > 0 && memmem(text.p, text.len, part.p, part.len));
}

static const struct snap_symbol *causes_symbol_of(const struct snapshot *s,
						  const struct snap_charge *c)
{
	return c->symbol == SNAP_NO_SYMBOL ? NULL : &s->symbols.data[c->symbol];
}

/* Returns the bytes in the file, or in memory if these changed more or if only these count. */
static struct padded larger_change(const struct charge_pair *p, bool loaded)
{
	const struct padded file = { (double)p->file[0], (double)p->file[1] };
	const struct padded vm = { (double)p->vm[0], (double)p->vm[1] };
	return loaded || fabs(padded_delta(vm)) > fabs(padded_delta(file)) ? vm : file;
}

/* Returns the change of the symbol's own size, without other bytes of its charge. */
static double own_change(const struct snapshot_diff *d, const struct charge_pair *p)
{
	double size[2] = { 0, 0 };
	for (size_t side = 0; side < 2; side++) {
		const struct snapshot *s = side == 0 ? d->before : d->after;
		const uint32_t charge = side == 0 ? p->before : p->after;
		const struct snap_symbol *y =
			charge == SNAP_NO_SYMBOL ? NULL
						 : causes_symbol_of(s, &s->charges.data[charge]);
		size[side] = y ? (double)y->size : 0;
	}
	return size[1] - size[0];
}

/* True for the path of a source file, false for that of an object. */
static bool is_source(struct str path)
{
	return path.len > 0 && path.p[0] != '[' && !str_ends(path, STR(".o"));
}

/* Returns the section of the old symbol of a pair if the new one has another section. */
static struct str section_before(const struct snapshot_diff *d, const struct charge_pair *p,
				 const struct snap_section *now)
{
	const struct snapshot *s = d->before;
	const struct snap_symbol *y = p->before == SNAP_NO_SYMBOL
					      ? NULL
					      : causes_symbol_of(s, &s->charges.data[p->before]);
	const char *was = y && now ? s->sections.data[y->section].name : "";
	return *was && strcmp(was, now->name) != 0 ? str_of(was) : STR("");
}

static struct cause_part part_of(const struct cause_evidence *e, const struct charge_pair *p)
{
	const struct snapshot_diff *d = e->d;
	const bool old = p->after == SNAP_NO_SYMBOL;
	const struct snapshot *s = old ? d->before : d->after;
	ASSERT((old ? p->before : p->after) < s->charges.count);
	const struct snap_charge *c = &s->charges.data[old ? p->before : p->after];
	const struct snap_symbol *y = causes_symbol_of(s, c);
	const struct snap_section *sec = y ? &s->sections.data[y->section] : NULL;
	const struct str path = snapshot_text(s, c->source != 0 ? c->source : c->object);
	uint32_t id;
	return (struct cause_part){
		.change = p->change,
		.pair = (uint32_t)(p - d->charges.list.data),
		.code = sec && sec->code,
		.clone = y && y->flags & SNAP_CLONE,
		.fallback = charge_is_fallback(s, c->name),
		.delta = padded_delta(larger_change(p, e->loaded)),
		.before = larger_change(p, e->loaded).before,
		.label = charge_label(s, c, HEFT_DIFF_BY_SYMBOL),
		.name = y ? snapshot_text(s, y->full_name)
			  : charge_label(s, c, HEFT_DIFF_BY_SYMBOL),
		.plain = y ? snapshot_text(s, y->name) : STR(""),
		.instance = y ? snapshot_text(s, y->template_name) : STR(""),
		.path = path,
		.old_path = path.len > 0 && intern_find(&d->before->texts, path, &id),
		.package = snapshot_text(s, c->package),
		.section = str_of(sec ? sec->name : ""),
		.section_was = section_before(d, p, sec),
		.own = own_change(d, p),
		.vm = (double)p->vm[1] - (double)p->vm[0],
	};
}

bool cause_is_cold(const struct cause_part *p)
{
	return p->code && cause_has(p->label, STR(".cold"));
}

/* Counts a function: as one of both snapshots, larger, smaller, new or gone. */
static void evidence_add_function(struct cause_evidence *e, const struct charge_pair *p,
				  const struct cause_part *part)
{
	if (p->before != SNAP_NO_SYMBOL && p->after != SNAP_NO_SYMBOL) {
		e->kept++;
		e->larger += part->own > 0;
		e->smaller += part->own < 0;
	}
	const bool cold = cause_is_cold(part);
	if (snap_is_made_up(part->name))
		return;
	e->cold_gone += cold && part->change == HEFT_REMOVED;
	e->gone += !part->clone && part->change == HEFT_REMOVED;
	e->added += !part->clone && part->change == HEFT_ADDED;
}

static const char ownerless[] = "[section ";

/* Returns the section that a label of bytes without a symbol names. "" for other labels. */
static struct str section_of_label(struct str label)
{
	const size_t mark = strlen(ownerless);
	return str_starts(label, str_of(ownerless)) && label.len > mark
		       ? (struct str){ label.p + mark, label.len - mark - 1 }
		       : STR("");
}

static void evidence_add(struct cause_evidence *e, const struct charge_pair *p)
{
	const struct cause_part part = part_of(e, p);
	const struct str section = section_of_label(part.label);
	const bool padding = part.fallback && part.section.len == 0 && section.len == 0;
	if (part.code)
		evidence_add_function(e, p, &part);
	if (p->change == HEFT_RENAMED || p->change == HEFT_MOVED) {
		*(p->change == HEFT_RENAMED ? &e->renamed : &e->moved) += (double)p->file[1];
		*(p->change == HEFT_RENAMED ? &e->renamed_count : &e->moved_count) += 1;
	}
	*(is_source(part.path) ? &e->described : &e->undescribed) += part.code ? (double)p->file[0]
									       : 0;
	e->padding += padding ? part.delta : 0;
	if (part.delta == 0 || padding || section_name_is_debug(section) ||
	    str_eq(section, STR(".relro_padding")))
		return;
	e->all += cause_size(&part);
	vec_push(&e->parts, part);
}

/* Lists the paths of the source or object files of code, each once, in *ret. */
static void paths_of_code(const struct snapshot *s, struct intern *ret)
{
	vec_each(const struct snap_charge, c, &s->charges) {
		const struct snap_symbol *y = causes_symbol_of(s, c);
		const struct str path = snapshot_text(s, c->source != 0 ? c->source : c->object);
		if (y && !c->debug && s->sections.data[y->section].code && path.len > 0 &&
		    path.p[0] != '[')
			intern_add(ret, path);
	}
}

/* Returns the number of paths that `other` lacks. */
static size_t paths_beyond(const struct intern *paths, const struct intern *other)
{
	size_t ret = 0;
	uint32_t id;
	for (size_t i = 0; i < paths->entries.count; i++)
		ret += !intern_find(other, paths->entries.data[i], &id);
	return ret;
}

/* True if most source files were joined to one: at least two thirds of their paths are gone, and at
 * most one path is new. */
static bool became_one_unit(const struct snapshot_diff *d)
{
	struct intern before = { { 0 } }, after = { { 0 } };
	paths_of_code(d->before, &before);
	paths_of_code(d->after, &after);
	const size_t gone = paths_beyond(&before, &after);
	const bool ret = gone >= 2 && 3 * gone >= 2 * before.entries.count &&
			 paths_beyond(&after, &before) <= 1;
	intern_release(&before);
	intern_release(&after);
	return ret;
}

static bool claims_code(const struct cause_guess *g, const struct cause_part *p)
{
	const bool comes = p->change == HEFT_ADDED && !snap_is_made_up(p->name);
	return p->fallback || (p->code && (!comes || g->text.len > 0));
}

bool cause_claims_all(const struct cause_guess *g, const struct cause_part *p)
{
	(void)g;
	(void)p;
	return true;
}

/* Guesses at most one cause for changes of all code: another program, all sources compiled as one
 * unit, or other code (cause_code_differs()). The last two explain added functions only if 3/4 of
 * the functions in both snapshots have another size. */
static void causes_guess_code(struct cause_evidence *e)
{
	const size_t changed = e->larger + e->smaller;
	const double few = 4 * (double)e->kept; /* Two programs have few functions in common */
	const bool others = few < e->gone && few < e->added;
	struct cause_guess g = { .cause = { .kind = others ? CAUSE_OTHER : CAUSE_ONE_UNIT,
					    .count = changed,
					    .grown = e->larger,
					    .of = e->kept,
					    .gone = (size_t)e->gone,
					    .added = (size_t)e->added,
					    .names = { "", "", "" } },
				 .claims = claims_code,
				 .text = changed * 4 >= e->kept * 3 ? STR("all") : STR("") };
	if (g.cause.kind == CAUSE_OTHER) {
		g.claims = cause_claims_all;
		vec_push(&e->guesses, g);
	} else if (e->gone > 0 && changed > 0 && became_one_unit(e->d)) {
		vec_push(&e->guesses, g);
	} else if (cause_code_differs(e, 8)) {
		g.cause.kind = CAUSE_CODE;
		vec_push(&e->guesses, g);
	}
}

/* Claims functions that are gone, and those that grew. */
static bool claims_inlined(const struct cause_guess *g, const struct cause_part *p)
{
	(void)g;
	return p->code && !p->fallback &&
	       (p->change == HEFT_REMOVED || (p->change == HEFT_CHANGED && p->delta > 0));
}

/* Guesses that functions were inlined: they are gone, and functions of the same sources grew. No
 * function is new. */
static void causes_guess_inlined(struct cause_evidence *e)
{
	struct intern paths = { { 0 } };
	struct cause c = { .kind = CAUSE_INLINED, .names = { "", "", "" } };
	const struct cause_part *most[2] = { NULL,
					     NULL }; /* Of those that are gone, and that grew */
	double gone = 0, grown = 0;
	uint32_t id;
	vec_each(const struct cause_part, p, &e->parts)
		if (p->code && !p->clone && p->change == HEFT_REMOVED && is_source(p->path)) {
			intern_add(&paths, p->path);
			most[0] = most[0] && most[0]->delta < p->delta ? most[0] : p;
			gone -= p->own;
			c.count++;
		}
	vec_each(const struct cause_part, p, &e->parts)
		if (p->code && p->change == HEFT_CHANGED && p->own > 0 &&
		    intern_find(&paths, p->path, &id)) {
			most[1] = most[1] && most[1]->own > p->own ? most[1] : p;
			grown += p->own;
			c.grown++;
		}
	intern_release(&paths);
	if (e->added > 0 || !most[0] || !most[1] || grown * 3 < gone || gone * 6 < grown)
		return;
	for (size_t i = 0; i < COUNT_OF(most); i++)
		c.names[i] = arena_copy(e->arena, most[i]->label);
	vec_push(&e->guesses, (struct cause_guess){ .cause = c, .claims = claims_inlined });
}

/* Claims functions that shrank, came or moved. */
static bool claims_outlined(const struct cause_guess *g, const struct cause_part *p)
{
	(void)g;
	return p->code && !p->fallback && p->change != HEFT_REMOVED &&
	       (p->change != HEFT_CHANGED || p->delta < 0);
}

/* Guesses that functions are no longer inlined: they came or moved, and functions of their sources
 * shrank. Functions that came in a new source may have been in any. No function is gone. */
static void causes_guess_outlined(struct cause_evidence *e)
{
	struct intern paths = { { 0 } };
	struct cause c = { .kind = CAUSE_OUTLINED, .names = { "", "", "" } };
	double came = 0, shrunk = 0, most[2] = { 0, 0 };
	bool anywhere = false;
	uint32_t id;
	vec_each(const struct charge_pair, x, &e->d->charges.list) {
		const struct cause_part p = part_of(e, x);
		if (!p.code || p.clone || p.fallback || !is_source(p.path) ||
		    (p.change != HEFT_MOVED && p.change != HEFT_ADDED))
			continue;
		const struct snapshot *s = p.change == HEFT_MOVED ? e->d->before : e->d->after;
		const uint32_t at = p.change == HEFT_MOVED ? x->before : x->after;
		const double size = (double)s->symbols.data[s->charges.data[at].symbol].size;
		intern_add(&paths, snapshot_text(s, s->charges.data[at].source));
		anywhere |= p.change == HEFT_ADDED && !p.old_path;
		came += size;
		c.count++;
		if (size <= most[0])
			continue;
		most[0] = size;
		c.names[0] = arena_copy(e->arena, p.label);
		c.names[2] = p.change == HEFT_MOVED ? arena_copy(e->arena, p.path) : "";
	}
	vec_each(const struct cause_part, p, &e->parts) {
		if (!p->code || p->change != HEFT_CHANGED || p->own >= 0 ||
		    (!anywhere && !intern_find(&paths, p->path, &id)))
			continue;
		shrunk -= p->own;
		c.grown++;
		if (-p->own > most[1]) {
			most[1] = -p->own;
			c.names[1] = arena_copy(e->arena, p->label);
		}
	}
	intern_release(&paths);
	if (e->gone == 0 && shrunk > 0 && shrunk * 2 >= came &&
	    shrunk <= came * 6 * (double)c.grown)
		vec_push(&e->guesses,
			 (struct cause_guess){ .cause = c, .claims = claims_outlined });
}

/* True if the base has a function of the same template or generic function. */
static bool has_instance(const struct cause_evidence *e, const struct cause_part *p)
{
	const struct snapshot *s = e->d->before;
	uint32_t id;
	bool ret = false;
	if (!p->code || p->change != HEFT_ADDED || !cause_has(p->name, STR("<")) ||
	    p->plain.len == 0 || !intern_find(&s->texts, p->plain, &id))
		return false;
	for (size_t i = 0; i < s->symbols.count && !ret; i++)
		ret = s->symbols.data[i].name == id;
	return ret;
}

/* True for the versioned name of an import, such as "free@GLIBC_2.2.5". */
static bool is_versioned(const struct cause_part *p)
{
	return p->section.len == 0 && cause_has(p->label, STR("@"));
}

/* True for the symbol with the label g->text and the path of the cause. An import has two. */
static bool claims_label(const struct cause_guess *g, const struct cause_part *p)
{
	const bool same = str_eq(p->label, g->text) ||
			  (is_versioned(p) && str_starts(p->label, g->text) &&
			   p->label.p[g->text.len] == '@');
	return !p->fallback && same && str_eq(p->path, str_of(g->cause.names[2]));
}

static bool claims_section(const struct cause_guess *g, const struct cause_part *p)
{
	return p->fallback && str_eq(p->label, g->text);
}

/* Guesses that the change is bytes of one section that belong to no symbol. */
static void causes_guess_ownerless(struct cause_evidence *e)
{
	vec_each(const struct cause_part, p, &e->parts) {
		const struct str name = section_of_label(p->label);
		if (!p->fallback || name.len == 0 || cause_size(p) < share_sole * e->all)
			continue;
		const struct cause c = { .kind = CAUSE_SECTION,
					 .sign = cause_sign(p),
					 .names = { arena_copy(e->arena, name),
						    "bytes of a section that belong to no symbol",
						    "" } };
		vec_push(&e->guesses, (struct cause_guess){ c, claims_section, p->label });
	}
}

/* Greatest change of texts, in bytes, that other dates, versions and paths may explain. */
static const double texts_most = 256;

/* Guesses that only texts and their padding differ, as after a rebuild: no symbol came, went or has
 * another size of its own. Ignores changes only in the file: symbols share name tables there. */
static void causes_guess_texts(struct cause_evidence *e)
{
	struct cause c = { .kind = CAUSE_TEXTS, .names = { "", "", "" } };
	double bytes = 0;
	vec_each(const struct cause_part, p, &e->parts) {
		if (p->change == HEFT_ADDED || p->change == HEFT_REMOVED || p->own != 0 ||
		    (p->fallback && p->vm != 0))
			return;
		bytes += fabs(p->vm);
		c.count += p->vm != 0;
		bool known = p->vm == 0 || p->path.len == 0;
		for (size_t i = 0; i < COUNT_OF(c.names) && !known; i++) {
			known = !*c.names[i] || str_eq(p->path, str_of(c.names[i]));
			if (!*c.names[i])
				c.names[i] = arena_copy(e->arena, p->path);
		}
	}
	c.texts = bytes;
	if (c.count >= 2 && bytes <= texts_most && e->moved_count + e->renamed_count == 0)
		vec_push(&e->guesses, (struct cause_guess){ .cause = c,
							    .claims = cause_claims_all,
							    .first = true });
}

/* Returns the name of a symbol for people: with the arguments of a template, if the label lacks
 * them. Without the namespaces if that makes it too long to show them. */
static struct str symbol_name(const struct cause_part *p)
{
	enum { SHOWN = 60 };
	struct str name = p->instance;
	if (!p->code || !cause_has(p->label, STR("<>")) || name.len == 0)
		return p->label;
	for (size_t i = 0; i + 2 < name.len && name.len > SHOWN && name.p[i] != '<'; i++)
		if (name.p[i] == ':' && name.p[i + 1] == ':') {
			name = str_from(name, i + 2);
			i = 0;
		}
	return name;
}

static void causes_guess_symbols(struct cause_evidence *e)
{
	const double entries_most = 1024; /* The name and unwind entry of a new function are less */
	const struct cause_part *most[CAUSES_MOST] = { NULL };
	for (size_t i = 0; i < e->parts.count; i++) {
		const struct cause_part *p = &e->parts.data[i];
		for (size_t k = 0;
		     p != NULL && !p->fallback && !is_versioned(p) && k < COUNT_OF(most); k++)
			if (most[k] == NULL || cause_size(p) > cause_size(most[k])) {
				const struct cause_part *out = most[k];
				most[k] = p;
				p = out;
			}
	}
	for (size_t k = 0; k < COUNT_OF(most) && most[k] != NULL; k++) {
		const struct cause_part *p = most[k];
		const struct str was = p->section_was;
		const struct cause c = {
			.kind = CAUSE_SYMBOL,
			.sign = cause_sign(p),
			.before = p->before,
			.own = p->own,
			.instance = has_instance(e, p),
			.with_data = fabs(p->own) * 2 < cause_size(p) &&
				     (cause_sign(p) == 0 || cause_size(p) > entries_most),
			.section_was = was.len > 0 ? arena_copy(e->arena, was) : NULL,
			.names = { arena_copy(e->arena, symbol_name(p)),
				   arena_copy(e->arena, p->section),
				   arena_copy(e->arena, p->path) },
		};
		vec_push(&e->guesses, (struct cause_guess){ c, claims_label, p->label });
	}
}

/* Changes of padding up to this many bytes are usual: some segments begin at a new page. */
static const double padding_least = 16 << 10;
/* Renamed symbols, with longer or shorter names, change the program's size by at most this. */
static const double same_most = 256;

/* Returns the number of bytes after the last section of the program's files. */
static double causes_appended(const struct snapshot *s)
{
	double ret = 0;
	vec_each(const struct snap_container, c, &s->containers)
		vec_each(const struct snap_metric, m, &c->metrics)
			ret += strcmp(m->name, SNAP_APPENDED) == 0 ? strtod(m->value, NULL) : 0;
	return ret;
}

/* True if no symbol came, went or has another size of its own. */
static bool symbols_stay(const struct cause_evidence *e)
{
	for (size_t i = 0; i < e->parts.count; i++) {
		const struct cause_part *p = &e->parts.data[i];
		if (cause_sign(p) != 0 || p->own != 0)
			return false;
	}
	return true;
}

/* Guesses that the file only has other padding, or other data after its last section. Code that
 * grew moves padding too, so the padding is no cause beside it. */
static void causes_guess_padding(struct cause_evidence *e)
{
	const double size = fabs(e->padding);
	const double appended = causes_appended(e->d->after) - causes_appended(e->d->before);
	const bool data = fabs(appended) * 2 > size;
	const char *words = data ? "data after the last section of the file"
				 : "padding between segments of the file (alignment)";
	if (size > e->all && (size > padding_least || e->all == 0) && (data || symbols_stay(e)))
		vec_push(&e->guesses,
			 (struct cause_guess){ .cause = { .kind = CAUSE_PADDING,
							  .bytes = size,
							  .delta = e->padding,
							  .names = { "", words, "" } } });
}

static bool claims_moved(const struct cause_guess *g, const struct cause_part *p)
{
	return p->change == (g->cause.kind == CAUSE_MOVED ? HEFT_MOVED : HEFT_RENAMED);
}

/* Guesses that symbols have another name or path. This is the whole cause if little else changed.
 * Otherwise it explains the changes of these symbols. */
static void causes_guess_same(struct cause_evidence *e)
{
	const bool moved = e->moved > e->renamed;
	const double bytes = moved ? e->moved : e->renamed;
	double net = 0;
	for (size_t i = 0; i < e->parts.count; i++)
		net += e->parts.data[i].delta;
	const bool alone = (fabs(net) <= same_most && e->all <= bytes / 4) || e->all * 50 <= bytes;
	struct cause_guess g = { .cause = { .kind = moved ? CAUSE_MOVED : CAUSE_RENAMED,
					    .bytes = e->all > 0 ? e->all : 1,
					    .count = moved ? e->moved_count : e->renamed_count,
					    .names = { "", "", "" } },
				 .claims = alone ? NULL : claims_moved };
	if (bytes > 0)
		vec_push(&e->guesses, g);
}

/* Returns the number of changed bytes that a guess explains, except those that earlier causes
 * explain. `use`: marks them as explained. */
static double guess_weigh(struct cause_evidence *e, struct cause_guess *g, bool use)
{
	double bytes = g->claims ? 0 : g->cause.bytes, delta = g->claims ? 0 : g->cause.delta;
	size_t count = 0;
	for (uint32_t i = 0; g->claims && !g->listed && i < e->parts.count; i++)
		if (g->claims(g, &e->parts.data[i]))
			vec_push(&g->parts, i);
	g->listed = true;
	vec_each(const uint32_t, at, &g->parts) {
		struct cause_part *p = &e->parts.data[*at];
		if (p->used)
			continue;
		bytes += cause_size(p);
		delta += p->delta;
		count++;
		p->used = use;
		e->of_pair[p->pair] = use ? g->cause.number : 0;
	}
	if (use) {
		g->cause.bytes = bytes;
		g->cause.delta = delta;
		g->cause.count = g->cause.count > 0 ? g->cause.count : count;
	}
	return bytes;
}

static bool is_derived(enum cause_kind kind)
{
	return kind >= CAUSE_OTHER && kind <= CAUSE_UNWIND;
}

/* Moves the guess that explains most to the causes. False if none explains enough. */
static bool causes_take(struct causes *ret, struct cause_evidence *e)
{
	struct cause_guess *best = NULL;
	double most = share_part * e->all;
	vec_each(struct cause_guess, g, &e->guesses) {
		const double bytes = g->cause.kind == CAUSE_KINDS ? 0 : guess_weigh(e, g, false);
		/* A derived cause, such as "all sources are compiled as one", is only guessed. It
		 * counts only as the first cause, and if it explains at least half of the bytes. */
		if (is_derived(g->cause.kind) && (ret->count > 0 || bytes < share_sole * e->all))
			continue;
		if (g->cause.kind == CAUSE_PADDING && ret->count > 0)
			continue;
		if (g->first && g->cause.kind != CAUSE_KINDS) {
			best = g;
			break;
		}
		/* If two causes explain about as many bytes, prefers the earlier kind of enum
		 * cause_kind, which tells more. */
		const bool earlier = best && g->cause.kind < best->cause.kind;
		if (bytes > 0 && bytes > most * (best == NULL ? 1 : earlier ? 0.9 : 1.1)) {
			best = g;
			most = bytes;
		}
	}
	if (best == NULL)
		return false;
	best->cause.number = (uint8_t)(ret->count + 1);
	(void)guess_weigh(e, best, true);
	ASSERT(ret->count < CAUSES_MOST && best->cause.bytes >= 0);
	best->cause.share = e->all > 0 ? fmin(best->cause.bytes / e->all, 1) : 1;
	ret->list[ret->count++] = best->cause;
	best->cause.kind = CAUSE_KINDS;
	return true;
}

/* Drops inferred guesses about compilation if compilers state their options, or if a section that
 * is new or gone explains enough. */
static void causes_drop_guessed(struct cause_evidence *e)
{
	bool stated = e->same_options;
	vec_each(struct cause_guess, g, &e->guesses)
		stated = stated || g->cause.kind <= CAUSE_COMPILER ||
			 (g->cause.kind == CAUSE_SECTION && g->cause.sign != 0 && g->claims &&
			  guess_weigh(e, g, false) >= share_beside * e->all);
	for (size_t i = 0; stated && i < e->guesses.count; i++) {
		enum cause_kind *kind = &e->guesses.data[i].cause.kind;
		const bool may_stay = *kind >= CAUSE_INLINED && *kind <= CAUSE_UNWIND;
		if (is_derived(*kind) && (!may_stay || !e->same_options))
			*kind = CAUSE_KINDS;
	}
}

const char *causes_below(const char *root, const char *path)
{
	const size_t size = strlen(root);
	return size > 0 && strncmp(path, root, size) == 0 && path[size] == '/' ? path + size + 1
									       : path;
}

/* Finds the directory of the program's own sources. Removes it from what the causes name. */
static void causes_cut_root(struct causes *ret, const struct snapshot_diff *d)
{
	const struct str root = align_project_root(d->after);
	ret->root = arena_copy(&ret->arena, root);
	for (size_t i = 0; i < COUNT_OF(ret->debug_sources); i++)
		ret->debug_sources[i].path = causes_below(ret->root, ret->debug_sources[i].path);
	for (size_t i = 0; i < ret->count; i++)
		for (size_t k = 0; k < COUNT_OF(ret->list[i].names); k++) {
			struct cause *c = &ret->list[i];
			c->names[k] = causes_below(ret->root, c->names[k]);
			c->places[k] = c->places[k] ? causes_below(ret->root, c->places[k]) : NULL;
		}
}

/* Finds the package of `main`, and the largest new functions in it that the first cause
 * does not explain. */
static void causes_find_own(struct causes *ret, const struct cause_evidence *e)
{
	ret->own_package = arena_copy(&ret->arena, align_main_package(e->d->after));
	for (size_t n = 0; n < COUNT_OF(ret->own); n++) {
		const struct cause_part *most = NULL;
		vec_each(const struct cause_part, p, &e->parts) {
			if (p->code && !p->used && is_source(p->path) && p->label.p[0] != '_' &&
			    !str_starts(p->label, STR("type.")) && *ret->own_package &&
			    p->change == HEFT_ADDED && p->path.len > 0 &&
			    str_eq(p->package, str_of(ret->own_package)) &&
			    (n == 0 || !str_eq(p->label, str_of(ret->own[0]))) &&
			    (most == NULL || p->delta > most->delta))
				most = p;
		}
		ret->own[n] = most ? arena_copy(&ret->arena, most->label) : "";
	}
}

/* True for packages of standard libraries, whose generic code comes with its user. */
static bool is_standard(struct str package)
{
	static const char *const names[] = { "std", "core", "alloc", "__gnu_cxx", "runtime" };
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (str_starts(package, str_of(names[i])))
			return true;
	return package.len == 0 || package.p[0] == '(' || package.p[0] == '[';
}

/* Finds the largest new functions of packages that both snapshots have: the program uses more of
 * them now. */
static void causes_find_used(struct causes *ret, const struct cause_evidence *e)
{
	const struct cause_part *before = NULL;
	for (size_t n = 0; n < COUNT_OF(ret->used); n++) {
		const struct cause_part *most = NULL;
		vec_each(const struct cause_part, p, &e->parts)
			if (p->code && !p->clone && p->change == HEFT_ADDED && p != before &&
			    !p->used && *ret->own_package && p->package_sign == 0 &&
			    !is_standard(p->package) &&
			    !str_eq(p->package, str_of(ret->own_package)) &&
			    (most == NULL || p->delta > most->delta))
				most = p;
		before = most;
		ret->used[n] = most ? arena_copy(&ret->arena, most->label) : "";
	}
}

/* Puts the cause that explains most first, and drops further causes that explain little. Causes
 * that compilers or files state stay, because they are sure. */
static void causes_order(struct causes *ret)
{
	struct cause *first = &ret->list[0], *second = &ret->list[1];
	const bool stated = ret->count > 0 && first->kind <= CAUSE_COMPILER;
	if (stated && ret->count > 1 && second->share > first->share) {
		const struct cause c = *first;
		*first = *second;
		*second = c;
	}
	const size_t least = stated && first->kind > CAUSE_COMPILER ? 2 : 1;
	ret->sole = ret->count > 0 && first->share >= share_sole;
	while (ret->count > least && (ret->sole || first->kind <= CAUSE_SECTION) &&
	       (first->kind >= CAUSE_PADDING || ret->list[ret->count - 1].share < share_beside))
		ret->count--;
}

void causes_find(struct causes *ret, const struct snapshot_diff *d,
		 const struct diff_sections *sections, bool loaded)
{
	struct cause_evidence e = {
		.d = d, .sections = sections, .loaded = loaded, .arena = &ret->arena
	};
	*ret = (struct causes){ .debug_options = { "", "" },
				.dwarf = { "", "" },
				.own_package = "",
				.root = "",
				.own = { "", "" },
				.used = { "", "" } };
	if (!d->charged)
		return;
	ret->of_pair = e.of_pair = arena_new(&ret->arena, uint8_t, d->charges.list.count + 1);
	for (size_t i = 0; i < d->charges.list.count; i++)
		if (!d->charges.list.data[i].debug)
			evidence_add(&e, &d->charges.list.data[i]);
	causes_guess_tools(&e, ret);
	causes_guess_code(&e);
	causes_guess_inlined(&e);
	causes_guess_outlined(&e);
	causes_guess_sections(&e);
	causes_guess_texts(&e);
	causes_guess_symbols(&e);
	causes_guess_ownerless(&e);
	causes_guess_names(&e);
	causes_guess_padding(&e);
	causes_guess_same(&e);
	causes_guess_contents(&e, ret);
	causes_drop_guessed(&e);
	if (causes_take(ret, &e))
		causes_find_own(ret, &e);
	causes_find_used(ret, &e);
	while (ret->count > 0 && ret->count < CAUSES_MOST && causes_take(ret, &e))
		;
	ret->all = e.all;
	ret->padding = e.padding;
	ret->resized = e.larger + e.smaller;
	ret->moved = e.moved;
	ASSERT(e.all >= 0 && ret->count <= CAUSES_MOST);
	causes_order(ret);
	causes_cut_root(ret, d);
	vec_each(struct cause_guess, g, &e.guesses)
		vec_release(&g->parts);
	vec_release_all(&e.parts, &e.guesses);
}

void causes_release(struct causes *c)
{
	arena_release(&c->arena);
}
