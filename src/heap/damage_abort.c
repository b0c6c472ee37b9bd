/* Finds what a thread that died in the allocator was freeing: a block, or a wrong address. */
#include "heap/damage_internal.h"

#include "heap/memory.h"

struct at_work {
	uint64_t given, by; /* Address that the program passed to free or realloc, and return
			     * address of that call. 0 if the thread was allocating. */
};

static bool find_work(const struct finding *g, struct at_work *ret)
{
	const struct dump_thread *t = dump_first_thread(g->d);
	for (size_t i = 0; t != NULL && i < g->r->threads.count; i++) {
		const struct heap_thread *slot = &g->r->threads.data[i];
		if (slot->state != 0 && slot->own != 0 && slot->thread == t->id) {
			/* The words at slot->own are described at struct heap_thread. */
			const unsigned word = memory_word_size(g->d);
			uint64_t busy;
			return memory_word(g->d, slot->own, &busy) && busy != 0 && t->sp < busy &&
			       memory_word(g->d, slot->own + word, &ret->given) &&
			       memory_word(g->d, slot->own + 2 * word, &ret->by);
		}
	}
	return false;
}

bool damage_abort(const struct finding *g)
{
	struct at_work w;
	if (!dump_is_fatal(g->d) || !find_work(g, &w))
		return false;
	/* Known damage explains the abort: a double free, or the block's overwritten header. */
	vec_each(const struct damage, known, &g->to->list) {
		if (known->was_addr == w.given ||
		    (known->kind == DAMAGE_DOUBLE_FREE && known->addr == w.given))
			return true;
	}
	const size_t i = heap_freed_find(g->b, w.given);
	if (w.given != 0 && i == SIZE_MAX) {
		struct damage *found = damage_add(g, DAMAGE_WILD_FREE, w.given);
		found->freed = heap_freed_at(g->b, w.given, false);
		if (found->freed == SIZE_MAX)
			found->block = heap_block_at(g->b, w.given);
		if (found->block != SIZE_MAX) {
			const struct heap_found f = heap_live(g->b, found->block);
			if (w.given >= add_sat(heap_found_end(&f), HEAP_ALIGN))
				found->block = SIZE_MAX;
		}
		found->again_by = calls_add(g->c, &w.by, 1);
	} else if (g->to->list.count == 0) {
		/* No damage of the block is known. The abort itself is listed. */
		struct damage *found = damage_add(g, DAMAGE_ALLOCATOR, w.given);
		found->freed = w.given != 0 ? i : SIZE_MAX;
		found->again_by = w.by != 0 ? calls_add(g->c, &w.by, 1) : 0;
	}
	return true;
}

/* Stores in *ret the live block whose header is at `v`. False if *ret already has another block. */
static bool header_take(const struct finding *g, uint64_t v, size_t *ret)
{
	const size_t i = v % HEAP_ALIGN == 0 && v != 0
				 ? heap_block_at(g->b, add_sat(v, HEAP_HEADER_SIZE))
				 : SIZE_MAX;
	if (i == SIZE_MAX || heap_live(g->b, i).addr != v + HEAP_HEADER_SIZE)
		return true;
	const bool same = *ret == SIZE_MAX || *ret == i;
	*ret = i;
	return same;
}

size_t damage_header_at_hand(const struct finding *g, uint64_t stack_size)
{
	ASSERT(g->d->thread_count > 0);
	const struct dump_thread *t = &g->d->threads[0];
	const unsigned word = memory_word_size(g->d);
	size_t found = SIZE_MAX;
	uint64_t v;
	/* Without a recorder, blocks have no headers of the recorder. */
	if (!g->r->found)
		return SIZE_MAX;
	for (size_t i = 0; i < t->reg_count; i++)
		if (!header_take(g, t->regs[i], &found))
			return SIZE_MAX;
	for (uint64_t off = 0; off < stack_size; off += word)
		if (memory_word(g->d, (t->sp & ~(uint64_t)(word - 1)) + off, &v) &&
		    !header_take(g, v, &found))
			return SIZE_MAX;
	return found;
}

void damage_foreign(const struct finding *g)
{
	if (!dump_is_fatal(g->d) || g->d->thread_count == 0 || g->to->list.count > 0)
		return;
	const size_t i = damage_header_at_hand(g, 0);
	if (i != SIZE_MAX)
		damage_add(g, DAMAGE_ALLOCATOR, heap_live(g->b, i).addr)->block = i;
}
