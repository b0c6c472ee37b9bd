/* The samples of a perf.data file as `perf script --ns -F pid,tid,time,ip,brstack` prints them,
 * without what it adds to branches. */
#include "base/file.h"
#include "blocks/perfdata.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	struct file f;
	struct perfdata p;
	struct perf_event e;
	struct notes notes;
	struct heft_err err = { 0 };
	notes_init(&notes);
	if (argc != 2 || !file_open(&f, argv[1], &err) ||
	    !perfdata_open(&p, argv[1], f.bytes, &notes, &err)) {
		fprintf(stderr, "usage: dump_perf FILE: %s\n", err.text);
		return 2;
	}
	while (perfdata_next(&p, &e)) {
		if (e.type != PERF_SAMPLE)
			continue;
		printf("%u/%u %" PRIu64 ".%09" PRIu64 ": %" PRIx64, e.pid, e.tid,
		       e.time / 1000000000, e.time % 1000000000, e.ip);
		for (uint64_t i = 0; i < e.branch_count; i++) {
			const struct perf_branch b = perf_branch_get(&e, i);
			printf(" 0x%" PRIx64 "/0x%" PRIx64 "/%c", b.from, b.to,
			       b.mispredicted ? 'M' : 'P');
		}
		putchar('\n');
	}
	for (size_t i = 0; i < notes.count; i++)
		fprintf(stderr, "%s\n", notes.data[i].text);
	perfdata_close(&p);
	file_close(&f);
	return notes.count > 0;
}
