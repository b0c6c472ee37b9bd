/* perfdata.h - reads what `perf record` wrote, event by event.
 *
 * Reads files and the pipe form (`perf record -o -`), in either byte order, with or without packed
 * records (perf record -z). Format: the kernel's tools/perf/Documentation/perf.data-file-format.txt
 * and include/uapi/linux/perf_event.h. Both define the numbers below.
 *
 * Events come in file order, which is not time order: each processor has its own buffer. Damage
 * makes a note with its offset. The rest of the file is lost only if the damaged record has no
 * usable size.
 *
 * Memory: the attributes; with packed records 192 KiB and zstd's memory. Releases pages of a mapped
 * file after reading. Reading events costs little more than reading the bytes. One thread. */
#pragma once

#include "base/err.h"
#include "base/file.h"
#include "base/reader.h"
#include "base/vec.h"

#define PERF_NO_PROCESS UINT32_MAX /* Pid in kernel mappings and in text samples */

/* Types of events that the reader returns, with the file's numbers */
enum perf_type {
	PERF_MAP = 1, /* Memory is mapped: MMAP and MMAP2 */
	PERF_LOST = 2,
	PERF_COMM = 3,
	PERF_EXIT = 4,
	PERF_FORK = 7,
	PERF_SAMPLE = 9,
	PERF_LOST_SAMPLES = 13,
	PERF_BUILD_ID = 67,
};

enum perf_mode { PERF_MODE_KERNEL = 1, PERF_MODE_USER = 2, PERF_MODE_MASK = 7 };

struct perf_branch {
	uint64_t from, to;
	bool mispredicted;
};

/* One event. Texts and branches are valid until the next event is read. Missing fields are 0. */
struct perf_event {
	enum perf_type type;
	uint64_t off; /* Offset in the file. For a packed event, that of the packed record */
	uint32_t pid, tid;
	uint8_t mode;  /* Value of enum perf_mode, or another value for hypervisors and guests */
	bool has_time; /* True if `time`, in ns, is set */
	uint64_t time;
	uint64_t addr, size, file_off;
	/* Name of the file (PERF_MAP, PERF_BUILD_ID) or of the process (PERF_COMM). */
	struct str name;
	struct bytes build_id; /* PERF_MAP, PERF_BUILD_ID. Size 0 if not stated */
	bool exec;             /* PERF_COMM: true for an exec, which ends the process's mappings */
	uint32_t parent;       /* PERF_FORK: pid of the parent */
	uint64_t lost;         /* PERF_LOST, PERF_LOST_SAMPLES: number of events that were lost */
	bool has_ip, has_branches;
	uint64_t ip, period;
	uint64_t weight; /* Number of samples it stands for. Above 1 only in PERFTEXT_ADDRESSES */
	uint64_t branch_count;
	const uint8_t *branches; /* Branches, read by perf_branch_get() */
	bool big_endian;
	bool text; /* True if `branches` is an array of struct perf_branch (perftext.h) */
};

/* Reads branch i < branch_count. Branch 0 is the newest. */
struct perf_branch perf_branch_get(const struct perf_event *e, uint64_t i);

/* What the samples of one event attribute (perf_event_attr) contain */
struct perf_attr {
	uint64_t sample_type, branch_type, read_format;
	bool sample_id_all;
};

struct perf_id {
	uint64_t id;
	uint64_t attr; /* Index in perfdata.attrs */
};

struct unpack_stream;

struct perfdata {
	const char *path; /* Borrowed */
	struct bytes bytes;
	bool big_endian, pipe;
	bool mapped; /* True if the bytes are a mapped file. Set by the owner of the bytes */
	struct notes *notes;
	VEC(struct perf_attr) attrs;
	VEC(struct perf_id) ids;     /* Sorted by id if `sorted` is true */
	bool sorted, alike;          /* `alike`: true if all events have the same layout */
	uint64_t data_off, data_end; /* Range of the events */
	struct bytes build_ids;
	uint64_t build_ids_pos;
	uint64_t forgotten; /* Pages before this offset were released */
	uint64_t pos;
	struct unpack_stream *stream; /* All packed records together form one stream */
	uint8_t *unpacked;            /* Unpacked events. The last may be incomplete */
	uint64_t unpacked_pos, unpacked_end;
	uint64_t packed_off;       /* File offset of the record with the packed bytes */
	bool packed_more, spoiled; /* `packed_more`: true if the stream may have more events.
				    * `spoiled`: true if it is damaged */
};

/* Opens the bytes of a perf.data file. False for other files, and for versions that heft does not
 * read. Borrows all arguments. */
bool perfdata_open(struct perfdata *p, const char *path, struct bytes bytes, struct notes *notes,
		   struct heft_err *err);
void perfdata_close(struct perfdata *p);
/* Reads the next event. The build ids in the header come first. False at the end. */
bool perfdata_next(struct perfdata *p, struct perf_event *ret);
void perfdata_rewind(struct perfdata *p);

/* perfdata_events.c: reads an event of type `type` from `bytes`, which include its header. False
 * for types not in enum perf_type, and, with a note, for a damaged event. */
bool perf_event_parse(struct perfdata *p, uint32_t type, struct bytes bytes, uint64_t off,
		      struct perf_event *ret);
/* Reads a struct perf_event_attr and moves r past it. False if it is damaged. */
bool perf_attr_parse(struct reader *r, struct perf_attr *ret);
