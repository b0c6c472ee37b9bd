/* Makes the code of functions as text, for a page. */
#include "page/cards/symbol_code.h"

#include "page/cards/symbol_cards.h"
#include "base/sort.h"
#include "code/disasm.h"
#include "compare/code_diff.h"
#include "report/report.h"

/* A function whose code may be shown. Sorted by weight (runs, or change in size), then by size. */
struct symbol_code_candidate {
	uint64_t weight, size;
	uint64_t label;
	size_t number; /* Function's index in struct heft_blocks. In a diff: index of the pair */
};

typedef VEC(struct symbol_code_candidate) candidate_vec;

COMPARISON(compare_chosen, struct symbol_code_candidate, ORDER(b->weight, a->weight),
	   ORDER(b->size, a->size), ORDER(a->number, b->number))

COMPARISON(symbol_code_compare_labels, struct symbol_code_candidate, ORDER(a->label, b->label),
	   ORDER(a->number, b->number))

/* Keeps the first candidates, until their code reaches CODE_OF_PAGE bytes, and sorts them by label.
 * Counts at most `most_of_one` bytes of each. */
static void symbol_code_choose(candidate_vec *list, uint64_t most_of_one)
{
	uint64_t sum = 0;
	size_t count = 0;
	if (list->count == 0)
		return;
	vec_sort_by(list, compare_chosen);
	while (count < list->count && sum < CODE_OF_PAGE)
		sum += min_u64(list->data[count++].size, most_of_one);
	list->count = count;
	vec_sort_by(list, symbol_code_compare_labels);
}

/* Assigns the code from offset `from` to the end of c->text to this label. */
static void close_text(struct symbol_code *c, uint64_t label, size_t from)
{
	struct label_code *last = c->labels.count > 0 ? &c->labels.data[c->labels.count - 1] : NULL;
	if (c->text.len == from)
		return;
	ASSERT(c->text.len > from);
	c->shown++;
	if (last && last->label == label)
		last->size = c->text.len - last->from;
	else
		vec_push(&c->labels, (struct label_code){ label, from, c->text.len - from });
}

static void add_cut(struct text *t, uint64_t size, uint64_t shown)
{
	if (size <= shown)
		return;
	text_add(t, STR("  and "));
	text_add_number(t, size - shown);
	text_add(t, STR(" bytes of code more\n"));
}

/* Returns how often the blocks of function `i` ran, in total. */
static uint64_t symbol_code_weight(struct heft_samples *s, size_t i)
{
	uint64_t sum = 0;
	if (!s)
		return 0;
	counts_list(s, i);
	for (size_t k = 0; k < s->counts.count; k++)
		sum = add_sat(sum, s->counts.data[k].count);
	return sum;
}

static void symbol_code_list_functions(candidate_vec *list, const struct heft_profile *p,
				       struct heft_blocks *b, struct heft_samples *s)
{
	const struct level *l = symbol_cards_level(p);
	const struct spans *spans = entry_spans(&p->entries.data[0], l, HEFT_VM);
	for (size_t i = 0; i < b->function_count; i++) {
		const struct heft_block_function f = blocks_function(b, i);
		const struct span *at = spans_find(spans, f.addr);
		struct symbol_code_candidate c = { .number = i,
						   .weight = symbol_code_weight(s, i) };
		for (size_t k = 0; k < f.block_count; k++)
			c.size += f.blocks[k]->size;
		if (!at || c.size == 0)
			continue;
		c.label = view_is_plain(&l->view) ? at->label : l->view.shown[at->label];
		vec_push(list, c);
	}
}

static bool text_put(void *ctx, const void *data, size_t size)
{
	text_add(ctx, (struct str){ data, size });
	return true;
}

/* Appends the code of function `i`. */
static bool symbol_code_add(struct symbol_code *c, size_t i, struct heft_blocks *b,
			    struct heft_samples *s, struct heft_err *err)
{
	const struct heft_sink to = { text_put, &c->text };
	struct code_wish wish = { .most = CODE_OF_FUNCTION };
	struct sink out;
	if (s) {
		counts_list(s, i);
		wish.counts = s->counts.data;
	}
	sink_start(&out, &to);
	return out_code(b, i, &wish, &out, err) && sink_end(&out, err);
}

static bool make_listings(struct symbol_code *c, struct heft_profile *p, struct heft_blocks *b,
			  struct heft_samples *s, struct heft_err *err)
{
	candidate_vec list = { 0 };
	bool good = true;
	symbol_code_list_functions(&list, p, b, s);
	c->all = list.count;
	symbol_code_choose(&list, CODE_OF_FUNCTION);
	for (size_t i = 0; good && i < list.count; i++) {
		const struct symbol_code_candidate *k = &list.data[i];
		const size_t from = c->text.len;
		good = symbol_code_add(c, k->number, b, s, err);
		add_cut(&c->text, k->size, CODE_OF_FUNCTION);
		close_text(c, k->label, from);
	}
	vec_release(&list);
	return good;
}

/* A label's largest function, in the base or in the input of a diff. */
struct side {
	uint64_t label;
	struct code_side code;
};

typedef VEC(struct side) side_vec;

/* Returns the code in a span. Leaves out padding at its end, if a symbol states a smaller size. */
static struct code_side symbol_code_side_of(struct entry *e, const struct image *im,
					    const struct span *s)
{
	const struct symbol_place *y = symbol_table_find(program_symbols(&e->program), s->start);
	const bool stated = y && y->addr == s->start && y->size > 0 && y->size < s->size;
	return (struct code_side){ im, s->start, stated ? y->size : s->size };
}

static void list_side(side_vec *list, struct heft_profile *p, enum heft_role role)
{
	const struct level *l = symbol_cards_level(p);
	vec_each(struct entry, e, &p->entries) {
		const struct image *im = program_image(&e->program);
		if (!im || !e->layers || e->role != role)
			continue;
		const struct spans *spans = entry_spans(e, l, HEFT_VM);
		for (size_t k = 0; k < spans->list.count; k++) {
			const struct span *s = &spans->list.data[k];
			const struct section *in = image_section_at(im, s->start);
			if (!in || !in->exec || label_is_fallback(&p->labels, s->label))
				continue;
			const label_id label = view_is_plain(&l->view) ? s->label
								       : l->view.shown[s->label];
			vec_push(list, (struct side){ label, symbol_code_side_of(e, im, s) });
		}
	}
}

COMPARISON(compare_sides, struct side, ORDER(a->label, b->label), ORDER(b->code.size, a->code.size),
	   ORDER(a->code.addr, b->code.addr))

static void keep_largest(side_vec *list)
{
	size_t count = 0;
	vec_sort_by(list, compare_sides);
	for (size_t i = 0; i < list->count; i++)
		if (count == 0 || list->data[i].label != list->data[count - 1].label)
			list->data[count++] = list->data[i];
	list->count = count;
}

/* A function in base and input of a diff. `im` of a side is NULL if it is missing there. */
struct symbol_code_pair {
	struct code_side sides[2];
};

typedef VEC(struct symbol_code_pair) pair_vec;

static void add_pair(candidate_vec *list, pair_vec *pairs, uint64_t label,
		     const struct symbol_code_pair *p)
{
	const uint64_t old = p->sides[0].size, now = p->sides[1].size;
	const struct symbol_code_candidate c = { .weight = old > now ? old - now : now - old,
						 .size = min_u64(old, CODE_DIFF_BYTES) +
							 min_u64(now, CODE_DIFF_BYTES),
						 .label = label,
						 .number = pairs->count };
	if (c.weight == 0)
		return;
	vec_push(pairs, *p);
	vec_push(list, c);
}

static void pair_sides(candidate_vec *list, pair_vec *pairs, const side_vec *old,
		       const side_vec *now)
{
	for (size_t i = 0, k = 0; i < old->count || k < now->count;) {
		const uint64_t a = i < old->count ? old->data[i].label : UINT64_MAX;
		const uint64_t b = k < now->count ? now->data[k].label : UINT64_MAX;
		struct symbol_code_pair p = { 0 };
		if (a <= b)
			p.sides[0] = old->data[i++].code;
		if (b <= a)
			p.sides[1] = now->data[k++].code;
		add_pair(list, pairs, a < b ? a : b, &p);
	}
}

static void make_diffs(struct symbol_code *c, struct heft_profile *p)
{
	side_vec sides[2] = { { 0 } };
	candidate_vec list = { 0 };
	pair_vec pairs = { 0 };
	struct text one = { 0 };
	list_side(&sides[0], p, HEFT_BASE);
	list_side(&sides[1], p, HEFT_INPUT);
	for (size_t i = 0; i < COUNT_OF(sides); i++)
		keep_largest(&sides[i]);
	pair_sides(&list, &pairs, &sides[0], &sides[1]);
	c->all = list.count;
	symbol_code_choose(&list, 2 * CODE_DIFF_BYTES);
	vec_each(const struct symbol_code_candidate, k, &list) {
		const struct symbol_code_pair *both = &pairs.data[k->number];
		const size_t from = c->text.len;
		if (code_diff(&one, &both->sides[0], &both->sides[1]))
			text_add(&c->text, text_str(&one));
		close_text(c, k->label, from);
	}
	for (size_t i = 0; i < COUNT_OF(sides); i++)
		vec_release(&sides[i]);
	vec_release_all(&list, &pairs);
	text_release(&one);
}

bool symbol_code_make(struct symbol_code *c, struct heft_profile *p, struct heft_blocks *blocks,
		      struct heft_samples *samples, struct heft_err *err)
{
	*c = (struct symbol_code){ 0 };
	if (!disasm_present())
		return fail(
			err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			"no disassembler: Capstone is not installed, or heft was built without it");
	if (!symbol_cards_level(p))
		c->missing = "none: the last data source is not symbols";
	else if (p->diff)
		make_diffs(c, p);
	else if (!blocks || p->entries.count != 1 || !p->entries.data[0].layers)
		c->missing = "none: it is shown of one program or object";
	else if (!make_listings(c, p, blocks, samples, err))
		return err->code == HEFT_EUNSUPPORTED &&
		       (c->missing = "none: heft knows no text for code of this machine", true);
	if (!c->missing && c->shown == 0)
		c->missing = p->diff ? "none: no function changed its size"
				     : "none: no basic blocks are known";
	return true;
}

void symbol_code_release(struct symbol_code *c)
{
	vec_release(&c->labels);
	text_release(&c->text);
	*c = (struct symbol_code){ 0 };
}

struct str symbol_code_of(const struct symbol_code *c, label_id label)
{
	const size_t i = lower_bound(c->labels.data, c->labels.count, sizeof *c->labels.data,
				     label);
	if (i == c->labels.count || c->labels.data[i].label != label)
		return STR("");
	return (struct str){ c->text.p + c->labels.data[i].from, c->labels.data[i].size };
}
