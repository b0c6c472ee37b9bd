/* unwind.c - walks the current stack to return addresses. A step needs one row (unwind rule) and
 * two loads.
 *
 * The outer part of a stack seldom changes between two allocations of a thread. So the last stack
 * is kept. Suppose that a frame of the new stack has the same state as a frame of the old stack. If
 * every word that the old walk read for this frame and its callers is unchanged, all these callers
 * are the same. Words are compared from inside to outside, so no word is read that a walk would not
 * read.
 *
 * A bad frame ends the stack: the stack pointer must rise, stay aligned, and stay within the
 * thread's own stack. On other stacks (coroutines, signal stacks), the recorder asks the kernel
 * which addresses can be read. */
#include "recorder.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	PROBE_MAX = 1 << 20, /* Maximal bytes of a frame on an unknown stack */
	RED_ZONE = 128,
};

static const uintptr_t no_word = 0;
/* For frames that must always be walked again: their ra_slot points to this word. It is odd, so it
 * equals no program counter. */
static const uintptr_t odd_word = 1;
static const uintptr_t cut_word = (uintptr_t)HEAP_FRAME_CUT;

struct walk {
	const struct rows *rows;
	struct bounds bounds;
	struct slot *slot;
};

/* True if an address can be read. The test has no side effects: rt_sigprocmask reads its set before
 * it checks its first argument. */
bool memory_readable(uintptr_t addr)
{
	const int saved = errno;
	const long r = syscall(SYS_rt_sigprocmask, ~0L, addr & ~(uintptr_t)7, NULL, 8);
	const bool yes = r == 0 || errno != EFAULT;
	errno = saved;
	return yes;
}

static void bounds_set(struct walk *w, uintptr_t sp)
{
	struct slot *s = w->slot;
	if (LIKELY(sp >= s->stack_low && sp < s->stack_top) || slot_stack_grow(s, sp)) {
		w->bounds = (struct bounds){ s->stack_top, false };
		return;
	}
	w->bounds = (struct bounds){ (sp | (PAGE_STEP - 1)) + 1, true };
}

/* True if all addresses below `end` can be read. Extends the known bounds of the stack. */
static COLD bool bounds_grow(struct walk *w, uintptr_t end)
{
	struct bounds *b = &w->bounds;
	if (!b->grows || end < b->top || end - b->top > PROBE_MAX)
		return b->grows && end <= b->top;
	while (b->top < end) {
		if (!memory_readable(b->top))
			return false;
		b->top += PAGE_STEP;
	}
	return true;
}

static inline bool in_bounds(struct walk *w, uintptr_t end)
{
	return LIKELY(end <= w->bounds.top) || bounds_grow(w, end);
}

/* Ends the stack at this frame, for which no word was read. Returns false. */
static inline bool step_end(struct frame *at, struct frame *next)
{
	at->ra_slot = at->fp_slot = &no_word;
	next->pc = next->fp = 0;
	return false;
}

#ifdef HEAP_TABLES
/* Addresses of the words in a signal frame that have the interrupted registers, and their end. */
struct interrupted {
	uintptr_t fp, sp, pc, end;
};

#ifdef __x86_64__
/* Finds the registers of an interrupted function. sp points to the ucontext (Linux: uc_mcontext at
 * 40, in the order of REG_R8 ... of <sys/ucontext.h>). */
static bool interrupted_find(struct walk *w, const struct frame *at, struct interrupted *ret)
{
	(void)w;
	*ret = (struct interrupted){ at->sp + 120, at->sp + 160, at->sp + 168, at->sp + 176 };
	return true;
}
#else
/* Finds the registers of an interrupted function. The handler's arguments start at sp. A handler
 * with one argument, the signal number, returns to "pop %eax". Then the registers follow the
 * number. Other handlers have the number and two pointers. The second points to the ucontext, with
 * the registers at 20 (Linux: struct sigcontext_32). */
static bool interrupted_find(struct walk *w, const struct frame *at, struct interrupted *ret)
{
	enum { POP_EAX = 0x58 };
	uintptr_t registers = at->sp + 4;
	if (!in_bounds(w, at->sp + 12))
		return false;
	if (*(const unsigned char *)at->pc != POP_EAX)
		registers = *(const uintptr_t *)(at->sp + 8) + 20;
	*ret = (struct interrupted){ registers + 24, registers + 28, registers + 56,
				     registers + 60 };
	return registers >= at->sp;
}
#endif
#endif

static COLD bool step_signal(struct walk *w, struct frame *at, struct frame *next)
{
#ifdef HEAP_TABLES
	struct interrupted words;
	if (!interrupted_find(w, at, &words) || !in_bounds(w, words.end))
		return step_end(at, next);
	next->fp = *(const uintptr_t *)words.fp;
	next->sp = *(const uintptr_t *)words.sp;
	next->pc = *(const uintptr_t *)words.pc + 1;
	bounds_set(w, next->sp);
	at->ra_slot = at->fp_slot = &odd_word;
	return next->pc > PAGE_STEP && (next->sp & (WORD_SIZE - 1)) == 0 &&
	       (!w->bounds.grows || memory_readable(next->sp));
#else
	(void)w;
	return step_end(at, next);
#endif
}

/* Steps to the caller by the frame pointer, for code without a table. False if it is invalid. */
static bool step_chain(struct walk *w, struct frame *at, struct frame *next)
{
	const uintptr_t fp = at->fp;
	if (fp < at->sp || (fp & (sizeof fp - 1)) != 0 || fp > UINTPTR_MAX - 2 * sizeof fp ||
	    !in_bounds(w, fp + 2 * sizeof fp))
		return step_end(at, next);
	at->fp_slot = (const uintptr_t *)fp;
	at->ra_slot = at->fp_slot + 1;
	next->fp = *at->fp_slot;
	next->pc = *at->ra_slot;
	next->sp = fp + 2 * sizeof fp;
	return next->pc >= PAGE_STEP;
}

static COLD bool step_odd(struct walk *w, struct row row, struct frame *at, struct frame *next,
			  uintptr_t *ret_cfa)
{
	if (row.cfa == CFA_SIGNAL)
		return step_signal(w, at, next);
	if (row.cfa == CFA_DEREF) {
		const uintptr_t word = at->fp + (uintptr_t)(intptr_t)row.cfa_off;
		if (word >= at->sp && (word & (WORD_SIZE - 1)) == 0 &&
		    in_bounds(w, word + WORD_SIZE)) {
			*ret_cfa = *(const uintptr_t *)word;
			return true;
		}
	}
	if (row.cfa == CFA_NONE && !recorder.opt.no_fallback)
		return step_chain(w, at, next);
	return step_end(at, next);
}

/* Steps from a frame to its caller. Sets the frame's ra_slot and fp_slot. False if the frame is the
 * last one; `next` then has the words that were read, or zeros. */
static inline bool step(struct walk *w, struct frame *at, struct frame *next)
{
	const uintptr_t sp = at->sp, fp = at->fp;
	const struct row row = row_get(w->rows, at->pc);
	at->use = FP_NEEDS;
	uintptr_t cfa = (row.cfa == CFA_SP ? sp : fp) + (uintptr_t)(intptr_t)row.cfa_off;
	if (UNLIKELY(row.cfa != CFA_SP && row.cfa != CFA_FP)) {
		const bool more = step_odd(w, row, at, next, &cfa);
		if (!more || row.cfa != CFA_DEREF)
			return more;
	}
	if (UNLIKELY(cfa <= sp || (cfa & (WORD_SIZE - 1)) != 0 || !in_bounds(w, cfa)))
		return step_end(at, next);
	const uintptr_t *ra = (const uintptr_t *)(cfa - WORD_SIZE), *fp_slot = NULL;
	uintptr_t next_fp = fp;
	if (row.fp != FP_SAME) {
		const uintptr_t word = (row.fp == FP_AT_CFA ? cfa : fp) +
				       (uintptr_t)((intptr_t)row.fp_off * WORD_SIZE);
		if (UNLIKELY(word + RED_ZONE < sp || (word & (WORD_SIZE - 1)) != 0 ||
			     !in_bounds(w, word + WORD_SIZE)))
			return step_end(at, next);
		fp_slot = (const uintptr_t *)word;
		next_fp = *fp_slot;
	}
	if (UNLIKELY(row.cfa == CFA_DEREF))
		fp_slot = &odd_word;
	if (LIKELY(row.cfa == CFA_SP && row.fp != FP_AT_FP))
		at->use = row.fp == FP_SAME ? FP_KEEPS : FP_LOADS;
	at->ra_slot = row.cfa == CFA_DEREF ? fp_slot : ra;
	at->fp_slot = fp_slot;
	next->sp = cfa;
	next->fp = next_fp;
	next->pc = *ra;
	return next->pc != 0;
}

static inline uint64_t hash_add(uint64_t hash, uintptr_t pc)
{
	const uint64_t h = (hash ^ pc) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

/* Appends walked[0..n), innermost first, to frames[0..kept). Copies each word alone: a load of two
 * words that were stored separately must wait for both stores. */
static inline uint64_t append(struct slot *s, uint32_t kept, uint32_t n)
{
	struct frame *to = &s->frames[kept];
	const struct frame *from = &slot_walked(s)[n];
	uint64_t hash = to[-1].hash;
	bool live = to[-1].live;
	s->joined = kept - 1;
	while (from != slot_walked(s)) {
		from--;
		to->sp = from->sp;
		to->pc = from->pc;
		to->fp = from->fp;
		to->ra_slot = from->ra_slot;
		to->fp_slot = live ? from->fp_slot : NULL;
		to->live = live = from->use == FP_NEEDS || (from->use == FP_KEEPS && live);
		to->hash = hash = hash_add(hash, from->pc);
		to->node = 0;
		to++;
	}
	atomic_signal_fence(memory_order_seq_cst);
	s->frame_count = kept + n;
	return hash;
}

/* Stores a new stack: walked[0..n), and an end mark with the last word read, for comparison. */
static uint64_t append_all(struct slot *s, uint32_t n)
{
	s->frames[0] = (struct frame){ .sp = UINTPTR_MAX, .pc = slot_walked(s)[n].pc };
	return append(s, 1, n);
}

/* Cuts a stack that is too deep: keeps its innermost frames and adds a mark as their outermost
 * caller. Frames beyond the mark no longer matter, so the next stack can reuse the kept frames. */
static COLD uint64_t cut(struct slot *s)
{
	struct frame *last = &slot_walked(s)[DEEP_KEPT - 1];
	last->pc = cut_word;
	last->ra_slot = last->fp_slot = &no_word;
	last->use = FP_LOADS;
	last[-1].ra_slot = &cut_word;
	last[1].pc = 0;
	return append_all(s, DEEP_KEPT);
}

static inline uint32_t find_state(const struct frame *frames, uint32_t k, const struct frame *at)
{
	while (k > 0 && frames[k].sp < at->sp)
		k--;
	return k;
}

static inline bool same_state(const struct frame *known, const struct frame *at)
{
	return known->sp == at->sp && known->pc == at->pc && (known->fp == at->fp || !known->live);
}

/* True if frames[0..known] and the newly walked frames fit into s->frames. If not, the walk
 * continues without the known frames. */
static inline bool has_room(const struct slot *s, uint32_t known, const struct frame *at)
{
	const uint32_t count = known + 1 + (uint32_t)(at - slot_walked(s));
	if (LIKELY(s->frames[1].pc != HEAP_FRAME_CUT))
		return count <= FRAMES_MAX;
	return count >= DEEP_LEAST && count <= DEEP_MOST;
}

/* Steps by the frame pointer. If that fails, steps by the unwind table. Looks the row up in any
 * case, because the first look-up of an address notes its module. */
static bool step_by_chain(struct walk *w, struct frame *at, struct frame *next)
{
	row_get(w->rows, at->pc);
	bool more = step_chain(w, at, next);
#ifdef HEAP_TABLES
	if (!more)
		more = step(w, at, next);
#endif
	at->use = FP_NEEDS;
	return more;
}

/* For walks by frame pointers: true if a frame has no caller, because its table says so or its
 * frame pointer is zero. */
static bool is_outermost(const struct walk *w, const struct frame *at)
{
	if (at->fp == 0)
		return true;
#ifdef HEAP_TABLES
	return row_get(w->rows, at->pc).cfa == CFA_END;
#else
	(void)w;
	return false;
#endif
}

/* Adds a mark after walked[0..n), because the caller of the last frame was not found. No later walk
 * reuses the mark. */
static uint32_t mark_broken(struct slot *s, uint32_t n)
{
	slot_walked(s)[n] = (struct frame){ .pc = (uintptr_t)HEAP_FRAME_CUT,
					    .ra_slot = &odd_word,
					    .fp_slot = &odd_word };
	slot_walked(s)[n + 1].pc = 0;
	return n + 1;
}

static inline __attribute__((always_inline)) uint64_t unwind_reuse(struct walk *w, uint32_t count,
								   bool chain)
{
	struct slot *s = w->slot;
	struct frame *frames = s->frames, *at = slot_walked(s);
	const struct frame *end = at + FRAMES_MAX - (chain ? 2 : 1);
	uint32_t k = count > 0 ? count - 1 : 0;
	for (bool more = true; more && at < end; at++) {
		k = find_state(frames, k, at);
		if (k > 0 && same_state(&frames[k], at)) {
			uint32_t changed = k;
			while (changed > 0 && words_same(&frames[changed]))
				changed--;
			if (LIKELY(changed == 0) && LIKELY(has_room(s, k, at)))
				return append(s, k + 1, (uint32_t)(at - slot_walked(s)));
			k = changed > 0 ? changed - 1 : 0;
		}
		more = chain ? step_by_chain(w, at, at + 1) : step(w, at, at + 1);
		const uint32_t n = (uint32_t)(at + 1 - slot_walked(s));
		if (!more)
			return append_all(s, chain && !is_outermost(w, at) ? mark_broken(s, n) : n);
	}
	return cut(s);
}

/* Walks the innermost `depth` frames. Adds a mark if there are more. */
static uint64_t unwind_some(struct walk *w, uint32_t depth, bool chain)
{
	struct slot *s = w->slot;
	struct frame *at = slot_walked(s);
	const struct frame *end = at + depth;
	bool more = true;
	for (; more && at < end; at++)
		more = chain ? step_by_chain(w, at, at + 1) : step(w, at, at + 1);
	const uint32_t n = (uint32_t)(at - slot_walked(s));
	const bool cut_here = more || (chain && !is_outermost(w, at - 1));
	return append_all(s, cut_here ? mark_broken(s, n) : n);
}

static COLD uint64_t unwind_chain(struct walk *w, uint32_t count)
{
	return unwind_reuse(w, count, true);
}

uint64_t unwind(struct slot *s, const struct caller *from)
{
	const uint32_t epoch = atomic_load_explicit(&recorder.row_epoch, memory_order_relaxed);
	const struct options *opt = &recorder.opt;
	struct walk w = { .slot = s };
	slot_walked(s)[0].sp = from->sp;
	slot_walked(s)[0].pc = from->pc;
	slot_walked(s)[0].fp = from->fp;
	w.rows = atomic_load_explicit(&recorder.rows, memory_order_acquire);
	/* The last stack is invalid until the new one is complete. */
	const uint32_t count = epoch == s->row_epoch && opt->depth == 0 ? s->frame_count : 0;
	s->frame_count = 0;
	s->row_epoch = epoch;
	bounds_set(&w, from->sp);
	if (UNLIKELY(opt->depth != 0))
		return unwind_some(&w, opt->depth, opt->frame_pointers);
	if (UNLIKELY(opt->frame_pointers))
		return unwind_chain(&w, count);
	return unwind_reuse(&w, count, false);
}
