/* Checks size limits: measures symbols, charges, sections and regions, and compares with the
 * limits. */
#include "query/budget.h"

#include "query/region_metrics.h"
#include "base/nearest.h"
#include "base/sort.h"
#include "image/image.h"
#include "names/namespace.h"
#include "source/library_name.h"
#include "stack/depths.h"

#include <fnmatch.h>

enum { PARTS = 5 };

static bool budget_is_below(const char *dir, size_t len, const char *path)
{
	return strncmp(dir, path, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

/* True if a pattern may also match after a slash. Source paths in debug info are usually absolute.
 * Objects are in a build folder or archive, which nobody writes into a rule. */
static bool is_looked_for_behind_slashes(const struct budget_limit *l, const char *path)
{
	return *l->pattern != '/' && (*path == '/' || l->subject == BUDGET_OBJECT);
}

/* True if the limit's pattern matches a path: a directory and all paths below it, a file, or a
 * shell pattern. */
static bool path_matches(const struct budget_limit *l, const char *path)
{
	const char *pattern = l->pattern;
	size_t n = strlen(pattern);
	if (strpbrk(pattern, "*?["))
		return fnmatch(pattern, path, 0) == 0;
	while (n > 1 && pattern[n - 1] == '/')
		n--;
	if (budget_is_below(pattern, n, path))
		return true;
	if (!is_looked_for_behind_slashes(l, path))
		return false;
	for (const char *slash = path; slash; slash = strchr(slash + 1, '/'))
		if (budget_is_below(pattern, n, slash + 1))
			return true;
	return false;
}

/* Texts of a snapshot that a limit's pattern matches. Each text is tested once. */
struct chosen {
	uint8_t *texts; /* Per text id: 0 not tested, 1 does not match, 2 matches */
};

static bool is_in_namespace(const char *name, struct str qualifier)
{
	const struct str wanted = str_of(name);
	if (!str_starts(qualifier, wanted))
		return false;
	const struct str rest = { qualifier.p + wanted.len, qualifier.len - wanted.len };
	return rest.len == 0 || str_starts(rest, STR("::"));
}

/* True if the pattern is the full name, the plain name, or a matching shell pattern. */
static bool budget_is_name_of(const char *pattern, struct str full)
{
	const struct str wanted = str_of(pattern);
	if (str_eq(full, wanted) || fnmatch(pattern, full.p, 0) == 0)
		return true;
	return str_starts(full, wanted) && full.p[wanted.len] == '(';
}

static bool text_matches(const struct budget_limit *l, const struct snapshot *s, uint32_t id)
{
	const struct str text = snapshot_text(s, id);
	switch (l->subject) {
	case BUDGET_SYMBOL: return pattern_matches(l->regex, text, NULL);
	case BUDGET_SOURCE:
	case BUDGET_DIRECTORY:
	case BUDGET_OBJECT: return path_matches(l, text.p);
	case BUDGET_STACK: return budget_is_name_of(l->pattern, text);
	case BUDGET_NAMESPACE: return is_in_namespace(l->pattern, name_qualifier(text));
	case BUDGET_LIBRARY: return str_eq(library_name(text), str_of(l->pattern));
	default: return str_eq(text, str_of(l->pattern));
	}
}

/* What a limit measures: a symbol or a charge (bytes that the file has because of a symbol). */
struct item {
	uint32_t text;                    /* Text to compare with the limit's pattern */
	uint32_t name, path;              /* Names and paths as users see them */
	const struct snap_symbol *symbol; /* NULL for a charge */
	double bytes;
	bool counts;
};

/* Returns the text of a symbol that a limit's pattern is compared with. */
static uint32_t budget_text_of(const struct budget_limit *l, const struct snap_symbol *y)
{
	switch (l->subject) {
	case BUDGET_SOURCE:
	case BUDGET_DIRECTORY: return snap_path(y);
	case BUDGET_OBJECT:
	case BUDGET_LIBRARY: return y->object;
	case BUDGET_COMPONENT: return y->component;
	case BUDGET_PACKAGE: return 0; /* Only charges have packages */
	default: return y->full_name;
	}
}

/* True if the measured size includes padding. The sizes of files, sections and regions do. The
 * charges of a symbol do not include padding before it. */
static bool budget_is_padded(const struct budget_limit *l)
{
	return l->subject <= BUDGET_REGION;
}

static double budget_bytes_of(const struct budget_limit *l, const struct snap_symbol *y)
{
	ASSERT(y->alias_count > 0);
	if (l->subject == BUDGET_STACK)
		return (double)y->stack - 1;
	if (budget_is_padded(l) || y->size == 0)
		return snap_pss(y);
	return (double)y->size / y->alias_count;
}

/* Returns a symbol as an item. For BUDGET_SOURCE and later subjects, only bytes in the file count.
 * Debug info does not: only linker maps give its owner, and results must not depend on a map. */
static struct item symbol_item(const struct budget_limit *l, const struct snapshot *s,
			       const struct snap_symbol *y)
{
	const struct snap_section *section = &s->sections.data[y->section];
	return (struct item){ .text = budget_text_of(l, y),
			      .name = y->full_name,
			      .path = snap_path(y),
			      .symbol = y,
			      .bytes = budget_bytes_of(l, y),
			      .counts = l->subject < BUDGET_SOURCE ||
					(section->in_file &&
					 !section_name_is_debug(str_of(section->name))) };
}

/* Returns the text, or 0 if it is a fallback label. */
static uint32_t known_text(const struct snapshot *s, uint32_t text)
{
	return charge_is_fallback(s, text) ? 0 : text;
}

/* Returns a charge as an item. Uses the symbol's path, because with a linker map charges are by
 * object and not by source file. Zeroed variables are only in memory, so symbols and namespaces
 * count with the larger of both sizes. */
static struct item charge_item(const struct budget_limit *l, const struct snapshot *s,
			       const struct snap_charge *c)
{
	ASSERT(c->symbol == SNAP_NO_SYMBOL || c->symbol < s->symbols.count);
	const struct snap_symbol *y = c->symbol == SNAP_NO_SYMBOL ? NULL
								  : &s->symbols.data[c->symbol];
	const uint32_t source = known_text(s, c->source), object = known_text(s, c->object);
	struct item item = { .name = y ? y->full_name : c->name,
			     .path = y && snap_path(y) ? snap_path(y)
				     : source          ? source
						       : object,
			     .bytes = (double)c->file,
			     .counts = !c->debug };
	switch (l->subject) {
	case BUDGET_FILE: item.counts = true; break;
	case BUDGET_SHIPPED: break;
	case BUDGET_DEBUG: item.counts = c->debug; break;
	case BUDGET_VM:
		item.counts = true;
		item.bytes = (double)c->vm;
		break;
	case BUDGET_SOURCE:
	case BUDGET_DIRECTORY: item.text = item.path; break;
	case BUDGET_OBJECT:
	case BUDGET_LIBRARY: item.text = object; break;
	case BUDGET_COMPONENT: item.text = c->component; break;
	case BUDGET_PACKAGE: item.text = known_text(s, c->package); break;
	default: item.text = item.name; item.bytes = (double)max_u64(c->file, c->vm);
	}
	return item;
}

static bool have_charges(const struct budget_input *in)
{
	return in->now->charges.count > 0 && (!in->base || in->base->charges.count > 0);
}

/* True if a limit on parts of symbols counts charges: only if both snapshots have them. */
static bool is_charged(const struct budget_limit *l, const struct budget_input *in)
{
	return (l->subject == BUDGET_SYMBOL || l->subject == BUDGET_NAMESPACE ||
		l->subject >= BUDGET_SOURCE) &&
	       have_charges(in);
}

/* The measured items of one snapshot. */
struct budget_items {
	const struct budget_limit *limit;
	const struct snapshot *s;
	bool charged;
	size_t count;
};

static struct budget_items items_of(const struct budget_limit *l, const struct snapshot *s,
				    bool charged)
{
	return (struct budget_items){ l, s, charged,
				      charged ? s->charges.count : s->symbols.count };
}

static struct item item_at(const struct budget_items *z, size_t i)
{
	return z->charged ? charge_item(z->limit, z->s, &z->s->charges.data[i])
			  : symbol_item(z->limit, z->s, &z->s->symbols.data[i]);
}

static bool speaks_of(const struct budget_items *z, struct chosen *c, const struct item *item)
{
	const struct budget_limit *l = z->limit;
	const struct snap_symbol *y = item->symbol;
	const struct snap_section *section = y ? &z->s->sections.data[y->section] : NULL;
	ASSERT(section || z->charged);
	ASSERT(item->text < z->s->texts.entries.count);
	if (z->charged && l->subject <= BUDGET_VM)
		return true;
	switch (l->subject) {
	case BUDGET_FILE: return section->in_file;
	case BUDGET_SHIPPED:
		return section->in_file && !section_name_is_debug(str_of(section->name));
	case BUDGET_DEBUG: return section->in_file && section_name_is_debug(str_of(section->name));
	case BUDGET_VM: return section->in_memory;
	case BUDGET_SECTION: return strcmp(section->name, l->pattern) == 0;
	case BUDGET_REGION: return region_metrics_has(z->s, l->pattern, y);
	case BUDGET_STACK:
		if (y->stack == 0)
			return false;
		break;
	default: break;
	}
	if (c->texts[item->text] == 0)
		c->texts[item->text] = text_matches(l, z->s, item->text) ? 2 : 1;
	return c->texts[item->text] == 2;
}

static bool has_section(const struct snapshot *s, const char *name)
{
	for (size_t i = 0; i < s->sections.count; i++)
		if (strcmp(s->sections.data[i].name, name) == 0)
			return true;
	return false;
}

/* Size of a limit's subject, and whether it exists. */
struct budget_measured {
	double bytes;
	bool any;
	unsigned besides; /* Caveats: bits of enum stack_told */
};

/* Returns the size that a SuperSize file states for a section whose symbols are in .other. */
static struct budget_measured stated_size(const struct snapshot *s, const char *section)
{
	struct budget_measured m = { 0 };
	vec_each(const struct snap_container, c, &s->containers) {
		for (size_t k = 0; k < c->section_sizes.count; k++)
			if (strcmp(c->section_sizes.data[k].name, section) == 0) {
				m.bytes += (double)c->section_sizes.data[k].size;
				m.any = true;
			}
	}
	return m;
}

/* Adds the bytes of an item. Stacks are not added: the deepest one is used. */
static void budget_add_bytes(const struct budget_limit *l, double *to, const struct item *item)
{
	if (l->subject != BUDGET_STACK)
		*to += item->bytes;
	else if (item->bytes > *to)
		*to = item->bytes;
}

static struct budget_measured budget_measure(const struct budget_items *z)
{
	const struct budget_limit *l = z->limit;
	if (l->subject == BUDGET_REGION) {
		/* A region is used up to its last used byte, whatever owns the byte. */
		const struct region_metrics r = region_metrics_find(z->s, l->pattern);
		return (struct budget_measured){ (double)r.used, r.known };
	}
	struct budget_measured m = { .any = l->subject <= BUDGET_SECTION };
	struct chosen c;
	if (l->subject == BUDGET_SECTION && !has_section(z->s, l->pattern))
		return stated_size(z->s, l->pattern);
	c.texts = mem_zeroed(z->s->texts.entries.count + 1, 1);
	for (size_t i = 0; i < z->count; i++) {
		const struct item item = item_at(z, i);
		if (!speaks_of(z, &c, &item))
			continue;
		m.any = true;
		m.besides |= l->subject == BUDGET_STACK ? item.symbol->stack_besides : 0;
		if (item.counts)
			budget_add_bytes(l, &m.bytes, &item);
	}
	mem_free(c.texts);
	return m;
}

/* Returns the number of bytes that a limit allows. If the limit is a number of free bytes, returns
 * the region's length minus that number. */
static double limit_bytes(const struct budget_limit *l, const struct snapshot *s, double base)
{
	const double amount = (double)l->amount;
	if (l->left)
		return (double)region_metrics_find(s, l->pattern).length - amount;
	return l->percent ? base * amount / 100000 : amount;
}

struct budget_parts {
	struct intern names; /* Names of the parts. The id is the index in sums */
	VEC(struct heft_budget_part) sums;
};

static struct heft_budget_part *budget_part_of(struct budget_parts *p, struct budget_result *ret,
					       const struct snapshot *s, const struct item *item)
{
	const struct str name = snapshot_text(s, item->name);
	const uint32_t id = intern_borrow(&p->names, name);
	if (id == p->sums.count) {
		/* SuperSize names the bytes outside of symbols in its own words. Replaces these by
		 * heft's words. */
		const char *const mark = " Section: ", *section = strstr(name.p, mark);
		const bool other = snap_is_overhead(name) && str_ends(name, STR(" file"));
		const char *label =
			snap_is_star(name) && section
				? arena_format(&ret->arena, "[section %s]", section + strlen(mark))
			: other ? "[headers and alignment of the file]"
				: arena_copy(&ret->arena, name.len ? name : STR("(no name)"));
		const char *path = arena_copy(&ret->arena, snapshot_text(s, item->path));
		vec_push(&p->sums, (struct heft_budget_part){ label, path, 0, 0 });
	}
	ASSERT(id < p->sums.count);
	return &p->sums.data[id];
}

static void add_parts(struct budget_parts *p, struct budget_result *ret,
		      const struct budget_items *z, bool base)
{
	struct chosen c = { mem_zeroed(z->s->texts.entries.count + 1, 1) };
	for (size_t i = 0; i < z->count; i++) {
		const struct item item = item_at(z, i);
		if (!item.counts || !speaks_of(z, &c, &item))
			continue;
		struct heft_budget_part *part = budget_part_of(p, ret, z->s, &item);
		budget_add_bytes(z->limit, base ? &part->base : &part->now, &item);
	}
	mem_free(c.texts);
}

COMPARISON(by_size, struct heft_budget_part, ORDER(b->now, a->now), strcmp(a->label, b->label))

COMPARISON(by_growth, struct heft_budget_part, ORDER(b->now - b->base, a->now - a->base),
	   strcmp(a->label, b->label))

static void name_parts(struct budget_result *ret, const struct budget_limit *l,
		       const struct budget_input *in, struct heft_budget_row *row)
{
	struct budget_parts p = { { { 0 } }, { 0 } };
	const bool charged = is_charged(l, in) || (l->subject <= BUDGET_VM && have_charges(in));
	const struct budget_items now = items_of(l, in->now, charged);
	add_parts(&p, ret, &now, false);
	if (in->base) {
		const struct budget_items base = items_of(l, in->base, charged);
		add_parts(&p, ret, &base, true);
	}
	vec_sort_by(&p.sums, l->growth ? by_growth : by_size);
	struct heft_budget_part *kept = arena_new(&ret->arena, struct heft_budget_part, PARTS);
	for (size_t i = 0; i < p.sums.count && row->part_count < PARTS; i++)
		if ((l->growth ? p.sums.data[i].now - p.sums.data[i].base : p.sums.data[i].now) >
		    0.5)
			kept[row->part_count++] = p.sums.data[i];
	ASSERT(row->part_count <= PARTS);
	row->parts = kept;
	intern_release(&p.names);
	vec_release(&p.sums);
}

typedef VEC(const char *) names;

static void budget_section_names(const struct snapshot *s, names *ret)
{
	for (size_t i = 0; i < s->sections.count; i++)
		vec_push(ret, s->sections.data[i].name);
	vec_each(const struct snap_container, c, &s->containers) {
		for (size_t k = 0; k < c->section_sizes.count; k++)
			vec_push(ret, c->section_sizes.data[k].name);
	}
}

static void region_names(const struct snapshot *s, names *ret)
{
	vec_each(const struct snap_container, c, &s->containers) {
		for (size_t k = 0; k < c->metrics.count; k++) {
			const char *name = region_metrics_name(&c->metrics.data[k]);
			if (name)
				vec_push(ret, name);
		}
	}
}

/* Returns the start of a path with as many components as the pattern: "src/net" of "src/net/a.cc"
 * for "src/nte". */
static struct str same_depth(const char *path, const char *pattern)
{
	const char *end = path;
	for (const char *p = strchr(pattern, '/'); p && *end; p = strchr(p + 1, '/'))
		end += strcspn(end, "/") + (strchr(end, '/') != NULL);
	return (struct str){ path, (size_t)(end - path) + strcspn(end, "/") };
}

static void budget_add_name(struct intern *known, struct arena *arena, struct str name, names *ret)
{
	if (name.len > 0 && intern_borrow(known, name) == ret->count)
		vec_push(ret, arena_copy(arena, name));
}

/* Lists the parts of a path that a pattern could match. They have as many components as the
 * pattern. */
static void path_names(const struct budget_limit *l, const char *path, struct intern *known,
		       struct arena *arena, names *ret)
{
	const char *pattern = l->pattern;
	budget_add_name(known, arena, same_depth(path, pattern), ret);
	if (!is_looked_for_behind_slashes(l, path))
		return;
	for (const char *slash = path; slash; slash = strchr(slash + 1, '/'))
		budget_add_name(known, arena, same_depth(slash + 1, pattern), ret);
}

static void text_names(const struct budget_limit *l, const struct snapshot *s, struct arena *arena,
		       names *ret)
{
	uint8_t *seen = mem_zeroed(s->texts.entries.count + 1, 1);
	struct intern known = { { 0 } };
	for (size_t i = 0; i < s->symbols.count; i++) {
		const uint32_t id = budget_text_of(l, &s->symbols.data[i]);
		const struct str text = snapshot_text(s, id);
		if (seen[id] || (l->subject == BUDGET_STACK && s->symbols.data[i].stack == 0))
			continue;
		seen[id] = 1;
		switch (l->subject) {
		case BUDGET_LIBRARY: budget_add_name(&known, arena, library_name(text), ret); break;
		case BUDGET_NAMESPACE:
			budget_add_name(&known, arena, name_qualifier(text), ret);
			break;
		case BUDGET_STACK:
		case BUDGET_COMPONENT: budget_add_name(&known, arena, text, ret); break;
		default: path_names(l, text.p, &known, arena, ret);
		}
	}
	for (size_t i = 0; l->subject == BUDGET_PACKAGE && i < s->charges.count; i++) {
		const uint32_t id = known_text(s, s->charges.data[i].package);
		if (!seen[id])
			budget_add_name(&known, arena, snapshot_text(s, id), ret);
		seen[id] = 1;
	}
	intern_release(&known);
	mem_free(seen);
}

/* Returns the most similar name, for an error message. NULL without one. Expressions have no
 * similar names. */
static const char *nearest_name(struct budget_result *ret, const struct budget_limit *l,
				const struct snapshot *s)
{
	names all = { 0 };
	if (l->subject == BUDGET_SECTION)
		budget_section_names(s, &all);
	else if (l->subject == BUDGET_REGION)
		region_names(s, &all);
	else if (l->subject != BUDGET_SYMBOL && l->subject > BUDGET_SECTION)
		text_names(l, s, &ret->arena, &all);
	const char *near = nearest_of(l->pattern, all.data, all.count);
	if (near)
		near = arena_copy(&ret->arena, str_of(near));
	vec_release(&all);
	return near;
}

static const char *besides_text(struct budget_result *ret, unsigned told)
{
	struct text words = { 0 };
	stack_told_words(&words, told, NULL);
	const char *text = arena_copy(&ret->arena, text_str(&words));
	text_release(&words);
	return text;
}

static struct heft_budget_row budget_new_row(struct budget_result *ret,
					     const struct budget_limit *l,
					     const struct budget_input *in)
{
	return (struct heft_budget_row){ .rule = arena_copy(&ret->arena, str_of(l->text)),
					 .line = l->line,
					 .measure = budget_is_padded(l)          ? "padded"
						    : l->subject == BUDGET_STACK ? "stack"
						    : is_charged(l, in)          ? "charged"
										 : "own",
					 .growth = l->growth,
					 .subject = budget_subject_word(l->subject),
					 .pattern = arena_copy(&ret->arena, str_of(l->pattern)),
					 .besides = "",
					 .reason = "" };
}

static void check_limit(struct budget_result *ret, const struct budget_limit *l,
			const struct budget_input *in, struct heft_budget_row *row)
{
	const bool charged = is_charged(l, in);
	const struct budget_items items = items_of(l, in->now, charged);
	const struct budget_items items_base = items_of(l, in->base ? in->base : in->now, charged);
	const struct budget_measured now = budget_measure(&items);
	const struct budget_measured base = in->base ? budget_measure(&items_base)
						     : (struct budget_measured){ 0 };
	row->besides = besides_text(ret, now.besides);
	row->now = now.bytes;
	row->base = base.bytes;
	row->limit = limit_bytes(l, in->now, row->base);
	const double measured = l->growth ? row->now - row->base : row->now;
	if (!now.any && !base.any) {
		row->state = HEFT_BUDGET_UNMATCHED;
		row->nearest = nearest_name(ret, l, in->now);
	} else if (l->growth && !in->base)
		row->state = HEFT_BUDGET_SKIPPED;
	/* Sums with fractions are inexact, so allow a small difference. */
	else if (measured > row->limit + 0.001)
		row->state = HEFT_BUDGET_BROKEN;
	ASSERT(row->state != HEFT_BUDGET_BROKEN || !l->growth || in->base);
	if (row->state == HEFT_BUDGET_BROKEN)
		name_parts(ret, l, in, row);
}

static bool knows_regions(const struct snapshot *s)
{
	names all = { 0 };
	region_names(s, &all);
	const bool any = all.count > 0;
	vec_release(&all);
	return any;
}

static bool tells_vm(const struct snapshot *s)
{
	return s->by_heft;
}

static bool tells_stacks(const struct snapshot *s)
{
	return s->has_stacks;
}

static bool all_know(const struct budget_input *in, bool (*know)(const struct snapshot *s))
{
	return know(in->now) && (in->base == NULL || know(in->base));
}

/* Returns which data about a limit's subject the snapshots lack. "" if none. */
static const char *budget_what_is_unknown(const struct budget_limit *l,
					  const struct budget_input *in)
{
	if (l->subject == BUDGET_REGION && !all_know(in, knows_regions))
		return knows_regions(in->now)
			       ? "no memory regions are known of the base: the linker map beside a "
				 "program states them, or --region"
			       : "no memory regions are known: the linker map beside a program "
				 "states them, or --region";
	if (l->subject == BUDGET_STACK && !all_know(in, tells_stacks))
		return in->now->has_stacks
			       ? "the stacks of functions are not known of the base: ask the "
				 "program itself, or a .size file that was made with --stacks"
			       : "the stacks of functions are not known: ask the program itself, "
				 "or a .size file that was made with --stacks";
	if (l->subject == BUDGET_VM && !all_know(in, tells_vm))
		return "a .size file of SuperSize does not tell the size of the VM image; the "
		       "program itself does";
	return "";
}

void budget_check(struct budget_result *ret, const struct budget *b, const struct budget_input *in)
{
	memset(ret, 0, sizeof *ret);
	vec_each(const struct budget_limit, l, &b->limits) {
		struct heft_budget_row row = budget_new_row(ret, l, in);
		row.reason = budget_what_is_unknown(l, in);
		if (*row.reason)
			row.state = HEFT_BUDGET_UNKNOWN;
		else
			check_limit(ret, l, in, &row);
		vec_push(&ret->rows, row);
	}
}

void budget_result_release(struct budget_result *r)
{
	vec_release(&r->rows);
	arena_release(&r->arena);
}
