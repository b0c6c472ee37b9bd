/* memory.h - reads numbers from the memory of a dump, in the dump's byte order. Readers return
 * false if the dump lacks the bytes. */
#pragma once

#include "heap/dump.h"

static inline uint64_t load_u64(const uint8_t *p, bool big_endian)
{
	struct reader r = reader_make(p, 8, big_endian);
	return read_u64(&r);
}

static inline bool memory_uint(const struct dump *d, uint64_t addr, unsigned width, uint64_t *ret)
{
	struct reader r = reader_of(dump_at(d, addr, width), d->big_endian);
	const uint64_t v = read_wide(&r, width);
	if (!reader_ok(&r))
		return false;
	*ret = v;
	return true;
}

/* Copies bytes from `addr` on, across regions. Stops at the first byte that the dump lacks. Returns
 * the number of bytes copied. */
static inline uint64_t memory_copy(const struct dump *d, uint64_t addr, uint8_t *to, uint64_t size)
{
	uint64_t done = 0;
	for (struct bytes b; done < size; done += b.size) {
		b = dump_at(d, addr + done, size - done);
		if (b.size == 0)
			break;
		memcpy(to + done, b.p, b.size);
	}
	return done;
}

static inline bool memory_present(const struct dump *d, uint64_t addr, uint64_t size)
{
	uint64_t done = 0;
	for (struct bytes b; done < size; done += b.size) {
		b = dump_at(d, addr + done, size - done);
		if (b.size == 0)
			return false;
	}
	return true;
}

/* Returns the bytes of a machine word. 8 if unknown. */
static inline unsigned memory_word_size(const struct dump *d)
{
	return d->word == 4 ? 4 : 8;
}

static inline bool memory_word(const struct dump *d, uint64_t addr, uint64_t *ret)
{
	return memory_uint(d, addr, memory_word_size(d), ret);
}

static inline bool region_is_data(const struct region *r)
{
	return r->write || r->file == 0;
}

static inline uint64_t region_end(const struct region *r)
{
	return r->addr + r->size;
}
