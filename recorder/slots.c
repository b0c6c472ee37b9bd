/* slots.c - manages slots, the recorder's data per thread. New threads reuse the slots and tables
 * of ended threads. */
#include "recorder.h"

#include <errno.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

__thread struct slot *self __attribute__((tls_model("initial-exec")));

/* Value of `self` while a thread's slot is being made. Counts as a slot in use. */
static struct slot nobody = { .busy = UINTPTR_MAX };

enum { GROW_MAX = 4096 }; /* Maximal number of pages by which the known stack grows at a time */

#define SLOT_SIZE                                                                                  \
	(sizeof(struct slot) + 2 * FRAMES_MAX * sizeof(struct frame) +                             \
	 MEMOS * sizeof(struct memo) + HEAP_SMALL_FREES * sizeof(struct heap_small_free))

extern void *__libc_stack_end __attribute__((weak));

static void stack_of_main(struct slot *s)
{
	enum { MOST = 1 << 30 };
	struct rlimit limit;
	uintptr_t size = MOST;
	s->stack_top = ((uintptr_t)__libc_stack_end | (PAGE_STEP - 1)) + 1;
	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < size)
		size = (uintptr_t)limit.rlim_cur;
	s->stack_low = s->stack_top - size;
}

/* Sets the stack's range. glibc keeps the thread's own data, to which pthread_self() points, above
 * the stack. The lower end is found while the stack is used. */
static void stack_of_thread(struct slot *s)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)(PAGE_STEP - 1);
	s->stack_top = (uintptr_t)pthread_self();
	s->stack_low = s->stack_top;
	slot_stack_grow(s, here);
}

static void find_stack(struct slot *s, uint32_t thread)
{
	s->stack_low = s->stack_top = 0;
	if (thread == (uint32_t)getpid()) {
		if (&__libc_stack_end != NULL)
			stack_of_main(s);
	} else {
#ifdef __GLIBC__
		stack_of_thread(s);
#endif
	}
}

bool slot_stack_grow(struct slot *s, uintptr_t sp)
{
	uintptr_t low = s->stack_low & ~(uintptr_t)(PAGE_STEP - 1);
	if (sp >= s->stack_low || low - sp > (uintptr_t)GROW_MAX * PAGE_STEP ||
	    s->thread->thread == recorder.process->pid)
		return false;
	while (low > sp) {
		low -= PAGE_STEP;
		if (!memory_readable(low))
			return false;
	}
	s->stack_low = low;
	return true;
}

static void thread_ends(void *ctx)
{
	struct slot *s = ctx;
	if (self != s)
		return;
	self = &nobody;
	count_flush(s);
	s->thread->state = 0;
	s->frame_count = 0;
	lock_take();
	s->next_free = recorder.free_slots;
	recorder.free_slots = s;
	lock_give();
	self = NULL;
}

void slots_start(void)
{
	recorder.has_key = pthread_key_create(&recorder.key, thread_ends) == 0;
}

static struct heap_thread *new_thread(void)
{
	struct heap_page *p = recorder.threads;
	if (p == NULL || p->used == page_capacity(p)) {
		p = page_new(HEAP_PAGE_THREADS, sizeof(struct heap_thread), 0);
		if (p == NULL)
			return NULL;
		recorder.threads = p;
	}
	return page_entry(p, p->used++);
}

static struct slot *new_slot(void)
{
	if (recorder.slot_count == SLOTS_MAX)
		return NULL;
	struct slot *s = map_memory(SLOT_SIZE);
	if (s == NULL)
		return NULL;
	s->thread = new_thread();
	if (s->thread == NULL) {
		unmap_memory(s, SLOT_SIZE);
		return NULL;
	}
	s->frames = (struct frame *)(s + 1);
	s->memos = (struct memo *)(slot_walked(s) + FRAMES_MAX);
	s->number = ++recorder.slot_count;
	s->thread->own = (uintptr_t)s;
	s->thread->own_size = SLOT_SIZE;
	s->thread->small_frees = (uintptr_t)slot_small_frees(s);
	s->next = recorder.all_slots;
	recorder.all_slots = s;
	return s;
}

static struct slot *take_slot(void)
{
	struct slot *s;
	lock_take();
	s = recorder.free_slots;
	if (s != NULL)
		recorder.free_slots = s->next_free;
	else
		s = new_slot();
	lock_give();
	return s;
}

COLD struct slot *slot_acquire(void)
{
	const int saved = errno;
	if (atomic_load(&recorder.phase) != PHASE_RECORD) {
		boot();
		if (atomic_load(&recorder.phase) != PHASE_RECORD || self != NULL)
			return NULL;
	}
	self = &nobody;
	struct slot *s = take_slot();
	if (s == NULL) {
		self = NULL;
		errno = saved;
		return NULL;
	}
	s->thread->thread = (uint32_t)syscall(SYS_gettid);
	s->thread->state = 1;
	prctl(PR_GET_NAME, s->thread->name);
	s->frame_count = 0;
	s->life++;
	s->newest = NULL;
	find_stack(s, s->thread->thread);
	atomic_store(&s->busy, 0);
	/* An allocation inside this call is not recorded. */
	if (recorder.has_key)
		pthread_setspecific(recorder.key, s);
	self = s;
	errno = saved;
	return s;
}

/* Handles a slot that is in use. Either this call interrupted the recorder, or a handler left the
 * recorder by longjmp. Stacks grow down. So if the caller's frame is above the frame that entered
 * the recorder, that frame has ended. True if the slot can be used. */
COLD bool slot_reenter(struct slot *s, uintptr_t sp)
{
	const uintptr_t busy = atomic_load(&s->busy);
	if (s != &nobody && sp > busy && sp >= s->stack_low && sp < s->stack_top &&
	    busy >= s->stack_low)
		return true;
	if (s->thread != NULL)
		s->thread->unrecorded++;
	return false;
}

/* Frees the slots of all other threads in the child of a fork, which has one thread. A slot is
 * consistent at any time, except for its last stack and the bytes not yet added to the process. */
void slots_after_fork(void)
{
	recorder.free_slots = NULL;
	for (struct slot *s = recorder.all_slots; s != NULL; s = s->next) {
		if (s == self) {
			s->thread->thread = (uint32_t)getpid();
			continue;
		}
		count_flush(s);
		s->thread->state = 0;
		s->frame_count = 0;
		s->next_free = recorder.free_slots;
		recorder.free_slots = s;
	}
}
