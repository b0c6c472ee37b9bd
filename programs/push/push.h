/* push.h - declares the commands of heft-push. */
#ifndef HEFT_PUSH_PUSH_H
#define HEFT_PUSH_PUSH_H

#include "cli/run.h"

extern const struct opt push_run_opts[], push_profile_opts[], push_rows_opts[];
extern const char push_run_manual[], push_profile_manual[], push_rows_manual[];
int cmd_push_run(const struct cli *cli, int argc, char **argv);
int cmd_push_profile(const struct cli *cli, int argc, char **argv);
int cmd_push_rows(const struct cli *cli, int argc, char **argv);

#endif
