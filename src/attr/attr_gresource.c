/* Claims the members of GLib's resource bundles ("GVariant Database", gvdb-format.h of GLib): a row
 * for each file, and one row for the tables.
 *
 *     head: signature: 8 bytes; version, options: 4 bytes each; range of the table
 *     table: number of words of a filter (27 bits), of buckets; filter; buckets; items
 *     item: hash; parent item; start of the key: 4 bytes each; its length: 2 bytes; type: 1 byte;
 *            1 byte; range of the value
 *
 * A range is two offsets of 4 bytes. An item's path is its parent's path followed by its key. */
#include "attr/attr.h"

#include "base/text.h"

enum { HEAD = 24, ITEM = 24, DEPTH_MOST = 32, KEY_MOST = 256, FILTER_BITS = 27 };

struct bundle_table {
	struct reader bytes;
	uint64_t items; /* Offset of the first item */
	uint64_t count; /* Number of items */
};

struct bundle_item {
	uint32_t parent, key, start, end;
	uint16_t key_size;
	uint8_t type; /* 'v' marks a value, which is a file */
};

static bool bundle_open(const struct attr *a, const struct section *s, struct bundle_table *ret)
{
	const struct bytes b = section_bytes(a->im, s);
	const bool little = b.size >= HEAD && memcmp(b.p, "GVariant", 8) == 0;
	if (!little && !(b.size >= HEAD && memcmp(b.p, "raVGtnai", 8) == 0))
		return false;
	ret->bytes = reader_of(b, !little);
	struct reader r = ret->bytes;
	reader_seek(&r, 16);
	const uint32_t start = read_u32(&r), end = read_u32(&r);
	reader_seek(&r, start);
	const uint64_t filter = read_u32(&r) & ((UINT32_C(1) << FILTER_BITS) - 1);
	const uint64_t buckets = read_u32(&r);
	ret->items = start + 8 + 4 * (filter + buckets);
	if (!reader_ok(&r) || end > b.size || ret->items > end)
		return false;
	ret->count = (end - ret->items) / ITEM;
	return true;
}

static bool bundle_item_get(const struct bundle_table *t, uint64_t i, struct bundle_item *ret)
{
	struct reader r = t->bytes;
	if (i >= t->count)
		return false;
	reader_seek(&r, t->items + i * ITEM + 4);
	ret->parent = read_u32(&r);
	ret->key = read_u32(&r);
	ret->key_size = read_u16(&r);
	ret->type = read_u8(&r);
	read_skip(&r, 1);
	ret->start = read_u32(&r);
	ret->end = read_u32(&r);
	return reader_ok(&r);
}

/* Sets `path` to "resource " and the path of an item: the keys of its parents and its own. */
static void bundle_path(const struct bundle_table *t, const struct bundle_item *item,
			struct text *path)
{
	struct str keys[DEPTH_MOST];
	struct bundle_item at = *item;
	size_t depth = 0;
	do {
		struct reader r = t->bytes;
		reader_seek(&r, at.key);
		const uint16_t size = at.key_size < KEY_MOST ? at.key_size : KEY_MOST;
		const uint8_t *p = read_take(&r, size);
		keys[depth++] = (struct str){ (const char *)p, p ? size : 0 };
	} while (depth < DEPTH_MOST && bundle_item_get(t, at.parent, &at));
	if (depth == DEPTH_MOST) /* The parents form a cycle */
		depth = 1;
	text_set(path, STR("resource "));
	while (depth-- > 0)
		if (keys[depth].len > 0)
			text_add(path, keys[depth]);
}

static void bundle_claim(struct attr *a, const struct section *s, const struct bundle_table *t)
{
	enum { PATHS_SHARE = 8 };
	struct text path = { 0 };
	struct bundle_item item;
	/* Limits the work, because paths in damaged tables may be long and share keys. */
	uint64_t left = PATHS_SHARE * t->bytes.size;
	for (uint64_t i = 0; bundle_item_get(t, i, &item); i++) {
		if (item.type != 'v' || item.end < item.start)
			continue;
		bundle_path(t, &item, &path);
		if (text_str(&path).len > left)
			break;
		left -= text_str(&path).len;
		const label_id label = label_copy(a->f->labels, text_str(&path));
		attr_put(a, s, item.start, item.end - item.start, label, WHY_RUNTIME);
		attr_put(a, s, t->items + i * ITEM, ITEM, label, WHY_RUNTIME);
		attr_put(a, s, item.key, item.key_size, label, WHY_RUNTIME);
	}
	text_release(&path);
	attr_put(a, s, 0, s->size, label_borrow(a->f->labels, STR("(tables of resources)")),
		 WHY_RUNTIME);
}

void attr_gresource(struct attr *a)
{
	struct bundle_table t;
	each_section(s, a->im)
		if (str_starts(s->name, STR(".gresource")) && !s->nobits && bundle_open(a, s, &t))
			bundle_claim(a, s, &t);
}
