/* heap.h - part of heft.h: records, snapshots and analyses the heap of processes. */
#ifndef HEFT_H
#include "heft.h" /* heft.h includes this file. */
#elif !defined(HEFT_PART_HEAP_H)
#define HEFT_PART_HEAP_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- running programs under the heap recorder ------------------------------ */

/* A run of a program with libheft-heap.so loaded into it. The library writes its recording to a
 * file when the program ends.
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
 * the signals that it hands on to the program. If several threads run programs, one of them hands a
 * signal on. */
struct heft_recorder;

/* Makes a handle. NULL only if memory runs out. Free the handle with heft_recorder_free(), which
 * accepts NULL. */
HEFT_API struct heft_recorder *heft_recorder_new(void);
HEFT_API void heft_recorder_free(struct heft_recorder *r);

/* Settings of a recording. */
enum heft_recorder_setting {
	HEFT_RECORD_DEPTH,  /* Limit of frames per stack, the innermost. 0 for all. */
	HEFT_RECORD_SAMPLE, /* Record one block in so many bytes, at random. 0 for all blocks. */
	/* The settings below are 0 or 1. */
	HEFT_RECORD_WIDE,           /* Store number and thread of every allocation in its block. */
	HEFT_RECORD_CANARY,         /* Add bytes after every block that show an overrun. */
	HEFT_RECORD_INLINE,         /* Store call stacks in the blocks themselves. */
	HEFT_RECORD_FRAME_POINTERS, /* Unwind by frame pointers instead of unwind tables. */
	HEFT_RECORD_NO_CHILDREN,    /* Record only the program itself, not the processes that it
				     * starts. */
	/* Write cores of the processes at their ends, with all blocks, to find leaks. A process
	 * that ends after the call returned still leaves only its counters. */
	HEFT_RECORD_MEMORY,
	HEFT_RECORD_SETTINGS, /* How many there are. */
};

/* Sets an option. Call it before heft_recorder_run(). Options that are not set follow the
 * environment (docs/heap-recorder.md). */
HEFT_API void heft_recorder_set(struct heft_recorder *r, enum heft_recorder_setting what,
				uint64_t value);
/* Sets the path of libheft-heap.so. Needed only if the library is not beside libheft. */
HEFT_API void heft_recorder_set_library(struct heft_recorder *r, const char *path);
/* Sets the names of the files. %p is the process id (".%p" is added if missing), %n the number of
 * the snapshot. Default: "heft-heap.%p". */
HEFT_API void heft_recorder_set_output(struct heft_recorder *r, const char *pattern);
/* Sets the signal that makes the program write a snapshot: "USR2" or a number. */
HEFT_API void heft_recorder_set_signal(struct heft_recorder *r, const char *name);

/* Sets a function that heft_recorder_run calls every `every_ms` milliseconds while the program
 * runs, on its thread; 0 means never. `fn` gets the program's process id, then the id of each
 * living process that the program has started, recorded or not (none with HEFT_RECORD_NO_CHILDREN).
 * It returns false to be called no more in this run. Signals are not handed on meanwhile, so it
 * should be quick. It may use other handles. */
typedef bool (*heft_recorder_tick_fn)(void *ctx, uint32_t pid);
HEFT_API void heft_recorder_set_timer(struct heft_recorder *r, uint64_t every_ms,
				      heft_recorder_tick_fn fn, void *ctx);

/* How the program ended. */
struct heft_recorder_end {
	size_t size; /* Set to sizeof(struct heft_recorder_end). */
	uint32_t pid;
	int status; /* Exit status. 0 if a signal ended the program. */
	int signal; /* Signal that ended the program. 0 if it exited. */
	/* The program was recorded but left no file. Either a signal ended it, or it exited by the
	 * system call and not by exit(). Or a program that was not recorded replaced it (exec). */
	bool lost;
	size_t others_lost, others_running; /* Number of its processes that were lost this way,
					     * and of those that still run. */
};

/* Runs a program and waits for its end. The program is searched in PATH; argv ends with NULL. HUP,
 * INT, QUIT, TERM, USR1, USR2 and ALRM are forwarded to it if another process sent them.
 *
 * HEFT_EIO if the program cannot be run (sys_errno: ENOENT, EACCES ...). HEFT_EIO with ECHILD if
 * the caller ignores SIGCHLD or has waited for the program itself, so its status is lost. HEFT_EARG
 * if there is no library or no folder for the files. HEFT_EUNSUPPORTED, before the program is run,
 * if the system would not load a library into it. That is so if the program is statically linked,
 * for another machine, or set-user-id or similar.
 *
 * The call cannot be cancelled; it ends when the program ends. */
HEFT_API bool heft_recorder_run(struct heft_recorder *r, char *const *argv,
				struct heft_recorder_end *ret, struct heft_err *err);

/* A file that was written during the run. */
struct heft_recorder_file {
	size_t size;      /* Set to sizeof(struct heft_recorder_file). */
	const char *path; /* Path. Valid until heft_recorder_free(). */
	uint32_t pid;     /* Process that wrote it. */
	bool empty;       /* No allocation was recorded: the program has its own allocator. */
	bool memory;      /* The file is a core: all memory was kept. */
	/* Functions of an allocator that the program calls and whose blocks are not recorded,
	 * separated by spaces. "" if none is known. */
	const char *beside;
};

/* Return the files of the last run, by path. */
HEFT_API size_t heft_recorder_file_count(const struct heft_recorder *r);
HEFT_API bool heft_recorder_file(const struct heft_recorder *r, size_t i,
				 struct heft_recorder_file *ret, struct heft_err *err);

/* ---- dumps of living processes ------------------------------------------ */

/* Options for writing the memory of a process. */
struct heft_dump_opts {
	size_t size;    /* sizeof(struct heft_dump_opts) */
	bool full;      /* Write all memory that can be read. Else only memory that the program
		       * changed, and headers. */
	bool no_stop;   /* Do not stop the process. The copied memory may be inconsistent. */
	unsigned level; /* Level of compression, if the file's name ends in .zst. 0 for the
			 * default, 3. */
	/* Write while the process is stopped. Needs little memory, but a longer stop. */
	bool stream;
};

/* Facts about a dump that was written. */
struct heft_dump_facts {
	size_t size;        /* sizeof(struct heft_dump_facts) */
	uint64_t bytes;     /* Bytes of memory in the file. */
	uint64_t file_size; /* Bytes of the file, without its holes. */
	uint64_t pause_ns;  /* Nanoseconds during which the process was stopped. */
	uint64_t unread;    /* Bytes that could not be read. These bytes are zeros in the file. */
	uint32_t threads;   /* Threads of the process. */
	/* Threads that did not stop because they wait in the kernel. Their registers are
	 * unknown. */
	uint32_t unstopped;
	uint64_t buffer;    /* Bytes of memory that the copy took. */
	uint64_t available; /* Bytes that were available for the copy. UINT64_MAX if unknown. */
	bool streamed;      /* The core was written while the process was stopped. */
};

/* Writes the memory of a process to an ELF core. gdb and heft_heap_open() can read the core. The
 * process need not run under the recorder. It is stopped only while its memory is copied. The
 * process stays stopped while the file is written if a copy would take too much memory. The limit
 * is three quarters of what the system and the control groups leave. The file appears complete or
 * not at all. It is compressed (zstd) if its name ends in ".zst". `opts` and `ret` may be NULL.
 * HEFT_EIO if there is no such process (ESRCH) or if it may not be read (EPERM). */
HEFT_API bool heft_process_dump(uint32_t pid, const char *path, const struct heft_dump_opts *opts,
				struct heft_dump_facts *ret, struct heft_err *err);

/* ---- the heap of a process ------------------------------------------------ */

/* Who holds the memory of a process that ran under the heap recorder (libheft-heap.so). It is read
 * from a core, an image of memory, or the recorder's own snapshot file, without a debugger.
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
 * One thread per handle. Opening and reports start workers of their own. */
struct heft_heap;

/* Makes a handle. NULL only if memory runs out. Free the handle with heft_heap_free(), after its
 * reports. heft_heap_free() accepts NULL. */
HEFT_API struct heft_heap *heft_heap_new(struct heft_session *s);
HEFT_API void heft_heap_free(struct heft_heap *h);

/* The settings below must be made before heft_heap_open(). */
/* Flags of a heap handle. */
enum heft_heap_flag {
	/* Open no file of a module. Frames then have addresses but no names. HEFT_PPROF writes the
	 * addresses relative to the modules' headers, with build ids, so that another tool can name
	 * them later. */
	HEFT_HEAP_NO_NAMES = 1,
	/* Write the arguments of the command in pages and JSON. The arguments may be secrets.
	 * Without this flag, pages and JSON have only the program's name. */
	HEFT_HEAP_ARGUMENTS = 2,
};
HEFT_API void heft_heap_set_flags(struct heft_heap *h, unsigned flags);
/* Sets a folder in which names of frames are cached, one file per build id. The folder is created
 * if missing. A module whose frames were named before is not opened: its symbols and debug info are
 * not read again. The cache is bounded, and any number of processes may use it at once. A folder
 * that other users can write to is not used. Empty the folder if debug info was added later. */
HEFT_API void heft_heap_set_name_cache(struct heft_heap *h, const char *dir);
/* Opens a dump, once per handle. A dump without records of the recorder can be opened, too; then
 * only its mappings are known. */
HEFT_API bool heft_heap_open(struct heft_heap *h, const char *path, struct heft_err *err);
/* Opens a process that runs under the recorder: copies the recorder's tables. The process is not
 * stopped, so counters may change during the copy. Blocks are unknown, as with a file of the
 * recorder. HEFT_EIO if there is no such process (ESRCH) or if it may not be read (EPERM).
 * HEFT_EUNSUPPORTED if it has no recorder, or one that keeps stacks in blocks. */
HEFT_API bool heft_heap_open_process(struct heft_heap *h, uint32_t pid, struct heft_err *err);

/* Uses of the bytes of the heap's memory. */
enum heft_heap_part {
	HEFT_HEAP_BLOCKS,     /* Bytes that the program asked for. */
	HEFT_HEAP_HEADERS,    /* Headers of the recorder, before blocks. */
	HEFT_HEAP_OVERHEAD,   /* Overhead of the allocator: its own headers, rounding up. */
	HEFT_HEAP_FREE,       /* Bytes that were freed, or never handed out. */
	HEFT_HEAP_UNRECORDED, /* Bytes in use that were not recorded. */
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
	uint64_t missing;         /* Bytes that the file lost at its end. */
	bool recorded;            /* The recorder's pages are present. */
	bool counted;             /* The recorder counted what each stack allocated and freed. */
	bool inline_stacks, wide, canaries;
	uint64_t sample; /* One block in so many bytes was recorded. 0 if all were. */
	uint32_t depth;  /* Limit of frames of a stack. 0 for no limit. */
	uint64_t live_bytes, live, peak_bytes, alloc_bytes, allocs, temporary;
	uint64_t block_bytes, blocks; /* Live blocks whose header is in the dump. */
	uint64_t freed_blocks;        /* Freed blocks whose header is still there. */
	uint64_t started;             /* Start of the process, nanoseconds since 1970. */
	uint64_t peak_at, taken_at;
	uint64_t stacks, threads;
	uint64_t lost;           /* Allocations without a stack, because the tables were full. */
	uint64_t unrecorded;     /* Allocations made while the recorder was active. */
	uint64_t double_frees;   /* Double frees that were seen and not done. */
	uint64_t recorder_bytes; /* Bytes of the recorder's tables. */
	uint64_t pinned_pages, pinned_bytes; /* Pages of which less than a quarter is used, and
					      * their free bytes. */
	/* The numbers until broken_chains are for a process that was not recorded and uses glibc's
	 * malloc. Its blocks are the allocator's chunks in use, without stacks; sizes are what the
	 * program could use. 0 in other dumps. */
	uint64_t arenas; /* Number of heaps. */
	uint64_t own_mappings,
		own_mapping_bytes;        /* Blocks whose chunks are mapped by themselves. */
	uint64_t cached, cached_bytes;    /* Freed chunks, kept for the next allocation of their
					   * size. */
	uint64_t free_chunks, free_bytes; /* Freed chunks, without the ends of heaps. */
	uint64_t top_bytes;               /* Bytes at the ends of heaps that are not handed out. */
	uint64_t broken_chains;           /* Places at which a chain of chunks breaks. */
	/* Functions of an allocator that the program calls and whose blocks are not recorded, such
	 * as mi_heap_malloc, separated by spaces. "" if none is known. */
	const char *beside;
	/* True if live and live_bytes are exact. If false, they are what was found, and `unknown`
	 * says why there may be more. */
	bool live_known;
	const char *unknown;
	/* Why memory that the program may have written is missing from the dump. `left_out` is the
	 * number of its bytes that were left out when the dump was written; `missing` has those
	 * lost at its end. */
	const char *lacks;
	uint64_t left_out;
	/* Allocators whose memory heft cannot read, separated by ", ". If nothing was recorded: all
	 * allocators in the process. Else only the allocators inside modules. These allocators
	 * bypass the recorder. */
	const char *allocators;
};
/* Fills *ret. All "" and 0 before heft_heap_open(). */
HEFT_API bool heft_heap_info(const struct heft_heap *h, struct heft_heap_info *ret,
			     struct heft_err *err);
/* Returns the bytes of one part of the heap's memory. 0 for all parts if the dump has no blocks. */
HEFT_API uint64_t heft_heap_part_bytes(const struct heft_heap *h, enum heft_heap_part part);

/* A program or library of the process. */
struct heft_heap_module {
	size_t size;          /* Set to sizeof(struct heft_heap_module). */
	const char *path;     /* Path that the process used. */
	const char *build_id; /* Build id in hexadecimal. "" if unknown. */
	uint64_t frames;      /* Frames of the call stacks in this module. A frame counts once
			       * per caller. */
};
/* Return the number of modules, and module `i`. Texts are valid until heft_heap_free. */
HEFT_API size_t heft_heap_module_count(const struct heft_heap *h);
HEFT_API bool heft_heap_module(struct heft_heap *h, size_t i, struct heft_heap_module *ret,
			       struct heft_err *err);

/* Live bytes at one time. */
struct heft_heap_moment {
	size_t size;         /* Set to sizeof(struct heft_heap_moment). */
	uint64_t at;         /* Nanoseconds since the start of the process. */
	uint64_t live_bytes; /* Live bytes at that time. */
	uint64_t peak_bytes; /* Greatest number of live bytes since the moment before. */
};
/* Return moments by time. There are none if nothing was recorded. */
HEFT_API size_t heft_heap_moment_count(const struct heft_heap *h);
HEFT_API bool heft_heap_moment(const struct heft_heap *h, size_t i, struct heft_heap_moment *ret,
			       struct heft_err *err);

/* Measures of a report. Bytes are the bytes asked for. If the recorder took samples, all are
 * estimates. PEAK is what was live when the process held most. */
enum heft_heap_measure {
	HEFT_HEAP_LIVE_BYTES,
	HEFT_HEAP_LIVE, /* Number of blocks. */
	HEFT_HEAP_PEAK_BYTES,
	HEFT_HEAP_PEAK, /* Number of blocks. */
	HEFT_HEAP_ALLOC_BYTES,
	HEFT_HEAP_ALLOCS,
	HEFT_HEAP_TEMPORARY, /* Allocations freed before their thread's next allocation. */
	/* Only for rows by function, module, file and line: the measure that sorts the rows, with
	 * all callees. */
	HEFT_HEAP_WITH_CALLEES,
};

/* What a row of a report is. The function, file, line and module of a block are those of the
 * innermost frame outside of allocators (docs/json.md lists them). So sums over the rows are the
 * sums of all blocks. */
enum heft_heap_by {
	HEFT_HEAP_BY_STACK,
	HEFT_HEAP_BY_TREE,    /* Functions from the outermost on, with their callees. */
	HEFT_HEAP_BY_CALLERS, /* Functions that allocated, with their callers. */
	HEFT_HEAP_BY_FUNCTION,
	HEFT_HEAP_BY_MODULE,
	HEFT_HEAP_BY_FILE,
	HEFT_HEAP_BY_LINE,
	HEFT_HEAP_BY_THREAD, /* Thread that allocated. */
	HEFT_HEAP_BY_SIZE,   /* Size of blocks, in powers of two. Only live blocks. */
	HEFT_HEAP_BY_AGE,    /* Number of allocations since, in powers of ten. Only live blocks. */
};

/* Options of a report. */
struct heft_heap_query {
	size_t size; /* Set to sizeof(struct heft_heap_query). */
	enum heft_heap_by by;
	enum heft_heap_measure sort; /* Measure that sorts the rows. Rows by size and age keep
				      * their own order. */
	enum heft_sort order;        /* HEFT_SORT_AUTO: largest first; in a diff, largest change
				      * first. */
	uint32_t rows;               /* Limit of rows per level. Further rows are summed up in one
				      * row. 0 for all. */
	/* Filters; a block must pass all. function, module, file: PCRE2 expressions, unanchored,
	 * that one frame of the stack must match (NULL for any). thread: thread id (0 for any).
	 * min_size, max_size: sizes of blocks, inclusive (max 0 for any). leaks: only blocks to
	 * which no pointer leads. */
	const char *function, *module, *file;
	/* Expression for functions that allocate for their callers, in addition to the known ones.
	 * Such frames are left out at the inner end. NULL: none. */
	const char *helpers;
	uint32_t thread;
	uint64_t min_size, max_size;
	bool leaks;
	bool all_frames; /* Leave out only the allocator's own frames. */
	bool unchanged;  /* In a diff: also rows without a change. */
};

struct heft_heap_report;
/* Makes a report. If `base` is not NULL, the report is a diff from `base` to `h`. Two stacks are
 * the same if their frames have the same module, function and line. If the builds of the module
 * differ, the line does not count. NULL on failure: HEFT_EARG for a bad expression,
 * HEFT_EUNSUPPORTED if the dump lacks the facts. The error's text tells which facts are missing.
 * `query` may be NULL. */
HEFT_API struct heft_heap_report *heft_heap_report_new(struct heft_heap *h, struct heft_heap *base,
						       const struct heft_heap_query *query,
						       struct heft_err *err);
HEFT_API void heft_heap_report_free(struct heft_heap_report *r);
/* Returns the rows. They have the measures of enum heft_heap_measure, and the texts "module",
 * "file" and "line" if known. Reports of leaks have "reach": "lost" if nothing points to the
 * blocks, "indirect" if only lost blocks do. The top row has the sums of all that passes the
 * filters. Valid until heft_heap_report_free(). */
HEFT_API const struct heft_table *heft_heap_report_table(const struct heft_heap_report *r);
/* Return the frames of a row that is a stack (HEFT_HEAP_BY_STACK), innermost first, without the
 * allocator's own innermost frames. Other rows have none. Valid until heft_heap_report_free(). */
HEFT_API size_t heft_heap_report_frame_count(const struct heft_heap_report *r,
					     const struct heft_row *row);
HEFT_API const struct heft_frame *heft_heap_report_frame(const struct heft_heap_report *r,
							 const struct heft_row *row, size_t i);

/* Writes a report. Formats that show stacks (FOLDED, PPROF) write all that passes the filters.
 * PPROF describes one profile and refuses a diff with HEFT_EARG. `opts` may be NULL: then 8 frames
 * per stack are shown. */
HEFT_API bool heft_heap_report_write(const struct heft_heap_report *r,
				     const struct heft_write_opts *opts,
				     const struct heft_sink *sink, struct heft_err *err);

/* Other pages about a heap, as a table or JSON. The timeline also as HEFT_SVG. */
enum heft_heap_page {
	HEFT_HEAP_TIMELINE, /* Live bytes over time. */
	HEFT_HEAP_LAYOUT,   /* Use of the bytes of its memory. */
	HEFT_HEAP_CHECK,    /* Damage, with the suspects. */
	HEFT_HEAP_STACKS,   /* Stacks of all threads. For x86-64 and AArch64 cores, recorded or
			     * not. */
};
HEFT_API bool heft_heap_write(struct heft_heap *h, enum heft_heap_page page,
			      enum heft_format format, const struct heft_sink *sink,
			      struct heft_err *err);

/* Writes a summary of a heap as one line of JSON (docs/json.md), to compare many heaps: what is
 * live, leaked, fragmented and damaged, the stacks that hold most with their hashes, and a
 * signature of them. It has no byte of memory, no argument of the command, and no address except
 * addresses in modules. */
HEFT_API bool heft_heap_digest_write(struct heft_heap *h, const struct heft_sink *sink,
				     struct heft_err *err);

/* A block. The block and its frames are valid until the next call that returns blocks. */
struct heft_heap_block {
	uint64_t addr, size;
	uint64_t sequence; /* Number of the allocation in the process. 0 if not kept. */
	uint32_t thread;   /* Thread that allocated it. 0 if not kept. */
	bool freed;
	const struct heft_frame *const *frames; /* Frames, innermost first. */
	size_t frame_count;
	/* Call that freed it, with inlined functions, innermost first. 0 frames if unknown. */
	const struct heft_frame *const *freed_by;
	size_t freed_by_count;
};

/* What an address of a process is in. */
enum heft_heap_state {
	HEFT_HEAP_NOWHERE, /* Nothing is mapped there. */
	HEFT_HEAP_MAPPED,  /* Memory outside of the heap. */
	HEFT_HEAP_STACK,   /* Stack of a thread. */
	HEFT_HEAP_IN_LIVE,
	HEFT_HEAP_IN_HEADER, /* Header of a live block. */
	HEFT_HEAP_IN_FREED,
	HEFT_HEAP_BETWEEN, /* In the memory of the heap, in no block. */
};

/* What is at an address of the process. Pointers are valid until the next call that returns blocks,
 * texts until heft_heap_free(). */
struct heft_heap_place {
	size_t size; /* Set to sizeof(struct heft_heap_place). */
	uint64_t addr;
	enum heft_heap_state state;
	enum heft_heap_part part;             /* BETWEEN: use of the bytes there. */
	const struct heft_heap_block *block;  /* IN_...: the block. Else NULL. */
	const struct heft_heap_block *before; /* Live block before the address, for IN_... and
					       * BETWEEN. NULL if there is none. */
	const struct heft_heap_block *after;  /* Live block after the address. NULL if there is
					       * none. */
	uint64_t map_start, map_size;         /* Mapping, in bytes. 0 if there is none. */
	bool read, write, exec;
	/* Name of the mapping: the path of a file, "[heap]", "[stack of thread 12]", "[unused stack
	 * of thread 12]", "[bss of PATH]", "[anonymous]", "[reserved]" (no access). */
	const char *map_name;
	const char *module;   /* Path of the program or library that it belongs to. "" if there
			       * is none. */
	uint64_t module_addr; /* Address in the module's headers. */
	const char *symbol;   /* "" if unknown. */
	uint64_t symbol_offset;
	uint32_t thread;   /* STACK: thread of the stack. */
	const void *bytes; /* Bytes of the block, or from the address on. NULL if not in the
			    * dump. */
	uint64_t bytes_addr;
	size_t byte_count; /* 64 at most */
	/* The program may have written there, but the dump lacks the memory. Missing facts then
	 * prove nothing. */
	bool lacking;
};
/* Looks up an address and fills *ret. HEFT_ENOTFOUND if nothing is mapped there. If the call fails,
 * the state is HEFT_HEAP_NOWHERE. */
HEFT_API bool heft_heap_at(struct heft_heap *h, uint64_t addr, struct heft_heap_place *ret,
			   struct heft_err *err);
/* Writes a place. HEFT_TABLE: readable lines. HEFT_JSON: one object on one line. */
HEFT_API bool heft_heap_place_write(const struct heft_heap_place *at, enum heft_format format,
				    const struct heft_sink *sink, struct heft_err *err);

/* Kinds of damage and wrong calls. */
enum heft_heap_damage_kind {
	HEFT_HEAP_CANARY,      /* `block` was written past its end. */
	HEFT_HEAP_HEADER,      /* A header was overwritten. `block` is the block before the
			        * header. */
	HEFT_HEAP_CHUNK,       /* The allocator's data after `block` was overwritten. */
	HEFT_HEAP_DOUBLE_FREE, /* Block freed again, `count` times. `block` if known. */
	/* `block`, or `count` unknown blocks, had been written past their end when they were
	 * freed. */
	HEFT_HEAP_CANARY_FREED,
	HEFT_HEAP_FAULT,         /* The faulting address is near `block`. */
	HEFT_HEAP_FREED_USE,     /* The faulting address lies in `block`, a freed block. */
	HEFT_HEAP_FREED_POINTER, /* A register of the thread that stopped points into `block`, a
				  * freed block. */
	/* The program freed an address that is no block. `block` is the block that contains it, if
	 * any. */
	HEFT_HEAP_WILD_FREE,
	/* The allocator ended the program while it freed `block` or allocated memory, and no other
	 * damage is found. `said` may say why. If `block` is not freed, it is a recorded block that
	 * was given to the C library's own free or realloc, past the recorder. */
	HEFT_HEAP_ALLOCATOR,
	/* The freed block at `addr` was written to: the allocator's list of freed blocks breaks
	 * there. */
	HEFT_HEAP_FREED_WRITTEN,
};
/* A damage that heft_heap_find_damage() found. Blocks are valid until the next call that returns
 * blocks. */
struct heft_heap_damage {
	size_t size; /* Set to sizeof(struct heft_heap_damage). */
	enum heft_heap_damage_kind kind;
	uint64_t addr;    /* Address of the damage. 0 if there is none. */
	uint64_t count;   /* Number of blocks or bytes. 0 if nothing is counted. */
	int64_t distance; /* FAULT: distance from the block's end (>= 0) or start (< 0). 0
			   * inside. */
	const struct heft_heap_block *block; /* Block, see the kinds. NULL if unknown. */
	/* Block whose header or bytes were overwritten. NULL if unknown. */
	const struct heft_heap_block *victim;
	/* DOUBLE_FREE: call that freed `block` again. WILD_FREE, ALLOCATOR: last call that freed.
	 * Innermost first; 0 frames if unknown. */
	const struct heft_frame *const *again_by;
	size_t again_by_count;
	/* WILD_FREE: mapping at `addr`, if no block contains it. "" if nothing is mapped. */
	const char *place;
	/* DOUBLE_FREE, WILD_FREE, ALLOCATOR: message with which the C library ended the program. ""
	 * if there is none. */
	const char *said;
};
/* Searches for damage, once. *ret_count is the number of damages; heft_heap_damage() returns
 * them. */
HEFT_API bool heft_heap_find_damage(struct heft_heap *h, size_t *ret_count, struct heft_err *err);
HEFT_API bool heft_heap_damage(struct heft_heap *h, size_t i, struct heft_heap_damage *ret,
			       struct heft_err *err);

#ifdef __cplusplus
}
#endif
#endif
