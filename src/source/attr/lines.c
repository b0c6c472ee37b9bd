/* Code by line program; the source inlines. */
#include "source/attr/lines.h"

#include "base/bits.h"
#include "program/dwarf_slot.h"

/* ---- labels ------------------------------------------------------------------------------------- */

static label_id make_label(struct lines *l, const struct line_program *p, uint32_t file,
			   uint32_t line)
{
	if (l->path_file != file) {
		l->path_file = file;
		if (line_path(p, file, &l->path) && l->with_line)
			text_add_char(&l->path, ':');
	}
	if (l->path.len == 0)
		return LABEL_NONE;
	const size_t len = l->path.len;
	if (l->with_line)
		text_add_number(&l->path, line);
	const label_id label = label_copy(l->f->labels, text_str(&l->path));
	l->path.len = len;
	return label;
}

static label_id label_of(struct lines *l, const struct line_program *p, const struct line_row *row)
{
	const uint32_t line = l->with_line ? row->line : 0;
	const uint64_t key = (uint64_t)row->file << 32 | line;
	uint32_t i;
	struct map_at at = map_at(&l->by_key, hash_u64(key));
	while (map_next(&l->by_key, &at, &i))
		if (l->lines.data[i].key == key)
			return l->lines.data[i].label;
	const label_id label = make_label(l, p, row->file, line);
	map_put(&l->by_key, &at, (uint32_t)l->lines.count);
	vec_push(&l->lines, (struct line_label){ key, label });
	return label;
}

/* ---- rows --------------------------------------------------------------------------------------- */

static bool inside(const struct section *s, uint64_t addr)
{
	return s && addr >= s->addr && addr - s->addr < s->size;
}

/* The code from addr up to `end`, both as the DWARF states them. */
static void claim_code(struct lines *l, uint64_t addr, uint64_t end, label_id label)
{
	uint64_t vm;
	if (label == LABEL_NONE || end <= addr || !debuginfo_addr(l->info, addr, &vm))
		return;
	if (!inside(l->section, vm))
		l->section = image_section_at(l->im, vm);
	const struct section *s = l->section;
	if (!inside(s, vm) || !s->exec || !section_takes_vm(l->im, s))
		return;
	claim(l->vm, vm, min_u64(end - addr, s->addr + s->size - vm), label, WHY_DEBUG);
	l->row_count++;
}

static void walk_rows(struct lines *l, struct line_program *p)
{
	struct line_row row;
	uint64_t start = 0, shown = UINT64_MAX;
	label_id label = LABEL_NONE;
	while (line_next(p, &row)) {
		const uint64_t key = (uint64_t)row.file << 32 | (l->with_line ? row.line : 0);
		if (key == shown && !row.end_sequence)
			continue;
		claim_code(l, start, row.addr, label);
		start = row.addr;
		label = row.end_sequence ? LABEL_NONE : label_of(l, p, &row);
		shown = row.end_sequence ? UINT64_MAX : key;
	}
}

void lines_of_unit(struct lines *l, const struct unit *u)
{
	struct line_program p;
	if (u->line_off == DW_NO_OFFSET || u->dwarf != &l->info->dwarf ||
	    !bits_first(&l->seen, u->dwarf->size[DW_LINE], u->line_off) ||
	    !line_open(&p, u->dwarf, u->line_off, u->address_size, u->comp_dir,
		       u->str_offsets_base))
		return;
	map_clear(&l->by_key);
	l->lines.count = 0;
	l->path_file = DW_NO_OFFSET;
	walk_rows(l, &p);
	line_release(&p);
}

void lines_of_all(struct lines *l)
{
	struct dwarf *d = &l->info->dwarf;
	struct abbrev_cache cache = { 0 };
	struct unit u;
	uint64_t off = 0;
	dwarf_pass_begin(d, DW_INFO);
	while (unit_next(d, DW_INFO, &off, &u)) {
		dwarf_pass(d, DW_INFO, u.off, unit_end(&u));
		if (unit_open(&u, &cache, NULL))
			lines_of_unit(l, &u);
		source_progress(l->f, "line tables", off, d->size[DW_INFO]);
	}
	dwarf_pass_end(d, DW_INFO);
	image_forget(l->info->image, d->bytes[DW_LINE]);
	abbrev_cache_release(&cache);
}

void lines_release(struct lines *l)
{
	free(l->seen);
	vec_release(&l->lines);
	map_release(&l->by_key);
	text_release(&l->path);
}

/* ---- inlines ---------------------------------------------------------------------------------- */

static void note_no_lines(const struct source_file *f, const struct lines *l)
{
	if (!l->info)
		note(f->notes, f->path, HEFT_NO_OFFSET, 0,
		     "no debug info: source lines are not known");
	else if (l->row_count == 0)
		note(f->notes, f->path, HEFT_NO_OFFSET, 0,
		     "debug info without line tables for the code: source lines are not known");
}

void source_inlines(const struct source_file *f, struct layer *ret)
{
	struct claims vm = { 0 }, file = { 0 };
	for (size_t i = 0; i < f->input->image_count; i++) {
		const struct image *im = &f->input->images[i];
		struct lines l = { .f = f, .im = im, .with_line = true, .vm = &vm };
		l.info = source_dwarf(f, im, f->debug ? &f->debug->images[0] : NULL);
		if (l.info)
			lines_of_all(&l);
		note_no_lines(f, &l);
		lines_release(&l);
	}
	layer_add_vm(f, ret, &vm);
	layer_add_file(f, ret, &file);
	layer_finish(f, ret);
}
