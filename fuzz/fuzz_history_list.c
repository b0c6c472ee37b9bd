/* Input: the steps that make the list of a build of that of another one, or of none (store/list.h).
 * What they make is no larger than both, and is made again from what is written of it. */
#include "store/list.h"

enum { OLD_ENTRIES = 40 };

static void make_old(struct entries *old)
{
	for (uint32_t i = 0; i < OLD_ENTRIES; i++)
		vec_push(&old->list, (struct entry){ .symbol = i % 17 + 1, .size = i * 3 });
}

static void check_again(const struct entries *old, const struct entries *now)
{
	struct text steps = { 0 };
	struct entries again = { { 0 } };
	list_encode(&steps, old, now);
	ASSERT(list_decode(&again, old, (struct bytes){ (const uint8_t *)steps.p, steps.len }));
	ASSERT(again.list.count == now->list.count);
	for (size_t i = 0; i < now->list.count; i++)
		ASSERT(entry_same(&again.list.data[i], &now->list.data[i]));
	vec_release(&again.list);
	text_release(&steps);
}

static void decode(const struct entries *old, struct bytes steps)
{
	struct entries now = { { 0 } };
	if (list_decode(&now, old, steps)) {
		ASSERT(now.list.count <= old->list.count + steps.size);
		check_again(old, &now);
	}
	vec_release(&now.list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct entries old = { { 0 } };
	decode(&old, (struct bytes){ data, size });
	make_old(&old);
	decode(&old, (struct bytes){ data, size });
	vec_release(&old.list);
	return 0;
}
