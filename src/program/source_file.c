#include "program/source_file.h"

#include "base/pool.h"
#include "program/dwarf_slot.h"

void claims_trace(const struct source_file *f, enum heft_domain domain, const struct claims *c)
{
	struct trace *t = f->trace;
	ASSERT(t);
	for (size_t i = 0; !t->stopped && i < c->list.count; i++) {
		const struct claim *k = &c->list.data[i];
		bool wanted = t->addr_count == 0;
		for (size_t n = 0; n < t->addr_count && !wanted; n++)
			wanted = t->addrs[n].domain == domain && t->addrs[n].addr >= k->start &&
				 t->addrs[n].addr - k->start < k->size;
		if (!wanted)
			continue;
		const struct heft_claim claim = {
			sizeof claim,
			f->path,
			f->source,
			domain,
			k->start,
			k->size == SIZE_UNKNOWN ? UINT64_MAX : k->size,
			label_text(f->labels, k->label).p,
			why_text(k->why),
		};
		t->stopped = !t->fn(t->ctx, &claim);
	}
}

void origins_release(struct origins *o)
{
	vec_release(&o->claims.list);
	spans_release(&o->spans);
}

/* Resolves a copy of the claims, in which the label of a claim is its index. So claims with the
 * same label stay distinct. */
void origins_keep(const struct source_file *f, const struct claims *vm)
{
	struct origins *const o = f->origins;
	struct claims numbered = { 0 }, made = { 0 };
	struct spans s;
	ASSERT(o);
	vec_reserve(&numbered.list, vm->list.count);
	vec_reserve(&made.list, vm->list.count);
	for (size_t i = 0; i < vm->list.count; i++) {
		struct claim c = vm->list.data[i];
		vec_push(&made.list, c);
		c.label = (label_id)(o->claims.list.count + i);
		vec_push(&numbered.list, c);
	}
	claims_append(&o->claims, &made);
	claims_resolve(&numbered, UINT64_MAX, &s);
	spans_overlay(&o->spans, &s);
	ASSERT(o->claims.list.count < LABEL_NONE); /* Indexes of claims must be valid labels */
}

/* Minimal number of claims for a second thread. */
enum { PARALLEL_MIN = 20000 };

void claims_own(const struct source_file *f, struct spans *vm, struct claims *claims)
{
	const unsigned threads = pool_threads(claims->list.count < PARALLEL_MIN ? 1 : f->threads);
	struct spans s;
	if (f->trace)
		claims_trace(f, HEFT_VM, claims);
	if (f->origins)
		origins_keep(f, claims);
	claims_resolve_parts(claims, UINT64_MAX, threads, &s);
	spans_overlay(vm, &s);
	ASSERT(claims->list.count == 0 && s.list.count == 0);
}

void unit_objects_vote(struct unit_objects *u, label_id unit, label_id object, uint64_t size)
{
	while (u->votes.count <= unit)
		vec_push(&u->votes, (struct unit_vote){ .object = LABEL_NONE });
	struct unit_vote *v = &u->votes.data[unit];
	if (v->object == object)
		v->weight = add_sat(v->weight, size);
	else if (v->object != LABEL_NONE && v->weight >= size)
		v->weight -= size;
	else
		*v = (struct unit_vote){ object, size - v->weight };
}

label_id unit_object(const struct unit_objects *u, label_id label)
{
	const bool known = label < u->votes.count && u->votes.data[label].object != LABEL_NONE;
	return known ? u->votes.data[label].object : label;
}

struct debuginfo *source_dwarf(const struct source_file *f, const struct image *im,
			       const struct image *debug)
{
	return dwarf_slot_open(f->dwarf, im, debug, f->notes);
}

struct debuginfo *source_own_dwarf(const struct source_file *f, const struct image *im,
				   const struct debuginfo *first)
{
	return first && first->image != im ? dwarf_slot_open(f->dwarf, im, NULL, f->notes) : NULL;
}
