/* Lists facts about files, one row per file. */
#include "measure/info_rows.h"

#include "base/sort.h"

const struct heft_text info_texts[INFO_TEXTS] = {
	[INFO_KIND] = { "kind", false,
			"`program`, `library`, `object`, `kernel module`, `core`, `archive` or "
			"`debug file`" },
	[INFO_LINKED] = { "linked", false, "`dynamic` or `static`" },
	[INFO_FORMAT] = { "format", false, "`ELF 64-bit LSB`" },
	[INFO_MACHINE] = { "machine", false, "`x86-64`" },
	[INFO_SYMBOLS] = { "symbols", false,
			   "`all`, `dynamic`, `packed`, `go` (Go's runtime tables), `kernel` "
			   "(kallsyms) or `none`" },
	[INFO_DEBUG] = { "debug", false,
			 "`inside`, `beside`, `objects` (a Mach-O debug map names them) or "
			 "`none`" },
	[INFO_DEBUG_PATH] = { "debug_path", false, "the debug file beside it" },
	[INFO_DWARF] = { "dwarf", true, "version of the first unit in the file" },
	[INFO_BUILD_ID] = { "build_id", false, "hexadecimal" },
	[INFO_RELRO] = { "relro", false, "`yes`, `partial` or `no`" },
	[INFO_PIE] = { "pie", false, "`yes` or `no`" },
	[INFO_NX] = { "nx", false, "`yes` or `no`" },
	[INFO_CANARY] = { "canary", false, "`yes`, `no` or `unknown`" },
	[INFO_FORTIFY] = { "fortify", false, "`yes`, `no` or `unknown`" },
	[INFO_TEXTREL] = { "textrel", false, "`yes` or `no`" },
	[INFO_FEATURES] = { "features", false,
			    "`ibt`, `shstk`, `bti`, `pac`, with a blank between" },
	[INFO_RUNPATH] = { "runpath", false, "as the file has it" },
	[INFO_MEMBERS] = { "members", true, "of an archive" },
	[INFO_RELOCATION_KINDS] = { "relocation_kinds", false,
				    "the kinds and how many: `relative 12, plt 3`" },
	[INFO_SAVING_KINDS] = { "saving_kinds", false,
				"the kinds and how many bytes: `debug info 1234, symbol table "
				"56`" },
	[INFO_COPY_OF] = { "copy_of", false, "path of the file with the same bytes" },
	[INFO_PACKAGE] = { "package", false,
			   "of the note `.note.package`: type, name, version, architecture, "
			   "system" },
	[INFO_OPENS] = { "opens", false,
			 "libraries that it may open while it runs, of the notes `.note.dlopen`: "
			 "`libx.so.1 or libx.so.0 (feature: priority)`" },
	[INFO_MADE_BY] = { "made_by", false, "compilers and linkers, as they name themselves" },
	[INFO_PARTS] = { "parts", false,
			 "modules of Go, crates that `cargo auditable` lists, the own first: `NAME "
			 "VERSION`, then ` (build)` if only the build ran it" },
	[INFO_SETTINGS] = { "settings", false, "of a build by Go: `GOOS=linux`" },
	[INFO_THREAD] = { "thread_bytes", true,
			  "bytes of variables that each thread has a copy of, `.tdata` and "
			  "`.tbss`" },
};

const struct heft_measure info_measures[INFO_MEASURES] = {
	[INFO_BYTES] = { .name = "bytes",
			 .title = "size",
			 .unit = HEFT_BYTES,
			 .what = "bytes of the file" },
	[INFO_RELOCATIONS] = { .name = "relocations",
			       .title = "relocs",
			       .unit = HEFT_COUNT,
			       .what = "how many relocations it has" },
	[INFO_SAVINGS] = { .name = "savings",
			   .title = "savings",
			   .unit = HEFT_BYTES,
			   .what = "bytes that the file could do without" },
	[INFO_COPIED] = { .name = "copied",
			  .title = "copied",
			  .unit = HEFT_BYTES,
			  .what = "its bytes if the file is a copy of one before it, else 0" },
};

/* Drops the table. The next call makes it again. */
static void forget_table(struct heft_info *info)
{
	tree_release(&info->tree);
	arena_reset(&info->rows);
	memset(&info->tree, 0, sizeof info->tree);
	info->table.top = NULL;
}

bool info_add(struct heft_info *info, const char *path, struct heft_err *err)
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
		forget_table(info); /* It lacks the file that comes now */
		vec_push(&info->files, f);
	}
	program_close(&p);
	return good;
}

struct info_candidate {
	uint64_t size, hash;
	uint64_t index;
};

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

/* Finds the file that file `i` is a copy of. A second name (link) of a file is no copy. */
static void find_original(struct heft_info *info, const struct info_candidate *list, size_t i)
{
	struct info_file *f = &info->files.data[list[i].index];
	for (size_t k = lower_bound(list, i, sizeof *list, list[i].size); k < i; k++) {
		const struct info_file *other = &info->files.data[list[k].index];
		if (list[k].hash != list[i].hash || other->copy_of != list[k].index)
			continue;
		if ((f->device == other->device && f->inode == other->inode) ||
		    !have_same_bytes(f, other))
			continue;
		f->copy_of = (uint32_t)list[k].index;
		return;
	}
}

static void find_copies(struct heft_info *info)
{
	const size_t count = info->files.count;
	struct info_candidate *list = mem_zeroed(count + 1, sizeof *list);
	for (size_t i = 0; i < count; i++)
		list[i] = (struct info_candidate){ info->files.data[i].size, 0, i };
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

static void info_set_texts(struct heft_info *info, const struct info_file *file, const char **t)
{
	const struct facts *f = &file->facts;
	ASSERT(file->copy_of < info->files.count);
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

static const char *info_label_of(void *ctx, uint32_t node)
{
	const struct heft_info *info = ctx;
	return node == 0 ? "TOTAL" : info->files.data[node - 1].path;
}

static void info_fill_row(void *ctx, uint32_t node, uint32_t level, struct heft_row *row)
{
	struct heft_info *info = ctx;
	const char **texts = arena_new(&info->rows, const char *, INFO_TEXTS);
	(void)level;
	info_set_texts(info, &info->files.data[node - 1], texts);
	row->texts = texts;
}

static void info_add_sums(struct tree *t, uint32_t node, const struct info_file *f, bool copy)
{
	uint64_t *sums = tree_sums(t, node, HEFT_INPUT);
	sums[INFO_BYTES] += f->size;
	sums[INFO_RELOCATIONS] += f->facts.reloc_count;
	sums[INFO_SAVINGS] += f->facts.saved;
	sums[INFO_COPIED] += copy ? f->size : 0;
}

void info_set_rows(struct heft_info *info, enum heft_info_sort sort, uint32_t limit)
{
	forget_table(info);
	info->sort = sort;
	info->row_limit = limit;
}

const struct heft_table *info_table(struct heft_info *info)
{
	static const char *const levels[] = { "files" };
	static const enum info_measure measure_of[] = { [HEFT_INFO_RELOCATIONS] = INFO_RELOCATIONS,
							[HEFT_INFO_SAVINGS] = INFO_SAVINGS,
							[HEFT_INFO_COPIED] = INFO_COPIED };
	ASSERT(info->sort < COUNT_OF(measure_of));
	if (info->table.top)
		return &info->table;
	find_copies(info);
	tree_init(&info->tree, INFO_MEASURES, 2);
	for (size_t i = 0; i < info->files.count; i++) {
		const struct info_file *f = &info->files.data[i];
		const uint32_t node = tree_add(&info->tree, 0, 0);
		info_add_sums(&info->tree, node, f, f->copy_of != i);
		info_add_sums(&info->tree, 0, f, f->copy_of != i);
	}
	const enum info_measure key = measure_of[info->sort];
	const struct rows_opts how = { .measures = info_measures,
				       .sort = info->sort == HEFT_INFO_ADDED  ? HEFT_SORT_NONE
					       : info->sort == HEFT_INFO_PATH ? HEFT_SORT_NAME
									      : HEFT_SORT_SIZE,
				       .keys = 1u << key,
				       .limit = info->row_limit,
				       .others_last = true,
				       .label = info_label_of,
				       .fill = info_fill_row,
				       .ctx = info };
	info->table = (struct heft_table){ .size = sizeof info->table,
					   .levels = levels,
					   .level_count = 1,
					   .measures = info_measures,
					   .measure_count = INFO_MEASURES,
					   .texts = info_texts,
					   .text_count = INFO_TEXTS,
					   .sorted_by = key,
					   .top = rows_build(&info->tree, &how, &info->rows) };
	return &info->table;
}
