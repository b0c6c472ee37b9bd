/* Finds where data ends if symbols have no sizes. */
#include "attr/attr_extents.h"

#include "base/sort.h"
#include "image/arch.h"
#include "image/elf/elf_const.h"

bool extents_wanted(const struct image *im)
{
	return !image_states_sizes(im) && im->kind == IMAGE_EXEC && !image_arch(im)->absolute &&
	       (im->type == ET_DYN || im->protection.moves);
}

/* Remembers which labels refer to the current symbol. */
struct attr_extents_users {
	uint32_t *of; /* Per label: number of the last symbol to which the label refers */
	uint32_t symbol;
};

/* Returns true if the targets [first, end) at one address show an owner other than the symbol. */
static bool is_of_others(const struct attr_extents_users *u, const target_vec *targets,
			 size_t first, size_t end, bool by_pointers)
{
	bool other = by_pointers;
	for (size_t i = first; i < end; i++) {
		const struct target *t = &targets->data[i];
		if (t->label == LABEL_NONE)
			continue;
		if (u->of[t->label] == u->symbol)
			return false;
		other = true;
	}
	return other;
}

/* Finds the end of the symbol at `p`. The symbol's targets begin at index `first`. Returns the
 * index of the first target after the symbol. */
static size_t end_symbol(const struct attr_extents_users *u, struct place *p, target_vec *targets,
			 size_t first, bool by_pointers)
{
	size_t i = first;
	while (i < targets->count && targets->data[i].addr - p->addr < p->size) {
		const uint64_t addr = targets->data[i].addr;
		size_t end = i;
		while (end < targets->count && targets->data[end].addr == addr)
			end++;
		if (addr > p->addr && is_of_others(u, targets, i, end, by_pointers)) {
			p->size = addr - p->addr;
			break;
		}
		for (; i < end; i++) {
			struct target *t = &targets->data[i];
			if (t->addr == p->addr && t->label != LABEL_NONE)
				u->of[t->label] = u->symbol;
		}
	}
	for (size_t k = first; k < i; k++)
		targets->data[k] = (struct target){ p->addr, p->label, WHY_SYMBOL };
	return i;
}

void extents_find(struct attr *a, target_vec *targets)
{
	place_vec *v = &a->scratch->guessed;
	const struct spans *owned = &a->vm;
	bool complete = false; /* True if the symbol table contains local data. */
	for (size_t i = 0; i < v->count && !complete; i++)
		complete = v->data[i].local;
	struct attr_extents_users users = { mem_zeroed(a->f->labels->kinds.count, sizeof *users.of),
					    0 };
	const size_t count = targets->count;
	size_t at = 0, owner = 0;
	for (size_t i = 0; i < v->count; i++) {
		struct place *p = &v->data[i];
		const struct section *in = &a->im->sections[p->section];
		if (i > 0 && p->addr == v->data[i - 1].addr) { /* same address as the previous
							        * symbol */
			p->size = v->data[i - 1].size;
			continue;
		}
		ASSERT(i == 0 || p->addr > v->data[i - 1].addr);
		users.symbol++;
		while (owner < owned->list.count && owned->list.data[owner].start <= p->addr)
			owner++;
		if (owner < owned->list.count) /* The next owner after a symbol ends the symbol */
			p->size = min_u64(p->size, owned->list.data[owner].start - p->addr);
		while (at < count && targets->data[at].addr < p->addr)
			at++;
		at = end_symbol(&users, p, targets, at, !complete && !in->write);
		vec_push(targets, (struct target){ p->addr, p->label, WHY_SYMBOL });
	}
	mem_free(users.of);
}
