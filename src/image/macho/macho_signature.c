/* Reads the code signature (kern/cs_blobs.h), an index of blobs. All its numbers are big-endian.
 * One blob, the code directory, has a hash of each page of the file. A hash belongs to the owners
 * of the bytes in its page. */
#include "image/macho/macho_internal.h"

enum {
	SUPER_BLOB = (int)0xfade0cc0,
	CODE_DIRECTORY = (int)0xfade0c02,
	PRIMARY = 0, /* Type of the main code directory. Other types are alternate code
		      * directories. */
	HARDENED_RUNTIME = 0x10000,
	PIECE = 4, /* Bytes of a hash that are assigned to one owner. */
};

/* Fields of CS_CodeDirectory that heft reads. */
struct directory {
	uint64_t off; /* Offset in the signature. */
	uint32_t flags, hashes, count;
	uint8_t hash_size, page_shift;
};

static bool macho_signature_read_directory(struct reader *r, uint64_t off, struct directory *ret)
{
	reader_seek(r, off);
	const bool known = read_u32(r) == (uint32_t)CODE_DIRECTORY;
	read_skip(r, 8); /* Skips length and version. */
	ret->off = off;
	ret->flags = read_u32(r);
	ret->hashes = read_u32(r);
	read_skip(r, 8); /* Skips identifier and special slots. */
	ret->count = read_u32(r);
	read_skip(r, 4); /* Skip the code limit */
	ret->hash_size = read_u8(r);
	read_skip(r, 2); /* Skips hash type and platform. */
	ret->page_shift = read_u8(r);
	return known && reader_ok(r);
}

static bool macho_signature_mapped_at(const struct macho *m, uint64_t off, uint64_t *ret)
{
	for (size_t i = 0; i < m->segments.count; i++) {
		const struct macho_segment *s = &m->segments.data[i];
		if (off - s->off < s->size) {
			*ret = s->addr + (off - s->off);
			return true;
		}
	}
	return false;
}

/* Assigns the hash of page `i` to owners. Each piece of the hash belongs to the owner of the same
 * part of the page. */
static void add_hash(struct macho *m, const struct macho_range *range, const struct directory *d,
		     uint64_t i)
{
	const uint64_t size = UINT64_C(1) << d->page_shift, page = i << d->page_shift;
	struct image_entry e = { .section = range->index,
				 .off = d->off + d->hashes + i * d->hash_size };
	for (uint64_t at = 0; at < d->hash_size; at += PIECE, e.off += PIECE) {
		e.size = min_u64(PIECE, d->hash_size - at);
		if (macho_signature_mapped_at(m, page + at * size / d->hash_size, &e.addr))
			build_entry(&m->build, &e);
	}
}

static void add_hashes(struct macho *m, const struct macho_range *range, const struct directory *d,
		       uint64_t *left)
{
	enum { SHIFT_MAX = 30 };
	if (d->hash_size == 0 || d->page_shift == 0 || d->page_shift > SHIFT_MAX)
		return;
	for (uint64_t i = 0; i < d->count && *left >= d->hash_size; i++) {
		*left -= d->hash_size;
		add_hash(m, range, d, i);
	}
}

void macho_read_signature(struct macho *m, const struct macho_range *range)
{
	ASSERT(range->index < m->build.sections.count);
	struct reader r = reader_of(bytes_sub(m->build.im->bytes, range->off, range->size), true);
	uint64_t left = range->size; /* Bytes of hashes that may still be read. Directories of a
				      * valid signature do not overlap. */
	m->is_signed = read_u32(&r) == (uint32_t)SUPER_BLOB;
	read_skip(&r, 4);
	const uint32_t count = read_u32(&r);
	for (uint32_t i = 0; i < count && reader_left(&r) >= 8; i++) {
		const uint32_t type = read_u32(&r), off = read_u32(&r);
		struct reader at = r;
		struct directory d;
		if (!macho_signature_read_directory(&at, off, &d))
			continue;
		if (type == PRIMARY)
			m->hardened = d.flags & HARDENED_RUNTIME;
		add_hashes(m, range, &d, &left);
	}
}
