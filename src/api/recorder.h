/* recorder.h - which programs can be recorded. */
#ifndef HEFT_API_RECORDER_H
#define HEFT_API_RECORDER_H

#include "base/arena.h"
#include "base/err.h"

/* Finds the program that execvp would run for `name`; the path belongs to the arena.  HEFT_EIO
 * (ENOENT, EACCES ...) where there is none. */
bool program_find(const char *name, struct arena *arena, const char **ret_path,
		  struct heft_err *err);

/* Will the dynamic linker load `library` into it?  Interpreters of scripts are followed.  Not where
 * the program gets more rights than its caller has, is linked statically or is for another
 * machine: HEFT_EUNSUPPORTED. */
bool program_check(const char *path, const char *library, struct heft_err *err);

#endif
