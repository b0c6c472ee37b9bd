/* Stores the rows of a line program for look-ups by address. */
#include "debug/line_table.h"

#include "base/sort.h"
#include "debug/path.h"

static bool line_table_open_program(const struct line_table *t, struct line_program *p)
{
	return line_open(p, t->dwarf, t->off, t->address_size, t->comp_dir, t->str_offsets_base);
}

static void line_table_add_row(struct line_table *t, struct line_sequence *s,
			       const struct line_row *r)
{
	if (s->count == 0)
		s->addr = r->addr;
	/* A row that goes back, or ahead by 4 GiB, is damaged. */
	if (r->addr < s->addr || r->addr - s->addr > UINT32_MAX)
		return;
	const struct line_place new = { (uint32_t)(r->addr - s->addr), r->file, r->line,
					r->column };
	struct line_place *last = s->count ? &t->rows.data[t->rows.count - 1] : NULL;
	if (last && new.delta < last->delta)
		return;
	if (last && new.delta == last->delta) {
		*last = new;
		return;
	}
	if (last && new.file == last->file &&new.line == last->line &&new.column == last->column)
		return;
	vec_push(&t->rows, new);
	s->count++;
}

static void line_table_learn_path(struct line_table *t, const struct line_program *p, uint32_t file,
				  struct text *text, struct intern *paths)
{
	if (file >= t->path_count || t->paths[file])
		return;
	line_path(p, file, text);
	t->paths[file] = intern_get(paths, intern_add(paths, text_str(text))).p;
}

static void learn_all(struct line_table *t, struct intern *paths)
{
	struct line_program p;
	struct text text = { 0 };
	t->complete = true;
	if (!line_table_open_program(t, &p))
		return;
	for (size_t i = 0; i < t->path_count; i++)
		line_table_learn_path(t, &p, (uint32_t)i, &text, paths);
	text_release(&text);
	line_release(&p);
}

const char *line_table_path(struct line_table *t, uint32_t file, struct intern *paths)
{
	if (file >= t->path_count)
		return "";
	if (!t->paths[file] && !t->complete)
		learn_all(t, paths);
	return t->paths[file] ? t->paths[file] : "";
}

static void line_table_verify(const struct line_table *t)
{
	ASSERT(sorted_by_key(t->sequences.data, t->sequences.count, sizeof *t->sequences.data));
	vec_each(const struct line_sequence, s, &t->sequences) {
		ASSERT(s->count > 0 && s->first + (uint64_t)s->count <= t->rows.count);
		ASSERT(s->end > s->addr && t->rows.data[s->first].delta == 0);
		for (uint32_t k = 1; k < s->count; k++)
			ASSERT(t->rows.data[s->first + k].delta >
			       t->rows.data[s->first + k - 1].delta);
	}
}

bool line_table_read(struct line_table *t, const struct unit *u, struct intern *paths)
{
	struct line_program p;
	*t = (struct line_table){ .dwarf = u->dwarf,
				  .off = u->line_off,
				  .str_offsets_base = u->str_offsets_base,
				  .comp_dir = u->comp_dir,
				  .address_size = u->address_size };
	if (u->line_off == DW_NO_OFFSET || !line_table_open_program(t, &p))
		return false;
	struct line_sequence s = { 0 };
	for (struct line_row r; t->rows.count < UINT32_MAX && line_next(&p, &r);) {
		if (!r.end_sequence) {
			line_table_add_row(t, &s, &r);
			continue;
		}
		s.end = r.addr;
		if (s.count > 0 && s.end > s.addr)
			vec_push(&t->sequences, s);
		s = (struct line_sequence){ .first = (uint32_t)t->rows.count };
	}
	struct text text = { 0 };
	t->path_count = min_u64(p.files.count, UINT32_MAX);
	t->paths = mem_zeroed(t->path_count + 1, sizeof *t->paths);
	for (size_t i = 0; i < t->rows.count; i++)
		line_table_learn_path(t, &p, t->rows.data[i].file, &text, paths);
	text_release(&text);
	line_release(&p);
	sort_by_key(t->sequences.data, t->sequences.count, sizeof *t->sequences.data);
	vec_fit(&t->sequences);
	vec_fit(&t->rows);
	if (HEFT_CHECKS)
		line_table_verify(t);
	return true;
}

void line_table_release(struct line_table *t)
{
	vec_release_all(&t->sequences, &t->rows);
	mem_free(t->paths);
	t->paths = NULL;
}

const struct line_place *line_table_find(struct line_table *t, uint64_t addr)
{
	size_t i; /* Index of the first sequence that ends after addr */
	BISECT(i, 0, t->sequences.count, mid, t->sequences.data[mid].end <= addr);
	if (i == t->sequences.count || addr < t->sequences.data[i].addr)
		return NULL;
	const struct line_sequence *s = &t->sequences.data[i];
	const struct line_place *rows = t->rows.data + s->first;
	const uint64_t delta = addr - s->addr;
	size_t low = 0, high = s->count; /* low: index of the first row after addr. Row 0 is
					  * never after it */
	const size_t near = t->near - s->first;
	if (t->near >= s->first && near < high && rows[near].delta <= delta) {
		low = near;
		for (size_t step = 1; step < high - low; step *= 2) {
			if (rows[low + step].delta > delta)
				high = low + step;
			else
				low += step;
		}
	}
	BISECT(low, low, high, mid, rows[mid].delta <= delta);
	ASSERT(low > 0 && low <= s->count);
	t->near = s->first + low - 1;
	return &rows[low - 1];
}
