/* notes.h - prints the notes of the library on stderr. Escapes control characters, which could
 * drive the terminal. */
#ifndef HEFT_CLI_NOTES_H
#define HEFT_CLI_NOTES_H

#include "cli/cli.h"

/* Prints one line: "PROGRAM: note: FILE: text (how often, how many bytes)". If `offsets` is set,
 * adds the file offset of the first note. */
void note_print(const struct cli *cli, const struct heft_note *n, bool offsets);

/* Prints the notes of a session in their order, one per line. */
void notes_print_each(const struct cli *cli, struct heft_session *s, bool offsets);

/* Prints the notes of a session. If more than three files have notes of one kind, prints one line
 * with the first file and the number of other files. `all`: prints every note, with offsets. */
void notes_print(const struct cli *cli, struct heft_session *s, bool all);

#endif
