/* Unpacks a compressed file into a temporary file. */
#include "base/file.h"
#include "base/os/os.h"
#include "base/unpack.h"

bool unpack_guess(struct bytes file, enum unpack_method *ret)
{
	static const struct {
		const char *magic;
		size_t size;
		enum unpack_method method;
	} known[] = {
		{ "\x1f\x8b\x08", 3, UNPACK_GZIP },
		{ "\x28\xb5\x2f\xfd", 4, UNPACK_ZSTD },
		{ "\x04\x22\x4d\x18", 4, UNPACK_LZ4 },
		{ "\x02\x21\x4c\x18", 4, UNPACK_LZ4_OLD },
		{ "\xfd"
		  "7zXZ",
		  6, UNPACK_XZ },
	};
	for (size_t i = 0; i < COUNT_OF(known); i++) {
		if (file.size < known[i].size || memcmp(file.p, known[i].magic, known[i].size) != 0)
			continue;
		*ret = known[i].method;
		return true;
	}
	return false;
}

uint64_t unpack_head(enum unpack_method method, struct bytes packed, uint8_t *out, uint64_t size)
{
	struct unpack_stream *s;
	uint64_t made = 0;
	if (!unpack_stream_open_any(&s, method, packed, NULL))
		return 0;
	unpack_stream_next(s, out, size, &made, NULL);
	unpack_stream_close(s);
	ASSERT(made <= size);
	return made;
}

enum { HOLE = 4096, BATCH = 1 << 20 };

struct unpacked_file {
	struct os_scratch to;
	uint64_t size, size_max;
	uint64_t stored, stored_max; /* Number of bytes that are in no hole, and its limit */
	struct owned *owned;         /* Owns `to` */
};

/* Writes bytes. Skips pages of zeros, which become holes. False on failure. */
static bool write_sparse(struct unpacked_file *f, const uint8_t *p, size_t size)
{
	size_t start = 0, i = 0;
	for (; i < size; i += HOLE) {
		if (!bytes_are_zeros((struct bytes){ p + i, min_u64(HOLE, size - i) }))
			continue;
		if (!os_scratch_write(&f->to, p + start, i - start, f->size + start))
			return false;
		f->stored += i - start;
		start = i + HOLE;
	}
	if (start >= size)
		return true;
	f->stored += size - start;
	return os_scratch_write(&f->to, p + start, size - start, f->size + start);
}

/* Limits of the stored bytes, so that a small file cannot fill a disk: see stored_max(). */
#define STORED_MIN (UINT64_C(1) << 30)
enum { STORED_RATIO = 256, FREE_SHARE = 8 };

static uint64_t stored_max(const struct os_scratch *to, uint64_t packed)
{
	const uint64_t room = os_scratch_room(to);
	return min_u64(max_u64(STORED_MIN, packed * STORED_RATIO), room - room / FREE_SHARE);
}

static bool copy_out(struct unpack_stream *s, struct unpacked_file *f, struct heft_err *ret_cut,
		     struct heft_err *err)
{
	uint8_t *batch = mem_alloc(BATCH);
	uint64_t made = BATCH;
	bool ok = true, more = true;
	while (ok && more && made == BATCH) {
		more = unpack_stream_next(s, batch, BATCH, &made, ret_cut);
		ASSERT(made <= BATCH && f->size <= f->size_max);
		if (made > f->size_max - f->size || f->stored > f->stored_max)
			ok = fail(err, HEFT_ELIMIT, HEFT_NO_OFFSET,
				  "it unpacks to more than %" PRIu64
				  " bytes, the limit for its size "
				  "and the room in TMPDIR",
				  f->stored > f->stored_max ? f->stored_max : f->size_max);
		else if (!write_sparse(f, batch, (size_t)made))
			ok = fail_sys(err, "no room to unpack (TMPDIR names another folder)");
		else
			f->size += made;
		progress_tell("unpacking", 0, 0);
	}
	mem_free(batch);
	return ok;
}

static void unpacked_close(void *scratch)
{
	os_scratch_close(scratch);
}

static bool map_back(struct unpacked_file *f, struct bytes *ret, struct heft_err *err)
{
	if (f->size == 0)
		return true;
	void *p = f->size <= SIZE_MAX / 2 ? os_scratch_map(&f->to, (size_t)f->size) : NULL;
	if (!p)
		return fail_sys(err, "what is unpacked cannot be mapped");
	*ret = (struct bytes){ p, f->size };
	return true;
}

/* Opens the file to unpack to. The current handle (mem.h) owns the struct, and closes the file if
 * the call is ended early. */
static struct unpacked_file *unpacked_open(uint64_t packed, uint64_t limit, struct heft_err *err)
{
	struct unpacked_file *f = mem_zeroed(1, sizeof *f);
	if (!os_scratch_open(&f->to)) {
		fail_sys(err, "no temporary file to unpack into");
		mem_free(f);
		return NULL;
	}
	f->owned = memory_own(unpacked_close, &f->to);
	f->size_max = limit;
	f->stored_max = stored_max(&f->to, packed);
	return f;
}

bool unpack_file(enum unpack_method method, struct bytes packed, uint64_t limit, struct bytes *ret,
		 struct heft_err *ret_cut, struct heft_err *err)
{
	struct unpack_stream *s;
	*ret = (struct bytes){ NULL, 0 };
	*ret_cut = (struct heft_err){ .code = HEFT_OK };
	if (!unpack_stream_open_any(&s, method, packed, err))
		return false;
	struct unpacked_file *f = unpacked_open(packed.size, limit, err);
	const bool ok = f && copy_out(s, f, ret_cut, err) && map_back(f, ret, err);
	if (f) {
		os_scratch_close(&f->to);
		memory_disown(f->owned);
		mem_free(f);
	}
	unpack_stream_close(s);
	return ok;
}

/* Greatest size of an unpacked file: far above real dumps, far below what packed zeros can
 * become. */
#define FILE_MAX (UINT64_C(1) << 38)

bool unpack_in_place(struct file *f, struct notes *notes, struct heft_err *err)
{
	return unpack_part_in_place(f, f->bytes, notes, err);
}

bool unpack_part_in_place(struct file *f, struct bytes part, struct notes *notes,
			  struct heft_err *err)
{
	enum unpack_method method;
	struct bytes plain;
	struct heft_err cut, why;
	ASSERT(part.p >= f->bytes.p && part.size <= f->bytes.size);
	if (!unpack_guess(part, &method))
		return true;
	if (!unpack_file(method, part, FILE_MAX, &plain, &cut, &why))
		return fail(err, why.code, HEFT_NO_OFFSET, "%s: %s", f->path, why.text);
	if (plain.size == 0)
		return fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET, "%s: nothing can be unpacked%s%s",
			    f->path, cut.code == HEFT_OK ? "" : ": ",
			    cut.code == HEFT_OK ? "" : cut.text);
	if (cut.code != HEFT_OK)
		note(notes, f->path, HEFT_NO_OFFSET, 0, "unpacked as far as it goes: %s", cut.text);
	file_replace(f, plain);
	f->cut = cut.code != HEFT_OK;
	return true;
}
