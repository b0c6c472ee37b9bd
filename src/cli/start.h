/* start.h - starts and ends the process of every program of heft. */
#ifndef HEFT_CLI_START_H
#define HEFT_CLI_START_H

#include "cli/commands.h"

/* Sets up standard descriptors, signals, the allocator and the words. Call it first. */
void cli_init(int argc, char **argv);
/* Flushes standard output. Returns the exit status of the process. */
int cli_finish(const struct cli *cli, int status);

/* The main function of a program beside heft. The program's file is heft-NAME. Its commands are
 * called "NAME" or "NAME WORD". If the first word is "--words", prints all commands
 * (commands.h). */
int program_main(const char *name, const struct commands *all, int argc, char **argv);

#endif
