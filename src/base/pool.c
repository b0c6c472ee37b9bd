#include "base/pool.h"

#include "base/os/os.h"
#include "base/stack.h"

#include <stdatomic.h>

enum { THREADS_MAX = 64 };

struct pool_job {
	atomic_size_t next;
	struct memory *memory; /* Domain of the caller (mem.h) */
	size_t count;
	void (*fn)(void *ctx, size_t i, unsigned worker);
	void *ctx;
};

struct pool_worker {
	struct pool_job *job;
	unsigned index;
	struct call call; /* Tells why the worker's call was ended early */
};

unsigned pool_threads(unsigned wanted)
{
	if (wanted == 0)
		wanted = os_processors();
	return wanted < THREADS_MAX ? wanted : THREADS_MAX;
}

static void work_through(struct pool_job *job, unsigned worker)
{
	for (;;) {
		const size_t i = atomic_fetch_add(&job->next, 1);
		if (i >= job->count)
			return;
		job->fn(job->ctx, i, worker);
		progress_ask();
	}
}

/* Runs jobs on a worker. After one worker's call was ended, the others finish their job and end. */
static void *pool_work(void *arg)
{
	struct pool_worker *w = arg;
	call_begin(&w->call, w->job->memory);
	w->call.asks |= !w->call.outer && w->index == 0;
	if (setjmp(w->call.at) == 0)
		work_through(w->job, w->index);
	else
		atomic_store(&w->job->next, w->job->count);
	call_end(&w->call);
	return NULL;
}

void parallel_for(unsigned threads, size_t count, void (*fn)(void *ctx, size_t i, unsigned worker),
		  void *ctx)
{
	struct pool_job job = { .count = count, .memory = memory_current(), .fn = fn, .ctx = ctx };
	struct pool_worker workers[THREADS_MAX];
	pthread_t ids[THREADS_MAX];
	unsigned n = pool_threads(threads);
	if (n > count)
		n = count ? (unsigned)count : 1;
	unsigned started = 1;
	for (; started < n; started++) {
		workers[started].job = &job;
		workers[started].index = started;
		if (stack_thread(&ids[started], STACK_SIZE, pool_work, &workers[started]) != 0)
			break;
	}
	workers[0].job = &job;
	workers[0].index = 0;
	pool_work(&workers[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(ids[i], NULL);
	for (unsigned i = 0; i < started; i++)
		if (workers[i].call.code != HEFT_OK)
			call_raise(workers[i].call.code, workers[i].call.text);
}

/* State of pool_run_line(). Job i is in slot i % slot_count */
struct line_state {
	const struct pool_line *line;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool *done;                /* Per slot: true if the job is done and not taken yet */
	size_t made, begun, taken; /* Numbers of jobs made, begun and taken so far */
	bool making, over;         /* `making`: a thread makes a job. `over`: no more jobs */
	bool given_up;             /* True if a call was ended early, so that all threads end */
};

static void *pool_slot_of(const struct line_state *s, size_t job)
{
	return (char *)s->line->slots + job % s->line->slot_count * s->line->slot_size;
}

/* The next functions are called with the lock, which they release while they work. */
static void make_one(struct line_state *s)
{
	s->making = true;
	pthread_mutex_unlock(&s->lock);
	const bool there = s->line->make(s->line->ctx, pool_slot_of(s, s->made));
	pthread_mutex_lock(&s->lock);
	s->making = false;
	s->over = !there;
	s->made += there;
}

/* Does one step. False if none can be done now. Prefers taking, which frees a slot, and making,
 * which only one thread may do. */
static bool pool_step(struct line_state *s, unsigned worker)
{
	const size_t slots = s->line->slot_count;
	ASSERT(s->taken <= s->begun && s->begun <= s->made && s->made - s->taken <= slots);
	if (worker == 0 && s->taken < s->begun && s->done[s->taken % slots]) {
		pthread_mutex_unlock(&s->lock);
		s->line->take(s->line->ctx, pool_slot_of(s, s->taken));
		pthread_mutex_lock(&s->lock);
		s->done[s->taken % slots] = false;
		s->taken++;
	} else if (!s->over && !s->making && s->made - s->taken < slots) {
		make_one(s);
	} else if (s->begun < s->made) {
		const size_t job = s->begun++;
		pthread_mutex_unlock(&s->lock);
		s->line->work(s->line->ctx, pool_slot_of(s, job), worker);
		pthread_mutex_lock(&s->lock);
		s->done[job % slots] = true;
	} else {
		return false;
	}
	return true;
}

static void take_steps(struct line_state *s, unsigned worker)
{
	ASSERT(s->line->slot_count > 0);
	pthread_mutex_lock(&s->lock);
	while (!s->given_up &&
	       (!s->over || s->begun < s->made || (worker == 0 && s->taken < s->made))) {
		if (pool_step(s, worker))
			pthread_cond_broadcast(&s->changed);
		else
			pthread_cond_wait(&s->changed, &s->lock);
	}
	pthread_mutex_unlock(&s->lock);
}

static void run_line(struct line_state *s, unsigned worker)
{
	struct call call;
	call_begin(&call, memory_current());
	if (setjmp(call.at) == 0) {
		take_steps(s, worker);
	} else { /* A callback ended its call. This thread does not hold the lock */
		pthread_mutex_lock(&s->lock);
		s->given_up = true;
		pthread_cond_broadcast(&s->changed);
		pthread_mutex_unlock(&s->lock);
	}
	call_end(&call);
	if (call.code != HEFT_OK)
		call_raise(call.code, call.text);
}

static void line_worker(void *ctx, size_t i, unsigned worker)
{
	(void)i;
	run_line(ctx, worker);
}

void pool_run_line(unsigned threads, const struct pool_line *line)
{
	struct line_state s = { .line = line };
	const unsigned n = pool_threads(threads);
	ASSERT(line->slot_count > 0);
	if (n == 1) {
		for (; line->make(line->ctx, line->slots); line->take(line->ctx, line->slots)) {
			line->work(line->ctx, line->slots, 0);
			progress_ask();
		}
		return;
	}
	s.done = mem_zeroed(line->slot_count, sizeof *s.done);
	pthread_mutex_init(&s.lock, NULL);
	pthread_cond_init(&s.changed, NULL);
	parallel_for(n, n, line_worker, &s);
	/* The other threads may be done before this one starts. */
	run_line(&s, 0);
	pthread_cond_destroy(&s.changed);
	pthread_mutex_destroy(&s.lock);
	mem_free(s.done);
}
