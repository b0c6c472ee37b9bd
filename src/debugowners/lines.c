/* Claims code by the rows of line programs. */
#include "debugowners/lines.h"

#include "base/bits.h"
#include "debug/dwarf_jobs.h"
#include "map/local_label.h"

/* Value in lines_rows.files for a file whose label was not yet made. */
#define FILE_UNKNOWN (LABEL_LOCAL | LABEL_PENDING)

/* A job of some line programs. It begins with a line_job. */
struct lines_rows {
	struct line_job job;
	const struct lines *all;
	struct claims vm;
	uint64_t count;                /* Number of rows that claimed bytes */
	const struct section *section; /* Section of the last row */
	struct local_labels labels;
	VEC(label_id)
	files; /* Paths of the current program's files. FILE_UNKNOWN if not yet made */
	struct text path;
};

/* Joins directory and name as stated in the table. False if the file has no name. */
static bool lines_plain_path(const struct line_program *p, uint64_t file, struct text *out)
{
	text_set(out, STR(""));
	if (file >= p->files.count || p->files.data[file].name.len == 0)
		return false;
	const struct line_file *f = &p->files.data[file];
	const bool own = p->version < 5 && f->dir == 0; /* Directory 0 is not in the table */
	if (f->name.p[0] != '/' && !own && f->dir < p->dirs.count) {
		text_adds(out, p->dirs.data[f->dir], STR("/"));
	}
	text_add(out, f->name);
	return true;
}

static label_id label_of_file(struct lines_rows *r, const struct line_program *p, uint32_t file)
{
	if (file >= r->files.count)
		return LABEL_NONE;
	label_id *label = &r->files.data[file];
	if (*label == FILE_UNKNOWN) {
		const bool known = r->all->f->as_bloaty ? lines_plain_path(p, file, &r->path)
							: line_path(p, file, &r->path);
		*label = known && r->path.len > 0 ? local_label(&r->labels, text_str(&r->path))
						  : LABEL_NONE;
	}
	return *label;
}

/* True if several overlays run at an address. Rows do not identify the overlay. */
static bool lines_is_shared(const struct image *im, uint64_t vm)
{
	for (size_t i = 1; im->overlay_shift > 0 && i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		if (s->vm_bias > 0 && vm >= s->addr - s->vm_bias &&
		    vm - (s->addr - s->vm_bias) < s->size)
			return true;
	}
	return false;
}

/* Claims the code [addr, end) for a label. Addresses are those of the DWARF. */
static void lines_claim_code(struct lines_rows *r, uint64_t addr, uint64_t end, label_id label)
{
	const struct image *im = r->all->im;
	uint64_t vm;
	if (label == LABEL_NONE || end <= addr || !debuginfo_addr(r->all->info, addr, &vm))
		return;
	if (!r->section || vm - r->section->addr >= r->section->size)
		r->section = image_section_at(im, vm);
	const struct section *s = r->section;
	if (!s || !s->exec || !section_takes_vm(im, s) ||
	    (!r->all->with_line && lines_is_shared(im, vm)))
		return;
	claim(&r->vm, vm, min_u64(end - addr, s->addr + s->size - vm), label, WHY_DEBUG);
	r->count++;
}

static void walk_rows(struct lines_rows *r, struct line_program *p)
{
	struct line_row row;
	uint64_t start = 0, shown = UINT64_MAX;
	label_id label = LABEL_NONE;
	while (line_next(p, &row)) {
		const uint64_t key = (uint64_t)row.file << 32 | (r->all->with_line ? row.line : 0);
		if (key == shown && !row.end_sequence)
			continue;
		lines_claim_code(r, start, row.addr, label);
		start = row.addr;
		label = row.end_sequence ? LABEL_NONE : label_of_file(r, p, row.file);
		if (label != LABEL_NONE && r->all->with_line)
			label = local_label_line(&r->labels, label, row.line - r->all->line_bias);
		shown = row.end_sequence ? UINT64_MAX : key;
	}
}

static void lines_work(void *ctx, struct line_job *job, unsigned worker)
{
	struct lines_rows *r = (struct lines_rows *)job;
	(void)worker;
	r->all = ctx;
	r->count = 0;
	for (size_t i = 0; i < job->count; i++) {
		struct line_program p;
		if (!line_job_open(job, &job->uses[i], &p))
			continue;
		r->files.count = 0;
		for (size_t k = 0; k < p.files.count; k++)
			vec_push(&r->files, FILE_UNKNOWN);
		walk_rows(r, &p);
		line_release(&p);
	}
}

static void lines_take(void *ctx, struct line_job *job)
{
	struct lines_rows *r = (struct lines_rows *)job;
	struct lines *l = ctx;
	l->row_count += r->count;
	local_labels_join(&r->labels, l->f->labels);
	claims_join(l->vm, &r->vm, &r->labels);
	local_labels_clear(&r->labels);
}

static void lines_release(void *ctx, struct line_job *job)
{
	struct lines_rows *r = (struct lines_rows *)job;
	(void)ctx;
	vec_release(&r->vm.list);
	local_labels_release(&r->labels);
	vec_release(&r->files);
	text_release(&r->path);
}

static void lines_progress(void *ctx, uint64_t off)
{
	const struct lines *l = ctx;
	progress_tell("line tables", off, l->info->dwarf.size[DW_LINE]);
}

struct programs {
	struct lines *all;
	line_use_vec uses;
	uint64_t *seen;     /* One bit per offset of DW_LINE: set if it was read */
	struct intern dirs; /* Directories of units */
};

static void open_units(void *ctx, struct unit_job *job, unsigned worker)
{
	(void)ctx;
	(void)worker;
	for (size_t i = 0; i < job->units.count; i++)
		(void)unit_open(&job->units.data[i], &job->cache, NULL);
}

static void lines_take_units(void *ctx, struct unit_job *job)
{
	struct programs *p = ctx;
	const uint64_t size = p->all->info->dwarf.size[DW_LINE];
	vec_each(const struct unit, u, &job->units) {
		if (!u->abbrevs || u->line_off == DW_NO_OFFSET ||
		    (u->line_off < size && !bits_first(&p->seen, size, u->line_off)))
			continue;
		const uint32_t dir = intern_add(&p->dirs, u->comp_dir);
		vec_push(&p->uses, (struct line_use){ .off = u->line_off,
						      .comp_dir = intern_get(&p->dirs, dir),
						      .str_offsets_base = u->str_offsets_base,
						      .address_size = u->address_size });
	}
}

static void list_by_units(struct programs *p)
{
	const struct unit_jobs jobs = { .dwarf = &p->all->info->dwarf,
					.in = DW_INFO,
					.threads = p->all->f->threads,
					.job_size = sizeof(struct unit_job),
					.ctx = p,
					.work = open_units,
					.take = lines_take_units };
	unit_jobs_run(&jobs);
}

void lines_of_all(struct lines *l)
{
	struct dwarf *d = &l->info->dwarf;
	struct programs p = { .all = l };
	ASSERT(l->vm && l->im);
	if (!line_uses_of_section(d, &p.uses))
		list_by_units(&p);
	struct line_jobs jobs = { .dwarf = d,
				  .uses = &p.uses,
				  .threads = l->f->threads,
				  .job_size = sizeof(struct lines_rows),
				  .ctx = l,
				  .work = lines_work,
				  .take = lines_take,
				  .release = lines_release,
				  .progress = lines_progress };
	line_jobs_run(&jobs);
	image_forget(l->info->image, d->bytes[DW_LINE]);
	vec_release(&p.uses);
	mem_free(p.seen);
	intern_release(&p.dirs);
}
