#include "snapshot/collect_pack_internal.h"

#include "base/filename.h"
#include "base/gzip.h"
#include "base/text.h"

#include <stdlib.h>

void collect_section_size(struct snapshot *s, uint32_t container, const char *name, uint64_t size)
{
	const uint32_t section = snapshot_section(s, container, name);
	s->sections.data[section].size += size;
}

struct snap_symbol *collect_pack_add(struct snapshot *s, uint32_t container, const char *section,
				     struct str name, uint64_t size)
{
	const uint32_t text = intern_add(&s->texts, name);
	vec_push(&s->symbols,
		 (struct snap_symbol){ .size = size,
				       .name = text,
				       .template_name = text,
				       .full_name = text,
				       .section = snapshot_section(s, container, section) });
	return &s->symbols.data[s->symbols.count - 1];
}

static void add_overhead(struct snapshot *s, uint32_t container, const char *section,
			 struct str name, uint64_t size)
{
	if (size > 0)
		collect_pack_add(s, container, section, name, 0)->padding = (int64_t)size;
}

/* ---- zip ------------------------------------------------------------------------------------- */

uint32_t collect_package_path(struct snapshot *s, struct str name)
{
	struct text path = { 0 };
	text_set(&path, STR("$APK/"));
	text_add(&path, name);
	const uint32_t id = intern_add(&s->texts, text_str(&path));
	text_release(&path);
	return id;
}

void collect_zip_entry(struct snapshot *s, uint32_t container, const struct zip_entry *e)
{
	if (e->packed == 0)
		return;
	struct snap_symbol *y = collect_pack_add(s, container, ".other", e->name, e->packed);
	y->source = collect_package_path(s, e->name);
}

static void add_number(struct snapshot *s, uint32_t container, const char *key, uint64_t number)
{
	vec_push(&s->containers.data[container].metadata,
		 (struct snap_value){ .key = key, .kind = SNAP_NUMBER, .number = (int64_t)number });
}

void collect_zip_rest(struct snapshot *s, uint32_t container, const struct zip *z)
{
	uint64_t padding = z->directory_extra, data = 0;
	for (size_t i = 0; i < z->entries.count; i++) {
		padding += z->entries.data[i].extra;
		data += z->entries.data[i].packed;
	}
	add_overhead(s, container, ".other", STR("Overhead: alignment of entries"), padding);
	add_overhead(s, container, ".other", STR("Overhead: signing block"), z->signing_size);
	add_overhead(s, container, ".other", STR("Overhead: APK file"),
		     z->bytes.size - data - padding - z->signing_size);
	add_number(s, container, "apk_signature_block_size", z->signing_size);
	add_number(s, container, "zipalign_padding", padding);
}

/* ---- data packs ------------------------------------------------------------------------------ */

/* en.pak, en-GB.pak: of one language. */
static const char *pak_section(const char *base)
{
	return strchr(base, '-') || strlen(base) <= 7 ? ".pak.translations" : ".pak.nontranslated";
}

/* A data pack while its resources are added. */
struct adding {
	struct snapshot *s;
	const struct pack_entry *entry;
	const struct pak_info *info;
	const char *section;
	uint32_t *at; /* by id: index in symbols + 1, or 0 */
	struct share share;
	uint64_t used;
};

/* Resources that packs before had in the same section. */
static void find_resources(struct adding *a)
{
	const uint32_t to = snapshot_section(a->s, a->entry->container, a->section);
	for (size_t i = 0; i < a->s->symbols.count; i++) {
		const struct snap_symbol *y = &a->s->symbols.data[i];
		if (y->section == to && y->addr != 0 && y->addr <= UINT16_MAX)
			a->at[y->addr] = (uint32_t)i + 1;
	}
}

/* "path/of/list.grd: NAME", or without that "en.pak: 123"; the short name is what follows the
 * blank. */
static void name_resource(struct adding *a, uint16_t id)
{
	const struct pak_info *info = a->info;
	const bool known = info->names && info->names[id] != 0;
	struct text name = { 0 };
	text_set(&name, str_of(file_name(a->entry->name)));
	text_add(&name, STR(": "));
	size_t from = name.len;
	text_add_number(&name, id);
	if (known) {
		text_set(&name, snapshot_text(a->s, info->names[id]));
		from = snapshot_text(a->s, info->sources[id]).len + 2;
	}
	struct snap_symbol *y = collect_pack_add(a->s, a->entry->container, a->section,
						 text_str(&name), 0);
	y->addr = id;
	y->source = known ? info->sources[id] : 0;
	y->name = y->template_name = intern_add(&a->s->texts,
						(struct str){ name.p + from, name.len - from });
	text_release(&name);
}

static struct snap_symbol *add_resource(struct adding *a, uint16_t id, uint64_t size)
{
	const uint64_t taken = share_take(&a->share, size);
	if (a->at[id] == 0) {
		name_resource(a, id);
		a->at[id] = (uint32_t)a->s->symbols.count;
	}
	struct snap_symbol *y = &a->s->symbols.data[a->at[id] - 1];
	y->size += taken;
	a->used += taken;
	return y;
}

/* SuperSize's own limits: 100 bytes and more, of which deflate's fastest level saves a tenth. */
static bool compressible(struct bytes b)
{
	struct bytes packed;
	struct heft_err err;
	if (b.size < 100 || !gzip_pack_level(b, 1, &packed, &err))
		return false;
	mem_free((void *)(uintptr_t)packed.p);
	return (packed.size - 12) * 10 < b.size * 9; /* zlib's frame is 12 bytes less */
}

static void add_entry(struct adding *a, const struct pak_entry *e)
{
	struct snap_symbol *y = add_resource(a, e->id, e->size + PAK_ENTRY_SIZE);
	if (strcmp(a->section, ".pak.nontranslated") == 0 &&
	    compressible(bytes_sub(a->entry->bytes, e->off, e->size)))
		y->flags |= SNAP_UNCOMPRESSED;
}

static void add_pak(struct adding *a, const struct pak *p)
{
	find_resources(a);
	for (size_t i = 0; i < p->entries.count; i++)
		add_entry(a, &p->entries.data[i]);
	for (size_t i = 0; i < p->aliases.count; i++)
		(void)add_resource(a, p->entries.data[p->aliases.data[i].entry].id, PAK_ALIAS_SIZE);
}

bool collect_pak(struct snapshot *s, const struct pack_entry *e, const struct pak_info *info,
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
	add_pak(&a, &pak);
	text_set(&name, STR("Overhead: "));
	text_add(&name, str_of(e->name));
	add_overhead(s, e->container, a.section, text_str(&name), e->packed - a.used);
	collect_section_size(s, e->container, a.section, e->packed);
	text_release(&name);
	mem_free(a.at);
	pak_release(&pak);
	return true;
}

/* ---- archives -------------------------------------------------------------------------------- */

void collect_archive(struct snapshot *s, uint32_t container, const char *path,
		     const struct input *in)
{
	struct text object = { 0 };
	uint64_t around = 0;
	for (size_t i = 0; i < in->parts.count; i++) {
		const struct ar_part *part = &in->parts.data[i];
		if (part->kind != AR_OTHER_MEMBER) {
			around += part->size;
			continue;
		}
		struct snap_symbol *y = collect_pack_add(s, container, ".other", part->member,
							 part->size);
		collect_section_size(s, container, ".other", part->size);
		text_set(&object, str_of(path));
		text_add_char(&object, '(');
		text_add(&object, part->member);
		text_add_char(&object, ')');
		y->object = intern_add(&s->texts, text_str(&object));
	}
	text_release(&object);
	collect_section_size(s, container, ".other", around);
	add_overhead(s, container, ".other", STR("Overhead: archive"), around);
}
