/* capture.c - two ways to the call stack, of which a port takes one.
 *
 * capture_frames follows frame pointers (-fno-omit-frame-pointer).  What they point at is the
 * compiler's affair: gcc for ARM instructions leaves r11 at the saved lr, the caller's r11 one word
 * below; clang, and both on x86 and AArch64, leave it at a pair {caller's frame, return address}.
 * gcc for Thumb has no chain at all, for its r7 points at the local variables: there take
 * capture_tables.
 *
 * capture_tables asks libgcc, which reads .ARM.exidx (-funwind-tables) or .eh_frame. */
#include "heap.h"

extern unsigned char board_stack_top[]; /* of the linker script */

#if !defined(__arm__) || defined(__clang__)
enum { CALLER = 0, RETURN = 1 };
#else
enum { CALLER = -1, RETURN = 0 };
#endif

uint32_t capture_frames(void *ctx, const struct heft_caller *from, uintptr_t *frames, uint32_t max)
{
	const uintptr_t *frame = from->frame;
	uint32_t n = 0;
	(void)ctx;
	frames[n++] = from->pc;
	while (n < max) {
		const uintptr_t next = frame[CALLER];
		/* Outward is up, and stays in the stack: a broken chain ends. */
		if (next <= (uintptr_t)frame || next >= (uintptr_t)board_stack_top ||
		    next % sizeof next != 0)
			break;
		frame = (const uintptr_t *)next;
		/* 0: the start; the uppermost addresses: the start, or an exception, of a
		 * Cortex-M. */
		if (frame[RETURN] == 0 || (frame[RETURN] | 0xff) == UINTPTR_MAX)
			break;
		frames[n++] = frame[RETURN];
	}
	return n;
}

#if defined(__GNUC__) && !defined(__clang__)
#include <unwind.h>

struct walk {
	uintptr_t pc, *frames;
	uint32_t n, max;
};

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *ctx)
{
	struct walk *w = ctx;
	const uintptr_t pc = _Unwind_GetIP(context);
	/* The frames inside of the caller are the recorder's. */
	if (w->n == 0 && pc != (w->pc & ~(uintptr_t)1))
		return _URC_NO_REASON;
	if (w->n == w->max)
		return _URC_END_OF_STACK;
	w->frames[w->n++] = pc;
	return _URC_NO_REASON;
}

uint32_t capture_tables(void *ctx, const struct heft_caller *from, uintptr_t *frames, uint32_t max)
{
	struct walk w = { from->pc, frames, 0, max };
	(void)ctx;
	_Unwind_Backtrace(step, &w);
	if (w.n == 0)
		frames[w.n++] = from->pc;
	return w.n;
}
#endif
