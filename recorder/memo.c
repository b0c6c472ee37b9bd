/* memo.c - remembers recently walked stacks. Programs often allocate from the same places at the
 * same depth.
 *
 * Per return address and stack pointer, a thread remembers three things: the words that the walk
 * read until it met the thread's previous stack, the frame at which it met that stack, and the
 * resulting id. The id is still right while these words, and the words of that frame and its
 * callers, keep their values. Then no look-up is needed, and no load depends on an earlier load. */
#include "recorder.h"

void memo_keep(struct slot *s, const struct caller *from, uint32_t stack)
{
	struct memo *m = memo_entry(s, from);
	const struct frame *f = &s->frames[s->frame_count - 1], *join = &s->frames[s->joined];
	uint32_t n = 0;
	/* Mark the entry as invalid first, because a signal handler may interrupt this function and
	 * leave by longjmp. */
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
