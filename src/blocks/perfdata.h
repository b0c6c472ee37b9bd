/* perfdata.h - what `perf record` wrote, event by event.
 *
 * Files and the pipe form (`perf record -o -`), of either byte order, with records packed or not
 * (perf record -z).  Format: the kernel's tools/perf/Documentation/perf.data-file-format.txt and
 * include/uapi/linux/perf_event.h, from which the numbers below are.
 *
 * Events come in the order of the file, which is not that of time: each processor has a buffer of
 * its own.  Damage is a note with its offset and costs what is behind it only where no size leads
 * on.
 *
 * Memory: the attributes and, where records are packed, 192 KiB and what zstd needs; pages of a
 * mapped file are given back behind the walk, which costs little more than the reading of the
 * bytes.  One thread. */
#ifndef HEFT_BLOCKS_PERFDATA_H
#define HEFT_BLOCKS_PERFDATA_H

#include "base/err.h"
#include "base/file.h"
#include "base/reader.h"
#include "base/vec.h"

#define PERF_NO_PROCESS UINT32_MAX /* pid of the kernel's own mappings */

/* Types that are handed on; the numbers as they stand in the file. */
enum perf_type {
	PERF_MAP = 1, /* memory is mapped; MMAP2 too */
	PERF_LOST = 2,
	PERF_COMM = 3,
	PERF_EXIT = 4,
	PERF_FORK = 7,
	PERF_SAMPLE = 9,
	PERF_LOST_SAMPLES = 13,
	PERF_BUILD_ID = 67,
};

enum perf_mode { PERF_MODE_KERNEL = 1, PERF_MODE_USER = 2, PERF_MODE_MASK = 7 };

/* A branch that was taken. */
struct perf_branch {
	uint64_t from, to;
	bool mispredicted;
};

/* One event; texts and branches hold until the next one.  What the event lacks is 0. */
struct perf_event {
	enum perf_type type;
	uint64_t off; /* in the file; of the record it was packed in */
	uint32_t pid, tid;
	uint8_t mode;  /* enum perf_mode, or another world's */
	bool has_time; /* ns */
	uint64_t time;
	/* PERF_MAP */
	uint64_t addr, size, file_off;
	/* PERF_MAP: of the file; PERF_COMM: of the process; PERF_BUILD_ID: of the file */
	struct str name;
	struct bytes build_id; /* PERF_MAP, PERF_BUILD_ID; size 0: not stated */
	bool exec;             /* PERF_COMM: a program begins, and what was mapped is gone */
	uint32_t parent;       /* PERF_FORK: pid */
	uint64_t lost;         /* PERF_LOST, PERF_LOST_SAMPLES */
	/* PERF_SAMPLE */
	bool has_ip, has_branches;
	uint64_t ip, period;
	uint64_t weight; /* samples it stands for; 1 but in lists of addresses */
	uint64_t branch_count;
	const uint8_t *branches; /* see perf_branch_get */
	bool big_endian;
	bool text; /* branches are struct perf_branch; see perftext.h */
};

/* Branch i < branch_count, the newest first. */
struct perf_branch perf_branch_get(const struct perf_event *e, uint64_t i);

/* How samples of one kind of event are laid out. */
struct perf_attr {
	uint64_t sample_type, branch_type, read_format;
	bool sample_id_all;
};

struct perf_id {
	uint64_t id;
	uint64_t attr; /* index */
};

struct unpack_stream;

struct perfdata {
	const char *path; /* borrowed */
	struct bytes bytes;
	bool big_endian, pipe;
	bool mapped; /* the bytes are a mapped file's; for the owner to say */
	/* private */
	struct notes *notes;
	VEC(struct perf_attr) attrs;
	VEC(struct perf_id) ids;     /* of all attributes, by id once `sorted` */
	bool sorted, alike;          /* alike: all attributes lay out events the same way */
	uint64_t data_off, data_end; /* events of the file */
	struct bytes build_ids;      /* the header's table */
	uint64_t build_ids_pos;
	uint64_t forgotten;           /* bytes from there to pos may be in memory */
	uint64_t pos;                 /* in bytes: the next event */
	struct unpack_stream *stream; /* all packed records are one */
	uint8_t *unpacked;            /* of them: events, the last perhaps in part */
	uint64_t unpacked_pos, unpacked_end;
	uint64_t packed_off;       /* of the record they are from */
	bool packed_more, spoiled; /* the stream may hold more; it is damaged */
};

/* False where it is no perf.data file, or of a version heft does not read.  All is borrowed. */
bool perfdata_open(struct perfdata *p, const char *path, struct bytes bytes, struct notes *notes,
		   struct heft_err *err);
void perfdata_close(struct perfdata *p);
/* The next event; false at the end.  Build ids of the header come first. */
bool perfdata_next(struct perfdata *p, struct perf_event *ret);
/* Back to the start. */
void perfdata_rewind(struct perfdata *p);

/* perfdata_events.c: reads the event of `bytes`, header included, as one of `type`.  False where
 * that is none of those that are handed on, or the event is damaged (then with a note). */
bool perf_event_parse(struct perfdata *p, uint32_t type, struct bytes bytes, uint64_t off,
		      struct perf_event *ret);
/* Reads a struct perf_event_attr, which r stands at and skips. */
bool perf_attr_parse(struct reader *r, struct perf_attr *ret);

#endif
