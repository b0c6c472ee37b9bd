/* The compression of the UEFI Specification, chapter "Compression Algorithm Specification": LZ77
 * with codes of Huffman for a block of symbols at a time, all bits highest first. */
#include "base/unpack_internal.h"

enum {
	SYMBOLS = 510,      /* 256 bytes, and matches of 3 to 256 bytes */
	LENGTHS = 19,       /* codes for lengths of codes */
	POSITIONS_MAX = 31, /* codes for how far back a match begins */
	LENGTH_MAX = 16,    /* bits of a code */
	MATCH_MIN = 3,
};

struct code {
	uint16_t count[LENGTH_MAX + 1]; /* codes of so many bits */
	uint16_t symbols[SYMBOLS];      /* in the order of their codes */
	bool single;                    /* of no bits: symbols[0] */
};

struct efi {
	struct bytes packed;
	uint64_t bit; /* the next one */
	bool failed;
	unsigned position_bits; /* 4, or 5 of Tiano */
	uint32_t left;          /* symbols of the block at hand */
	struct code lengths, symbols, positions;
};

static uint32_t take(struct efi *e, unsigned count)
{
	uint32_t value = 0;
	for (; count > 0; count--, e->bit++) {
		const uint64_t at = e->bit / 8;
		if (at >= e->packed.size) {
			e->failed = true;
			return 0;
		}
		value = value << 1 | (e->packed.p[at] >> (7 - e->bit % 8) & 1u);
	}
	return value;
}

static unsigned decode(struct efi *e, const struct code *c)
{
	uint32_t code = 0, first = 0, index = 0;
	if (c->single)
		return c->symbols[0];
	for (unsigned length = 1; length <= LENGTH_MAX && !e->failed; length++) {
		code |= take(e, 1);
		if (code - first < c->count[length])
			return c->symbols[index + (code - first)];
		index += c->count[length];
		first = (first + c->count[length]) << 1;
		code <<= 1;
	}
	e->failed = true;
	return 0;
}

static void set_single(struct code *c, unsigned symbol)
{
	*c = (struct code){ .single = true, .symbols = { (uint16_t)symbol } };
}

/* Shorter codes come first, then smaller symbols; all bits have to lead somewhere. */
static void set_codes(struct efi *e, struct code *c, const uint8_t *lengths, unsigned count)
{
	uint32_t room = 0;
	unsigned used = 0;
	*c = (struct code){ 0 };
	for (unsigned length = 1; length <= LENGTH_MAX; length++)
		for (unsigned i = 0; i < count; i++) {
			if (lengths[i] != length)
				continue;
			c->count[length]++;
			c->symbols[used++] = (uint16_t)i;
			room += UINT32_C(1) << (LENGTH_MAX - length);
		}
	if (room != UINT32_C(1) << LENGTH_MAX)
		e->failed = true;
}

/* Three bits; behind 7 a one for each that it is longer, and a zero. */
static uint8_t read_length(struct efi *e)
{
	uint32_t length = take(e, 3);
	while (length >= 7 && length <= LENGTH_MAX && take(e, 1) == 1)
		length++;
	if (length > LENGTH_MAX)
		e->failed = true;
	return (uint8_t)length;
}

/* Codes whose lengths stand there as they are.  Behind the third one may be a run of zeros. */
static void read_plain(struct efi *e, struct code *c, unsigned bits, unsigned most, bool has_run)
{
	uint8_t lengths[POSITIONS_MAX] = { 0 };
	const uint32_t count = take(e, bits);
	if (count == 0) {
		const uint32_t only = take(e, bits);
		set_single(c, only);
		e->failed = e->failed || only >= most;
		return;
	}
	e->failed = e->failed || count > most;
	for (uint32_t i = 0; i < count && !e->failed;) {
		lengths[i++] = read_length(e);
		if (i == 3 && has_run)
			i += take(e, 2);
	}
	if (!e->failed)
		set_codes(e, c, lengths, most);
}

/* Codes whose lengths are symbols themselves: 0 to 2 are runs of zeros. */
static void read_symbols(struct efi *e)
{
	uint8_t lengths[SYMBOLS] = { 0 };
	const uint32_t count = take(e, 9);
	if (count == 0) {
		const uint32_t only = take(e, 9);
		set_single(&e->symbols, only);
		e->failed = e->failed || only >= SYMBOLS;
		return;
	}
	e->failed = e->failed || count > SYMBOLS;
	for (uint32_t i = 0; i < count && !e->failed;) {
		const unsigned symbol = decode(e, &e->lengths);
		if (symbol > 2)
			lengths[i++] = (uint8_t)(symbol - 2);
		else
			i += symbol == 0 ? 1 : symbol == 1 ? take(e, 4) + 3 : take(e, 9) + 20;
	}
	if (!e->failed)
		set_codes(e, &e->symbols, lengths, SYMBOLS);
}

static void read_block(struct efi *e)
{
	e->left = take(e, 16);
	read_plain(e, &e->lengths, 5, LENGTHS, true);
	if (!e->failed)
		read_symbols(e);
	if (!e->failed)
		read_plain(e, &e->positions, e->position_bits, (1u << e->position_bits) - 1, false);
	e->failed = e->failed || e->left == 0;
}

/* How far back the match begins: 1 is the byte before. */
static uint64_t read_distance(struct efi *e)
{
	const unsigned bits = decode(e, &e->positions);
	return bits <= 1 ? bits + 1 : (UINT64_C(1) << (bits - 1)) + take(e, bits - 1) + 1;
}

/* The bytes that one symbol stands for. */
static uint64_t put_symbol(struct efi *e, uint8_t *out, uint64_t done, uint64_t size)
{
	if (e->left == 0)
		read_block(e);
	const unsigned symbol = e->failed ? 0 : decode(e, &e->symbols);
	if (e->failed)
		return 0;
	e->left--;
	if (symbol < 256) {
		out[done] = (uint8_t)symbol;
		return 1;
	}
	const uint64_t back = read_distance(e);
	const uint64_t length = min_u64(symbol - 256 + MATCH_MIN, size - done);
	if (e->failed || back > done) {
		e->failed = true;
		return 0;
	}
	for (uint64_t i = 0; i < length; i++)
		out[done + i] = out[done + i - back];
	return length;
}

bool unpack_efi(struct bytes packed, unsigned position_bits, struct bytes *ret,
		struct heft_err *err)
{
	struct reader r = reader_of(packed, false);
	const uint64_t stated = read_u32(&r), size = read_u32(&r);
	const bool good = reader_ok(&r) && stated <= reader_left(&r);
	struct efi e = { .packed = bytes_sub(packed, r.pos, stated),
			 .position_bits = position_bits };
	if (!good)
		return fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET, "the packed data are cut off");
	if (size > unpack_section_max(packed.size))
		return fail(err, HEFT_ELIMIT, HEFT_NO_OFFSET,
			    "the unpacked size is over the limit");
	uint8_t *const out = mem_alloc((size_t)size + 1);
	uint64_t done = 0;
	while (done < size && !e.failed)
		done += put_symbol(&e, out, done, size);
	if (e.failed) {
		mem_free(out);
		return fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET, "damaged EFI data");
	}
	*ret = (struct bytes){ out, size };
	return true;
}
