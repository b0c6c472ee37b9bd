/* Prints the notes of the library. */
#include "cli/notes.h"

#include "cli/term.h"

#include <inttypes.h>
#include <stdlib.h>

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
