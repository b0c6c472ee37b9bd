/* heap.h - part of heft.h: the heap of processes: recording, snapshots, analysis. */
#ifndef HEFT_H
#include "heft.h" /* which includes this file in its turn */
#elif !defined(HEFT_PART_HEAP_H)
#define HEFT_PART_HEAP_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- running programs under the heap recorder ------------------------------ */

/* A run of a program with libheft-heap.so loaded into it, which writes what it recorded to a file
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
 * One thread a handle; several threads may run programs at once.  While a run lasts its thread has
 * the signals blocked that it hands on; of several threads one hands a signal on. */
struct heft_recorder;

/* NULL only where there is no memory.  Free with heft_recorder_free; NULL is fine there. */
HEFT_API struct heft_recorder *heft_recorder_new(void);
HEFT_API void heft_recorder_free(struct heft_recorder *r);

/* What of a run is recorded. */
enum heft_recorder_setting {
	HEFT_RECORD_DEPTH,  /* frames to keep, the innermost; 0: all */
	HEFT_RECORD_SAMPLE, /* record one block in so many bytes, by chance; 0: all */
	/* The rest are 0 or 1. */
	HEFT_RECORD_WIDE,           /* number and thread of every allocation in its block */
	HEFT_RECORD_CANARY,         /* bytes behind every block that show when it is overrun */
	HEFT_RECORD_INLINE,         /* call stacks in the blocks themselves */
	HEFT_RECORD_FRAME_POINTERS, /* follow frame pointers and no unwind tables */
	HEFT_RECORD_NO_CHILDREN,    /* only the program itself, not what it starts */
	/* The files are cores of the processes at their ends, with all blocks: for leaks.  What
	 * ends after the call returned leaves what it counted alone, as ever. */
	HEFT_RECORD_MEMORY,
	HEFT_RECORD_SETTINGS, /* how many there are */
};

/* Settings, before heft_recorder_run.  What is not set is as the environment says
 * (docs/heap-recorder.md). */
HEFT_API void heft_recorder_set(struct heft_recorder *r, enum heft_recorder_setting what,
				uint64_t value);
/* libheft-heap.so, where it is not beside libheft. */
HEFT_API void heft_recorder_set_library(struct heft_recorder *r, const char *path);
/* Names of the files: %p is the process id (".%p" is added where it is missing), %n the number of
 * the snapshot.  Default: "heft-heap.%p". */
HEFT_API void heft_recorder_set_output(struct heft_recorder *r, const char *pattern);
/* A signal that makes the program write a snapshot: "USR2" or a number. */
HEFT_API void heft_recorder_set_signal(struct heft_recorder *r, const char *name);

/* Has `fn` called on the thread of heft_recorder_run every so many milliseconds while the program
 * runs, with its process id, then with that of each process that it has started and that is still
 * there, recorded or not (none with HEFT_RECORD_NO_CHILDREN); 0: never.  It returns false to be
 * called no more in this run.  Signals are not handed on meanwhile, so it should be quick; it may
 * use other handles. */
typedef bool (*heft_recorder_tick_fn)(void *ctx, uint32_t pid);
HEFT_API void heft_recorder_set_timer(struct heft_recorder *r, uint64_t every_ms,
				      heft_recorder_tick_fn fn, void *ctx);

/* How the program ended. */
struct heft_recorder_end {
	size_t size; /* sizeof(struct heft_recorder_end) */
	uint32_t pid;
	int status; /* what it exited with; 0 where a signal ended it */
	int signal; /* that ended it; 0 where it exited */
	/* It was recorded and left no file: a signal ended it, or the system's own call and not
	 * exit(), or another program took its place (exec) that was not recorded. */
	bool lost;
	size_t others_lost, others_running; /* such of its processes, and those that still run */
};

/* Runs a program and waits for its end.  The program is looked for in PATH; argv ends with NULL.
 * HUP, INT, QUIT, TERM, USR1, USR2 and ALRM are handed on to it where another process sent them.
 *
 * HEFT_EIO where the program cannot be run (sys_errno: ENOENT, EACCES ...), and with ECHILD where
 * the caller ignores SIGCHLD or has waited for the program itself, so that its status is lost.
 * HEFT_EARG where there is no library or no folder for the files.  HEFT_EUNSUPPORTED, before the
 * program is run, where nothing can be recorded: it is linked statically, it is for another
 * machine, or it is set-user-id or the like, so that the system would load no library into it.
 *
 * The call cannot be cancelled; it ends when the program does. */
HEFT_API bool heft_recorder_run(struct heft_recorder *r, char *const *argv,
				struct heft_recorder_end *ret, struct heft_err *err);

/* A file that was written during the run. */
struct heft_recorder_file {
	size_t size;      /* sizeof(struct heft_recorder_file) */
	const char *path; /* holds until heft_recorder_free */
	uint32_t pid;     /* of the process that wrote it */
	bool empty;       /* no allocation was recorded: the program has an allocator of its own */
	bool memory;      /* it is a core: all memory was kept */
	/* Functions of an allocator that the program calls and whose blocks are not recorded, with
	 * a space between them; "": none is known. */
	const char *beside;
};

/* The files of the last run, by path. */
HEFT_API size_t heft_recorder_file_count(const struct heft_recorder *r);
HEFT_API bool heft_recorder_file(const struct heft_recorder *r, size_t i,
				 struct heft_recorder_file *ret, struct heft_err *err);

/* ---- dumps of living processes ------------------------------------------ */

/* How the memory of a process is written. */
struct heft_dump_opts {
	size_t size;  /* sizeof(struct heft_dump_opts) */
	bool full;    /* all memory that can be read; else what the program changed, and headers */
	bool no_stop; /* the process goes on meanwhile: what is read may not fit together */
	unsigned level; /* of packing, where the file's name ends in .zst; 0: the default, 3 */
	/* Write while the process stands still: takes little memory, and a longer stop. */
	bool stream;
};

/* What a dump took. */
struct heft_dump_facts {
	size_t size;        /* sizeof(struct heft_dump_facts) */
	uint64_t bytes;     /* of memory in the file */
	uint64_t file_size; /* of the file, without its holes */
	uint64_t pause_ns;  /* for how long the process stood still */
	uint64_t unread;    /* bytes that could not be read: zeros in the file */
	uint32_t threads;   /* of the process */
	/* Threads that did not stop, for they wait in the kernel: their registers are not known. */
	uint32_t unstopped;
	uint64_t buffer;    /* bytes of memory that the copy took */
	uint64_t available; /* bytes that could be had for it; UINT64_MAX: not known */
	bool streamed;      /* written while the process stood still */
};

/* Writes the memory of a process to an ELF core: what gdb and heft_heap_open read.  The process
 * need not run under the recorder; it is stopped only while its memory is copied.  If a copy would
 * take more than three quarters of the memory that the system and the control groups leave, the
 * file is written while the process stands still.  The file appears whole or not at all; it is
 * packed (zstd) where its name ends in ".zst".  `opts` and `ret` may be NULL.  HEFT_EIO where there
 * is no such process (ESRCH), or it may not be looked at (EPERM). */
HEFT_API bool heft_process_dump(uint32_t pid, const char *path, const struct heft_dump_opts *opts,
				struct heft_dump_facts *ret, struct heft_err *err);

/* ---- the heap of a process ------------------------------------------------ */

/* Who holds the memory of a process that ran under the heap recorder (libheft-heap.so): read from a
 * core, an image of memory or the recorder's own snapshot file, without a debugger.
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
 * One thread a handle; opening and reports start their own workers. */
struct heft_heap;

/* NULL only where there is no memory.  Free with heft_heap_free, after its reports; NULL is fine
 * there. */
HEFT_API struct heft_heap *heft_heap_new(struct heft_session *s);
HEFT_API void heft_heap_free(struct heft_heap *h);

/* Settings, before heft_heap_open. */
/* enum heft_heap_flag, or'ed. */
enum heft_heap_flag {
	/* No file of a module is opened: frames have addresses and no names, and HEFT_PPROF states
	 * these as the modules' headers count, with build ids, for who names them later. */
	HEFT_HEAP_NO_NAMES = 1,
	/* Pages and JSON state the arguments of the command, which may be secrets.  Without the
	 * flag they state the name of the program alone. */
	HEFT_HEAP_ARGUMENTS = 2,
};
HEFT_API void heft_heap_set_flags(struct heft_heap *h, unsigned flags);
/* A folder, which is made where it is missing, in which the names of frames are kept, in a file for
 * each build id, so that a module whose frames were named before is not opened: neither its symbols
 * nor its debug info are read again.  It is bounded, any number of processes may use it at once,
 * and one that others than the user may write to is not used.  Empty it where debug info came
 * later. */
HEFT_API void heft_heap_set_name_cache(struct heft_heap *h, const char *dir);
/* Once per handle.  A dump without any records of the recorder opens, too: then nothing is known
 * but what is mapped where. */
HEFT_API bool heft_heap_open(struct heft_heap *h, const char *path, struct heft_err *err);
/* The same of a process that runs under the recorder: the recorder's tables are copied, and the
 * process is not stopped meanwhile, so counters go on from the first to the last.  Blocks are not
 * known, as in a file that the recorder wrote.  HEFT_EIO where there is no such process (ESRCH), or
 * it may not be looked at (EPERM); HEFT_EUNSUPPORTED where no recorder is in it, or one that keeps
 * stacks in blocks. */
HEFT_API bool heft_heap_open_process(struct heft_heap *h, uint32_t pid, struct heft_err *err);

/* What the bytes of the heap's memory are. */
enum heft_heap_part {
	HEFT_HEAP_BLOCKS,     /* asked for */
	HEFT_HEAP_HEADERS,    /* the recorder's, in front of blocks */
	HEFT_HEAP_OVERHEAD,   /* the allocator's: its own headers, rounding up */
	HEFT_HEAP_FREE,       /* given back, or never handed out */
	HEFT_HEAP_UNRECORDED, /* in use, but not recorded */
	HEFT_HEAP_RECORDER,   /* the recorder's pages */
	HEFT_HEAP_OTHER,      /* not explained */
	HEFT_HEAP_PARTS,
};

/* Texts are "" and numbers 0 where nothing is known; all hold until heft_heap_free.  Times are
 * nanoseconds since the start of the process. */
struct heft_heap_info {
	size_t size; /* sizeof(struct heft_heap_info) */
	const char *path;
	const char *kind; /* "core", "raw image", "tables of the recorder" */
	const char *command;
	uint32_t pid;
	unsigned word; /* bytes of a machine word */
	bool big_endian;
	int signal;
	bool has_fault;
	uint64_t fault_addr;
	uint64_t mapped, present; /* bytes of memory; of these in the dump */
	uint64_t missing;         /* bytes that the file lost at its end */
	bool recorded;            /* the recorder's pages are there */
	bool counted;             /* and with them what each stack asked for and freed */
	bool inline_stacks, wide, canaries;
	uint64_t sample; /* one block in so many bytes is recorded; 0: every one */
	uint32_t depth;  /* frames kept; 0: all */
	uint64_t live_bytes, live, peak_bytes, alloc_bytes, allocs, temporary;
	uint64_t block_bytes, blocks; /* live, with a header found in the dump */
	uint64_t freed_blocks;        /* freed, with a header that is still there */
	uint64_t started;             /* nanoseconds since 1970 */
	uint64_t peak_at, taken_at;
	uint64_t stacks, threads;
	uint64_t lost;           /* allocations without a stack, for the tables were full */
	uint64_t unrecorded;     /* allocations made while the recorder was at work */
	uint64_t double_frees;   /* seen and not done */
	uint64_t recorder_bytes; /* of the recorder's tables */
	uint64_t pinned_pages, pinned_bytes; /* less than a quarter used; their free bytes */
	/* Where nothing was recorded and glibc's malloc is the allocator, blocks are its chunks in
	 * use, as large as the program could use them, without stacks.  0 elsewhere. */
	uint64_t arenas; /* heaps of chunks */
	uint64_t own_mappings,
		own_mapping_bytes;        /* chunks with a mapping of their own, of the blocks */
	uint64_t cached, cached_bytes;    /* freed, kept for the next call of their size */
	uint64_t free_chunks, free_bytes; /* freed; the end of heaps left out */
	uint64_t top_bytes;               /* ends of heaps, not handed out */
	uint64_t broken_chains;           /* places where a chain of chunks does not go on */
	/* Names, with a space between them, of an allocator's functions that the program calls and
	 * whose blocks are not recorded, such as mi_heap_malloc; "": none is known. */
	const char *beside;
	/* Whether live and live_bytes are those of the process; else they are what was found, and
	 * `unknown` says why there may be more. */
	bool live_known;
	const char *unknown;
	/* Why memory that the program may have written is not in the dump, and how many bytes of it
	 * were left out when it was written (`missing` has those that it lost at its end). */
	const char *lacks;
	uint64_t left_out;
	/* Allocators whose memory heft cannot read, ", " apart: where nothing was recorded all that
	 * are in the process, else those that are linked into modules, past the recorder. */
	const char *allocators;
};
/* Fills *ret; all "" and 0 before heft_heap_open. */
HEFT_API bool heft_heap_info(const struct heft_heap *h, struct heft_heap_info *ret,
			     struct heft_err *err);
/* Bytes of one part of the heap's memory; 0 for all parts where the dump has no blocks. */
HEFT_API uint64_t heft_heap_part_bytes(const struct heft_heap *h, enum heft_heap_part part);

/* A program or library of the process. */
struct heft_heap_module {
	size_t size;          /* sizeof(struct heft_heap_module) */
	const char *path;     /* as the process had it */
	const char *build_id; /* hexadecimal; "": not known */
	uint64_t frames;      /* of the call stacks, each once a caller, that are in it */
};
/* Texts hold until heft_heap_free. */
HEFT_API size_t heft_heap_module_count(const struct heft_heap *h);
HEFT_API bool heft_heap_module(struct heft_heap *h, size_t i, struct heft_heap_module *ret,
			       struct heft_err *err);

/* How much was live at a moment. */
struct heft_heap_moment {
	size_t size;         /* sizeof(struct heft_heap_moment) */
	uint64_t at;         /* nanoseconds since the start of the process */
	uint64_t live_bytes; /* then */
	uint64_t peak_bytes; /* at most, since the moment before */
};
/* Moments by time; there are none where nothing was recorded. */
HEFT_API size_t heft_heap_moment_count(const struct heft_heap *h);
HEFT_API bool heft_heap_moment(const struct heft_heap *h, size_t i, struct heft_heap_moment *ret,
			       struct heft_err *err);

/* What a report counts.  Bytes are those asked for.  Where the recorder took samples, all are
 * estimates.  PEAK is what was live when the process held most. */
enum heft_heap_measure {
	HEFT_HEAP_LIVE_BYTES,
	HEFT_HEAP_LIVE, /* blocks */
	HEFT_HEAP_PEAK_BYTES,
	HEFT_HEAP_PEAK, /* blocks */
	HEFT_HEAP_ALLOC_BYTES,
	HEFT_HEAP_ALLOCS,
	HEFT_HEAP_TEMPORARY, /* allocations freed before their thread asked for another */
	/* Only of rows by function, module, file and line: the measure that decides the order, with
	 * all that was called from there. */
	HEFT_HEAP_WITH_CALLEES,
};

/* What a row of a report is.  A block's function, file, line and module are those of the innermost
 * frame that is no allocator's (docs/json.md says which are); sums over the rows are thus
 * those of all blocks. */
enum heft_heap_by {
	HEFT_HEAP_BY_STACK,
	HEFT_HEAP_BY_TREE,    /* functions from the outermost on, with what they called */
	HEFT_HEAP_BY_CALLERS, /* functions that asked for memory, with their callers */
	HEFT_HEAP_BY_FUNCTION,
	HEFT_HEAP_BY_MODULE,
	HEFT_HEAP_BY_FILE,
	HEFT_HEAP_BY_LINE,
	HEFT_HEAP_BY_THREAD, /* that asked for it */
	HEFT_HEAP_BY_SIZE,   /* of blocks, by powers of two; live ones only */
	HEFT_HEAP_BY_AGE,    /* in allocations made since, by powers of ten; live ones only */
};

/* What a report is about. */
struct heft_heap_query {
	size_t size; /* sizeof(struct heft_heap_query) */
	enum heft_heap_by by;
	enum heft_heap_measure sort; /* decides the order; classes of size and age keep theirs */
	enum heft_sort order;        /* HEFT_SORT_AUTO: larger first, in a diff the larger change */
	uint32_t rows;               /* a level, then the rest is summed up; 0: all */
	/* Filters, all must agree: PCRE2 expressions, unanchored, that one frame of the stack must
	 * match (NULL: any); thread id (0: any); sizes of blocks, both included (max 0: any);
	 * leaks: only blocks to which no pointer leads. */
	const char *function, *module, *file;
	/* Functions that allocate for their callers, beside those that are known; NULL: none.
	 * Where such frames are innermost they are left out. */
	const char *helpers;
	uint32_t thread;
	uint64_t min_size, max_size;
	bool leaks;
	bool all_frames; /* only the allocator's own frames are left out */
	bool unchanged;  /* in a diff, rows as well that are as they were */
};

struct heft_heap_report;
/* `base` may be NULL; else the report is a diff from `base` to `h`: stacks are the same whose
 * frames are, by module, function and line (module and function alone where the module is of
 * another build).  NULL on failure: HEFT_EARG for a bad expression, HEFT_EUNSUPPORTED where the
 * dump cannot tell, which the text explains.  `query` may be NULL. */
HEFT_API struct heft_heap_report *heft_heap_report_new(struct heft_heap *h, struct heft_heap *base,
						       const struct heft_heap_query *query,
						       struct heft_err *err);
HEFT_API void heft_heap_report_free(struct heft_heap_report *r);
/* Rows have the measures of enum heft_heap_measure and the texts "module", "file" and "line" where
 * they are known, and in reports of leaks "reach": "lost" where nothing points to the blocks,
 * "indirect" where only lost blocks do.  The top row holds the sums of all that the filters let
 * through.  All holds until heft_heap_report_free. */
HEFT_API const struct heft_table *heft_heap_report_table(const struct heft_heap_report *r);
/* The frames of a row that is a stack (HEFT_HEAP_BY_STACK), innermost first, without the
 * allocator's own in front; other rows have none.  They hold until heft_heap_report_free. */
HEFT_API size_t heft_heap_report_frame_count(const struct heft_heap_report *r,
					     const struct heft_row *row);
HEFT_API const struct heft_frame *heft_heap_report_frame(const struct heft_heap_report *r,
							 const struct heft_row *row, size_t i);

/* The formats that show stacks (FOLDED, PPROF) take all that the filters let through;
 * PPROF is of one profile and refuses a diff with HEFT_EARG.  `opts` may be NULL: then
 * 8 frames a stack are shown. */
HEFT_API bool heft_heap_report_write(const struct heft_heap_report *r,
				     const struct heft_write_opts *opts,
				     const struct heft_sink *sink, struct heft_err *err);

/* Other pages about a heap, as a table or JSON; the timeline also as HEFT_SVG. */
enum heft_heap_page {
	HEFT_HEAP_TIMELINE, /* how much was live when */
	HEFT_HEAP_LAYOUT,   /* what the bytes of its memory are */
	HEFT_HEAP_CHECK,    /* what is damaged, with the suspects */
	HEFT_HEAP_STACKS,   /* where all threads are; x86-64 and AArch64 cores, recorded or not */
};
HEFT_API bool heft_heap_write(struct heft_heap *h, enum heft_heap_page page,
			      enum heft_format format, const struct heft_sink *sink,
			      struct heft_err *err);

/* A heap in one line of JSON (docs/json.md), to compare many: what is live, leaked, fragmented and
 * damaged, the stacks that hold most with their hashes, and a signature of them.  No byte
 * of memory, no argument of the command and no address but those in modules are in it. */
HEFT_API bool heft_heap_digest_write(struct heft_heap *h, const struct heft_sink *sink,
				     struct heft_err *err);

/* A block.  It holds, and its frames, until the next call that gives blocks. */
struct heft_heap_block {
	uint64_t addr, size;
	uint64_t sequence; /* number of the allocation in the process; 0: not kept */
	uint32_t thread;   /* that asked for it; 0: not kept */
	bool freed;
	const struct heft_frame *const *frames; /* innermost first */
	size_t frame_count;
	/* The call that freed it, with what is inlined there, innermost first; 0: not known. */
	const struct heft_frame *const *freed_by;
	size_t freed_by_count;
};

/* Where in a process an address is. */
enum heft_heap_state {
	HEFT_HEAP_NOWHERE, /* nothing is mapped there */
	HEFT_HEAP_MAPPED,  /* memory that is no heap */
	HEFT_HEAP_STACK,   /* of a thread */
	HEFT_HEAP_IN_LIVE,
	HEFT_HEAP_IN_HEADER, /* of a live block */
	HEFT_HEAP_IN_FREED,
	HEFT_HEAP_BETWEEN, /* in the memory of the heap, in no block */
};

/* What is at an address of the process.  Pointers hold until the next call that gives blocks, texts
 * until heft_heap_free. */
struct heft_heap_place {
	size_t size; /* sizeof(struct heft_heap_place) */
	uint64_t addr;
	enum heft_heap_state state;
	enum heft_heap_part part;             /* BETWEEN: what the bytes there are */
	const struct heft_heap_block *block;  /* IN_*: that one; else NULL */
	const struct heft_heap_block *before; /* the live neighbours of IN_* and BETWEEN; NULL: */
	const struct heft_heap_block *after;  /* there is none */
	uint64_t map_start, map_size;         /* the mapping, in bytes; 0 where there is none */
	bool read, write, exec;
	/* What is mapped: the path of a file, "[heap]", "[stack of thread 12]", "[unused stack of
	 * thread 12]", "[bss of PATH]", "[anonymous]", "[reserved]" (no access). */
	const char *map_name;
	const char *module;   /* path of the program or library that it belongs to, else "" */
	uint64_t module_addr; /* as that one's headers count */
	const char *symbol;   /* "" if not known */
	uint64_t symbol_offset;
	uint32_t thread;   /* STACK: whose */
	const void *bytes; /* of the block, or from the address on; NULL: not in the dump */
	uint64_t bytes_addr;
	size_t byte_count; /* 64 at most */
	/* The program may have written there, and the dump lacks it: that nothing is told says
	 * nothing. */
	bool lacking;
};
/* Looks an address up and fills *ret, with state HEFT_HEAP_NOWHERE where the call fails:
 * HEFT_ENOTFOUND where nothing is mapped at this address. */
HEFT_API bool heft_heap_at(struct heft_heap *h, uint64_t addr, struct heft_heap_place *ret,
			   struct heft_err *err);
/* HEFT_TABLE: a block of lines for people.  HEFT_JSON: one object on one line. */
HEFT_API bool heft_heap_place_write(const struct heft_heap_place *at, enum heft_format format,
				    const struct heft_sink *sink, struct heft_err *err);

/* What is damaged, or was done wrong. */
enum heft_heap_damage_kind {
	HEFT_HEAP_CANARY,      /* `block` was written past its end */
	HEFT_HEAP_HEADER,      /* a header was written over; `block` is in front of it */
	HEFT_HEAP_CHUNK,       /* what the allocator keeps behind `block` was written over */
	HEFT_HEAP_DOUBLE_FREE, /* `count` times; `block`, if it is known */
	/* `block`, or `count` that are not known, had been written past their end when freed */
	HEFT_HEAP_CANARY_FREED,
	HEFT_HEAP_FAULT,         /* the address of the fault is near `block` */
	HEFT_HEAP_FREED_USE,     /* the address of the fault lies in `block`, freed */
	HEFT_HEAP_FREED_POINTER, /* a register of the thread that stopped points into it */
	/* The program freed what is no block; `block`, if there is one, has the address. */
	HEFT_HEAP_WILD_FREE,
	/* The allocator ended the program as it freed `block` or gave memory, and no other damage
	 * is found; `said` may say why.  A `block` that is not freed is a recorded one that came to
	 * the C library's own free or realloc, past the recorder. */
	HEFT_HEAP_ALLOCATOR,
	/* The freed block at `addr` was written to: the allocator's list of them breaks there. */
	HEFT_HEAP_FREED_WRITTEN,
};
/* Something that is damaged.  Blocks hold until the next call that gives blocks. */
struct heft_heap_damage {
	size_t size; /* sizeof(struct heft_heap_damage) */
	enum heft_heap_damage_kind kind;
	uint64_t addr;    /* of what is damaged; 0 where no one place is */
	uint64_t count;   /* blocks, or bytes; 0 where nothing is counted */
	int64_t distance; /* FAULT: from the block's end (>= 0) or start (< 0); 0 inside */
	const struct heft_heap_block *block; /* see the kinds; NULL: it is not known */
	/* The allocation whose header or bytes were written over; NULL: it is not known. */
	const struct heft_heap_block *victim;
	/* DOUBLE_FREE: the call that freed `block` again; WILD_FREE, ALLOCATOR: the call that freed
	 * at last.  Innermost first; 0: it is not known. */
	const struct heft_frame *const *again_by;
	size_t again_by_count;
	/* WILD_FREE: what is mapped at `addr`, where no block has it; "" where nothing is. */
	const char *place;
	/* DOUBLE_FREE, WILD_FREE, ALLOCATOR: with what message the C library ended the program;
	 * "": with none. */
	const char *said;
};
/* Looks for damage, once, and tells how much there is. */
HEFT_API bool heft_heap_find_damage(struct heft_heap *h, size_t *ret_count, struct heft_err *err);
HEFT_API bool heft_heap_damage(struct heft_heap *h, size_t i, struct heft_heap_damage *ret,
			       struct heft_err *err);

#ifdef __cplusplus
}
#endif
#endif
