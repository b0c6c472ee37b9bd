/* Lists the entries of zip files and unpacks them. */
#include "package/zip.h"

#include "base/gzip.h"
#include "base/sort.h"
#include "base/unpack.h"

enum {
	LOCAL_SIZE = 30,
	CENTRAL_SIZE = 46,
	END_SIZE = 22,
	END64_SIZE = 56,
	LOCATOR64_SIZE = 20,
	EXTRA64 = 1, /* Id of the extra field with 64-bit numbers. */
	COMMENT_MAX = 65535,
	SIGNING_FOOTER = 24, /* Footer of the signing block: u64 size, magic. */
};

static const uint8_t local_magic[] = { 'P', 'K', 3, 4 }, central_magic[] = { 'P', 'K', 1, 2 },
		     end_magic[] = { 'P', 'K', 5, 6 }, end64_magic[] = { 'P', 'K', 6, 6 },
		     locator64_magic[] = { 'P', 'K', 6, 7 };

struct package_zip_parse {
	struct zip *z;
	const char *path;
	struct notes *notes;
	uint64_t base; /* Bytes before the archive. Offsets count from the archive's start */
};

static bool has_magic(struct bytes b, uint64_t off, const uint8_t magic[4])
{
	return off <= b.size && b.size - off >= 4 && memcmp(b.p + off, magic, 4) == 0;
}

void zip_release(struct zip *z)
{
	ASSERT(z->entries.count == 0 || z->entries.data);
	vec_release(&z->entries);
}

/* Finds the end record and sets its offset. Only a comment of the stated length may follow it. */
static bool zip_find_end(struct bytes b, uint64_t *ret)
{
	for (uint64_t back = END_SIZE; back <= b.size && back <= END_SIZE + COMMENT_MAX; back++) {
		const uint64_t at = b.size - back;
		struct reader r = reader_at(b, false, at + END_SIZE - 2);
		if (has_magic(b, at, end_magic) && read_u16(&r) == back - END_SIZE) {
			*ret = at;
			return true;
		}
	}
	return false;
}

/* Reads the local header of an entry and sets the offset of its data. False if it is damaged. */
static bool read_local(const struct zip *z, struct zip_entry *e)
{
	struct reader r = reader_of(z->bytes, false);
	if (e->off >= z->directory || !has_magic(z->bytes, e->off, local_magic))
		return false;
	reader_seek(&r, e->off + LOCAL_SIZE - 4);
	const uint16_t name = read_u16(&r);
	e->extra = read_u16(&r);
	e->data = e->off + LOCAL_SIZE + name + e->extra;
	return reader_ok(&r) && e->data <= z->directory && e->packed <= z->directory - e->data;
}

/* Returns the next number of a zip64 extra field if `number` is UINT32_MAX, else `number`. */
static uint64_t number64(struct reader *extra, uint32_t number)
{
	return number == UINT32_MAX && reader_left(extra) >= 8 ? read_u64(extra) : number;
}

/* Returns the contents of the zip64 extra field. Empty if there is none. */
static struct reader find_extra64(struct reader extra)
{
	while (reader_left(&extra) >= 4) {
		const uint16_t id = read_u16(&extra), size = read_u16(&extra);
		if (id == EXTRA64)
			return read_sub(&extra, min_u64(size, reader_left(&extra)));
		read_skip(&extra, size);
	}
	return reader_make(NULL, 0, false);
}

/* Reads an entry of the central directory. False at the directory's end. */
static bool read_central(struct package_zip_parse *p, struct reader *r)
{
	struct zip *z = p->z;
	const uint64_t at = r->pos;
	struct zip_entry e = { 0 };
	if (reader_left(r) < CENTRAL_SIZE || !has_magic(z->bytes, at, central_magic))
		return false;
	read_skip(r, 10);
	e.method = read_u16(r);
	read_skip(r, 4);
	e.crc = read_u32(r);
	const uint32_t packed = read_u32(r), size = read_u32(r);
	const uint16_t name = read_u16(r), extra = read_u16(r), comment = read_u16(r);
	read_skip(r, 8);
	const uint32_t off = read_u32(r);
	e.name = (struct str){ (const char *)read_take(r, name), name };
	struct reader wide = find_extra64(read_sub(r, extra));
	read_skip(r, comment);
	if (!reader_ok(r))
		return false;
	e.size = number64(&wide, size);
	e.packed = number64(&wide, packed);
	e.off = add_sat(p->base, number64(&wide, off));
	z->directory_extra += extra;
	if (!read_local(z, &e))
		note(p->notes, p->path, at, e.packed,
		     "an entry of the zip file is not where the directory says");
	else
		vec_push(&z->entries, e);
	return true;
}

/* Sorts the entries by offset. Removes entries that begin inside another. */
static void order_entries(struct package_zip_parse *p)
{
	struct zip *z = p->z;
	uint64_t end = 0;
	size_t kept = 0;
	sort_by_key(z->entries.data, z->entries.count, sizeof *z->entries.data);
	for (size_t i = 0; i < z->entries.count; i++) {
		const struct zip_entry e = z->entries.data[i];
		if (e.off < end) {
			note(p->notes, p->path, e.off, e.packed, "entries of the zip file overlap");
			continue;
		}
		end = e.data + e.packed;
		ASSERT(end <= z->directory);
		z->entries.data[kept++] = e;
	}
	z->entries.count = kept;
}

/* Finds the signing block, between the last entry and the directory: size, pairs, size, magic. */
static void find_signing(struct zip *z)
{
	static const char magic[] = "APK Sig Block 42";
	const struct zip_entry *last = z->entries.count > 0 ? &z->entries.data[z->entries.count - 1]
							    : NULL;
	const uint64_t free = last ? last->data + last->packed : 0;
	struct reader r = reader_of(z->bytes, false);
	if (z->directory < SIGNING_FOOTER + 8 ||
	    memcmp(z->bytes.p + z->directory - 16, magic, 16) != 0)
		return;
	reader_seek(&r, z->directory - SIGNING_FOOTER);
	const uint64_t size = read_u64(&r);
	if (size < SIGNING_FOOTER || size > z->directory - 8 || z->directory - 8 - size < free)
		return;
	z->signing = z->directory - 8 - size;
	z->signing_size = size + 8;
}

/* Reads size and offset of the directory from the end record at *end. If a zip64 end record
 * precedes it, reads that instead, and sets *end to it. The zip64 locator states its offset, which
 * is wrong if bytes precede the archive. */
static void read_end(struct bytes b, uint64_t *end, uint64_t *ret_size, uint64_t *ret_off)
{
	struct reader r = reader_at(b, false, *end + 12);
	*ret_size = read_u32(&r);
	*ret_off = read_u32(&r);
	if (*end < LOCATOR64_SIZE || !has_magic(b, *end - LOCATOR64_SIZE, locator64_magic))
		return;
	const uint64_t locator = *end - LOCATOR64_SIZE;
	reader_seek(&r, locator + 8);
	uint64_t at = read_u64(&r);
	if (!has_magic(b, at, end64_magic))
		at = locator - min_u64(locator, END64_SIZE);
	if (!has_magic(b, at, end64_magic) || at > locator || locator - at < END64_SIZE)
		return;
	reader_seek(&r, at + 40);
	*ret_size = read_u64(&r);
	*ret_off = read_u64(&r);
	*end = at;
}

bool zip_parse(struct zip *ret, const char *path, struct bytes b, struct notes *notes,
	       struct heft_err *err)
{
	struct package_zip_parse p = { .z = ret, .path = path, .notes = notes };
	uint64_t end;
	*ret = (struct zip){ .bytes = b };
	if (!zip_find_end(b, &end))
		return fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET,
			    "%s: a zip file without its directory: cut off", path);
	uint64_t size, off;
	read_end(b, &end, &size, &off);
	if (size > end || off > end - size)
		return fail(err, HEFT_EFORMAT, end, "%s: the directory is outside the file", path);
	ASSERT(end <= b.size && size <= end);
	ret->directory = end - size;
	ret->directory_size = size;
	p.base = ret->directory - off;
	struct reader entries = reader_at((struct bytes){ b.p, end }, false, ret->directory);
	while (read_central(&p, &entries))
		;
	if (reader_left(&entries) > 0 || !reader_ok(&entries))
		note(notes, path, entries.pos, end - min_u64(entries.pos, end),
		     "the directory of the zip file is damaged: entries are missing");
	order_entries(&p);
	find_signing(ret);
	return true;
}

/* Unpacks an entry as a gzip member, so that the unpacker checks size and CRC. */
static bool inflate_entry(const struct zip *z, const struct zip_entry *e, uint8_t *out,
			  struct heft_err *err)
{
	const struct bytes data = bytes_sub(z->bytes, e->data, e->packed);
	ASSERT(data.size == e->packed);
	const struct bytes packed = gzip_member(&data, 1, 0, e->crc, e->size);
	struct unpack_stream *stream;
	uint64_t made = 0;
	bool ok = unpack_stream_open_any(&stream, UNPACK_GZIP, packed, err);
	if (ok) {
		ok = unpack_stream_next(stream, out, e->size, &made, err);
		unpack_stream_close(stream);
		if (ok && made != e->size)
			ok = fail(err, HEFT_EFORMAT, e->data, "shorter than stated");
	}
	mem_free((void *)(uintptr_t)packed.p);
	return ok;
}

bool zip_unpack(const struct zip *z, const struct zip_entry *e, struct bytes *ret, void **ret_owned,
		struct heft_err *err)
{
	*ret_owned = NULL;
	if (e->method == ZIP_STORED) {
		*ret = bytes_sub(z->bytes, e->data, e->packed);
		return true;
	}
	if (e->method != ZIP_DEFLATED)
		return fail(err, HEFT_EUNSUPPORTED, e->off,
			    "packed by method %u, which is not read", e->method);
	if (!unpack_possible(UNPACK_ZLIB, e->packed, e->size, err))
		return false;
	uint8_t *out = mem_alloc(e->size + 1);
	if (!inflate_entry(z, e, out, err)) {
		mem_free(out);
		return false;
	}
	*ret = (struct bytes){ out, e->size };
	*ret_owned = out;
	return true;
}
