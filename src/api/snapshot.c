/* Snapshots: heft_snapshot_*. */
#include "api/snapshot.h"

#include "base/pool.h"
#include "image/elf_const.h"
#include "report/report.h"
#include "snapshot/collect.h"
#include "snapshot/set_paths.h"
#include "snapshot/sizefile.h"
#include "source/companion.h"
#include "source/dwarf_slot.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- settings ---------------------------------------------------------------------------------- */

struct heft_snapshot *heft_snapshot_new(void)
{
	struct heft_snapshot *s = xcalloc(1, sizeof *s);
	notes_init(&s->notes);
	return s;
}

void heft_snapshot_free(struct heft_snapshot *s)
{
	if (!s)
		return;
	if (s->open)
		snapshot_release(&s->snapshot);
	if (s->is_diff)
		snapshot_release(&s->before);
	vec_release(&s->debug_files);
	vec_release(&s->dirs);
	vec_release(&s->builds);
	paths_release(&s->paths);
	notes_release(&s->notes);
	arena_release(&s->arena);
	free(s);
}

void heft_snapshot_add_debug_file(struct heft_snapshot *s, const char *path)
{
	vec_push(&s->debug_files, arena_copy(&s->arena, str_of(path)));
}

void heft_snapshot_add_debug_dir(struct heft_snapshot *s, const char *dir)
{
	vec_push(&s->dirs, arena_copy(&s->arena, str_of(dir)));
}

void heft_snapshot_set_find_debug(struct heft_snapshot *s, bool yes)
{
	s->no_search = !yes;
}

void heft_snapshot_set_map(struct heft_snapshot *s, const char *path)
{
	s->map_path = path ? arena_copy(&s->arena, str_of(path)) : NULL;
	s->no_map = !path;
}

void heft_snapshot_add_build(struct heft_snapshot *s, const char *path)
{
	vec_push(&s->builds, arena_copy(&s->arena, str_of(path)));
}

void heft_snapshot_set_components(struct heft_snapshot *s, const char *path)
{
	s->components_path = arena_copy(&s->arena, str_of(path));
}

bool heft_snapshot_map_path(struct heft_snapshot *s, const char *from, const char *to,
			    struct heft_err *err)
{
	return paths_add_map(&s->paths, str_of(from), str_of(to), err);
}

bool heft_snapshot_strip_prefix(struct heft_snapshot *s, const char *prefix, struct heft_err *err)
{
	return paths_add_strip(&s->paths, str_of(prefix), err);
}

void heft_snapshot_set_exact_names(struct heft_snapshot *s, bool yes)
{
	s->exact_names = yes;
}

void heft_snapshot_set_literals(struct heft_snapshot *s, bool yes)
{
	s->no_literals = !yes;
}

void heft_snapshot_set_threads(struct heft_snapshot *s, unsigned threads)
{
	s->threads = threads;
}

size_t heft_snapshot_note_count(const struct heft_snapshot *s)
{
	return s->notes.count;
}

const struct heft_note *heft_snapshot_note(const struct heft_snapshot *s, size_t i)
{
	return i < s->notes.count ? &s->notes.data[i] : NULL;
}

/* ---- a program --------------------------------------------------------------------------------- */

/* A program while it is collected. */
struct program {
	struct heft_snapshot *owner;
	const char *path;
	struct input input;
	struct companion debug;
	struct linkmap map;
	bool has_map;
	struct build_paths build;
	struct components components;
	/* Two sources, each with all it changes, as they run side by side. */
	struct measured {
		struct labels labels;
		struct notes notes;
		struct basemap base;
		struct dwarf_slot dwarf;
		struct source_file file;
		struct layer layer;
	} symbols, units;
};

static bool open_debug(struct program *p, struct heft_err *err)
{
	struct heft_snapshot *s = p->owner;
	const struct image *im = &p->input.images[0];
	const struct companion_wish wish = { s->dirs.data, s->dirs.count, true };
	for (size_t i = 0; i < s->debug_files.count; i++)
		if (!companion_open(&p->debug, im, s->debug_files.data[i], &s->notes, err))
			return false;
	if (!p->debug.open && !s->no_search)
		companion_find(&p->debug, im, &wish, &s->notes);
	return true;
}

/* The map given, or one beside the file: FILE.map, FILE.map.gz. */
static bool open_map(struct program *p, struct heft_err *err)
{
	struct heft_snapshot *s = p->owner;
	if (s->map_path) {
		p->has_map = linkmap_open(&p->map, s->map_path, &s->notes, err);
		return p->has_map;
	}
	for (size_t i = 0; i < 2 && !s->no_map && !p->has_map; i++) {
		const char *path = arena_format(&s->arena, "%s.map%s", p->path, i ? ".gz" : "");
		struct heft_err why;
		if (access(path, R_OK) != 0)
			continue;
		p->has_map = linkmap_open(&p->map, path, &s->notes, &why);
		if (!p->has_map)
			note(&s->notes, path, why.offset, 0, "not used: %s", why.text);
	}
	return true;
}

/* A map of another build: the sections differ.  It is used for those that agree. */
static void compare_map(const struct program *p)
{
	const struct image *im = &p->input.images[0];
	struct text names = { 0 };
	for (size_t i = 1; i < im->section_count; i++) {
		const struct section *sec = &im->sections[i];
		bool same = !sec->alloc || sec->size == 0 || sec->name.len == 0, named = false;
		for (size_t k = 0; k < p->map.sections.count && !same; k++) {
			const struct linkmap_section *m = &p->map.sections.data[k];
			if (!str_eq(linkmap_text(&p->map, m->name), sec->name))
				continue;
			named = true;
			same = m->size == sec->size && m->addr == sec->addr;
		}
		if (!same && named) {
			text_add(&names, names.len > 0 ? STR(", ") : STR(""));
			text_add(&names, sec->name);
		}
	}
	if (names.len > 0)
		note(&p->owner->notes, p->path, HEFT_NO_OFFSET, 0,
		     "the linker map is of another build: it differs in " STR_FMT,
		     STR_ARG(text_str(&names)));
	text_release(&names);
}

static void prepare(struct program *p, struct measured *m, const char *source)
{
	struct heft_snapshot *s = p->owner;
	notes_init(&m->notes);
	m->dwarf = (struct dwarf_slot){ .dirs = s->dirs.data, .dir_count = s->dirs.count };
	basemap_build(&m->base, &p->input, &m->labels);
	s->vm_size = m->base.vm_size;
	m->file = (struct source_file){ .path = p->path,
					.input = &p->input,
					.debug = p->debug.open ? &p->debug.input : NULL,
					.map = &m->base,
					.labels = &m->labels,
					.notes = &m->notes,
					.threads = (pool_threads(s->threads) + 1) / 2,
					.dwarf = &m->dwarf,
					.source = source,
					.vm_only = true };
}

static void run_source(void *ctx, size_t i, unsigned worker)
{
	struct program *p = ctx;
	(void)worker;
	if (i == 0)
		source_symbols(&p->symbols.file, &p->symbols.layer);
	else
		source_compileunits(&p->units.file, &p->units.layer);
}

static void measure(struct program *p)
{
	struct heft_snapshot *s = p->owner;
	prepare(p, &p->symbols, "symbols");
	prepare(p, &p->units, "compileunits");
	parallel_for(s->threads, 2, run_source, p);
	notes_append(&s->notes, &p->symbols.notes);
	notes_append(&s->notes, &p->units.notes);
	const struct collect_input in = { .file = &p->symbols.file,
					  .image = &p->input.images[0],
					  .debug = companion_image(&p->debug),
					  .symbols = &p->symbols.layer.vm,
					  .units = &p->units.layer.vm,
					  .unit_labels = &p->units.labels,
					  .map = p->has_map ? &p->map : NULL,
					  .exact_names = s->exact_names,
					  .no_literals = s->no_literals };
	snapshot_collect(&s->snapshot, 0, &in);
	snapshot_set_paths(&s->snapshot, s->builds.count > 0 ? &p->build : NULL, &s->paths,
			   s->components_path ? &p->components : NULL);
}

static void release_measured(struct measured *m)
{
	layer_release(&m->layer);
	dwarf_slot_release(&m->dwarf);
	basemap_release(&m->base);
	labels_release(&m->labels);
	notes_release(&m->notes);
}

static void release(struct program *p)
{
	release_measured(&p->symbols);
	release_measured(&p->units);
	build_paths_release(&p->build);
	components_close(&p->components);
	if (p->has_map)
		linkmap_release(&p->map);
	companion_close(&p->debug);
	input_close(&p->input);
}

/* ---- what is said of it ------------------------------------------------------------------------ */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static const char *arch_name(uint16_t machine)
{
	switch (machine) {
	case EM_ARM: return "arm";
	case EM_AARCH64: return "arm64";
	case EM_386: return "x86";
	case EM_X86_64: return "x64";
	default: return NULL;
	}
}

static void add_text(struct heft_snapshot *s, const char *key, const char *text)
{
	vec_push(&s->snapshot.containers.data[0].metadata,
		 (struct snap_value){ .key = key,
				      .kind = SNAP_TEXT,
				      .text = arena_copy(&s->snapshot.arena, str_of(text)) });
}

static const char *build_id_text(struct heft_snapshot *s, struct bytes id)
{
	char *text = arena_new(&s->arena, char, id.size * 2 + 1);
	for (uint64_t i = 0; i < id.size; i++)
		snprintf(text + 2 * i, 3, "%02x", id.p[i]);
	return text;
}

static uint64_t count_relocations(const struct image *im)
{
	uint64_t count = 0;
	for (size_t i = 1; i < im->section_count; i++) {
		struct reloc_iter it;
		struct reloc r;
		if (!section_is_reloc(&im->sections[i]) || !im->sections[i].alloc ||
		    !reloc_open(&it, im, &im->sections[i]))
			continue;
		while (reloc_next(&it, &r))
			count++;
	}
	return count;
}

static void add_metric(struct heft_snapshot *s, const char *file, const char *name, uint64_t value)
{
	struct snapshot *snap = &s->snapshot;
	vec_push(&snap->containers.data[0].metrics,
		 (struct snap_metric){ arena_copy(&snap->arena, str_of(file)), name,
				       arena_format(&snap->arena, "%" PRIu64, value) });
}

static void add_metadata(struct program *p)
{
	struct heft_snapshot *s = p->owner;
	struct snap_container *c = &s->snapshot.containers.data[0];
	const struct image *im = &p->input.images[0];
	const char *file = base_name(p->path), *arch = arch_name(im->machine);
	struct stat st;
	add_text(s, "elf_algorithm",
		 p->has_map            ? "linker_map"
		 : p->units.dwarf.open ? "dwarf"
				       : "sections");
	add_text(s, "elf_arch", arch ? arch : image_describe(&p->input.images[0]));
	add_text(s, "elf_build_id", build_id_text(s, im->build_id));
	add_text(s, "elf_file_name", file);
	if (p->has_map)
		add_text(s, "map_file_name", base_name(p->map.file.path));
	if (stat(p->path, &st) == 0)
		vec_push(&c->metadata, (struct snap_value){ .key = "elf_mtime",
							    .kind = SNAP_NUMBER,
							    .number = st.st_mtime });
	for (size_t i = 0; i < c->section_sizes.count; i++)
		add_metric(
			s, file,
			arena_format(&s->snapshot.arena, "SIZE/%s", c->section_sizes.data[i].name),
			c->section_sizes.data[i].size);
	add_metric(s, file, "COUNT/Relocations", count_relocations(im));
}

/* What the files of the build say. */
static bool read_build(struct program *p, struct heft_err *err)
{
	struct heft_snapshot *s = p->owner;
	for (size_t i = 0; i < s->builds.count; i++)
		if (!build_paths_read(&p->build, s->builds.data[i], &s->notes, err))
			return false;
	build_paths_finish(&p->build);
	return !s->components_path || components_open(&p->components, s->components_path, err);
}

static bool open_program(struct program *p, struct heft_err *err)
{
	if (!input_open(&p->input, p->path, &p->owner->notes, err))
		return false;
	if (p->input.archive)
		return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			    "%s: snapshots of archives are not made yet", p->path);
	return read_build(p, err) && open_debug(p, err) && open_map(p, err);
}

static bool make(struct heft_snapshot *s, const char *path, struct heft_err *err)
{
	struct program p = { .owner = s, .path = path };
	const bool ok = open_program(&p, err);
	if (ok) {
		if (p.has_map)
			compare_map(&p);
		snapshot_init(&s->snapshot);
		s->open = true;
		vec_push(&s->snapshot.containers, (struct snap_container){ .name = "" });
		measure(&p);
		add_metadata(&p);
		snapshot_finish(&s->snapshot);
	}
	release(&p);
	return ok;
}

/* ---- files ------------------------------------------------------------------------------------- */

static bool read_diff(struct heft_snapshot *s, const char *path, struct bytes b,
		      struct heft_err *err)
{
	s->is_diff = s->open = sizediff_read(&s->before, &s->snapshot, path, b, &s->notes, err);
	if (!s->open)
		return false;
	snapshot_split_names(&s->before, true);
	snapshot_split_names(&s->snapshot, true);
	return true;
}

bool heft_snapshot_open(struct heft_snapshot *s, const char *path, struct heft_err *err)
{
	struct file f;
	bool ok;
	ASSERT(!s->open);
	if (!file_open(&f, path, err))
		return false;
	if (sizediff_matches(f.bytes)) {
		ok = read_diff(s, path, f.bytes, err);
	} else if (sizefile_matches(f.bytes)) {
		ok = s->open = sizefile_read(&s->snapshot, path, f.bytes, &s->notes, err);
		if (ok)
			snapshot_split_names(&s->snapshot, true);
	} else {
		file_close(&f);
		return make(s, path, err);
	}
	file_close(&f);
	return ok;
}

bool heft_snapshot_write(const struct heft_snapshot *s,
			 bool (*sink)(void *ctx, const void *data, size_t size), void *ctx,
			 struct heft_err *err)
{
	struct sizefile_out out = { { 0 } };
	bool ok = sizefile_write(&out, &s->snapshot, err);
	if (ok && !sink(ctx, out.bytes.data, out.bytes.count))
		ok = fail(err, HEFT_EIO, HEFT_NO_OFFSET, "the output took no more");
	vec_release(&out.bytes);
	return ok;
}

/* ---- totals ------------------------------------------------------------------------------------ */

static void add_totals(const struct snapshot *s, const struct snap_section *sec,
		       struct heft_snapshot_section *ret)
{
	for (uint64_t i = sec->first; i < sec->first + sec->count; i++) {
		const struct snap_symbol *y = &s->symbols.data[i];
		ret->symbols++;
		if (y->alias_place > 0)
			continue;
		ret->unique++;
		ret->symbol_size += (int64_t)y->size;
		ret->padding += y->padding;
		ret->with_source += y->source != 0 ? y->size : 0;
		ret->with_object += y->object != 0 ? y->size : 0;
	}
}

static bool stated_size(const struct snap_container *c, const char *name, uint64_t *ret)
{
	for (size_t i = 0; i < c->section_sizes.count; i++)
		if (strcmp(c->section_sizes.data[i].name, name) == 0) {
			*ret = c->section_sizes.data[i].size;
			return true;
		}
	*ret = 0;
	return false;
}

bool heft_snapshot_section(const struct heft_snapshot *s, size_t i,
			   struct heft_snapshot_section *ret)
{
	const struct snapshot *snap = &s->snapshot;
	memset(ret, 0, sizeof *ret);
	if (!s->open || i >= snap->sections.count)
		return false;
	const struct snap_section *sec = &snap->sections.data[i];
	const struct snap_container *c = &snap->containers.data[sec->container];
	ret->container = c->name;
	ret->name = sec->name;
	ret->in_file = !snapshot_is_bss(sec->name);
	stated_size(c, sec->name, &ret->size);
	add_totals(snap, sec, ret);
	return true;
}
