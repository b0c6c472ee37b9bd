/* recorder.h - finds programs that can be recorded, and the processes of a run. */
#ifndef HEFT_PROCESS_RECORDER_H
#define HEFT_PROCESS_RECORDER_H

#include "base/arena.h"
#include "base/err.h"

/* Finds the program that execvp() would run for `name`. The path belongs to the arena. HEFT_EIO
 * (ENOENT, EACCES and so on) if there is none. */
bool program_find(const char *name, struct arena *arena, const char **ret_path,
		  struct heft_err *err);

/* True if the dynamic linker will load one of `libraries` into the program; the second may be
 * NULL. Follows interpreters of scripts, and a dynamic linker that runs a program (argv).
 * HEFT_EUNSUPPORTED if the program gains rights, is linked statically, or is for another
 * machine. */
bool program_check(const char *path, char *const *argv, const char *const libraries[2],
		   struct heft_err *err);

/* ---- the processes of a run ------------------------------------------------------------------ */

/* Environment variable that marks the processes of a run, whoever their parent is. */
#define RUN_MARK "HEFT_HEAP_RUN"
/* Calls `fn` with the ids of our user's processes whose environment has RUN_MARK with this value,
 * except `but`. Reads the environments of all of them. False if `fn` ended the search by returning
 * false. */
bool run_processes(const char *mark, uint32_t but, heft_recorder_tick_fn fn, void *ctx);

#endif
