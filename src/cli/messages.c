/* Prints what every command prints in the same way: errors, notes, version, help. */
#include "cli/cli.h"

#include "cli/term.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_error(const struct cli *cli, const char *fmt, ...)
{
	char text[1000];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	fflush(stdout);
	progress_erase(cli->progress);
	fprintf(stderr, "%s: ", cli->program);
	print_tame(text, stderr);
	putc('\n', stderr);
	return EXIT_TROUBLE;
}

const char *cli_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

void *cli_made(const struct cli *cli, void *handle)
{
	if (handle == NULL)
		exit(cli_error(cli, "out of memory"));
	return handle;
}

struct heft_session *cli_session(const struct cli *cli)
{
	struct heft_session *s = cli_made(cli, heft_session_new());
	if (cli->progress->wanted)
		heft_session_set_progress(s, progress_show, cli->progress);
	return s;
}

bool cli_no_memory(struct heft_err *err)
{
	*err = (struct heft_err){ .code = HEFT_ENOMEM, .offset = HEFT_NO_OFFSET };
	snprintf(err->text, sizeof err->text, "out of memory");
	return false;
}

bool cli_swapped(const struct cli *cli, const char *first, const char *second)
{
	if (access(first, F_OK) == 0 || access(second, F_OK) != 0)
		return false;
	cli_error(cli, "%s: no such file; the file comes first: '%s %s ...'", first, cli->usage,
		  second);
	return true;
}

int cli_failed(const struct cli *cli, const struct heft_err *err)
{
	char text[sizeof err->text + 40];
	if (cli_is_bloaty(cli)) {
		cli_as_bloaty(err, text, sizeof text);
		return cli_error(cli, "%s", text);
	}
	if (err->offset == HEFT_NO_OFFSET)
		return cli_error(cli, "%s", err->text);
	return cli_error(cli, "%s (at offset 0x%" PRIx64 ")", err->text, err->offset);
}

void cli_version(const struct cli *cli)
{
	static const char without[] = HEFT_BUILT_WITHOUT;
	if (cli_is_bloaty(cli)) {
		printf("Bloaty McBloatface 1.1 (heft %s)\n", heft_version());
		return;
	}
	printf("heft %s\nwith: %s\n", heft_version(), HEFT_BUILT_WITH);
	if (without[0] != '\0')
		printf("without: %s\n", without);
}

void cli_help(const struct cli *cli)
{
	printf("Usage: %s %s\n%s\n", cli->usage, cli->command->operands, cli->command->manual);
	options_print(cli->command->opts, false, stdout);
}

/* The next functions print the notes of the library. */

/* Prints a note. `more` is the number of other files that have the same note. */
static void cli_notes_print(const struct cli *cli, const struct heft_note *n, bool offsets,
			    size_t more)
{
	progress_erase(cli->progress);
	fprintf(stderr, "%s: note: ", cli->program);
	print_tame(n->path, stderr);
	fputs(": ", stderr);
	print_tame(n->text, stderr);
	const char *glue = " (";
	if (n->count > 1) {
		fprintf(stderr, "%s%" PRIu64 " times", glue, n->count);
		glue = ", ";
	}
	if (n->bytes > 0) {
		fprintf(stderr, "%s%" PRIu64 " byte%s", glue, n->bytes, n->bytes == 1 ? "" : "s");
		glue = ", ";
	}
	if (offsets && n->offset != HEFT_NO_OFFSET) {
		fprintf(stderr, "%sat offset 0x%" PRIx64, glue, n->offset);
		glue = ", ";
	}
	if (more > 0) {
		fprintf(stderr, "%sand %zu more files; -v names them", glue, more);
		glue = ", ";
	}
	fputs(*glue == ',' ? ")\n" : "\n", stderr);
}

void note_print(const struct cli *cli, const struct heft_note *n, bool offsets)
{
	cli_notes_print(cli, n, offsets, 0);
}

void notes_print_each(const struct cli *cli, struct heft_session *s, bool offsets)
{
	const struct heft_note *n;
	for (size_t i = 0; (n = heft_session_note(s, i)) != NULL; i++)
		note_print(cli, n, offsets);
}

enum { FILES_NAMED = 3 };

/* The kind of each note, and the number of notes of each kind. */
struct notes_kinds {
	struct kind {
		const char *kind;
		size_t count;
		bool told;
	} *list;
	size_t count;
};

static struct kind *notes_kind_of(struct notes_kinds *k, const char *kind)
{
	for (size_t i = 0; i < k->count; i++)
		if (k->list[i].kind == kind)
			return &k->list[i];
	k->list[k->count] = (struct kind){ .kind = kind };
	return &k->list[k->count++];
}

void notes_print(const struct cli *cli, struct heft_session *s, bool all)
{
	const size_t count = heft_session_note_count(s);
	struct notes_kinds kinds = { calloc(count + 1, sizeof *kinds.list), 0 };
	for (size_t i = 0; kinds.list != NULL && i < count; i++)
		notes_kind_of(&kinds, heft_session_note(s, i)->kind)->count++;
	for (size_t i = 0; i < count; i++) {
		const struct heft_note *n = heft_session_note(s, i);
		struct kind *kind = kinds.list != NULL ? notes_kind_of(&kinds, n->kind) : NULL;
		const bool fold = !all && kind != NULL && kind->count > FILES_NAMED;
		if (fold && kind->told)
			continue;
		if (fold)
			kind->told = true;
		cli_notes_print(cli, n, all, fold ? kind->count - 1 : 0);
	}
	free(kinds.list);
}
