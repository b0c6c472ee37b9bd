/* beside.h - the programs beside heft: `heft NAME` runs heft-NAME, as git does.
 *
 * A program is looked for in the folder of heft, in the build tree, in libexecdir/heft, then in
 * PATH.  It is an ordinary user of libheft. */
#ifndef HEFT_CLI_BESIDE_H
#define HEFT_CLI_BESIDE_H

#include "cli/cli.h"

enum { BESIDE_NAME_MOST = 40, BESIDE_PATH_MOST = 4096 };

/* A program that is made of heft's own source, installed or not. */
struct beside {
	const char *name, *summary;
};
/* The programs of heft's own, by number; NULL past the last. */
const struct beside *beside_at(size_t i);
const struct beside *beside_of(const char *name);

/* Finds heft-NAME.  False where no folder has it. */
bool beside_find(const char *name, char ret[BESIDE_PATH_MOST]);
/* Turns this process into heft-NAME with these words.  Returns EXIT_TROUBLE where that fails, and
 * says why. */
int beside_run(const struct cli *cli, const char *name, size_t count, char **words);
/* Prints a line for each program found, for the overview. */
void beside_list(FILE *to);
/* Prints the commands and options of the programs found (commands.h). */
void beside_print_words(void);

#endif
