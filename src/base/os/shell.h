/* shell.h - hides what differs between systems for a command line: streams, signals, the terminal,
 * other programs.
 *
 * posix_shell.c, windows_shell.c and wasi_shell.c each define all functions. A failing function
 * sets errno. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Prepares streams, signals, and the words of the command line, which it may change. Call it first.
 * If an input becomes shorter while it is read, the program ends with status `trouble` and a
 * message. */
void os_shell_start(int argc, char **argv, int trouble);
/* Returns the path of the running program. False if it is unknown, or longer than `room`. */
bool os_own_path(char *ret, size_t room);
/* Returns the width of the terminal on standard output. 0 if unknown. */
unsigned os_terminal_columns(void);
/* True if standard input has bytes, or ends, within `milliseconds`. */
bool os_input_waits(int milliseconds);
/* Gives an open file the rights of another file. */
void os_copy_rights(FILE *to, const char *from);

/* What separates folders in $PATH, and what names of programs end with. */
extern const char os_path_separator, os_program_suffix[];
bool os_is_program(const char *path);
/* Replaces this program by another one, whose exit status counts. Returns only on failure. NULL
 * ends `argv`, here and below. */
void os_become(const char *path, char *const *argv);
/* Runs a program until it ends. Returns its exit status, or -1. */
int os_run(const char *path, char *const *argv);

/* Creates a folder for its owner alone. Replaces the XXXXXX at the end of `path`, so that the name
 * is new. */
bool os_new_folder(char *path);
/* Removes a folder with all that is in it. Does not follow links. */
void os_remove_folder(const char *path);

/* What happens to messages of a program: its standard error. */
enum os_messages {
	OS_MESSAGES_SHOWN,   /* They go where those of this program go */
	OS_MESSAGES_DROPPED, /* Nobody reads them */
	OS_MESSAGES_READ,    /* They are read with the output */
};

struct os_child {
	FILE *output;
	long long id;
};
/* Starts a program, found as by a shell, to read its output. */
bool os_child_start(struct os_child *c, const char *const *argv, enum os_messages messages);
/* Waits until the program ends. Returns its exit status, or -1. */
int os_child_end(struct os_child *c);
