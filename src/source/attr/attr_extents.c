#include "source/attr/attr_extents.h"

#include "base/sort.h"
#include "image/elf/elf_const.h"

bool extents_wanted(const struct image *im)
{
	return im->made && im->kind == IMAGE_EXEC && im->machine != EM_386 &&
	       (im->type == ET_DYN || im->protection.moves);
}

/* Who refers to the symbol at work. */
struct attr_extents_users {
	uint32_t *of; /* by label: the number of the last symbol that it refers to */
	uint32_t symbol;
};

static size_t group_end(const target_vec *targets, size_t i)
{
	const uint64_t addr = targets->data[i].addr;
	while (i < targets->count && targets->data[i].addr == addr)
		i++;
	return i;
}

/* Whether what begins at the targets from `first` to `end` is not the symbol's. */
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

/* The targets of the symbol at `p` begin at `first`; returns the first behind it. */
static size_t end_symbol(const struct attr_extents_users *u, struct place *p, target_vec *targets,
			 size_t first, bool by_pointers)
{
	size_t i = first;
	while (i < targets->count && targets->data[i].addr - p->addr < p->size) {
		const size_t end = group_end(targets, i);
		if (targets->data[i].addr > p->addr &&
		    is_of_others(u, targets, i, end, by_pointers)) {
			p->size = targets->data[i].addr - p->addr;
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

static bool attr_extents_names_locals(const place_vec *v)
{
	for (size_t i = 0; i < v->count; i++)
		if (v->data[i].local)
			return true;
	return false;
}

/* The first owner behind a symbol ends it. */
static void cut_at_owners(const struct attr *a, struct place *p, size_t *next)
{
	const struct spans *owned = &a->vm;
	while (*next < owned->list.count && owned->list.data[*next].start <= p->addr)
		++*next;
	if (*next < owned->list.count)
		p->size = min_u64(p->size, owned->list.data[*next].start - p->addr);
}

void extents_find(struct attr *a, target_vec *targets)
{
	place_vec *v = &a->guessed;
	const bool complete = attr_extents_names_locals(v);
	struct attr_extents_users users = { mem_zeroed(a->f->labels->kinds.count, sizeof *users.of),
					    0 };
	const size_t count = targets->count;
	size_t at = 0, owner = 0;
	for (size_t i = 0; i < v->count; i++) {
		struct place *p = &v->data[i];
		const struct section *in = &a->im->sections[p->section];
		if (i > 0 && p->addr == v->data[i - 1].addr) { /* an alias */
			p->size = v->data[i - 1].size;
			continue;
		}
		users.symbol++;
		cut_at_owners(a, p, &owner);
		while (at < count && targets->data[at].addr < p->addr)
			at++;
		at = end_symbol(&users, p, targets, at, !complete && !in->write);
		vec_push(targets, (struct target){ p->addr, p->label, WHY_SYMBOL });
	}
	mem_free(users.of);
}
