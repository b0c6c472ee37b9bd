/* Makes snapshots of programs, and of packages that contain programs. */
#include "measure/profile.h"
#include "measure/snapshot_handle.h"

#include "image/arch.h"
#include "image/elf/elf_const.h"
#include "query/region_metrics.h"
#include "base/filename.h"
#include "base/pool.h"
#include "snapshot/clues.h"
#include "snapshot/collect.h"
#include "snapshot/collect_pack.h"
#include "snapshot/set_paths.h"
#include "program/made_by.h"
#include "program/program.h"
#include "source/source.h"
#include "source/region_sums.h"
#include "stack/depths.h"

/* Data that all files of the snapshot share */
struct maker {
	struct heft_snapshot *owner;
	struct build_paths build;
	struct components components;
	const char *path; /* The first file that the user named */
	size_t count;     /* Number of files that the user named */
	bool uncharged;   /* True to make no charges (struct snap_charge) */
};

/* A program whose symbols are collected */
struct made {
	struct maker *maker;
	struct heft_snapshot *owner;
	const char *path; /* Path. For a zip entry: the zip file's path, then the entry's */
	uint32_t container;
	bool file;                    /* True for a file, false for a zip entry */
	struct program *program, own; /* `program`: `own`, or one that the caller has opened */
	const struct linkmap *map;    /* May be NULL */
	struct path_aliases aliases;
	/* What the data sources found, with the labels of the file. */
	const struct source_file *of;
	struct places places;
	struct charge_level by_symbol, by_unit, by_object;
	struct charge_level by_path; /* Layer by unit, even if a linker map states objects */
	struct namespaces spaces;
	struct layer sure; /* Certainty of owners, with the labels of by_symbol */
	bool has_dwarf;
	/* The results of data sources. Each has its own labels and notes, because the sources run
	 * in parallel. Empty if a profile has already measured the file. */
	struct measured {
		struct labels labels;
		struct notes notes;
		struct measure measure;
		struct layer layer;
	} sources[4];
};

enum { SYMBOLS, UNITS, OBJECTS, PATHS };
static const char *const source_names[] = { "symbols", "compileunits", "objects", "compileunits" };

static void snapshot_make_prepare(struct made *p, size_t source)
{
	struct heft_snapshot *s = p->owner;
	struct measured *m = &p->sources[source];
	notes_init(&m->notes);
	struct source_file of = measure_input(p->program, NULL, NEED_SYMBOLS | NEED_DWARF);
	of.go = NULL; /* Go's table must not be shared by data sources that run in parallel */
	of.linkmap = source == PATHS ? NULL : p->map;
	of.labels = &m->labels;
	of.notes = &m->notes;
	of.threads = (pool_threads(s->context.threads) + 1) / 2;
	of.places = source == SYMBOLS ? &p->places : NULL;
	of.sure = source == SYMBOLS && s->flags & HEFT_SNAPSHOT_SURE ? &p->sure : NULL;
	of.vm_only = source == PATHS || (source == UNITS && p->maker->uncharged);
	of.debug_stays = source == SYMBOLS;
	measure_begin(&m->measure, &of, &s->context.wish);
}

static void run_source(void *ctx, size_t i, unsigned worker)
{
	struct measured *m = &((struct made *)ctx)->sources[i];
	(void)worker;
	measure_run(&m->measure, source_find(str_of(source_names[i])), &m->layer);
}

static struct charge_level snapshot_make_level_of(const struct measured *m)
{
	return (struct charge_level){ &m->layer, &m->labels };
}

static void snapshot_make_measure(struct made *p)
{
	struct heft_snapshot *s = p->owner;
	struct measured *m = p->sources;
	/* Without a linker map, objects are unknown, and compile units serve instead: their labels
	 * are paths. */
	const size_t count = p->map ? 4 : p->program->input.archive ? 3 : 2;
	for (size_t i = 0; i < count; i++)
		snapshot_make_prepare(p, i);
	ASSERT(count <= COUNT_OF(p->sources));
	parallel_for(s->context.threads, count, run_source, p);
	notes_append(&s->context.notes, &m[SYMBOLS].notes);
	notes_append(&s->context.notes, &m[p->map ? PATHS : UNITS].notes);
	p->of = &m[SYMBOLS].measure.file;
	p->by_symbol = snapshot_make_level_of(&m[SYMBOLS]);
	if (!p->maker->uncharged)
		p->by_unit = snapshot_make_level_of(&m[UNITS]);
	p->by_path = snapshot_make_level_of(&m[p->map ? PATHS : UNITS]);
	if (count > OBJECTS)
		p->by_object = snapshot_make_level_of(&m[OBJECTS]);
	p->has_dwarf = dwarf_slot_found(&m[UNITS].measure.dwarf);
	source_namespaces(&m[UNITS].measure.file, &p->spaces);
	progress_tell("symbols of all sections", 1, 1);
}

static void snapshot_make_collect(struct made *p)
{
	struct heft_snapshot *s = p->owner;
	const struct collect_input in = { .file = p->of,
					  .places = &p->places,
					  .units = &p->by_path.layer->vm,
					  .unit_labels = p->by_path.labels,
					  .by_symbol = p->by_symbol,
					  .by_unit = p->by_unit,
					  .by_object = p->by_object,
					  .spaces = &p->spaces,
					  .map = p->map,
					  .aliases = p->map ? &p->aliases : NULL,
					  .no_debug = !p->has_dwarf,
					  .exact_names = s->flags & HEFT_SNAPSHOT_EXACT_NAMES,
					  .no_literals = s->flags & HEFT_SNAPSHOT_NO_LITERALS ||
							 p->program->input.linkmap,
					  .contents = s->flags & HEFT_SNAPSHOT_CONTENTS,
					  .alone = s->flags & HEFT_SNAPSHOT_ALONE,
					  .clues = program_image(p->program) != NULL };
	snapshot_collect(&s->snapshot, p->container, &in);
	if (p->program->input.archive)
		collect_archive(&s->snapshot, p->container, p->path, &p->program->input);
}

/* Stores how certain the owners of the VM image are. */
static void snapshot_make_keep_sure(struct made *p)
{
	struct snapshot *s = &p->owner->snapshot;
	struct spans words = { 0 };
	if (!(p->owner->flags & HEFT_SNAPSHOT_SURE))
		return;
	vec_each(const struct span, part, &p->sure.vm.list) {
		const struct str word = label_text(p->by_symbol.labels, part->label);
		for (label_id k = 0; k < SURE_WORDS; k++)
			if (str_eq(word, str_of(sure_words[k])))
				spans_push(&words, part->start, part->size, k);
	}
	while (s->sure.count <= p->container)
		vec_push(&s->sure, (struct spans){ 0 });
	s->sure.data[p->container] = words;
}

static void release_measured(struct measured *m)
{
	layer_release(&m->layer);
	measure_release(&m->measure);
	labels_release(&m->labels);
	notes_release(&m->notes);
}

static void snapshot_make_release(struct made *p)
{
	for (size_t i = 0; i < COUNT_OF(p->sources); i++)
		release_measured(&p->sources[i]);
	namespaces_release(&p->spaces);
	layer_release(&p->sure);
	places_release(&p->places);
	path_aliases_release(&p->aliases);
	program_close(&p->own);
}

static void snapshot_make_add_text(const struct made *p, const char *key, const char *text)
{
	struct heft_snapshot *s = p->owner;
	vec_push(&s->snapshot.containers.data[p->container].metadata,
		 (struct snap_value){ .key = key,
				      .kind = SNAP_TEXT,
				      .text = arena_copy(&s->snapshot.arena, str_of(text)) });
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

static void add_metric(const struct made *p, const char *file, const char *name, uint64_t value)
{
	struct snapshot *snap = &p->owner->snapshot;
	vec_push(&snap->containers.data[p->container].metrics,
		 (struct snap_metric){ arena_copy(&snap->arena, str_of(file)), name,
				       arena_format(&snap->arena, "%" PRIu64, value) });
}

/* Adds the compilers, and the parts (such as libraries) that the program states. From
 * these, a comparison tells whether a tool, an option or the version of a part changed. */
static void snapshot_make_add_tools(const struct made *p, struct image *im)
{
	const struct source_file *f = &p->sources[UNITS].measure.file;
	const struct image *debug = program_debug_image(p->program, true);
	/* If a profile has run the data sources, their debug info is closed. */
	struct debuginfo *info = p->has_dwarf
					 ? dwarf_slot_open(f->dwarf ? f->dwarf : &p->program->dwarf,
							   im, debug, p->program->notes)
					 : NULL;
	struct made_by m = { .tools = { 0 } };
	struct text units = { 0 }, versions = { 0 };
	made_by_read(&m, im);
	if (info)
		made_by_units(&units, &versions, info);
	const struct {
		const char *key;
		struct text *text;
	} all[] = { { "elf_made_by", &m.tools },
		    { "elf_parts", &m.parts },
		    { "elf_units_made_by", &units },
		    { "elf_dwarf_versions", &versions } };
	for (size_t i = 0; i < COUNT_OF(all); i++) {
		text_add_char(all[i].text, '\0');
		if (all[i].text->len > 1)
			snapshot_make_add_text(p, all[i].key, all[i].text->p);
	}
	made_by_release(&m);
	text_release(&units);
	text_release(&versions);
}

/* Returns the number of bytes at the end of a file that its headers do not describe: another tool
 * has appended them. */
static uint64_t appended_size(const struct image *im)
{
	uint64_t end = im->shdr_off + im->shdr_size;
	for (size_t i = 0; i < im->part_count; i++)
		end = max_u64(end, im->parts[i].off + im->parts[i].size);
	each_section(s, im)
		end = max_u64(end, s->file_size > 0 ? s->off + s->file_size : 0);
	each_segment(s, im)
		end = max_u64(end, s->off + s->file_size);
	return end < im->bytes.size ? im->bytes.size - end : 0;
}

/* Adds the name that a shared library gives itself. */
static void snapshot_make_add_soname(const struct made *p, const struct image *im)
{
	enum { NAME_MOST = 256 };
	uint64_t off, table;
	struct str name;
	if (image_dynamic(im, DT_SONAME, &off) && image_dynamic(im, DT_STRTAB, &table) &&
	    bytes_cstr(image_at(im, add_sat(table, off), NAME_MOST), 0, &name))
		snapshot_make_add_text(p, "elf_soname", name.p);
}

static void snapshot_make_add_metadata(struct made *p)
{
	struct heft_snapshot *s = p->owner;
	struct snap_container *c = &s->snapshot.containers.data[p->container];
	struct image *im = p->program->input.image_count > 0 ? &p->program->input.images[0] : NULL;
	const char *file = file_name(p->path);
	const int64_t modified = p->file ? p->program->input.file.modified : 0;
	snapshot_make_add_text(p, "elf_algorithm",
			       p->map         ? "linker_map"
			       : p->has_dwarf ? "dwarf"
					      : "sections");
	if (im) {
		const struct image *debug = program_debug_image(p->program, true);
		const struct section *info = image_section_find(debug ? debug : im, ".debug_info");
		const char *arch = image_arch(im)->short_name;
		snapshot_make_add_text(p, "elf_arch", arch ? arch : image_describe(im));
		snapshot_make_add_text(p, "elf_build_id", build_id_text(&s->arena, im->build_id));
		snapshot_make_add_soname(p, im);
		if (info && info->compressed)
			snapshot_make_add_text(p, "elf_debug_packed", "yes");
		snapshot_make_add_tools(p, im);
	}
	snapshot_make_add_text(p, "elf_file_name", file);
	if (p->map)
		snapshot_make_add_text(p, "map_file_name",
				       file_name(p->map->file.path ? p->map->file.path : p->path));
	if (modified != 0)
		vec_push(&c->metadata, (struct snap_value){ .key = "elf_mtime",
							    .kind = SNAP_NUMBER,
							    .number = modified });
	vec_each(const struct snap_section, sec, &s->snapshot.sections) {
		if (sec->container == p->container && sec->native &&
		    strcmp(sec->name, SNAP_UNSECTIONED) != 0)
			add_metric(p, file, arena_format(&s->snapshot.arena, "SIZE/%s", sec->name),
				   sec->size);
	}
	if (im)
		add_metric(p, file, "COUNT/Relocations", count_relocations(im));
	if (im && appended_size(im) > 0)
		add_metric(p, file, SNAP_APPENDED, appended_size(im));
}

/* Reads files of the build system: ninja files, and owners of folders. */
static bool snapshot_make_read_build(struct maker *m, struct heft_err *err)
{
	struct heft_snapshot *s = m->owner;
	for (size_t i = 0; i < s->builds.count; i++)
		if (!build_paths_read(&m->build, s->builds.data[i], &s->context.notes, err))
			return false;
	build_paths_finish(&m->build);
	return !s->components_path || components_open(&m->components, s->components_path, err);
}

static bool is_taken(const struct snapshot *s, const char *name)
{
	for (size_t i = 0; i < s->containers.count; i++)
		if (strcmp(s->containers.data[i].name, name) == 0)
			return true;
	return false;
}

/* Adds a container. Makes its name unique: `wish`, perhaps with a number. Replaces <, > and ?,
 * which have a meaning in the format. */
static uint32_t snapshot_make_add_container(struct snapshot *s, const char *wish)
{
	char *name = arena_copy(&s->arena, str_of(wish));
	for (char *c = name; *c; c++)
		*c = strchr("<>?\t\n", *c) ? '_' : *c;
	const char *free_name = name;
	for (unsigned i = 2; is_taken(s, free_name); i++)
		free_name = arena_format(&s->arena, "%s #%u", name, i);
	vec_push(&s->containers, (struct snap_container){ .name = free_name });
	return (uint32_t)(s->containers.count - 1);
}

static void snapshot_make_add_regions(struct made *p)
{
	const struct memory_regions *regions = program_regions(p->program);
	struct labels labels = { 0 };
	struct basemap map;
	if (!region_metrics_tell(regions, program_image(p->program)))
		return;
	basemap_build(&map, &p->program->input, &labels, regions);
	region_metrics_add(&p->owner->snapshot, p->container, file_name(p->path), &map);
	note_regions(p->path, program_image(p->program), &map, &p->owner->context.notes);
	basemap_release(&map);
	labels_release(&labels);
}

/* Returns the text of an error without its path, which the note already has. */
static const char *reason(const struct heft_err *err, const char *path)
{
	const size_t size = strlen(path);
	return strncmp(err->text, path, size) == 0 && strncmp(err->text + size, ": ", 2) == 0
		       ? err->text + size + 2
		       : err->text;
}

/* Sets the stack sizes of the symbols from `first` on, which belong to the program of `use`. */
static void snapshot_add_stacks(struct snapshot *s, size_t first, const struct stack_use *use)
{
	ASSERT(first <= s->symbols.count);
	s->has_stacks = true;
	for (size_t i = first; i < s->symbols.count; i++) {
		struct snap_symbol *y = &s->symbols.data[i];
		const uint32_t at = s->sections.data[y->section].code && y->size > 0
					    ? stack_find(use, y->addr)
					    : STACK_NONE;
		if (at == STACK_NONE || use->functions.data[at].addr != y->addr)
			continue;
		y->stack = (uint32_t)min_u64(use->functions.data[at].worst, UINT32_MAX - 1) + 1;
		y->stack_besides = (uint8_t)use->functions.data[at].told;
	}
}

static void begin_container(struct made *p, const char *name)
{
	struct heft_snapshot *s = p->owner;
	p->container = snapshot_make_add_container(&s->snapshot, name);
	while (s->programs.count <= p->container)
		vec_push(&s->programs, NULL);
	if (p->file && !p->program->input.archive)
		s->programs.data[p->container] = arena_copy(&s->arena, str_of(p->path));
}

static bool snapshot_make_add_program(struct made *p, const char *name, struct heft_err *err)
{
	const size_t first = p->owner->snapshot.symbols.count;
	const unsigned flags = p->owner->flags;
	program_mark_used(p->program, p->owner->used);
	p->map = program_map(p->program);
	const unsigned what = (flags & HEFT_SNAPSHOT_PATH_ALIASES ? PATH_ALIASES_FUNCTIONS : 0) |
			      (flags & HEFT_SNAPSHOT_NO_LITERALS || p->program->input.linkmap
				       ? 0
				       : PATH_ALIASES_STRINGS);
	const bool shared = p->map && !p->program->input.linkmap &&
			    path_aliases_list_shared(&p->aliases, p->map,
						     program_image(p->program));
	if (p->map && (what != 0 || shared))
		path_aliases_read(&p->aliases, p->map, what | (shared ? PATH_ALIASES_SHARED : 0),
				  &p->owner->context.notes);
	begin_container(p, name);
	snapshot_make_measure(p);
	snapshot_make_collect(p);
	snapshot_make_keep_sure(p);
	if (!(p->owner->flags & HEFT_SNAPSHOT_ALONE))
		clues_add(&p->owner->snapshot, first, p->container, program_image(p->program));
	snapshot_make_add_regions(p);
	snapshot_make_add_metadata(p);
	/* Adds stack sizes. If heft cannot measure stacks of this machine, only adds a note. Other
	 * errors, which are mistakes of the user, make the call fail. */
	struct heft_snapshot *s = p->owner;
	struct stack_use use;
	if (!(s->flags & HEFT_SNAPSHOT_STACKS))
		return true;
	bool good = stack_read(&use, p->program, err);
	if (good)
		snapshot_add_stacks(&s->snapshot, first, &use);
	else if (err->code == HEFT_EUNSUPPORTED) {
		note(&s->context.notes, p->path, HEFT_NO_OFFSET, 0, "%s", reason(err, p->path));
		good = true;
	}
	stack_release(&use);
	return good;
}

static bool snapshot_make_add_file(struct maker *m, const char *path, struct file *f,
				   struct heft_err *err)
{
	struct made p = {
		.program = &p.own, .maker = m, .owner = m->owner, .path = path, .file = true
	};
	const bool ok = program_adopt(&p.own, f, USE_SYMBOLS, &m->owner->context.wish,
				      &m->owner->context.notes, err) &&
			snapshot_make_add_program(&p, file_name(path), err);
	snapshot_make_release(&p);
	return ok;
}

struct package {
	struct maker *maker;
	const char *path;
	struct zip zip;
	struct pak_info info;
	uint32_t container;
};

/* Returns the name of a library's container. For "lib/arm64-v8a/libx.so" in a.apk, it is
 * "a.apk/libx.so (arm64-v8a)". */
static const char *snapshot_make_library_name(const struct package *k, const char *entry)
{
	struct arena *a = &k->maker->owner->arena;
	const char *base = file_name(entry);
	const char *end = base > entry ? base - 1 : base, *dir = end;
	while (dir > entry && dir[-1] != '/')
		dir--;
	if (end == base)
		return arena_format(a, "%s/%s", file_name(k->path), base);
	return arena_format(a, "%s/%s (%.*s)", file_name(k->path), base, (int)(end - dir), dir);
}

static bool snapshot_make_add_library(const struct package *k, const char *entry, const char *path,
				      struct bytes b)
{
	struct heft_snapshot *s = k->maker->owner;
	struct made p = { .program = &p.own, .maker = k->maker, .owner = s, .path = path };
	struct heft_err err;
	if (file_format_of_plain(b)->kind != KIND_PROGRAM) {
		note(&s->context.notes, path, HEFT_NO_OFFSET, b.size,
		     "a library in the zip file is no program");
		return false;
	}
	const bool ok = program_parse(&p.own, path, b, &s->context.wish, &s->context.notes, &err) &&
			snapshot_make_add_program(&p, snapshot_make_library_name(k, entry), &err);
	if (!ok)
		note(&s->context.notes, path, err.offset, b.size, "one symbol: %s",
		     reason(&err, path));
	snapshot_make_release(&p);
	return ok;
}

/* Adds the symbols of a data pack or dex file in a zip file, with their sizes in the zip file. */
static bool add_content(struct package *k, const struct zip_entry *e,
			const struct pack_entry *entry)
{
	struct snapshot *s = &k->maker->owner->snapshot;
	struct heft_err err;
	const bool fits = entry->bytes.size <= UINT32_MAX && entry->packed <= UINT32_MAX;
	if (entry->bytes.size == 0 || !fits)
		return false;
	if (str_ends(e->name, STR(".dex")) ? collect_dex(s, entry, &err)
					   : collect_pak(s, entry, &k->info, &err))
		return true;
	note(&k->maker->owner->context.notes, entry->path, err.offset, entry->packed,
	     "one symbol: %s", reason(&err, entry->path));
	return false;
}

/* If an entry is a library, dex file or data pack, adds its symbols. */
static bool look_into(struct package *k, const struct zip_entry *e)
{
	struct heft_snapshot *s = k->maker->owner;
	const bool library = str_ends(e->name, STR(".so"));
	if (!library && !str_ends(e->name, STR(".pak")) && !str_ends(e->name, STR(".dex")))
		return false;
	const char *entry = arena_copy(&s->arena, e->name);
	const char *path = arena_format(&s->arena, "%s/%s", k->path, entry);
	struct heft_err err;
	struct bytes b;
	void *owned;
	if (!zip_unpack(&k->zip, e, &b, &owned, &err)) {
		note(&s->context.notes, path, e->off, e->packed, "not unpacked: %s", err.text);
		return false;
	}
	const struct pack_entry content = { k->container, path, entry, b, e->packed };
	const bool ok = library ? snapshot_make_add_library(k, entry, path, b)
				: add_content(k, e, &content);
	if (ok && library && e->method != ZIP_STORED)
		note(&s->context.notes, path, e->off, e->size - min_u64(e->packed, e->size),
		     "a library is packed in the zip file: its symbols have their unpacked sizes");
	mem_free(owned);
	return ok;
}

/* Reads a data pack's .pak.info file, from its folder or from where Chromium's build puts it. */
static void read_pak_info(struct maker *m, const char *path, struct pak_info *ret)
{
	struct heft_snapshot *s = m->owner;
	const char *base = file_name(path),
		   *end = str_ends(str_of(path), STR(".pak")) ? "" : ".pak";
	const char *const paths[] = {
		arena_format(&s->arena, "%s%s.info", path, end),
		arena_format(&s->arena, "%.*ssize-info/%s%s.info", (int)(base - path), path, base,
			     end),
	};
	pak_info_read(ret, &s->snapshot, paths, COUNT_OF(paths), &s->context.notes);
}

static bool add_package(struct maker *m, const char *path, struct bytes b, struct heft_err *err)
{
	struct heft_snapshot *s = m->owner;
	struct package k = { .maker = m, .path = path };
	const size_t first = s->snapshot.symbols.count;
	if (!zip_parse(&k.zip, path, b, &s->context.notes, err))
		return false;
	k.container = snapshot_make_add_container(&s->snapshot, file_name(path));
	read_pak_info(m, path, &k.info);
	for (size_t i = 0; i < k.zip.entries.count; i++)
		if (!look_into(&k, &k.zip.entries.data[i]))
			collect_zip_entry(&s->snapshot, k.container, &k.zip.entries.data[i]);
	collect_zip_rest(&s->snapshot, k.container, &k.zip);
	collect_pak_aliases(&s->snapshot, &k.info, first);
	pak_info_release(&k.info);
	zip_release(&k.zip);
	return true;
}

/* Adds a data pack or dex file that is not in a zip file. */
static bool add_single(struct maker *m, const char *path, struct bytes b, enum file_kind kind,
		       struct heft_err *err)
{
	struct snapshot *s = &m->owner->snapshot;
	const struct pack_entry entry = { snapshot_make_add_container(s, file_name(path)), path,
					  file_name(path), b, b.size };
	const size_t first = s->symbols.count;
	struct pak_info info;
	if (kind == KIND_DEX)
		return collect_dex(s, &entry, err);
	read_pak_info(m, path, &info);
	const bool ok = collect_pak(s, &entry, &info, err);
	collect_pak_aliases(s, &info, first);
	pak_info_release(&info);
	return ok;
}

static bool snapshot_make_add_path(struct maker *m, const char *path, struct heft_err *err)
{
	struct file f;
	if (!file_open(&f, path, err))
		return false;
	const enum file_kind kind = file_format_of(f.bytes, NULL)->kind;
	if (kind != KIND_PACKAGE && kind != KIND_DEX && kind != KIND_PAK)
		return snapshot_make_add_file(m, path, &f, err);
	const bool ok = kind == KIND_PACKAGE ? add_package(m, path, f.bytes, err)
					     : add_single(m, path, f.bytes, kind, err);
	file_close(&f);
	return ok;
}

static bool snapshot_make_add_all(struct maker *m, const char *const *paths, struct heft_err *err)
{
	if (!snapshot_make_read_build(m, err))
		return false;
	for (size_t i = 0; i < m->count; i++)
		if (!snapshot_make_add_path(m, paths[i], err))
			return false;
	return true;
}

static void snapshot_make_begin(struct heft_snapshot *s)
{
	s->used = arena_new(&s->arena, bool, s->context.wish.debug_files.count + 1);
	snapshot_init(&s->snapshot);
	s->snapshot.own = s->snapshot.by_heft = true;
	s->snapshot.has_contents = s->flags & HEFT_SNAPSHOT_CONTENTS;
	s->snapshot.exact_names = s->flags & HEFT_SNAPSHOT_EXACT_NAMES;
}

/* Makes charges (struct snap_charge) for containers that no data source measured: zip entries, data
 * packs. */
static void charge_rest(struct snapshot *s)
{
	bool *done = mem_zeroed(s->containers.count + 1, sizeof *done);
	for (size_t i = 0; i < s->charges.count; i++) {
		ASSERT(s->charges.data[i].container < s->containers.count);
		done[s->charges.data[i].container] = true;
	}
	for (uint32_t i = 0; i < s->containers.count; i++)
		if (!done[i])
			snapshot_charge_symbols(s, i);
	mem_free(done);
}

static bool snapshot_make_end(struct maker *m, bool good)
{
	struct heft_snapshot *s = m->owner;
	ASSERT(!s->open && !s->is_diff);
	s->open = good;
	if (s->open) {
		collect_pak_users(&s->snapshot);
		for (size_t i = 0; i < s->metadata.count; i++)
			vec_push(&s->snapshot.build_config, s->metadata.data[i]);
		if (s->snapshot.containers.count == 1)
			s->snapshot.containers.data[0].name = "";
		snapshot_set_paths(&s->snapshot, s->builds.count > 0 ? &m->build : NULL,
				   &s->context.wish.paths,
				   s->components_path ? &m->components : NULL);
		if (s->components_path)
			components_note_unused(&m->components, &s->context.notes);
		/* If the user compares two snapshots, an option may concern only the other
		 * snapshot. Then it is not noted here. */
		if (!paths_used(&s->context.wish.paths))
			paths_note_unused(&s->context.wish.paths, m->path, &s->context.notes);
		snapshot_finish(&s->snapshot);
		if (!m->uncharged)
			charge_rest(&s->snapshot);
		snapshot_charges_sort(&s->snapshot);
	} else {
		snapshot_release(&s->snapshot);
	}
	build_paths_release(&m->build);
	components_close(&m->components);
	return s->open;
}

bool snapshot_make(struct heft_snapshot *s, const char *const *paths, size_t count,
		   struct heft_err *err)
{
	struct maker m = { .owner = s,
			   .path = paths[0],
			   .count = count,
			   .uncharged = s->flags & HEFT_SNAPSHOT_UNCHARGED };
	snapshot_make_begin(s);
	return snapshot_make_end(&m, snapshot_make_add_all(&m, paths, err));
}

/* Returns the layer of a data source with its labels. The layer is NULL if no level measured it. */
static struct charge_level measured_level(const struct heft_profile *p, const struct entry *e,
					  size_t source)
{
	const struct source *s = source_find(str_of(source_names[source]));
	const struct layer *layer = entry_layer(p, e, s->run);
	return (struct charge_level){ layer, layer ? &p->labels : NULL };
}

/* True if a snapshot can use what the profile measured for `e`. False for a core, an archive, a
 * linker map, memory regions or unlike settings. Also false for units without debug info, which
 * `size NEW -- OLD` measures to pair functions. */
bool snapshot_can_take(const struct heft_snapshot *s, const struct heft_profile *p, struct entry *e)
{
	const unsigned unlike = HEFT_SNAPSHOT_STACKS | HEFT_SNAPSHOT_SURE;
	const struct memory_regions *regions = e->layers ? program_regions(&e->program) : NULL;
	const bool plain = !p->as_bloaty && !p->trace.fn;
	return e->layers && plain && !(s->flags & unlike) && !e->process.open &&
	       !program_map(&e->program) && !e->measure.file.regions &&
	       (!regions || !region_metrics_tell(regions, program_image(&e->program))) &&
	       !e->program.input.archive && measured_level(p, e, SYMBOLS).layer &&
	       measured_level(p, e, UNITS).layer &&
	       measured_level(p, e, UNITS).layer != &e->more[true];
}

static void add_measured(struct maker *m, const struct heft_profile *profile, struct entry *e)
{
	struct made p = { .program = &e->program,
			  .maker = m,
			  .owner = m->owner,
			  .path = e->path,
			  .file = true,
			  .of = &e->measure.file,
			  .by_symbol = measured_level(profile, e, SYMBOLS),
			  .by_path = measured_level(profile, e, UNITS),
			  .has_dwarf = e->has_dwarf };
	if (!m->uncharged)
		p.by_unit = p.by_path;
	places_copy(&p.places, &profile->places, &e->places_begin, &e->places_end);
	begin_container(&p, file_name(e->path));
	const size_t first = m->owner->snapshot.symbols.count;
	snapshot_make_collect(&p);
	clues_add(&m->owner->snapshot, first, p.container, program_image(&e->program));
	snapshot_make_add_metadata(&p);
	snapshot_make_release(&p);
}

bool snapshot_take(struct heft_snapshot *s, const struct heft_profile *p, struct entry *e,
		   struct heft_err *err)
{
	struct maker m = { .owner = s, .path = e->path, .count = 1 };
	snapshot_make_begin(s);
	const bool good = snapshot_make_read_build(&m, err);
	for (size_t i = 0; good && i < p->context.notes.count; i++)
		if (strcmp(p->context.notes.data[i].path, e->path) == 0)
			note_copy(&s->context.notes, &p->context.notes.data[i]);
	if (good)
		add_measured(&m, p, e);
	return snapshot_make_end(&m, good);
}

bool snapshot_take_side(struct heft_snapshot *s, const struct heft_profile *p, enum heft_role role,
			struct heft_err *err)
{
	struct maker m = { .owner = s, .uncharged = true };
	snapshot_make_begin(s);
	const bool good = snapshot_make_read_build(&m, err);
	for (size_t i = 0; good && i < p->entries.count; i++) {
		struct entry *e = &p->entries.data[i];
		if (e->role != role)
			continue;
		m.count++;
		m.path = e->path;
		add_measured(&m, p, e);
	}
	return snapshot_make_end(&m, good);
}
