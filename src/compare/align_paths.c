/* Finds the build directories of two snapshots by comparing their source paths, and removes them
 * from the paths. */
#define _GNU_SOURCE /* For memmem(). */

#include "compare/align_paths.h"

#include "base/filename.h"

/* Greatest number of source paths to compare. Others are ignored. */
enum { SOURCES_MAX = 2000 };

static align_paths align_paths_list_sources(const struct snapshot *s)
{
	bool *seen = mem_zeroed(s->texts.entries.count + 1, sizeof *seen);
	align_paths list = { 0 };
	for (size_t i = 0; i < s->symbols.count && list.count < SOURCES_MAX; i++) {
		const uint32_t id = s->symbols.data[i].source;
		const struct str path = snapshot_text(s, id);
		if (!seen[id] && path.len > 0 && path.p[0] == '/')
			vec_push(&list, path);
		seen[id] = true;
	}
	mem_free(seen);
	return list;
}

/* Returns the size of the common end of two paths: whole components with their slash. 0 if none. */
static size_t shared_end(struct str a, struct str b)
{
	size_t n = 0, whole = 0;
	while (n < a.len && n < b.len && a.p[a.len - 1 - n] == b.p[b.len - 1 - n]) {
		n++;
		whole = a.p[a.len - n] == '/' ? n : whole;
	}
	ASSERT(whole <= n && n <= min_u64(a.len, b.len));
	return whole;
}

/* Paths of one snapshot, by file name */
struct by_name {
	struct intern names;
	VEC(uint32_t)
	first, next; /* Lists. `first`: per file name, the first path. `next`: per path, the next
		      * one with that file name. UINT32_MAX ends a list */
	align_paths paths;
};

static bool align_paths_is_absolute(struct str path)
{
	return path.len > 0 && path.p[0] == '/';
}

static void align_paths_make_index(struct by_name *b, const align_paths *paths)
{
	for (size_t i = 0; i < paths->count && b->paths.count < SOURCES_MAX; i++) {
		if (!align_paths_is_absolute(paths->data[i]))
			continue;
		vec_push(&b->paths, paths->data[i]);
		const uint32_t id = intern_borrow(&b->names, file_name_str(paths->data[i]));
		if (id == b->first.count)
			vec_push(&b->first, UINT32_MAX);
		vec_push(&b->next, b->first.data[id]);
		b->first.data[id] = (uint32_t)(b->paths.count - 1);
	}
}

/* Returns the path that shares the longest end with `path`. *ret_size: size of that end, or 0. */
static struct str align_paths_find_partner(const struct by_name *b, struct str path,
					   size_t *ret_size)
{
	struct str best = STR("");
	uint32_t id;
	*ret_size = 0;
	if (!intern_find(&b->names, file_name_str(path), &id))
		return best;
	for (uint32_t i = b->first.data[id], left = 64; i != UINT32_MAX && left > 0; left--) {
		const size_t size = shared_end(path, b->paths.data[i]);
		if (size > *ret_size) {
			*ret_size = size;
			best = b->paths.data[i];
		}
		i = b->next.data[i];
	}
	return best;
}

/* Counts of pairs of paths that differ only in their roots. Texts in `roots`: "BEFORE\nAFTER" */
struct votes {
	struct intern roots;
	VEC(size_t) counts;
};

static void vote(struct votes *v, struct text *scratch, struct str before, struct str after)
{
	text_set(scratch, before);
	text_add_char(scratch, '\n');
	text_add(scratch, after);
	const uint32_t id = intern_add(&v->roots, text_str(scratch));
	if (id == v->counts.count)
		vec_push(&v->counts, 0);
	v->counts.data[id]++;
}

static bool align_paths_is_below(struct str path, struct str root)
{
	return path.len > root.len + 1 && str_starts(path, root) && path.p[root.len] == '/';
}

static struct str parent_of(struct str root)
{
	return (struct str){ root.p, root.len - file_name_str(root).len - 1 };
}

/* Returns how many paths in `same` (those in both snapshots) are below the parent of a root. */
static size_t count_beside(const align_paths *same, struct str before, struct str after)
{
	const struct str a = parent_of(before), b = parent_of(after);
	size_t count = 0;
	for (size_t i = 0; i < same->count; i++)
		count += align_paths_is_below(same->data[i], a) ||
			 align_paths_is_below(same->data[i], b);
	return count;
}

/* Chooses the two roots that fit more than half of the pairs of different paths. False if there are
 * none, if one is empty, or if many equal paths are in their parent folders. */
static bool elect(const struct votes *v, size_t pairs, const align_paths *same,
		  struct text ret_roots[2])
{
	for (uint32_t i = 0; i < v->counts.count; i++) {
		const struct str both = intern_get(&v->roots, i);
		const char *middle = memchr(both.p, '\n', both.len);
		ASSERT(middle);
		const struct str before = { both.p, (size_t)(middle - both.p) };
		const struct str after = { middle + 1, both.len - before.len - 1 };
		if (2 * v->counts.data[i] <= pairs || before.len == 0 || after.len == 0)
			continue;
		if (2 * v->counts.data[i] <= pairs + count_beside(same, before, after))
			return false;
		text_set(&ret_roots[0], before);
		text_set(&ret_roots[1], after);
		return true;
	}
	return false;
}

bool align_find_paths(const align_paths *before, const align_paths *after, struct text ret_roots[2])
{
	struct by_name index = { 0 };
	struct votes votes = { 0 };
	struct text scratch = { 0 };
	align_paths same = { 0 };
	size_t pairs = 0, looked = 0;
	align_paths_make_index(&index, after);
	for (size_t i = 0; i < before->count && looked < SOURCES_MAX; i++) {
		size_t size;
		const struct str path = before->data[i];
		if (!align_paths_is_absolute(path))
			continue;
		looked++;
		const struct str partner = align_paths_find_partner(&index, path, &size);
		if (str_eq(path, partner))
			vec_push(&same, path);
		if (size == 0 || str_eq(path, partner))
			continue;
		pairs++;
		vote(&votes, &scratch, (struct str){ path.p, path.len - size },
		     (struct str){ partner.p, partner.len - size });
	}
	const bool found = elect(&votes, pairs, &same, ret_roots);
	intern_release(&index.names);
	vec_release_all(&index.first, &index.next, &index.paths);
	intern_release(&votes.roots);
	vec_release_all(&votes.counts, &same);
	text_release(&scratch);
	return found;
}

bool align_find(const struct snapshot *before, const struct snapshot *after,
		struct text ret_roots[2])
{
	align_paths old = align_paths_list_sources(before), new_ = align_paths_list_sources(after);
	const bool found = align_find_paths(&old, &new_, ret_roots);
	vec_release_all(&old, &new_);
	return found;
}

static uint32_t without(struct snapshot *s, uint32_t id, struct str root)
{
	const struct str path = snapshot_text(s, id);
	if (!align_paths_is_below(path, root))
		return id;
	return intern_add(&s->texts,
			  (struct str){ path.p + root.len + 1, path.len - root.len - 1 });
}

void align_apply(struct snapshot *s, struct str root)
{
	const size_t count = s->texts.entries.count;
	uint32_t *to = mem_alloc((count + 1) * sizeof *to);
	memset(to, 0xff, (count + 1) * sizeof *to);
	for (size_t i = 0; i < s->symbols.count + s->charges.count; i++) {
		const bool charge = i >= s->symbols.count;
		struct snap_charge *c = charge ? &s->charges.data[i - s->symbols.count] : NULL;
		struct snap_symbol *y = charge ? NULL : &s->symbols.data[i];
		uint32_t *paths[] = { charge ? &c->source : &y->source,
				      charge ? &c->object : &y->object };
		for (size_t k = 0; k < COUNT_OF(paths); k++) {
			uint32_t *known = &to[*paths[k]];
			if (*known == UINT32_MAX)
				*known = without(s, *paths[k], root);
			*paths[k] = *known;
		}
	}
	mem_free(to);
}

static bool align_paths_has_package(const struct snapshot *s, struct str name)
{
	for (size_t i = 0; i < s->charges.count; i++)
		if (str_eq(snapshot_text(s, s->charges.data[i].package), name))
			return true;
	return false;
}

void align_packages(struct snapshot *before, const struct snapshot *after,
		    const struct text roots[2])
{
	const struct str from = file_name_str(text_str(&roots[0]));
	const struct str to = file_name_str(text_str(&roots[1]));
	if (align_paths_has_package(after, from))
		return;
	vec_each(struct snap_charge, c, &before->charges)
		if (str_eq(snapshot_text(before, c->package), from))
			c->package = intern_add(&before->texts, to);
}

struct str align_main_package(const struct snapshot *s)
{
	vec_each(const struct snap_charge, c, &s->charges) {
		if (c->debug || c->package == 0 || c->symbol == SNAP_NO_SYMBOL)
			continue;
		const struct str name = snapshot_text(s, s->symbols.data[c->symbol].full_name);
		if (str_eq(name, STR("main")) || str_eq(name, STR("main.main")) ||
		    str_eq(name, STR("main::main")) || str_starts(name, STR("main(")))
			return snapshot_text(s, c->package);
	}
	return STR("");
}

bool align_is_plain_folder(struct str folder)
{
	static const char *const names[] = { "src",  "source",  "sources", "lib",
					     "libs", "include", "app",     "code" };
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (str_eq(folder, str_of(names[i])))
			return true;
	return false;
}

/* The bytes of code that the charges of a path have. */
struct project_path {
	struct str path;
	uint64_t size;
};

typedef VEC(struct project_path) project_paths;

/* True for a source of the system, of a compiler, or that a package manager downloaded. */
static bool is_of_others(struct str path)
{
	static const char *const marks[] = { "/usr/", "/rustc/", "/registry/", "/.cargo/",
					     "/pkg/mod/" };
	bool ret = false;
	for (size_t i = 0; i < COUNT_OF(marks) && !ret; i++) {
		const char *at = memmem(path.p, path.len, marks[i], strlen(marks[i]));
		ret = at && (i > 1 || at == path.p);
	}
	return ret;
}

static project_paths project_list(const struct snapshot *s, struct str own)
{
	project_paths ret = { 0 };
	vec_each(const struct snap_charge, c, &s->charges) {
		const struct str path = snapshot_text(s, c->source);
		struct project_path *last = vec_last(&ret);
		if (!c->debug && c->symbol != SNAP_NO_SYMBOL && align_paths_is_absolute(path) &&
		    !is_of_others(path) &&
		    s->sections.data[s->symbols.data[c->symbol].section].code &&
		    (own.len == 0 || str_eq(snapshot_text(s, c->package), own))) {
			if (last == NULL || last->path.p != path.p)
				vec_push(&ret, (struct project_path){ path, 0 });
			vec_last(&ret)->size += c->file;
		}
	}
	return ret;
}

/* Extends a directory to the one below it that has most bytes, if that has 95 % of all. The first
 * pass finds a directory that has more than half, if there is one (majority vote). */
static bool project_descend(const project_paths *all, struct str *dir)
{
	uint64_t sum = 0, votes = 0, count = 0;
	struct str best = STR("");
	for (int pass = 0; pass < 2; pass++)
		vec_each(const struct project_path, p, all) {
			const size_t from = dir->len + 1;
			const char *slash = align_paths_is_below(p->path, *dir)
						    ? memchr(p->path.p + from, '/',
							     p->path.len - from)
						    : NULL;
			const struct str below =
				slash ? str_upto(p->path, (size_t)(slash - p->path.p)) : STR("");
			const bool same = slash && str_eq(below, best);
			sum += pass > 0 ? 0 : p->size;
			count += pass > 0 && same ? p->size : 0;
			if (pass > 0 || !slash)
				continue;
			if (!same && votes < p->size)
				best = below;
			votes = same              ? votes + p->size
				: votes < p->size ? p->size - votes
						  : votes - p->size;
		}
	if (best.len == 0 || (double)count < 0.95 * (double)sum)
		return false;
	*dir = best;
	return true;
}

/* Returns the directory that has 95 % of the code of the package `own`, or of all if it is "". */
static struct str project_find(const struct snapshot *s, struct str own)
{
	enum { DEPTH_MOST = 64 };
	project_paths all = project_list(s, own);
	struct str root = all.count > 0 ? str_upto(all.data[0].path, 0) : STR("");
	for (int depth = 0; depth < DEPTH_MOST && project_descend(&all, &root); depth++)
		;
	while (root.len > 0 && align_is_plain_folder(file_name_str(root)))
		root = parent_of(root);
	vec_release(&all);
	return root;
}

struct str align_project_root(const struct snapshot *s)
{
	const struct str own = align_main_package(s), all = project_find(s, STR(""));
	const struct str root = own.len > 0 ? project_find(s, own) : all;
	return all.len > 0 && align_paths_is_below(root, all) ? all : root;
}

void align_own_package(struct snapshot *before, const struct snapshot *after)
{
	const struct str from = align_main_package(before), to = align_main_package(after);
	if (str_eq(from, to) || !align_paths_is_absolute(from) || !align_paths_is_absolute(to))
		return;
	const uint32_t renamed = intern_add(&before->texts, to);
	for (size_t i = 0; i < before->charges.count; i++)
		if (str_eq(snapshot_text(before, before->charges.data[i].package), from))
			before->charges.data[i].package = renamed;
}

void align_snapshots(struct snapshot *before, struct snapshot *after)
{
	struct text roots[2] = { { 0 }, { 0 } };
	if (align_find(before, after, roots)) {
		align_packages(before, after, roots);
		align_apply(before, text_str(&roots[0]));
		align_apply(after, text_str(&roots[1]));
	}
	text_release(&roots[0]);
	text_release(&roots[1]);
}
