/* recorder.h - which programs can be recorded, and who keeps their memory. */
#ifndef HEFT_PROCESS_RECORDER_H
#define HEFT_PROCESS_RECORDER_H

#include "base/arena.h"
#include "base/err.h"

/* Finds the program that execvp would run for `name`; the path belongs to the arena.  HEFT_EIO
 * (ENOENT, EACCES ...) where there is none. */
bool program_find(const char *name, struct arena *arena, const char **ret_path,
		  struct heft_err *err);

/* Will the dynamic linker load one of `libraries` into it, of which the second may be NULL?
 * Interpreters of scripts are followed, and a dynamic linker that is run with a program (argv).
 * False if the program gets more rights than its caller has, is linked statically or is for
 * another machine: HEFT_EUNSUPPORTED. */
bool program_check(const char *path, char *const *argv, const char *const libraries[2],
		   struct heft_err *err);

/* ---- the processes of a run ------------------------------------------------------------------ */

/* The variable by which they are known, whoever their parent is by now. */
#define RUN_MARK "HEFT_HEAP_RUN"
/* Calls `fn` with the ids of our user's processes, but for `but`, whose environment has RUN_MARK
 * with this value.  Reads the environments of all of them.  False where `fn` has ended it by
 * returning false. */
bool run_processes(const char *mark, uint32_t but, heft_recorder_tick_fn fn, void *ctx);

#endif
