/* The program heft-history: stores builds of programs and reports on them. */
#include "history/commands.h"

#include "base/base.h"
#include "cli/commands.h"

static const struct command commands[] = {
	COMMAND(history_add, "history add", "[OPTION]... PROGRAM...",
		"keep a build of a program over time"),
	COMMAND(history_log, "history log", "[OPTION]...",
		"the builds that are kept, and their sizes"),
	COMMAND(history_diff, "history diff", "[OPTION]... OLD NEW",
		"what changed between two builds that are kept"),
	COMMAND(history_blame, "history blame", "[OPTION]... NAME",
		"which builds made something the size it is"),
	COMMAND(history_bisect, "history bisect", "[OPTION]... OLD NEW",
		"the steps that explain a growth"),
	COMMAND(history_trend, "history trend", "[OPTION]...",
		"where a size is going, and when it changed"),
	COMMAND(history_top, "history top", "[OPTION]... [OLD [NEW]]",
		"who grew most, by owner or folder"),
	COMMAND(history_page, "history page", "[OPTION]... -o FILE",
		"the sizes over time as one page of html"),
	COMMAND(history_import, "history import", "[OPTION]... --product=NAME DIR...",
		"keep .size files that are there"),
	COMMAND(history_export, "history export", "[OPTION]... [BUILD] -o FILE",
		"a build as a .size file, or rows of all"),
	COMMAND(history_gc, "history gc", "[OPTION]... --keep=NUM", "take old builds out"),
};

int main(int argc, char **argv)
{
	return program_main("history", &(struct commands){ commands, COUNT_OF(commands) }, argc,
			    argv);
}
