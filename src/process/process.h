/* process.h - opens the process in a dump: its memory, its modules, its heap, and the names of its
 * frames.
 *
 * All users of dumps open them and name addresses through this interface, so that results agree:
 * sources of a core, `heft where`, and the commands about heaps. Opening reads only the dump and
 * the recorder's pages. Everything else is read when first needed. The heap costs one pass over all
 * memory. A module costs its symbol table when the first address in it is named, and its DWARF if
 * the caller wants that.
 *
 * The file of a module is searched in this order:
 *   1. a program that the user named (by build id, else by file name);
 *   2. debug files that the user named, by build id;
 *   3. the dump itself, for the code that the kernel maps into every process ([vdso]);
 *   4. below the sysroot, at the path that the dump states, then by the file name alone;
 *   5. at that path, changed by the user's rules for paths;
 *   6. in a living process's view: below its root, its program, its mapped files;
 *   7. at the path that the dump states; a relative path counts from heft's folder, the dump's and
 *      the program's;
 *   8. under the build id, in the directories of debug files; there also by path and name.
 * A file of another build gives a note and is not used, unless the user named it as the program.
 *
 * Labels and names may borrow from the modules' files: they live as long as the process. One thread
 * at a time. process_name_calls() starts its own threads. */
#pragma once

#include "base/text.h"
#include "heap/glibc.h"
#include "heap/heap_layout.h"
#include "program/companion.h"
#include "program/locate.h"

/* Options of the user, all borrowed until process_close(). */
struct process_wish {
	const struct program_wish *find; /* Search options. Their debug files may be modules. */
	bool dwarf;                      /* True to use debug info as well as symbols */
	bool no_names;                   /* True to give frames only module and address, no names */
	/* Folder of a name_cache. process_name_calls() looks into the cache before it opens a
	 * module with a build id. NULL if none. */
	const char *name_cache;
	enum heft_demangle style; /* Style of function names in frames */
	uint32_t pid;             /* Running process whose view of files is used. 0 for a dump */
	unsigned threads;         /* Number of threads. 0: one per processor */
	struct notes *notes;
};

/* A file that is or was mapped into the process: mostly a module (program or shared object). */
struct process_module {
	const char *path;      /* Path in the process. "" if it is not a module */
	struct bytes build_id; /* Build id. Size 0 if unknown */
	uint64_t start, end;   /* Its addresses: [start, end) */
	uint64_t bias;         /* Address in the process minus address in the file's headers */
	bool gone;             /* True if unloaded: other memory may be at its addresses now */
	/* Set by process_open_module(). */
	const struct input *input; /* The module's own file. NULL if missing, or of another build */
	const struct input *debug; /* The module's separate debug file, or NULL */
};

/* An allocator in the process whose blocks heft cannot read. */
struct process_allocator {
	const char *name;
	const char *module; /* Path of the module that contains it. "" if unknown */
	bool beside;        /* True if programs also use malloc, whose blocks are known */
};

/* The heap: as the recorder's pages describe it, or glibc's heap if nothing was recorded. */
struct process_heap {
	struct records records; /* Valid after process_open(). The other members are valid after
				 * process_read_heap(). */
	struct calls calls;
	struct blocks_found blocks;
	struct glibc_heaps glibc; /* glibc's heaps. All zero if the recorder has blocks or pages */
	struct heap_layout layout;
	/* Without a recorder, all allocators. With a recorder, only those linked into modules,
	 * which the recorder cannot see. */
	VEC(struct process_allocator) allocators;
	/* Reason why live blocks may be missing, for use after a colon. NULL if all were found. */
	const char *unknown;
};

struct opened_modules;

struct process {
	struct dump dump;
	struct process_heap heap;
	/* Private. */
	bool open, heap_read;
	VEC(uint32_t) stacks; /* Call stacks of the dump's threads, after process_walk_threads() */
	struct process_wish wish;
	struct opened_modules *modules;
};

/* Opens a dump of any kind. HEFT_EARG if a program that the user named is no module of it. */
bool process_open(struct process *p, const char *path, const struct process_wish *wish,
		  struct heft_err *err);
/* Opens a core from its image, which must live as long as the process. */
bool process_of_image(struct process *p, const struct image *core, const struct process_wish *wish,
		      struct heft_err *err);
void process_close(struct process *p);

/* Reads calls, blocks and layout. Only the first call does the work. */
const struct process_heap *process_read_heap(struct process *p);

/* Returns the number of modules: those of dump.files, with the same indexes, and after
 * process_read_heap() also unloaded ones. */
size_t process_module_count(const struct process *p);
const struct process_module *process_module(const struct process *p, size_t i);
/* Returns the module that covers an address. NULL if there is none. An unloaded module covers only
 * addresses where the dump has no memory. */
const struct process_module *process_module_at(const struct process *p, uint64_t addr);
/* Sets used[i] if debug file i of the options belongs to a module. */
void process_mark_used(const struct process *p, bool *used);
/* Fails with HEFT_EARG if a debug file of the options belongs to no module. */
bool process_check_debug_files(const struct process *p, struct heft_err *err);
/* Finds the file of a module and opens it. Only the first call does the work. */
void process_open_module(struct process *p, const struct process_module *m);

/* An address in the file of a module. */
struct process_place {
	const struct process_module *module; /* NULL if no module has the address */
	struct locator *locator;             /* Names addresses in the module. NULL if its file is
					      * missing */
	uint64_t addr;                       /* Address as in the module's headers. */
};
/* Returns the module that covers an address of the process. Opens the module's file. */
struct process_place process_locate(struct process *p, uint64_t addr);

/* A range of memory. */
struct process_mapping {
	uint64_t addr, size;
	/* Path of the mapped file, or "[heap]", "[stack of thread 12]", "[unused stack of thread
	 * 12]", "[bss of PATH]", "[anonymous]", "[reserved]" (no access). */
	const char *label;
	uint32_t thread; /* Thread whose stack is here. 0 if none */
};
/* Returns the mapped ranges, which cover all memory of the dump. If ranges overlap, the first one
 * has the shared bytes. Valid as long as the process. */
const struct process_mapping *process_mappings(struct process *p, size_t *ret_count);
/* Returns the first range that has an address. NULL if there is none. */
const struct process_mapping *process_mapping_at(struct process *p, uint64_t addr);

/* Naming: frames have the same names in all commands. A function has the name of its symbol, as in
 * `size -d symbols`. Without a symbol, it has the name from the module's debug info. Inlined
 * functions have the name from debug info. process_add_name() shows a frame without a name by its
 * address. */

/* Names all frames of heap.calls. Repeats the work only after stacks were added. Reads modules on
 * several threads. The names do not depend on the number of threads. */
void process_name_calls(struct process *p);
/* A spot is a code address in a module. All nodes of the call tree heap.calls with this address
 * share the spot, so its functions are named once. Valid after process_name_calls(). */
struct process_spot {
	uint64_t frame;  /* Code address, as in the nodes of calls */
	uint32_t module; /* Index of the module plus 1. 0 if in no module. */
	uint32_t first;  /* Private. */
	uint32_t count;  /* Number of functions. 0 for the root */
};
size_t process_spot_count(const struct process *p);
const struct process_spot *process_spot(const struct process *p, size_t i);
/* Returns the index of the spot (code address) of a node in heap.calls, for process_spot(). */
size_t process_spot_of(const struct process *p, uint32_t node);
/* Returns the functions at a spot (code address), at least one: inlined functions first, then the
 * function that contains them. Names and files live as long as the process. */
const struct heft_frame *process_spot_frames(const struct process *p, const struct process_spot *s);

/* Returns the functions of a stack of heap.calls, innermost first. Skips the allocator's innermost
 * functions, unless there are no others. Empties *ret first. Valid after process_name_calls(). */
typedef VEC(struct heft_frame) process_frame_vec;
void process_stack(const struct process *p, uint32_t stack, process_frame_vec *ret);

/* Kind of a frame. Reports show a stack from its innermost PROCESS_FRAME_PLAIN on. */
enum process_frame_kind {
	PROCESS_FRAME_PLAIN,
	PROCESS_FRAME_ALLOCATOR, /* malloc and similar, operator new, the recorder */
	PROCESS_FRAME_HELPER,    /* strdup and similar, layers of the C++ library */
	PROCESS_FRAME_CUT,       /* A mark: the recorder's limit of frames cut the callers */
};
enum process_frame_kind process_frame_kind(const struct heft_frame *f);
extern const char process_cut_off[];
/* Text in place of an unknown stack. */
extern const char process_no_stack[];

/* Adds the name of a frame: its function, otherwise "libx.so+0x1234", otherwise "0x1234". */
void process_add_name(struct text *t, const struct heft_frame *f);

/* Walks the stacks of the dump's threads, and adds them to heap.calls. Only the first call does
 * the work. Call it after process_read_heap(). Supports x86-64 and AArch64. Opens the modules'
 * files. */
void process_walk_threads(struct process *p);
/* Returns the stack of dump.threads[i], as an id of heap.calls. 0 if unknown. */
uint32_t process_thread_stack(const struct process *p, size_t i);

/* Describes an address: its mapping, its module and symbol, its part of the heap. Reads the heap.
 * False if the address is not mapped. Frames of blocks are in `a`, other texts live like the
 * process. */
bool process_at(struct process *p, uint64_t addr, struct arena *a, struct heft_heap_place *ret);
/* Returns the description of an unmapped address. */
struct heft_heap_place process_no_place(uint64_t addr);
/* Returns the frames of a stack, allocated in `a`. */
const struct heft_frame *const *process_kept_stack(struct process *p, uint32_t stack,
						   struct arena *a, size_t *ret_count);
/* Returns the description of a live or freed block, allocated in `a`. */
const struct heft_heap_block *process_block(struct process *p, const struct heap_found *f,
					    struct arena *a);
enum heft_heap_part process_part(enum heap_part_kind kind);
