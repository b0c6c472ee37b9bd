/* Runs the matcher's passes that pair symbols by keys. */
#include "compare/match.h"

#include "base/sort.h"
#include "map/paths.h"
#include "names/demangle.h"
#include "snapshot/clues.h"

static bool match_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Returns `s` without each "$" and the digits after it, in `work`. */
static struct str without_dollars(struct str s, struct text *work)
{
	work->len = 0;
	for (size_t i = 0; i < s.len; i++) {
		size_t end = i + 1;
		while (s.p[i] == '$' && end < s.len && match_is_digit(s.p[end]))
			end++;
		if (end == i + 1)
			text_add_char(work, s.p[i]);
		i = end - 1;
	}
	return text_str(work);
}

/* Returns `s` without "$" and the digits after it, and without digits and dots at the end. */
struct str match_stable(struct str s, struct text *work)
{
	if (s.len > 0 && memchr(s.p, '$', s.len))
		s = without_dollars(s, work);
	while (s.len > 0 && (match_is_digit(s.p[s.len - 1]) || s.p[s.len - 1] == '.'))
		s.len--;
	return s;
}

/* Returns the common name of SuperSize's "**" symbols that differ only in numbers or places: "**
 * symbol gaps" for "** symbol gap 3 (end of section)". */
static struct str star_cluster(struct str s, struct text *out)
{
	size_t end = s.len;
	if (s.len == 0 || s.p[0] != '*')
		return s;
	if (s.p[end - 1] == ')') {
		size_t open = end;
		for (size_t i = 0; i + 1 < s.len; i++)
			if (open == end && s.p[i] == ' ' && s.p[i + 1] == '(' && i > 0 &&
			    match_is_digit(s.p[i - 1]))
				open = i;
		end = open;
	}
	size_t at = end;
	while (at > 0 && match_is_digit(s.p[at - 1]))
		at--;
	size_t blank = at;
	while (blank > 0 && s.p[blank - 1] == ' ')
		blank--;
	if (at == end || blank == at)
		return s;
	text_set(out, (struct str){ s.p, blank });
	text_add_char(out, 's');
	return text_str(out);
}

static struct str without_clone(struct str s)
{
	return str_upto(s, str_find(s, STR(" [clone ")));
}

static bool match_is_hash(struct str s)
{
	if (s.len != 17 || s.p[0] != 'h')
		return false;
	for (size_t i = 1; i < s.len; i++)
		if (!match_is_digit(s.p[i]) && (s.p[i] < 'a' || s.p[i] > 'f'))
			return false;
	return true;
}

/* Returns the name without suffixes of clones ("f.isra.0") and without Rust's hash
 * ("f::h0123456789abcdef"). */
static struct str without_suffixes(struct str s)
{
	const struct str whole = s;
	s.len = suffix_start(s);
	if (s.len > 19 && memcmp(s.p + s.len - 19, "::", 2) == 0 &&
	    match_is_hash((struct str){ s.p + s.len - 17, 17 }))
		s.len -= 19;
	return s.len > 0 ? s : whole;
}

uint32_t match_text(struct matcher *m, struct match_side *side, uint32_t id)
{
	if (side->texts[id] == 0)
		side->texts[id] = intern_borrow(&m->common, snapshot_text(side->s, id)) + 1;
	return side->texts[id];
}

/* Returns the id of a text that heft made, which need not be in a snapshot. */
static uint32_t made_text(struct matcher *m, struct str s)
{
	return intern_add(&m->common, s) + 1;
}

static uint32_t stable_text(struct matcher *m, struct match_side *side, uint32_t id)
{
	if (side->stable[id] == 0) {
		const struct str text = snapshot_text(side->s, id);
		const struct str stable = match_stable(text, &m->work);
		side->stable[id] = stable.p == text.p && stable.len == text.len
					   ? match_text(m, side, id)
					   : made_text(m, stable);
	}
	return side->stable[id];
}

/* Returns the id of a name without Rust's hash and suffixes. Removes the hash first, because its
 * last digits look like a suffix. */
static uint32_t bare_text(struct matcher *m, struct match_side *side, uint32_t id)
{
	if (side->bare[id] == 0)
		side->bare[id] = made_text(
			m, match_stable(without_suffixes(snapshot_text(side->s, id)), &m->work));
	return side->bare[id];
}

static struct match_key base_key(struct match_side *side, const struct snap_symbol *y)
{
	return (struct match_key){ .place = side->places[y->section] };
}

/* True if all symbols with the name of `y` must be the same function or variable. */
static bool is_unique(const struct match_side *side, const struct snap_symbol *y)
{
	const struct str name = snapshot_text(side->s, y->full_name);
	if (snap_is_literal(name) || snap_is_overhead(name) || (name.len > 0 && name.p[0] == '*'))
		return false;
	return !side->s->sections.data[y->section].native || name.len == 0 ||
	       !memchr(name.p, '.', name.len);
}

/* Makes the key of a symbol for a pass, without its size. False if the pass skips it. */
typedef bool (*key_fn)(struct matcher *m, struct match_side *side, const struct snap_symbol *y,
		       struct match_key *ret);

static bool key_sized(struct matcher *m, struct match_side *side, const struct snap_symbol *y,
		      struct match_key *ret)
{
	*ret = base_key(side, y);
	ret->name = stable_text(m, side, y->full_name);
	ret->path = match_text(m, side, snap_path(y));
	return true;
}

/* Makes the key from the name without suffixes and the flags: cold parts differ from functions. */
static bool key_part(struct matcher *m, struct match_side *side, const struct snap_symbol *y,
		     struct match_key *ret)
{
	key_sized(m, side, y, ret);
	ret->flags = y->flags & (SNAP_CLONE | SNAP_UNLIKELY | SNAP_HOT);
	return true;
}

static bool key_same(struct matcher *m, struct match_side *side, const struct snap_symbol *y,
		     struct match_key *ret)
{
	if (m->supersize || !snap_is_made_up(snapshot_text(side->s, y->full_name)))
		return key_sized(m, side, y, ret);
	/* A name that heft made up keeps its digits, because they distinguish it from others. */
	*ret = base_key(side, y);
	ret->name = match_text(m, side, y->full_name);
	ret->path = match_text(m, side, snap_path(y));
	return true;
}

uint64_t match_print(const struct match_side *side, const struct snap_symbol *y,
		     const struct clue *c)
{
	const bool data = !side->s->sections.data[y->section].code;
	return c && (data || y->contents.shape == 0) ? c->print : y->contents.shape;
}

/* Makes the key from the contents, because a name made from an address identifies nothing in
 * another build. False if the symbol has a name, or if its contents are unknown. */
static bool key_contents(struct matcher *m, struct match_side *side, const struct snap_symbol *y,
			 struct match_key *ret)
{
	(void)m;
	if (!match_is_nameless(side, y))
		return false;
	const uint64_t shape = match_print(side, y, clues_find(side->s, y));
	*ret = base_key(side, y);
	ret->name = (uint32_t)shape;
	ret->path = (uint32_t)(shape >> 32);
	return shape != 0;
}

uint32_t match_owner(const struct match_side *side, const struct snap_symbol *y)
{
	uint32_t id;
	const struct str name = snapshot_text(side->s, y->full_name);
	const size_t mark = sizeof " [anonymous data]" - 1;
	if (!snap_is_owned(name) || !match_is_nameless(side, y) ||
	    !intern_find(&side->s->texts, (struct str){ name.p, name.len - mark }, &id) ||
	    side->function[id] == 0)
		return DIFF_NONE;
	const uint32_t function = side->function[id] - 1;
	const struct snap_symbol *f = &side->s->symbols.data[function];
	const struct snap_section *sections = side->s->sections.data;
	if (sections[f->section].container != sections[y->section].container)
		return DIFF_NONE;
	return function;
}

static bool key_owned(struct matcher *m, struct match_side *side, const struct snap_symbol *y,
		      struct match_key *ret)
{
	const uint32_t owner = match_owner(side, y);
	*ret = base_key(side, y);
	ret->name = side == &m->after && owner != DIFF_NONE ? m->partner[owner] : owner;
	return ret->name != DIFF_NONE;
}

/* Makes the key from a made-up name, which has the address. False for a symbol with a real name. */
static bool key_address(struct matcher *m, struct match_side *side, const struct snap_symbol *y,
			struct match_key *ret)
{
	*ret = base_key(side, y);
	ret->name = match_text(m, side, y->full_name);
	return match_is_nameless(side, y);
}

static bool key_plain(struct matcher *m, struct match_side *side, const struct snap_symbol *y,
		      struct match_key *ret)
{
	struct text star = { 0 };
	const struct str name = without_clone(
		match_stable(snapshot_text(side->s, y->name), &m->work));
	*ret = base_key(side, y);
	ret->name = made_text(m, star_cluster(name, &star));
	ret->path = match_text(m, side, snap_path(y));
	text_release(&star);
	return true;
}

static bool key_file(struct matcher *m, struct match_side *side, const struct snap_symbol *y,
		     struct match_key *ret)
{
	const struct str path = snapshot_text(side->s, snap_path(y));
	const struct str directory = path_directory(path, 0);
	if (path.len == 0 || snap_is_literal(snapshot_text(side->s, y->full_name)))
		return false;
	*ret = base_key(side, y);
	ret->name = stable_text(m, side, y->full_name);
	ret->path = made_text(m, directory.len < path.len && directory.p == path.p
					 ? (struct str){ path.p + directory.len + 1,
							 path.len - directory.len - 1 }
					 : path);
	return true;
}

static bool key_unique(struct matcher *m, struct match_side *side, const struct snap_symbol *y,
		       struct match_key *ret)
{
	*ret = base_key(side, y);
	ret->name = match_text(m, side, y->full_name);
	if (str_starts(snapshot_text(side->s, y->full_name), STR("\""))) {
		ret->size = y->size;
		return true;
	}
	return is_unique(side, y);
}

static bool key_moved(struct matcher *m, struct match_side *side, const struct snap_symbol *y,
		      struct match_key *ret)
{
	const struct str name = snapshot_text(side->s, y->full_name);
	if (name.len == 0 || name.p[0] == '*' || name.p[0] == '.' || snap_is_literal(name) ||
	    snap_is_overhead(name))
		return false;
	*ret = base_key(side, y);
	ret->name = bare_text(m, side, y->full_name);
	return true;
}

const char *match_pass_word(unsigned pass)
{
	static const char *const words[] = {
		[MATCH_CONTENTS] = "contents",     [MATCH_NEIGHBOURS] = "neighbours",
		[MATCH_REFERENCES] = "references", [MATCH_REPEATED] = "contents",
		[MATCH_OWNED] = "function",        [MATCH_OWNED_SIZED] = "function",
		[MATCH_ADDRESS] = "address",       [MATCH_RENAMED] = "likeness",
		[MATCH_ALIKE] = "likeness",
	};
	return pass < COUNT_OF(words) && words[pass] ? words[pass] : "";
}

/* Keys of those symbols of one snapshot that a pass may pair, in the order of match_side.left */
struct match_keyed {
	struct match_key *keys;
	uint64_t *hashes; /* 0 if the key must be unique but several symbols have it */
	uint32_t *symbols;
	size_t count;
};

/* Per key: the symbols of the old snapshot, in a ring. The last one links to the first */
struct queues {
	const struct match_keyed *of;
	struct map last; /* Key: hash of a match_key. Value: the last symbol with this key */
	uint32_t *next;  /* Next symbol in the ring. In the last: DIFF_NONE if all were taken */
};

/* Finds the last symbol with a key. False if there is none: `at` is then where to insert it. */
static bool queue_find(const struct queues *q, const struct match_key *key, struct map_at *at,
		       uint32_t *ret)
{
	while (map_next(&q->last, at, ret))
		if (memcmp(&q->of->keys[*ret], key, sizeof *key) == 0)
			return true;
	return false;
}

/* Memory is prefetched this many look-ups ahead. */
enum { AHEAD = 16 };

static void queues_init(struct queues *q, const struct match_keyed *of)
{
	*q = (struct queues){ .of = of, .next = mem_alloc((of->count + 1) * sizeof *q->next) };
	map_reserve(&q->last, of->count);
	for (size_t i = of->count; i-- > 0;) {
		uint32_t last;
		struct map_at at = map_at(&q->last, of->hashes[i]);
		if (i >= AHEAD)
			map_prefetch(&q->last, of->hashes[i - AHEAD]);
		if (of->hashes[i] == 0)
			continue;
		if (!queue_find(q, &of->keys[i], &at, &last)) {
			last = (uint32_t)i;
			q->next[last] = last;
			map_put(&q->last, &at, last);
		}
		q->next[i] = q->next[last];
		q->next[last] = (uint32_t)i;
	}
}

/* Returns the first symbol with a key and removes it. DIFF_NONE if there is none. */
static uint32_t queue_take(struct queues *q, const struct match_key *key, uint64_t hash)
{
	uint32_t last;
	struct map_at at = map_at(&q->last, hash);
	if (!queue_find(q, key, &at, &last) || q->next[last] == DIFF_NONE)
		return DIFF_NONE;
	const uint32_t first = q->next[last];
	q->next[last] = first == last ? DIFF_NONE : q->next[first];
	return first;
}

void match_pair(struct matcher *m, uint32_t before, uint32_t after, enum match_pass pass)
{
	ASSERT(m->partner[after] == DIFF_NONE && before < m->before.s->symbols.count);
	m->partner[after] = before;
	m->pass[after] = (uint8_t)pass;
}

/* True if a pass may pair the symbol. Made-up names count only if there is no other evidence. */
static bool tells(const struct matcher *m, const struct match_side *side, enum match_pass pass,
		  const struct snap_symbol *y)
{
	return m->supersize || pass < MATCH_SAME || (pass == MATCH_SAME && !side->has_clues) ||
	       !match_is_nameless(side, y);
}

/* Drops keys that several symbols of one snapshot have. */
static void keyed_once(struct match_keyed *k)
{
	const size_t count = k->count;
	struct repeat {
		uint64_t hash, place;
	} *list = mem_alloc((count + 1) * sizeof *list);
	for (size_t i = 0; i < count; i++)
		list[i] = (struct repeat){ k->hashes[i], i };
	sort_by_key(list, count, sizeof *list);
	for (size_t i = 1; i < count; i++)
		if (list[i].hash == list[i - 1].hash)
			k->hashes[list[i].place] = k->hashes[list[i - 1].place] = 0;
	mem_free(list);
}

struct pass_step {
	enum match_pass pass;
	bool own;   /* True for a pass that SuperSize does not have */
	bool sized; /* True if partners must have equal sizes */
	key_fn key;
};

static void keyed_init(struct match_keyed *k, struct matcher *m, struct match_side *side,
		       const struct pass_step *step)
{
	const size_t most = side->left.count + 1;
	*k = (struct match_keyed){ mem_alloc(most * sizeof *k->keys),
				   mem_alloc(most * sizeof *k->hashes),
				   mem_alloc(most * sizeof *k->symbols), 0 };
	for (size_t i = 0; i < side->left.count; i++) {
		const struct snap_symbol *y = &side->s->symbols.data[side->left.data[i]];
		struct match_key *key = &k->keys[k->count];
		if (!tells(m, side, step->pass, y) || !step->key(m, side, y, key))
			continue;
		if (step->sized)
			key->size = y->size;
		k->hashes[k->count] = hash_bytes(key, sizeof *key) | 1;
		k->symbols[k->count++] = side->left.data[i];
	}
	if (step->pass == MATCH_CONTENTS)
		keyed_once(k);
}

static void keyed_release(struct match_keyed *k)
{
	mem_free_all(k->keys, k->hashes, k->symbols);
}

static void run_pass(struct matcher *m, const struct pass_step *step)
{
	struct match_keyed old, new_;
	struct queues q;
	keyed_init(&old, m, &m->before, step);
	keyed_init(&new_, m, &m->after, step);
	queues_init(&q, &old);
	for (size_t i = 0; i < new_.count && old.count > 0; i++) {
		if (i + AHEAD < new_.count)
			map_prefetch(&q.last, new_.hashes[i + AHEAD]);
		if (new_.hashes[i] == 0)
			continue;
		const uint32_t place = queue_take(&q, &new_.keys[i], new_.hashes[i]);
		if (place != DIFF_NONE)
			match_pair(m, old.symbols[place], new_.symbols[i], step->pass);
	}
	map_release(&q.last);
	mem_free(q.next);
	keyed_release(&old);
	keyed_release(&new_);
	match_drop(m);
}

void match_drop(struct matcher *m)
{
	uint8_t *taken = mem_zeroed(m->before.s->symbols.count + 1, 1);
	size_t kept = 0;
	for (size_t i = 0; i < m->after.left.count; i++) {
		const uint32_t after = m->after.left.data[i];
		if (m->partner[after] == DIFF_NONE)
			m->after.left.data[kept++] = after;
		else
			taken[m->partner[after]] = 1;
	}
	m->after.left.count = kept;
	kept = 0;
	for (size_t i = 0; i < m->before.left.count; i++)
		if (!taken[m->before.left.data[i]])
			m->before.left.data[kept++] = m->before.left.data[i];
	m->before.left.count = kept;
	/* Both sides have equally many symbols with a partner, so no symbol has two partners. */
	ASSERT(m->before.s->symbols.count + m->after.left.count ==
	       m->after.s->symbols.count + m->before.left.count);
	mem_free(taken);
}

static void run_passes(struct matcher *m, const struct pass_step *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (m->before.left.count > 0 && m->after.left.count > 0 &&
		    !(m->supersize && list[i].own))
			run_pass(m, &list[i]);
}

/* True if nothing that is compared differs between two symbols. */
static bool symbols_equal(const struct matcher *m, const struct snap_symbol *old,
			  const struct snap_symbol *new_)
{
	const uint32_t was[] = { old->full_name, old->source, old->object };
	const uint32_t now[] = { new_->full_name, new_->source, new_->object };
	for (size_t i = 0; i < COUNT_OF(was); i++)
		if (!str_eq(snapshot_text(m->before.s, was[i]), snapshot_text(m->after.s, now[i])))
			return false;
	return old->addr == new_->addr && old->size == new_->size &&
	       old->contents.whole == new_->contents.whole &&
	       m->before.places[old->section] == m->after.places[new_->section];
}

/* If both lists of symbols are equal, pairs symbols by index and returns true. Passes by similarity
 * might pair equal symbols crosswise, or leave some alone. */
static bool same_lists_pair(struct matcher *m)
{
	const struct snapshot *b = m->before.s, *n = m->after.s;
	if (b->symbols.count != n->symbols.count)
		return false;
	for (size_t i = 0; i < n->symbols.count; i++)
		if (!symbols_equal(m, &b->symbols.data[i], &n->symbols.data[i]))
			return false;
	for (uint32_t i = 0; i < n->symbols.count; i++)
		match_pair(m, i, i, MATCH_SAME);
	match_drop(m);
	ASSERT(m->before.left.count == 0 && m->after.left.count == 0);
	return true;
}

void matcher_run(struct matcher *m)
{
	static const struct pass_step names[] = {
		{ MATCH_CONTENTS, true, true, key_contents },
		{ MATCH_SAME, false, true, key_same },
		{ MATCH_SIZED, true, false, key_part },
		{ MATCH_SIZED, false, false, key_sized },
		{ MATCH_PLAIN, false, false, key_plain },
		{ MATCH_FILE, true, true, key_file },
		{ MATCH_FILE_SIZED, true, false, key_file },
		{ MATCH_UNIQUE, false, false, key_unique },
		{ MATCH_MOVED, true, true, key_moved },
		{ MATCH_MOVED_SIZED, true, false, key_moved },
	};
	static const struct pass_step rest[] = {
		{ MATCH_REPEATED, true, true, key_contents },
		{ MATCH_OWNED, true, true, key_owned },
		{ MATCH_OWNED_SIZED, true, false, key_owned },
		{ MATCH_ADDRESS, true, true, key_address },
	};
	if (same_lists_pair(m))
		return;
	run_passes(m, names, COUNT_OF(names));
	if (!m->supersize) {
		match_nameless(m);
		run_passes(m, rest, COUNT_OF(rest));
		match_renamed(m);
	}
}

/* Returns true if heft made up a name. Names of data ("x [anonymous data]") count only if functions
 * of the program have made-up names too. */
static bool name_is_made_up(const struct match_side *side, uint32_t full_name)
{
	const struct str name = snapshot_text(side->s, full_name);
	return snap_is_made_up(name) || (side->has_clues && snap_is_owned(name));
}

static void match_side_init(struct matcher *m, struct match_side *side, const struct snapshot *s,
			    bool any_container)
{
	ASSERT(s->symbols.count < DIFF_NONE);
	ASSERT(s->texts.entries.count > 0 && snapshot_text(s, 0).len == 0);
	side->s = s;
	side->texts = mem_zeroed(s->texts.entries.count + 1, sizeof *side->texts);
	side->stable = mem_zeroed(s->texts.entries.count + 1, sizeof *side->stable);
	side->bare = mem_zeroed(s->texts.entries.count + 1, sizeof *side->bare);
	side->places = mem_zeroed(s->sections.count + 1, sizeof *side->places);
	const size_t prefix = m->supersize ? 0 : snap_packed_prefix(s);
	for (size_t i = 0; i < s->sections.count; i++) {
		const struct snap_section *sec = &s->sections.data[i];
		const struct str name = any_container
						? STR("")
						: snap_container_key(s, sec->container, prefix);
		side->places[i] = made_text(m, name) << 8 | (uint8_t)sec->letter;
	}
	vec_reserve(&side->left, s->symbols.count);
	side->nameless = mem_alloc(s->symbols.count + 1);
	side->function = mem_zeroed(s->texts.entries.count + 1, sizeof *side->function);
	for (uint32_t i = 0; i < s->symbols.count; i++) {
		const uint32_t name = s->symbols.data[i].full_name;
		vec_push(&side->left, i);
		side->nameless[i] = name_is_made_up(side, name);
		if (s->sections.data[s->symbols.data[i].section].code)
			side->function[name] = i + 1;
	}
}

void matcher_init(struct matcher *m, const struct snapshot *before, const struct snapshot *after,
		  bool supersize)
{
	/* Names of containers do not matter if each snapshot has one. */
	const bool one = !supersize && before->containers.count == 1 &&
			 after->containers.count == 1;
	memset(m, 0, sizeof *m);
	m->supersize = supersize;
	m->before.has_clues = m->after.has_clues = before->clues.count > 0 &&
						   after->clues.count > 0;
	match_side_init(m, &m->before, before, one);
	match_side_init(m, &m->after, after, one);
	m->partner = mem_alloc((after->symbols.count + 1) * sizeof *m->partner);
	m->pass = mem_zeroed(after->symbols.count + 1, sizeof *m->pass);
	for (size_t i = 0; i < after->symbols.count; i++)
		m->partner[i] = DIFF_NONE;
}

static void match_side_release(struct match_side *side)
{
	mem_free_all(side->texts, side->stable, side->bare, side->places, side->function,
		     side->nameless);
	vec_release(&side->left);
}

void matcher_release(struct matcher *m)
{
	match_side_release(&m->before);
	match_side_release(&m->after);
	intern_release(&m->common);
	text_release(&m->work);
	mem_free_all(m->partner, m->pass);
}
