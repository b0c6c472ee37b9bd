/* recorder.h - runs programs under the heap recorder: declares the members of struct
 * heft_recorder. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

struct heft_recorder {
	struct memory *memory; /* Must be the first field: see handle_new() */
	struct arena arena;
	const char *library, *pattern, *signal; /* NULL if not set. */
	const char *library32;                  /* Library for 32-bit programs, or NULL. */
	const char *preload;                    /* heft's part of LD_PRELOAD */
	uint64_t values[HEFT_RECORD_SETTINGS];
	heft_recorder_tick_fn tick;
	bool stopped; /* True if `tick` asked to stop the timer of this run */
	void *tick_ctx;
	uint64_t every_ms;
	const char *output; /* Pattern of the files as an absolute path, with %p. */
	const char *dir;    /* Folder of `output`, with a slash at the end. */
	const char *mark;   /* Value of RUN_MARK, which marks the run's processes */
	const char *single; /* Final name of the program's own file. NULL: it keeps its name */
	VEC(struct heft_recorder_file) files;
};

/* Runs a program and waits for its end. Lists the files that its processes wrote in r->files. */
bool recorder_run(struct heft_recorder *r, char *const *argv, struct heft_recorder_end *ret,
		  struct heft_err *err);

/* Finds the program that execvp() would run for `name`. The path belongs to the arena. HEFT_EIO
 * (ENOENT, EACCES and so on) if there is none. */
bool program_find(const char *name, struct arena *arena, const char **ret_path,
		  struct heft_err *err);

/* True if the dynamic linker will load one of `libraries` (the recorder; its 32-bit build or NULL)
 * into the program. Of a script, checks the interpreter. Of a dynamic linker, also the program in
 * argv. HEFT_EUNSUPPORTED if it is static, for another machine, or gains rights (setuid). */
bool program_check(const char *path, char *const *argv, const char *const libraries[2],
		   struct heft_err *err);

/* Environment variable that marks the processes of a run, whoever their parent is. */
#define RUN_MARK "HEFT_HEAP_RUN"
/* Calls `fn` with the ids of the user's processes whose environment sets RUN_MARK to this value,
 * except process `but`. Reads the environments of all processes. False if `fn` ended the search. */
bool run_processes(const char *mark, uint32_t but, heft_recorder_tick_fn fn, void *ctx);
