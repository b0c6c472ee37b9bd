/* Writes rows as a profile for pprof. A leaf row is a sample, labels above it are its callers. */
#include "report/pprof.h"
#include "report/row_walk.h"

struct rows_profile {
	struct pprof pprof;
	const struct report *r;
	struct intern labels; /* Labels of the functions. An id plus 1 is the number of the
			       * function and of its location */
};

static void out_pprof_put_sample(struct rows_profile *p, const struct row_walk *walk)
{
	const struct heft_table *t = &p->r->table;
	const struct heft_row *row = walk->levels.data[walk->levels.count - 1].row;
	struct text m = { 0 }, packed = { 0 };
	for (size_t i = walk->levels.count; i-- > 1;) {
		const char *label = walk->levels.data[i].row->label;
		text_add_varint(&packed, (uint64_t)intern_add(&p->labels, str_of(label)) + 1);
	}
	pprof_message(&m, 1, &packed);
	for (size_t i = 0; i < t->measure_count; i++)
		text_add_varint(&packed, row->now[i]);
	pprof_message(&m, 2, &packed);
	pprof_message(&p->pprof.out, 2, &m);
	text_release(&m);
	text_release(&packed);
}

/* Writes a function and its only location. */
static void out_pprof_put_label(struct rows_profile *p, uint32_t id)
{
	struct text t = { 0 }, line = { 0 };
	pprof_uint(&t, 1, (uint64_t)id + 1);
	pprof_uint(&line, 1, (uint64_t)id + 1);
	pprof_message(&t, 4, &line);
	pprof_message(&p->pprof.out, 4, &t);
	pprof_uint(&t, 1, (uint64_t)id + 1);
	pprof_string(&p->pprof, &t, 2, intern_get(&p->labels, id).p);
	pprof_message(&p->pprof.out, 5, &t);
	text_release(&t);
	text_release(&line);
}

void out_pprof(const struct report *r, struct sink *s)
{
	struct rows_profile p = { .r = r };
	struct row_walk walk;
	pprof_init(&p.pprof);
	for (size_t i = 0; i < r->table.measure_count; i++)
		pprof_type(&p.pprof, 1, r->table.measures[i].name,
			   r->table.measures[i].unit == HEFT_COUNT ? "count" : "bytes");
	row_walk_init(&walk, r->table.top);
	for (const struct heft_row *row; (row = row_next(&walk)) != NULL;)
		if (row->child_count == 0)
			out_pprof_put_sample(&p, &walk);
	row_walk_release(&walk);
	for (uint32_t i = 0; i < p.labels.entries.count; i++)
		out_pprof_put_label(&p, i);
	const char *first = r->table.measures[r->table.sorted_by].name;
	pprof_string(&p.pprof, &p.pprof.out, 14, first);
	if (!pprof_finish(&p.pprof, s))
		s->failed = true;
	intern_release(&p.labels);
}
