/* Ranks functions in link order, and finds the bounds of units in code. */
#include "attr/attr_code_order.h"

#include "base/sort.h"

enum {
	UNIT_ALIGN = 8,   /* Alignment of the last unwind entry of a unit */
	RARE = 1024,      /* If fewer than one entry in 1024 is padded, `ld -r` removed the
			   * padding */
	GROUP_MOST = 2048 /* In a longer group, the first entry that may be a unit's last one
			   * ends the group */
};

uint32_t code_order_rank(const struct code_order *o, label_id label)
{
	return label < o->label_count ? o->ranks[label] : UINT32_MAX;
}

/* Appends a function. Skips stubs: a stub has the label of its target. If a label has several
 * pieces of code, uses the largest. */
static void function_add(struct code_order *o, uint64_t *largest, label_id label, uint64_t size)
{
	const uint32_t rank = o->count++;
	o->of_rank[rank] = label;
	if (label == LABEL_NONE || size <= largest[label])
		return;
	ASSERT(label < o->label_count);
	largest[label] = size;
	o->ranks[label] = rank;
}

/* Ranks functions by address. Each function is a group of its own. */
static void functions_by_address(struct code_order *o, const struct attr *a, uint64_t *largest,
				 const struct section *const *data, size_t count)
{
	const struct spans *vm = &a->vm;
	const size_t most = vm->list.count < UINT32_MAX ? vm->list.count : 0;
	o->of_rank = mem_zeroed(most, sizeof *o->of_rank);
	o->groups = mem_zeroed(most, sizeof *o->groups);
	for (size_t i = 0; i < count && most > 0; i++) {
		if (!data[i]->exec)
			continue;
		for (size_t k = spans_from(vm, data[i]->addr); k < vm->list.count; k++) {
			const struct span *s = &vm->list.data[k];
			if (s->start - data[i]->addr >= data[i]->size || o->count == most)
				break;
			o->groups[o->count] = o->count;
			function_add(o, largest, s->label, s->size);
		}
	}
}

static bool may_be_last(const struct fde *d)
{
	return (d->off + d->bytes) % UNIT_ALIGN == 0;
}

/* Returns true if the unwind entries show the ends of units. */
static bool units_are_told(const fde_vec *fdes)
{
	size_t within = 0, last = 0;
	for (size_t i = 0; i < fdes->count; i++) {
		within += !may_be_last(&fdes->data[i]);
		last += fdes->data[i].padded;
	}
	return within > 0 && last > 0 && last >= fdes->count / RARE && fdes->count < UINT32_MAX;
}

static void groups_number(struct code_order *o, const fde_vec *fdes)
{
	uint32_t group = 0;
	for (size_t start = 0, end; start < fdes->count; start = end) {
		for (end = start + 1; end < fdes->count && !fdes->data[end - 1].padded;)
			end++;
		const bool every = end - start > GROUP_MOST;
		for (size_t i = start; i < end; i++) {
			o->groups[i] = group;
			group += i + 1 == end || (every && may_be_last(&fdes->data[i]));
		}
	}
}

static bool is_code(const struct section *const *data, size_t count, uint64_t addr)
{
	size_t low;
	BISECT(low, 0, count, mid, data[mid]->addr <= addr);
	return low > 0 && data[low - 1]->exec && addr - data[low - 1]->addr < data[low - 1]->size;
}

static void functions_by_entry(struct code_order *o, const struct attr *a, uint64_t *largest,
			       const struct section *const *data, size_t count)
{
	const fde_vec *fdes = &a->scratch->fdes;
	struct span_cursor cursor = { &a->vm, 0 };
	o->of_rank = mem_zeroed(fdes->count, sizeof *o->of_rank);
	o->groups = mem_zeroed(fdes->count, sizeof *o->groups);
	for (size_t i = 0; i < fdes->count; i++) {
		const struct fde *d = &fdes->data[i];
		function_add(o, largest,
			     is_code(data, count, d->addr) ? cursor_label(&cursor, d->addr)
							   : LABEL_NONE,
			     d->size);
	}
	groups_number(o, fdes);
}

void code_order_read(struct code_order *o, const struct attr *a, const struct section *const *data,
		     size_t count)
{
	ASSERT(o->count == 0);
	o->label_count = a->f->labels->kinds.count;
	o->ranks = mem_zeroed(o->label_count, sizeof *o->ranks);
	memset(o->ranks, 0xff, o->label_count * sizeof *o->ranks);
	uint64_t *largest = mem_zeroed(o->label_count, sizeof *largest);
	o->told = units_are_told(&a->scratch->fdes);
	if (o->told)
		functions_by_entry(o, a, largest, data, count);
	else
		functions_by_address(o, a, largest, data, count);
	mem_free(largest);
}

void code_order_release(struct code_order *o)
{
	mem_free(o->ranks);
	mem_free(o->of_rank);
	mem_free(o->groups);
}
