/* .eh_frame, .debug_frame and .eh_frame_hdr.  The first byte chooses: bit 0 byte order, bit 1
 * 4-byte addresses, bit 2 .debug_frame, bit 3 .eh_frame_hdr, bit 4 with fixups. */
#include "unwind/unwind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool load(void *ctx, uint64_t addr, uint64_t *ret)
{
	(void)ctx;
	*ret = addr ^ 0x5555;
	return addr % 3 != 0;
}

static void check_entry(const struct unwind_section *s, const struct unwind_entry *e, uint64_t at)
{
	ASSERT(e->off == at && e->size >= 4 && e->size <= s->bytes.size - at);
	if (!e->ok)
		ASSERT(!e->terminator && e->func_size == 0 && !e->has_lsda);
	if (e->terminator)
		ASSERT(e->size == 4 || e->size == 12);
	if (e->ok && !e->cie && !e->terminator)
		ASSERT(e->cie_off < s->bytes.size && (s->debug_frame || e->cie_off < e->off));
	if (s->address_size == 4 && e->ok)
		ASSERT(e->func_size <= UINT32_MAX);
}

/* Every byte belongs to one entry, or is behind a damaged length, which is noted. */
static void check_frames(struct unwind_section *s)
{
	struct unwind_iter it;
	struct unwind_entry e;
	uint64_t at = 0;
	unwind_init(&it, s);
	while (unwind_next(&it, &e)) {
		check_entry(s, &e, at);
		at += e.size;
	}
	ASSERT(at == s->bytes.size || s->notes->count > 0);
	ASSERT(!unwind_next(&it, &e));
	unwind_release(&it);
}

static void check_hdr(struct unwind_section *s)
{
	struct unwind_hdr h;
	uint64_t func, fde;
	if (!unwind_hdr_parse(&h, s)) {
		ASSERT(s->notes->count > 0);
		return;
	}
	ASSERT(h.table_off <= s->bytes.size);
	ASSERT(h.count == 0 || h.count <= (s->bytes.size - h.table_off) / h.entry_size);
	for (uint64_t i = 0; i < h.count; i++)
		ASSERT(unwind_hdr_get(&h, i, &func, &fde));
	ASSERT(!unwind_hdr_get(&h, h.count, &func, &fde));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct unwind_fixup fixups[] = { { 17, 0 }, { 32, 1 }, { 48, 2 }, { 57, 3 } };
	struct notes notes;
	if (size == 0)
		return 0;
	notes_init(&notes);
	struct unwind_section s = { .bytes = { data + 1, size - 1 },
				    .addr = 0x10000,
				    .address_size = data[0] & 2 ? 4 : 8,
				    .big_endian = data[0] & 1,
				    .debug_frame = data[0] & 4,
				    .load = load,
				    .path = "fuzz",
				    .notes = &notes };
	if (data[0] & 16) {
		s.fixups = fixups;
		s.fixup_count = COUNT_OF(fixups);
	}
	if (data[0] & 8)
		check_hdr(&s);
	else
		check_frames(&s);
	notes_release(&notes);
	return 0;
}
