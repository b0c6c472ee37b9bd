/* Lists facts about files, one row per file. */
#include "measure/info_rows.h"

#include "base/sort.h"

/* Texts of a row: name, whether it is a number, value, and what it is. */
#define INFO_TEXT_LIST(X)                                                                          \
	X(INFO_KIND, "kind", false, f->kind,                                                       \
	  "`program`, `library`, `object`, `kernel module`, `core`, `archive` or `debug file`")    \
	X(INFO_LINKED, "linked", false, f->linked, "`dynamic` or `static`")                        \
	X(INFO_FORMAT, "format", false, f->format, "`ELF 64-bit LSB`")                             \
	X(INFO_MACHINE, "machine", false, f->machine, "`x86-64`")                                  \
	X(INFO_SYMBOLS, "symbols", false, f->symbols,                                              \
	  "`all`, `dynamic`, `packed`, `go` (Go's runtime tables), `kernel` (kallsyms) or "        \
	  "`none`")                                                                                \
	X(INFO_DEBUG, "debug", false, f->debug,                                                    \
	  "`inside`, `beside`, `objects` (a Mach-O debug map names them) or `none`")               \
	X(INFO_DEBUG_PATH, "debug_path", false, f->debug_path, "the debug file beside it")         \
	X(INFO_DWARF, "dwarf", true, number_text(info, f->dwarf),                                  \
	  "version of the first unit in the file")                                                 \
	X(INFO_BUILD_ID, "build_id", false, f->build_id, "hexadecimal")                            \
	X(INFO_RELRO, "relro", false, fact_text(f->relro), "`yes`, `partial` or `no`")             \
	X(INFO_PIE, "pie", false, fact_text(f->pie), "`yes` or `no`")                              \
	X(INFO_NX, "nx", false, fact_text(f->nx), "`yes` or `no`")                                 \
	X(INFO_CANARY, "canary", false, fact_text(f->canary), "`yes`, `no` or `unknown`")          \
	X(INFO_FORTIFY, "fortify", false, fact_text(f->fortify), "`yes`, `no` or `unknown`")       \
	X(INFO_TEXTREL, "textrel", false, fact_text(f->textrel), "`yes` or `no`")                  \
	X(INFO_FEATURES, "features", false, f->features,                                           \
	  "`ibt`, `shstk`, `bti`, `pac`, with a blank between")                                    \
	X(INFO_RUNPATH, "runpath", false, f->runpath, "as the file has it")                        \
	X(INFO_MEMBERS, "members", true, number_text(info, f->members), "of an archive")           \
	X(INFO_RELOCATION_KINDS, "relocation_kinds", false, kinds_text(info, f),                   \
	  "the kinds and how many: `relative 12, plt 3`")                                          \
	X(INFO_SAVING_KINDS, "saving_kinds", false, savings_text(info, f),                         \
	  "the kinds and how many bytes: `debug info 1234, symbol table 56`")                      \
	X(INFO_COPY_OF, "copy_of", false, original == file ? "" : original->path,                  \
	  "path of the file with the same bytes")                                                  \
	X(INFO_MADE_BY, "made_by", false, f->made_by,                                              \
	  "compilers and linkers, as they name themselves")                                        \
	X(INFO_PARTS, "parts", false, f->parts,                                                    \
	  "modules of Go, crates that `cargo auditable` lists, the own first: `NAME VERSION`, "    \
	  "then ` (build)` if only the build ran it")                                              \
	X(INFO_SETTINGS, "settings", false, f->settings, "of a build by Go: `GOOS=linux`")         \
	X(INFO_THREAD, "thread_bytes", true, number_text(info, f->thread_bytes),                   \
	  "bytes of variables that each thread has a copy of, `.tdata` and `.tbss`")               \
	X(INFO_PACKAGE, "package", false, f->package,                                              \
	  "of the note `.note.package`: type, name, version, architecture, system")                \
	X(INFO_OPENS, "opens", false, f->opens,                                                    \
	  "libraries that it may open while it runs, of the notes `.note.dlopen`: `libx.so.1 "     \
	  "or libx.so.0 (feature: priority)`")

#define TEXT_FACTS(id, name, number, value, what) [id] = { name, number, what },
const struct heft_text info_texts[INFO_TEXTS] = { INFO_TEXT_LIST(TEXT_FACTS) };

const struct heft_measure info_measures[INFO_MEASURES] = {
	[INFO_BYTES] = { "bytes", "size", HEFT_BYTES, false, false, "bytes of the file" },
	[INFO_RELOCATIONS] = { "relocations", "relocs", HEFT_COUNT, false, false,
			       "how many relocations it has" },
	[INFO_SAVINGS] = { "savings", "savings", HEFT_BYTES, false, false,
			   "bytes that the file could do without" },
	[INFO_COPIED] = { "copied", "copied", HEFT_BYTES, false, false,
			  "its bytes if the file is a copy of one before it, else 0" },
};

/* Drops the table. info_table() makes it again. */
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
		forget_table(info); /* The table lacks the new file */
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
#define TEXT_SET(id, name, number, value, what) t[id] = (value);
	INFO_TEXT_LIST(TEXT_SET)
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
