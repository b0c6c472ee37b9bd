/* Tables about code that are no data of any function: the Linux kernel's ORC unwind tables.
 *
 * .orc_unwind_ip holds a place-relative address of 4 bytes an entry, .orc_unwind an entry of 6
 * bytes each (Linux, Documentation/arch/x86/orc-unwinder). */
#include "source/attr/attr.h"

enum { ORC_IP = 4, ORC_ENTRY = 6 };

static const struct section *table(const struct image *im, const char *name)
{
	const struct section *s = image_section_find(im, name);
	return s && s->alloc && !s->nobits ? s : NULL;
}

/* In objects the addresses are relocations, whose pass has given the places to the code. */
static label_id owner_of_entry(const struct attr *a, const struct section *ips, uint64_t i,
			       int32_t distance, struct span_cursor *cursor)
{
	const uint64_t place = ips->addr + i * ORC_IP;
	const label_id known = cursor_label(cursor, place);
	return known != LABEL_NONE ? known
				   : spans_label(&a->vm, place + (uint64_t)(int64_t)distance);
}

void attr_code_tables(struct attr *a)
{
	const struct section *ips = table(a->im, ".orc_unwind_ip");
	const struct section *entries = table(a->im, ".orc_unwind");
	struct span_cursor cursor = { &a->vm, 0 };
	if (!ips || !entries || ips->file_size / ORC_IP != entries->file_size / ORC_ENTRY)
		return;
	struct attr second = attr_partner(a); /* its claims stay in order behind those of a */
	struct reader r = reader_of(section_bytes(a->im, ips), a->im->big_endian);
	for (uint64_t i = 0; reader_left(&r) >= ORC_IP; i++) {
		const label_id owner = owner_of_entry(a, ips, i, read_i32(&r), &cursor);
		attr_put(a, ips, i * ORC_IP, ORC_IP, owner, WHY_UNWIND);
		attr_put(&second, entries, i * ORC_ENTRY, ORC_ENTRY, owner, WHY_UNWIND);
	}
	claims_append(&a->vm_claims, &second.vm_claims);
}
