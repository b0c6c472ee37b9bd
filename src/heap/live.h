/* live.h - the memory of a living process, as an ELF core.
 *
 * Linux, for processes of our own word size.  Each thread is stopped (PTRACE_SEIZE, which leaves no
 * trace in the process), the memory is copied, and the process goes on before anything is written.
 * Nothing runs in the process and nothing in it changes.
 *
 * What the core holds (core(5), gABI "Program Header"):
 *   compact   private pages that the process changed, and the first page of every mapped file: all
 *             that analysis and debuggers need beside the files that are mapped
 *   full      all that can be read
 * Pages of zeros are holes of the file.  What was never touched is a segment without bytes, unless
 * it lies between touched pages.  Notes: NT_PRSTATUS, NT_FPREGSET, NT_PRPSINFO, NT_AUXV,
 * NT_FILE. */
#ifndef HEFT_HEAP_LIVE_H
#define HEFT_HEAP_LIVE_H

#include "base/err.h"

struct live_wish {
	bool full;
	bool stream;    /* write while it stands still: needs little memory */
	bool no_stop;   /* copy while it runs; registers as far as the system tells them */
	unsigned level; /* of zstd, where the path ends in ".zst" */
};

struct live_facts {
	uint64_t bytes;     /* of memory in the core */
	uint64_t file_size; /* as it is on the disk, holes and all */
	uint64_t pause_ns;
	uint64_t buffer;    /* bytes of memory for the copy */
	uint64_t available; /* bytes that could be had for it; UINT64_MAX: not known */
	bool streamed;      /* written while the process stood still */
	uint64_t unread;    /* bytes that could not be read: zeros in the core */
	uint32_t threads;
	/* threads that did not stop in time, in a system call that nothing interrupts */
	uint32_t unstopped;
};

/* Writes the core; the file appears whole or not at all, for its owner only.  `ret` as far as it
 * got. One thread may be at it at a time for a process.  Memory: as much as is copied, if there is
 * that much; else the process stands still until all is written. */
bool live_snapshot(uint32_t pid, const char *path, const struct live_wish *wish,
		   struct live_facts *ret, struct heft_err *err);

#endif
