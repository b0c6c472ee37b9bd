/* Prints why a function with basic blocks was not found by name. */
#include "cli/functions.h"

#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 200 };

/* Finds the function whose plain name is most similar to `word`. Sets "" if there is none. */
static void functions_find_near(struct heft_blocks *b, const char *word, char ret[NAME_ROOM])
{
	struct heft_block_function f = { .size = sizeof f };
	struct heft_err err;
	char best[NAME_ROOM] = "", plain[NAME_ROOM];
	ret[0] = '\0';
	for (size_t i = 0; heft_blocks_function(b, i, &f, &err); i++) {
		const char *const both[] = { best, plain };
		/* The plain name has no parameters, template arguments or return type: "Vm::put" of
		 * "int Vm::put<int>(int)". */
		const size_t end = strcspn(f.name, "(<");
		size_t from = end;
		while (from > 0 && f.name[from - 1] != ' ')
			from--;
		snprintf(plain, sizeof plain, "%.*s", (int)(end - from), f.name + from);
		if (strcmp(best, word) == 0 || nearest_of(word, both, 2) != plain)
			continue;
		snprintf(best, sizeof best, "%s", plain);
		snprintf(ret, NAME_ROOM, "%s", f.name);
	}
}

void say_no_function(const struct cli *cli, struct heft_blocks *b, const char *name,
		     const struct heft_err *err)
{
	char near[NAME_ROOM] = "";
	if (err->offset == HEFT_NO_OFFSET)
		functions_find_near(b, name, near);
	if (near[0] != '\0')
		cli_error(cli, "%s (did you mean '%s'?)", err->text, near);
	else
		cli_error(cli, "%s", err->text);
}
