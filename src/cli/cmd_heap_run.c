/* Implements heft heap run: runs a program under the recorder. */
#include "cli/heap_run.h"

const struct opt heap_run_opts[] = {
#include "cli/recorder_opts.inc"
#include "cli/last_opts.inc"
};

const char heap_run_manual[] =
	"Runs a program and records its heap: every allocation with its call stack.\n"
	"When it ends, what it and each program it started recorded is in a file, for\n"
	"heft heap show. The program's exit status is handed on, and signals to it.\n";

int cmd_heap_run(const struct cli *cli, int argc, char **argv)
{
	return heap_run(&(struct heap_run){ .run = { .cli = cli } }, argc, argv, heap_run_apply);
}
