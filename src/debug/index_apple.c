/* index_apple.c - walks the hash tables of names that LLVM writes for Apple's systems (LLVM,
 * "Source Level Debugging with LLVM", "Name Accelerator Tables"). A table has a header, atoms (the
 * fields of an entry), buckets, hashes, and the offset of the data of each hash. The data are
 * strings, each with entries. */
#include "debug/index_out.h"

#include "debug/form.h"

enum { MAGIC = 0x48415348, ATOM_DIE = 1, ATOMS_MAX = 16 };

struct apple {
	struct index_out out;
	struct reader r;
	uint64_t die_base, bucket_count, hash_count;
	unsigned entry_size, die_at, die_size; /* In bytes: size of an entry; position and size
					        * of the DIE's offset in it. die_size is 0 if
					        * entries have no DIE */
};

static bool read_atoms(struct apple *a)
{
	const uint32_t count = read_u32(&a->r);
	if (count == 0 || count > ATOMS_MAX)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const uint16_t type = read_u16(&a->r), form = read_u16(&a->r);
		unsigned size;
		if (!form_size(form_find(form), (struct form_sizes){ 4, 8, 4 }, &size) || size == 0)
			return false;
		if (type == ATOM_DIE) {
			a->die_at = a->entry_size;
			a->die_size = size;
		}
		a->entry_size += size;
	}
	return reader_ok(&a->r);
}

static bool index_apple_read_header(struct apple *a)
{
	struct reader *r = &a->r;
	if (read_u32(r) != MAGIC || read_u16(r) != 1)
		return false;
	read_skip(r, 2);
	a->bucket_count = read_u32(r);
	a->hash_count = read_u32(r);
	const uint64_t size = read_u32(r), end = r->pos + size;
	a->die_base = read_u32(r);
	if (!read_atoms(a) || r->pos > end)
		return false;
	reader_seek(r, end);
	return reader_ok(r) && a->die_size > 0 &&
	       a->bucket_count * 4 + a->hash_count * 8 <= reader_left(r);
}

/* Reads which DIE the entry at `off` is about. False if the entry extends beyond the table. */
static bool entry_die(const struct apple *a, uint64_t off, uint64_t *ret)
{
	struct reader r = a->r;
	reader_seek(&r, off + a->die_at);
	*ret = a->die_base + read_uint(&r, a->die_size);
	return reader_ok(&r);
}

/* Reports the bytes of a string that precede its first entry: the string's offset and the count of
 * entries. Also reports the table's hash and offset that lead to the string. */
static void put_first(struct apple *a, uint64_t off, uint64_t size, uint64_t string)
{
	uint64_t die;
	if (entry_die(a, add_sat(string, 8), &die))
		index_put(&a->out, off, size, ABOUT_INFO, die);
	else
		index_put(&a->out, off, size, ABOUT_ALL, 0);
}

static void index_apple_put_column(struct apple *a, uint64_t column)
{
	const uint64_t offsets = a->r.pos + a->bucket_count * 4 + a->hash_count * 4;
	struct reader r = a->r;
	reader_seek(&r, offsets);
	for (uint64_t i = 0; i < a->hash_count; i++)
		put_first(a, column + i * 4, 4, read_u32(&r));
}

/* Reports a hash's data: strings with entries, then a 0 as part of the last. False if damaged. */
static bool index_apple_put_data(struct apple *a, uint64_t data)
{
	ASSERT(a->entry_size > 0);
	struct reader r = a->r;
	uint64_t die;
	reader_seek(&r, data);
	while (reader_left(&r) > 0) {
		const uint64_t off = r.pos;
		if (read_u32(&r) == 0) {
			index_pad(&a->out, off, r.pos);
			continue;
		}
		const uint64_t count = read_u32(&r);
		if (!reader_ok(&r) || count > reader_left(&r) / a->entry_size)
			return false;
		put_first(a, off, 8, off);
		for (uint64_t i = 0; i < count; i++, read_skip(&r, a->entry_size))
			if (entry_die(a, r.pos, &die))
				index_put(&a->out, r.pos, a->entry_size, ABOUT_INFO, die);
	}
	return true;
}

void apple_pieces(struct dwarf *d, enum dw_section which, index_fn fn, void *ctx)
{
	const struct bytes b = dwarf_bytes(d, which);
	struct apple a = { .out = { .dwarf = d, .which = which, .fn = fn, .ctx = ctx },
			   .r = reader_of(b, d->big_endian) };
	if (b.size == 0)
		return;
	bool ok = index_apple_read_header(&a);
	if (ok) {
		const uint64_t buckets = a.r.pos, hashes = buckets + a.bucket_count * 4;
		index_put(&a.out, 0, hashes, ABOUT_ALL, 0);
		index_apple_put_column(&a, hashes);
		index_apple_put_column(&a, hashes + a.hash_count * 4);
		ok = index_apple_put_data(&a, hashes + a.hash_count * 8);
	}
	if (!ok)
		note(d->notes, d->path, 0, b.size, "%s: a table of names is damaged",
		     dw_section_name(which));
	index_finish(&a.out);
}
