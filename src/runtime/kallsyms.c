/* Finds the symbol table inside a Linux kernel and reads its symbols. */
#include "runtime/kallsyms.h"

static uint64_t kallsyms_align(const struct kallsyms *k, uint64_t off)
{
	return align_up(off, k->unit);
}

static struct reader kallsyms_reader_at(const struct kallsyms *k, uint64_t off)
{
	struct reader r = reader_at(k->bytes, k->big_endian, off);
	return r;
}

/* Reads a length. Lengths from 128 on have two bytes, the low seven bits first. */
static uint32_t read_length(struct reader *r)
{
	const uint32_t low = read_u8(r);
	return low < 0x80 ? low : (low & 0x7f) | (uint32_t)read_u8(r) << 7;
}

/* True if the offset of every 256th name, in words of `width` bytes, follows the names. */
static bool markers_fit(struct kallsyms *k, unsigned width)
{
	struct reader names = kallsyms_reader_at(k, k->names),
		      r = kallsyms_reader_at(k, k->markers);
	for (uint64_t i = 0; i < k->count; i++) {
		if (i % 256 == 0 && read_uint(&r, width) != names.pos - k->names)
			return false;
		read_skip(&names, read_length(&names));
	}
	k->markers_end = r.pos;
	return reader_ok(&r);
}

/* Sets k->markers to the end of the names. False if these are no names. *steps limits the work. */
static bool find_names_end(struct kallsyms *k, uint64_t *steps)
{
	struct reader r = kallsyms_reader_at(k, k->names);
	for (uint64_t i = 0; i < k->count && reader_ok(&r); i++) {
		const uint32_t length = read_length(&r);
		if (length == 0 || *steps == 0)
			return false;
		--*steps;
		read_skip(&r, length);
	}
	k->markers = kallsyms_align(k, r.pos);
	return reader_ok(&r);
}

/* Bytes of an entry of kallsyms_seqs_of_names: numbers of symbols, by name. */
enum { ORDER = 3 };

static bool pieces_at(struct kallsyms *k, uint64_t off)
{
	struct reader r = kallsyms_reader_at(k, off), index;
	uint64_t starts[KALLSYMS_PIECES];
	for (size_t i = 0; i < KALLSYMS_PIECES; i++) {
		starts[i] = r.pos - off;
		if (read_cstr(&r).len >= KALLSYMS_NAME_MAX || !reader_ok(&r))
			return false;
	}
	k->pieces = off;
	k->index = kallsyms_align(k, r.pos);
	index = kallsyms_reader_at(k, k->index);
	for (size_t i = 0; i < KALLSYMS_PIECES; i++)
		if (read_u16(&index) != starts[i])
			return false;
	return reader_ok(&index);
}

static uint64_t kallsyms_read_address(const struct kallsyms *k, struct reader *r)
{
	const uint64_t place = k->addr + r->pos;
	if (k->form == KALLSYMS_WHOLE)
		return read_uint(r, k->width);
	const uint32_t value = read_u32(r);
	if (k->form == KALLSYMS_PLACE)
		return place + (uint64_t)(int32_t)value;
	if (k->form == KALLSYMS_RELATIVE)
		return k->base + value;
	return value <= INT32_MAX ? value : k->base + (uint32_t)~value;
}

/* True if a list of addresses is at `off`. It must be sorted, and not all addresses equal. */
static bool addresses_at(struct kallsyms *k, uint64_t off, enum kallsyms_form form)
{
	struct reader r = kallsyms_reader_at(k, off);
	uint64_t last = 0, first = 0;
	k->form = form;
	k->addrs = off;
	for (uint64_t i = 0; i < k->count; i++) {
		const uint64_t addr = kallsyms_read_address(k, &r);
		if (addr < last)
			return false;
		first = i == 0 ? addr : first;
		last = addr;
	}
	return reader_ok(&r) && last > first;
}

/* True if a list of 32-bit offsets is at `off`, and the base to which they are added at `base`. A
 * negative last offset shows the form KALLSYMS_SIGNED. The base is 0 if a relocation sets it. */
static bool offsets_at(struct kallsyms *k, uint64_t off, uint64_t base)
{
	struct reader r = kallsyms_reader_at(k, base),
		      last = kallsyms_reader_at(k, off + 4 * (k->count - 1));
	k->base = read_uint(&r, k->width);
	k->base_off = base;
	const bool negative = read_i32(&last) < 0;
	return reader_ok(&r) && reader_ok(&last) &&
	       addresses_at(k, off, negative ? KALLSYMS_SIGNED : KALLSYMS_RELATIVE);
}

static bool find_addresses(struct kallsyms *k)
{
	const uint64_t offsets = kallsyms_align(k, 4 * k->count), whole = k->width * k->count;
	const uint64_t behind = k->index + 2 * KALLSYMS_PIECES;
	const uint64_t front = k->names - k->unit; /* Offset of the count */
	if (k->unit == k->width &&
	    (offsets_at(k, behind, behind + offsets) ||
	     (front >= k->width + offsets &&
	      offsets_at(k, front - k->width - offsets, front - k->width)) ||
	     (front >= whole && addresses_at(k, front - whole, KALLSYMS_WHOLE))))
		return true;
	return k->unit == 4 && addresses_at(k, behind, KALLSYMS_PLACE);
}

static bool kallsyms_has_base(const struct kallsyms *k)
{
	return k->form == KALLSYMS_RELATIVE || k->form == KALLSYMS_SIGNED;
}

/* Finds kallsyms_seqs_of_names: since Linux 6.5, it is at the table's end. */
static void kallsyms_find_order(struct kallsyms *k)
{
	const uint64_t end = kallsyms_has_base(k) ? k->base_off + k->width
						  : k->addrs + 4 * k->count;
	struct reader r = kallsyms_reader_at(k, end);
	if (k->order > 0 || k->addrs < k->index)
		return;
	for (uint64_t i = 0; i < k->count; i++) {
		const uint64_t high = read_u8(&r), middle = read_u8(&r);
		if ((high << 16 | middle << 8 | read_u8(&r)) >= k->count)
			return;
	}
	if (reader_ok(&r))
		k->order = end;
}

/* Searches for a table whose parts begin at multiples of `unit`. */
static bool kallsyms_find_table(struct kallsyms *k, unsigned unit)
{
	uint64_t steps = 4 * k->bytes.size;
	k->unit = unit;
	for (uint64_t off = 0; off < k->bytes.size; off += unit) {
		struct reader r = kallsyms_reader_at(k, off);
		k->order = 0;
		k->count = read_uint(&r, unit);
		k->names = r.pos;
		/* A table of fewer than 257 names has no marker to verify it. */
		if (k->count <= 256 || k->count > reader_left(&r) / 3 ||
		    !find_names_end(k, &steps) || (!markers_fit(k, 4) && !markers_fit(k, k->width)))
			continue;
		/* From Linux 6.2 to 6.4, and in older releases with the same change, the order of
		 * the names precedes the pieces. */
		const uint64_t next = kallsyms_align(k, k->markers_end);
		if (!pieces_at(k, next)) {
			k->order = next;
			if (!pieces_at(k, kallsyms_align(k, next + ORDER * k->count)))
				continue;
		}
		if (!find_addresses(k))
			continue;
		kallsyms_find_order(k);
		ASSERT(k->names < k->markers && k->markers < k->markers_end);
		ASSERT(k->markers_end <= k->pieces && k->pieces < k->index);
		return true;
	}
	return false;
}

bool kallsyms_find(struct kallsyms *k, struct bytes b, uint64_t addr, bool big_endian,
		   unsigned width)
{
	ASSERT(b.p || b.size == 0);
	*k = (struct kallsyms){
		.bytes = b, .addr = addr, .big_endian = big_endian, .width = width
	};
	if (width != 4 && width != 8)
		return false;
	return kallsyms_find_table(k, width) || (width == 8 && kallsyms_find_table(k, 4));
}

void kallsyms_parts(const struct kallsyms *k, struct kallsyms_part ret[KALLSYMS_PARTS])
{
	const bool whole = k->form == KALLSYMS_WHOLE;
	const struct kallsyms_part parts[KALLSYMS_PARTS] = {
		{ "kallsyms_num_syms", k->names - k->unit, k->unit },
		{ "kallsyms_names", k->names, k->markers - k->names },
		{ "kallsyms_markers", k->markers, k->markers_end - k->markers },
		{ "kallsyms_seqs_of_names", k->order, k->order > 0 ? ORDER * k->count : 0 },
		{ "kallsyms_token_table", k->pieces, k->index - k->pieces },
		{ "kallsyms_token_index", k->index, 2 * KALLSYMS_PIECES },
		{ whole ? "kallsyms_addresses" : "kallsyms_offsets", k->addrs,
		  k->count * (whole ? k->width : 4) },
		{ "kallsyms_relative_base", kallsyms_has_base(k) ? k->base_off : 0,
		  kallsyms_has_base(k) ? k->width : 0 },
	};
	memcpy(ret, parts, sizeof parts);
}

void kallsyms_iter(struct kallsyms_iter *it, const struct kallsyms *k)
{
	it->k = k;
	it->names = kallsyms_reader_at(k, k->names);
	it->addrs = kallsyms_reader_at(k, k->addrs);
	it->left = k->count;
}

bool kallsyms_next(struct kallsyms_iter *it)
{
	size_t used = 0;
	if (it->left == 0)
		return false;
	it->left--;
	for (uint32_t left = read_length(&it->names); left > 0; left--) {
		const uint64_t number = read_u8(&it->names);
		struct reader r = kallsyms_reader_at(it->k, it->k->index + 2 * number);
		struct str s = { "", 0 };
		(void)bytes_cstr(it->k->bytes, it->k->pieces + read_u16(&r), &s);
		const size_t room = sizeof it->text - used, len = s.len < room ? s.len : room;
		memcpy(it->text + used, s.p, len);
		used += len;
	}
	ASSERT(used <= sizeof it->text);
	it->addr = kallsyms_read_address(it->k, &it->addrs);
	it->type = used > 0 ? it->text[0] : '?';
	it->name = (struct str){ it->text + 1, used > 0 ? used - 1 : 0 };
	return true;
}
