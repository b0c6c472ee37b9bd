/* memo.c - stacks walked a moment ago.
 *
 * Programs ask for memory from the same places again and again, at the same depth.  For the place
 * and the stack pointer there, a thread remembers the words that the walk read until it met the
 * last stack of the thread, the frame where it did, and the id that came of it.  As long as these
 * words and those from there outward have the same values, so has the id: nothing need be looked
 * up, and no load waits for the one before. */
#include "recorder.h"

void memo_keep(struct slot *s, const struct caller *from, uint32_t stack)
{
	struct memo *m = memo_entry(s, from);
	const struct frame *f = &s->frames[s->frame_count - 1], *join = &s->frames[s->joined];
	uint32_t n = 0;
	/* A signal handler may leave this half done, by longjmp. */
	m->sp = 0;
	atomic_signal_fence(memory_order_seq_cst);
	if (s->joined == 0 || stack == 0)
		return;
	m->pc = from->pc;
	m->fp = from->fp;
	m->live = f->live;
	for (; f > join; f--) {
		if (n + 2 > MEMO_WORDS)
			return;
		m->words[n].slot = f->ra_slot;
		m->words[n++].value = f[-1].pc;
		if (f->fp_slot == NULL)
			continue;
		m->words[n].slot = f->fp_slot;
		m->words[n++].value = f[-1].fp;
	}
	m->count = (uint16_t)n;
	m->hash = join->hash;
	m->join_sp = join->sp;
	m->join_fp = join->fp;
	m->stack = stack;
	m->epoch = memo_epoch();
	m->life = s->life;
	m->join = s->joined;
	atomic_signal_fence(memory_order_seq_cst);
	m->sp = from->sp;
}
