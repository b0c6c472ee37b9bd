/* push.h - declares the commands of heft-push. */
#ifndef HEFT_PUSH_PUSH_H
#define HEFT_PUSH_PUSH_H

#include "cli/run.h"

DECLARE_COMMAND(push_run);
DECLARE_COMMAND(push_profile);
DECLARE_COMMAND(push_rows);

#endif
