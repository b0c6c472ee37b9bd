/* Every source and every pair of sources of a file: measured once, rolled up in every way, with and
 * without the memory of its machine.  The rows of each level must add up to the one above, and all
 * of them to the file and its VM image.
 *
 * usage: all_pairs FILE
 * Prints a line for each choice of sources that is wrong, then how many there were. */
#include "map/rollup.h"
#include "program/program.h"
#include "source/source.h"

#include <inttypes.h>
#include <stdio.h>

enum { SOURCES_MAX = 64 };

/* The layer of one source; those that run the same function share one. */
struct level {
	const struct source *source;
	const struct layer *layer;
	struct layer own;
	struct view vm, file;
};

struct state {
	const char *path;
	struct program program;
	struct program_wish wish;
	struct notes notes;
	struct labels labels;
	struct measure measure;
	struct level levels[SOURCES_MAX];
	size_t level_count;
	uint64_t choices, bad;
};

static uint64_t sum(const struct tree *t, uint32_t node, enum heft_size_measure m)
{
	return tree_sums(t, node, HEFT_INPUT)[m];
}

/* Whether the nodes below each node that has some add up to it. */
static bool adds_up(const struct tree *t, enum heft_size_measure m)
{
	const uint32_t count = (uint32_t)t->nodes.count;
	uint64_t *below = mem_zeroed(count, sizeof *below);
	bool *has = mem_zeroed(count, sizeof *has), good = true;
	for (uint32_t i = 1; i < count; i++) {
		below[t->nodes.data[i].parent] += sum(t, i, m);
		has[t->nodes.data[i].parent] = true;
	}
	for (uint32_t i = 0; i < count; i++)
		good = good && (!has[i] || below[i] == sum(t, i, m));
	mem_free(below);
	mem_free(has);
	return good;
}

static void check(struct state *s, const struct level *const *chosen, size_t count)
{
	struct rollup r;
	struct rollup_level vm[2], file[2];
	rollup_init(&r, 0, false);
	for (size_t i = 0; i < count; i++) {
		vm[i] = (struct rollup_level){ &chosen[i]->layer->vm, chosen[i]->vm.shown };
		file[i] = (struct rollup_level){ &chosen[i]->layer->file, chosen[i]->file.shown };
	}
	rollup_add(&r, &(struct rollup_walk){ .domain = HEFT_VM,
					      .levels = vm,
					      .level_count = count,
					      .labels = &s->labels });
	rollup_add(&r, &(struct rollup_walk){ .domain = HEFT_FILE,
					      .levels = file,
					      .level_count = count,
					      .labels = &s->labels });
	s->choices++;
	if (sum(&r.tree, 0, HEFT_SIZE_FILE) != input_size(&s->program.input) ||
	    sum(&r.tree, 0, HEFT_SIZE_VM) != s->measure.map.vm_size ||
	    !adds_up(&r.tree, HEFT_SIZE_FILE) || !adds_up(&r.tree, HEFT_SIZE_VM)) {
		s->bad++;
		printf("FAIL %s: %s%s%s: rows sum to %" PRIu64 " and %" PRIu64 " bytes\n", s->path,
		       chosen[0]->source->name, count > 1 ? "," : "",
		       count > 1 ? chosen[1]->source->name : "", sum(&r.tree, 0, HEFT_SIZE_FILE),
		       sum(&r.tree, 0, HEFT_SIZE_VM));
	}
	rollup_release(&r);
}

/* `only` those with the source that asks for regions, or all others. */
static void check_all(struct state *s, bool only)
{
	for (size_t i = 0; i < s->level_count; i++) {
		const struct level *a = &s->levels[i];
		if (a->source->regions == only)
			check(s, &a, 1);
		for (size_t k = 0; k < s->level_count; k++) {
			const struct level *pair[] = { a, &s->levels[k] };
			if (i != k && (a->source->regions || pair[1]->source->regions) == only)
				check(s, pair, 2);
		}
	}
}

static void run_level(struct state *s, struct level *l)
{
	l->layer = &l->own;
	for (size_t i = 0; i < s->level_count && l->layer == &l->own; i++)
		if (s->levels[i].layer && &s->levels[i] != l &&
		    s->levels[i].source->run == l->source->run)
			l->layer = s->levels[i].layer;
	if (l->layer == &l->own)
		measure_run(&s->measure, l->source, &l->own);
}

static void show(struct state *s, struct level *l)
{
	l->vm = l->file = source_view(l->source, HEFT_NAMES_SHORT);
	l->vm.paths = l->file.paths = &s->wish.paths;
	if (l->vm.form == VIEW_NAMESPACE || view_is_plain(&l->vm))
		return;
	view_update(&l->vm, &s->labels, &l->layer->vm, 1, &s->notes);
	view_update(&l->file, &s->labels, &l->layer->file, 1, &s->notes);
}

/* Layers that others borrow come first. */
static void run_levels(struct state *s)
{
	for (int borrowed = 1; borrowed >= 0; borrowed--)
		for (size_t i = 0; i < s->level_count; i++)
			if (measure_lends(s->levels[i].source) == borrowed)
				run_level(s, &s->levels[i]);
	for (size_t i = 0; i < s->level_count; i++)
		show(s, &s->levels[i]);
}

static void release_levels(struct state *s)
{
	for (size_t i = 0; i < s->level_count; i++) {
		layer_release(&s->levels[i].own);
		view_release(&s->levels[i].vm);
		view_release(&s->levels[i].file);
	}
	s->level_count = 0;
}

static void measure(struct state *s, bool regions)
{
	struct program *p = &s->program;
	const struct image *im = program_image(p);
	const bool linked = im && im->kind == IMAGE_EXEC;
	const struct source_file of = { .path = s->path,
					.input = &p->input,
					.debug = linked ? program_debug(p, true) : NULL,
					.go = &p->go,
					.linkmap = program_map(p),
					.regions = regions ? program_regions(p) : NULL,
					.labels = &s->labels,
					.notes = &s->notes,
					.threads = 1 };
	for (size_t i = 0; source_at(i) && i < SOURCES_MAX; i++)
		s->levels[s->level_count++] = (struct level){ .source = source_at(i) };
	measure_begin(&s->measure, &of, &s->wish);
	run_levels(s);
	check_all(s, regions);
	release_levels(s);
	measure_release(&s->measure);
	s->measure = (struct measure){ 0 };
}

int main(int argc, char **argv)
{
	struct heft_err err;
	struct state s = { .path = argc > 1 ? argv[1] : "" };
	notes_init(&s.notes);
	if (!program_open(&s.program, s.path, USE_SIZE, &s.wish, &s.notes, &err)) {
		printf("FAIL %s\n", err.text);
		return 2;
	}
	measure(&s, false);
	measure(&s, true);
	printf("%" PRIu64 " choices of sources, %" PRIu64 " bad\n", s.choices, s.bad);
	program_close(&s.program);
	labels_release(&s.labels);
	notes_release(&s.notes);
	wish_release(&s.wish);
	return s.bad > 0 || s.choices < 100;
}
