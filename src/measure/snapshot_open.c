/* Opens snapshots: reads snapshot files, or makes a snapshot from other files. */
#include "measure/snapshot_handle.h"

#include "base/file.h"
#include "image/kinds.h"
#include "program/program.h"
#include "snapshot/set_paths.h"
#include "snapshot/sizefile.h"

/* True for a metadata key that heft itself sets. */
static bool is_own_key(const char *key)
{
	static const char *const own[] = { "elf_", "apk_", "map_file_name", "zipalign_padding",
					   "proguard_mapping_file_name" };
	for (size_t i = 0; i < COUNT_OF(own); i++)
		if (str_starts(str_of(key), str_of(own[i])))
			return true;
	return false;
}

bool snapshot_add_metadata(struct heft_snapshot *s, const char *key, const char *value,
			   struct heft_err *err)
{
	if (*key == '\0' || is_own_key(key))
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "%s%s",
			    *key ? key : "metadata needs a key",
			    *key ? ": heft says that itself" : "");
	for (size_t i = 0; i < s->metadata.count; i++)
		if (strcmp(s->metadata.data[i].key, key) == 0)
			return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "%s: named twice", key);
	vec_push(&s->metadata, (struct snap_value){ .key = arena_copy(&s->arena, str_of(key)),
						    .kind = SNAP_TEXT,
						    .text = arena_copy(&s->arena, str_of(value)) });
	return true;
}

/* Replaces the components of a snapshot from a file, if the user named a file of components. */
static bool snapshot_take_components(struct heft_snapshot *s, struct heft_err *err)
{
	struct components c = { { 0 } };
	const bool ok = !s->components_path || components_open(&c, s->components_path, err);
	if (ok && s->components_path) {
		snapshot_name_components(&s->snapshot, &c);
		components_note_unused(&c, &s->context.notes);
	}
	components_close(&c);
	return ok;
}

bool snapshot_read(struct heft_snapshot *s, const char *const *paths, size_t count,
		   struct heft_err *err)
{
	struct file f;
	s->path = arena_copy(&s->arena, str_of(paths[0]));
	if (count != 1)
		return snapshot_make(s, paths, count, err);
	if (!file_open(&f, paths[0], err))
		return false;
	progress_begin(f.bytes.size);
	progress_tell(paths[0], 0, 1);
	const enum file_kind kind = file_format_of(f.bytes, NULL)->kind;
	if (kind == KIND_SIZEDIFF) {
		s->is_diff = s->open = sizediff_read(&s->before, &s->snapshot, paths[0], f.bytes,
						     &s->context.notes, err);
		if (s->open)
			snapshot_split_names(&s->before);
	} else if (kind == KIND_SIZE) {
		s->open = (s->flags & HEFT_SNAPSHOT_UNCHARGED ? sizefile_read_uncharged
							      : sizefile_read)(
			&s->snapshot, paths[0], f.bytes, &s->context.notes, err);
	}
	file_close(&f);
	if (kind != KIND_SIZEDIFF && kind != KIND_SIZE)
		return snapshot_make(s, paths, 1, err);
	if (s->open)
		snapshot_split_names(&s->snapshot);
	return s->open && (s->is_diff || snapshot_take_components(s, err));
}

bool snapshot_check_used(const struct heft_snapshot *s, const struct heft_snapshot *other,
			 struct heft_err *err)
{
	ASSERT(s->open);
	const size_t count = s->context.wish.debug_files.count;
	bool *used = mem_zeroed(count + 1, sizeof *used);
	for (size_t i = 0; i < count; i++)
		used[i] = s->used && s->used[i];
	for (size_t i = 0; other && other->used && i < other->context.wish.debug_files.count; i++)
		for (size_t k = 0; k < count; k++)
			used[k] |= other->used[i] &&
				   strcmp(other->context.wish.debug_files.data[i],
					  s->context.wish.debug_files.data[k]) == 0;
	const bool ok = program_check_used(&s->context.wish, used, err);
	mem_free(used);
	return ok;
}

bool snapshot_is_list(const char *path)
{
	struct file f;
	struct heft_err err;
	if (!file_open(&f, path, &err))
		return false;
	const bool is = file_format_of(f.bytes, NULL)->kind == KIND_SIZE;
	file_close(&f);
	return is;
}

bool snapshot_has_own_paths(const struct heft_snapshot *s)
{
	return !s->snapshot.by_heft || s->is_diff || s->flags & HEFT_SNAPSHOT_WHOLE_PATHS ||
	       !paths_empty(&s->context.wish.paths);
}
