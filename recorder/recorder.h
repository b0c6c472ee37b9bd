/* recorder.h - the parts of the heap recorder and their shared state.
 *
 * The recorder runs inside unknown programs. So it uses only its own mappings as memory, does not
 * use stdio, and keeps errno. In doubt it drops a record instead of crashing. Each thread has a
 * slot, and only that thread writes the slot's tables. Data shared by threads is read and written
 * as single atomic words.
 *
 * There is one lock. It is taken at the first allocation of a thread, at the thread's end, at a
 * fork, for a new module, and for a new page of tables. A new page is needed per 511 new stacks,
 * per 2,047 new frames, or per 511 stacks whose blocks another thread frees. Other allocations do
 * not take a lock.
 *
 * - hooks.c: replaces malloc and its variants
 * - rebind.c: replaces them for callers that search only the C library
 * - allocators.c: replaces functions of other allocators, beyond malloc and free
 * - blocks.c: headers before blocks
 * - rest.c: records of freed blocks
 * - counters.c: counters per stack, the peak, the timeline
 * - sample.c: chooses the blocks to record, if blocks are sampled
 * - stacks.c: stack of return addresses to stack id
 * - memo.c: remembers stacks that were walked before
 * - unwind.c: walks the current stack to return addresses
 * - rows.c: caches the unwind rule (row) of each return address
 * - cfi.c: reads this rule from .eh_frame
 * - modules.c: finds modules and their unwind tables
 * - pages.c: pages of src/heap/block.h
 * - slots.c: slots of threads
 * - sanitizer.c: restarts programs that cannot run with the recorder
 * - boot.c: the real allocator, options, fork, the end
 * - snapshot.c: writes pages to a file */
#ifndef HEFT_RECORDER_H
#define HEFT_RECORDER_H

#include "heap/block.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HIDDEN __attribute__((visibility("hidden")))
#define EXPORT __attribute__((visibility("default")))
#define HOT    __attribute__((hot))
#define COLD   __attribute__((cold, noinline))

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

enum {
	FRAMES_MAX = 16384, /* Maximal number of frames of a stack, including the entry that ends
			     * the stack. A deeper stack keeps its innermost DEEP_KEPT frames */
	DEEP_KEPT = 2048,   /* Frames that a deeper stack keeps when it is first walked */
	DEEP_LEAST = 1024,  /* Limits of the frames of a deep stack while it grows and shrinks.
			     * Beyond them, the stack is walked again */
	DEEP_MOST = 4096,
	PAGES_MAX = 1 << 17,  /* Maximal number of pages of one kind */
	SLOTS_MAX = 32767,    /* Maximal number of slots. A slot number must fit into the unused
			       * low bits of a page's address */
	INLINE_MAX = 254,     /* Maximal frames of an inline stack */
	BOOT_SIZE = 64 << 10, /* Bytes for allocations before the real allocator is known */
	ROWS_LISTED = 1024,   /* Capacity of rows_list, the indexes of filled rows. If more were
			       * filled, rows_forget() clears the whole table */
	PAGE_STEP = 4096,     /* Kernel mappings are multiples of this */
	WORD_SIZE = (int)sizeof(uintptr_t),
};

/* Machines whose stacks are walked by unwind tables. Others use only frame pointers. */
#if defined __x86_64__ || defined __i386__
#define HEAP_TABLES
#endif

static inline bool is_power(size_t n)
{
	return n != 0 && (n & (n - 1)) == 0;
}

/* What a frame's rule does with the frame pointer: loads the caller's, keeps it, or reads it. */
enum fp_use { FP_LOADS, FP_KEEPS, FP_NEEDS };

/* A frame of the last stack of a thread. Its state (sp, pc, fp) and the words at ra_slot, fp_slot
 * determine the caller's state. Most code uses rbp as a general register. `live` is false if this
 * frame and its callers do not use fp before they load it. Then fp may be outdated. */
struct frame {
	uintptr_t sp, pc, fp;
	const uintptr_t *ra_slot; /* Address from which the walk read the return address */
	const uintptr_t *fp_slot; /* Address from which the caller's frame pointer was read, or
				   * NULL if it is not live */
	uint64_t hash;            /* Hash of this frame and all its callers */
	uint32_t node;            /* Its struct heap_node. 0 if unknown */
	uint16_t use;             /* enum fp_use */
	bool live;
};

/* End of the readable part of a stack. `grows`: more may be readable (bounds_grow()). */
struct bounds {
	uintptr_t top;
	bool grows;
};

/* A stack that was walked before from the same place (memo.c). */
enum { MEMOS = 256, MEMO_WORDS = 10 };
struct memo {
	uintptr_t sp, pc, fp;       /* State of the hook's caller. sp is 0 in an empty entry */
	uint64_t epoch;             /* row_epoch and node_epoch when the entry was made */
	uint64_t hash;              /* Hash of the frame at which the walk met the old stack */
	uintptr_t join_sp, join_fp; /* sp and fp of that frame */
	uint32_t join;              /* Index of that frame, not 0 */
	uint32_t stack;             /* Id of the stack */
	uint32_t life;              /* slot->life when the entry was made */
	uint16_t count;             /* Number of entries in `words` */
	bool live;                  /* True if the caller's state depends on fp */
	struct {
		const uintptr_t *slot;
		uintptr_t value;
	} words[MEMO_WORDS]; /* Words that the walk read until that frame, innermost first. */
};

/* A stack whose id is known. `stack` is 0 if the entry is free. */
struct leaf {
	uint64_t hash;
	uint32_t stack;
};

struct slot {
	/* Address of the frame that entered the recorder. 0 if the thread is not in the recorder. A
	 * signal handler uses it to detect that it interrupted the recorder. If a handler left by
	 * longjmp, the value is outdated; slot_reenter() sees that by the address. */
	_Atomic(uintptr_t) busy;
	uintptr_t given, given_by;     /* Block that is being freed or resized, and the return
				        * address of the call. 0 if there is none */
	uint32_t number;               /* Slot number, from 1 */
	struct slot *next_free, *next; /* Next in the lists of unused and of all slots */
	struct heap_thread *thread;

	uintptr_t stack_low, stack_top; /* Known part of the thread's own stack */
	uint32_t life;                  /* Number of threads that have had this slot so far */
	uint32_t row_epoch;             /* recorder.row_epoch when the frames were made */
	/* Frames are frames[0..frame_count), outermost first. [0] is the end mark, not a frame. */
	uint32_t frame_count;
	uint32_t joined;      /* frames[0..joined] were unchanged in the last walk */
	struct frame *frames; /* FRAMES_MAX frames, then those of slot_walked() */
	struct memo *memos;   /* Array of MEMOS entries */

	struct leaf *leaves; /* Stack ids by the hash of the stack, with open addressing */
	uint32_t leaf_mask, leaf_count;
	uint32_t *children; /* Node ids by (parent, frame), with open addressing. 0 if free */
	uint32_t child_mask, child_count;
	uint32_t node_epoch;
	struct heap_page *nodes, *stacks; /* Pages that are not yet full, or NULL */

	int64_t delta;      /* Change of live bytes that was not yet added to the process */
	uint32_t ops;       /* Operations until the clock is read again */
	const void *newest; /* Last allocated block, if it is not yet freed */
	uint64_t random;
	int64_t until_sample; /* Bytes until the next sample starts */
};

/* Return parts of the slot's memory: frames being walked, small frees. Order: frames, frames being
 * walked, memos, small frees. */
static inline struct frame *slot_walked(const struct slot *s)
{
	return s->frames + FRAMES_MAX;
}

static inline struct heap_small_free *slot_small_frees(const struct slot *s)
{
	return (struct heap_small_free *)(s->memos + MEMOS);
}

struct real {
	void *(*malloc)(size_t);
	void (*free)(void *);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void *(*memalign)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	size_t (*usable_size)(void *);
	int (*dlclose)(void *);
	int (*prctl)(int, ...);
	void (*exit_now)(int);
	void (*exit)(int);
	uintptr_t exit_at; /* Address of the C library's exit. 0 if unknown */
	/* Functions that the hooks of __libc_malloc, __libc_free and others call. */
	struct {
		void *(*malloc)(size_t);
		void (*free)(void *);
		void *(*calloc)(size_t, size_t);
		void *(*realloc)(void *, size_t);
		void *(*memalign)(size_t, size_t);
	} second;
	/* The C library's own functions, if they differ from the ones above. Set by rebind(). */
	struct {
		void (*free)(void *);
		void *(*realloc)(void *, size_t);
		size_t (*usable_size)(void *);
	} below;
};

enum phase {
	PHASE_NONE,
	PHASE_BOOTING, /* The real allocator is being searched */
	PHASE_FORWARD, /* The real allocator is known. Nothing is recorded yet */
	PHASE_RECORD,
	PHASE_OFF,
};

struct options {
	uint64_t sample;
	uint32_t depth;
	uint32_t flags; /* Flags, enum heap_flag */
	bool frame_pointers;
	bool no_fallback; /* End stacks at code without an unwind table */
	bool check;       /* Compare all frames of a stack that was found by its hash */
	bool alone;       /* Child processes write nothing */
	int signal;       /* Signal on which the recorder writes a snapshot. 0 if there is none */
	char out[1024];   /* File name pattern. "" if nothing is written */
	bool memory;      /* True if the keeper process writes all memory when this process ends */
	char keeper[108]; /* Abstract socket of the keeper: the process that waits until this one
			   * ends. "" if there is none */
	char word[40];    /* Word that identifies processes of the run to the keeper */
};

struct rows {
	_Atomic(uint64_t) (*table)[2]; /* An entry is {pc ^ row, row}: see rows.c */
	uint32_t shift;
};

struct recorder {
	_Atomic(int) phase;
	uintptr_t c_library;  /* An address in glibc. 0 for another C library */
	bool filtered;        /* True if the program has set a filter of system calls */
	bool forked;          /* True if the process was forked without an exec */
	bool foreign;         /* True if the real allocator is not the C library's */
	uint32_t front, tail; /* Bytes that the recorder adds before and after a block, if the
			       * program requested no alignment */
	struct real real;
	struct options opt;
	struct heap_process *process;
	struct heap_page *process_page, *timeline;

	/* Words that all threads share. They are rarely written. */
	_Atomic(int64_t) live;
	_Atomic(int64_t) peak;
	_Atomic(uint32_t) peak_epoch;
	_Atomic(uint32_t) row_epoch;
	_Atomic(uint32_t) node_epoch;
	_Atomic(uint64_t) sequence;

	_Atomic(struct rows *) rows;
	_Atomic(uint32_t) row_misses;
	_Atomic(uint32_t) rows_filled; /* Rows filled since rows_forget(). rows_list has the
				        * indexes of the first ones */
	_Atomic(uint32_t) rows_list[ROWS_LISTED];

	/* Per page number: page address, with the slot number in the low bits. */
	_Atomic(uintptr_t) stacks[PAGES_MAX];
	_Atomic(uintptr_t) remote[PAGES_MAX];
	_Atomic(uintptr_t) nodes[PAGES_MAX];

	/* Fields protected by the lock. */
	_Atomic(uintptr_t) lock; /* &self of the thread that holds the lock, or 0 */
	_Atomic(uint32_t) lock_waiters;
	uintptr_t fresh, fresh_end; /* Range of unused pages */
	uintptr_t place;            /* Wanted address of the next pages. 0: undecided, 1: any */
	uint32_t page_numbers[HEAP_PAGE_GONE + 1];
	struct heap_page *modules, *threads;
	_Atomic(struct heap_page *) gone; /* Page of the ring of freed blocks. NULL until needed */
	struct slot *free_slots, *all_slots;
	uint32_t slot_count;
	_Atomic(uintptr_t) *directory; /* Addresses of all pages, for snapshots */
	_Atomic(uint32_t) directory_used;
	uint64_t next_moment, moment_step;
	int64_t moment_peak, moment_live;
	uint32_t tick_epoch;
	_Atomic(uint32_t) snapshots;
	unsigned key; /* pthread key whose destructor frees a thread's slot when the thread ends */
	bool has_key; /* True if pthread_key_create() succeeded */
	uint32_t boot_used;
	_Alignas(16) unsigned char boot[BOOT_SIZE];
};

extern HIDDEN struct recorder recorder;
extern HIDDEN __thread struct slot *self __attribute__((tls_model("initial-exec")));

/* boot.c: finds the real allocator. Starts recording when the environment can be read. */
void boot(void) HIDDEN;
void *boot_alloc(size_t size) HIDDEN;
static inline bool boot_owns(const void *p)
{
	return (uintptr_t)p - (uintptr_t)recorder.boot < BOOT_SIZE;
}
/* Take and release the lock. Hold it only while the slot is in use, so that a signal handler does
 * not try to take it. */
void lock_take(void) HIDDEN;
bool lock_try(void) HIDDEN;
void lock_give(void) HIDDEN;
void boot_configure(void) HIDDEN;
void process_note_title(void) HIDDEN;
void process_note_beside(const char *name) HIDDEN;
uint64_t clock_now(void) HIDDEN;      /* Coarse time in nanoseconds */
void *map_memory(size_t size) HIDDEN; /* Returns zeroed memory. NULL on failure */
/* Maps memory at `wanted` if that is free. Otherwise, or if `wanted` is 0, maps it anywhere. */
void *map_memory_at(uintptr_t wanted, size_t size) HIDDEN;
void unmap_memory(void *p, size_t size) HIDDEN;

/* sanitizer.c: restarts the program without the recorder if this process has a sanitizer. */
void sanitized_restart(char **argv, char **env) HIDDEN;

/* slots.c: returns the slot of this thread, marked as in use. NULL if nothing can be recorded. */
static inline struct slot *slot_enter(uintptr_t sp);
struct slot *slot_acquire(void) HIDDEN;
bool slot_reenter(struct slot *s, uintptr_t sp) HIDDEN;
void slots_start(void) HIDDEN;
void slots_after_fork(void) HIDDEN;
/* True if `sp`, which is below the known part of the thread's stack, is on that stack too. The
 * known part then begins at `sp`. */
bool slot_stack_grow(struct slot *s, uintptr_t sp) HIDDEN;

static inline struct slot *slot_enter(uintptr_t sp)
{
	struct slot *s = self;
	if (UNLIKELY(s == NULL)) {
		s = slot_acquire();
		if (s == NULL)
			return NULL;
	}
	if (UNLIKELY(atomic_load_explicit(&s->busy, memory_order_relaxed) != 0) &&
	    !slot_reenter(s, sp))
		return NULL;
	atomic_store_explicit(&s->busy, sp, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	return s;
}

/* Sets the block that the thread frees or resizes, until slot_leave(). */
static inline void slot_give(struct slot *s, const void *p, uintptr_t by)
{
	s->given = (uintptr_t)p;
	s->given_by = by;
	atomic_signal_fence(memory_order_seq_cst);
}

static inline void slot_leave(struct slot *s)
{
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&s->busy, 0, memory_order_relaxed);
}

/* pages.c: makes a page and adds it to the table of its kind. NULL if memory runs out. */
struct heap_page *page_new(enum heap_page_kind kind, uint32_t entry_size, uint32_t slot) HIDDEN;
/* Returns the page with the counts of frees by other slots, for page `number` of stacks. */
struct heap_page *page_remote(uint32_t number) HIDDEN;

static inline void *page_entry(struct heap_page *p, uint32_t index)
{
	return (unsigned char *)p + HEAP_PAGE_HEADER + (size_t)index * p->entry_size;
}

static inline uint32_t page_capacity(const struct heap_page *p)
{
	return (HEAP_PAGE_SIZE - HEAP_PAGE_HEADER) / p->entry_size;
}

static inline struct heap_page *page_at(uintptr_t word)
{
	return (struct heap_page *)(word & ~(uintptr_t)(HEAP_PAGE_SIZE - 1));
}

bool memory_readable(uintptr_t addr) HIDDEN; /* True if that word can be read. Costs a system
					      * call */

/* Place from which a hook was called. */
struct caller {
	uintptr_t pc, sp, fp;
};

/* State of the caller of the function that uses this macro. */
#define CALLER                                                                                     \
	{                                                                                          \
		.pc = (uintptr_t)__builtin_return_address(0),                                      \
		.sp = (uintptr_t)__builtin_frame_address(0) + 2 * sizeof(uintptr_t),               \
		.fp = *(const uintptr_t *)__builtin_frame_address(0),                              \
	}

/* Walks the stack of the caller into s->frames and returns its hash. Frames are at [1,
 * frame_count), outermost first. */
uint64_t unwind(struct slot *s, const struct caller *from) HIDDEN;
/* Returns the id of the stack that unwind() walked. 0 if the tables are full. */
uint32_t stack_id(struct slot *s, uint64_t hash) HIDDEN;
static inline struct heap_stack *stack_get(uint32_t id, uint32_t *ret_slot)
{
	const uintptr_t w = atomic_load_explicit(&recorder.stacks[id >> HEAP_STACK_SHIFT],
						 memory_order_acquire);
	*ret_slot = (uint32_t)(w & (HEAP_PAGE_SIZE - 1));
	return (struct heap_stack *)((w - *ret_slot) + HEAP_PAGE_HEADER +
				     (id & ((1U << HEAP_STACK_SHIFT) - 1)) *
					     sizeof(struct heap_stack));
}

static inline struct heap_node *node_get(uint32_t id)
{
	const uintptr_t w = atomic_load_explicit(&recorder.nodes[id >> HEAP_NODE_SHIFT],
						 memory_order_relaxed);
	return (struct heap_node *)((unsigned char *)page_at(w) + HEAP_PAGE_HEADER) +
	       (id & ((1U << HEAP_NODE_SHIFT) - 1));
}

/* memo.c: returns the id of the current stack, if it was walked before from the same place.
 * Compares all words that a walk would read. 0 if not found; then walk, and call memo_keep(). */
static inline uint32_t memo_find(const struct slot *s, const struct caller *from);
void memo_keep(struct slot *s, const struct caller *from, uint32_t stack) HIDDEN;

/* True if the words that the walk read between this frame and its caller are unchanged. */
static inline bool words_same(const struct frame *f)
{
	return *f->ra_slot == f[-1].pc && (f->fp_slot == NULL || *f->fp_slot == f[-1].fp);
}

static inline uint64_t memo_epoch(void)
{
	return (uint64_t)atomic_load_explicit(&recorder.row_epoch, memory_order_relaxed) << 32 |
	       atomic_load_explicit(&recorder.node_epoch, memory_order_relaxed);
}

static inline struct memo *memo_entry(const struct slot *s, const struct caller *from)
{
	const uint64_t h = (from->pc ^ from->sp << 20) * UINT64_C(0x9e3779b97f4a7c15);
	return &s->memos[h >> 56];
}

static inline uint32_t memo_find(const struct slot *s, const struct caller *from)
{
	const struct memo *m = memo_entry(s, from);
	if (m->sp != from->sp || m->pc != from->pc || m->epoch != memo_epoch() ||
	    m->life != s->life || (m->live && m->fp != from->fp))
		return 0;
	for (uint32_t i = 0; i < m->count; i++)
		if (*m->words[i].slot != m->words[i].value)
			return 0;
	uint32_t k = m->join;
	const struct frame *f = &s->frames[k];
	if (k >= s->frame_count || f->hash != m->hash || f->sp != m->join_sp ||
	    (f->live && f->fp != m->join_fp))
		return 0;
	for (; k > 0; k--, f--)
		if (UNLIKELY(!words_same(f)))
			return 0;
	return m->stack;
}

#ifdef HEFT_VERIFY
/* tests/recorder/verify.c: compares a stack with the result of another unwinder. */
void verify_stack(uint32_t id) HIDDEN;
#endif

enum cfa_kind {
	CFA_NONE,  /* There is no unwind table */
	CFA_END,   /* The outermost frame */
	CFA_SP,    /* CFA = sp + cfa_off */
	CFA_FP,    /* CFA = fp + cfa_off */
	CFA_DEREF, /* CFA = the word at fp + cfa_off */
	CFA_SIGNAL,
	CFA_OTHER, /* There is a table, but its rule is of another kind */
};

enum fp_rule {
	FP_SAME,
	FP_AT_CFA, /* The caller's fp is the word at cfa + 8 * fp_off */
	FP_AT_FP,  /* The caller's fp is the word at fp + 8 * fp_off */
};

struct row {
	int32_t cfa_off;
	int16_t fp_off;
	uint8_t cfa, fp;
};

/* Computes the unwind rule of a return address: that of the instruction before it. */
struct row row_miss(uintptr_t pc) HIDDEN;
void rows_start(void) HIDDEN;
/* Forgets all rows. Call it after code was unmapped, because other code may be mapped there. */
void rows_forget(void) HIDDEN;

static inline uint64_t row_word(struct row r)
{
	return (uint64_t)(uint32_t)r.cfa_off << 32 | (uint64_t)(uint16_t)r.fp_off << 16 |
	       (uint64_t)r.cfa << 8 | r.fp;
}

static inline struct row row_of_word(uint64_t w)
{
	return (struct row){ (int32_t)(w >> 32), (int16_t)(w >> 16), (uint8_t)(w >> 8),
			     (uint8_t)w };
}

static inline _Atomic(uint64_t) *row_entry(const struct rows *t, uintptr_t pc)
{
	return t->table[pc * UINT64_C(0x9e3779b97f4a7c15) >> t->shift];
}

static inline struct row row_get(const struct rows *t, uintptr_t pc)
{
	_Atomic(uint64_t) *e = row_entry(t, pc);
	const uint64_t key = atomic_load_explicit(&e[0], memory_order_relaxed);
	const uint64_t row = atomic_load_explicit(&e[1], memory_order_relaxed);
	return LIKELY((key ^ row) == pc) ? row_of_word(row) : row_miss(pc);
}

/* A module and its unwind table. */
struct tables {
	const unsigned char *hdr; /* Address of .eh_frame_hdr */
	uintptr_t start, end;     /* Range of the mapping */
	uintptr_t bias;
	const char *path; /* Path. "" for the program */
};
bool tables_find(uintptr_t pc, struct tables *ret) HIDDEN;
struct row cfi_row(const struct tables *t, uintptr_t pc) HIDDEN;
void modules_note(const struct tables *t) HIDDEN;

void count_alloc(struct slot *s, uint32_t stack, const void *p, uint64_t size) HIDDEN;
/* Counts a free. `s` is the thread's slot; NULL if the slot is in use. */
void count_free(struct slot *s, uint32_t stack, const void *p, uint64_t size) HIDDEN;
void count_flush(struct slot *s) HIDDEN;
void timeline_start(void) HIDDEN;

/* sample.c: true if this allocation belongs to the sample. Called only if blocks are sampled. */
bool sample_take(struct slot *s, size_t size) HIDDEN;
/* Returns how many blocks and bytes the sampled block at `p` represents: the same at each call. */
void sample_weight(const void *p, uint64_t size, uint64_t *ret_blocks, uint64_t *ret_bytes) HIDDEN;

/* A function that replaces another one of the same name. */
struct hook {
	const char *name;
	void *own;
	/* Hook for the C library's function if another library's function of this name precedes it.
	 * NULL if there is none. It handles blocks with the recorder's header. It passes other
	 * blocks to the C library's function, whose address *ret_below receives. */
	void *deep;
	void **ret_below;
};
extern HIDDEN const struct hook hooks[]; /* The last entry has the name NULL */
size_t page_size(void) HIDDEN;
/* Returns an address of a dynamic section. glibc has usually added the bias, musl has not. */
static inline uintptr_t dynamic_address(uintptr_t bias, uintptr_t value)
{
	return value < bias ? bias + value : value;
}
void rebind(void) HIDDEN;
/* True if the module at an address defines a function of this name. Avoids dlsym, whose error text
 * the C library would free with the program's free. */
bool module_defines(uintptr_t at, const char *name) HIDDEN;

void *block_malloc(size_t size, const struct caller *from) HIDDEN;
void *block_calloc(size_t size, const struct caller *from) HIDDEN;
void *block_realloc(void *p, size_t size, const struct caller *from) HIDDEN;
void *block_memalign(size_t align, size_t size, const struct caller *from) HIDDEN;
void block_free(void *p, uintptr_t sp, uintptr_t pc) HIDDEN; /* pc: return address of free */
size_t block_usable_size(void *p) HIDDEN;
bool block_is_ours(void *p) HIDDEN; /* True if p has the header of a block in use */

struct head {
	uint32_t flags, stack;
	uint64_t size;
	unsigned char *raw; /* Start of the real allocator's block */
};

/* Hooks the real allocator's functions other than malloc and free. Called before recording. */
void allocators_start(void) HIDDEN;

/* Stores in the ring of freed blocks that a block was freed from `pc`. */
void rest_note(const struct slot *s, const void *p, const struct head *h, uintptr_t pc,
	       enum heap_gone_why why) HIDDEN;
/* True if p is a freed block whose header the allocator has overwritten. The block's own bytes or
 * the ring of freed blocks show that. The real allocator must be the C library's. */
bool rest_find(const unsigned char *p, struct head *ret) HIDDEN;

/* Writes all pages to the file that options.out names: the final file, or the next numbered one.
 * False if no file is set, or if it cannot be written. May be called in a signal handler. */
bool snapshot_write(bool numbered) HIDDEN;
/* Makes a signal write a snapshot, if the signal has its default action. */
void snapshot_upon(int signal) HIDDEN;
void snapshot_at_exit(void) HIDDEN;
void snapshot_announce(void) HIDDEN;
/* Notes that the calling thread ends the process. Its stack below `at` no longer belongs to the
 * program. `at` is 0 if the thread may have returned from main. Does nothing if the keeper does not
 * write all memory. */
void snapshot_note_end(const struct caller *from, uintptr_t at) HIDDEN;

#endif
