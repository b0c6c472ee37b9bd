/* Maps names of sections to DWARF sections, and reads initial lengths. */
#include "debug/dwarf.h"

#define DW_SECTION_NAME(section, name) [section] = name,
static const char *const names[] = { DW_SECTION_LIST(DW_SECTION_NAME) };

const char *dw_section_name(enum dw_section which)
{
	return names[which];
}

/* Returns the name after ".debug_", without prefix and suffix of compressed or split sections. */
static struct str bare_name(struct str name)
{
	const size_t skip = str_starts(name, STR(".zdebug_")) ? sizeof ".zdebug_" - 1
							      : sizeof ".debug_" - 1;
	return str_from(name, skip);
}

bool dw_section_of(struct str name, enum dw_section *ret, bool *ret_dwo)
{
	if (str_eq(name, str_of(names[DW_GDB_INDEX]))) {
		*ret = DW_GDB_INDEX;
		*ret_dwo = false;
		return true;
	}
	if (!str_starts(name, STR(".debug_")) && !str_starts(name, STR(".zdebug_")))
		return false;
	struct str bare = bare_name(name);
	const bool dwo = str_ends(bare, STR(".dwo"));
	if (dwo)
		bare.len -= 4;
	for (size_t i = 0; i < DW_SECTIONS; i++) {
		if (i == DW_GDB_INDEX || !str_eq(bare, bare_name(str_of(names[i]))))
			continue;
		*ret = (enum dw_section)i;
		*ret_dwo = dwo;
		return true;
	}
	return false;
}

uint64_t read_initial_length(struct reader *r, uint8_t *ret_offset_size)
{
	const uint32_t length = read_u32(r);
	*ret_offset_size = length == UINT32_MAX ? 8 : 4;
	if (length < 0xfffffff0)
		return length;
	if (length == UINT32_MAX)
		return read_u64(r);
	reader_fail(r);
	return 0;
}
