/* gone.h - lists options that heft has no longer, and what replaces them. */
#ifndef HEFT_CLI_GONE_H
#define HEFT_CLI_GONE_H

/* Returns what replaces an option that this command had. `word` is "--NAME" or "--NAME=VALUE". NULL
 * for other words. */
const char *gone_option(const char *command, const char *word);

#endif
