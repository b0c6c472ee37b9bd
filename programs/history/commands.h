/* commands.h - declares the commands of heft history. */
#ifndef HEFT_HISTORY_COMMANDS_H
#define HEFT_HISTORY_COMMANDS_H

#include "cli/cli.h"

extern const struct opt history_add_opts[], history_log_opts[], history_diff_opts[],
	history_blame_opts[], history_bisect_opts[], history_trend_opts[], history_export_opts[],
	history_import_opts[], history_gc_opts[], history_top_opts[], history_page_opts[];
extern const char history_add_manual[], history_log_manual[], history_diff_manual[],
	history_blame_manual[], history_bisect_manual[], history_trend_manual[],
	history_export_manual[], history_import_manual[], history_gc_manual[], history_top_manual[],
	history_page_manual[];
int cmd_history_add(const struct cli *cli, int argc, char **argv);
int cmd_history_bisect(const struct cli *cli, int argc, char **argv);
int cmd_history_blame(const struct cli *cli, int argc, char **argv);
int cmd_history_diff(const struct cli *cli, int argc, char **argv);
int cmd_history_export(const struct cli *cli, int argc, char **argv);
int cmd_history_gc(const struct cli *cli, int argc, char **argv);
int cmd_history_import(const struct cli *cli, int argc, char **argv);
int cmd_history_log(const struct cli *cli, int argc, char **argv);
int cmd_history_page(const struct cli *cli, int argc, char **argv);
int cmd_history_top(const struct cli *cli, int argc, char **argv);
int cmd_history_trend(const struct cli *cli, int argc, char **argv);

#endif
