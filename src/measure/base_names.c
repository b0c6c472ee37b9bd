/* Finds what the labels of a profile's bases are called in the inputs. */
#include "measure/profile.h"
#include "measure/snapshot_handle.h"

#include "base/pool.h"
#include "compare/align_paths.h"
#include "compare/pair_labels.h"

typedef bool level_fn(const struct source *s);

static bool base_names_functions(const struct source *s)
{
	return s->run == source_symbols || s->run == source_blocks || s->run == source_functions;
}

static bool names_paths(const struct source *s)
{
	return s->text == TEXT_PATH || s->text == TEXT_DIRECTORY || s->run == source_inlines ||
	       s->run == source_objects || s->run == source_libraries || s->run == source_packages;
}

bool base_names_wanted(const struct heft_profile *p)
{
	bool sides[2] = { false, false }, level = false;
	vec_each(const struct entry, e, &p->entries) {
		sides[e->role == HEFT_BASE] = true;
		if (!program_image(&e->program) || e->process.open)
			return false;
	}
	for (size_t i = 0; i < p->levels.count; i++)
		level |= base_names_functions(p->levels.data[i].source) ||
			 names_paths(p->levels.data[i].source);
	return sides[0] && sides[1] && level && !p->as_bloaty && !p->trace.fn;
}

/* True if levels with a `wanted` data source have labels that only the side `role` has. */
static bool levels_lack(const struct heft_profile *p, const struct pair_labels *n,
			enum heft_role role, level_fn *wanted)
{
	vec_each(const struct level, l, &p->levels) {
		for (size_t k = 0; wanted(l->source) && k < p->entries.count; k++) {
			const struct entry *e = &p->entries.data[k];
			if (e->role == role &&
			    (pair_labels_lack(n, role, entry_spans(e, l, HEFT_VM)) ||
			     pair_labels_lack(n, role, entry_spans(e, l, HEFT_FILE))))
				return true;
		}
	}
	return false;
}

/* True if a function of a base may have another label in the inputs: if a label is only on one
 * side, or made from an address. */
static bool functions_may_differ(const struct heft_profile *p, const struct pair_labels *n)
{
	bool differ = levels_lack(p, n, HEFT_BASE, base_names_functions);
	if (!differ || levels_lack(p, n, HEFT_INPUT, base_names_functions))
		return differ;
	for (size_t i = 0; i < p->levels.count; i++)
		for (size_t k = 0; k < p->entries.count; k++)
			if (pair_labels_made_up(n, entry_spans(&p->entries.data[k],
							       &p->levels.data[i], HEFT_VM)))
				return true;
	return false;
}

static void levels_rename(struct heft_profile *p, struct pair_labels *n, level_fn *wanted)
{
	const bool paths = wanted == names_paths;
	vec_each(const struct level, l, &p->levels) {
		for (size_t k = 0; wanted(l->source) && k < p->entries.count; k++) {
			struct entry *e = &p->entries.data[k];
			if (e->role != HEFT_BASE)
				continue;
			if (!e->renamed)
				e->renamed = mem_zeroed(e->layer_count, sizeof *e->renamed);
			struct layer *to = &e->renamed[l->layer];
			if (to->vm.list.count > 0 || to->file.list.count > 0)
				continue; /* Another level has the same data source */
			pair_labels_rename(n, &e->layers[l->layer].vm, paths, &to->vm);
			pair_labels_rename(n, &e->layers[l->layer].file, paths, &to->file);
		}
	}
}

/* Lists the compile units of the inputs, or of the base. */
static align_paths units_list(struct heft_profile *p, enum heft_role role)
{
	align_paths list = { 0 };
	bool *seen = mem_zeroed(p->labels.kinds.count + 1, sizeof *seen);
	vec_each(const struct entry, e, &p->entries) {
		const struct spans *s = &entry_layer(p, e, source_compileunits)->vm;
		for (size_t k = 0; e->role == role && k < s->list.count; k++) {
			const label_id label = s->list.data[k].label;
			if (!seen[label])
				vec_push(&list, label_text(&p->labels, label));
			seen[label] = true;
		}
	}
	mem_free(seen);
	return list;
}

static bool roots_find(struct heft_profile *p, struct pair_labels *n)
{
	if (!paths_empty(&p->context.wish.paths) || !levels_lack(p, n, HEFT_BASE, names_paths))
		return false;
	for (size_t i = 0; i < p->entries.count; i++)
		entry_measure_more(p, &p->entries.data[i], source_compileunits);
	align_paths now = units_list(p, HEFT_INPUT), old = units_list(p, HEFT_BASE);
	const bool found = align_find_paths(&now, &old, n->roots);
	vec_release_all(&now, &old);
	return found;
}

/* One side of the comparison, as a snapshot. Each file is a container of the snapshot */
struct base_side {
	struct heft_snapshot s;
	const struct heft_profile *profile;
	enum heft_role role;
	const struct spans **symbols;
	size_t count;
	struct heft_err err;
	bool ok;
};

static void side_measure(struct base_side *side, struct heft_profile *p, enum heft_role role,
			 const struct pair_labels *n)
{
	*side = (struct base_side){ .s = { .context = { .wish = p->context.wish,
							.threads = p->context.threads } },
				    .profile = p,
				    .role = role };
	side->symbols = mem_zeroed(p->entries.count, sizeof(struct spans *));
	vec_each(struct entry, e, &p->entries) {
		if (e->role != role)
			continue;
		entry_measure_more(p, e, source_symbols);
		entry_measure_more(p, e, source_compileunits);
		side->symbols[side->count++] = &entry_layer(p, e, source_symbols)->vm;
	}
	/* If all functions have real names, pairs are found by name, without literals. */
	bool made_up = false;
	for (size_t i = 0; i < side->count && !made_up; i++)
		made_up = pair_labels_made_up(n, side->symbols[i]);
	side->s.flags = made_up ? 0 : HEFT_SNAPSHOT_NO_LITERALS;
}

static void side_take(void *ctx, size_t i, unsigned worker)
{
	struct base_side *side = (struct base_side *)ctx + i;
	(void)worker;
	side->ok = snapshot_take_side(&side->s, side->profile, side->role, &side->err);
}

static void base_names_side_release(struct base_side *side)
{
	if (side->s.open)
		snapshot_release(&side->s.snapshot);
	notes_release(&side->s.context.notes);
	arena_release(&side->s.arena);
	vec_release(&side->s.programs);
	mem_free(side->symbols);
}

static bool functions_pair(struct heft_profile *p, struct pair_labels *n, struct heft_err *err)
{
	struct base_side sides[2];
	struct base_side *now = &sides[0], *old = &sides[1];
	side_measure(now, p, HEFT_INPUT, n);
	side_measure(old, p, HEFT_BASE, n);
	parallel_for(p->context.threads, COUNT_OF(sides), side_take, sides);
	const bool ok = now->ok && old->ok;
	if (ok) {
		struct snapshot_diff d;
		if (paths_empty(&p->context.wish.paths))
			align_snapshots(&old->s.snapshot, &now->s.snapshot);
		diff_init(&d, &old->s.snapshot, &now->s.snapshot, false);
		pair_labels_learn(n, &d, &(struct label_side){ old->symbols, old->count },
				  &(struct label_side){ now->symbols, now->count });
		diff_release(&d);
	} else if (err) {
		*err = now->ok ? old->err : now->err;
	}
	base_names_side_release(now);
	base_names_side_release(old);
	return ok;
}

bool base_names_find(struct heft_profile *p, struct heft_err *err)
{
	struct pair_labels n;
	bool ok = true;
	pair_labels_init(&n, &p->labels);
	for (size_t i = 0; i < p->levels.count; i++)
		vec_each(const struct entry, e, &p->entries) {
			const struct level *l = &p->levels.data[i];
			pair_labels_mark(&n, e->role, entry_spans(e, l, HEFT_VM));
			pair_labels_mark(&n, e->role, entry_spans(e, l, HEFT_FILE));
		}
	const bool functions = functions_may_differ(p, &n);
	if (roots_find(p, &n))
		levels_rename(p, &n, names_paths);
	if (functions) {
		ok = functions_pair(p, &n, err);
		if (ok)
			levels_rename(p, &n, base_names_functions);
	}
	pair_labels_release(&n);
	return ok;
}
