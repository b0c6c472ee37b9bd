#include "cli/notes.h"

#include "cli/term.h"

#include <inttypes.h>

void note_print(const struct cli *cli, const struct heft_note *n, bool offsets)
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
	fputs(*glue == ',' ? ")\n" : "\n", stderr);
}
