/* gone.h - options that heft has no more, and what does their work now. */
#ifndef HEFT_CLI_GONE_H
#define HEFT_CLI_GONE_H

/* What to do instead, where `word` is "--NAME" or "--NAME=VALUE" of an option that this command
 * had; else NULL. */
const char *gone_option(const char *command, const char *word);

#endif
