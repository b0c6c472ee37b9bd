/* Opens the container of a PDB and returns the bytes of its streams. */
#include "debug/codeview/msf.h"

static const char magic[32] = "Microsoft C/C++ MSF 7.00\r\n\x1a"
			      "DS\0\0";

enum { BLOCK_MIN = 512, BLOCK_MAX = 1 << 16 };
#define NO_STREAM UINT32_MAX /* Size of a deleted stream in the directory */

bool msf_matches(struct bytes b)
{
	return b.size >= sizeof magic && memcmp(b.p, magic, sizeof magic) == 0;
}

static uint64_t blocks_of(const struct msf *m, uint64_t size)
{
	return (size + m->block_size - 1) / m->block_size;
}

/* Returns `size` bytes from the blocks in `list`, in one range. Empty if they are damaged. */
static struct bytes msf_gather(struct msf *m, struct bytes list, uint64_t size)
{
	const uint64_t count = blocks_of(m, size);
	struct reader r = reader_of(bytes_sub(list, 0, count * 4), false);
	if (size == 0 || count * 4 > list.size || size > m->left)
		return (struct bytes){ NULL, 0 };
	const uint32_t first = read_u32(&r);
	uint64_t run = 1;
	while (run < count && read_u32(&r) == first + run)
		run++;
	if (run == count)
		return bytes_sub(m->file, (uint64_t)first * m->block_size, size);
	ASSERT(m->block_size >= BLOCK_MIN && count * m->block_size >= size);
	m->left -= size;
	uint8_t *out = arena_alloc(&m->arena, (size_t)size, 1);
	reader_seek(&r, 0);
	for (uint64_t at = 0; at < size; at += m->block_size) {
		const uint64_t part = min_u64(m->block_size, size - at);
		const struct bytes b = bytes_sub(m->file, (uint64_t)read_u32(&r) * m->block_size,
						 part);
		if (b.size != part)
			return (struct bytes){ NULL, 0 };
		memcpy(out + at, b.p, part);
	}
	return (struct bytes){ out, size };
}

/* Reads the directory: number of streams, size of each, block numbers of each. False if damaged. */
static bool list_streams(struct msf *m)
{
	struct reader r = reader_of(m->directory, false);
	const uint32_t count = read_u32(&r);
	uint64_t at = 4 + 4 * (uint64_t)count;
	if (!reader_ok(&r) || count > reader_left(&r) / 4)
		return false;
	m->starts = arena_new(&m->arena, uint64_t, count + 1);
	m->stream_count = count;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t size = read_u32(&r);
		m->starts[i] = at;
		at += size == NO_STREAM ? 0 : 4 * blocks_of(m, size);
	}
	return true;
}

bool msf_open(struct msf *m, struct bytes file)
{
	struct reader r = reader_of(file, false);
	memset(m, 0, sizeof *m);
	m->file = file;
	m->left = 2 * file.size;
	if (!msf_matches(file))
		return false;
	read_skip(&r, sizeof magic);
	m->block_size = read_u32(&r);
	read_skip(&r, 4);
	m->block_count = read_u32(&r);
	const uint32_t size = read_u32(&r);
	read_skip(&r, 4);
	const uint32_t map = read_u32(&r); /* Block that lists the blocks of the directory */
	if (!reader_ok(&r) || m->block_size < BLOCK_MIN || m->block_size > BLOCK_MAX ||
	    size > file.size)
		return false;
	const struct bytes list = bytes_sub(file, (uint64_t)map * m->block_size,
					    4 * blocks_of(m, size));
	m->directory = msf_gather(m, list, size);
	return list_streams(m);
}

void msf_close(struct msf *m)
{
	arena_release(&m->arena);
	memset(m, 0, sizeof *m);
}

struct bytes msf_stream(struct msf *m, uint32_t index)
{
	const struct bytes none = { NULL, 0 };
	if (index >= m->stream_count || m->starts[index] > m->directory.size)
		return none;
	struct reader r = reader_at(m->directory, false, 4 + 4 * (uint64_t)index);
	const uint32_t size = read_u32(&r);
	const uint64_t at = m->starts[index];
	ASSERT(at <= m->directory.size);
	return size == NO_STREAM
		       ? none
		       : msf_gather(m, bytes_sub(m->directory, at, m->directory.size - at), size);
}
