/* process.h - the process in a dump: its memory, its modules, its heap, and the names of its
 * frames.
 *
 * The only opener and namer of dumps: every source of a core, `heft where` and the commands about
 * heaps ask it, and so they agree.  Everything beyond the dump and the recorder's pages is read
 * when first asked for: the heap costs one pass over all memory, a module its symbol table when
 * the first address in it is named, its DWARF where the caller wants that.
 *
 * The file of a module is looked for in this order:
 *   1. a program that the user named (by build id, else by file name);
 *   2. debug files that the user named, by build id;
 *   3. the dump itself, for what the kernel maps into every process ([vdso]);
 *   4. below the sysroot, at the path that the dump states, then by the file name alone;
 *   5. at that path as the user's rules for paths have it;
 *   6. where a living process has it: below its root, its program, what it has mapped;
 *   7. at the path that the dump states; a relative one where heft runs, beside the dump and beside
 *      the program;
 *   8. under the build id, in the directories of debug files; there also by path and name.
 * A file of another build is a note and is not used, unless the user named it as the program.
 *
 * Labels and names may borrow from the modules' files: they live as long as the process.
 * One thread at a time; process_name_calls starts threads of its own. */
#ifndef HEFT_PROCESS_PROCESS_H
#define HEFT_PROCESS_PROCESS_H

#include "base/text.h"
#include "heap/glibc.h"
#include "heap/heap_layout.h"
#include "program/companion.h"
#include "program/locate.h"

/* What the user says; all borrowed until process_close. */
struct process_wish {
	const struct program_wish *find; /* its debug files may be modules as well */
	bool dwarf;                      /* debug info is wanted, not symbols alone */
	bool no_names;                   /* process_name_calls opens no module */
	/* The folder of a name_cache, which process_name_calls asks before it opens a module that
	 * has a build id; NULL: none. */
	const char *name_cache;
	enum heft_demangle style; /* of the functions of frames */
	uint32_t pid;     /* of a living process, whose own view of files counts; 0: it is a dump */
	unsigned threads; /* 0: one a processor */
	struct notes *notes;
};

/* A file that is mapped as a module, or was once. */
struct process_module {
	const char *path;      /* as the process had it; "": a file that is no module */
	struct bytes build_id; /* size 0: not known */
	uint64_t start, end;   /* lowest and highest address */
	uint64_t bias;         /* address in the process - address in the file's headers */
	bool gone;             /* unloaded since: its addresses may mean something else now */
	/* Valid after process_open_module. */
	const struct input *input; /* its own file; NULL: not found, or of another build */
	const struct input *debug; /* its separate debug file, or NULL */
};

/* An allocator in the process whose memory heft cannot read. */
struct process_allocator {
	const char *name;
	const char *module; /* path of who has it; "": not known */
	bool beside;        /* it replaces no malloc: what malloc gave is known without it */
};

/* The heap as the recorder left it, or as glibc has it where nothing was recorded. */
struct process_heap {
	struct records records; /* valid after process_open; the rest after process_read_heap */
	struct calls calls;
	struct blocks_found blocks;
	struct glibc_heaps glibc; /* zeros where there is a recorder's block or page */
	struct heap_layout layout;
	/* Where nothing was recorded those that are there, else those that are linked into modules,
	 * past the recorder. */
	VEC(struct process_allocator) allocators;
	/* Why what is found is not all that is live, in words that follow a colon; NULL: it is. */
	const char *unknown;
};

struct opened_modules;

struct process {
	struct dump dump;
	struct process_heap heap;
	/* private */
	bool open, heap_read;
	VEC(uint32_t) stacks; /* of the threads of the dump, once they were walked */
	struct process_wish wish;
	struct opened_modules *modules;
};

/* ---- life ----------------------------------------------------------------------------------- */

/* Opens a dump of any kind.  HEFT_EARG where a program that the user named is no module of it. */
bool process_open(struct process *p, const char *path, const struct process_wish *wish,
		  struct heft_err *err);
/* Opens a core that is open as an image already, which stays as long as the process. */
bool process_of_image(struct process *p, const struct image *core, const struct process_wish *wish,
		      struct heft_err *err);
void process_close(struct process *p);

/* Reads calls, blocks and layout; the first call does the work. */
const struct process_heap *process_read_heap(struct process *p);

/* ---- modules -------------------------------------------------------------------------------- */

/* Those of dump.files at the same index; after process_read_heap those behind them that are
 * gone. */
size_t process_module_count(const struct process *p);
const struct process_module *process_module(const struct process *p, size_t i);
/* The module that covers an address; NULL: none.  One that is gone covers what nothing else
 * does. */
const struct process_module *process_module_at(const struct process *p, uint64_t addr);
/* Sets used[i] where debug file i of the wish is of a module. */
void process_mark_used(const struct process *p, bool *used);
/* HEFT_EARG where a debug file of the wish is of no module. */
bool process_check_debug_files(const struct process *p, struct heft_err *err);
/* Finds the file of a module, once. */
void process_open_module(struct process *p, const struct process_module *m);

/* A place in the own file of a module. */
struct process_place {
	const struct process_module *module; /* NULL: in none */
	struct locator *locator;             /* of the module's names; NULL: it was not found */
	uint64_t addr;                       /* as the module's headers count */
};
/* The module that covers an address of the process, its file opened. */
struct process_place process_locate(struct process *p, uint64_t addr);

/* ---- mappings ------------------------------------------------------------------------------- */

/* What a range of memory is. */
struct process_mapping {
	uint64_t addr, size;
	/* The path of the file that is mapped there, "[heap]", "[stack of thread 12]", "[unused
	 * stack of thread 12]", "[bss of PATH]", "[anonymous]", "[reserved]" (no access). */
	const char *label;
	uint32_t thread; /* whose stack, as far as it is in use; 0: none */
};
/* Ranges that cover all memory of the dump; of two that overlap the first counts.  They stay as
 * long as the process. */
const struct process_mapping *process_mappings(struct process *p, size_t *ret_count);
/* The first that has an address; NULL: none. */
const struct process_mapping *process_mapping_at(struct process *p, uint64_t addr);

/* ---- frames --------------------------------------------------------------------------------- */

/* Functions are named in one way wherever frames are shown.  The function itself has the name of
 * its symbol, as `size -d symbols` has it; where the module has no symbol there, that of its debug
 * info. What was inlined has the name that debug info gives.  A frame without a name is known by
 * its place: process_add_name. */

/* Names all frames of heap.calls, once, and anew where stacks were added since.  Modules are read
 * by several threads at once; the names do not depend on how many. */
void process_name_calls(struct process *p);
/* Nodes of heap.calls with the same frame in the same module are one spot.  Valid after
 * process_name_calls. */
struct process_spot {
	uint64_t frame;  /* as in the nodes */
	uint32_t module; /* index + 1; 0: in none */
	uint32_t first;  /* private */
	uint32_t count;  /* of functions; 0: the root's */
};
size_t process_spot_count(const struct process *p);
const struct process_spot *process_spot(const struct process *p, size_t i);
/* The index of the spot of a node. */
size_t process_spot_of(const struct process *p, uint32_t node);
/* Its functions, what was inlined first and the function itself last; at least one.  Names and
 * files live as long as the process. */
const struct heft_frame *process_spot_frames(const struct process *p, const struct process_spot *s);

/* The functions of a stack of heap.calls, innermost first, without the allocator's own in front
 * (all of them where nobody else is there).  Valid after process_name_calls.  Emptied before. */
typedef VEC(struct heft_frame) process_frame_vec;
void process_stack(const struct process *p, uint32_t stack, process_frame_vec *ret);

/* What people look for in a stack is the first function that neither is the allocator's nor
 * allocates on behalf of its caller. */
enum process_frame_kind {
	PROCESS_FRAME_PLAIN,
	PROCESS_FRAME_ALLOCATOR, /* malloc and its like, operator new, the recorder */
	PROCESS_FRAME_HELPER,    /* strdup and its like, layers of the C++ library */
	PROCESS_FRAME_CUT,       /* stands for the callers that a limit cut off */
};
enum process_frame_kind process_frame_kind(const struct heft_frame *f);
/* The function of a frame of that last kind: "[cut off]". */
extern const char process_cut_off[];
/* What stands for a stack that is not known. */
extern const char process_no_stack[];

/* Adds what a frame is called: its function, else "libx.so+0x1234", else "0x1234". */
void process_add_name(struct text *t, const struct heft_frame *f);

/* ---- threads -------------------------------------------------------------------------------- */

/* Walks the stacks of the dump's threads into heap.calls, once, after process_read_heap; x86-64 and
 * AArch64.  Opens the modules' files. */
void process_walk_threads(struct process *p);
/* The stack of dump.threads[i], in heap.calls; 0: it is not known. */
uint32_t process_thread_stack(const struct process *p, size_t i);

/* ---- addresses ------------------------------------------------------------------------------ */

/* Everything known of an address: its mapping, its module and symbol there, what of the heap it is
 * in. Reads the heap.  False where nothing is mapped.  Frames of blocks are in `a`, other texts
 * live as long as the process. */
bool process_at(struct process *p, uint64_t addr, struct arena *a, struct heft_heap_place *ret);
/* What is known of an address where nothing is. */
struct heft_heap_place process_no_place(uint64_t addr);
/* The frames of a stack, in `a`. */
const struct heft_frame *const *process_kept_stack(struct process *p, uint32_t stack,
						   struct arena *a, size_t *ret_count);
/* A block that the heap has, or had; in `a`. */
const struct heft_heap_block *process_block(struct process *p, const struct heap_found *f,
					    struct arena *a);
enum heft_heap_part process_part(enum heap_part_kind kind);

#endif
