/* Claims records of note sections that have a name or describe a function: by symbol.
 *
 * .note.stapsdt: probes of SystemTap. A record has the addresses of the probe, of .stapsdt.base and
 * of its semaphore, then provider, name and arguments, each NUL-terminated (SystemTap's wiki,
 * "UserSpaceProbeImplementation"). .gnu.build.attributes: compiler options of a function, or of a
 * range of code. The description is the start and end of the range, and empty means the previous
 * range (Fedora's wiki, "Toolchain/Watermark"). .MIPS.options: a record of kind and size for each
 * object that was linked, without its name: which registers the object uses (MIPS ABI supplement,
 * "Register information"). */
#include "attr/attr.h"

#include "image/elf/elf_note.h"

enum { NT_STAPSDT = 3, NT_BUILD_OPEN = 0x100, NT_BUILD_FUNC = 0x101 };

/* Returns the owner of a whole range. LABEL_NONE if the range has several owners. */
static label_id range_owner(const struct attr *a, struct bytes desc)
{
	const unsigned width = (unsigned)(desc.size / 2);
	struct reader r = reader_of(desc, a->im->big_endian);
	if (width != 4 && width != 8)
		return LABEL_NONE;
	const uint64_t start = read_uint(&r, width), end = read_uint(&r, width);
	const label_id owner = spans_label(&a->vm, start);
	return end > start && spans_label(&a->vm, end - 1) == owner ? owner : LABEL_NONE;
}

static void probes(struct attr *a, const struct section *s)
{
	struct reader r = reader_of(section_bytes(a->im, s), a->im->big_endian);
	struct elf_note n;
	for (uint64_t at = 0; elf_note_next(&r, s->align, &n); at = r.pos) {
		if (n.type != NT_STAPSDT || !str_eq(n.owner, STR("stapsdt")))
			continue;
		struct reader probe = reader_of(n.desc, a->im->big_endian);
		read_skip(&probe, 3 * pointer_size(a->im));
		const struct str provider = read_cstr(&probe), name = read_cstr(&probe);
		if (reader_ok(&probe))
			attr_put(a, s, at, r.pos - at,
				 label_format(a->f->labels, "(probe " STR_FMT ":" STR_FMT ")",
					      STR_ARG(provider), STR_ARG(name)),
				 WHY_NAME);
	}
}

/* Records for several functions share one row. */
static void build_attributes(struct attr *a, const struct section *s)
{
	const label_id many = label_borrow(a->f->labels, STR("(build attributes)"));
	struct reader r = reader_of(section_bytes(a->im, s), a->im->big_endian);
	struct elf_note n;
	label_id open = many, function = many;
	for (uint64_t at = 0; elf_note_next(&r, s->align, &n); at = r.pos) {
		label_id *last = n.type == NT_BUILD_FUNC ? &function : &open;
		const label_id owner = range_owner(a, n.desc);
		if (n.type != NT_BUILD_OPEN && n.type != NT_BUILD_FUNC)
			continue;
		if (n.desc.size > 0)
			*last = owner != LABEL_NONE ? owner : many;
		attr_put(a, s, at, r.pos - at, *last, WHY_NAME);
	}
}

/* All register records share one row, because a record does not name its object. */
static void register_masks(struct attr *a, const struct section *s)
{
	enum { ODK_REGINFO = 1 };
	const label_id label = label_borrow(a->f->labels, STR("(register masks)"));
	struct reader r = reader_of(section_bytes(a->im, s), a->im->big_endian);
	while (reader_left(&r) >= 2) {
		const uint64_t at = r.pos;
		const uint8_t kind = read_u8(&r), size = read_u8(&r);
		if (size < 2 || reader_left(&r) < size - 2u)
			break;
		read_skip(&r, size - 2u);
		if (kind == ODK_REGINFO)
			attr_put(a, s, at, size, label, WHY_NAME);
	}
}

void attr_notes(struct attr *a)
{
	ASSERT(a->owner == BY_SYMBOL);
	for (size_t i = 1; i < a->im->section_count; i++) {
		const struct section *s = &a->im->sections[i];
		if (s->nobits)
			continue;
		if (str_eq(s->name, STR(".note.stapsdt")))
			probes(a, s);
		else if (str_starts(s->name, STR(".gnu.build.attributes")))
			build_attributes(a, s);
		else if (str_eq(s->name, STR(".MIPS.options")))
			register_masks(a, s);
	}
}
