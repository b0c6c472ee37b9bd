/* Gives labels of a base the names that the inputs use. */
#include "compare/pair_labels.h"

#include "base/filename.h"
#include "compare/size_pairs.h"

void pair_labels_init(struct pair_labels *n, struct labels *labels)
{
	*n = (struct pair_labels){ .labels = labels, .count = labels->kinds.count };
	n->of_input = mem_zeroed(n->count + 1, sizeof *n->of_input);
	n->of_base = mem_zeroed(n->count + 1, sizeof *n->of_base);
	n->becomes = mem_alloc((n->count + 1) * sizeof *n->becomes);
	for (size_t i = 0; i < n->count; i++)
		n->becomes[i] = LABEL_NONE;
}

void pair_labels_release(struct pair_labels *n)
{
	mem_free_all(n->of_input, n->of_base, n->becomes);
	text_release(&n->roots[0]);
	text_release(&n->roots[1]);
}

void pair_labels_mark(struct pair_labels *n, enum heft_role role, const struct spans *s)
{
	bool *of = role == HEFT_BASE ? n->of_base : n->of_input;
	for (size_t i = 0; i < s->list.count; i++) {
		ASSERT(s->list.data[i].label < n->count);
		of[s->list.data[i].label] = true;
	}
}

bool pair_labels_lack(const struct pair_labels *n, enum heft_role role, const struct spans *s)
{
	const bool *other = role == HEFT_BASE ? n->of_input : n->of_base;
	for (size_t i = 0; i < s->list.count; i++)
		if (!other[s->list.data[i].label] &&
		    !label_is_fallback(n->labels, s->list.data[i].label))
			return true;
	return false;
}

/* Returns the label that a symbol has, or LABEL_NONE if it has none of its own. */
static label_id pair_labels_of(const struct pair_labels *n, const struct label_side *side,
			       const struct snapshot *s, const struct snap_symbol *y)
{
	const struct snap_section *sec = &s->sections.data[y->section];
	if (y->addr == 0 || !sec->native || sec->container >= side->count)
		return LABEL_NONE;
	const label_id label = spans_label(side->symbols[sec->container], y->addr);
	return label == LABEL_NONE || label_is_fallback(n->labels, label) ? LABEL_NONE : label;
}

static bool pair_labels_is_made_up(const struct pair_labels *n, label_id label)
{
	return snap_is_made_up(label_text(n->labels, label));
}

bool pair_labels_made_up(const struct pair_labels *n, const struct spans *s)
{
	for (size_t i = 0; i < s->list.count; i++)
		if (pair_labels_is_made_up(n, s->list.data[i].label))
			return true;
	return false;
}

/* Returns how much a pair counts when several pairs decide about a label: code before data, then by
 * size. Data with a function's label counts 0. */
static uint64_t pair_labels_weight_of(const struct snapshot *s, const struct snap_symbol *y)
{
	const uint64_t code = UINT64_C(1) << 48;
	const struct str name = snapshot_text(s, y->full_name);
	if (s->sections.data[y->section].code)
		return code + min_u64(y->size, code - 1);
	const bool owned = snap_is_owned(name) || snap_is_literal(name) || snap_is_star(name);
	return owned ? 0 : 1 + min_u64(y->size, code - 2);
}

/* Labels "(after SYMBOL)" that only the inputs, or only the base, have */
struct after_side {
	VEC(label_id) list;
	uint64_t *bytes; /* Per label: bytes in memory */
};

static void after_side_init(struct after_side *z, const struct pair_labels *n,
			    const struct label_side *side)
{
	*z = (struct after_side){ .bytes = mem_zeroed(n->count + 1, sizeof *z->bytes) };
	for (size_t i = 0; i < side->count; i++)
		for (size_t k = 0; k < side->symbols[i]->list.count; k++) {
			const struct span *x = &side->symbols[i]->list.data[k];
			if (x->label >= n->count ||
			    !label_is_after(label_text(n->labels, x->label)))
				continue;
			if (z->bytes[x->label] == 0)
				vec_push(&z->list, x->label);
			z->bytes[x->label] += x->size;
		}
}

static void after_side_release(struct after_side *z)
{
	vec_release(&z->list);
	mem_free(z->bytes);
}

/* Returns the label "(after SYMBOL)" with the symbol's new name. Returns `label` itself if it has
 * another form, or if the symbol keeps its name. */
static label_id after_become(struct pair_labels *n, label_id label)
{
	label_id symbol;
	if (!label_is_after(label_text(n->labels, label)) ||
	    !intern_find(&n->labels->names, label_after_whom(label_text(n->labels, label)),
			 &symbol) ||
	    symbol >= n->count || n->becomes[symbol] == LABEL_NONE)
		return label;
	return label_format(n->labels, LABEL_AFTER "%s)",
			    label_text(n->labels, n->becomes[symbol]).p);
}

/* Renames made-up labels of the base that stand for something else in the inputs: "NAME (in the
 * base)". Skips labels that were added later, because no row has them. */
static void strangers_rename(struct pair_labels *n, const struct spans *s)
{
	for (size_t i = 0; i < s->list.count; i++) {
		const label_id label = s->list.data[i].label;
		if (label < n->count && n->of_input[label] && n->becomes[label] == LABEL_NONE &&
		    (pair_labels_is_made_up(n, label) || after_become(n, label) != label))
			n->becomes[label] = label_format(n->labels, "%s (in the base)",
							 label_text(n->labels, label).p);
	}
}

/* Decides the new labels "(after SYMBOL)": by the symbols, then by sizes, as groups_after_match()
 * does for charges. */
static void learn_after(struct pair_labels *n, const struct label_side *before,
			const struct label_side *after)
{
	struct after_side old, new_;
	struct size_pairs sizes = { 0 };
	bool *taken = mem_zeroed(n->count + 1, sizeof *taken);
	after_side_init(&old, n, before);
	after_side_init(&new_, n, after);
	for (size_t i = 0; i < old.list.count; i++) {
		const label_id was = old.list.data[i], now = after_become(n, was);
		if (now < n->count && new_.bytes[now] > 0 && !taken[now]) {
			taken[now] = true;
			n->becomes[was] = now;
		}
	}
	for (size_t i = 0; i < old.list.count; i++)
		if (n->becomes[old.list.data[i]] == LABEL_NONE)
			size_pairs_add(&sizes, 0, old.list.data[i], 0, old.bytes[old.list.data[i]]);
	for (size_t i = 0; i < new_.list.count; i++)
		if (!taken[new_.list.data[i]])
			size_pairs_add(&sizes, 1, new_.list.data[i], 0,
				       new_.bytes[new_.list.data[i]]);
	for (size_t i = 0; i < sizes.list.count; i++)
		if (size_pair_is_sure(&sizes.list.data[i]))
			n->becomes[sizes.list.data[i].item[0]] = sizes.list.data[i].item[1];
	size_pairs_release(&sizes);
	after_side_release(&old);
	after_side_release(&new_);
	mem_free(taken);
}

void pair_labels_learn(struct pair_labels *n, const struct snapshot_diff *d,
		       const struct label_side *before, const struct label_side *after)
{
	uint64_t *weights = mem_zeroed(n->labels->kinds.count + 1, sizeof *weights);
	ASSERT(n->count <= n->labels->kinds.count);
	for (size_t i = 0; i < d->pairs.count; i++) {
		const struct snap_symbol *old = diff_before(d, &d->pairs.data[i]);
		const struct snap_symbol *new_ = diff_after(d, &d->pairs.data[i]);
		if (!old || !new_)
			continue;
		const label_id was = pair_labels_of(n, before, d->before, old);
		const label_id now = pair_labels_of(n, after, d->after, new_);
		if (was >= n->count || now == LABEL_NONE ||
		    (n->of_input[was] && !pair_labels_is_made_up(n, was)))
			continue;
		const uint64_t weight = pair_labels_weight_of(d->before, old);
		if (weight > weights[was]) {
			weights[was] = weight;
			n->becomes[was] = now;
		}
	}
	learn_after(n, before, after);
	for (size_t i = 0; i < before->count; i++)
		strangers_rename(n, before->symbols[i]);
	mem_free(weights);
}

/* Returns the label that replaces a path or package of the base, or LABEL_NONE if the label stays.
 * A path below the base's root becomes the same path below the root of the inputs. The name of a
 * package may be the last component of the base's root. It becomes the last component of the root
 * of the inputs. */
static label_id path_become(struct pair_labels *n, label_id label)
{
	const struct str path = label_text(n->labels, label);
	const struct str from = text_str(&n->roots[1]), to = text_str(&n->roots[0]);
	if (from.len == 0)
		return LABEL_NONE;
	if (!n->of_input[label] && str_eq(path, file_name_str(from)))
		return label_copy(n->labels, file_name_str(to));
	if (!str_starts(path, from) || (path.len > from.len && path.p[from.len] != '/'))
		return LABEL_NONE;
	return label_format(n->labels, "%.*s%s", (int)to.len, to.p, path.p + from.len);
}

static label_id text_become(struct pair_labels *n, label_id label, bool of_paths)
{
	if (label >= n->count || label_is_fallback(n->labels, label))
		return label;
	const label_id to = of_paths ? path_become(n, label) : n->becomes[label];
	return to == LABEL_NONE ? label : to;
}

static label_id label_become(struct pair_labels *n, label_id label, bool of_paths)
{
	if (label_is_chain(n->labels, label))
		return label;
	if (!label_is_numbered(n->labels, label))
		return text_become(n, label, of_paths);
	const struct label_number old = label_numbered(n->labels, label);
	const struct label_number now = { text_become(n, old.of, of_paths), old.number };
	if (now.of == old.of)
		return label;
	if (n->labels->kinds.data[label] == LABEL_BLOCK)
		return label_block(n->labels, now.of, now.number);
	label_lines(n->labels, &now, 1, &label);
	return label;
}

void pair_labels_rename(struct pair_labels *n, const struct spans *from, bool of_paths,
			struct spans *ret)
{
	vec_copy(&ret->list, &from->list);
	for (size_t i = 0; i < ret->list.count; i++)
		ret->list.data[i].label = label_become(n, ret->list.data[i].label, of_paths);
}
