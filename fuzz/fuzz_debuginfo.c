/* An ELF file's debug sections, unpacked and relocated: what debuginfo.h promises of any file. */
#include "program/debuginfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_windows(const struct debuginfo *d)
{
	uint64_t end = DEBUGINFO_FIRST - 1, vm;
	for (size_t i = 0; i < d->windows.count; i++) {
		const struct debuginfo_window *w = &d->windows.data[i];
		ASSERT(w->addr > end && w->size <= UINT64_MAX - w->addr);
		end = w->addr + w->size;
		ASSERT(debuginfo_addr(d, w->addr, &vm) && vm == w->vm);
		ASSERT(debuginfo_addr(d, end, &vm) && vm == w->vm + w->size);
		ASSERT(!debuginfo_addr(d, end + 1, &vm));
	}
}

static void check_parts(struct debuginfo *d)
{
	uint64_t at[DW_SECTIONS] = { 0 };
	for (size_t i = 0; i < d->parts.count; i++) {
		const struct debuginfo_part *p = &d->parts.data[i];
		ASSERT(i == 0 || d->parts.data[i - 1].which <= p->which);
		ASSERT(p->off == at[p->which]);
		at[p->which] += p->size;
	}
	for (int i = 0; i < DW_SECTIONS; i++) {
		ASSERT(at[i] == d->dwarf.size[i]);
		const struct bytes b = dwarf_bytes(&d->dwarf, (enum dw_section)i);
		ASSERT(b.size == at[i] || b.size == 0);
	}
}

enum { LOOK = 1 << 20 }; /* bytes, for a small file may unpack to a large section */

/* The same bytes in one pass. */
static void check_pass(struct dwarf *d, enum dw_section which)
{
	uint64_t sum = 0, again = 0;
	const struct bytes whole = dwarf_bytes(d, which);
	for (uint64_t i = 0; i < min_u64(whole.size, LOOK); i++)
		sum += whole.p[i];
	dwarf_pass_begin(d, which);
	for (uint64_t i = 0; i < min_u64(d->bytes[which].size, LOOK); i += 512) {
		const uint64_t end = min_u64(i + 512, d->bytes[which].size);
		dwarf_pass(d, which, i, end);
		for (uint64_t k = i; k < min_u64(end, d->bytes[which].size); k++)
			again += d->bytes[which].p[k];
	}
	dwarf_pass_end(d, which);
	ASSERT(sum == again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in;
	struct notes notes;
	struct debuginfo d;
	notes_init(&notes);
	if (input_parse(&in, "fuzz", (struct bytes){ data, size }, &notes, NULL)) {
		for (size_t i = 0; i < in.image_count; i++) {
			debuginfo_open(&d, &in.images[i], NULL, &notes);
			(void)debuginfo_present(&in.images[i]);
			check_windows(&d);
			check_parts(&d);
			for (int k = 0; k < DW_SECTIONS; k++)
				check_pass(&d.dwarf, (enum dw_section)k);
			debuginfo_close(&d);
		}
		input_close(&in);
	}
	notes_release(&notes);
	return 0;
}
