/* Links a program again, so that the link writes into a temporary folder. */
#include "cli/link.h"

#include "base/fnv.h"
#include "base/os/os.h"
#include "base/os/shell.h"
#include "cli/spawn.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

/* What an option names: nothing that is written, a file, or the program */
enum { NAMES_NOTHING, NAMES_FILE, NAMES_PROGRAM };

struct link_text {
	struct link_text *next;
	char text[];
};

/* A file that the user's command writes, and how it was before heft linked. */
struct link_output {
	struct link_output *next;
	const char *path;
	bool exists, is_read;
	struct os_file file;
	uint64_t hash; /* Of the bytes, if they could be read */
};

/* Returns new memory. Ends heft if there is none. */
static void *link_made(const struct link *l, void *memory)
{
	if (memory == NULL && l->folder[0] != '\0')
		os_remove_folder(l->folder);
	return cli_made(l->cli, memory);
}

static char *__attribute__((format(printf, 2, 3))) link_format(struct link *l, const char *fmt, ...)
{
	va_list args, again;
	va_start(args, fmt);
	va_copy(again, args);
	const int len = vsnprintf(NULL, 0, fmt, args);
	struct link_text *t = link_made(l, malloc(sizeof *t + (size_t)len + 1));
	vsnprintf(t->text, (size_t)len + 1, fmt, again);
	va_end(again);
	va_end(args);
	t->next = l->texts;
	l->texts = t;
	return t->text;
}

/* Fills in what is known of a file, with a hash of its bytes. */
static void output_look(struct link_output *o)
{
	unsigned char bytes[1 << 14];
	size_t got;
	o->exists = os_path_look(o->path, &o->file);
	FILE *f = o->exists && o->file.kind == OS_FILE ? fopen(o->path, "rb") : NULL;
	o->is_read = f != NULL;
	o->hash = FNV_START;
	while (f != NULL && (got = fread(bytes, 1, sizeof bytes, f)) > 0)
		o->hash = fnv_add(o->hash, bytes, got);
	if (f != NULL)
		fclose(f);
}

/* Returns the name in the temporary folder for a file that the command writes. */
static const char *link_redirect(struct link *l, const char *path, bool is_program)
{
	if (strcmp(path, "-") == 0 || strncmp(path, "/dev/", 5) == 0)
		return path;
	struct link_output *o = link_made(l, calloc(1, sizeof *o));
	o->next = l->outputs;
	o->path = link_format(l, "%s", path);
	l->outputs = o;
	output_look(o);
	/* Each file has a folder of its own, because two files may have one name. */
	size_t number = 0;
	for (const struct link_output *before = o->next; before != NULL; before = before->next)
		number++;
	const char *folder = link_format(l, "%s/%zu", l->folder, number);
	const char *ret = link_format(l, "%s/%s", folder, cli_file_name(path));
	os_make_folder(folder);
	if (is_program) {
		l->program = ret;
		l->original = o->path;
	}
	return ret;
}

/* Returns what an option names. *ret_at: where the name begins. 0: it is the next word. */
static unsigned char option_names(const char *option, size_t *ret_at)
{
	enum { PROGRAMS = 2, SEPARATE = 8 }; /* The names after these only take "=FILE" */
	static const char *const names[] = { "output",
					     "o",
					     "Map",
					     "MF",
					     "dependency-file",
					     "out-implib",
					     "output-def",
					     "reproduce",
					     "pdb",
					     "time-trace",
					     "why-extract",
					     "print-archive-stats",
					     "print-symbol-order",
					     "lto-obj-path",
					     "thinlto-cache-dir",
					     "plugin-opt=obj-path",
					     "plugin-opt=cache-dir" };
	const size_t dashes = strspn(option, "-");
	for (size_t i = 0; dashes > 0 && i < sizeof names / sizeof *names; i++) {
		const size_t end = dashes + strlen(names[i]);
		if (strncmp(option + dashes, names[i], end - dashes) != 0)
			continue;
		*ret_at = option[end] == '=' ? end + 1 : 0;
		if (option[end] == '=' || (option[end] == '\0' && i < SEPARATE))
			return i < PROGRAMS ? NAMES_PROGRAM : NAMES_FILE;
	}
	*ret_at = 2;
	return dashes == 1 && option[1] == 'o' ? NAMES_PROGRAM : NAMES_NOTHING;
}

/* Cuts the next word off a text, and removes its quotes, in place. NULL at the end. */
static char *word_next(char **text)
{
	char *in = *text + strspn(*text, " \t\n\r\v\f"), *word = in, *out = in, quote = '\0';
	if (*in == '\0')
		return NULL;
	for (; *in != '\0' && (quote != '\0' || !isspace((unsigned char)*in)); in++) {
		if (*in == '\\' && in[1] != '\0')
			*out++ = *++in;
		else if (quote != '\0' ? *in == quote : *in == '"' || *in == '\'')
			quote = quote != '\0' ? '\0' : *in;
		else
			*out++ = *in;
	}
	*text = *in != '\0' ? in + 1 : in;
	*out = '\0';
	return word;
}

/* Writes a word into a response file. */
static void word_put(const char *word, FILE *to)
{
	if (*word == '\0')
		fputs("\"\"", to);
	for (; *word != '\0'; word++) {
		if (isspace((unsigned char)*word) || strchr("\"'\\", *word) != NULL)
			putc('\\', to);
		putc(*word, to);
	}
	putc('\n', to);
}

static const char *word_redirect(struct link *l, const char *word);

/* Copies a response file, with its words changed. `word`: its name after "@". */
static const char *file_redirect(struct link *l, const char *word)
{
	enum { DEPTH_MOST = 8 }; /* Response files within each other */
	if (l->depth == DEPTH_MOST) {
		l->failed = true;
		cli_error(l->cli, "%s: too many response files name one another", word + 1);
		return word;
	}
	FILE *from = fopen(word + 1, "rb");
	if (from == NULL)
		return word; /* The linker says what it wants */
	char *text = link_made(l, stream_read(from)), *rest = text;
	fclose(from);
	const char *path = link_format(l, "%s/words.%u", l->folder, l->files++);
	l->depth++;
	FILE *to = fopen(path, "wb");
	for (const char *next; to != NULL && (next = word_next(&rest)) != NULL;)
		word_put(word_redirect(l, next), to);
	l->depth--;
	free(text);
	if (to == NULL || fclose(to) != 0) {
		l->failed = true;
		cli_error(l->cli, "%s: %s", path, strerror(errno));
	}
	return link_format(l, "@%s", path);
}

/* Returns a word for the compiler, or for the linker, with the names of outputs replaced. */
static const char *item_redirect(struct link *l, const char *item, bool for_linker)
{
	size_t at = 0;
	unsigned char names = l->next[for_linker];
	l->next[for_linker] = NAMES_NOTHING;
	if (names != NAMES_NOTHING)
		return link_redirect(l, item, names == NAMES_PROGRAM);
	if (item[0] == '@')
		return file_redirect(l, item);
	names = option_names(item, &at);
	if (names == NAMES_NOTHING)
		return item;
	if (at > 0)
		return link_format(l, "%.*s%s", (int)at, item,
				   link_redirect(l, item + at, names == NAMES_PROGRAM));
	l->next[for_linker] = names;
	return item;
}

static const char *word_redirect(struct link *l, const char *word)
{
	const bool for_linker = l->for_linker;
	l->for_linker = !for_linker && strcmp(word, "-Xlinker") == 0;
	if (l->for_linker)
		return word;
	if (for_linker || strncmp(word, "-Wl,", 4) != 0)
		return item_redirect(l, word, for_linker);
	char *end, *item = link_format(l, "%s", word + 4);
	const char *ret = "-Wl";
	for (; item != NULL; item = end) {
		end = strchr(item, ',');
		if (end != NULL)
			*end++ = '\0';
		ret = link_format(l, "%s,%s", ret, item_redirect(l, item, true));
	}
	return ret;
}

/* Stores word i. */
static void link_put(struct link *l, size_t i, const char *word)
{
	if (i == l->room)
		l->words = link_made(l, realloc(l->words, (l->room += 64) * sizeof *l->words));
	l->words[i] = word;
}

bool link_open(struct link *l, const struct cli *cli, char *const *words)
{
	const char *in = getenv("TMPDIR"), *word;
	*l = (struct link){ .cli = cli };
	if (words[0] == NULL) {
		cli_error(cli, "must specify the link command after --");
		return false;
	}
	snprintf(l->folder, sizeof l->folder, "%.480s/heft-XXXXXX", in && *in ? in : "/tmp");
	if (!os_new_folder(l->folder)) {
		cli_error(cli, "%s: %s", l->folder, strerror(errno));
		l->folder[0] = '\0';
		return false;
	}
	const bool is_line = words[1] == NULL && strpbrk(words[0], " \t") != NULL;
	char *line = is_line ? link_format(l, "%s", words[0]) : NULL;
	while ((word = is_line ? word_next(&line) : *words++) != NULL)
		/* CMake writes ": && g++ ... && :". */
		if (strcmp(word, ":") != 0 && strcmp(word, "&&") != 0)
			link_put(l, l->count++, word_redirect(l, word));
	if (l->program == NULL && !l->failed) {
		l->failed = true;
		cli_error(cli, "the link command names no output: -o FILE");
	}
	return !l->failed;
}

/* True for the name of a linker, such as "ld.lld-19", false for a compiler. */
static bool is_linker(const char *program)
{
	const char *name = cli_file_name(program), *cross = strstr(name, "-ld");
	name = cross != NULL ? cross + 1 : name;
	return strcmp(name, "ld") == 0 || strncmp(name, "ld.", 3) == 0 ||
	       strcmp(name, "mold") == 0 || strcmp(name, "gold") == 0;
}

/* Returns the words of the command with these options after them. NULL ends them. */
static const char *const *link_words(struct link *l, const char *options)
{
	char *text = link_format(l, "%s", options), *word;
	size_t count = l->count;
	const bool direct = is_linker(l->words[0]);
	while ((word = word_next(&text)) != NULL) {
		if (!direct || strncmp(word, "-Wl,", 4) != 0) {
			link_put(l, count++, word);
			continue;
		}
		for (char *comma = word + 3; comma != NULL; comma = strchr(word, ',')) {
			*comma = '\0';
			word = comma + 1;
			link_put(l, count++, word);
		}
	}
	link_put(l, count, NULL);
	return l->words;
}

/* Returns the first line of an error: no warning, and not only where the error is. If the link went
 * well, the first warning about the last option: that the linker does not know it. */
static char *first_error(char *text, bool good, const char *options)
{
	const char *name = options + strlen(options);
	while (name > options && strchr(" ,=", name[-1]) == NULL)
		name--;
	for (char *line = text, *end; *line != '\0'; line = end) {
		end = line + strcspn(line, "\n");
		const bool is_place = end > line && end[-1] == ':';
		if (*end != '\0')
			*end++ = '\0';
		const bool warns = strstr(line, "warning:") != NULL;
		if (*line != '\0' && !is_place && warns == good &&
		    (!good || (*name != '\0' && strstr(line, name) != NULL)))
			return line;
	}
	return good ? NULL : text;
}

char *link_run(struct link *l, const char *options, uint64_t *ret_size)
{
	struct os_child child;
	struct os_file made;
	remove(l->program);
	if (!os_child_start(&child, link_words(l, options), OS_MESSAGES_READ))
		return link_made(l, strdup(link_format(l, "%s: %s", l->words[0], strerror(errno))));
	char *text = link_made(l, stream_read(child.output));
	const bool good = os_child_end(&child) == 0 && os_path_look(l->program, &made);
	const char *line = first_error(text, good, options);
	char *error = NULL;
	if (line != NULL)
		error = link_made(l, strdup(*line ? line : "the link made no program"));
	else
		*ret_size = made.size;
	free(text);
	return error;
}

bool link_close(struct link *l)
{
	bool good = true;
	for (struct link_output *o = l->outputs, *next; o != NULL; o = next) {
		struct link_output now = { .path = o->path };
		next = o->next;
		output_look(&now);
		if (now.exists != o->exists ||
		    (now.exists && now.file.modified != o->file.modified) ||
		    (now.is_read && o->is_read && now.hash != o->hash)) {
			good = false;
			cli_error(l->cli,
				  "%s: THIS FILE HAS CHANGED: the link command writes it, although "
				  "heft gave the file another name",
				  o->path);
		}
		free(o);
	}
	for (struct link_text *t = l->texts, *next; t != NULL; t = next) {
		next = t->next;
		free(t);
	}
	if (l->folder[0] != '\0')
		os_remove_folder(l->folder);
	free(l->words);
	return good;
}
