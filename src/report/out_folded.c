#include "report/report.h"
#include "report/row_walk.h"

void folded_put(struct sink *s, const char *label, bool stack)
{
	for (const char *p = label; *p; p++) {
		const char c = *p;
		const char shown = c == '\n' || c == '\r' ? ' ' : c == ';' && !stack ? ':' : c;
		sink_text(s, (struct str){ &shown, 1 });
	}
}

static void put_leaf(const struct report *r, const struct row_walk *walk, struct sink *s)
{
	const size_t depth = walk->levels.count - 1;
	const struct heft_row *row = walk->levels.data[depth].row;
	const bool vm = r->opts.domain == HEFT_VM;
	const uint64_t now = vm ? row->now.vm : row->now.file;
	const uint64_t base = vm ? row->base.vm : row->base.file;
	if (now == 0 && base == 0)
		return;
	for (size_t i = 1; i <= depth; i++) {
		if (i > 1)
			sink_text(s, STR(";"));
		folded_put(s, walk->levels.data[i].row->label, r->stacks >> (i - 1) & 1);
	}
	if (r->diff)
		sink_printf(s, " %" PRIu64, base);
	sink_printf(s, " %" PRIu64 "\n", now);
}

void out_folded(const struct report *r, struct sink *s)
{
	struct row_walk walk;
	row_walk_init(&walk, r->top);
	for (const struct heft_row *row; !s->failed && (row = row_next(&walk)) != NULL;)
		if (row->child_count == 0)
			put_leaf(r, &walk, s);
	row_walk_release(&walk);
}
