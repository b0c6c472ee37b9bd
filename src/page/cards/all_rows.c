/* Makes all rows of a profile for stores (databases), without a limit. */
#include "page/cards/all_rows.h"

static void all_rows_fill(void *ctx, uint32_t node, uint32_t level, struct heft_row *row)
{
	struct all_rows *all = ctx;
	const struct heft_profile *p = all->flags.profile;
	row_set_ref(row, p->rollup.tree.nodes.data[node].key);
	if (level + 1 == p->levels.count)
		row->texts = symbol_flags_of(&all->flags, node);
}

static const char *all_rows_label_of(void *ctx, uint32_t node)
{
	const struct heft_profile *p = ((const struct all_rows *)ctx)->flags.profile;
	return label_text(&p->labels, p->rollup.tree.nodes.data[node].key).p;
}

void all_rows_begin(struct all_rows *ret, const struct heft_profile *p)
{
	static const struct heft_text texts[] = { { "flags", false } };
	*ret = (struct all_rows){ .arena = { 0 } };
	ret->table = profile_begin_table(p, &ret->opts, &ret->arena);
	ret->table.texts = texts;
	ret->table.text_count = COUNT_OF(texts);
	symbol_flags_init(&ret->flags, p, &ret->arena);
	ret->opts.limit = 0;
	ret->opts.sort = HEFT_SORT_NAME;
	ret->opts.told = p->diff ? 0 : ret->opts.told;
	ret->opts.drop_repeats = false;
	ret->opts.label = all_rows_label_of;
	ret->opts.fill = all_rows_fill;
	ret->opts.ctx = ret;
	ret->table.top = rows_visit_all(&ret->maker, &p->rollup.tree, &ret->opts, NULL,
					&ret->arena);
}

void all_rows_end(struct all_rows *a)
{
	rows_end(&a->maker);
	symbol_flags_release(&a->flags);
	arena_release(&a->arena);
}
