/* perfmake.h - makes perf.data files in memory, with any events a test wants.
 *
 *     struct perfmake m = perfmake_begin(false, PERFMAKE_BRANCHES);
 *     perfmake_map(&m, &(struct perfmake_map){ .pid = 7, .addr = 0x1000, .size = 0x100,
 *                                              .name = "/bin/x" });
 *     perfmake_sample(&m, 7, time, ip, branches, count);
 *     struct bytes file = perfmake_finish(&m);   // malloc'ed, free with free */
#ifndef HEFT_TESTS_PERFMAKE_H
#define HEFT_TESTS_PERFMAKE_H

#include "elfgen.h"
#include "blocks/perfdata.h"

enum {
	PERFMAKE_BRANCHES = 1 << 0, /* samples have branch stacks */
	PERFMAKE_HW_INDEX = 1 << 1, /* ... with the index of the hardware */
	PERFMAKE_PIPE = 1 << 2,
	PERFMAKE_TWO_EVENTS = 1 << 3, /* a second event, whose samples have no branches; ids tell */
};

struct perfmake {
	unsigned flags;
	struct elfgen_out data, build_ids;
};

struct perfmake_map {
	uint32_t pid;
	uint64_t time, addr, size, off;
	const char *name;
	struct bytes build_id; /* size 0: with device and inode */
};

struct perfmake perfmake_begin(bool big_endian, unsigned flags);
void perfmake_map(struct perfmake *m, const struct perfmake_map *map);
void perfmake_exec(struct perfmake *m, uint32_t pid, uint64_t time, const char *name);
void perfmake_fork(struct perfmake *m, uint32_t pid, uint32_t parent, uint64_t time);
void perfmake_lost(struct perfmake *m, uint64_t count);
void perfmake_build_id(struct perfmake *m, const char *name, struct bytes id);
/* `branches`: the newest first. */
void perfmake_sample(struct perfmake *m, uint32_t pid, uint64_t time, uint64_t ip,
		     const struct perf_branch *branches, size_t count);
/* A sample of the second event. */
void perfmake_plain_sample(struct perfmake *m, uint32_t pid, uint64_t time, uint64_t ip);
/* An event of any kind: header and body. */
void perfmake_event(struct perfmake *m, uint32_t type, uint16_t misc,
		    const struct elfgen_out *body);
/* All events so far become packed records of this type (81 or 83), cut anywhere. */
void perfmake_pack(struct perfmake *m, uint32_t type);
/* Releases the memory of m. */
struct bytes perfmake_finish(struct perfmake *m);

#endif
