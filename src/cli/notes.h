/* notes.h - what the library found odd, on stderr; text that cannot drive the terminal. */
#ifndef HEFT_CLI_NOTES_H
#define HEFT_CLI_NOTES_H

#include "cli/cli.h"

/* One line: "PROGRAM: note: FILE: text (how often, how many bytes)"; with the place of the
 * first one if `offsets`. */
void note_print(const struct cli *cli, const struct heft_note *n, bool offsets);

/* Prints the notes of a handle in their order.  Notes of one kind on more than three files become
 * one line, with the first file and how many more there are, unless `all`; offsets with `all`. */
typedef const struct heft_note *notes_get_fn(const void *handle, size_t i);
void notes_print(const struct cli *cli, const void *handle, notes_get_fn *get, size_t count,
		 bool all);

#endif
