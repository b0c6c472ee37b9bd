/* Reads build.ninja (the Ninja manual, "Ninja file reference"): first output and first input of
 * build statements, and variables of the top level. */
#include "base/file.h"
#include "project/build_paths_internal.h"

#include <ctype.h>

enum { INCLUDES_MAX = 64 };

/* Bytes to which all variables may expand: EXPANDED_MIN, plus EXPANDED_RATIO per byte of a file.
 * Further expansions fail. */
enum { EXPANDED_MIN = 1 << 20, EXPANDED_RATIO = 32 };

struct ninja {
	struct build_paths *out;
	struct str dir; /* Start of relative paths */
	const char *path;
	struct notes *notes;
	struct intern texts;
	VEC(uint32_t)
	values;                 /* Per id of a name in `texts`: 1 + text id of its value, or 0 */
	uint64_t room;          /* Bytes to which variables may still expand */
	VEC(uint32_t) includes; /* Paths. Each is read once */
	struct text word;
};

static void add_var(struct ninja *n, struct str name)
{
	uint32_t id;
	if (!intern_find(&n->texts, name, &id) || id >= n->values.count || !n->values.data[id])
		return;
	const struct str value = intern_get(&n->texts, n->values.data[id] - 1);
	if (value.len > n->room) {
		n->room = 0;
		note(n->notes, n->path, HEFT_NO_OFFSET, 0,
		     "variables that stand for far more than the file has are left out");
		return;
	}
	n->room -= value.len;
	text_add(&n->word, value);
}

/* Appends the value of an escape whose '$' is at s.p[i - 1]. Returns the index after the escape. */
static size_t add_escape(struct ninja *n, struct str s, size_t i)
{
	const bool brace = i < s.len && s.p[i] == '{';
	size_t end = i + brace;
	while (end < s.len && (isalnum((unsigned char)s.p[end]) || s.p[end] == '_' ||
			       s.p[end] == '-' || (brace && s.p[end] == '.')))
		end++;
	ASSERT(end <= s.len + 1);
	if (i < s.len && (s.p[i] == ' ' || s.p[i] == ':' || s.p[i] == '$')) {
		text_add_char(&n->word, s.p[i]);
		return i + 1;
	}
	add_var(n, (struct str){ s.p + i + brace, end - i - brace });
	return end + (brace && end < s.len);
}

/* Reads the next word of *s into n->word. A word ends at a blank and, unless `plain`, at ':' or
 * '|'. False without a word. */
static bool ninja_take_word(struct ninja *n, struct str *s, bool plain)
{
	size_t i = 0;
	n->word.len = 0;
	while (i < s->len && s->p[i] == ' ')
		i++;
	const size_t from = i;
	while (i < s->len && s->p[i] != ' ' && (plain || (s->p[i] != ':' && s->p[i] != '|'))) {
		if (s->p[i] == '$') {
			i = add_escape(n, *s, i + 1);
			continue;
		}
		text_add_char(&n->word, s->p[i++]);
	}
	ASSERT(i <= s->len);
	s->p += i;
	s->len -= i;
	return i > from;
}

/* Reads a statement after the word "build": outputs, ':', rule, inputs. */
static void ninja_read_build(struct ninja *n, struct str s)
{
	static const char *const ends[] = { ".c", ".cc", ".cpp", ".cxx", ".C", ".c++", ".m", ".mm",
					    ".S", ".s",  ".asm", ".rs",  ".d", ".f90", ".go" };
	struct text output = { 0 };
	bool found = false;
	if (ninja_take_word(n, &s, false))
		text_set(&output, text_str(&n->word));
	while (s.len > 0 && s.p[0] != ':') {
		if (!ninja_take_word(n, &s, false) && s.len > 0 && s.p[0] != ':') {
			s.p++; /* Skips "|" */
			s.len--;
		}
	}
	if (s.len > 0) {
		s.p++;
		s.len--;
	}
	(void)ninja_take_word(n, &s, false); /* Skips the rule */
	while (output.len > 0 && !found && ninja_take_word(n, &s, false))
		for (size_t i = 0; i < COUNT_OF(ends) && !found; i++)
			found = str_ends(text_str(&n->word), str_of(ends[i]));
	if (found)
		build_paths_add(n->out, n->dir, text_str(&output), text_str(&n->word));
	text_release(&output);
}

static void read_include(struct ninja *n, struct str s)
{
	struct text path = { 0 };
	if (ninja_take_word(n, &s, true) && n->word.len > 0) {
		text_set(&path, n->dir);
		if (n->dir.len > 0 && n->word.p[0] != '/')
			text_add_char(&path, '/');
		else
			path.len = 0;
		text_add(&path, text_str(&n->word));
		const uint32_t id = intern_add(&n->texts, text_str(&path));
		bool known = n->includes.count >= INCLUDES_MAX;
		for (size_t i = 0; i < n->includes.count && !known; i++)
			known = n->includes.data[i] == id;
		if (!known)
			vec_push(&n->includes, id);
		ASSERT(n->includes.count <= INCLUDES_MAX);
	}
	text_release(&path);
}

/* Reads "name = value" at the top level. */
static void ninja_read_variable(struct ninja *n, struct str s)
{
	const char *equals = memchr(s.p, '=', s.len);
	if (!equals)
		return;
	size_t size = (size_t)(equals - s.p);
	struct str value = { equals + 1, s.len - size - 1 };
	while (size > 0 && s.p[size - 1] == ' ')
		size--;
	while (value.len > 0 && value.p[0] == ' ') {
		value.p++;
		value.len--;
	}
	n->word.len = 0;
	for (size_t i = 0; i < value.len;) {
		if (value.p[i] == '$')
			i = add_escape(n, value, i + 1);
		else
			text_add_char(&n->word, value.p[i++]);
	}
	const uint32_t name = intern_add(&n->texts, (struct str){ s.p, size });
	const uint32_t text = intern_add(&n->texts, text_str(&n->word));
	while (n->values.count <= name)
		vec_push(&n->values, 0);
	n->values.data[name] = text + 1;
	ASSERT(n->values.count <= n->texts.entries.count);
}

static void ninja_read_line(struct ninja *n, struct str s)
{
	if (s.len == 0 || s.p[0] == ' ' || s.p[0] == '#')
		return;
	if (str_starts(s, STR("build ")))
		ninja_read_build(n, (struct str){ s.p + 6, s.len - 6 });
	else if (str_starts(s, STR("include ")))
		read_include(n, (struct str){ s.p + 8, s.len - 8 });
	else if (str_starts(s, STR("subninja ")))
		read_include(n, (struct str){ s.p + 9, s.len - 9 });
	else if (!str_starts(s, STR("rule ")) && !str_starts(s, STR("pool ")) &&
		 !str_starts(s, STR("default ")))
		ninja_read_variable(n, s);
}

/* Reads the lines. A line with an odd number of '$' at its end continues on the next line. */
static void ninja_read_text(struct ninja *n, struct bytes b)
{
	struct text line = { 0 };
	n->room += b.size * EXPANDED_RATIO;
	for (uint64_t i = 0; i <= b.size; i++) {
		const bool end = i == b.size || b.p[i] == '\n';
		if (!end) {
			text_add_char(&line, (char)b.p[i]);
			continue;
		}
		if (line.len > 0 && line.p[line.len - 1] == '\r')
			line.len--;
		size_t dollars = 0;
		while (dollars < line.len && line.p[line.len - 1 - dollars] == '$')
			dollars++;
		if (dollars % 2 == 1 && i < b.size) {
			line.len--;
			while (i + 1 < b.size && b.p[i + 1] == ' ')
				i++;
			continue;
		}
		ninja_read_line(n, text_str(&line));
		line.len = 0;
	}
	text_release(&line);
}

bool ninja_read(struct build_paths *b, const char *path, struct str dir, struct bytes bytes,
		struct notes *notes, struct heft_err *err)
{
	struct ninja n = {
		.out = b, .dir = dir, .path = path, .notes = notes, .room = EXPANDED_MIN
	};
	(void)err;
	ninja_read_text(&n, bytes);
	for (size_t i = 0; i < n.includes.count; i++) {
		struct file f;
		struct heft_err why;
		const char *name = intern_get(&n.texts, n.includes.data[i]).p;
		if (!file_open(&f, name, &why)) {
			note(notes, path, HEFT_NO_OFFSET, 0, "an included file is left out: %s",
			     why.text);
			continue;
		}
		ninja_read_text(&n, f.bytes);
		file_close(&f);
	}
	intern_release(&n.texts);
	vec_release_all(&n.values, &n.includes);
	text_release(&n.word);
	return true;
}
