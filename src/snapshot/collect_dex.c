/* Adds the classes, members and literals of a dex file. */
#include "snapshot/collect_internal.h"
#include "snapshot/collect_pack_internal.h"
#include "snapshot/path_form.h"

/* If at most this many classes use a literal, each gets a symbol for it, and these are aliases.
 * Otherwise the literal is one symbol. The limit is SuperSize's. */
enum { USERS_MAX = 6 };

struct class_paths {
	uint32_t object, source;
};

struct dexing {
	struct snapshot *s;
	uint32_t container;
	struct dex *d;
	struct heft_err *err;
	struct share share;
	struct class_paths *paths; /* Per item that is a class: its paths */
	struct text text, path;
	uint64_t sizes[2]; /* Bytes in .dex and .dex.method so far */
};

static struct snap_symbol *collect_dex_add(struct dexing *x, bool method, struct str name,
					   uint64_t size)
{
	x->sizes[method] += size;
	return collect_pack_add(x->s, x->container, method ? ".dex.method" : ".dex", name, size);
}

/* True for a file name such as "Bar.java" in the class's folder. Obfuscators write other texts,
 * which are ignored. */
static bool collect_dex_is_file_name(struct str s)
{
	return s.len > 0 && memchr(s.p, '.', s.len) && !memchr(s.p, '/', s.len);
}

static bool set_class_paths(struct dexing *x, const struct dex_item *i)
{
	static const struct str root = { "$APK/", 5 };
	struct class_paths *to = &x->paths[i->owner];
	struct str file;
	text_set(&x->path, root);
	if (!dex_add_class_path(x->d, i, &x->path, x->err) ||
	    !dex_source_file(x->d, i, &file, x->err))
		return false;
	to->object = to->source = intern_add(&x->s->texts, text_str(&x->path));
	if (!collect_dex_is_file_name(file))
		return true;
	while (x->path.len > root.len && x->path.p[x->path.len - 1] != '/')
		x->path.len--;
	text_add(&x->path, file);
	to->source = intern_add(&x->s->texts,
				(struct str){ x->path.p + root.len, x->path.len - root.len });
	return true;
}

static bool add_item(struct dexing *x, const struct dex_item *i)
{
	const struct class_paths *paths = &x->paths[i->owner];
	x->text.len = 0;
	if (!dex_add_name(x->d, i, &x->text, x->err))
		return false;
	struct snap_symbol *y = collect_dex_add(x, i->kind == DEX_METHOD, text_str(&x->text),
						share_take(&x->share, i->size));
	y->object = paths->object;
	y->source = paths->source;
	snapshot_split_dex(x->s, y);
	return true;
}

static uint32_t shared_path(struct dexing *x, const struct dex_use *use, size_t count, bool source)
{
	struct str prefix = STR("");
	bool same = true;
	for (size_t i = 0; i < count; i++) {
		const struct class_paths *paths = &x->paths[dex_use_class(&use[i])];
		const struct str path = snapshot_text(x->s, source ? paths->source : paths->object);
		same = same && (i == 0 || str_eq(path, prefix));
		prefix = i == 0 ? path : path_common(prefix, path);
	}
	if (same)
		return intern_add(&x->s->texts, prefix);
	path_shared(&x->path, prefix, count);
	return intern_add(&x->s->texts, text_str(&x->path));
}

/* Adds the literal for each class that uses it, as aliases. */
static bool add_literal(struct dexing *x, const struct dex_item *i, const struct dex_use *use,
			size_t users)
{
	const bool many = users > USERS_MAX;
	const uint64_t size = share_take(&x->share, i->size);
	struct literal literal = { .width = 1 };
	struct str text;
	if (!dex_literal(x->d, i, &text, x->err))
		return false;
	literal.bytes = (struct bytes){ (const uint8_t *)text.p, text.len };
	literal_name(&x->text, &literal);
	const uint32_t list = (uint32_t)x->s->symbols.count + 1;
	for (size_t k = 0; k < (many ? 1 : users); k++) {
		const struct class_paths *paths = &x->paths[dex_use_class(&use[k])];
		struct snap_symbol *y = collect_dex_add(x, false, text_str(&x->text), size);
		y->object = many ? shared_path(x, use, users, false) : paths->object;
		y->source = many ? shared_path(x, use, users, true) : paths->source;
		y->alias_place = list;
		x->sizes[0] -= k > 0 ? size : 0;
	}
	return true;
}

static bool add_literals(struct dexing *x)
{
	const struct dex *d = x->d;
	for (size_t i = 0; i < d->uses.count;) {
		const uint64_t item = d->uses.data[i].key >> 32;
		size_t end = i + 1;
		while (end < d->uses.count && d->uses.data[end].key >> 32 == item)
			end++;
		if (d->items.data[item].size > 0 &&
		    !add_literal(x, &d->items.data[item], &d->uses.data[i], end - i))
			return false;
		i = end;
	}
	return true;
}

static bool collect_dex_add_all(struct dexing *x, uint32_t source)
{
	uint64_t tables[DEX_TABLES] = { 0 };
	vec_each(const struct dex_item, item, &x->d->items) {
		if (item->kind == DEX_TABLE)
			tables[item->index] += item->size;
		if (item->kind == DEX_CLASS && !set_class_paths(x, item))
			return false;
		if (item->size > 0 && item->kind != DEX_TABLE && item->kind != DEX_STRING &&
		    !add_item(x, item))
			return false;
	}
	if (!add_literals(x))
		return false;
	static const char *const names[DEX_TABLES] = {
		"** .dex (names)",       "** .dex (types)",        "** .dex (members of others)",
		"** .dex (annotations)", "** .dex (unattributed)",
	};
	for (unsigned i = 0; i < DEX_TABLES; i++) {
		const uint64_t size = share_take(&x->share, tables[i]);
		if (size > 0)
			collect_dex_add(x, false, str_of(names[i]), size)->source = source;
	}
	return true;
}

static bool collect_dex_collect(struct dexing *x, const struct pack_entry *e)
{
	const size_t first = x->s->symbols.count;
	x->paths = mem_zeroed(x->d->items.count + 1, sizeof *x->paths);
	const bool ok = collect_dex_add_all(x, collect_package_path(x->s, str_of(e->name)));
	if (ok) {
		collect_section_size(x->s, e->container, ".dex", x->sizes[0]);
		collect_section_size(x->s, e->container, ".dex.method", x->sizes[1]);
	} else {
		x->s->symbols.count = first;
	}
	mem_free(x->paths);
	text_release(&x->text);
	text_release(&x->path);
	return ok;
}

bool collect_dex(struct snapshot *s, const struct pack_entry *e, struct heft_err *err)
{
	struct dex d;
	struct dexing x = { .s = s, .container = e->container, .d = &d, .err = err };
	x.share = (struct share){ e->bytes.size, e->packed, 0 };
	if (!dex_parse(&d, e->path, e->bytes, err))
		return false;
	const bool ok = collect_dex_collect(&x, e);
	dex_release(&d);
	return ok;
}
