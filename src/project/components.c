/* Finds the owners of source files in a CODEOWNERS file or a table of that form. */
#include "project/components.h"

#include "base/arena.h"
#include "base/text.h"

static bool components_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Returns the next word of *s and moves *s after it. */
static struct str components_take_word(struct str *s)
{
	size_t i = 0;
	while (i < s->len && components_is_blank(s->p[i]))
		i++;
	const size_t from = i;
	while (i < s->len && !components_is_blank(s->p[i]))
		i++;
	const struct str word = { s->p + from, i - from };
	s->p += i;
	s->len -= i;
	return word;
}

static void add_rule(struct components *c, struct str line)
{
	struct text owners = { 0 };
	struct component_rule r = { .pattern = components_take_word(&line) };
	if (r.pattern.len == 0 || r.pattern.p[0] == '#')
		return;
	for (struct str word = components_take_word(&line); word.len > 0 && word.p[0] != '#';
	     word = components_take_word(&line)) {
		text_adds(&owners, owners.len > 0 ? STR(" ") : STR(""), word);
	}
	r.component = arena_copy(&c->arena, text_str(&owners));
	text_release(&owners);
	const char *slash = memchr(r.pattern.p, '/', r.pattern.len);
	r.anchored = slash && slash != r.pattern.p + r.pattern.len - 1;
	if (r.pattern.p[0] == '/')
		r.pattern = (struct str){ r.pattern.p + 1, r.pattern.len - 1 };
	if (r.pattern.len > 0 && r.pattern.p[r.pattern.len - 1] == '/')
		r.pattern.len--;
	vec_push(&c->rules, r);
}

void components_parse(struct components *c, struct bytes b)
{
	const char *p = (const char *)b.p;
	for (uint64_t at = 0; at < b.size;) {
		const char *end = memchr(p + at, '\n', b.size - at);
		const uint64_t size = end ? (uint64_t)(end - p) - at : b.size - at;
		add_rule(c, (struct str){ p + at, size });
		at += size + 1;
	}
}

bool components_open(struct components *c, const char *path, struct heft_err *err)
{
	memset(c, 0, sizeof *c);
	c->is_tree = dir_metadata_matches(path);
	if (c->is_tree) {
		dir_metadata_open(&c->tree, path);
		return true;
	}
	if (!file_open(&c->file, path, err))
		return false;
	components_parse(c, c->file.bytes);
	return true;
}

void components_close(struct components *c)
{
	vec_release(&c->rules);
	arena_release(&c->arena);
	dir_metadata_close(&c->tree);
	if (c->file.path)
		file_close(&c->file);
	memset(c, 0, sizeof *c);
}

/* True if the pattern matches the path's start up to a slash or its end. Everything below that
 * slash matches too. Backtracks only to the last * and the last ** before it, which is enough. */
static bool matches_here(struct str pattern, struct str path)
{
	size_t p = 0, s = 0;
	size_t star = SIZE_MAX, star_at = 0, deep = SIZE_MAX, deep_at = 0;
	for (;;) {
		if (p == pattern.len && (s == path.len || path.p[s] == '/'))
			return true;
		if (p + 1 < pattern.len && pattern.p[p] == '*' && pattern.p[p + 1] == '*') {
			p += 2;
			p += p < pattern.len && pattern.p[p] == '/';
			deep = p;
			deep_at = s;
			star = SIZE_MAX;
		} else if (p < pattern.len && pattern.p[p] == '*') {
			star = ++p;
			star_at = s;
		} else if (p < pattern.len && s < path.len &&
			   (pattern.p[p] == path.p[s] ||
			    (pattern.p[p] == '?' && path.p[s] != '/'))) {
			p++;
			s++;
		} else if (star != SIZE_MAX && star_at < path.len && path.p[star_at] != '/') {
			p = star;
			s = ++star_at;
		} else if (deep != SIZE_MAX && deep_at < path.len) {
			star = SIZE_MAX;
			p = deep;
			s = ++deep_at;
		} else {
			return false;
		}
	}
}

static bool components_matches(const struct component_rule *r, struct str path)
{
	if (r->pattern.len == 0 || matches_here(r->pattern, path))
		return true;
	for (size_t i = 0; i < path.len && !r->anchored; i++)
		if (path.p[i] == '/' &&
		    matches_here(r->pattern, (struct str){ path.p + i + 1, path.len - i - 1 }))
			return true;
	return false;
}

const char *components_find(struct components *c, struct str path)
{
	if (c->is_tree)
		return dir_metadata_find(&c->tree, path);
	for (size_t i = c->rules.count; i-- > 0 && path.len > 0;)
		if (components_matches(&c->rules.data[i], path)) {
			c->rules.data[i].used = true;
			return c->rules.data[i].component;
		}
	return "";
}

void components_note_unused(const struct components *c, struct notes *notes)
{
	const struct component_rule *first = NULL;
	size_t count = 0;
	for (size_t i = 0; i < c->rules.count; i++) {
		if (c->rules.data[i].used)
			continue;
		first = first ? first : &c->rules.data[i];
		count++;
	}
	if (first)
		note(notes, c->file.path ? c->file.path : "components", HEFT_NO_OFFSET, 0,
		     "%zu of %zu patterns decide about no source path, such as '%.*s'", count,
		     c->rules.count, (int)min_u64(first->pattern.len, 100), first->pattern.p);
}
