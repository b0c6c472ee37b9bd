/* push.h - declares the commands of heft-push. */
#pragma once

#include "cli/run.h"

DECLARE_COMMAND(push_run);
DECLARE_COMMAND(push_profile);
DECLARE_COMMAND(push_rows);
