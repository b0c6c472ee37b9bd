/* Reads `.pak.info` files: the names of resources in data packs. */
#include "snapshot/pak_info.h"

#include "base/file.h"
#include "base/text.h"

/* Returns the text before the next comma of *rest, or all. Removes it with the comma. */
static struct str field(struct str *rest)
{
	const char *comma = rest->len > 0 ? memchr(rest->p, ',', rest->len) : NULL;
	const struct str got = { rest->p, comma ? (size_t)(comma - rest->p) : rest->len };
	const size_t used = got.len + (comma != NULL);
	*rest = (struct str){ rest->p + used, rest->len - used };
	return got;
}

static bool pak_info_number(struct str s, uint32_t *ret)
{
	uint32_t v = 0;
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] < '0' || s.p[i] > '9' || v > UINT16_MAX)
			return false;
		v = v * 10 + (uint32_t)(s.p[i] - '0');
	}
	*ret = v;
	return s.len > 0 && v <= UINT16_MAX;
}

static bool add_line(struct pak_info *i, struct snapshot *s, struct str line, struct text *work)
{
	const struct str name = field(&line), digits = field(&line);
	struct str path = line;
	uint32_t id;
	if (name.len == 0 || path.len == 0 || !pak_info_number(digits, &id))
		return false;
	if (str_starts(path, STR("../../")))
		path = (struct str){ path.p + 6, path.len - 6 };
	text_set(work, path);
	text_adds(work, STR(": "), name);
	i->names[id] = intern_add(&s->texts, text_str(work));
	i->sources[id] = intern_add(&s->texts, path);
	return true;
}

void pak_info_parse(struct pak_info *i, struct snapshot *s, const char *path, struct bytes b,
		    struct notes *notes)
{
	const struct str all = { (const char *)b.p, b.size };
	struct text work = { 0 };
	i->names = mem_zeroed((size_t)UINT16_MAX + 1, sizeof *i->names);
	i->sources = mem_zeroed((size_t)UINT16_MAX + 1, sizeof *i->sources);
	for (size_t at = 0; at < all.len;) {
		const char *end = memchr(all.p + at, '\n', all.len - at);
		struct str line = { all.p + at, (end ? (size_t)(end - all.p) : all.len) - at };
		const size_t from = at;
		at += line.len + 1;
		if (str_ends(line, STR("\r")))
			line.len--;
		if (line.len > 0 && !add_line(i, s, line, &work))
			note(notes, path, from, line.len,
			     "a line is no NAME,id,path of a resource");
	}
	text_release(&work);
}

void pak_info_read(struct pak_info *i, struct snapshot *s, const char *const *paths, size_t count,
		   struct notes *notes)
{
	struct heft_err err;
	struct file f;
	size_t k = 0;
	*i = (struct pak_info){ 0 };
	while (k < count && !file_exists(paths[k]))
		k++;
	if (k == count)
		return;
	if (!file_open(&f, paths[k], &err)) {
		note(notes, paths[k], HEFT_NO_OFFSET, 0, "not used: %s", err.text);
		return;
	}
	pak_info_parse(i, s, f.path, f.bytes, notes);
	file_close(&f);
}

void pak_info_release(struct pak_info *i)
{
	mem_free_all(i->names, i->sources);
	vec_release(&i->same);
}
