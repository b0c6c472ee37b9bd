/* beside.h - runs the programs beside heft: `heft NAME` runs heft-NAME, as git does.
 *
 * Looks for a program in the folder of heft, in the build tree, in libexecdir/heft, then in PATH.
 * Such a program uses only the public functions of libheft. */
#pragma once

#include "cli/cli.h"

enum { BESIDE_NAME_MOST = 40, BESIDE_PATH_MOST = 4096 };

/* A program made from heft's own sources, whether it is installed or not. */
struct beside {
	const char *name, *summary;
	const char *members; /* The program's commands, each between two blanks */
};
/* Return a program of heft's own: by number, or by name. NULL past the last, or if unknown. */
const struct beside *beside_at(size_t i);
const struct beside *beside_of(const char *name);

/* Finds heft-NAME. False if no folder has it. */
bool beside_find(const char *name, char ret[BESIDE_PATH_MOST]);
/* Replaces this process by heft-NAME with the arguments `words`. If that fails, prints why and
 * returns EXIT_TROUBLE. */
int beside_run(const struct cli *cli, const char *name, size_t count, char **words);
/* Prints a line for each heft-NAME program that is installed, for the overview of commands. */
void beside_list(FILE *to);
/* Prints the commands and options of the heft-NAME programs that are installed (commands.h). */
void beside_print_words(void);
