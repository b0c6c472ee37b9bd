/* An index of a package: what package.h promises of every index that opens.  The first byte
 * chooses the byte order. */
#include "debug/package.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The unit's bytes lie in the package, which is as long as the input. */
static void check_unit(struct dwarf *whole, const struct package_unit *u,
		       const struct package_index *p)
{
	struct package_dwarf one;
	ASSERT(u->row < p->units);
	package_dwarf_init(&one, whole, u);
	for (int i = 0; i < DW_SECTIONS; i++) {
		const enum dw_section in = (enum dw_section)i;
		const struct bytes b = dwarf_bytes(&one.dwarf, in), all = dwarf_bytes(whole, in);
		ASSERT(b.size == one.dwarf.size[i] && b.size <= all.size);
		ASSERT(b.size == 0 || (b.p >= all.p && b.p + b.size <= all.p + all.size));
	}
}

static void check_index(struct dwarf *whole, const struct package_index *p)
{
	struct package_unit u, found;
	uint64_t signature;
	uint32_t units = 0;
	for (uint32_t i = 0; i < p->slots; i++) {
		if (!package_slot(p, i, &signature, &u))
			continue;
		if (units++ < 64)
			check_unit(whole, &u, p);
		if (package_find(p, signature, &found))
			ASSERT(found.row < p->units);
	}
	(void)package_find(p, 0, &u);
	(void)package_find(p, UINT64_MAX, &u);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct notes notes;
	struct package_index p;
	if (size == 0)
		return 0;
	notes_init(&notes);
	struct dwarf d = { .path = "fuzz", .big_endian = data[0] & 1, .notes = &notes };
	for (int i = 0; i < DW_SECTIONS; i++) {
		d.bytes[i] = (struct bytes){ data + 1, size - 1 };
		d.size[i] = size - 1;
	}
	if (package_open(&p, &d, DW_CU_INDEX))
		check_index(&d, &p);
	notes_release(&notes);
	return 0;
}
