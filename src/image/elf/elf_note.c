/* Reads the records of notes, and finds the GNU build id in them. */
#include "image/elf/elf_note.h"

#include "image/elf/elf_const.h"

bool elf_note_next(struct reader *r, uint64_t align, struct elf_note *ret)
{
	const uint64_t pad = align == 8 ? 8 : 4;
	if (reader_left(r) < 12)
		return false;
	const uint32_t name_size = read_u32(r);
	const uint32_t desc_size = read_u32(r);
	const uint32_t type = read_u32(r);
	const uint8_t *name = read_take(r, name_size);
	reader_seek(r, align_up(r->pos, pad));
	const uint8_t *desc = read_take(r, desc_size);
	if (!name || !desc)
		return false;
	const char *text = (const char *)name;
	*ret = (struct elf_note){ { text, strnlen(text, name_size) }, type, { desc, desc_size } };
	r->pos = min_u64(align_up(r->pos, pad), r->size);
	return true;
}

bool elf_find_build_id(struct bytes notes, uint64_t align, bool big_endian, struct bytes *ret)
{
	struct reader r = reader_of(notes, big_endian);
	struct elf_note n;
	while (elf_note_next(&r, align, &n)) {
		if (n.type == NT_GNU_BUILD_ID && str_eq(n.owner, STR("GNU")) && n.desc.size > 0) {
			*ret = n.desc;
			return true;
		}
	}
	return false;
}
