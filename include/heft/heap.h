/* heap.h - part of heft.h: records, dumps and analyses the heaps of processes. */
#ifndef HEFT_H
#include "heft.h" /* heft.h includes this file. */
#elif !defined(HEFT_PART_HEAP_H)
#define HEFT_PART_HEAP_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- running programs under the heap recorder ------------------------------ */

/* Runs a program with libheft-heap.so loaded into it. The library writes its recording to a file
 * when the program ends.
 *
 *     char *argv[] = { "ls", "-l", NULL };
 *     struct heft_recorder *r = heft_recorder_new();
 *     struct heft_recorder_end end = { .size = sizeof end };
 *     struct heft_recorder_file f = { .size = sizeof f };
 *     if (r && heft_recorder_run(r, argv, &end, &err))
 *             for (size_t i = 0; heft_recorder_file(r, i, &f, NULL); i++)
 *                     printf("%s\n", f.path);
 *     heft_recorder_free(r);
 *
 * One thread per handle. Several threads may run programs at once. During a run, its thread blocks
 * the signals that it forwards to the program. If several threads run programs, only one of them
 * forwards a signal. */
struct heft_recorder;

/* Creates a handle. NULL only if memory runs out. Free the handle with heft_recorder_free(), which
 * accepts NULL. */
HEFT_API struct heft_recorder *heft_recorder_new(void);
HEFT_API void heft_recorder_free(struct heft_recorder *r);

/* Settings of a recording. */
enum heft_recorder_setting {
	HEFT_RECORD_DEPTH,  /* Maximal frames per stack; keeps the innermost. 0 for all. */
	HEFT_RECORD_SAMPLE, /* Record one block per this many bytes, at random. 0 for all. */
	/* The settings below are 0 or 1. */
	HEFT_RECORD_WIDE,           /* Store number and thread of each allocation in its block. */
	HEFT_RECORD_CANARY,         /* Add bytes after each block that reveal an overrun. */
	HEFT_RECORD_INLINE,         /* Store call stacks in the blocks themselves. */
	HEFT_RECORD_FRAME_POINTERS, /* Unwind by frame pointers instead of unwind tables. */
	HEFT_RECORD_NO_CHILDREN,    /* Record only the program itself, not its child processes. */
	/* Write cores of the processes at their ends, with all blocks, to find leaks. A process
	 * that ends after heft_recorder_run() has returned leaves only its counters. */
	HEFT_RECORD_MEMORY,
	HEFT_RECORD_SETTINGS, /* Number of settings. */
};

/* Sets an option. Call it before heft_recorder_run(). Options that are not set come from the
 * environment (docs/heap-recorder.md). */
HEFT_API void heft_recorder_set(struct heft_recorder *r, enum heft_recorder_setting what,
				uint64_t value);
/* Sets the path of libheft-heap.so. Needed only if the library is not in the folder of libheft. */
HEFT_API void heft_recorder_set_library(struct heft_recorder *r, const char *path);
/* Sets the names of the files. %p is the process id (".%p" is added if missing), %n the number of
 * the snapshot. Default: "heft-heap.%p". */
HEFT_API void heft_recorder_set_output(struct heft_recorder *r, const char *pattern);
/* Sets the signal on which the program writes a snapshot: "USR2" or a number. */
HEFT_API void heft_recorder_set_signal(struct heft_recorder *r, const char *name);

/* Sets a function that heft_recorder_run() calls every `every_ms` milliseconds during the run, on
 * its thread; 0 means never. `fn` gets the program's process id. Then it gets the id of each living
 * process that the program started, recorded or not (none with HEFT_RECORD_NO_CHILDREN). If it
 * returns false, it is not called again in this run. It must be quick, because no signals are
 * forwarded while it runs. It may use other handles. */
typedef bool (*heft_recorder_tick_fn)(void *ctx, uint32_t pid);
HEFT_API void heft_recorder_set_timer(struct heft_recorder *r, uint64_t every_ms,
				      heft_recorder_tick_fn fn, void *ctx);

/* How the program ended. */
struct heft_recorder_end {
	size_t size; /* Set to sizeof(struct heft_recorder_end). */
	uint32_t pid;
	int status; /* Exit status. 0 if a signal ended the program. */
	int signal; /* Signal that ended the program. 0 if it exited. */
	/* True if the program was recorded but left no file. Either a signal ended it, it exited by
	 * the system call, or an unrecorded program replaced it (exec). */
	bool lost;
	size_t others_lost, others_running; /* Numbers of its child processes that left no file, and
					     * of those that still run. */
};

/* Runs a program and waits for its end. The program is searched in PATH. NULL ends argv. The
 * signals HUP, INT, QUIT, TERM, USR1, USR2 and ALRM are forwarded to it if another process sent
 * them.
 *
 * HEFT_EIO if the program cannot be run (sys_errno: ENOENT, EACCES ...). HEFT_EIO with ECHILD if
 * the exit status is lost: the caller ignores SIGCHLD, or has waited for the program itself.
 * HEFT_EARG if there is no library or no folder for the files. HEFT_EUNSUPPORTED if no library can
 * be loaded into the program: it is statically linked, for another machine, set-user-id or similar.
 * The program does not run then.
 *
 * The call cannot be cancelled; it ends when the program ends. */
HEFT_API bool heft_recorder_run(struct heft_recorder *r, char *const *argv,
				struct heft_recorder_end *ret, struct heft_err *err);

/* A file that was written during the run. */
struct heft_recorder_file {
	size_t size;      /* Set to sizeof(struct heft_recorder_file). */
	const char *path; /* Path. Valid until heft_recorder_free(). */
	uint32_t pid;     /* Id of the process that wrote it. */
	bool empty;       /* No allocation was recorded: the program has its own allocator. */
	bool memory;      /* True if the file is a core with all memory of the process. */
	/* Functions that the program called and whose blocks are not recorded, such as
	 * mi_heap_malloc, separated by spaces. "" if none is known. */
	const char *beside;
};

/* Return the files of the last run, sorted by path. */
HEFT_API size_t heft_recorder_file_count(const struct heft_recorder *r);
HEFT_API bool heft_recorder_file(const struct heft_recorder *r, size_t i,
				 struct heft_recorder_file *ret, struct heft_err *err);

/* ---- dumps of running processes ----------------------------------------- */

/* Options for writing the memory of a process. */
struct heft_dump_opts {
	size_t size;    /* Set to sizeof(struct heft_dump_opts). */
	bool full;      /* Write all readable memory. Otherwise writes only headers and memory
			 * that the program changed. */
	bool no_stop;   /* Do not stop the process. The copied memory may be inconsistent. */
	unsigned level; /* Level of compression, if the file's name ends in .zst. 0 for the
			 * default, 3. */
	/* Write while the process is stopped. Needs little memory, but stops it for longer. */
	bool stream;
};

/* Facts about a dump that was written. */
struct heft_dump_facts {
	size_t size;        /* Set to sizeof(struct heft_dump_facts). */
	uint64_t bytes;     /* Bytes of memory in the file. */
	uint64_t file_size; /* Bytes of the file, without its holes. */
	uint64_t pause_ns;  /* Nanoseconds during which the process was stopped. */
	uint64_t unread;    /* Bytes that could not be read. They are zeros in the file. */
	uint32_t threads;   /* Threads of the process. */
	/* Threads that did not stop, because they wait in the kernel. Their registers are
	 * unknown. */
	uint32_t unstopped;
	uint64_t buffer;    /* Bytes of memory that the copy needed. */
	uint64_t available; /* Bytes that were available for the copy. UINT64_MAX if unknown. */
	bool streamed;      /* True if the core was written while the process was stopped. */
};

/* Writes the memory of a process to an ELF core, which gdb and heft_heap_open() read. The process
 * need not run under the recorder. It is stopped while its memory is copied. If the copy would take
 * too much memory, it is stopped until the file is written. The limit is three quarters of the
 * memory that the system and the control groups have free. The file appears complete or not at all.
 * It is compressed (zstd) if its name ends in ".zst". `opts` and `ret` may be NULL. HEFT_EIO if
 * there is no such process (ESRCH) or if it may not be read (EPERM). */
HEFT_API bool heft_process_dump(uint32_t pid, const char *path, const struct heft_dump_opts *opts,
				struct heft_dump_facts *ret, struct heft_err *err);

/* ---- the heap of a process ------------------------------------------------ */

/* Finds which code holds the memory of a process that ran under the heap recorder
 * (libheft-heap.so). Reads a core, an image of memory, or the recorder's own snapshot file. Needs
 * no debugger.
 *
 *     struct heft_heap *h = heft_heap_new(session);
 *     struct heft_heap_report *r = NULL;
 *     const struct heft_heap_query query = { .size = sizeof query, .rows = 10 };
 *     if (h && heft_heap_open(h, "core", &err))
 *             r = heft_heap_report_new(h, NULL, &query, &err);
 *     if (r)
 *             heft_heap_report_write(r, NULL, &sink, &err);
 *     heft_heap_report_free(r);
 *     heft_heap_free(h);
 *
 * One thread per handle. Opening a dump and making a report start worker threads. */
struct heft_heap;

/* Creates a handle. NULL only if memory runs out. Free the handle with heft_heap_free(), after its
 * reports. heft_heap_free() accepts NULL. */
HEFT_API struct heft_heap *heft_heap_new(struct heft_session *s);
HEFT_API void heft_heap_free(struct heft_heap *h);

/* Call the functions below before heft_heap_open(). */
/* Flags of a heap handle. */
enum heft_heap_flag {
	/* Do not open the files of modules. Frames then have addresses but no names. HEFT_PPROF
	 * writes build ids and addresses relative to the modules' headers, so that another tool can
	 * add names later. */
	HEFT_HEAP_NO_NAMES = 1,
	/* Write the arguments of the command in pages and JSON. They may contain secrets. Without
	 * this flag, pages and JSON have only the program's name. */
	HEFT_HEAP_ARGUMENTS = 2,
};
HEFT_API void heft_heap_set_flags(struct heft_heap *h, unsigned flags);
/* Sets a folder in which names of frames are cached, one file per build id. The folder is created
 * if missing. If the cache has the frames of a module, the module is not opened. The cache has a
 * maximal size, and several processes may use it at once. A folder that other users can write to is
 * not used. Empty the folder after adding debug info. */
HEFT_API void heft_heap_set_name_cache(struct heft_heap *h, const char *dir);
/* Opens a dump, once per handle. For a dump without the recorder's data, knows only the
 * mappings. */
HEFT_API bool heft_heap_open(struct heft_heap *h, const char *path, struct heft_err *err);
/* Opens a process that runs under the recorder, by copying the recorder's tables. The process is
 * not stopped, so counters may change during the copy. The blocks are unknown, as in a file of the
 * recorder. HEFT_EIO if there is no such process (ESRCH) or if it may not be read (EPERM).
 * HEFT_EUNSUPPORTED if it has no recorder, or one that keeps stacks in blocks. */
HEFT_API bool heft_heap_open_process(struct heft_heap *h, uint32_t pid, struct heft_err *err);

/* What the bytes of the heap's memory are used for. */
enum heft_heap_part {
	HEFT_HEAP_BLOCKS,     /* Bytes that the program asked for. */
	HEFT_HEAP_HEADERS,    /* Headers of the recorder, before blocks. */
	HEFT_HEAP_OVERHEAD,   /* Overhead of the allocator: its own headers, rounding up. */
	HEFT_HEAP_FREE,       /* Free bytes: freed, or never allocated. */
	HEFT_HEAP_UNRECORDED, /* Bytes in use by blocks that were not recorded. */
	HEFT_HEAP_RECORDER,   /* Pages of the recorder. */
	HEFT_HEAP_OTHER,      /* Bytes whose use is unknown. */
	HEFT_HEAP_PARTS,
};

/* Facts about a heap. Unknown texts are "", unknown numbers 0. Texts are valid until
 * heft_heap_free(). Times are nanoseconds since the start of the process. */
struct heft_heap_info {
	size_t size; /* Set to sizeof(struct heft_heap_info). */
	const char *path;
	const char *kind; /* Kind of the dump: "core", "raw image", "tables of the recorder". */
	const char *command;
	uint32_t pid;
	unsigned word; /* Bytes of a machine word. */
	bool big_endian;
	int signal;
	bool has_fault;
	uint64_t fault_addr;
	uint64_t mapped, present; /* Bytes of mapped memory, and bytes of it in the dump. */
	uint64_t missing;         /* Bytes missing at the end of the file. */
	bool recorded;            /* The recorder's pages are in the dump. */
	bool counted;             /* The recorder counted what each stack allocated and freed. */
	bool inline_stacks, wide, canaries;
	uint64_t sample; /* Bytes per recorded block, on average. 0 if all were recorded. */
	uint32_t depth;  /* Limit of frames of a stack. 0 for no limit. */
	uint64_t live_bytes, live, peak_bytes, alloc_bytes, allocs, temporary;
	uint64_t block_bytes, blocks; /* Live blocks with a header in the dump: bytes, number. */
	uint64_t freed_blocks;        /* Number of freed blocks whose headers still exist. */
	uint64_t started;             /* Start of the process, nanoseconds since 1970. */
	uint64_t peak_at, taken_at;
	uint64_t stacks, threads;
	uint64_t lost;           /* Allocations without a stack, because the tables were full. */
	uint64_t unrecorded;     /* Unrecorded allocations, in signal handlers that ran inside
				  * the recorder. */
	uint64_t double_frees;   /* Double frees that the recorder detected. */
	uint64_t recorder_bytes; /* Bytes of the recorder's tables. */
	uint64_t pinned_pages, pinned_bytes; /* Pages with less than a quarter in use: their
					      * number and their free bytes. */
	/* The numbers down to broken_chains are for a process that was not recorded and uses
	 * glibc's malloc. Its blocks are the allocator's chunks in use, without stacks; their sizes
	 * are the usable bytes. 0 in other dumps. */
	uint64_t arenas; /* Number of heaps. */
	uint64_t own_mappings,
		own_mapping_bytes;        /* Blocks in mappings of their own: number and bytes. */
	uint64_t cached, cached_bytes;    /* Freed chunks that are cached for the next allocation
					   * of their size. */
	uint64_t free_chunks, free_bytes; /* Freed chunks, except those at the ends of heaps. */
	uint64_t top_bytes;               /* Unallocated bytes at the ends of heaps. */
	uint64_t broken_chains;           /* Number of places where a list of chunks is damaged. */
	/* Functions that the program called and whose blocks are not recorded, such as
	 * mi_heap_malloc, separated by spaces. "" if none is known. */
	const char *beside;
	/* True if `live` and `live_bytes` are exact. If false, more blocks may be live, and
	 * `unknown` says why. */
	bool live_known;
	const char *unknown;
	/* Why the dump lacks memory that the program may have written. `left_out` is the number of
	 * bytes that the writer of the dump omitted. `missing` bytes are lost at its end. */
	const char *lacks;
	uint64_t left_out;
	/* Allocators whose memory heft cannot read, separated by ", ". Without a recording: all
	 * such allocators in the process. Otherwise only allocators inside modules, which bypass
	 * the recorder. */
	const char *allocators;
};
/* Fills *ret. All texts are "" and numbers 0 before heft_heap_open(). */
HEFT_API bool heft_heap_info(const struct heft_heap *h, struct heft_heap_info *ret,
			     struct heft_err *err);
/* Returns the bytes of one part of the heap's memory. 0 if the dump has no blocks. */
HEFT_API uint64_t heft_heap_part_bytes(const struct heft_heap *h, enum heft_heap_part part);

/* A program or library of the process. */
struct heft_heap_module {
	size_t size;          /* Set to sizeof(struct heft_heap_module). */
	const char *path;     /* Path that the process used. */
	const char *build_id; /* Build id in hexadecimal. "" if unknown. */
	uint64_t frames;      /* Number of frames of call stacks in this module. A function
			       * counts once per caller. */
};
/* Return the number of modules, and module `i`. Texts are valid until heft_heap_free. */
HEFT_API size_t heft_heap_module_count(const struct heft_heap *h);
HEFT_API bool heft_heap_module(struct heft_heap *h, size_t i, struct heft_heap_module *ret,
			       struct heft_err *err);

/* The number of live bytes at one time. */
struct heft_heap_moment {
	size_t size;         /* Set to sizeof(struct heft_heap_moment). */
	uint64_t at;         /* Nanoseconds since the start of the process. */
	uint64_t live_bytes; /* Live bytes at that time. */
	uint64_t peak_bytes; /* Largest number of live bytes since the previous moment. */
};
/* Return the moments, sorted by time. There are none without a recording. */
HEFT_API size_t heft_heap_moment_count(const struct heft_heap *h);
HEFT_API bool heft_heap_moment(const struct heft_heap *h, size_t i, struct heft_heap_moment *ret,
			       struct heft_err *err);

/* Measures of a report. Bytes are the bytes that the program asked for. If the recorder took
 * samples, all measures are estimates. PEAK measures the time with the most live bytes. */
enum heft_heap_measure {
	HEFT_HEAP_LIVE_BYTES,
	HEFT_HEAP_LIVE, /* Number of blocks. */
	HEFT_HEAP_PEAK_BYTES,
	HEFT_HEAP_PEAK, /* Number of blocks. */
	HEFT_HEAP_ALLOC_BYTES,
	HEFT_HEAP_ALLOCS,
	HEFT_HEAP_TEMPORARY, /* Allocations freed before the next allocation of their thread. */
	/* Only for rows by function, module, file and line: the measure that sorts the rows,
	 * including all callees. */
	HEFT_HEAP_WITH_CALLEES,
};

/* Groups of the rows. The function, file, line and module of a block are those of the innermost
 * frame outside of allocators (docs/json.md lists these). So the rows add up to all blocks. */
enum heft_heap_by {
	HEFT_HEAP_BY_STACK,
	HEFT_HEAP_BY_TREE,    /* Functions from the outermost one down to their callees. */
	HEFT_HEAP_BY_CALLERS, /* Functions that allocated, with their callers. */
	HEFT_HEAP_BY_FUNCTION,
	HEFT_HEAP_BY_MODULE,
	HEFT_HEAP_BY_FILE,
	HEFT_HEAP_BY_LINE,
	HEFT_HEAP_BY_THREAD, /* Thread that allocated. */
	HEFT_HEAP_BY_SIZE,   /* Size of blocks, in powers of two. Only live blocks. */
	HEFT_HEAP_BY_AGE,    /* Number of later allocations, in powers of ten. Only live blocks. */
};

/* Options of a report. */
struct heft_heap_query {
	size_t size; /* Set to sizeof(struct heft_heap_query). */
	enum heft_heap_by by;
	enum heft_heap_measure sort; /* Measure that sorts the rows. Rows by size and age keep
				      * their own order. */
	enum heft_sort order;        /* HEFT_SORT_AUTO: largest first; in a diff, by change. */
	uint32_t rows;               /* Limit of rows per level. One row sums up the rows over
				      * the limit. 0 for all. */
	/* Filters; a block must pass all. function, module, file: PCRE2 expressions, unanchored,
	 * that one frame of the stack must match (NULL for any). thread: thread id (0 for any).
	 * min_size, max_size: sizes of blocks in bytes, inclusive (max 0 for any). leaks: only
	 * blocks that no pointer refers to. */
	const char *function, *module, *file;
	/* Expression for functions that allocate for their callers, in addition to the known ones.
	 * The frames of such functions are omitted at the inner end. NULL: none. */
	const char *helpers;
	uint32_t thread;
	uint64_t min_size, max_size;
	bool leaks;
	bool all_frames; /* Show frames of helpers too: omit only those of the allocator. */
	bool unchanged;  /* In a diff: also rows without a change. */
};

struct heft_heap_report;
/* Creates a report. If `base` is not NULL, the report is a diff from `base` to `h`. Two stacks are
 * the same if their frames have the same module, function and line. The line is ignored if the
 * builds of the module differ. NULL on failure: HEFT_EARG for a bad expression, HEFT_EUNSUPPORTED
 * if the dump lacks necessary data. The error's text says which. `query` may be NULL. */
HEFT_API struct heft_heap_report *heft_heap_report_new(struct heft_heap *h, struct heft_heap *base,
						       const struct heft_heap_query *query,
						       struct heft_err *err);
HEFT_API void heft_heap_report_free(struct heft_heap_report *r);
/* Returns the rows. They have the measures of enum heft_heap_measure, and the texts "module",
 * "file" and "line" if known. Reports of leaks have the text "reach". It is "lost" if nothing
 * points to the blocks, "indirect" if only lost blocks do. The top row sums up all blocks that pass
 * the filters. Valid until heft_heap_report_free(). */
HEFT_API const struct heft_table *heft_heap_report_table(const struct heft_heap_report *r);
/* Return the frames of a row that is a stack (HEFT_HEAP_BY_STACK), innermost first, without the
 * allocator's own innermost frames. Other rows have none. Valid until heft_heap_report_free(). */
HEFT_API size_t heft_heap_report_frame_count(const struct heft_heap_report *r,
					     const struct heft_row *row);
HEFT_API const struct heft_frame *heft_heap_report_frame(const struct heft_heap_report *r,
							 const struct heft_row *row, size_t i);

/* Writes a report. The formats of stacks (FOLDED, PPROF) contain all blocks that pass the
 * filters. PPROF describes one profile; a diff fails with HEFT_EARG. `opts` may be NULL: 8
 * frames per stack. */
HEFT_API bool heft_heap_report_write(const struct heft_heap_report *r,
				     const struct heft_write_opts *opts,
				     const struct heft_sink *sink, struct heft_err *err);

/* What to write about a heap apart from its rows, as a table or JSON. The timeline also as
 * HEFT_SVG. */
enum heft_heap_page {
	HEFT_HEAP_TIMELINE, /* Live bytes over time. */
	HEFT_HEAP_LAYOUT,   /* What the bytes of its memory are used for. */
	HEFT_HEAP_CHECK,    /* Damage of the heap, with the blocks that may have caused it. */
	HEFT_HEAP_STACKS,   /* Stacks of all threads. For cores of x86-64 and AArch64. */
};
HEFT_API bool heft_heap_write(struct heft_heap *h, enum heft_heap_page page,
			      enum heft_format format, const struct heft_sink *sink,
			      struct heft_err *err);

/* Writes a summary of a heap as one line of JSON (docs/json.md), to compare many heaps. It has sums
 * of live, leaked, fragmented and damaged memory, the stacks that hold most with their hashes, and
 * a signature of these stacks. It contains no bytes of memory, no arguments of the command, and
 * only addresses in modules. */
HEFT_API bool heft_heap_digest_write(struct heft_heap *h, const struct heft_sink *sink,
				     struct heft_err *err);

/* A block. The block and its frames are valid until the next call that returns blocks. */
struct heft_heap_block {
	uint64_t addr, size;
	uint64_t sequence; /* Number of the allocation in the process. 0 if not recorded. */
	uint32_t thread;   /* Thread that allocated it. 0 if not recorded. */
	bool freed;
	const struct heft_frame *const *frames; /* Frames, innermost first. */
	size_t frame_count;
	/* Call that freed it, with its inlined functions, innermost first. 0 frames if unknown. */
	const struct heft_frame *const *freed_by;
	size_t freed_by_count;
};

/* Kind of place at an address of a process. */
enum heft_heap_state {
	HEFT_HEAP_NOWHERE, /* Not mapped. */
	HEFT_HEAP_MAPPED,  /* Memory outside of the heap. */
	HEFT_HEAP_STACK,   /* Stack of a thread. */
	HEFT_HEAP_IN_LIVE,
	HEFT_HEAP_IN_HEADER, /* Header of a live block. */
	HEFT_HEAP_IN_FREED,
	HEFT_HEAP_BETWEEN, /* Memory of the heap outside of blocks. */
};

/* The place at an address of the process. Pointers are valid until the next call that returns
 * blocks, texts until heft_heap_free(). */
struct heft_heap_place {
	size_t size; /* Set to sizeof(struct heft_heap_place). */
	uint64_t addr;
	enum heft_heap_state state;
	enum heft_heap_part part;             /* Use of the bytes at the address, for BETWEEN. */
	const struct heft_heap_block *block;  /* The block, for IN_... NULL for others. */
	const struct heft_heap_block *before; /* Live block before the address, for IN_... and
					       * BETWEEN. NULL if there is none. */
	const struct heft_heap_block *after;  /* Live block after the address. NULL if none. */
	uint64_t map_start, map_size;         /* Start and bytes of the mapping. 0 if none. */
	bool read, write, exec;
	/* Name of the mapping: the path of a file, "[heap]", "[stack of thread 12]", "[unused stack
	 * of thread 12]", "[bss of PATH]", "[anonymous]", "[reserved]" (no access). */
	const char *map_name;
	const char *module;   /* Path of the program or library of the mapping. "" if none. */
	uint64_t module_addr; /* Address in the module, as in its headers. */
	const char *symbol;   /* Symbol at the address. "" if unknown. */
	uint64_t symbol_offset;
	uint32_t thread;   /* Thread of the stack, for STACK. */
	const void *bytes; /* Bytes of the block, or at the address. NULL if not in the dump. */
	uint64_t bytes_addr;
	size_t byte_count; /* Number of `bytes`, at most 64. */
	/* True if the dump lacks the memory at the address although the program may have written
	 * it. Missing facts then prove nothing. */
	bool lacking;
};
/* Looks up an address and fills *ret. HEFT_ENOTFOUND if it is not mapped. If the call fails, the
 * state is HEFT_HEAP_NOWHERE. */
HEFT_API bool heft_heap_at(struct heft_heap *h, uint64_t addr, struct heft_heap_place *ret,
			   struct heft_err *err);
/* Writes a place. HEFT_TABLE: readable lines. HEFT_JSON: one object on one line. */
HEFT_API bool heft_heap_place_write(const struct heft_heap_place *at, enum heft_format format,
				    const struct heft_sink *sink, struct heft_err *err);

/* Kinds of damage, and of wrong calls. */
enum heft_heap_damage_kind {
	HEFT_HEAP_CANARY,      /* `block` was written past its end. */
	HEFT_HEAP_HEADER,      /* A header was overwritten. `block` is before it. */
	HEFT_HEAP_CHUNK,       /* The allocator's data after `block` was overwritten. */
	HEFT_HEAP_DOUBLE_FREE, /* `block`, if known, was freed again `count` times. */
	/* `block`, or `count` unknown blocks, had been written past their end when freed. */
	HEFT_HEAP_CANARY_FREED,
	HEFT_HEAP_FAULT,         /* The faulting address is near `block`. */
	HEFT_HEAP_FREED_USE,     /* The faulting address lies in `block`, a freed block. */
	HEFT_HEAP_FREED_POINTER, /* A register of the thread that stopped points into `block`, a
				  * freed block. */
	/* The program freed an address that is not a block. `block` is the block that contains the
	 * address, if any. */
	HEFT_HEAP_WILD_FREE,
	/* The allocator ended the program in a call of free() for `block`, or in an allocation. No
	 * other damage was found. `said` may say why. If `block` is not freed, it was passed to the
	 * C library's own free or realloc instead of the recorder's. */
	HEFT_HEAP_ALLOCATOR,
	/* The freed block at `addr` was written to, which breaks the list of freed blocks. */
	HEFT_HEAP_FREED_WRITTEN,
};
/* A result of heft_heap_find_damage(). Blocks are valid until the next call that returns blocks. */
struct heft_heap_damage {
	size_t size; /* Set to sizeof(struct heft_heap_damage). */
	enum heft_heap_damage_kind kind;
	uint64_t addr;    /* Address of the damage. 0 if there is none. */
	uint64_t count;   /* Number of blocks or bytes. 0 if nothing is counted. */
	int64_t distance; /* FAULT: bytes from the block's end (>= 0) or start (< 0). 0 inside. */
	const struct heft_heap_block *block; /* Block that the kind describes. NULL if unknown. */
	/* Block whose header or bytes were overwritten. NULL if unknown. */
	const struct heft_heap_block *victim;
	/* DOUBLE_FREE: the call that freed `block` again. WILD_FREE, ALLOCATOR: the last call that
	 * freed. Innermost frame first; 0 frames if unknown. */
	const struct heft_frame *const *again_by;
	size_t again_by_count;
	/* WILD_FREE: mapping at `addr`, if no block contains it. "" if nothing is mapped. */
	const char *place;
	/* DOUBLE_FREE, WILD_FREE, ALLOCATOR: the message of the C library when it ended the
	 * program. "" if there is none. */
	const char *said;
};
/* Searches for damage. Further calls give the same result. *ret_count is the number of damages,
 * which heft_heap_damage() returns. */
HEFT_API bool heft_heap_find_damage(struct heft_heap *h, size_t *ret_count, struct heft_err *err);
HEFT_API bool heft_heap_damage(struct heft_heap *h, size_t i, struct heft_heap_damage *ret,
			       struct heft_err *err);

#ifdef __cplusplus
}
#endif
#endif
