/* Reads the events of perf.data: linux/perf_event.h, enum perf_event_type. */
#include "blocks/perfdata.h"

#include "base/sort.h"

enum { SAMPLE_IP = 1 << 0, SAMPLE_TID = 1 << 1, SAMPLE_TIME = 1 << 2, SAMPLE_ADDR = 1 << 3 };
enum { SAMPLE_READ = 1 << 4, SAMPLE_CALLCHAIN = 1 << 5, SAMPLE_ID = 1 << 6, SAMPLE_CPU = 1 << 7 };
enum { SAMPLE_PERIOD = 1 << 8, SAMPLE_STREAM_ID = 1 << 9, SAMPLE_RAW = 1 << 10 };
enum { SAMPLE_BRANCH_STACK = 1 << 11, SAMPLE_IDENTIFIER = 1 << 16, BRANCH_HW_INDEX = 1 << 17 };
enum { FORMAT_TIME_ENABLED = 1 << 0, FORMAT_TIME_RUNNING = 1 << 1, FORMAT_ID = 1 << 2 };
enum { FORMAT_GROUP = 1 << 3, FORMAT_LOST = 1 << 4, MISC_COMM_EXEC = 1 << 13 };
enum { MISC_MAP_BUILD_ID = 1 << 14, MISC_BUILD_ID_SIZE = 1 << 15, RECORD_MMAP2 = 10 };
enum { HEADER_SIZE = 8, BRANCH_SIZE = 24, BUILD_ID_MAX = 20, ATTR_SIZE_MIN = 64 };
enum { ATTR_ID_ALL = 18 }; /* Number of bit field sample_id_all in the word of flags */

/* Reads bit field n of a word of flags. On big-endian machines, bit field 0 is the highest bit. */
static bool field_bit(uint64_t word, unsigned n, bool big_endian)
{
	return word >> (big_endian ? 63 - n : n) & 1;
}

struct perf_branch perf_branch_get(const struct perf_event *e, uint64_t i)
{
	struct perf_branch b;
	ASSERT(i < e->branch_count);
	if (e->text) {
		memcpy(&b, e->branches + i * sizeof b, sizeof b);
		return b;
	}
	struct reader r = reader_make(e->branches + i * BRANCH_SIZE, BRANCH_SIZE, e->big_endian);
	b.from = read_u64(&r);
	b.to = read_u64(&r);
	b.mispredicted = field_bit(read_u64(&r), 0, e->big_endian);
	return b;
}

bool perf_attr_parse(struct reader *r, struct perf_attr *ret)
{
	const uint64_t start = r->pos;
	read_u32(r); /* Skip the type */
	const uint32_t size = read_u32(r);
	struct reader attr = *r;
	if (size < ATTR_SIZE_MIN || size > r->size - start || !reader_ok(r))
		return false;
	attr.size = start + size;
	read_skip(&attr, 16); /* Skip config, sample_period */
	ret->sample_type = read_u64(&attr);
	ret->read_format = read_u64(&attr);
	ret->sample_id_all = field_bit(read_u64(&attr), ATTR_ID_ALL, r->big_endian);
	read_skip(&attr, 24); /* Skip wakeup_events, bp_type, config1, config2 */
	ret->branch_type = read_u64(&attr);
	if (!reader_ok(&attr)) /* The first version of the struct ends here */
		ret->branch_type = 0;
	read_skip(r, size - 8);
	return true;
}

static const struct perf_attr *attr_of_id(const struct perfdata *p, uint64_t id)
{
	size_t lo;
	BISECT(lo, 0, p->ids.count, mid, p->ids.data[mid].id < id);
	return lo < p->ids.count && p->ids.data[lo].id == id ? &p->attrs.data[p->ids.data[lo].attr]
							     : &p->attrs.data[0];
}

static const struct perf_attr *attr_of_sample(const struct perfdata *p, const struct reader *at)
{
	const struct perf_attr *first = p->attrs.data;
	struct reader r = *at;
	if (p->alike || !(first->sample_type & (SAMPLE_IDENTIFIER | SAMPLE_ID)))
		return first;
	if (!(first->sample_type & SAMPLE_IDENTIFIER)) {
		const uint64_t before = first->sample_type &
					(SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ADDR);
		read_skip(&r, 8 * (uint64_t)__builtin_popcountll(before));
	}
	return attr_of_id(p, read_u64(&r));
}

/* Reads the fields at the end of an event that is no sample (struct sample_id): time, thread and
 * others. The last field is IDENTIFIER. */
static void perfdata_events_read_tail(const struct perfdata *p, struct bytes event,
				      struct perf_event *e)
{
	if (p->attrs.count == 0)
		return;
	const struct perf_attr *a = p->attrs.data;
	struct reader r = reader_of(event, p->big_endian);
	if (!p->alike && a->sample_type & SAMPLE_IDENTIFIER && event.size >= 16) {
		reader_seek(&r, event.size - 8);
		a = attr_of_id(p, read_u64(&r));
	}
	const uint64_t behind = a->sample_type & (SAMPLE_TIME | SAMPLE_ID | SAMPLE_STREAM_ID |
						  SAMPLE_CPU | SAMPLE_IDENTIFIER);
	const uint64_t size = 8 * (uint64_t)__builtin_popcountll(behind);
	if (!a->sample_id_all || !(a->sample_type & SAMPLE_TIME) || size > event.size - HEADER_SIZE)
		return;
	reader_seek(&r, event.size - size);
	e->time = read_u64(&r);
	e->has_time = true;
}

static uint64_t read_if(struct reader *r, uint64_t type, uint64_t bit)
{
	return type & bit ? read_u64(r) : 0;
}

static void skip_values(struct reader *r, uint64_t format)
{
	const uint64_t times = format & (FORMAT_TIME_ENABLED | FORMAT_TIME_RUNNING);
	const uint64_t each = 8 + 8 * (uint64_t)__builtin_popcountll(format &
								     (FORMAT_ID | FORMAT_LOST));
	const uint64_t count = format & FORMAT_GROUP ? read_u64(r) : 1;
	read_skip(r, 8 * (uint64_t)__builtin_popcountll(times));
	if (count > reader_left(r) / each)
		reader_fail(r);
	else
		read_skip(r, count * each);
}

static void read_branches(struct reader *r, const struct perf_attr *a, struct perf_event *e)
{
	const uint64_t count = read_u64(r);
	read_if(r, a->branch_type, BRANCH_HW_INDEX);
	if (count > reader_left(r) / BRANCH_SIZE) {
		reader_fail(r);
		return;
	}
	e->branches = read_take(r, count * BRANCH_SIZE);
	e->branch_count = count;
	e->has_branches = true;
}

static bool read_sample(const struct perfdata *p, struct reader *r, struct perf_event *e)
{
	if (p->attrs.count == 0)
		return false;
	const struct perf_attr *a = attr_of_sample(p, r);
	const uint64_t type = a->sample_type;
	read_if(r, type, SAMPLE_IDENTIFIER);
	e->weight = 1;
	e->has_ip = type & SAMPLE_IP;
	e->ip = read_if(r, type, SAMPLE_IP);
	if (type & SAMPLE_TID) {
		e->pid = read_u32(r);
		e->tid = read_u32(r);
	}
	e->has_time = type & SAMPLE_TIME;
	e->time = read_if(r, type, SAMPLE_TIME);
	read_if(r, type, SAMPLE_ADDR);
	read_if(r, type, SAMPLE_ID);
	read_if(r, type, SAMPLE_STREAM_ID);
	read_if(r, type, SAMPLE_CPU);
	e->period = read_if(r, type, SAMPLE_PERIOD);
	if (type & SAMPLE_READ)
		skip_values(r, a->read_format);
	if (type & SAMPLE_CALLCHAIN) {
		const uint64_t count = read_u64(r);
		if (count > reader_left(r) / 8)
			reader_fail(r);
		else
			read_skip(r, count * 8);
	}
	if (type & SAMPLE_RAW)
		read_skip(r, read_u32(r));
	if (type & SAMPLE_BRANCH_STACK)
		read_branches(r, a, e);
	return reader_ok(r);
}

static bool perfdata_events_read_map(struct reader *r, uint32_t type, uint16_t misc,
				     struct perf_event *e)
{
	e->pid = read_u32(r);
	e->tid = read_u32(r);
	e->addr = read_u64(r);
	e->size = read_u64(r);
	e->file_off = read_u64(r);
	if (type == RECORD_MMAP2 && misc & MISC_MAP_BUILD_ID) {
		const uint8_t size = read_u8(r);
		read_skip(r, 3);
		const uint8_t *id = read_take(r, BUILD_ID_MAX);
		if (id && size <= BUILD_ID_MAX)
			e->build_id = (struct bytes){ id, size };
		read_skip(r, 8); /* Skip prot, flags */
	} else if (type == RECORD_MMAP2) {
		read_skip(r, 32); /* Skip device, inode, generation, prot, flags */
	}
	e->name = read_cstr(r);
	return reader_ok(r);
}

/* Reads a build id and a file name. Old files lack the id's length. False if damaged. */
static bool perfdata_events_read_build_id(struct reader *r, uint16_t misc, struct perf_event *e)
{
	e->pid = read_u32(r);
	const uint8_t *id = read_take(r, BUILD_ID_MAX);
	const uint8_t size = read_u8(r);
	read_skip(r, 3);
	e->build_id = (struct bytes){ id, misc & MISC_BUILD_ID_SIZE ? size : BUILD_ID_MAX };
	e->name = read_cstr(r);
	return reader_ok(r) && e->build_id.size <= BUILD_ID_MAX;
}

static bool read_task(struct reader *r, struct perf_event *e)
{
	e->pid = read_u32(r);
	e->parent = read_u32(r);
	e->tid = read_u32(r);
	read_u32(r); /* Skip the thread of the parent */
	e->time = read_u64(r);
	e->has_time = reader_ok(r);
	return reader_ok(r);
}

static bool perfdata_events_read_body(struct perfdata *p, struct reader *r, uint32_t type,
				      uint16_t misc, struct perf_event *e)
{
	switch (type) {
	case PERF_SAMPLE: return read_sample(p, r, e);
	case PERF_MAP:
	case RECORD_MMAP2: e->type = PERF_MAP; return perfdata_events_read_map(r, type, misc, e);
	case PERF_COMM:
		e->pid = read_u32(r);
		e->tid = read_u32(r);
		e->name = read_cstr(r);
		e->exec = misc & MISC_COMM_EXEC;
		return reader_ok(r);
	case PERF_EXIT:
	case PERF_FORK: return read_task(r, e);
	case PERF_LOST:
	case PERF_LOST_SAMPLES:
		if (type == PERF_LOST)
			read_u64(r); /* Skip the id */
		e->lost = read_u64(r);
		return reader_ok(r);
	default: return perfdata_events_read_build_id(r, misc, e);
	}
}

bool perf_event_parse(struct perfdata *p, uint32_t type, struct bytes bytes, uint64_t off,
		      struct perf_event *ret)
{
	struct reader r = reader_of(bytes, p->big_endian);

	read_u32(&r); /* Skip the type */
	const uint16_t misc = read_u16(&r);
	read_u16(&r); /* Skip the size */
	if (!reader_ok(&r) ||
	    !(type == PERF_SAMPLE || type == PERF_MAP || type == RECORD_MMAP2 ||
	      type == PERF_COMM || type == PERF_EXIT || type == PERF_FORK || type == PERF_LOST ||
	      type == PERF_LOST_SAMPLES || type == PERF_BUILD_ID))
		return false;
	*ret = (struct perf_event){ .type = (enum perf_type)type,
				    .off = off,
				    .mode = misc & PERF_MODE_MASK,
				    .big_endian = p->big_endian };
	if (!perfdata_events_read_body(p, &r, type, misc, ret)) {
		note(p->notes, p->path, off, bytes.size,
		     "events of perf that are shorter than what they hold are left out; the first "
		     "is of type %" PRIu32,
		     type);
		return false;
	}
	if (!ret->has_time && type != PERF_SAMPLE && type != PERF_BUILD_ID)
		perfdata_events_read_tail(p, bytes, ret);
	return true;
}
