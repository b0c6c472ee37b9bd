/* recorder.h - the parts of the heap recorder and the one state they share.
 *
 * The recorder runs inside programs it knows nothing of, so everywhere: no memory but own mappings,
 * no stdio, errno as it was, and rather no record than a crash.  Threads have a slot each, which
 * alone writes its tables; what threads share is read and written by single atomic words.  There is
 * one lock, taken for a thread's first allocation and its end, for a new page of tables (once in
 * 511 new stacks, 2,047 new frames or 511 stacks whose blocks another thread frees), for a module
 * that is met the first time and for a fork; all other allocations take none.
 *
 * hooks.c    what programs call: malloc and all its kin
 * rebind.c   the same for who searches the C library alone
 * allocators.c  functions of other allocators that are more than malloc and free
 * blocks.c   headers in front of blocks
 * rest.c     what is left of freed blocks
 * counters.c what every stack holds; the peak; the timeline
 * sample.c   which blocks to record, where not all are
 * stacks.c   stack of return addresses to stack id
 * memo.c     stacks walked a moment ago
 * unwind.c   where we are to a stack of return addresses
 * rows.c     return address to the rule that leads to its caller, remembered
 * cfi.c      the same from .eh_frame
 * modules.c  what is mapped
 * pages.c    pages of src/heap/block.h
 * slots.c    threads
 * sanitizer.c programs that cannot bear the recorder
 * boot.c     the real allocator, options, fork, the end
 * snapshot.c pages to a file */
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
	FRAMES_MAX = 16384, /* of a stack, with its end; of more, DEEP_KEPT are kept */
	DEEP_KEPT = 2048,   /* innermost frames of a deeper stack when it is first met */
	DEEP_LEAST = 1024,  /* as it becomes shallower and deeper; else it is walked anew */
	DEEP_MOST = 4096,
	PAGES_MAX = 1 << 17,  /* of a kind */
	SLOTS_MAX = 32767,    /* fits the bits below a page's address */
	INLINE_MAX = 254,     /* frames of an inline stack */
	BOOT_SIZE = 64 << 10, /* bytes handed out before the real allocator is known */
	ROWS_LISTED = 1024,   /* rows filled whose places are kept */
	PAGE_STEP = 4096,     /* what the kernel maps is a multiple of this */
	WORD_SIZE = (int)sizeof(uintptr_t),
};

/* Stacks are walked by unwind tables; elsewhere, by frame pointers alone. */
#if defined __x86_64__ || defined __i386__
#define HEAP_TABLES
#endif

static inline bool is_power(size_t n)
{
	return n != 0 && (n & (n - 1)) == 0;
}

/* ---- stacks as they are walked --------------------------------------------------------------- */

/* What a frame's rule does with the frame pointer. */
enum fp_use { FP_LOADS, FP_KEEPS, FP_NEEDS };

/* A frame of the last stack of a thread.  The state (sp, pc, fp) and the words at the slots decide
 * what its caller's state is.  Where no frame from here outward needs the frame pointer, before it
 * is loaded anew, `live` is false and fp may be out of date: to most code rbp is a register as any
 * other, and what it holds changes nothing. */
struct frame {
	uintptr_t sp, pc, fp;
	const uintptr_t *ra_slot; /* where the return address was read */
	const uintptr_t
		*fp_slot; /* where the caller's frame pointer was read, if it is live; or NULL */
	uint64_t hash;    /* of this frame and all outside of it */
	uint32_t node;    /* 0: not known */
	uint16_t use;     /* enum fp_use */
	bool live;
};

/* Addresses that may be read: [.., top).  `grows`: more may be readable, ask bounds_grow. */
struct bounds {
	uintptr_t top;
	bool grows;
};

/* A stack that was walked from a place before: memo.c. */
enum { MEMOS = 256, MEMO_WORDS = 10 };
struct memo {
	uintptr_t sp, pc, fp;       /* of the caller of the hook; sp 0: nothing is kept here */
	uint64_t epoch;             /* of rows and nodes */
	uint64_t hash;              /* of the frame where the last stack was met */
	uintptr_t join_sp, join_fp; /* of that frame */
	uint32_t join;              /* its index, not 0 */
	uint32_t stack;             /* the id */
	uint32_t life;              /* of the slot */
	uint16_t count;             /* words */
	bool live;                  /* fp matters */
	struct {
		const uintptr_t *slot;
		uintptr_t value;
	} words[MEMO_WORDS]; /* what was read on the way there, innermost first */
};

/* A stack that was met.  `stack` 0: free. */
struct leaf {
	uint64_t hash;
	uint32_t stack;
};

/* ---- threads --------------------------------------------------------------------------------- */

struct slot {
	/* Address of the frame that entered the recorder, 0: outside.  A signal handler finds it
	 * set; one that a handler left behind by longjmp is told by its address. */
	_Atomic(uintptr_t) busy;
	uintptr_t given, given_by;     /* what is freed or resized, for whom; 0: nothing */
	uint32_t number;               /* from 1 */
	struct slot *next_free, *next; /* of all */
	struct heap_thread *thread;

	uintptr_t stack_low, stack_top; /* of the thread's own stack, as far down as is known */
	uint32_t life;                  /* threads that had this slot */
	uint32_t row_epoch;             /* of which the frames are */
	/* frames[0..frame_count): outermost first; [0] is no frame but the end */
	uint32_t frame_count;
	uint32_t joined;      /* what the last walk found unchanged: frames[0..joined] */
	struct frame *frames; /* FRAMES_MAX; slot_walked() has as many */
	struct memo *memos;   /* MEMOS */

	struct leaf *leaves; /* stack ids by the hash of the stack, open addressing */
	uint32_t leaf_mask, leaf_count;
	uint32_t *children; /* node ids by (parent, frame), open addressing; 0: free */
	uint32_t child_mask, child_count;
	uint32_t node_epoch;
	struct heap_page *nodes, *stacks; /* not full yet, or NULL */

	int64_t delta;      /* bytes live that the process does not know of */
	uint32_t ops;       /* until the clock is looked at */
	const void *newest; /* block allocated last, not freed yet */
	uint64_t random;
	int64_t until_sample; /* bytes */
};

/* What the memory of a slot has behind it: frames, frames being walked, memos, small frees. */
static inline struct frame *slot_walked(const struct slot *s)
{
	return s->frames + FRAMES_MAX;
}

static inline struct heap_small_free *slot_small_frees(const struct slot *s)
{
	return (struct heap_small_free *)(s->memos + MEMOS);
}

/* ---- the state ------------------------------------------------------------------------------- */

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
	uintptr_t exit_at; /* address of the C library's exit; 0: not known */
	/* What comes after the hooks __libc_malloc and so on. */
	struct {
		void *(*malloc)(size_t);
		void (*free)(void *);
		void *(*calloc)(size_t, size_t);
		void *(*realloc)(void *, size_t);
		void *(*memalign)(size_t, size_t);
	} second;
	/* The C library's own, where they are not the above: rebind(). */
	struct {
		void (*free)(void *);
		void *(*realloc)(void *, size_t);
		size_t (*usable_size)(void *);
	} below;
};

enum phase {
	PHASE_NONE,
	PHASE_BOOTING, /* looking for the real allocator */
	PHASE_FORWARD, /* found; nothing is recorded yet */
	PHASE_RECORD,
	PHASE_OFF,
};

struct options {
	uint64_t sample;
	uint32_t depth;
	uint32_t flags; /* enum heap_flag */
	bool frame_pointers;
	bool no_fallback; /* end stacks where there is no unwind table */
	bool check;       /* compare frames whenever a stack is found by its hash */
	bool alone;       /* children write nothing */
	int signal;       /* upon which a snapshot is written; 0: none */
	char out[1024];   /* "": none */
	bool memory;      /* the keeper is to keep all memory at the end */
	char keeper[108]; /* abstract socket of who waits for the end; "": nobody */
	char word[40];    /* what he knows processes of the run by */
};

struct rows {
	_Atomic(uint64_t) (*table)[2]; /* pc ^ row, row */
	uint32_t shift;
};

struct recorder {
	_Atomic(int) phase;
	uintptr_t c_library;  /* an address in glibc; 0: it is another C library */
	bool filtered;        /* the program has set a filter of system calls */
	bool forked;          /* the process was not executed, but forked by one that was */
	bool foreign;         /* the real allocator is not the C library's */
	uint32_t front, tail; /* bytes added to a block that needs no alignment */
	struct real real;
	struct options opt;
	struct heap_process *process;
	struct heap_page *process_page, *timeline;

	/* Shared by all threads, seldom written. */
	_Atomic(int64_t) live;
	_Atomic(int64_t) peak;
	_Atomic(uint32_t) peak_epoch;
	_Atomic(uint32_t) row_epoch;
	_Atomic(uint32_t) node_epoch;
	_Atomic(uint64_t) sequence;

	_Atomic(struct rows *) rows;
	_Atomic(uint32_t) row_misses;
	_Atomic(uint32_t) rows_filled; /* since rows were forgotten last; the first of them */
	_Atomic(uint32_t) rows_list[ROWS_LISTED];

	/* Page address, and slot in the low bits. */
	_Atomic(uintptr_t) stacks[PAGES_MAX];
	_Atomic(uintptr_t) remote[PAGES_MAX];
	_Atomic(uintptr_t) nodes[PAGES_MAX];

	/* Under the lock. */
	_Atomic(uintptr_t) lock; /* &self of the thread that has it, or 0 */
	_Atomic(uint32_t) lock_waiters;
	uintptr_t fresh, fresh_end; /* unused pages */
	uintptr_t place; /* where the next ones are wanted; 0: not decided, 1: anywhere */
	uint32_t page_numbers[HEAP_PAGE_GONE + 1];
	struct heap_page *modules, *threads;
	_Atomic(struct heap_page *) gone; /* made when it is first needed */
	struct slot *free_slots, *all_slots;
	uint32_t slot_count;
	_Atomic(uintptr_t) *directory; /* all pages, for snapshots */
	_Atomic(uint32_t) directory_used;
	uint64_t next_moment, moment_step;
	int64_t moment_peak, moment_live;
	uint32_t tick_epoch;
	_Atomic(uint32_t) snapshots;
	unsigned key; /* of the destructor of threads */
	bool has_key;
	uint32_t boot_used;
	_Alignas(16) unsigned char boot[BOOT_SIZE];
};

extern HIDDEN struct recorder recorder;
extern HIDDEN __thread struct slot *self __attribute__((tls_model("initial-exec")));

/* ---- boot.c ---------------------------------------------------------------------------------- */

/* Finds the real allocator and, once the environment is there, starts to record. */
void boot(void) HIDDEN;
void *boot_alloc(size_t size) HIDDEN;
static inline bool boot_owns(const void *p)
{
	return (uintptr_t)p - (uintptr_t)recorder.boot < BOOT_SIZE;
}
/* Hold it with the slot busy, lest a signal handler want it too. */
void lock_take(void) HIDDEN;
bool lock_try(void) HIDDEN;
void lock_give(void) HIDDEN;
void boot_configure(void) HIDDEN;
void process_note_title(void) HIDDEN;
/* Notes the name of a function that gives memory which is not recorded. */
void process_note_beside(const char *name) HIDDEN;
uint64_t clock_now(void) HIDDEN;      /* coarse, ns */
void *map_memory(size_t size) HIDDEN; /* zeroed; NULL where there is none */
/* The same at an address, if nothing is there; else, or with 0, anywhere. */
void *map_memory_at(uintptr_t wanted, size_t size) HIDDEN;
void unmap_memory(void *p, size_t size) HIDDEN;

/* ---- sanitizer.c ----------------------------------------------------------------------------- */

/* Does not return where this process has a sanitizer. */
void sanitized_restart(char **argv, char **env) HIDDEN;

/* ---- slots.c --------------------------------------------------------------------------------- */

/* The slot of this thread, busy from now on, or NULL where nothing can be recorded. */
static inline struct slot *slot_enter(uintptr_t sp);
struct slot *slot_acquire(void) HIDDEN;
bool slot_reenter(struct slot *s, uintptr_t sp) HIDDEN;
void slots_start(void) HIDDEN;
void slots_after_fork(void) HIDDEN;
/* Is `sp`, below what is known of it, on the thread's own stack? */
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

/* From here on until slot_leave, what the thread is at is this block. */
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

/* ---- pages.c --------------------------------------------------------------------------------- */

/* A new page, known to the state's table of its kind.  NULL where there is no memory. */
struct heap_page *page_new(enum heap_page_kind kind, uint32_t entry_size, uint32_t slot) HIDDEN;
/* The page of what other slots freed of a page of stacks. */
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

/* ---- unwind.c, stacks.c ---------------------------------------------------------------------- */

bool memory_readable(uintptr_t addr) HIDDEN; /* the word there; a system call */

/* Where a hook was called from. */
struct caller {
	uintptr_t pc, sp, fp;
};

/* Of the function that has this in it. */
#define CALLER                                                                                     \
	{                                                                                          \
		.pc = (uintptr_t)__builtin_return_address(0),                                      \
		.sp = (uintptr_t)__builtin_frame_address(0) + 2 * sizeof(uintptr_t),               \
		.fp = *(const uintptr_t *)__builtin_frame_address(0),                              \
	}

/* Walks the stack of the caller into s->frames; returns the hash of all of it.  Frames are at
 * [1, frame_count), outermost first. */
uint64_t unwind(struct slot *s, const struct caller *from) HIDDEN;
/* The id of the stack that unwind() left; 0 where the tables are full. */
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

/* ---- memo.c ---------------------------------------------------------------------------------- */

/* The id of the stack here, if it is one that was walked before from the same place: every word
 * that a walk would read is compared.  0: walk, then let it be remembered. */
static inline uint32_t memo_find(const struct slot *s, const struct caller *from);
void memo_keep(struct slot *s, const struct caller *from, uint32_t stack) HIDDEN;

/* The words that the walk read from this frame to its caller have the values they had. */
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
/* tests/recorder/verify.c: holds a stack against another unwinder's. */
void verify_stack(uint32_t id) HIDDEN;
#endif

/* ---- rows.c, cfi.c, modules.c ---------------------------------------------------------------- */

enum cfa_kind {
	CFA_NONE,  /* no unwind table */
	CFA_END,   /* the outermost frame */
	CFA_SP,    /* sp + cfa_off */
	CFA_FP,    /* fp + cfa_off */
	CFA_DEREF, /* the word at fp + cfa_off */
	CFA_SIGNAL,
	CFA_OTHER, /* a table, but one that needs more than these */
};

enum fp_rule {
	FP_SAME,
	FP_AT_CFA, /* the word at cfa + 8 * fp_off */
	FP_AT_FP,  /* the word at fp + 8 * fp_off */
};

struct row {
	int32_t cfa_off;
	int16_t fp_off;
	uint8_t cfa, fp;
};

/* The row for a return address: of the instruction before it. */
struct row row_miss(uintptr_t pc) HIDDEN;
void rows_start(void) HIDDEN;
void rows_forget(void) HIDDEN; /* after something was unmapped */

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

/* The unwind table of a module, and the module. */
struct tables {
	const unsigned char *hdr; /* .eh_frame_hdr */
	uintptr_t start, end;     /* of the mapping */
	uintptr_t bias;
	const char *path; /* "" for the program */
};
bool tables_find(uintptr_t pc, struct tables *ret) HIDDEN;
struct row cfi_row(const struct tables *t, uintptr_t pc) HIDDEN;
void modules_note(const struct tables *t) HIDDEN;

/* ---- counters.c ------------------------------------------------------------------------------ */

void count_alloc(struct slot *s, uint32_t stack, const void *p, uint64_t size) HIDDEN;
/* `s` may be NULL. */
void count_free(struct slot *s, uint32_t stack, const void *p, uint64_t size) HIDDEN;
void count_flush(struct slot *s) HIDDEN;
void timeline_start(void) HIDDEN;

/* ---- sample.c -------------------------------------------------------------------------------- */

/* Is this allocation one of the sample?  Called where there is sampling only. */
bool sample_take(struct slot *s, size_t size) HIDDEN;
/* How many blocks, and bytes, the block at `p` in the sample stands for: the same whenever
 * asked. */
void sample_weight(const void *p, uint64_t size, uint64_t *ret_blocks, uint64_t *ret_bytes) HIDDEN;

/* ---- hooks.c, rebind.c ----------------------------------------------------------------------- */

/* A function that stands before another one of its name. */
struct hook {
	const char *name;
	void *own;
	/* Where another library's function is next: takes blocks with a header, and hands on all
	 * else to the C library's function, whose address it gets; or NULL. */
	void *deep;
	void **ret_below;
};
extern HIDDEN const struct hook hooks[]; /* ends with a NULL */
size_t page_size(void) HIDDEN;
/* An address in a dynamic section.  glibc has added the bias on most machines; musl has not. */
static inline uintptr_t dynamic_address(uintptr_t bias, uintptr_t value)
{
	return value < bias ? bias + value : value;
}
/* Puts the hooks in the C library's table of symbols. */
void rebind(void) HIDDEN;
/* Whether the module that holds an address defines a function of that name.  Unlike dlsym it leaves
 * no error behind, which the C library frees with the program's free. */
bool module_defines(uintptr_t at, const char *name) HIDDEN;

/* ---- blocks.c -------------------------------------------------------------------------------- */

void *block_malloc(size_t size, const struct caller *from) HIDDEN;
void *block_calloc(size_t size, const struct caller *from) HIDDEN;
void *block_realloc(void *p, size_t size, const struct caller *from) HIDDEN;
void *block_memalign(size_t align, size_t size, const struct caller *from) HIDDEN;
void block_free(void *p, uintptr_t sp, uintptr_t pc) HIDDEN; /* pc: where free returns to */
size_t block_usable_size(void *p) HIDDEN;
bool block_is_ours(void *p) HIDDEN; /* has it a header of a block in use? */

struct head {
	uint32_t flags, stack;
	uint64_t size;
	unsigned char *raw; /* what the real allocator gave */
};

/* ---- allocators.c ---------------------------------------------------------------------------- */

/* Has the functions recorded that the allocator below has beside malloc; before it records. */
void allocators_start(void) HIDDEN;

/* ---- rest.c ---------------------------------------------------------------------------------- */

/* Notes in the ring that a block was freed from `pc`. */
void rest_note(const struct slot *s, const void *p, const struct head *h, uintptr_t pc,
	       enum heap_gone_why why) HIDDEN;
/* Is p a freed block, whose header the allocator has written over?  Its own bytes or the ring say
 * so.  The real allocator is the C library's. */
bool rest_find(const unsigned char *p, struct head *ret) HIDDEN;

/* ---- snapshot.c ------------------------------------------------------------------------------ */

/* Writes all pages to the file of the options: that of the end, or the next numbered one.  False
 * where there is none or it cannot be written.  May be called in a signal handler. */
bool snapshot_write(bool numbered) HIDDEN;
/* Lets a signal write a snapshot, if it would end the process or be ignored by default. */
void snapshot_upon(int signal) HIDDEN;
void snapshot_at_exit(void) HIDDEN;
void snapshot_announce(void) HIDDEN;
/* The calling thread ends the process: what its stack has below `at` is no longer the program's;
 * 0: it returned from main, perhaps.  Does nothing where the memory is not kept. */
void snapshot_note_end(const struct caller *from, uintptr_t at) HIDDEN;

#endif
