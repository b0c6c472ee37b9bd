/* commands.h - declares the commands of heft history. */
#pragma once

#include "cli/cli.h"

DECLARE_COMMAND(history_add);
DECLARE_COMMAND(history_bisect);
DECLARE_COMMAND(history_blame);
DECLARE_COMMAND(history_diff);
DECLARE_COMMAND(history_export);
DECLARE_COMMAND(history_gc);
DECLARE_COMMAND(history_import);
DECLARE_COMMAND(history_log);
DECLARE_COMMAND(history_page);
DECLARE_COMMAND(history_top);
DECLARE_COMMAND(history_trend);
