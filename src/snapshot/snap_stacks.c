#include "snapshot/snap_stacks.h"

void snapshot_add_stacks(struct snapshot *s, size_t first, const struct stack_use *use)
{
	ASSERT(first <= s->symbols.count);
	s->has_stacks = true;
	for (size_t i = first; i < s->symbols.count; i++) {
		struct snap_symbol *y = &s->symbols.data[i];
		const uint32_t at = s->sections.data[y->section].code && y->size > 0
					    ? stack_find(use, y->addr)
					    : STACK_NONE;
		if (at == STACK_NONE || use->functions.data[at].addr != y->addr)
			continue;
		y->stack = (uint32_t)min_u64(use->functions.data[at].worst, UINT32_MAX - 1) + 1;
		y->stack_besides = use->functions.data[at].told;
	}
}
