/* notes.h - what the library found odd, on stderr; text that cannot drive the terminal. */
#ifndef HEFT_CLI_NOTES_H
#define HEFT_CLI_NOTES_H

#include "cli/cli.h"

/* One line: "PROGRAM: note: FILE: text (how often, how many bytes)"; with the place of the
 * first one if `offsets`. */
void note_print(const struct cli *cli, const struct heft_note *n, bool offsets);

#endif
