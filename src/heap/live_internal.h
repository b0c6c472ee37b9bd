/* live_internal.h - the parts of live.c: maps and pages (live_maps.c), stopping and copying
 * (live.c), the file (live_core.c). */
#ifndef HEFT_HEAP_LIVE_INTERNAL_H
#define HEFT_HEAP_LIVE_INTERNAL_H

#include "base/arena.h"
#include "base/vec.h"
#include "heap/live.h"

#include <sys/procfs.h>

enum { LIVE_PAGE = 4096 };

/* A line of /proc/PID/maps (proc(5)). */
struct live_area {
	uint64_t start, end, off;
	bool read, write, exec, shared;
	const char *path; /* "": anonymous */
};

/* A program header: [addr, addr + size), of which the core has all or nothing. */
struct live_piece {
	uint64_t addr, size;
	uint64_t file_off; /* in the core */
	bool kept, read, write, exec;
};

/* Bytes to copy; at most SLICE_MAX.  Between the slices of a kept piece are zeros. */
struct live_slice {
	uint64_t addr, size;
	size_t piece;
};

enum { SLICE_MAX = 4 << 20 };

struct live_thread {
	uint32_t tid;
	bool stopped;
	int signal; /* that was on its way to it, 0: none */
	elf_gregset_t regs;
	elf_fpregset_t fpregs;
	bool has_fpregs;
};

/* The process as it was stopped. */
struct live_who {
	uint32_t pid;
	const struct live_thread *threads;
	size_t thread_count;
};

struct live_plan {
	struct arena arena;
	VEC(struct live_area) areas;
	VEC(struct live_piece) pieces;
	VEC(struct live_slice) slices;
	uint64_t bytes; /* of all slices */
};

/* Reads what is mapped and decides what to copy. */
bool live_plan_make(struct live_plan *p, uint32_t pid, bool full, struct heft_err *err);
void live_plan_release(struct live_plan *p);

/* The bytes of /proc/PID/NAME, and a 0 behind them; the caller frees them.  NULL where that
 * fails. */
char *live_read_file(uint32_t pid, const char *name, size_t *ret_size, struct heft_err *err);

/* Bytes that this process may still take before the system, or a control group above it, has none
 * left. */
uint64_t live_room(void);

/* False where there is no such process, it may not be looked at, or it has not our own word
 * size. */
bool live_check_process(uint32_t pid, struct heft_err *err);
/* Says why something could not be done to a process, by errno; false. */
bool live_denied(uint32_t pid, const char *what, struct heft_err *err);

/* ---- the file -------------------------------------------------------------------------------- */

struct live_out;

/* Opens a file beside `path` and lays out the core: the pieces get their places, headers and notes
 * are written. */
bool live_out_open(struct live_out **ret, const char *path, unsigned level, struct live_plan *p,
		   const struct live_who *who, struct heft_err *err);
/* Slices come in the order of the plan. */
bool live_out_slice(struct live_out *o, const struct live_plan *p, const struct live_slice *s,
		    const uint8_t *data, struct heft_err *err);
/* Puts the file in its place. */
bool live_out_close(struct live_out *o, const struct live_plan *p, uint64_t *ret_size,
		    struct heft_err *err);
/* After a failure: nothing is left. */
void live_out_drop(struct live_out *o);

#endif
