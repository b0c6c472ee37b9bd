/* The program heft-history: stores builds of programs and reports on them. */
#include "history/commands.h"

#include "base/base.h"
#include "cli/start.h"

static const struct command commands[] = {
	{ "history add", "[OPTION]... PROGRAM...", "keep a build of a program over time",
	  history_add_manual, history_add_opts, cmd_history_add },
	{ "history log", "[OPTION]...", "the builds that are kept, and their sizes",
	  history_log_manual, history_log_opts, cmd_history_log },
	{ "history diff", "[OPTION]... OLD NEW", "what changed between two builds that are kept",
	  history_diff_manual, history_diff_opts, cmd_history_diff },
	{ "history blame", "[OPTION]... NAME", "which builds made something the size it is",
	  history_blame_manual, history_blame_opts, cmd_history_blame },
	{ "history bisect", "[OPTION]... OLD NEW", "the steps that explain a growth",
	  history_bisect_manual, history_bisect_opts, cmd_history_bisect },
	{ "history trend", "[OPTION]...", "where a size is going, and when it changed",
	  history_trend_manual, history_trend_opts, cmd_history_trend },
	{ "history top", "[OPTION]... [OLD [NEW]]", "who grew most, by owner or folder",
	  history_top_manual, history_top_opts, cmd_history_top },
	{ "history page", "[OPTION]... -o FILE", "the sizes over time as one page of html",
	  history_page_manual, history_page_opts, cmd_history_page },
	{ "history import", "[OPTION]... --product=NAME DIR...", "keep .size files that are there",
	  history_import_manual, history_import_opts, cmd_history_import },
	{ "history export", "[OPTION]... [BUILD] -o FILE",
	  "a build as a .size file, or rows of all", history_export_manual, history_export_opts,
	  cmd_history_export },
	{ "history gc", "[OPTION]... --keep=NUM", "take old builds out", history_gc_manual,
	  history_gc_opts, cmd_history_gc },
};

int main(int argc, char **argv)
{
	return program_main("history", &(struct commands){ commands, COUNT_OF(commands) }, argc,
			    argv);
}
