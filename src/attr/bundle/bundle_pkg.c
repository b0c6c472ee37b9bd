/* Claims programs made by pkg (github.com/vercel/pkg and its successor github.com/yao-pkg/pkg,
 * lib/producer.ts and lib/packer.ts). Such a program consists of Node.js, the pieces of all files,
 * and a prelude. The prelude is a JavaScript function that is called with these arguments, each in
 * JSON on its own line, with a line with a comma between them: the files, the path of the first
 * script, symbolic links. Later versions add the abbreviations of paths, and how pieces are packed
 * (0: not, 1: gzip, 2: Brotli).
 *
 *     {"/snapshot/a.js":{"0":[0,4000],"3":[4000,120]},...}
 *
 * A file has up to four pieces, each with offset and size: V8's compiled code, its contents, the
 * list of the folder, and its status. If pieces are packed, the parts of a path are base-36
 * numbers, which the fourth argument gives to names: {"snapshot":"1",...}.
 *
 * The last piece ends at the prelude's start, which gives the position of all pieces. Pieces that
 * cannot lie before the prelude are damaged and ignored. */
#define _GNU_SOURCE /* memmem, memrchr */
#include "attr/bundle/bundle.h"

#include "base/json_read.h"

#define PRELUDE_START                                                                              \
	STR("(function(process, require, console, EXECPATH_FD, PAYLOAD_POSITION, "                 \
	    "PAYLOAD_SIZE) {")
#define PRELUDE_END STR("\n);\n})")

enum { FILES, FIRST_SCRIPT, LINKS, NAMES, PACKED, ARGUMENTS };
enum { BASE = 36, DIGITS_MAX = 6 };
enum { PATHS_FACTOR = 16, PATHS_MIN = 64 << 10 };

struct pkg {
	const struct bundle *b;
	uint64_t base;           /* Offset in the bundle from which the offsets of pieces count */
	const struct str *names; /* Names of path components, indexed by number. NULL if paths are
				  * not abbreviated. */
	size_t name_count;
	uint64_t room;  /* Bytes that unabbreviated paths may still take */
	uint64_t limit; /* Greatest possible `end` */
	bool put;       /* True: claims the pieces. False: only finds their end */
	uint64_t end;   /* End of the last piece, relative to `base` */
};

/* Removes and returns the last line. */
static struct str last_line(struct str *text)
{
	const char *const nl = text->len > 0 ? memrchr(text->p, '\n', text->len) : NULL;
	const size_t before = nl ? (size_t)(nl - text->p) : 0, skip = nl ? before + 1 : 0;
	const struct str line = { text->p + skip, text->len - skip };
	text->len = before;
	return line;
}

/* Finds the arguments in the prelude (without its end). False if they have another form. */
static bool find_arguments(struct str prelude, struct str args[ARGUMENTS])
{
	struct str found[ARGUMENTS];
	size_t n = 0;
	while (n < ARGUMENTS) {
		found[n++] = last_line(&prelude);
		const struct str between = last_line(&prelude);
		if (str_eq(between, STR("},")))
			break;
		if (!str_eq(between, STR(",")))
			return false;
	}
	for (size_t i = 0; i < ARGUMENTS; i++)
		args[i] = i < n ? found[n - 1 - i] : STR("");
	return args[FILES].len > 0;
}

/* Reads a base-36 number of at most DIGITS_MAX digits. False for other text. */
static bool base36(struct str text, size_t *ret)
{
	size_t v = 0;
	for (size_t i = 0; i < text.len; i++) {
		const char c = text.p[i];
		if (c >= '0' && c <= '9')
			v = v * BASE + (size_t)(c - '0');
		else if (c >= 'a' && c <= 'z')
			v = v * BASE + (size_t)(c - 'a') + 10;
		else
			return false;
	}
	*ret = v;
	return text.len > 0 && text.len <= DIGITS_MAX;
}

/* Counts the names. If `names` is not NULL, also stores the names whose number is below `count`. */
static size_t bundle_pkg_read_names(struct str json, struct arena *arena, struct str *names,
				    size_t count)
{
	struct json_in in;
	size_t seen = 0, number = 0;
	json_in_init(&in, bundle_bytes(json));
	if (json_next(&in) == JSON_OBJECT)
		while (json_next(&in) == JSON_KEY) {
			const char *const name = names ? arena_copy(arena, text_str(&in.text))
						       : NULL;
			const size_t size = in.text.len;
			if (json_next(&in) != JSON_STRING)
				break;
			seen++;
			if (name && base36(text_str(&in.text), &number) && number < count)
				names[number] = (struct str){ name, size };
		}
	json_in_release(&in);
	return seen;
}

static void long_path(struct pkg *p, struct str path, struct text *ret)
{
	char separator = '/';
	for (size_t at = 0; at <= path.len;) {
		const char *const slash = memchr(path.p + at, '/', path.len - at);
		const size_t end = slash ? (size_t)(slash - path.p) : path.len;
		struct str name = { path.p + at, end - at };
		size_t number;
		if (base36(name, &number) && number < p->name_count && p->names[number].p &&
		    p->names[number].len <= p->room) {
			name = p->names[number];
			p->room -= name.len;
		}
		if (at == 0 && name.len == 2 && name.p[1] == ':')
			separator = '\\'; /* A program for Windows has "\" */
		text_add(ret, name);
		if (slash)
			text_add_char(ret, separator);
		at = end + 1;
	}
}

static bool bundle_pkg_read_piece(struct json_in *in, uint64_t *off, uint64_t *size)
{
	int64_t n[2] = { 0 };
	if (json_next(in) != JSON_ARRAY)
		return false;
	for (size_t i = 0; i < 2; i++)
		if (json_next(in) != JSON_NUMBER || !json_integer(in, &n[i]) || n[i] < 0)
			return false;
	*off = (uint64_t)n[0];
	*size = (uint64_t)n[1];
	return json_next(in) == JSON_ARRAY_END;
}

static void bundle_pkg_take_piece(struct pkg *p, struct str path, uint64_t off, uint64_t size)
{
	if (p->put && size > 0 && off < p->end)
		bundle_member(p->b, p->base + off, min_u64(size, p->end - off), path);
	else if (!p->put && off + size <= p->limit)
		p->end = max_u64(p->end, off + size);
}

/* Reads the pieces of one file. False if the JSON has another form. */
static bool bundle_pkg_read_file(struct pkg *p, struct json_in *in, struct str path)
{
	uint64_t off, size;
	enum json_token t = json_next(in);
	if (t != JSON_OBJECT)
		return false;
	while ((t = json_next(in)) == JSON_KEY) {
		if (!bundle_pkg_read_piece(in, &off, &size))
			return false;
		bundle_pkg_take_piece(p, path, off, size);
	}
	return t == JSON_OBJECT_END;
}

/* Reads all files. False if the JSON is damaged. Files before the damage are read. */
static bool bundle_pkg_read_files(struct pkg *p, struct str json)
{
	struct json_in in;
	struct text path = { 0 };
	json_in_init(&in, bundle_bytes(json));
	enum json_token t = json_next(&in);
	bool ok = t == JSON_OBJECT;
	while (ok && (t = json_next(&in)) == JSON_KEY) {
		path.len = 0;
		if (p->names)
			long_path(p, text_str(&in.text), &path);
		else
			text_set(&path, text_str(&in.text));
		ok = bundle_pkg_read_file(p, &in, text_str(&path));
	}
	text_release(&path);
	json_in_release(&in);
	return ok && t == JSON_OBJECT_END;
}

/* Reads the names of path components, if paths are abbreviated. They live in the arena. */
static void bundle_pkg_find_names(struct pkg *p, const struct str args[ARGUMENTS],
				  struct arena *arena)
{
	if (args[PACKED].len == 0 || str_eq(args[PACKED], STR("0")))
		return;
	const size_t count = bundle_pkg_read_names(args[NAMES], NULL, NULL, 0);
	struct str *const names = arena_new(arena, struct str, count + 1);
	(void)bundle_pkg_read_names(args[NAMES], arena, names, count);
	p->names = names;
	p->name_count = count;
	p->room = PATHS_MIN + PATHS_FACTOR * args[FILES].len;
}

/* Finds the start of the last prelude. False if there is none. */
static bool find_prelude(struct bytes all, uint64_t *ret)
{
	const struct str mark = PRELUDE_START;
	bool found = false;
	for (uint64_t at = 0; at < all.size;) {
		const uint8_t *const p = memmem(all.p + at, all.size - at, mark.p, mark.len);
		if (!p)
			break;
		*ret = (uint64_t)(p - all.p);
		at = *ret + mark.len;
		found = true;
	}
	return found;
}

/* Sets *ret to the prelude without its end, which a signature may follow. False without an end. */
static bool prelude_text(struct bytes all, uint64_t start, struct str *ret)
{
	const struct str mark = PRELUDE_END;
	const char *const text = (const char *)all.p + start;
	for (uint64_t size = all.size - start; size >= mark.len; size--)
		if (text[size - 1] == ')' &&
		    memcmp(text + (size - mark.len), mark.p, mark.len) == 0) {
			*ret = (struct str){ text, size - mark.len };
			return true;
		}
	return false;
}

bool bundle_pkg(const struct bundle *b)
{
	struct str args[ARGUMENTS], text;
	struct arena arena = { 0 };
	uint64_t start;
	if (!find_prelude(b->bytes, &start) || !prelude_text(b->bytes, start, &text) ||
	    !find_arguments(text, args))
		return false;
	struct pkg p = { .b = b, .limit = start };
	if (!bundle_pkg_read_files(&p, args[FILES]))
		return false;
	const uint64_t files = start + (uint64_t)(args[FILES].p - text.p);
	ASSERT(p.end <= start && files <= b->bytes.size);
	p.base = start - p.end;
	p.put = true;
	bundle_pkg_find_names(&p, args, &arena);
	(void)bundle_pkg_read_files(&p, args[FILES]);
	bundle_put(b, start, files - start,
		   label_borrow(b->attr->f->labels, STR("(bundle prelude)")));
	bundle_tables(b, files, start + text.len + PRELUDE_END.len - files);
	arena_release(&arena);
	return true;
}

/* Moves to the value of the member `name`. False if the object has no such member. */
static bool bundle_pkg_find_key(struct json_in *in, struct str name)
{
	if (json_next(in) != JSON_OBJECT)
		return false;
	while (json_next(in) == JSON_KEY) {
		if (str_eq(text_str(&in->text), name))
			return true;
		json_skip(in);
	}
	return false;
}

void bundle_pkg_archive(const struct bundle *b, struct bytes archive, uint64_t off,
			struct bytes manifest)
{
	struct pkg p = { .b = b, .base = off, .put = true, .end = archive.size };
	struct json_in in;
	struct text path = { 0 };
	uint64_t at, size;
	json_in_init(&in, manifest);
	bool more = bundle_pkg_find_key(&in, STR("offsets")) && json_next(&in) == JSON_OBJECT;
	while (more && json_next(&in) == JSON_KEY) {
		text_set(&path, text_str(&in.text));
		more = bundle_pkg_read_piece(&in, &at, &size);
		if (more)
			bundle_pkg_take_piece(&p, text_str(&path), at, size);
	}
	text_release(&path);
	json_in_release(&in);
}
