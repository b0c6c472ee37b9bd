/* Implements facts about files: heft_info_*. */
#include "api/structs.h"
#include "program/session.h"
#include "base/sort.h"
#include "map/rows.h"
#include "program/facts.h"
#include "report/info_report.h"

struct info_file {
	const char *path;
	struct facts facts;
	uint64_t size, device, inode;
	uint32_t copy_of; /* Index of a file with the same bytes. Its own index if there is none. */
};

struct heft_info {
	struct memory *memory; /* Must be the first field: see handle_new(). */
	struct arena arena;
	struct context context;
	VEC(struct info_file) files;
	struct arena rows; /* Belongs to the table. */
	struct tree tree;
	struct heft_table table; /* `top` is NULL until the table is made. */
};

/* ---- the handle ------------------------------------------------------------------------------ */

struct heft_info *heft_info_new(struct heft_session *session)
{
	struct heft_info *info = session ? handle_new(sizeof *info) : NULL;
	if (info)
		context_begin(&info->context, session, info->memory);
	return info;
}

static void forget_table(struct heft_info *info)
{
	tree_release(&info->tree);
	arena_reset(&info->rows);
	memset(&info->tree, 0, sizeof info->tree);
	info->table.top = NULL;
}

static void info_handle_release(void *handle)
{
	struct heft_info *info = handle;
	forget_table(info);
	arena_release(&info->rows);
	vec_release(&info->files);
	context_release(&info->context);
	arena_release(&info->arena);
	mem_free(info);
}

void heft_info_free(struct heft_info *info)
{
	if (info)
		context_end(&info->context);
	handle_free(info, info_handle_release);
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool info_handle_add_file(struct heft_info *info, const char *path, struct heft_err *err)
{
	struct program p;
	struct info_file f = { .path = arena_copy(&info->arena, str_of(path)) };
	context_take(&info->context);
	progress_begin(0);
	progress_tell(f.path, 0, 0);
	bool good = program_open(&p, f.path, USE_INFO, &info->context.wish, &info->context.notes,
				 err);
	if (good) {
		facts_read(&f.facts, &p, &info->arena);
		f.facts.machine = arena_copy(&info->arena, str_of(f.facts.machine));
		f.facts.runpath = arena_copy(&info->arena, str_of(f.facts.runpath));
		f.size = p.input.file.bytes.size;
		f.device = p.input.file.device;
		f.inode = p.input.file.inode;
		f.copy_of = (uint32_t)info->files.count;
		forget_table(info);
		vec_push(&info->files, f);
	}
	program_close(&p);
	return good;
}

bool heft_info_add(struct heft_info *info, const char *path, struct heft_err *err)
{
	return GUARDED(info->memory, err, info_handle_add_file(info, path, err));
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* A file that may have the same bytes as another. */
struct info_handle_candidate {
	uint64_t size, hash;
	uint64_t index;
};

static bool is_same_file(const struct info_file *a, const struct info_file *b)
{
	return a->device == b->device && a->inode == b->inode;
}

static bool have_same_bytes(const struct info_file *a, const struct info_file *b)
{
	struct file x, y;
	bool same = false;
	if (!file_open(&x, a->path, NULL))
		return false;
	if (file_open(&y, b->path, NULL)) {
		same = x.bytes.size == y.bytes.size &&
		       memcmp(x.bytes.p, y.bytes.p, x.bytes.size) == 0;
		file_close(&y);
	}
	file_close(&x);
	return same;
}

static uint64_t hash_of_file(const struct info_file *f)
{
	struct file x;
	if (!file_open(&x, f->path, NULL))
		return 0;
	const uint64_t hash = hash_bytes(x.bytes.p, x.bytes.size);
	file_close(&x);
	return hash;
}

/* Finds the file that file `i` is a copy of. Another name of the same file is no copy: it has no
 * bytes of its own. */
static void find_original(struct heft_info *info, const struct info_handle_candidate *list,
			  size_t i)
{
	struct info_file *f = &info->files.data[list[i].index];
	for (size_t k = lower_bound(list, i, sizeof *list, list[i].size); k < i; k++) {
		const struct info_file *other = &info->files.data[list[k].index];
		if (list[k].hash != list[i].hash || other->copy_of != list[k].index)
			continue;
		if (is_same_file(f, other) || !have_same_bytes(f, other))
			continue;
		f->copy_of = (uint32_t)list[k].index;
		return;
	}
}

static void find_copies(struct heft_info *info)
{
	const size_t count = info->files.count;
	struct info_handle_candidate *list = mem_zeroed(count + 1, sizeof *list);
	for (size_t i = 0; i < count; i++)
		list[i] = (struct info_handle_candidate){ info->files.data[i].size, 0, i };
	sort_by_key(list, count, sizeof *list);
	progress_begin(0);
	for (size_t i = 0; i < count; i++) {
		progress_tell("contents of files", 0, 0);
		const bool before = i > 0 && list[i - 1].size == list[i].size;
		const bool behind = i + 1 < count && list[i + 1].size == list[i].size;
		if (before || behind)
			list[i].hash = hash_of_file(&info->files.data[list[i].index]);
	}
	for (size_t i = 1; i < count; i++)
		find_original(info, list, i);
	mem_free(list);
}

/* ---- the table ------------------------------------------------------------------------------- */

static const char *number_text(struct heft_info *info, uint64_t n)
{
	return n == 0 ? "" : arena_format(&info->rows, "%" PRIu64, n);
}

static const char *kinds_text(struct heft_info *info, const struct facts *f)
{
	const char *text = "";
	for (unsigned k = 0; k < RELOC_KINDS; k++)
		if (f->relocs[k] > 0)
			text = arena_format(&info->rows, "%s%s%s %" PRIu64, text, *text ? ", " : "",
					    reloc_kind_text(k), f->relocs[k]);
	return text;
}

static const char *savings_text(struct heft_info *info, const struct facts *f)
{
	const char *text = "";
	for (size_t i = 0; i < f->saving_count; i++)
		text = arena_format(&info->rows, "%s%s%s %" PRIu64, text, *text ? ", " : "",
				    f->savings[i].what, f->savings[i].bytes);
	return text;
}

static void info_handle_set_texts(struct heft_info *info, const struct info_file *file,
				  const char **t)
{
	const struct facts *f = &file->facts;
	const struct info_file *original = &info->files.data[file->copy_of];
	t[INFO_KIND] = f->kind;
	t[INFO_LINKED] = f->linked;
	t[INFO_FORMAT] = f->format;
	t[INFO_MACHINE] = f->machine;
	t[INFO_SYMBOLS] = f->symbols;
	t[INFO_DEBUG] = f->debug;
	t[INFO_DEBUG_PATH] = f->debug_path;
	t[INFO_DWARF] = number_text(info, f->dwarf);
	t[INFO_BUILD_ID] = f->build_id;
	t[INFO_RELRO] = fact_text(f->relro);
	t[INFO_PIE] = fact_text(f->pie);
	t[INFO_NX] = fact_text(f->nx);
	t[INFO_CANARY] = fact_text(f->canary);
	t[INFO_FORTIFY] = fact_text(f->fortify);
	t[INFO_TEXTREL] = fact_text(f->textrel);
	t[INFO_FEATURES] = f->features;
	t[INFO_RUNPATH] = f->runpath;
	t[INFO_PACKAGE] = f->package;
	t[INFO_OPENS] = f->opens;
	t[INFO_MADE_BY] = f->made_by;
	t[INFO_PARTS] = f->parts;
	t[INFO_SETTINGS] = f->settings;
	t[INFO_THREAD] = number_text(info, f->thread_bytes);
	t[INFO_MEMBERS] = number_text(info, f->members);
	t[INFO_RELOCATION_KINDS] = kinds_text(info, f);
	t[INFO_SAVING_KINDS] = savings_text(info, f);
	t[INFO_COPY_OF] = original == file ? "" : original->path;
}

static const char *info_handle_label_of(void *ctx, uint32_t node)
{
	const struct heft_info *info = ctx;
	return node == 0 ? "TOTAL" : info->files.data[node - 1].path;
}

static void info_handle_fill_row(void *ctx, uint32_t node, uint32_t level, struct heft_row *row)
{
	struct heft_info *info = ctx;
	const char **texts = arena_new(&info->rows, const char *, INFO_TEXTS);
	(void)level;
	info_handle_set_texts(info, &info->files.data[node - 1], texts);
	row->texts = texts;
}

static void info_handle_add_sums(struct tree *t, uint32_t node, const struct info_file *f,
				 bool copy)
{
	uint64_t *sums = tree_sums(t, node, HEFT_INPUT);
	sums[INFO_BYTES] += f->size;
	sums[INFO_RELOCATIONS] += f->facts.reloc_count;
	sums[INFO_SAVINGS] += f->facts.saved;
	sums[INFO_COPIED] += copy ? f->size : 0;
}

static bool info_handle_make_table(struct heft_info *info)
{
	static const char *const levels[] = { "files" };
	if (info->table.top)
		return true;
	find_copies(info);
	tree_init(&info->tree, INFO_MEASURES, 2);
	for (size_t i = 0; i < info->files.count; i++) {
		const struct info_file *f = &info->files.data[i];
		const uint32_t node = tree_add(&info->tree, 0, 0);
		info_handle_add_sums(&info->tree, node, f, f->copy_of != i);
		info_handle_add_sums(&info->tree, 0, f, f->copy_of != i);
	}
	const struct rows_opts how = { .measures = info_measures,
				       .sort = HEFT_SORT_NONE,
				       .keys = 1u << INFO_BYTES,
				       .label = info_handle_label_of,
				       .fill = info_handle_fill_row,
				       .ctx = info };
	info->table = (struct heft_table){ .size = sizeof info->table,
					   .levels = levels,
					   .level_count = 1,
					   .measures = info_measures,
					   .measure_count = INFO_MEASURES,
					   .texts = info_texts,
					   .text_count = INFO_TEXTS,
					   .sorted_by = INFO_BYTES,
					   .top = rows_build(&info->tree, &how, &info->rows) };
	return true;
}

const struct heft_table *heft_info_table(struct heft_info *info)
{
	return GUARDED(info->memory, NULL, info_handle_make_table(info)) ? &info->table : NULL;
}

static bool info_handle_write_table(struct heft_info *info, const struct heft_write_opts *opts,
				    const struct heft_sink *sink, struct heft_err *err)
{
	struct heft_write_opts o = { 0 };
	struct sink s;
	if (!TAKE(heft_write_opts, &o, opts, err))
		return false;
	info_handle_make_table(info);
	sink_start(&s, sink);
	return info_report_write(&info->table, &o, &s, err);
}

bool heft_info_write(struct heft_info *info, const struct heft_write_opts *opts,
		     const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED(info->memory, err, info_handle_write_table(info, opts, sink, err));
}
