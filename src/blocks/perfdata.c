/* Reads the header and the records of perf.data files, and unpacks compressed records. */
#include "blocks/perfdata.h"

#include "base/pages.h"
#include "base/sort.h"
#include "base/unpack.h"
#include "image/kinds.h"

/* Types of records that perf adds to those of the kernel (perf.data-file-format.txt, "Perf record
 * specific events"). 83 exists since Linux 6.16. */
enum { RECORD_ATTR = 64, RECORD_TRACING_DATA = 66, RECORD_AUXTRACE = 71, RECORD_COMPRESSED = 81 };
enum { RECORD_COMPRESSED2 = 83 };

enum {
	MAGIC_SIZE = 8,
	PIPE_HEADER_SIZE = 16,
	FEATURE_BUILD_ID = 2,
	FEATURE_COUNT = 256,
	EVENT_HEADER_SIZE = 8,
	EVENT_MAX = UINT16_MAX,
	UNPACKED_SIZE = 3 * (EVENT_MAX + 1),
	ATTRS_MAX = 1024,
	SECTION_SIZE = 16, /* Size of a struct perf_file_section: offset and size */
	FORGET_SIZE = 32 << 20,
};

static void add_attr(struct perfdata *p, const struct perf_attr *a, struct bytes ids)
{
	struct reader r = reader_of(ids, p->big_endian);
	if (p->attrs.count == ATTRS_MAX)
		return;
	vec_push(&p->attrs, *a);
	const struct perf_attr *first = &p->attrs.data[0];
	p->alike = p->alike && first->sample_type == a->sample_type &&
		   first->branch_type == a->branch_type && first->read_format == a->read_format &&
		   first->sample_id_all == a->sample_id_all;
	while (reader_left(&r) >= 8)
		vec_push(&p->ids, (struct perf_id){ read_u64(&r), p->attrs.count - 1 });
	p->sorted = false;
}

static void sort_ids(struct perfdata *p)
{
	if (!p->sorted && !p->alike)
		vec_sort(&p->ids);
	p->sorted = true;
}

/* Reads an attribute in the form of pipes: an event with the attribute, then its ids. */
static void read_attr_event(struct perfdata *p, struct bytes event)
{
	struct reader r = reader_of(event, p->big_endian);
	struct perf_attr a;
	read_skip(&r, EVENT_HEADER_SIZE);
	if (perf_attr_parse(&r, &a))
		add_attr(p, &a, bytes_sub(event, r.pos, reader_left(&r)));
	else
		note(p->notes, p->path, p->pos, event.size,
		     "a damaged event attribute is left out");
}

static struct bytes perfdata_read_section(const struct perfdata *p, struct reader *r)
{
	const uint64_t off = read_u64(r), size = read_u64(r);
	return bytes_sub(p->bytes, off, size);
}

static void perfdata_read_attrs(struct perfdata *p, struct bytes table, uint64_t entry_size)
{
	for (uint64_t off = 0; entry_size > SECTION_SIZE && table.size - off >= entry_size;
	     off += entry_size) {
		struct reader r = reader_of(bytes_sub(table, off, entry_size), p->big_endian);
		struct perf_attr a;
		if (!perf_attr_parse(&r, &a)) {
			note(p->notes, p->path, HEFT_NO_OFFSET, entry_size,
			     "a damaged event attribute is left out");
			continue;
		}
		reader_seek(&r, entry_size - SECTION_SIZE);
		add_attr(p, &a, perfdata_read_section(p, &r));
	}
}

/* Finds the table of build ids. After the events come the offset and size of a table for each
 * feature bit that is set. */
static void find_build_ids(struct perfdata *p, const uint64_t *features)
{
	struct reader r = reader_at(p->bytes, p->big_endian, p->data_end);
	for (unsigned i = 0; i < FEATURE_COUNT && reader_ok(&r); i++) {
		if (!(features[i / 64] >> i % 64 & 1))
			continue;
		const struct bytes section = perfdata_read_section(p, &r);
		if (i == FEATURE_BUILD_ID && reader_ok(&r))
			p->build_ids = section;
	}
	if (features[0] >> FEATURE_BUILD_ID & 1 && p->build_ids.size == 0)
		note(p->notes, p->path, p->data_end, 0, "the table of build ids is not there");
}

/* Sets the end of the events, at most the file's. An interrupted perf writes size 0. */
static void clip_data(struct perfdata *p, uint64_t size)
{
	const uint64_t left = p->bytes.size - p->data_off;
	p->data_end = p->data_off + min_u64(size, left);
	if (size > left)
		note(p->notes, p->path, p->bytes.size, size - left, "the file is cut off");
	if (size > 0)
		return;
	p->data_end = p->bytes.size;
	note(p->notes, p->path, HEFT_NO_OFFSET, 0,
	     "the recording was not finished: all behind the header is taken for events");
}

static bool perfdata_read_file_header(struct perfdata *p, struct reader *r, struct heft_err *err)
{
	uint64_t features[FEATURE_COUNT / 64];
	const uint64_t attr_size = read_u64(r);
	const struct bytes attrs = perfdata_read_section(p, r);
	p->data_off = read_u64(r);
	const uint64_t data_size = read_u64(r);
	read_skip(r, SECTION_SIZE); /* Skip the event types */
	for (size_t i = 0; i < COUNT_OF(features); i++)
		features[i] = read_u64(r);
	if (!reader_ok(r) || p->data_off > p->bytes.size)
		return fail(err, HEFT_EFORMAT, 0, "%s: damaged header of perf.data", p->path);
	clip_data(p, data_size);
	perfdata_read_attrs(p, attrs, attr_size);
	if (data_size > 0)
		find_build_ids(p, features);
	return true;
}

bool perfdata_open(struct perfdata *p, const char *path, struct bytes bytes, struct notes *notes,
		   struct heft_err *err)
{
	static const char magic[] = "PERFILE2", swapped[] = "2ELIFREP";
	memset(p, 0, sizeof *p);
	if (bytes.size >= 8 && memcmp(bytes.p, "PERFFILE", 8) == 0)
		return fail(err, HEFT_EUNSUPPORTED, 0, "%s: the first version of perf.data", path);
	if (bytes.size < PIPE_HEADER_SIZE ||
	    (memcmp(bytes.p, magic, MAGIC_SIZE) != 0 && memcmp(bytes.p, swapped, MAGIC_SIZE) != 0))
		return file_format_refuse(file_format_of(bytes, NULL), USE_SAMPLES, path,
					  bytes.size, err);
	p->path = path;
	p->bytes = bytes;
	p->notes = notes;
	p->alike = true;
	struct reader r = reader_of(bytes, false);
	/* The magic is a number in the machine's byte order. */
	p->big_endian = r.big_endian = memcmp(bytes.p, magic, MAGIC_SIZE) != 0;
	read_skip(&r, MAGIC_SIZE);
	p->pipe = read_u64(&r) == PIPE_HEADER_SIZE;
	p->data_off = PIPE_HEADER_SIZE;
	p->data_end = bytes.size;
	if (!p->pipe && !perfdata_read_file_header(p, &r, err)) {
		perfdata_close(p);
		return false;
	}
	ASSERT(p->data_off <= p->data_end && p->data_end <= bytes.size);
	p->pos = p->forgotten = p->data_off;
	return true;
}

static void close_stream(struct perfdata *p)
{
	unpack_stream_close(p->stream);
	p->stream = NULL;
	p->packed_more = p->spoiled = false;
	p->unpacked_pos = p->unpacked_end = 0;
}

void perfdata_close(struct perfdata *p)
{
	close_stream(p);
	mem_free(p->unpacked);
	p->unpacked = NULL;
	vec_release_all(&p->attrs, &p->ids);
}

void perfdata_rewind(struct perfdata *p)
{
	close_stream(p);
	p->pos = p->forgotten = p->data_off;
	p->build_ids_pos = 0;
	if (!p->pipe)
		return;
	p->attrs.count = p->ids.count = 0;
	p->alike = true;
}

static void spoil(struct perfdata *p, const struct heft_err *err)
{
	note(p->notes, p->path, p->packed_off, 0, "packed records are left out from here on: %s",
	     err->text);
	p->spoiled = true;
	p->packed_more = false;
	p->unpacked_pos = p->unpacked_end = 0;
}

static void open_packed(struct perfdata *p, struct bytes packed)
{
	struct heft_err err;
	p->packed_off = p->pos;
	if (p->spoiled || packed.size == 0)
		return;
	if (!p->unpacked)
		p->unpacked = mem_alloc(UNPACKED_SIZE);
	if (p->stream)
		unpack_stream_feed(p->stream, packed);
	else if (!unpack_stream_open(&p->stream, UNPACK_ZSTD, packed, 0, &err))
		spoil(p, &err);
	p->packed_more = !p->spoiled;
}

/* Moves the incomplete event to the start of the buffer, and unpacks more bytes after it. */
static void unpack_more(struct perfdata *p)
{
	ASSERT(p->stream && p->unpacked_pos <= p->unpacked_end && p->unpacked_end <= UNPACKED_SIZE);
	const uint64_t left = p->unpacked_end - p->unpacked_pos;
	struct heft_err err;
	uint64_t made;
	memmove(p->unpacked, p->unpacked + p->unpacked_pos, left);
	p->unpacked_pos = 0;
	p->unpacked_end = left;
	if (!unpack_stream_some(p->stream, p->unpacked + left, UNPACKED_SIZE - left, &made, &err)) {
		spoil(p, &err);
		return;
	}
	p->unpacked_end += made;
	p->packed_more = made > 0;
}

/* Reads the header of the event at the start of `left`. Returns the event's size. UINT64_MAX if the
 * header is cut off. */
static uint64_t event_head(const struct perfdata *p, struct bytes left, uint32_t *ret_type)
{
	struct reader r = reader_of(left, p->big_endian);
	*ret_type = read_u32(&r);
	read_u16(&r);
	uint64_t size = read_u16(&r);
	/* perf 6.16 writes 0 if the size does not fit 16 bits. The size of the data follows. */
	if (size == 0 && *ret_type == RECORD_COMPRESSED2)
		size = add_sat(2 * EVENT_HEADER_SIZE, read_u64(&r));
	return reader_ok(&r) ? size : UINT64_MAX;
}

/* Returns the next unpacked event. Empty if it is incomplete. */
static struct bytes unpacked_event(struct perfdata *p, uint32_t *ret_type)
{
	const struct bytes left = { p->unpacked + p->unpacked_pos,
				    p->unpacked_end - p->unpacked_pos };
	const uint64_t size = event_head(p, left, ret_type);
	if (size > left.size)
		return (struct bytes){ NULL, 0 };
	if (size < EVENT_HEADER_SIZE) {
		const struct heft_err err = { .text = "an event without a size" };
		spoil(p, &err);
		return (struct bytes){ NULL, 0 };
	}
	p->unpacked_pos += size;
	return (struct bytes){ left.p, size };
}

/* Finds the bytes of the event at p->pos. False if its size is invalid. */
static bool event_bytes(struct perfdata *p, struct bytes *ret, uint32_t *ret_type)
{
	const struct bytes left = bytes_sub(p->bytes, p->pos, p->data_end - p->pos);
	if (left.size == 0)
		return false;
	const uint64_t size = event_head(p, left, ret_type);
	if (size < EVENT_HEADER_SIZE || size > left.size) {
		note(p->notes, p->path, p->pos, left.size,
		     "an event without a size, or cut off: all behind it is left out");
		p->pos = p->data_end;
		return false;
	}
	*ret = bytes_sub(left, 0, size);
	return true;
}

/* Handles the record at p->pos. True if it is an event that the reader returns. */
static bool take_record(struct perfdata *p, uint32_t type, struct bytes event,
			struct perf_event *ret)
{
	const uint64_t off = p->pos;
	struct reader r = reader_of(event, p->big_endian);
	uint64_t behind = 0; /* Bytes that follow the event in the file, as the event states */
	bool found = false;
	read_skip(&r, EVENT_HEADER_SIZE);
	if (type == RECORD_ATTR) {
		read_attr_event(p, event);
	} else if (type == RECORD_COMPRESSED) {
		open_packed(p, bytes_sub(event, r.pos, reader_left(&r)));
	} else if (type == RECORD_COMPRESSED2) {
		const uint64_t size = read_u64(&r);
		open_packed(p, bytes_sub(event, r.pos, min_u64(size, reader_left(&r))));
	} else {
		sort_ids(p);
		found = perf_event_parse(p, type, event, off, ret);
		if (type == RECORD_AUXTRACE)
			behind = read_u64(&r);
		else if (type == RECORD_TRACING_DATA)
			behind = align_up(read_u32(&r), 8);
	}
	p->pos += event.size;
	p->pos += min_u64(behind, p->data_end - p->pos);
	ASSERT(p->pos > off && p->pos <= p->data_end);
	return found;
}

static bool next_build_id(struct perfdata *p, struct perf_event *ret)
{
	const struct bytes left = bytes_sub(p->build_ids, p->build_ids_pos,
					    p->build_ids.size - p->build_ids_pos);
	const uint64_t off = left.size > 0 ? (uint64_t)(left.p - p->bytes.p) : 0;
	uint32_t type;
	const uint64_t size = event_head(p, left, &type);
	if (size < EVENT_HEADER_SIZE || size > left.size) {
		p->build_ids_pos = p->build_ids.size;
		return false;
	}
	p->build_ids_pos += size;
	return perf_event_parse(p, PERF_BUILD_ID, bytes_sub(left, 0, size), off, ret);
}

/* Reads the next event of the current compressed record. False if it has no more. */
static bool next_unpacked(struct perfdata *p, struct perf_event *ret)
{
	while (p->unpacked_pos < p->unpacked_end || p->packed_more) {
		uint32_t type;
		const struct bytes event = unpacked_event(p, &type);
		if (event.size > 0) {
			sort_ids(p);
			if (perf_event_parse(p, type, event, p->packed_off, ret))
				return true;
		} else if (p->packed_more) {
			unpack_more(p);
		} else {
			return false;
		}
	}
	return false;
}

bool perfdata_next(struct perfdata *p, struct perf_event *ret)
{
	struct bytes event;
	uint32_t type;
	while (p->build_ids_pos < p->build_ids.size)
		if (next_build_id(p, ret))
			return true;
	for (;;) {
		if (next_unpacked(p, ret))
			return true;
		/* Releases pages in large steps. */
		if (p->mapped && p->pos - p->forgotten >= FORGET_SIZE) {
			pages_drop(p->bytes.p + p->forgotten, p->pos - p->forgotten);
			p->forgotten = p->pos;
		}
		if (!event_bytes(p, &event, &type))
			return false;
		if (take_record(p, type, event, ret))
			return true;
	}
}
