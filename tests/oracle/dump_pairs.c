/* dump_pairs OLD NEW - the pairs of a diff as tab-separated lines: the change, the pass that found
 * the pair, then of either side address, size, section and full name. */
#include "measure/snapshot_handle.h"
#include "compare/diff.h"
#include "../lib/sessions.h"

#include <stdio.h>
#include <time.h>

static const char *const changes[HEFT_CHANGES] = {
	[HEFT_UNCHANGED] = "unchanged", [HEFT_CHANGED] = "changed", [HEFT_ADDED] = "added",
	[HEFT_REMOVED] = "removed",     [HEFT_MOVED] = "moved",     [HEFT_RENAMED] = "renamed",
};

static void side_print(const struct snapshot *s, const struct snap_symbol *y)
{
	static const struct snap_symbol none = { 0 };
	const struct str name = y ? snapshot_text(s, y->full_name) : (struct str){ "", 0 };
	y = y ? y : &none;
	printf("\t%" PRIx64 "\t%" PRIu64 "\t%s\t", y->addr, y->size,
	       name.len > 0 ? s->sections.data[y->section].name : "");
	for (size_t i = 0; i < name.len; i++)
		putchar(name.p[i] == '\t' || name.p[i] == '\n' ? ' ' : name.p[i]);
}

int main(int argc, char **argv)
{
	struct heft_err err;
	struct snapshot_diff d;
	struct heft_snapshot *before = ALONE(heft_snapshot_new), *after = ALONE(heft_snapshot_new);
	if (argc != 3)
		return 2;
	if (!heft_snapshot_open_pair(before, argv[1], after, argv[2], &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	const clock_t start = clock();
	diff_init(&d, &before->snapshot, &after->snapshot, false);
	fprintf(stderr, "%.1f ms to pair\n", (double)(clock() - start) / CLOCKS_PER_SEC * 1e3);
	for (size_t i = 0; i < d.pairs.count; i++) {
		const struct diff_pair *p = &d.pairs.data[i];
		printf("%s\t%u", changes[p->change], p->pass);
		side_print(d.before, diff_before(&d, p));
		side_print(d.after, diff_after(&d, p));
		putchar('\n');
	}
	diff_release(&d);
	heft_snapshot_free(before);
	heft_snapshot_free(after);
	return 0;
}
