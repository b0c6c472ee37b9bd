/* Pairs the charges of two snapshots: by symbol, or by name if they have no symbol. */
#include "compare/charge_pairs.h"

#include "map/label.h"
#include "map/paths.h"
#include "source/library_name.h"
#include "compare/diff.h"
#include "compare/size_pairs.h"

/* The charges (bytes that the file has because of a symbol) of one symbol, or of one name if there
 * is no symbol */
struct charge_group {
	/* Ids of texts in charge_matcher.common. Bytes without a symbol have no path. */
	uint32_t container, name, path;
	uint32_t debug;
	uint32_t symbol; /* Index of the symbol, or SNAP_NO_SYMBOL */
	uint32_t other;  /* Index of its partner in the other snapshot, or GROUP_NONE */
};

#define GROUP_NONE UINT32_MAX

struct charge_side {
	const struct snapshot *s;
	uint32_t *texts;     /* Per text id: 1 + its id in charge_matcher.common. 0 until needed */
	uint32_t *partner;   /* Per symbol: its partner in the other snapshot, or SNAP_NO_SYMBOL */
	uint32_t *of_symbol; /* Per symbol: its group, or GROUP_NONE */
	uint32_t *of_charge; /* Per charge: its group */
	uint32_t *of_name;   /* Per text id: 1 + index of the symbol of that full name, or 0 */
	size_t prefix;       /* Length of "app.apk/" in container names (snap_packed_prefix()) */
	VEC(struct charge_group) groups;
};

struct charge_matcher {
	const struct snapshot_diff *d;
	struct charge_pairs *out;
	struct charge_side sides[2]; /* [0] before, [1] after */
	struct intern common;
	struct text work;
	enum heft_change *changes; /* Per symbol of `after`: what changed */
};

bool charge_is_fallback(const struct snapshot *s, uint32_t text)
{
	return str_starts(snapshot_text(s, text), STR("["));
}

static struct str text_or(const struct snapshot *s, uint32_t id, struct str other)
{
	const struct str text = snapshot_text(s, id);
	return text.len > 0 ? text : other;
}

struct str charge_label(const struct snapshot *s, const struct snap_charge *c, enum heft_diff_by by)
{
	const struct str no_path = STR("(no path)");
	const uint32_t object = c->object ? c->object : c->source;
	switch (by) {
	case HEFT_DIFF_BY_SOURCE: return text_or(s, c->source, no_path);
	case HEFT_DIFF_BY_DIRECTORY:
		if (charge_is_fallback(s, c->source))
			return snapshot_text(s, c->source);
		return c->source ? path_directory(snapshot_text(s, c->source), 0) : no_path;
	case HEFT_DIFF_BY_OBJECT: return text_or(s, object, STR("(no object)"));
	case HEFT_DIFF_BY_LIBRARY:
		if (charge_is_fallback(s, object))
			return snapshot_text(s, object);
		return object ? library_name(snapshot_text(s, object)) : STR("(no library)");
	case HEFT_DIFF_BY_PACKAGE: return text_or(s, c->package, STR("(no package)"));
	case HEFT_DIFF_BY_COMPONENT: return text_or(s, c->component, STR("(no component)"));
	case HEFT_DIFF_BY_CONTAINER:
		return *s->containers.data[c->container].name
			       ? str_of(s->containers.data[c->container].name)
			       : STR("(the program)");
	case HEFT_DIFF_BY_NAMESPACE:
		if (charge_is_fallback(s, c->name))
			return snapshot_text(s, c->name);
		return text_or(s, c->space, STR("(global)"));
	default: return text_or(s, c->name, STR("(no name)"));
	}
}

static uint32_t *none_by(size_t count)
{
	uint32_t *list = mem_alloc((count + 1) * sizeof *list);
	memset(list, 0xff, (count + 1) * sizeof *list);
	return list;
}

static void charge_pairs_side_init(struct charge_side *z, const struct snapshot *s)
{
	*z = (struct charge_side){
		.s = s,
		.texts = mem_zeroed(s->texts.entries.count + 1, sizeof *z->texts),
		.partner = none_by(s->symbols.count),
		.of_symbol = none_by(s->symbols.count),
		.of_charge = none_by(s->charges.count),
		.of_name = mem_zeroed(s->texts.entries.count + 1, sizeof *z->of_name),
		.prefix = snap_packed_prefix(s),
	};
	for (uint32_t i = 0; i < s->symbols.count; i++)
		z->of_name[s->symbols.data[i].full_name] = i + 1;
}

static void charge_pairs_side_release(struct charge_side *z)
{
	mem_free_all(z->texts, z->partner, z->of_symbol, z->of_charge, z->of_name);
	vec_release(&z->groups);
}

static void partners_find(struct charge_matcher *m)
{
	vec_each(const struct diff_pair, p, &m->d->pairs) {
		if (p->before == DIFF_NONE || p->after == DIFF_NONE)
			continue;
		m->sides[0].partner[p->before] = p->after;
		m->sides[1].partner[p->after] = p->before;
		m->changes[p->after] = p->change;
	}
}

static uint32_t common_text(struct charge_matcher *m, size_t side, uint32_t id)
{
	struct charge_side *z = &m->sides[side];
	if (z->texts[id] == 0)
		z->texts[id] = intern_borrow(&m->common, snapshot_text(z->s, id)) + 1;
	return z->texts[id];
}

/* Returns the id in m->common of a charge's name. In a name "(after SYMBOL)" of the old snapshot,
 * the symbol's partner replaces it. */
static uint32_t common_name(struct charge_matcher *m, size_t side, const struct snap_charge *c)
{
	const struct charge_side *z = &m->sides[side];
	const struct str name = snapshot_text(z->s, c->name);
	uint32_t id;
	if (side == 1 || c->symbol != SNAP_NO_SYMBOL || !label_is_after(name) ||
	    !intern_find(&z->s->texts, label_after_whom(name), &id) || z->of_name[id] == 0 ||
	    z->partner[z->of_name[id] - 1] == SNAP_NO_SYMBOL)
		return common_text(m, side, c->name);
	const struct snapshot *other = m->sides[1].s;
	const uint32_t partner = z->partner[z->of_name[id] - 1];
	text_set(&m->work, STR(LABEL_AFTER));
	text_add(&m->work, snapshot_text(other, other->symbols.data[partner].full_name));
	text_add_char(&m->work, ')');
	return intern_add(&m->common, text_str(&m->work)) + 1;
}

static struct charge_group charge_pairs_group_of(struct charge_matcher *m, size_t side,
						 const struct snap_charge *c)
{
	const struct snapshot *s = m->sides[side].s;
	const struct str container = snap_container_key(s, c->container, m->sides[side].prefix);
	struct charge_group g = { .container = intern_borrow(&m->common, container) + 1,
				  .name = common_name(m, side, c),
				  .debug = c->debug,
				  .symbol = c->symbol,
				  .other = GROUP_NONE };
	if (c->symbol != SNAP_NO_SYMBOL)
		g.path = common_text(m, side, snap_path(&s->symbols.data[c->symbol]));
	return g;
}

static void groups_make(struct charge_matcher *m, size_t side)
{
	struct charge_side *z = &m->sides[side];
	struct intern nameless = { { 0 } };
	VEC(uint32_t) by_name = { 0 };
	for (size_t i = 0; i < z->s->charges.count; i++) {
		const struct snap_charge *c = &z->s->charges.data[i];
		struct charge_group g = charge_pairs_group_of(m, side, c);
		uint32_t *place = &z->of_charge[i];
		ASSERT(c->symbol == SNAP_NO_SYMBOL || c->symbol < z->s->symbols.count);
		if (c->symbol != SNAP_NO_SYMBOL) {
			place = &z->of_symbol[c->symbol];
		} else {
			const uint32_t id = intern_add(&nameless,
						       (struct str){ (const char *)&g, sizeof g });
			if (id == by_name.count)
				vec_push(&by_name, GROUP_NONE);
			place = &by_name.data[id];
		}
		if (*place == GROUP_NONE) {
			*place = (uint32_t)z->groups.count;
			vec_push(&z->groups, g);
		}
		z->of_charge[i] = *place;
	}
	intern_release(&nameless);
	vec_release(&by_name);
}

static bool charge_pairs_is_same(const struct charge_group *a, const struct charge_group *b)
{
	return a->container == b->container && a->name == b->name && a->path == b->path;
}

/* Returns the group of a symbol, or of one of its aliases if that owns the bytes on this side. */
static uint32_t group_of_symbol(const struct charge_side *z, uint32_t symbol)
{
	const struct snap_symbol *y = &z->s->symbols.data[symbol];
	uint32_t found = z->of_symbol[symbol];
	ASSERT(y->alias_place <= symbol);
	for (uint32_t i = 0; i < y->alias_count && found == GROUP_NONE; i++)
		found = z->of_symbol[symbol - y->alias_place + i];
	return found;
}

static void groups_join(struct charge_matcher *m, uint32_t before, uint32_t after)
{
	ASSERT(m->sides[0].groups.data[before].other == GROUP_NONE);
	ASSERT(m->sides[1].groups.data[after].other == GROUP_NONE);
	m->sides[0].groups.data[before].other = after;
	m->sides[1].groups.data[after].other = before;
}

/* Pairs groups whose symbols are a pair. Call it first with `same`, for groups with equal names and
 * paths, because an alias may be in several pairs. */
static void groups_follow(struct charge_matcher *m, bool same)
{
	struct charge_side *old = &m->sides[0], *new_ = &m->sides[1];
	for (uint32_t i = 0; i < old->groups.count; i++) {
		const struct charge_group *g = &old->groups.data[i];
		if (g->symbol == SNAP_NO_SYMBOL || g->other != GROUP_NONE ||
		    old->partner[g->symbol] == SNAP_NO_SYMBOL)
			continue;
		const uint32_t k = group_of_symbol(new_, old->partner[g->symbol]);
		if (k != GROUP_NONE && new_->groups.data[k].other == GROUP_NONE &&
		    (!same || charge_pairs_is_same(g, &new_->groups.data[k])))
			groups_join(m, i, k);
	}
}

/* Key by which groups without a partner are compared */
struct group_key {
	uint32_t container, name, path, debug;
};

/* Pairs groups without a partner by name. `paths`: their paths must be equal too. Otherwise one
 * group must lack a symbol, because a symbol table lost or gained the name. */
static void groups_match(struct charge_matcher *m, bool paths)
{
	struct intern keys = { { 0 } };
	VEC(uint32_t) left = { 0 };
	for (size_t side = 2; side-- > 0;) {
		struct charge_side *z = &m->sides[side];
		for (uint32_t i = 0; i < z->groups.count; i++) {
			const struct charge_group *g = &z->groups.data[i];
			const struct group_key key = { g->container, g->name, paths ? g->path : 0,
						       g->debug };
			if (g->other != GROUP_NONE)
				continue;
			const uint32_t id = intern_add(
				&keys, (struct str){ (const char *)&key, sizeof key });
			if (id == left.count)
				vec_push(&left, side == 1 ? i : GROUP_NONE);
			if (side == 1 || left.data[id] == GROUP_NONE)
				continue;
			const struct charge_group *other = &m->sides[1].groups.data[left.data[id]];
			if (!paths && g->symbol != SNAP_NO_SYMBOL &&
			    other->symbol != SNAP_NO_SYMBOL)
				continue;
			groups_join(m, i, left.data[id]);
			left.data[id] = GROUP_NONE;
		}
	}
	vec_release(&left);
	intern_release(&keys);
}

/* Pairs charges named "(after SYMBOL)" without a partner by their size in memory. Where data ends
 * is a guess, so the same data may follow different symbols in the two snapshots. */
static void groups_after_match(struct charge_matcher *m)
{
	struct size_pairs sizes = { { { 0 } } };
	for (size_t side = 0; side < 2; side++) {
		const struct charge_side *z = &m->sides[side];
		uint64_t *bytes = mem_zeroed(z->groups.count + 1, sizeof *bytes);
		for (uint32_t i = 0; i < z->s->charges.count; i++)
			bytes[z->of_charge[i]] += z->s->charges.data[i].vm;
		for (uint32_t i = 0; i < z->groups.count; i++) {
			const struct charge_group *g = &z->groups.data[i];
			if (g->other == GROUP_NONE && g->symbol == SNAP_NO_SYMBOL &&
			    label_is_after(intern_get(&m->common, g->name - 1)))
				size_pairs_add(&sizes, side, i, g->container, bytes[i]);
		}
		mem_free(bytes);
	}
	for (size_t i = 0; i < sizes.list.count; i++)
		if (size_pair_is_sure(&sizes.list.data[i]))
			groups_join(m, sizes.list.data[i].item[0], sizes.list.data[i].item[1]);
	size_pairs_release(&sizes);
}

static bool stack_changed(const struct charge_matcher *m, uint32_t symbol)
{
	const uint32_t partner = symbol == SNAP_NO_SYMBOL ? symbol : m->sides[1].partner[symbol];
	return m->d->has_stacks && partner != SNAP_NO_SYMBOL &&
	       m->sides[0].s->symbols.data[partner].stack !=
		       m->sides[1].s->symbols.data[symbol].stack;
}

static enum heft_change charge_pairs_change_of(const struct charge_matcher *m,
					       const struct charge_pair *p)
{
	if (p->before == SNAP_NO_SYMBOL)
		return HEFT_ADDED;
	if (p->after == SNAP_NO_SYMBOL)
		return HEFT_REMOVED;
	const uint32_t symbol = m->sides[1].s->charges.data[p->after].symbol;
	if (symbol != SNAP_NO_SYMBOL &&
	    (m->changes[symbol] == HEFT_RENAMED || m->changes[symbol] == HEFT_MOVED))
		return m->changes[symbol];
	return p->file[0] != p->file[1] || p->vm[0] != p->vm[1] || stack_changed(m, symbol)
		       ? HEFT_CHANGED
		       : HEFT_UNCHANGED;
}

/* Lists the pairs in the order of the groups of `after`. Pairs of removed groups follow. */
static void charges_put(struct charge_matcher *m, size_t side, uint32_t *place)
{
	const struct charge_side *z = &m->sides[side];
	m->out->of[side] = mem_alloc((z->s->charges.count + 1) * sizeof *m->out->of[side]);
	for (uint32_t i = 0; i < z->s->charges.count; i++) {
		const struct snap_charge *c = &z->s->charges.data[i];
		const struct charge_group *g = &z->groups.data[z->of_charge[i]];
		/* The pair's index is kept at the group of `after`, otherwise of `before`. */
		uint32_t *at = side == 1 ? &place[z->of_charge[i]]
			       : g->other != GROUP_NONE
				       ? &place[g->other]
				       : &place[m->sides[1].groups.count + z->of_charge[i]];
		if (*at == UINT32_MAX) {
			*at = (uint32_t)m->out->list.count;
			vec_push(&m->out->list, (struct charge_pair){ .before = SNAP_NO_SYMBOL,
								      .after = SNAP_NO_SYMBOL,
								      .debug = c->debug });
		}
		struct charge_pair *p = &m->out->list.data[*at];
		uint32_t *first = side == 0 ? &p->before : &p->after;
		*first = *first == SNAP_NO_SYMBOL ? i : *first;
		p->file[side] += c->file;
		p->vm[side] += c->vm;
		m->out->of[side][i] = *at;
	}
}

static void pairs_fill(struct charge_matcher *m)
{
	uint32_t *place = none_by(m->sides[0].groups.count + m->sides[1].groups.count);
	charges_put(m, 1, place);
	charges_put(m, 0, place);
	ASSERT(m->out->list.count <= m->sides[0].groups.count + m->sides[1].groups.count);
	for (size_t i = 0; i < m->out->list.count; i++)
		m->out->list.data[i].change = charge_pairs_change_of(m, &m->out->list.data[i]);
	mem_free(place);
}

void charge_pairs_make(struct charge_pairs *ret, const struct snapshot_diff *d)
{
	struct charge_matcher m = { .d = d, .out = ret };
	*ret = (struct charge_pairs){ { 0 } };
	charge_pairs_side_init(&m.sides[0], d->before);
	charge_pairs_side_init(&m.sides[1], d->after);
	m.changes = mem_zeroed(d->after->symbols.count + 1, sizeof *m.changes);
	partners_find(&m);
	groups_make(&m, 0);
	groups_make(&m, 1);
	groups_follow(&m, true);
	groups_follow(&m, false);
	groups_match(&m, true);
	groups_match(&m, false);
	groups_after_match(&m);
	pairs_fill(&m);
	charge_pairs_side_release(&m.sides[0]);
	charge_pairs_side_release(&m.sides[1]);
	mem_free(m.changes);
	intern_release(&m.common);
	text_release(&m.work);
}

void charge_pairs_release(struct charge_pairs *p)
{
	vec_release(&p->list);
	mem_free_all(p->of[0], p->of[1]);
}
