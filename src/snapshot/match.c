#include "snapshot/match.h"

#include "map/paths.h"

#include <stdlib.h>

/* ---- texts ------------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t digits_at(struct str s, size_t at)
{
	size_t n = 0;
	while (at + n < s.len && is_digit(s.p[at + n]))
		n++;
	return n;
}

/* Deletes "$" + digits anywhere, then the digits and dots at the end. */
bool match_stable(struct str s, struct text *ret)
{
	ret->len = 0;
	for (size_t i = 0; i < s.len; i++) {
		const size_t n = s.p[i] == '$' ? digits_at(s, i + 1) : 0;
		if (n == 0)
			text_add_char(ret, s.p[i]);
		i += n;
	}
	while (ret->len > 0 && (is_digit(ret->p[ret->len - 1]) || ret->p[ret->len - 1] == '.'))
		ret->len--;
	return ret->len != s.len;
}

/* "** symbol gap 3 (end of section)" becomes "** symbol gaps". */
static struct str star_cluster(struct str s, struct text *out)
{
	size_t end = s.len;
	if (s.len == 0 || s.p[0] != '*')
		return s;
	if (s.p[end - 1] == ')') {
		size_t open = end;
		for (size_t i = 0; i + 1 < s.len; i++)
			if (open == end && s.p[i] == ' ' && s.p[i + 1] == '(' && i > 0 &&
			    is_digit(s.p[i - 1]))
				open = i;
		end = open;
	}
	size_t at = end;
	while (at > 0 && is_digit(s.p[at - 1]))
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
	static const char mark[] = " [clone ";
	const size_t n = sizeof mark - 1;
	for (size_t i = 0; i + n <= s.len; i++)
		if (memcmp(s.p + i, mark, n) == 0)
			return (struct str){ s.p, i };
	return s;
}

/* ---- suffixes ---------------------------------------------------------------------------------- */

static bool is_hash(struct str s)
{
	if (s.len != 17 || s.p[0] != 'h')
		return false;
	for (size_t i = 1; i < s.len; i++)
		if (!is_digit(s.p[i]) && (s.p[i] < 'a' || s.p[i] > 'f'))
			return false;
	return true;
}

/* A word behind the last dot that compilers put there. */
static bool is_clone_word(struct str s)
{
	static const char *const words[] = { "cold",     "constprop", "isra",      "llvm",
					     "lto_priv", "part",      "localalias" };
	if (s.len > 0 && digits_at(s, 0) == s.len)
		return true;
	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (str_eq(s, str_of(words[i])))
			return true;
	return false;
}

/* The name without the suffixes of clones ("f.isra.0") and the hash of Rust's names ("f::h0123456789abcdef"). */
static struct str without_suffixes(struct str s)
{
	const struct str whole = s;
	for (size_t i = s.len; i > 1; i--) {
		if (s.p[i - 1] != '.')
			continue;
		if (!is_clone_word((struct str){ s.p + i, s.len - i }))
			break;
		s.len = i - 1;
	}
	if (s.len > 19 && memcmp(s.p + s.len - 19, "::", 2) == 0 &&
	    is_hash((struct str){ s.p + s.len - 17, 17 }))
		s.len -= 19;
	return s.len > 0 ? s : whole;
}

bool match_is_made_up(struct str name)
{
	size_t i = 4;
	if (!str_starts(name, STR("sub_")))
		return false;
	while (i < name.len && (is_digit(name.p[i]) || (name.p[i] >= 'a' && name.p[i] <= 'f')))
		i++;
	return i > 4 && (i == name.len || name.p[i] == ' ');
}

/* ---- keys -------------------------------------------------------------------------------------- */

static uint32_t common_text(struct matcher *m, struct match_side *side, uint32_t id)
{
	if (side->texts[id] == 0) {
		const struct intern_entry *e = &side->s->texts.entries.data[id];
		side->texts[id] = intern_borrow_hashed(&m->common, e->text, e->hash) + 1;
	}
	return side->texts[id];
}

/* A text that is not in a snapshot. */
static uint32_t made_text(struct matcher *m, struct str s)
{
	return intern_add(&m->common, s) + 1;
}

static uint32_t stable_text(struct matcher *m, struct match_side *side, uint32_t id)
{
	if (side->stable[id] == 0)
		side->stable[id] = match_stable(snapshot_text(side->s, id), &m->work)
					   ? made_text(m, text_str(&m->work))
					   : common_text(m, side, id);
	return side->stable[id];
}

static struct match_key base_key(struct match_side *side, const struct snap_symbol *y)
{
	return (struct match_key){ .place = side->places[y->section] };
}

/* Whether symbols of this name are one wherever they are. */
static bool is_unique(const struct match_side *side, const struct snap_symbol *y)
{
	const struct str name = snapshot_text(side->s, y->full_name);
	if (snap_is_literal(name) || snap_is_overhead(name) || (name.len > 0 && name.p[0] == '*'))
		return false;
	return !snapshot_is_native(side->s->sections.data[y->section].name) || name.len == 0 ||
	       !memchr(name.p, '.', name.len);
}

/* False where the pass has nothing to say of the symbol. */
typedef bool (*key_fn)(struct matcher *m, struct match_side *side, const struct snap_symbol *y,
		       struct match_key *ret);

static bool key_sized(struct matcher *m, struct match_side *side, const struct snap_symbol *y,
		      struct match_key *ret)
{
	*ret = base_key(side, y);
	ret->name = stable_text(m, side, y->full_name);
	ret->path = common_text(m, side, snap_path(y));
	return true;
}

static bool key_same(struct matcher *m, struct match_side *side, const struct snap_symbol *y,
		     struct match_key *ret)
{
	key_sized(m, side, y, ret);
	ret->size = y->size;
	return true;
}

static bool key_plain(struct matcher *m, struct match_side *side, const struct snap_symbol *y,
		      struct match_key *ret)
{
	struct text star = { 0 };
	(void)match_stable(snapshot_text(side->s, y->name), &m->work);
	const struct str name = without_clone(text_str(&m->work));
	*ret = base_key(side, y);
	ret->name = made_text(m, star_cluster(name, &star));
	ret->path = common_text(m, side, snap_path(y));
	text_release(&star);
	return true;
}

static bool key_file_sized(struct matcher *m, struct match_side *side, const struct snap_symbol *y,
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

static bool key_file(struct matcher *m, struct match_side *side, const struct snap_symbol *y,
		     struct match_key *ret)
{
	const bool ok = key_file_sized(m, side, y, ret);
	ret->size = y->size;
	return ok;
}

static bool key_unique(struct matcher *m, struct match_side *side, const struct snap_symbol *y,
		       struct match_key *ret)
{
	*ret = base_key(side, y);
	ret->name = common_text(m, side, y->full_name);
	if (str_starts(snapshot_text(side->s, y->full_name), STR("\""))) {
		ret->size = y->size;
		return true;
	}
	return is_unique(side, y);
}

static bool key_moved_sized(struct matcher *m, struct match_side *side, const struct snap_symbol *y,
			    struct match_key *ret)
{
	const struct str name = snapshot_text(side->s, y->full_name);
	if (name.len == 0 || name.p[0] == '*' || name.p[0] == '.' || snap_is_literal(name) ||
	    snap_is_overhead(name))
		return false;
	/* A hash must be taken off whole, before the digits at its end go. */
	(void)match_stable(without_suffixes(name), &m->work);
	*ret = base_key(side, y);
	ret->name = made_text(m, text_str(&m->work));
	return true;
}

static bool key_moved(struct matcher *m, struct match_side *side, const struct snap_symbol *y,
		      struct match_key *ret)
{
	const bool ok = key_moved_sized(m, side, y, ret);
	ret->size = y->size;
	return ok;
}

/* ---- passes ------------------------------------------------------------------------------------ */

/* Symbols of the older side with one key, in their order. */
struct queue {
	uint32_t head, tail; /* places in `next` */
};

struct queues {
	struct intern keys; /* borrows `stored` */
	struct match_key *stored;
	uint32_t *next; /* by place in the list of what is left */
	VEC(struct queue) queues;
};

static struct str key_text(const struct match_key *k)
{
	return (struct str){ (const char *)k, sizeof *k };
}

static void queue_up(struct queues *q, uint32_t place)
{
	const uint32_t id = intern_borrow(&q->keys, key_text(&q->stored[place]));
	q->next[place] = DIFF_NONE;
	if (id == q->queues.count) {
		vec_push(&q->queues, (struct queue){ place, place });
		return;
	}
	q->next[q->queues.data[id].tail] = place;
	q->queues.data[id].tail = place;
}

/* The first of the key's queue, or DIFF_NONE. */
static uint32_t queue_take(struct queues *q, const struct match_key *key)
{
	uint32_t id;
	if (!intern_find(&q->keys, key_text(key), &id))
		return DIFF_NONE;
	const uint32_t place = q->queues.data[id].head;
	if (place != DIFF_NONE)
		q->queues.data[id].head = q->next[place];
	return place;
}

void match_pair(struct matcher *m, uint32_t before, uint32_t after, enum match_pass pass)
{
	m->partner[after] = before;
	m->pass[after] = (uint8_t)pass;
}

/* Whether a pass may pair by the name alone. */
static bool tells(const struct matcher *m, const struct match_side *side, enum match_pass pass,
		  const struct snap_symbol *y)
{
	return m->supersize || pass == MATCH_SAME ||
	       !match_is_made_up(snapshot_text(side->s, y->full_name));
}

static void run_pass(struct matcher *m, enum match_pass pass, key_fn key_of)
{
	const struct snap_symbol *old = m->before.s->symbols.data;
	const struct snap_symbol *new_ = m->after.s->symbols.data;
	struct queues q = { .stored = xmalloc((m->before.left.count + 1) * sizeof *q.stored),
			    .next = xmalloc((m->before.left.count + 1) * sizeof *q.next) };
	struct match_key key;
	for (uint32_t i = 0; i < m->before.left.count; i++)
		if (tells(m, &m->before, pass, &old[m->before.left.data[i]]) &&
		    key_of(m, &m->before, &old[m->before.left.data[i]], &q.stored[i]))
			queue_up(&q, i);
	for (size_t i = 0; i < m->after.left.count; i++) {
		const uint32_t after = m->after.left.data[i];
		const uint32_t place = key_of(m, &m->after, &new_[after], &key)
					       ? queue_take(&q, &key)
					       : DIFF_NONE;
		if (place != DIFF_NONE)
			match_pair(m, m->before.left.data[place], after, pass);
	}
	intern_release(&q.keys);
	vec_release(&q.queues);
	free(q.stored);
	free(q.next);
	match_drop(m);
}

void match_drop(struct matcher *m)
{
	uint8_t *taken = xcalloc(m->before.s->symbols.count + 1, 1);
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
	free(taken);
}

void matcher_run(struct matcher *m)
{
	static const struct {
		enum match_pass pass;
		bool own; /* not one of SuperSize's */
		key_fn key;
	} passes[] = {
		{ MATCH_SAME, false, key_same },
		{ MATCH_SIZED, false, key_sized },
		{ MATCH_PLAIN, false, key_plain },
		{ MATCH_FILE, true, key_file },
		{ MATCH_FILE_SIZED, true, key_file_sized },
		{ MATCH_UNIQUE, false, key_unique },
		{ MATCH_MOVED, true, key_moved },
		{ MATCH_MOVED_SIZED, true, key_moved_sized },
	};
	for (size_t i = 0; i < COUNT_OF(passes); i++)
		if (m->before.left.count > 0 && m->after.left.count > 0 &&
		    !(m->supersize && passes[i].own))
			run_pass(m, passes[i].pass, passes[i].key);
	if (!m->supersize)
		match_renamed(m);
}

/* ---- life -------------------------------------------------------------------------------------- */

static void side_init(struct matcher *m, struct match_side *side, const struct snapshot *s,
		      bool any_container)
{
	ASSERT(s->symbols.count < DIFF_NONE);
	side->s = s;
	side->texts = xcalloc(s->texts.entries.count + 1, sizeof *side->texts);
	side->stable = xcalloc(s->texts.entries.count + 1, sizeof *side->stable);
	side->places = xcalloc(s->sections.count + 1, sizeof *side->places);
	for (size_t i = 0; i < s->sections.count; i++) {
		const struct snap_section *sec = &s->sections.data[i];
		const char *name = any_container ? "" : s->containers.data[sec->container].name;
		side->places[i] = made_text(m, str_of(name)) << 8 | (uint8_t)sec->letter;
	}
	vec_reserve(&side->left, s->symbols.count);
	for (uint32_t i = 0; i < s->symbols.count; i++)
		vec_push(&side->left, i);
}

void matcher_init(struct matcher *m, const struct snapshot *before, const struct snapshot *after,
		  bool supersize)
{
	/* One program each: what it was called then does not matter. */
	const bool one = !supersize && before->containers.count == 1 &&
			 after->containers.count == 1;
	memset(m, 0, sizeof *m);
	m->supersize = supersize;
	side_init(m, &m->before, before, one);
	side_init(m, &m->after, after, one);
	m->partner = xmalloc((after->symbols.count + 1) * sizeof *m->partner);
	m->pass = xcalloc(after->symbols.count + 1, sizeof *m->pass);
	for (size_t i = 0; i < after->symbols.count; i++)
		m->partner[i] = DIFF_NONE;
}

static void side_release(struct match_side *side)
{
	free(side->texts);
	free(side->stable);
	free(side->places);
	vec_release(&side->left);
}

void matcher_release(struct matcher *m)
{
	side_release(&m->before);
	side_release(&m->after);
	intern_release(&m->common);
	text_release(&m->work);
	free(m->partner);
	free(m->pass);
}
