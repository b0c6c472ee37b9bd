/* shell.h - what a command line asks of its system: streams, signals, the terminal, other
 * programs.
 *
 * posix_shell.c, windows_shell.c and wasi_shell.c each define all of it.  What fails sets
 * errno. */
#ifndef HEFT_BASE_OS_SHELL_H
#define HEFT_BASE_OS_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Prepares streams, signals and the words of the command line, which may change.  Called first.
 * An input that becomes shorter while it is read ends the program with `trouble`, and a message. */
void os_shell_start(int argc, char **argv, int trouble);
/* The path of the program that runs; false where it is unknown or longer than `room`. */
bool os_own_path(char *ret, size_t room);
/* Columns of the terminal behind standard output; 0: unknown. */
unsigned os_terminal_columns(void);
/* Whether standard input has bytes, or has ended, within so many milliseconds. */
bool os_input_waits(int milliseconds);
/* Gives an open file the rights that another one has. */
void os_copy_rights(FILE *to, const char *from);

/* ---- other programs -------------------------------------------------------------------------- */

/* What stands between the folders of $PATH, and what the name of a program ends in. */
extern const char os_path_separator, os_program_suffix[];
/* Whether the file can be run. */
bool os_is_program(const char *path);
/* Runs a program in place of this one, whose exit status becomes its own; returns on failure only.
 * `argv` ends with NULL, here and below. */
void os_become(const char *path, char *const *argv);
/* Runs a program until its end; its exit status, -1 where there is none. */
int os_run(const char *path, char *const *argv);

struct os_child {
	FILE *output;
	long long id;
};
/* Runs a program that is found as the shell does, to read what it prints.  `quiet`: its messages
 * are dropped. */
bool os_child_start(struct os_child *c, const char *const *argv, bool quiet);
/* Waits for the end; its exit status, -1 where there is none. */
int os_child_end(struct os_child *c);

#endif
