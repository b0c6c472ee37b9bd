/* Runs calls that need a deep stack, if necessary on another thread. */
#include "base/stack.h"

#include "base/os/os.h"

/* Bytes that are kept for guard pages, signal handlers and the function's own frame. */
#define MARGIN ((size_t)32 << 10)

/* True if `need` bytes of the thread's stack are free. False on another stack. */
static bool stack_has_room(struct stack *s, size_t need)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	if (!s->known || !pthread_equal(s->thread, pthread_self())) {
		*s = (struct stack){ .known = true, .thread = pthread_self() };
		if (!os_stack_bounds(&s->low, &s->high))
			s->low = s->high = 0; /* An unknown stack counts as full */
	}
	return here < s->high && here > s->low && here - s->low >= need + MARGIN;
}

int stack_thread(pthread_t *ret, size_t size, void *(*fn)(void *ctx), void *ctx)
{
	pthread_attr_t attr;
	int failed = pthread_attr_init(&attr);
	if (failed)
		return failed;
	failed = pthread_attr_setstacksize(&attr, size);
	if (!failed)
		failed = pthread_create(ret, &attr, fn, ctx);
	pthread_attr_destroy(&attr);
	return failed;
}

/* A call on another thread, and why it was ended */
struct away {
	void (*fn)(void *ctx);
	void *ctx;
	struct memory *memory;
	struct call call;
};

static void *make_call(void *arg)
{
	struct away *a = arg;
	call_begin(&a->call, a->memory);
	if (setjmp(a->call.at) == 0)
		a->fn(a->ctx);
	call_end(&a->call);
	return NULL;
}

bool stack_call(struct stack *s, size_t need, void (*fn)(void *ctx), void *ctx)
{
	struct away a = { .fn = fn, .ctx = ctx, .memory = memory_current() };
	const size_t size = (size_t)align_up(need + MARGIN + STACK_FREE, 64 << 10);
	ASSERT(fn && size > need);
	pthread_t thread;
	if (stack_has_room(s, need)) {
		fn(ctx);
		return true;
	}
	if (stack_thread(&thread, size, make_call, &a) != 0)
		return false;
	pthread_join(thread, NULL);
	if (a.call.code != HEFT_OK)
		call_raise(a.call.code, a.call.text);
	return true;
}
