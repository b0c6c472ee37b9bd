/* notes.h - what the library found odd, on stderr; text that cannot drive the terminal. */
#ifndef HEFT_CLI_NOTES_H
#define HEFT_CLI_NOTES_H

#include "cli/cli.h"

/* One line: "PROGRAM: note: FILE: text (how often,
 * how many bytes)"; with the place of the first one if `offsets`. */
void note_print(const struct cli *cli, const struct heft_note *n, bool offsets);

/* Prints the notes of a session in their order, a line each. */
void notes_print_each(const struct cli *cli, struct heft_session *s, bool offsets);

/* The same, but notes of one kind on more than three files become one line, with the first file and
 * how many more there are, unless `all`; offsets with `all`. */
void notes_print(const struct cli *cli, struct heft_session *s, bool all);

#endif
