/* exidx.c - reads the starts of functions in ARM's .ARM.exidx and .ARM.extab, and in MIPS's .pdr.
 * Sources: ARM IHI 0038 (EHABI), sections 5 to 7 and 10; the documentation of GNU as (.ent, .frame,
 * .mask) for .pdr. */
#include "unwind/unwind.h"

#include "base/sort.h"
#include "unwind/lsda.h"

#define EXIDX_ENTRY_SIZE 8
#define EXIDX_CANTUNWIND 1
#define TOP_BIT          UINT32_C(0x80000000)

/* Computes the address from a 31-bit signed distance to the word itself (R_ARM_PREL31). */
static uint64_t prel31(const struct unwind_section *s, uint64_t off, uint32_t word)
{
	const uint32_t sign = (word & 0x40000000) << 1;
	const uint64_t place = s->addr + off;
	const uint32_t low = (uint32_t)place + ((word & ~TOP_BIT) | sign);
	size_t i;
	BISECT(i, 0, s->fixup_count, mid, s->fixups[mid].off < off);
	if (i < s->fixup_count && s->fixups[i].off == off)
		return s->fixups[i].target;
	return (place & ~(uint64_t)UINT32_MAX) | low;
}

bool exidx_get(const struct unwind_section *s, uint64_t i, uint64_t *ret_func, uint64_t *ret_extab)
{
	if (i >= s->bytes.size / EXIDX_ENTRY_SIZE)
		return false;
	const uint64_t off = i * EXIDX_ENTRY_SIZE;
	ASSERT(off + EXIDX_ENTRY_SIZE <= s->bytes.size);
	struct reader r = reader_at(s->bytes, s->big_endian, off);
	const uint32_t func = read_u32(&r);
	const uint32_t data = read_u32(&r);
	const bool elsewhere = data != EXIDX_CANTUNWIND && !(data & TOP_BIT);
	*ret_func = prel31(s, off, func);
	*ret_extab = elsewhere ? prel31(s, off + 4, data) : 0;
	return true;
}

bool pdr_get(const struct unwind_section *s, uint64_t i, uint64_t *ret_func)
{
	if (i >= s->bytes.size / PDR_ENTRY_SIZE)
		return false;
	struct reader r = reader_at(s->bytes, s->big_endian, i * PDR_ENTRY_SIZE);
	*ret_func = (s->addr & ~(uint64_t)UINT32_MAX) | read_u32(&r);
	ASSERT(reader_ok(&r));
	return true;
}

/* Skips the descriptors of cleanups, handlers and specifications after the unwinding instructions
 * of the ABI's own personality routines. A zero word ends the descriptors. Without a zero word,
 * there are none. */
static void skip_descriptors(struct reader *r)
{
	struct reader ahead = *r;
	while (reader_left(&ahead) >= 4) {
		if (read_u32(&ahead) != 0)
			continue;
		*r = ahead;
		return;
	}
}

/* Skips an entry of the compact model: personality routine 0 (three instructions in the word), or 1
 * and 2 (bits 16-23 count the words after it). False for other entries. */
static bool compact_size(struct reader *r, uint32_t word)
{
	const unsigned routine = (word >> 24) & 0x0f;
	if ((word >> 28) != 8 || routine > 2)
		return false;
	if (routine != 0)
		read_skip(r, 4 * (uint64_t)((word >> 16) & 0xff));
	skip_descriptors(r);
	return reader_ok(r);
}

/* Skips an entry of the generic model, as gcc and clang write it. It has the personality routine
 * and the instructions, whose bits 24-31 count the words after it. Then comes the data that other
 * machines have in .gcc_except_table. */
static bool generic_size(struct reader *r)
{
	const uint32_t word = read_u32(r);
	uint64_t size = 0;
	read_skip(r, 4 * (uint64_t)(word >> 24));
	if (!reader_ok(r))
		return false;
	const struct bytes rest = { r->base + r->pos, reader_left(r) };
	if (lsda_size(rest, 4, r->big_endian, LSDA_SPECS_WORD, &size))
		read_skip(r, size);
	return true;
}

bool extab_size(struct bytes bytes, bool big_endian, uint64_t *ret)
{
	struct reader r = reader_of(bytes, big_endian);
	const uint32_t word = read_u32(&r);
	if (!reader_ok(&r))
		return false;
	if (!(word & TOP_BIT ? compact_size(&r, word) : generic_size(&r)))
		return false;
	*ret = r.pos;
	ASSERT(r.pos <= bytes.size);
	return true;
}
