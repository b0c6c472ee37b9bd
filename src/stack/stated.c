#include "stack/stated.h"

#include "base/filename.h"

/* Splits *text at the last `c`: *text keeps the first part, *ret gets the second. Or false. */
static bool cut_last(struct str *text, char c, struct str *ret)
{
	for (size_t i = text->len; i > 0; i--)
		if (text->p[i - 1] == c) {
			*ret = (struct str){ text->p + i, text->len - i };
			text->len = i - 1;
			return true;
		}
	return false;
}

bool stated_number(struct str s, uint64_t *ret)
{
	uint64_t v = 0;
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] < '0' || s.p[i] > '9' || v > UINT32_MAX)
			return false;
		v = v * 10 + (uint64_t)(s.p[i] - '0');
	}
	*ret = v;
	return s.len > 0;
}

static bool stated_read_kind(struct str s, enum stated_kind *ret)
{
	static const char *const words[] = { [STATED_STATIC] = "static",
					     [STATED_DYNAMIC] = "dynamic",
					     [STATED_BOUNDED] = "dynamic,bounded" };
	for (unsigned i = 0; i < COUNT_OF(words); i++)
		if (str_eq(s, str_of(words[i]))) {
			*ret = (enum stated_kind)i;
			return true;
		}
	return false;
}

/* Returns the end of "FILE:LINE:" or "FILE:LINE:COLUMN:" before the name, which may contain colons.
 * 0 if there is none. */
static size_t place_end(struct str s, size_t *ret_file)
{
	for (size_t i = 1; i < s.len; i++) {
		size_t at = i, numbers = 0;
		while (at < s.len && s.p[at] == ':' && numbers < 2) {
			size_t end = at + 1;
			while (end < s.len && s.p[end] >= '0' && s.p[end] <= '9')
				end++;
			if (end == at + 1 || end == s.len || s.p[end] != ':')
				break;
			at = end;
			numbers++;
		}
		if (numbers > 0) {
			*ret_file = i;
			return at + 1;
		}
	}
	return 0;
}

static bool stated_read_line(struct str line, struct su_line *ret)
{
	struct str kind, size;
	size_t file = 0;
	if (line.len > 0 && line.p[line.len - 1] == '\r')
		line.len--;
	if (!cut_last(&line, '\t', &kind) || !stated_read_kind(kind, &ret->kind) ||
	    !cut_last(&line, '\t', &size) || !stated_number(size, &ret->size))
		return false;
	const size_t end = place_end(line, &file);
	ret->file = (struct str){ line.p, file };
	ret->name = (struct str){ line.p + end, line.len - end };
	return end > 0 && ret->name.len > 0;
}

struct str stated_line_take(struct str *text)
{
	ASSERT(text->len > 0);
	const char *end = memchr(text->p, '\n', text->len);
	const struct str line = { text->p, end ? (size_t)(end - text->p) : text->len };
	const size_t taken = line.len + (end != NULL);
	*text = (struct str){ text->p + taken, text->len - taken };
	return line;
}

bool su_next(struct str *text, struct su_line *ret, uint64_t *bad)
{
	while (text->len > 0) {
		const struct str line = stated_line_take(text);
		if (stated_read_line(line, ret))
			return true;
		*bad += line.len > 0;
	}
	return false;
}

struct str su_plain_name(struct text *to, struct str name)
{
	unsigned depth = 0;
	to->len = 0;
	for (size_t i = 0; i < name.len && (depth > 0 || name.p[i] != '('); i++) {
		const char c = name.p[i];
		if (c == '>' && depth > 0)
			depth--;
		else if (c == '<')
			depth++;
		else if (depth == 0 && (c == ' ' || c == '*' || c == '&'))
			to->len = 0; /* What was read so far is the return type: drops it */
		else if (depth == 0)
			text_add_char(to, c);
	}
	return text_str(to);
}

uint64_t stated_add(struct stated *s, struct str text)
{
	struct su_line line;
	uint64_t bad = 0;
	while (su_next(&text, &line, &bad)) {
		/* gcc writes C++ functions as in its messages, and others by linkage name. */
		const struct str name = memchr(line.name.p, '(', line.name.len)
						? su_plain_name(&s->work, line.name)
						: line.name;
		if (name.len == 0 || s->lines.count >= UINT32_MAX - 1)
			continue;
		const uint32_t id = intern_add(&s->names, name);
		ASSERT(id <= s->first.count);
		if (id == s->first.count)
			vec_push(&s->first, 0);
		vec_push(&s->lines, (struct stated_line){
					    .file = intern_add(&s->files, file_name_str(line.file)),
					    .next = s->first.data[id],
					    .size = line.size,
					    .kind = (uint8_t)line.kind });
		s->first.data[id] = (uint32_t)s->lines.count;
	}
	return bad;
}

void stated_release(struct stated *s)
{
	intern_release(&s->names);
	intern_release(&s->files);
	vec_release_all(&s->first, &s->lines);
	text_release(&s->work);
}

/* What the lines of a name state for one file, or for all (`any`): their number, whether they
 * differ, and the largest frame */
struct stated_choice {
	size_t count;
	bool differ;
	struct su_line most;
};

static struct stated_choice stated_choose(const struct stated *s, uint32_t first, struct str file,
					  bool any)
{
	struct stated_choice c = { 0 };
	for (uint32_t i = first; i > 0; i = s->lines.data[i - 1].next) {
		const struct stated_line *l = &s->lines.data[i - 1];
		const struct str of = intern_get(&s->files, l->file);
		if (!any && !str_eq(of, file))
			continue;
		c.differ |= c.count > 0 && (l->size != c.most.size || l->kind != c.most.kind);
		if (c.count++ == 0 || l->size > c.most.size)
			c.most = (struct su_line){ .file = of,
						   .size = l->size,
						   .kind = (enum stated_kind)l->kind };
	}
	return c;
}

bool stated_find(const struct stated *s, struct str name, const char *file, bool alone,
		 struct su_line *ret)
{
	ASSERT(s->first.count <= s->names.entries.count);
	struct stated_choice c = { 0 };
	uint32_t id;
	if (!intern_find(&s->names, name, &id))
		return false;
	if (file)
		c = stated_choose(s, s->first.data[id], str_of(file_name(file)), false);
	if (c.count == 0 && (alone || !file))
		c = stated_choose(s, s->first.data[id], STR(""), true);
	*ret = c.most;
	ret->name = name;
	return c.count > 0 && !c.differ;
}

bool stack_sizes_next(struct reader *r, unsigned address_size, uint64_t *ret_addr,
		      uint64_t *ret_size)
{
	*ret_addr = read_wide(r, address_size);
	*ret_size = read_uleb(r);
	return reader_ok(r);
}
