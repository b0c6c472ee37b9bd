/* live.h - writes the memory of a living process as an ELF core. Linux, for processes with our own
 * word size.
 *
 * Stops each thread and copies the memory. PTRACE_SEIZE leaves no trace in the process. The process
 * continues before the file is written. No code runs in the process, and its memory does not
 * change.
 *
 * Contents of the core (core(5), gABI "Program Header"):
 * - compact: private pages that the process changed, and the first page of every mapped file.
 *   Analysis and debuggers need no more than this and the mapped files.
 * - full: all memory that can be read.
 *
 * Pages of zeros are holes of the file. Memory that was never touched is a segment without bytes,
 * unless it lies between touched pages. Notes: NT_PRSTATUS, NT_FPREGSET, NT_PRPSINFO, NT_AUXV,
 * NT_FILE. */
#pragma once

#include "base/err.h"

struct live_wish {
	bool full;
	bool stream;    /* True to write the core while the process is stopped. The stop takes
			 * longer, but heft needs little memory. */
	bool no_stop;   /* True to copy while the process runs. The registers are then from /proc */
	unsigned level; /* Level of zstd, if the path ends in ".zst". */
};

struct live_facts {
	uint64_t bytes;     /* Bytes of memory in the core. */
	uint64_t file_size; /* Bytes that the file takes on the disk. Its holes take none */
	uint64_t pause_ns;
	uint64_t buffer;    /* Bytes of memory used for the copy. */
	uint64_t available; /* Bytes that were available for the copy. UINT64_MAX if unknown. */
	bool streamed;      /* True if the core was written while the process was stopped */
	uint64_t unread;    /* Bytes that could not be read. These bytes are zeros in the core. */
	uint32_t threads;
	/* Threads that did not stop in time, because they were in a system call that cannot be
	 * interrupted. */
	uint32_t unstopped;
};

/* Writes the core. The file appears complete or not at all, readable only by its owner. On
 * failure, *ret has what is known so far. Only one thread at a time may do this for a process.
 * Needs as much memory as is copied. If less is available, the process stays stopped until the
 * file is written. */
bool live_snapshot(uint32_t pid, const char *path, const struct live_wish *wish,
		   struct live_facts *ret, struct heft_err *err);

/* Copies the recorder's pages from a process that keeps running. The result is in the form of a
 * recorder's file, in memory that the caller frees with mem_free(). Only whole entries are copied,
 * but counters may change between the first page and the last. Cost: two tests of each 32 KiB of
 * touched memory, and a copy of the pages. HEFT_EIO if there is no such process (ESRCH) or if it
 * may not be read (EPERM). HEFT_EUNSUPPORTED if it has no recorder. */
bool live_tables(uint32_t pid, uint8_t **ret, size_t *ret_size, struct heft_err *err);
