/* gone.h - lists removed options of heft, and their replacements. */
#ifndef HEFT_CLI_GONE_H
#define HEFT_CLI_GONE_H

/* Returns the replacement of a removed option of this command. `word` is "--NAME" or
 * "--NAME=VALUE". NULL for other words. */
const char *gone_option(const char *command, const char *word);

#endif
