/* live_internal.h - declares what the files live*.c share. live_maps.c plans what to copy, live.c
 * stops the process and copies its memory, live_core.c writes the core. */
#pragma once

#include "base/arena.h"
#include "base/vec.h"
#include "process/live.h"

#include <sys/procfs.h>

enum { LIVE_PAGE = 4096 };

/* A mapping: a line of /proc/PID/maps (proc(5)). */
struct live_area {
	uint64_t start, end, off;
	bool read, write, exec, shared;
	const char *path; /* Path. "" if anonymous. */
};

/* A program header for [addr, addr + size). The core has all bytes of it or none. */
struct live_piece {
	uint64_t addr, size;
	uint64_t file_off; /* Offset in the core. */
	bool kept, read, write, exec;
};

/* Bytes to copy, at most SLICE_MAX. Between the slices of a piece, the core has zeros. */
struct live_slice {
	uint64_t addr, size;
	size_t piece;
};

enum { SLICE_MAX = 4 << 20 };

struct live_thread {
	uint32_t tid;
	bool stopped;
	int signal; /* Signal that was pending for the thread, or 0 */
	elf_gregset_t regs;
	elf_fpregset_t fpregs;
	bool has_fpregs;
};

/* The process to copy. */
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
	uint64_t bytes; /* Bytes of all slices. */
};

/* Reads the maps of a process and decides which memory to copy. */
bool live_plan_make(struct live_plan *p, uint32_t pid, bool full, struct heft_err *err);
void live_plan_release(struct live_plan *p);

/* Returns the bytes of /proc/PID/NAME with a 0 after them, malloc'ed. NULL on failure. */
char *live_read_file(uint32_t pid, const char *name, size_t *ret_size, struct heft_err *err);

/* Returns how many bytes this process may still allocate, by free memory and its control groups. */
uint64_t live_room(void);

/* Checks that a process exists, may be read, and has our own word size. */
bool live_check_process(uint32_t pid, struct heft_err *err);
/* Sets *err from errno with the text `what`. Always returns false. */
bool live_denied(uint32_t pid, const char *what, struct heft_err *err);

struct live_out;

/* Opens a file in the folder of `path` and lays out the core: gives the pieces their offsets,
 * writes headers and notes. */
bool live_out_open(struct live_out **ret, const char *path, unsigned level, struct live_plan *p,
		   const struct live_who *who, struct heft_err *err);
/* Writes a slice. Slices must come in the order of the plan. */
bool live_out_slice(struct live_out *o, const struct live_plan *p, const struct live_slice *s,
		    const uint8_t *data, struct heft_err *err);
/* Completes the file and renames it to its path. */
bool live_out_close(struct live_out *o, const struct live_plan *p, uint64_t *ret_size,
		    struct heft_err *err);
/* Removes the file after a failure. */
void live_out_drop(struct live_out *o);
