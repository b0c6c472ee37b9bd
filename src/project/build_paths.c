/* Finds the source files of objects in compile_commands.json and build.ninja. */
#include "project/build_paths_internal.h"

#include "base/filename.h"
#include "base/file.h"
#include "base/json_read.h"
#include "base/sort.h"
#include "debug/path.h"

struct str build_paths_dir(const struct build_paths *b)
{
	return b->dir == 0 ? STR("") : intern_get(&b->texts, b->dir - 1);
}

static bool build_paths_is_below(struct str path, struct str dir)
{
	return str_starts(path, dir) && path.len > dir.len && path.p[dir.len] == '/';
}

void build_paths_add(struct build_paths *b, struct str dir, struct str object, struct str source)
{
	struct text path = { 0 };
	path_join(&path, dir, STR(""), object);
	const uint32_t from = intern_add(&b->texts, text_str(&path));
	path_join(&path, dir, STR(""), source);
	const uint32_t to = intern_add(&b->texts, text_str(&path));
	/* Records a build directory. If there are several, keeps only the start that all their
	 * paths share. */
	path_join(&path, dir, STR(""), STR(""));
	struct str shared = text_str(&path);
	const struct str known = build_paths_dir(b);
	while (b->dir != 0 && shared.len > 0 && !str_eq(shared, known) &&
	       !build_paths_is_below(known, shared)) {
		do
			shared.len--;
		while (shared.len > 0 && shared.p[shared.len] != '/');
	}
	b->dir = intern_add(&b->texts, shared) + 1;
	text_release(&path);
	while (b->source_of.count < b->texts.entries.count)
		vec_push(&b->source_of, 0);
	ASSERT(from < b->source_of.count && to < b->source_of.count);
	b->source_of.data[from] = to + 1;
}

static uint64_t tail_hash(struct str path)
{
	const struct str last = file_name_str(path);
	return hash_bytes(last.p, last.len);
}

void build_paths_finish(struct build_paths *b)
{
	for (uint32_t i = 0; i < b->source_of.count; i++) {
		if (b->source_of.data[i] == 0)
			continue;
		const uint32_t source = b->source_of.data[i] - 1;
		vec_push(&b->objects,
			 (struct build_tail){ tail_hash(intern_get(&b->texts, i)), i, source });
		vec_push(&b->sources, (struct build_tail){ tail_hash(intern_get(&b->texts, source)),
							   source, i });
	}
	/* If half of the sources or more are below that directory, it is the source tree, not a
	 * build directory. */
	const struct str dir = build_paths_dir(b);
	size_t below = 0;
	ASSERT(b->objects.count == b->sources.count);
	for (size_t i = 0; i < b->objects.count; i++)
		below += build_paths_is_below(intern_get(&b->texts, b->objects.data[i].other), dir);
	if (2 * below >= b->objects.count)
		b->dir = 0;
	sort_by_key(b->objects.data, b->objects.count, sizeof *b->objects.data);
	sort_by_key(b->sources.data, b->sources.count, sizeof *b->sources.data);
}

void build_paths_release(struct build_paths *b)
{
	intern_release(&b->texts);
	vec_release_all(&b->source_of, &b->objects, &b->sources);
}

/* Returns the size of the common end of both paths, in whole components. */
static size_t shared_tail(struct str a, struct str b)
{
	size_t i = 0, whole = 0;
	while (i < a.len && i < b.len && a.p[a.len - 1 - i] == b.p[b.len - 1 - i]) {
		whole = a.p[a.len - 1 - i] == '/' ? i : whole;
		i++;
	}
	ASSERT(whole <= i);
	const bool a_ends = i == a.len || a.p[a.len - 1 - i] == '/';
	const bool b_ends = i == b.len || b.p[b.len - 1 - i] == '/';
	return a_ends && b_ends ? i : whole;
}

/* Returns build_tail.other of the listed path that shares the longest end with `path`. "" if none
 * does, or several. */
static struct str find_tail(const struct build_paths *b, const struct build_tail *list,
			    size_t count, struct str path)
{
	const uint64_t hash = tail_hash(path);
	const struct build_tail *best = NULL;
	size_t best_size = 0;
	for (size_t i = lower_bound(list, count, sizeof *list, hash);
	     i < count && list[i].hash == hash; i++) {
		const size_t size = shared_tail(path, intern_get(&b->texts, list[i].path));
		if (size > best_size)
			best = &list[i];
		else if (size == best_size)
			best = NULL;
		best_size = max_u64(best_size, size);
	}
	return best ? intern_get(&b->texts, best->other) : STR("");
}

struct str build_paths_find(const struct build_paths *b, struct str object)
{
	/* The part of an object's name that is a path: "y.o" of "lib/libx.a(y.o)". */
	const char *open = str_ends(object, STR(")")) ? memchr(object.p, '(', object.len) : NULL;
	const size_t skip = open ? (size_t)(open - object.p) + 1 : 0;
	const struct str part = { object.p + skip, object.len - skip - (open != NULL) };
	return find_tail(b, b->objects.data, b->objects.count, part);
}

struct str build_paths_object(const struct build_paths *b, struct str source)
{
	return find_tail(b, b->sources.data, b->sources.count, source);
}

/* An entry of compile_commands.json. */
struct build_paths_entry {
	struct text directory, file, output;
};

/* Sets *ret to the word after "-o" of a command line, with quotes and backslashes as in a shell. */
static void output_of_command(struct str command, struct text *ret)
{
	struct text word = { 0 };
	bool next = false;
	for (size_t i = 0; i <= command.len; i++) {
		const char c = i < command.len ? command.p[i] : ' ';
		if (c == '\\' && i + 1 < command.len) {
			text_add_char(&word, command.p[++i]);
		} else if (c == ' ' || c == '\t') {
			if (next && word.len > 0)
				text_set(ret, text_str(&word));
			next = str_eq(text_str(&word), STR("-o")) || (next && word.len == 0);
			word.len = 0;
		} else if (c != '"' && c != '\'') {
			text_add_char(&word, c);
		}
	}
	text_release(&word);
}

static void output_of_arguments(struct json_in *in, struct text *ret)
{
	bool next = false;
	for (enum json_token t = json_next(in); t != JSON_ARRAY_END && t != JSON_END;
	     t = json_next(in)) {
		if (t != JSON_STRING)
			(void)json_rest(in, t);
		else if (next)
			text_set(ret, text_str(&in->text));
		next = t == JSON_STRING && str_eq(text_str(&in->text), STR("-o"));
	}
}

static void build_paths_read_member(struct json_in *in, struct build_paths_entry *e)
{
	static const char *const keys[] = { "directory", "file", "output", "command", "arguments" };
	struct text *const texts[] = { &e->directory, &e->file, &e->output };
	size_t key = 0;
	while (key < COUNT_OF(keys) && !str_eq(text_str(&in->text), str_of(keys[key])))
		key++;
	const enum json_token t = json_next(in);
	if (key < 3 && t == JSON_STRING)
		text_set(texts[key], text_str(&in->text));
	else if (key == 3 && t == JSON_STRING && e->output.len == 0)
		output_of_command(text_str(&in->text), &e->output);
	else if (key == 4 && t == JSON_ARRAY && e->output.len == 0)
		output_of_arguments(in, &e->output);
	else
		(void)json_rest(in, t);
}

static bool read_commands(struct build_paths *b, const char *path, struct bytes bytes,
			  struct heft_err *err)
{
	struct json_in in;
	struct build_paths_entry e = { { 0 }, { 0 }, { 0 } };
	json_in_init(&in, bytes);
	bool ok = json_next(&in) == JSON_ARRAY;
	while (ok && json_next(&in) == JSON_OBJECT) {
		e.directory.len = e.file.len = e.output.len = 0;
		while (json_next(&in) == JSON_KEY)
			build_paths_read_member(&in, &e);
		if (e.file.len > 0 && e.output.len > 0)
			build_paths_add(b, text_str(&e.directory), text_str(&e.output),
					text_str(&e.file));
	}
	if (!ok || in.bad)
		ok = fail(err, HEFT_EFORMAT, in.pos, "%s: %s", path,
			  in.bad ? in.problem : "not a list of compile commands");
	text_release(&e.directory);
	text_release(&e.file);
	text_release(&e.output);
	json_in_release(&in);
	return ok;
}

bool build_paths_read(struct build_paths *b, const char *path, struct notes *notes,
		      struct heft_err *err)
{
	struct file f;
	const char *slash = strrchr(path, '/');
	const struct str dir = { path, slash ? (size_t)(slash - path) : 0 };
	if (!file_open(&f, path, err))
		return false;
	const bool json = str_ends(str_of(path), STR(".json"));
	const bool ok = json ? read_commands(b, path, f.bytes, err)
			     : ninja_read(b, path, dir, f.bytes, notes, err);
	file_close(&f);
	return ok;
}
