/* Makes a diff of two snapshots: runs the matcher, finds the change of each pair, and sums up
 * changes of padding. */
#include "compare/match.h"

#include <math.h>

static double own_pss(const struct snap_symbol *y)
{
	return (double)y->size / y->alias_count;
}

static double padding_pss(const struct snap_symbol *y)
{
	return (double)y->padding / y->alias_count;
}

static struct diff_value diff_value_of(const struct snap_symbol *y, int sign)
{
	return (struct diff_value){ sign * ((int64_t)y->size + y->padding), sign * y->padding,
				    sign * snap_pss(y) };
}

struct diff_value diff_value(const struct snapshot_diff *d, const struct diff_pair *p)
{
	const struct snap_symbol *old = diff_before(d, p), *new_ = diff_after(d, p);
	ASSERT(old || new_);
	if (!old)
		return diff_value_of(new_, 1);
	if (!new_)
		return diff_value_of(old, -1);
	if (old->size == 0)
		return (struct diff_value){ new_->padding - old->padding,
					    new_->padding - old->padding,
					    snap_pss(new_) - snap_pss(old) };
	return (struct diff_value){ (int64_t)new_->size - (int64_t)old->size, 0,
				    own_pss(new_) - own_pss(old) };
}

/* True if `path` ends with `end`, such as "a/b.c" with "b.c". Then both are one file. */
static bool ends_with(struct str path, struct str end)
{
	return str_ends(path, end) && end.len < path.len && path.p[path.len - end.len - 1] == '/';
}

static bool has_moved(const struct snapshot_diff *d, const struct snap_symbol *old,
		      const struct snap_symbol *new_)
{
	const struct str a = snapshot_text(d->before, snap_path(old));
	const struct str b = snapshot_text(d->after, snap_path(new_));
	return a.len > 0 && b.len > 0 && !str_eq(a, b) && !ends_with(a, b) && !ends_with(b, a);
}

/* True if heft made up the names of both symbols. */
static bool diff_is_made_up(const struct snapshot_diff *d, const struct diff_pair *p)
{
	return snap_is_made_up(snapshot_text(d->before, diff_before(d, p)->full_name)) &&
	       snap_is_made_up(snapshot_text(d->after, diff_after(d, p)->full_name));
}

static enum heft_change change_of_pair(const struct snapshot_diff *d, const struct diff_pair *p,
				       uint8_t pass)
{
	const struct diff_value v = diff_value(d, p);
	if (!d->supersize) {
		if (pass >= MATCH_RENAMED && !diff_is_made_up(d, p))
			return HEFT_RENAMED;
		if (pass >= MATCH_FILE && has_moved(d, diff_before(d, p), diff_after(d, p)))
			return HEFT_MOVED;
	}
	const bool stack = d->has_stacks && diff_before(d, p)->stack != diff_after(d, p)->stack;
	return v.size != 0 || v.pss < 0 || v.pss > 0 || stack ? HEFT_CHANGED : HEFT_UNCHANGED;
}

static void add_pairs(struct snapshot_diff *d, const struct matcher *m)
{
	size_t paired = 0;
	vec_reserve(&d->pairs, d->after->symbols.count + m->before.left.count);
	for (uint32_t i = 0; i < d->after->symbols.count; i++) {
		struct diff_pair p = { m->partner[i], i, HEFT_ADDED, m->pass[i] };
		if (p.before != DIFF_NONE)
			p.change = change_of_pair(d, &p, m->pass[i]);
		paired += p.before != DIFF_NONE;
		vec_push(&d->pairs, p);
	}
	ASSERT(paired + m->before.left.count == d->before->symbols.count);
	for (size_t i = 0; i < m->before.left.count; i++)
		vec_push(&d->pairs,
			 (struct diff_pair){ m->before.left.data[i], DIFF_NONE, HEFT_REMOVED, 0 });
}

/* Sums up how the padding before paired symbols changed, per section of the old snapshot. It does
 * not count as change of the symbols. */
static void diff_add_paddings(struct snapshot_diff *d)
{
	double *sums = mem_zeroed(d->before->sections.count + 1, sizeof *sums);
	for (size_t i = 0; i < d->pairs.count; i++) {
		const struct snap_symbol *old = diff_before(d, &d->pairs.data[i]);
		const struct snap_symbol *new_ = diff_after(d, &d->pairs.data[i]);
		if (old && new_ && old->size != 0)
			sums[old->section] += padding_pss(new_) - padding_pss(old);
	}
	for (uint32_t i = 0; i < d->before->sections.count; i++) {
		const int64_t size = (int64_t)nearbyint(sums[i]);
		if (size != 0)
			vec_push(&d->paddings, (struct diff_padding){ i, size });
	}
	mem_free(sums);
}

static bool has_charges(const struct snapshot *s)
{
	return s->charges.count > 0 || s->symbols.count == 0;
}

void diff_init(struct snapshot_diff *d, const struct snapshot *before, const struct snapshot *after,
	       bool supersize)
{
	struct matcher m;
	*d = (struct snapshot_diff){ .before = before,
				     .after = after,
				     .supersize = supersize,
				     .has_stacks = before->has_stacks && after->has_stacks &&
						   !supersize };
	matcher_init(&m, before, after, supersize);
	matcher_run(&m);
	add_pairs(d, &m);
	if (!before->sparse || !after->sparse)
		diff_add_paddings(d);
	matcher_release(&m);
	d->charged = !supersize && has_charges(before) && has_charges(after);
	if (d->charged)
		charge_pairs_make(&d->charges, d);
}

void diff_release(struct snapshot_diff *d)
{
	vec_release_all(&d->pairs, &d->paddings);
	charge_pairs_release(&d->charges);
}
