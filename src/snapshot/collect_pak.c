/* Adds the resources of data packs. Finds what uses them, and which of them share a payload. */
#include "snapshot/collect_pack_internal.h"

#include "base/filename.h"
#include "base/gzip.h"
#include "base/sort.h"
#include "base/text.h"

/* Returns the section for a pack. A pack named as en.pak or en-GB.pak is a translation. */
static const char *pak_section(const char *base)
{
	return strchr(base, '-') || strlen(base) <= 7 ? ".pak.translations" : ".pak.nontranslated";
}

struct adding {
	struct snapshot *s;
	const struct pack_entry *entry;
	struct pak_info *info;
	const char *section;
	uint32_t *at; /* Per id: index in symbols plus 1, or 0 */
	struct share share;
	uint64_t used;
};

/* Finds the resources of this section that earlier packs have added. */
static void find_resources(struct adding *a)
{
	const uint32_t to = snapshot_section(a->s, a->entry->container, a->section);
	for (size_t i = 0; i < a->s->symbols.count; i++) {
		const struct snap_symbol *y = &a->s->symbols.data[i];
		if (y->section == to && y->addr != 0 && y->addr <= UINT16_MAX)
			a->at[y->addr] = (uint32_t)i + 1;
	}
}

/* Returns the id of "path/of/list.grd: NAME", or of "en.pak: 123" if the name is unknown. */
static uint32_t collect_pak_full_name(const struct adding *a, uint16_t id)
{
	struct text name = { 0 };
	if (a->info->names && a->info->names[id] != 0)
		return a->info->names[id];
	text_set(&name, str_of(file_name(a->entry->name)));
	text_add(&name, STR(": "));
	text_add_number(&name, id);
	const uint32_t text = intern_add(&a->s->texts, text_str(&name));
	text_release(&name);
	return text;
}

/* Sets the names of a symbol. The short name is what follows the last blank. */
static void set_name(struct snapshot *s, struct snap_symbol *y, uint32_t name, uint32_t source)
{
	y->full_name = name;
	y->name = y->template_name = intern_add(&s->texts, snap_last_word(snapshot_text(s, name)));
	y->source = source;
}

static uint32_t collect_pak_source_of(const struct adding *a, uint16_t id)
{
	return a->info->names ? a->info->sources[id] : 0;
}

static struct snap_symbol *add_resource(struct adding *a, uint16_t id, uint64_t size)
{
	const uint64_t taken = share_take(&a->share, size);
	if (a->at[id] == 0) {
		struct snap_symbol *made = collect_pack_add(a->s, a->entry->container, a->section,
							    STR(""), 0);
		made->addr = id;
		set_name(a->s, made, collect_pak_full_name(a, id), collect_pak_source_of(a, id));
		a->at[id] = (uint32_t)a->s->symbols.count;
	}
	ASSERT(a->at[id] <= a->s->symbols.count);
	struct snap_symbol *y = &a->s->symbols.data[a->at[id] - 1];
	y->size += taken;
	a->used += taken;
	return y;
}

/* True if a resource counts as compressible: at least 100 bytes, of which deflate's fastest level
 * saves a tenth. The limits are SuperSize's. */
static bool compressible(struct bytes b)
{
	struct bytes packed;
	struct heft_err err;
	if (b.size < 100 || !gzip_pack_level(b, 1, &packed, &err))
		return false;
	mem_free((void *)(uintptr_t)packed.p);
	return (packed.size - 12) * 10 < b.size * 9; /* zlib's frame is 12 bytes less than gzip's */
}

static void collect_pak_add_entry(struct adding *a, const struct pak_entry *e)
{
	struct snap_symbol *y = add_resource(a, e->id, e->size + PAK_ENTRY_SIZE);
	if (strcmp(a->section, ".pak.nontranslated") == 0 &&
	    compressible(bytes_sub(a->entry->bytes, e->off, e->size)))
		y->flags |= SNAP_UNCOMPRESSED;
}

/* Notes that resource `id` shares the payload of resource `other`, and counts its entry's bytes to
 * that resource. collect_pak_aliases() adds resource `id`. */
static void add_same(struct adding *a, uint16_t id, uint16_t other)
{
	const uint64_t section = snapshot_section(a->s, a->entry->container, a->section);
	const uint64_t key = section << 32 | (uint64_t)id << 16 | other;
	(void)add_resource(a, other, PAK_ALIAS_SIZE);
	vec_push(&a->info->same, (struct pak_same){ key, collect_pak_full_name(a, id),
						    collect_pak_source_of(a, id) });
}

bool collect_pak(struct snapshot *s, const struct pack_entry *e, struct pak_info *info,
		 struct heft_err *err)
{
	struct adding a = { .s = s, .entry = e, .info = info };
	struct text name = { 0 };
	struct pak pak;
	if (!pak_parse(&pak, e->path, e->bytes, err))
		return false;
	a.section = pak_section(file_name(e->name));
	a.at = mem_zeroed((size_t)UINT16_MAX + 1, sizeof *a.at);
	a.share = (struct share){ e->bytes.size, e->packed, 0 };
	find_resources(&a);
	for (size_t i = 0; i < pak.entries.count; i++)
		collect_pak_add_entry(&a, &pak.entries.data[i]);
	for (size_t i = 0; i < pak.aliases.count; i++)
		add_same(&a, pak.aliases.data[i].id,
			 pak.entries.data[pak.aliases.data[i].entry].id);
	text_set(&name, STR("Overhead: "));
	text_add(&name, str_of(e->name));
	ASSERT(a.used <= e->packed);
	collect_overhead(s, e->container, a.section, text_str(&name), e->packed - a.used);
	collect_section_size(s, e->container, a.section, e->packed);
	text_release(&name);
	mem_free(a.at);
	pak_release(&pak);
	return true;
}

struct collect_pak_place {
	uint64_t key; /* Sort key: section in bits 63..16, id in bits 15..0 */
	uint32_t symbol;
};

typedef VEC(struct collect_pak_place) places;

static bool is_resource(const struct snapshot *s, const struct snap_symbol *y)
{
	const char *name = s->sections.data[y->section].name;
	return y->addr != 0 && y->addr <= UINT16_MAX && strncmp(name, ".pak.", 5) == 0;
}

static void list_resources(const struct snapshot *s, size_t first, places *ret)
{
	for (size_t i = first; i < s->symbols.count; i++) {
		const struct snap_symbol *y = &s->symbols.data[i];
		if (is_resource(s, y))
			vec_push(ret, (struct collect_pak_place){
					      (uint64_t)y->section << 16 | y->addr, (uint32_t)i });
	}
	sort_by_key(ret->data, ret->count, sizeof *ret->data);
}

static const struct collect_pak_place *find_place(const places *list, uint64_t key)
{
	const size_t i = lower_bound(list->data, list->count, sizeof *list->data, key);
	return i < list->count && list->data[i].key == key ? &list->data[i] : NULL;
}

/* Adds another symbol for the bytes of symbol `of`. */
static struct snap_symbol *add_alias(struct snapshot *s, uint32_t of)
{
	ASSERT(of < s->symbols.count);
	struct snap_symbol *y = &s->symbols.data[of];
	if (y->alias_place == 0)
		y->alias_place = of + 1;
	const struct snap_symbol copy = *y;
	vec_push(&s->symbols, copy);
	return &s->symbols.data[s->symbols.count - 1];
}

static void add_same_payload(struct snapshot *s, uint32_t of, const struct pak_same *same)
{
	struct snap_symbol *y = add_alias(s, of);
	y->addr = same->key >> 16 & UINT16_MAX;
	set_name(s, y, same->name, same->source != 0 ? same->source : y->source);
}

void collect_pak_aliases(struct snapshot *s, struct pak_info *info, size_t first)
{
	const struct pak_same *same = info->same.data;
	places own = { 0 };
	list_resources(s, first, &own);
	sort_by_key(info->same.data, info->same.count, sizeof *info->same.data);
	for (size_t i = 0, end; i < info->same.count; i = end) {
		const uint64_t id = same[i].key >> 16;
		for (end = i + 1; end < info->same.count && same[end].key >> 16 == id;)
			end++;
		const struct collect_pak_place *of = find_place(
			&own, (id >> 16 << 16) | (same[i].key & UINT16_MAX));
		if (of && same[end - 1].key == same[i].key && !find_place(&own, id))
			add_same_payload(s, of->symbol, &same[i]);
	}
	vec_release(&own);
}

struct collect_pak_user {
	uint64_t id;
	uint32_t object, source;
};

typedef VEC(struct collect_pak_user) users;

/* Returns the ID of a function "ui::AllowlistedResource<ID>()". 0 for other functions. */
static uint64_t resource_of(struct str name)
{
	const struct str begin = STR("ui::AllowlistedResource<");
	uint64_t id = 0;
	size_t i = begin.len;
	if (!str_starts(name, begin))
		return 0;
	for (; i < name.len && name.p[i] >= '0' && name.p[i] <= '9' && id <= UINT16_MAX; i++)
		id = id * 10 + (uint64_t)(name.p[i] - '0');
	return i < name.len && name.p[i] == '>' && id <= UINT16_MAX ? id : 0;
}

static void collect_pak_list_users(const struct snapshot *s, users *ret)
{
	vec_each(const struct snap_symbol, y, &s->symbols) {
		const uint64_t id = s->sections.data[y->section].code
					    ? resource_of(snapshot_text(s, y->full_name))
					    : 0;
		if (id != 0 && (y->object != 0 || y->source != 0))
			vec_push(ret, (struct collect_pak_user){ id, y->object, y->source });
	}
	sort_by_key(ret->data, ret->count, sizeof *ret->data);
}

/* Gives resources with the same payload one address, so that they become aliases: the id of the
 * resource that the payload belongs to. */
static void join_payloads(struct snapshot *s)
{
	struct snap_symbol *y = s->symbols.data;
	for (size_t i = 0; i < s->symbols.count; i++)
		if (y[i].alias_place != 0 && is_resource(s, &y[i]))
			y[i].addr = y[y[i].alias_place - 1].addr;
}

void collect_pak_users(struct snapshot *s)
{
	users list = { 0 };
	const size_t count = s->symbols.count;
	collect_pak_list_users(s, &list);
	for (uint32_t i = 0; list.count > 0 && i < count; i++) {
		if (!is_resource(s, &s->symbols.data[i]))
			continue;
		const uint64_t id = s->symbols.data[i].addr;
		const size_t first = lower_bound(list.data, list.count, sizeof *list.data, id);
		for (size_t k = first; k < list.count && list.data[k].id == id; k++) {
			const struct collect_pak_user *u = &list.data[k];
			struct snap_symbol *y = k == first ? &s->symbols.data[i] : add_alias(s, i);
			y->object = u->object;
			y->source = u->source != 0 ? u->source : y->source;
		}
	}
	join_payloads(s);
	vec_release(&list);
}
