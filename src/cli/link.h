/* link.h - links a program again, so that the link writes into a temporary folder.
 *
 * A link command is the words of a compiler that links, or of a linker. Response files (@FILE) may
 * hold words. The command runs in the current folder, without a shell. Names of files that it
 * writes are replaced, so the user's own outputs stay as they are. link_close() checks that. */
#pragma once

#include "cli/cli.h"

struct link_text;
struct link_output;

struct link {
	const char *program;  /* The program that is linked, in the temporary folder */
	const char *original; /* The program that the user's command writes */
	/* Private. */
	const struct cli *cli;
	char folder[512];   /* Temporary folder. "" if there is none */
	const char **words; /* Words to run, with room for the options of a link */
	size_t count, room;
	struct link_output *outputs; /* Files that the user's command writes */
	struct link_text *texts;     /* Memory of all texts */
	unsigned files, depth;       /* Number of response files: copied, open */
	/* What the next word is the name of: for the compiler [0], for the linker [1] */
	unsigned char next[2];
	bool for_linker; /* The next word is for the linker, after -Xlinker */
	bool failed;     /* A message was printed */
};

/* Prepares a command. NULL ends `words`. Splits a single word with blanks as a shell does, such as
 * a line of `ninja -t commands`. False after a message. Call link_close() in any case. */
bool link_open(struct link *l, const struct cli *cli, char *const *words);
/* Links with further options, which are separated by blanks, and sets the size of the program. If
 * the link fails, returns the first line of its error, which the caller frees. Otherwise NULL. */
char *link_run(struct link *l, const char *options, uint64_t *ret_size);
/* Removes the temporary folder. False, after a message, if the user's outputs have changed. */
bool link_close(struct link *l);
