#include "measure/stack_column.h"

const struct heft_text size_stack_texts[STACK_COLUMN_TEXTS] = {
	[STACK_COLUMN_MOST] = { "stack", true,
				"bytes of stack that the row takes with all that it calls" },
	[STACK_COLUMN_BESIDES] = { "stack_besides", false,
				   "why that may be more, as `besides` of `heft stack`" },
};

static label_id stack_column_shown(const struct view *v, label_id raw)
{
	return view_is_plain(v) || raw >= v->count ? raw : v->shown[raw];
}

static struct stack_cell *stack_column_cell_of(struct stack_column *c, label_id label)
{
	ASSERT(label != LABEL_NONE); /* With LABEL_NONE, the list would become huge */
	while (c->cells.count <= label)
		vec_push(&c->cells, (struct stack_cell){ 0 });
	return &c->cells.data[label];
}

void stack_column_add(struct stack_column *c, const struct stack_use *use,
		      const struct spans *spans, const struct view *view)
{
	vec_each(const struct stack_function, f, &use->functions) {
		const label_id raw = spans_label(spans, f->addr);
		const label_id label = raw == LABEL_NONE ? raw : stack_column_shown(view, raw);
		if (label == LABEL_NONE)
			continue;
		struct stack_cell *cell = stack_column_cell_of(c, label);
		if (f->kind != STACK_PART && f->worst + 1 > cell->most)
			cell->most = f->worst + 1;
		cell->besides |= f->told;
	}
}

void stack_column_texts(const struct stack_column *c, label_id label, struct arena *arena,
			const char **ret)
{
	struct text words = { 0 };
	ret[STACK_COLUMN_MOST] = ret[STACK_COLUMN_BESIDES] = "";
	if (label >= c->cells.count || c->cells.data[label].most == 0)
		return;
	stack_told_words(&words, c->cells.data[label].besides, NULL);
	ret[STACK_COLUMN_MOST] = arena_format(arena, "%" PRIu64, c->cells.data[label].most - 1);
	ret[STACK_COLUMN_BESIDES] = arena_copy(arena, text_str(&words));
	text_release(&words);
}
