/* Chooses the contents of a comment on a change. */
#include "review/comment.h"

#include "base/filename.h"
#include "compare/align_paths.h"
#include "query/region_metrics.h"

struct regions {
	VEC(struct comment_region) list;
};

static void comment_add_regions(struct regions *all, const struct snapshot *s)
{
	vec_each(const struct snap_container, c, &s->containers) {
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
	comment_add_regions(&all, after);
	comment_add_regions(&all, before);
	vec_each(struct comment_region, r, &all.list) {
		r->before = region_metrics_find(before, r->name).used;
		r->after = region_metrics_find(after, r->name).used;
		r->length = region_metrics_find(after, r->name).length;
	}
	return all;
}

enum { MANY, OWNERS, DETAILS, COMMENT_TABLES };

static enum heft_diff_by comment_rows(const struct snapshot_diff *diff,
				      struct diff_rows ret[COMMENT_TABLES])
{
	diff_rows_make(&ret[MANY], diff, &(struct heft_diff_query){ .rows = 0 });
	diff_rows_make(&ret[DETAILS], diff, &(struct heft_diff_query){ .rows = 20 });
	return diff_owners_make(&ret[OWNERS], diff, &ret[MANY].table, 5);
}

/* Finds by whom the causes came in that are parts of the program. */
static void comment_find_came_in(struct came_in_finder *finder, const struct causes *causes,
				 came_in_vec *ret)
{
	const size_t pairs = finder->d->charges.list.count;
	const char *names[CAUSES_MOST] = { "", "", "" };
	uint32_t *group = mem_alloc((pairs + 1) * sizeof *group);
	bool wanted[CAUSES_MOST + 1] = { false };
	for (size_t i = 0; i < causes->count; i++) {
		const struct cause *c = &causes->list[i];
		wanted[c->number] = c->kind >= CAUSE_SYMBOL && c->kind <= CAUSE_CLASSES;
		if (wanted[c->number])
			names[c->number - 1] = c->names[0];
	}
	for (size_t i = 0; i < pairs; i++)
		group[i] = causes->count > 0 && wanted[causes->of_pair[i]] ? causes->of_pair[i] - 1U
									   : CAME_IN_NONE;
	came_in_find(finder, group, names, CAUSES_MOST, ret);
	mem_free(group);
}

/* True for a name that tells only the side of the change, such as "new.elf". */
static bool names_side(struct str name)
{
	static const char *const sides[] = { "a.out", "old",  "new",     "before",   "after",
					     "base",  "head", "current", "baseline", "out" };
	bool ret = name.len == 0;
	for (size_t i = 0; i < COUNT_OF(sides) && !ret; i++) {
		const struct str side = str_of(sides[i]);
		ret = str_starts(name, side) && (name.len == side.len || name.p[side.len] == '.');
	}
	return ret;
}

/* Returns a title that tells what the program is: the name of the file, if that does. Otherwise as
 * the programs were called when they were measured, as a library says itself, as the program's own
 * package, unless that is a folder within the directory of its sources, or as that directory. */
static const char *title_of(const char *path, struct causes *c, const struct snapshot_diff *d)
{
	const char *title = path ? file_name(path) : "";
	struct str parts = causes_metadata(d->after, "elf_parts");
	const bool go = strcmp(c->own_package, "main") == 0;
	const struct str own = go ? file_name_str(str_take(&parts, ' ')) : str_of(c->own_package);
	const bool folder = own.len > 0 &&
			    (own.p[0] == '/' || own.p[0] == '(' ||
			     strstr(c->root, c->own_package) || align_is_plain_folder(own));
	const struct str names[] = { str_of(title),
				     causes_metadata(d->after, "elf_file_name"),
				     causes_metadata(d->before, "elf_file_name"),
				     causes_metadata(d->after, "elf_soname"),
				     folder ? STR("") : own,
				     file_name_str(str_of(c->root)) };
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (!names_side(names[i]))
			return arena_copy(&c->arena, names[i]);
	return title;
}

void comment_make(struct came_in_finder *finder, const struct diff_sections *sections,
		  const struct budget_report *budget, const struct heft_comment_opts *opts,
		  struct str template, struct sink *s)
{
	const struct snapshot_diff *diff = finder->d;
	struct diff_rows rows[COMMENT_TABLES];
	came_in_vec came_in = { 0 };
	const enum heft_diff_by owners_by = comment_rows(diff, rows);
	const struct diff_report sums = diff_report_of(diff, sections, &rows[MANY]);
	struct causes causes;
	struct regions regions = find_regions(diff->before, diff->after);
	causes_find(&causes, diff, sections, region_metrics_known(diff->after));
	struct comment c = { .diff = &sums,
			     .causes = &causes,
			     .budget = budget,
			     .symbols = &rows[MANY].table,
			     .owners = &rows[OWNERS].table,
			     .owners_by = owners_by,
			     .details = &rows[DETAILS].table,
			     .title = opts->title ? opts->title
						  : title_of(finder->after->path, &causes, diff),
			     .page_url = opts->page_url ? opts->page_url : "",
			     .template = template,
			     .regions = regions.list.data,
			     .region_count = regions.list.count,
			     .course = opts->course,
			     .course_ctx = opts->course_ctx };
	if (!comment_is_noise(&c, opts->noise)) {
		comment_find_came_in(finder, &causes, &came_in);
		came_in_find_rows(finder, &rows[OWNERS],
				  &(struct heft_diff_query){ .by = owners_by }, &came_in);
		c.came_in = came_in.data;
		c.came_in_count = came_in.count;
		out_comment(&c, s);
	}
	causes_release(&causes);
	vec_release_all(&regions.list, &came_in);
	for (size_t i = 0; i < COMMENT_TABLES; i++)
		diff_rows_release(&rows[i]);
}
