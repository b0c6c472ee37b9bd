/* Implements diffs of snapshots: heft_diff_*. */
#include "api/budget_handle.h"
#include "measure/snapshot_handle.h"
#include "api/structs.h"
#include "query/region_metrics.h"
#include "program/program.h"
#include "report/review/comment.h"
#include "compare/code_diff.h"
#include "snapshot/sizefile.h"

#include <math.h>

/* A side made from programs, and the program that is open. */
struct diff_programs {
	const struct heft_snapshot *s;
	struct program program;
	const char *path;
	bool open;
};

struct heft_diff {
	struct memory *memory; /* Must be the first field: see handle_new(). */
	bool made;
	const struct heft_snapshot *sides[2]; /* [0] before, which may be NULL; [1] after. */
	struct snapshot nothing;              /* Stands for `before` if there is none. */
	struct snapshot_diff diff;
	struct diff_sections sections;
	struct diff_rows rows;
};

static bool diff_handle_make(struct heft_diff *d, const struct heft_snapshot *before,
			     const struct heft_snapshot *after, unsigned flags,
			     struct heft_err *err)
{
	if (!after || !after->open || (before && !before->open) ||
	    (!before && !after->is_diff && !(flags & HEFT_DIFF_FROM_NOTHING)))
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "a diff needs two snapshots");
	memory_need_whole(after->memory);
	if (before)
		memory_need_whole(before->memory);
	memory_take_progress(after->memory);
	progress_tell("pairs of symbols", 0, 0);
	snapshot_init(&d->nothing);
	diff_init(&d->diff,
		  before                           ? &before->snapshot
		  : flags & HEFT_DIFF_FROM_NOTHING ? &d->nothing
						   : &after->before,
		  &after->snapshot, flags & HEFT_DIFF_SUPERSIZE);
	d->made = true;
	d->sides[0] = before;
	d->sides[1] = after;
	diff_sections_make(&d->sections, &d->diff);
	return true;
}

static void diff_handle_release(void *handle)
{
	struct heft_diff *d = handle;
	diff_rows_release(&d->rows);
	diff_sections_release(&d->sections);
	if (d->made) {
		diff_release(&d->diff);
		snapshot_release(&d->nothing);
	}
	mem_free(d);
}

struct heft_diff *heft_diff_new(const struct heft_snapshot *before,
				const struct heft_snapshot *after, unsigned flags,
				struct heft_err *err)
{
	struct heft_diff *d = handle_new(sizeof *d);
	if (GUARDED(d ? d->memory : NULL, err, diff_handle_make(d, before, after, flags, err)))
		return d;
	heft_diff_free(d);
	return NULL;
}

void heft_diff_free(struct heft_diff *d)
{
	handle_free(d, diff_handle_release);
}

size_t heft_diff_section_count(const struct heft_diff *d)
{
	return d->sections.sections.count - 1;
}

/* Returns section `i`. NULL if there is none. */
static const struct diff_section *diff_handle_section_at(const struct heft_diff *d, size_t i)
{
	const size_t count = heft_diff_section_count(d);
	const size_t at = i == HEFT_DIFF_TOTAL ? count : i;
	return i < count || i == HEFT_DIFF_TOTAL ? &d->sections.sections.data[at] : NULL;
}

bool heft_diff_section(const struct heft_diff *d, size_t i, struct heft_diff_section *ret,
		       struct heft_err *err)
{
	if (!STATED(heft_diff_section, ret, err))
		return false;
	const struct diff_section *s = diff_handle_section_at(d, i);
	if (!s)
		return absent(err);
	const struct heft_diff_section made = { .name = s->name,
						.in_file = s->in_file,
						.before = s->sizes.before,
						.after = s->sizes.after,
						.padding_before = s->sizes.padding_before,
						.padding_after = s->sizes.padding_after,
						.in_memory = s->in_memory };
	give(ret, &made, sizeof made);
	return true;
}

uint64_t heft_diff_section_changes(const struct heft_diff *d, size_t i, enum heft_change what)
{
	const struct diff_section *s = diff_handle_section_at(d, i);
	return s && (unsigned)what < HEFT_CHANGES ? s->counts[what] : 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool diff_handle_make_rows(struct heft_diff *d, const struct heft_diff_query *query,
				  struct heft_err *err)
{
	struct heft_diff_query q = { 0 };
	if (!TAKE(heft_diff_query, &q, query, err))
		return false;
	diff_rows_release(&d->rows);
	diff_rows_make(&d->rows, &d->diff, &q);
	return true;
}

const struct heft_table *heft_diff_rows(struct heft_diff *d, const struct heft_diff_query *query,
					struct heft_err *err)
{
	return GUARDED(d->memory, err, diff_handle_make_rows(d, query, err)) ? &d->rows.table
									     : NULL;
}

/* ---- files ----------------------------------------------------------------------------------- */

static struct diff_report diff_report_of(const struct heft_diff *d, const struct diff_rows *rows)
{
	const struct diff_section *const list = d->sections.sections.data;
	const size_t count = heft_diff_section_count(d);
	const bool charged = rows->counting == DIFF_CHARGED;
	struct diff_report ret = { .sections = list,
				   .section_count = count,
				   .knows_memory = d->sections.knows_memory,
				   .hides_debug = rows->hides_debug,
				   .counting = rows->counting,
				   .uncharged = !d->diff.charged && !d->diff.supersize,
				   .counts = charged ? rows->counts : list[count].counts };
	diff_report_sum(&ret);
	return ret;
}

static bool diff_write(const struct heft_diff *d, const struct heft_write_opts *opts,
		       const struct heft_sink *sink, struct heft_err *err)
{
	const struct diff_report z = diff_report_of(d, &d->rows);
	struct report r = { .table = d->rows.table, .ctx = &z };
	struct sink s;
	if (!d->rows.table.top)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "no rows of the diff were asked for");
	if (!TAKE(heft_write_opts, &r.opts, opts, err))
		return false;
	diff_report_init(&r);
	sink_start(&s, sink);
	return report_write(&r, &s, err);
}

bool heft_diff_write(const struct heft_diff *d, const struct heft_write_opts *opts,
		     const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED(d->memory, err, diff_write(d, opts, sink, err));
}

/* ---- comments -------------------------------------------------------------------------------- */

struct regions {
	VEC(struct comment_region) list;
};

static void diff_handle_add_regions(struct regions *all, const struct snapshot *s)
{
	for (size_t i = 0; i < s->containers.count; i++) {
		const struct snap_container *c = &s->containers.data[i];
		for (size_t k = 0; k < c->metrics.count; k++) {
			const char *name = region_metrics_name(&c->metrics.data[k]);
			bool known = name == NULL;
			for (size_t n = 0; n < all->list.count && !known; n++)
				known = strcmp(all->list.data[n].name, name) == 0;
			if (!known)
				vec_push(&all->list, (struct comment_region){ .name = name });
		}
	}
}

static struct regions find_regions(const struct snapshot *before, const struct snapshot *after)
{
	struct regions all = { { 0 } };
	diff_handle_add_regions(&all, after);
	diff_handle_add_regions(&all, before);
	for (size_t i = 0; i < all.list.count; i++) {
		struct comment_region *r = &all.list.data[i];
		r->before = region_metrics_find(before, r->name).used;
		r->after = region_metrics_find(after, r->name).used;
		r->length = region_metrics_find(after, r->name).length;
	}
	return all;
}

enum { MANY, OWNERS, DETAILS, COMMENT_TABLES };

/* Returns the share of the changes that rows with a name explain. */
static double share_explained(const struct heft_table *t)
{
	double named = 0, all = 0;
	for (size_t i = 0; i < t->top->child_count; i++) {
		const struct heft_row *row = t->top->children[i];
		const double change = fabs(row->now_exact[t->sorted_by] -
					   row->base_exact[t->sorted_by]);
		all += change;
		named += row->kind == HEFT_ROW_NAME && row->label[0] != '(' ? change : 0;
	}
	return all > 0 ? named / all : 0;
}

/* Makes the rows of owners: of components, directories, libraries or namespaces, the first that
 * explain half of the change. Otherwise of those that explain most. */
static enum heft_diff_by owner_rows(const struct heft_diff *d, struct diff_rows *ret)
{
	static const enum heft_diff_by kinds[] = { HEFT_DIFF_BY_COMPONENT, HEFT_DIFF_BY_DIRECTORY,
						   HEFT_DIFF_BY_LIBRARY, HEFT_DIFF_BY_NAMESPACE };
	enum heft_diff_by best = HEFT_DIFF_BY_DIRECTORY;
	double most = 0;
	for (size_t i = 0; i < COUNT_OF(kinds) && most < 0.5; i++) {
		diff_rows_make(ret, &d->diff, &(struct heft_diff_query){ .by = kinds[i] });
		const double share = share_explained(&ret->table);
		if (share > most) {
			most = share;
			best = kinds[i];
		}
		diff_rows_release(ret);
	}
	diff_rows_make(ret, &d->diff, &(struct heft_diff_query){ .by = best, .rows = 5 });
	return best;
}

static enum heft_diff_by comment_rows(const struct heft_diff *d,
				      struct diff_rows ret[COMMENT_TABLES])
{
	diff_rows_make(&ret[MANY], &d->diff, &(struct heft_diff_query){ .rows = 200 });
	diff_rows_make(&ret[DETAILS], &d->diff, &(struct heft_diff_query){ .rows = 20 });
	return owner_rows(d, &ret[OWNERS]);
}

static bool diff_handle_write_comment(const struct heft_diff *d, const struct heft_budget *b,
				      const struct heft_comment_opts *given,
				      const struct heft_sink *sink, struct heft_err *err)
{
	struct heft_comment_opts opts = { 0 };
	struct diff_rows rows[COMMENT_TABLES];
	struct sink s;
	if (!TAKE(heft_comment_opts, &opts, given, err))
		return false;
	if (opts.page_url && !comment_takes_url(opts.page_url))
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "'%s' is no http or https address",
			    opts.page_url);
	const enum heft_diff_by owners_by = comment_rows(d, rows);
	const struct diff_report diff = diff_report_of(d, &rows[MANY]);
	const struct budget_report budget = budget_handle_report(b);
	struct regions regions = find_regions(d->diff.before, d->diff.after);
	const struct comment c = { .diff = &diff,
				   .budget = &budget,
				   .symbols = &rows[MANY].table,
				   .owners = &rows[OWNERS].table,
				   .owners_by = owners_by,
				   .details = &rows[DETAILS].table,
				   .title = opts.title ? opts.title : "",
				   .page_url = opts.page_url ? opts.page_url : "",
				   .regions = regions.list.data,
				   .region_count = regions.list.count,
				   .course = opts.course,
				   .course_ctx = opts.course_ctx };
	sink_start(&s, sink);
	if (!comment_is_noise(&c, opts.noise))
		out_comment(&c, &s);
	vec_release(&regions.list);
	for (size_t i = 0; i < COMMENT_TABLES; i++)
		diff_rows_release(&rows[i]);
	return sink_end(&s, err);
}

bool heft_comment_write(const struct heft_diff *d, const struct heft_budget *b,
			const struct heft_comment_opts *opts, const struct heft_sink *sink,
			struct heft_err *err)
{
	return GUARDED(d->memory, err, diff_handle_write_comment(d, b, opts, sink, err));
}

/* ---- code of changed symbols ----------------------------------------------------------------- */

/* Returns the image of a symbol. NULL if the side was read from a file, or if the program cannot be
 * opened. */
static const struct image *diff_handle_image_of(struct diff_programs *p,
						const struct snap_symbol *y)
{
	struct notes notes;
	struct heft_err err;
	if (!p->s || !y || p->s->is_diff)
		return NULL;
	const uint32_t container = p->s->snapshot.sections.data[y->section].container;
	const char *path = container < p->s->programs.count ? p->s->programs.data[container] : NULL;
	if (path && path != p->path) {
		notes_init(&notes);
		if (p->open)
			program_close(&p->program);
		p->open = program_open(&p->program, path, USE_SYMBOLS, &p->s->context.wish, &notes,
				       &err);
		if (!p->open)
			program_close(&p->program);
		p->path = path;
		notes_release(&notes);
	}
	return path && p->open ? program_image(&p->program) : NULL;
}

static struct code_side diff_handle_side_of(struct diff_programs *p, const struct snap_symbol *y)
{
	const struct image *im = diff_handle_image_of(p, y);
	return im ? (struct code_side){ im, y->addr, y->size } : (struct code_side){ 0 };
}

/* Returns the code diff per symbol of the new side. NULL if there is none. */
static const char **diff_handle_disassemble(const struct heft_diff *d, struct arena *arena)
{
	const struct snapshot_diff *diff = &d->diff;
	const char **texts = arena_new(arena, const char *, diff->after->symbols.count + 1);
	struct diff_programs sides[2] = { { .s = d->sides[0] }, { .s = d->sides[1] } };
	size_t picked[CODE_DIFF_SYMBOLS];
	struct text text = { 0 };
	const size_t count = code_diff_pick(diff, picked);
	for (size_t i = 0; i < count; i++) {
		const struct diff_pair *p = &diff->pairs.data[picked[i]];
		const struct snap_symbol *old = diff_before(diff, p), *now = diff_after(diff, p);
		const struct code_side before = diff_handle_side_of(&sides[0], old);
		const struct code_side after = diff_handle_side_of(&sides[1], now);
		if (after.im && (!old || before.im) && code_diff(&text, &before, &after))
			texts[p->after] = arena_copy(arena, text_str(&text));
	}
	for (size_t i = 0; i < COUNT_OF(sides); i++)
		if (sides[i].open)
			program_close(&sides[i].program);
	text_release(&text);
	return texts;
}

static bool diff_save(const struct heft_diff *d, const struct heft_sink *sink, struct heft_err *err)
{
	struct snapshot before, after;
	struct arena arena = { 0 };
	struct sizefile_out out = { { 0 } };
	diff_halves(&d->diff, diff_handle_disassemble(d, &arena), &before, &after);
	bool ok = sizediff_write(&out, &before, &after,
				 diff_sources(&d->diff, HEFT_REMOVED, &arena),
				 diff_sources(&d->diff, HEFT_ADDED, &arena), err);
	ok = ok && sink_once(sink, out.bytes.data, out.bytes.count, err);
	vec_release(&out.bytes);
	snapshot_release(&before);
	snapshot_release(&after);
	arena_release(&arena);
	return ok;
}

bool heft_diff_save(const struct heft_diff *d, const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED(d->memory, err, diff_save(d, sink, err));
}
