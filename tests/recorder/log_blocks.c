/* log_blocks.c - allocates from many call stacks and says of each block where it is and, as
 * libgcc's unwinder sees it, who asked for it: "ADDR SIZE PC,PC..." innermost caller first.  Then
 * waits to be looked at.    usage: log_blocks COUNT */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <unwind.h>

enum { DEPTH = 64 };

static uint32_t seed = 7;

static uint32_t roll(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

struct trace {
	uintptr_t pcs[DEPTH];
	int count;
};

static _Unwind_Reason_Code keep(struct _Unwind_Context *c, void *ctx)
{
	struct trace *t = ctx;
	if (t->count < DEPTH && _Unwind_GetIP(c) != 0)
		t->pcs[t->count++] = _Unwind_GetIP(c);
	return _URC_NO_REASON;
}

static char out[1 << 22];
static size_t used;

/* Frames 0 and 1 are this and the function that allocates, whose call is another here. */
static __attribute__((noinline)) void tell(void *p, size_t size)
{
	struct trace t = { .count = 0 };
	_Unwind_Backtrace(keep, &t);
	used += (size_t)snprintf(out + used, sizeof out - used, "%p %zu ", p, size);
	for (int i = 2; i < t.count; i++)
		used += (size_t)snprintf(out + used, sizeof out - used, "%lx,",
					 (unsigned long)t.pcs[i]);
	used += (size_t)snprintf(out + used, sizeof out - used, "\n");
}

static __attribute__((noinline)) void take(void)
{
	const size_t size = roll(300);
	void *p = malloc(size);
	tell(p, size);
	__asm__ volatile(""); /* no tail call: the frame has to be there */
}

static inline __attribute__((always_inline)) void take_inlined(void)
{
	take();
	__asm__ volatile("");
}

void left(int depth);
void right(int depth);

__attribute__((noinline)) void left(int depth)
{
	if (depth == 0) {
		take_inlined();
	} else if (roll(2)) {
		right(depth - 1);
	} else {
		left(depth - 1);
	}
	__asm__ volatile("");
}

__attribute__((noinline)) void right(int depth)
{
	if (roll(3) == 0)
		take_inlined();
	if (depth == 0)
		take();
	else
		left(depth - 1);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	for (long i = argc > 1 ? atol(argv[1]) : 1000; i > 0; i--)
		left((int)roll(12));
	if (write(1, out, used) != (ssize_t)used || write(1, "done\n", 5) != 5)
		return 1;
	pause();
	return 0;
}
