#include "snapshot/collect_pack_internal.h"

#include "base/filename.h"
#include "base/text.h"

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

void collect_overhead(struct snapshot *s, uint32_t container, const char *section, struct str name,
		      uint64_t size)
{
	if (size > 0)
		collect_pack_add(s, container, section, name, 0)->padding = (int64_t)size;
}

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

static void collect_pack_add_number(struct snapshot *s, uint32_t container, const char *key,
				    uint64_t number)
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
	collect_overhead(s, container, ".other", STR("Overhead: alignment of entries"), padding);
	collect_overhead(s, container, ".other", STR("Overhead: signing block"), z->signing_size);
	collect_overhead(s, container, ".other", STR("Overhead: APK file"),
			 z->bytes.size - data - padding - z->signing_size);
	collect_pack_add_number(s, container, "apk_signature_block_size", z->signing_size);
	collect_pack_add_number(s, container, "zipalign_padding", padding);
}

uint32_t collect_member_path(struct snapshot *s, const char *archive, struct str member)
{
	struct text path = { 0 };
	text_set(&path, str_of(file_name(archive)));
	text_adds(&path, STR("("), member, STR(")"));
	const uint32_t id = intern_add(&s->texts, text_str(&path));
	text_release(&path);
	return id;
}

void collect_archive(struct snapshot *s, uint32_t container, const char *path,
		     const struct input *in)
{
	uint64_t around = 0;
	vec_each(const struct ar_part, part, &in->parts) {
		if (part->kind != AR_OTHER_MEMBER) {
			around += part->size;
			continue;
		}
		struct snap_symbol *y = collect_pack_add(s, container, ".other", part->member,
							 part->size);
		collect_section_size(s, container, ".other", part->size);
		y->object = collect_member_path(s, path, part->member);
	}
	collect_section_size(s, container, ".other", around);
	collect_overhead(s, container, ".other", STR("Overhead: archive"), around);
}
