/* Reads tables of SFrame. */
#include "unwind/sframe.h"

enum { SFRAME_MAGIC = 0xdee2, SFRAME_VERSION_MAX = 3 };
enum { SFRAME_SORTED = 1, SFRAME_PCREL = 4 };

/* Size of an entry, by version. In version 3, the other fields of an entry precede its frames. */
static const uint8_t sframe_entry_sizes[SFRAME_VERSION_MAX + 1] = { 0, 17, 20, 16 };

bool sframe_open(struct sframe *f, struct bytes section, uint64_t off, bool big_endian)
{
	struct reader r = reader_at(section, big_endian, off);
	const bool known = read_u16(&r) == SFRAME_MAGIC;
	const unsigned version = read_u8(&r), flags = read_u8(&r);
	read_skip(&r, 3); /* Skip the machine and fixed offsets of registers */
	const uint64_t more = read_u8(&r), count = read_u32(&r);
	read_skip(&r, 4); /* Skip the number of frames */
	const uint64_t frames_size = read_u32(&r), entries = read_u32(&r), frames = read_u32(&r);
	if (!reader_ok(&r) || !known || version == 0 || version > SFRAME_VERSION_MAX)
		return false;
	const uint64_t start = r.pos + more;
	/* If entries are unsorted, the linker only joined the tables of objects. Then, as in
	 * objects, the distance to a function counts from the field that contains it. */
	*f = (struct sframe){ .section = section,
			      .big_endian = big_endian,
			      .pcrel = flags & SFRAME_PCREL || !(flags & SFRAME_SORTED),
			      .version = version,
			      .off = off,
			      .entries = start + entries,
			      .entry_size = sframe_entry_sizes[version],
			      .count = count,
			      .frames = start + frames,
			      .frames_end = start + frames + frames_size };
	const uint64_t entries_end = f->entries + f->count * f->entry_size;
	f->end = f->frames_end > entries_end ? f->frames_end : entries_end;
	ASSERT(f->end > off);
	return f->end <= section.size;
}

bool sframe_entry_read(const struct sframe *f, uint64_t i, struct sframe_entry *ret)
{
	struct reader r = reader_of(f->section, f->big_endian);
	ASSERT(i < f->count);
	ret->off = f->entries + i * f->entry_size;
	reader_seek(&r, ret->off);
	const uint64_t distance = f->version >= 3 ? (uint64_t)read_i64(&r)
						  : (uint64_t)(int64_t)read_i32(&r);
	ret->distance = distance + (f->pcrel ? ret->off : f->off);
	ret->size = read_u32(&r);
	ret->frames = f->frames + read_u32(&r);
	return reader_ok(&r) && ret->frames <= f->frames_end;
}
