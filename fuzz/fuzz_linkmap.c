/* Input: a linker's map, of whichever linker its first lines name.  What linkmap.h promises
 * holds. */
#include "linkmap/linkmap.h"

static void check_text(const struct linkmap *lm, uint64_t off, uint32_t len)
{
	ASSERT(off <= lm->bytes.size && len <= lm->bytes.size - off);
}

static void check_piece(const struct linkmap *lm, const struct linkmap_piece *p)
{
	check_text(lm, p->name_off, p->name_len);
	ASSERT(p->object == LINKMAP_NONE || p->object < lm->objects.entries.count);
	ASSERT(p->kind <= LINKMAP_FILL);
	ASSERT(p->align_log2 < 64 || p->align_log2 == LINKMAP_NO_ALIGN);
}

/* In order, within the section, none over another. */
static void check_section(const struct linkmap *lm, uint32_t index)
{
	const struct linkmap_section *s = &lm->sections.data[index];
	uint64_t end = s->addr, before = 0;
	check_text(lm, s->name.off, s->name.len);
	check_text(lm, s->segment.off, s->segment.len);
	ASSERT(s->size <= UINT64_MAX - s->addr);
	for (uint32_t i = 0; i < s->piece_count; i++) {
		const struct linkmap_piece *p = &lm->pieces.data[s->first_piece + i];
		check_piece(lm, p);
		ASSERT(p->section == index && p->addr >= before);
		before = p->addr;
		if (p->size == 0)
			continue;
		ASSERT(p->addr >= end && p->size <= s->addr + s->size - p->addr);
		end = p->addr + p->size;
	}
}

static void check_symbols(const struct linkmap *lm)
{
	for (size_t i = 0; i < lm->symbols.count; i++) {
		const struct linkmap_symbol *s = &lm->symbols.data[i];
		check_text(lm, s->name_off, s->name_len);
		ASSERT(s->piece < lm->pieces.count || s->piece == LINKMAP_NONE);
		ASSERT(s->size <= UINT64_MAX - s->addr);
		ASSERT(i == 0 || s[-1].piece <= s->piece);
	}
}

static void check_map(const struct linkmap *lm)
{
	uint32_t next = 0;
	for (uint32_t i = 0; i < lm->sections.count; i++) {
		ASSERT(lm->sections.data[i].first_piece == next);
		check_section(lm, i);
		next += lm->sections.data[i].piece_count;
	}
	ASSERT(next == lm->pieces.count);
	check_symbols(lm);
	for (size_t i = 0; i < lm->commons.count; i++)
		check_text(lm, lm->commons.data[i].name.off, lm->commons.data[i].name.len);
	for (size_t i = 0; i < lm->discarded.count; i++) {
		check_piece(lm, &lm->discarded.data[i]);
		ASSERT(lm->discarded.data[i].section == LINKMAP_NONE);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct linkmap lm;
	struct notes notes;
	struct heft_err err = { 0 };
	notes_init(&notes);
	if (linkmap_parse(&lm, "fuzz", (struct bytes){ data, size }, &notes, &err)) {
		check_map(&lm);
		linkmap_release(&lm);
	} else {
		ASSERT(err.code == HEFT_EFORMAT || err.code == HEFT_EUNSUPPORTED);
		ASSERT(memcmp(err.text, "fuzz", 4) == 0);
	}
	notes_release(&notes);
	return 0;
}
