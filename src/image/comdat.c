/* Lists COMDAT groups of ELF objects. */
#include "image/comdat.h"

#include "image/elf/elf_const.h"

/* Returns the signature of a group: the name of the symbol `info` of the symbol table `link`, or of
 * the section of an unnamed symbol. */
static struct str comdat_signature(const struct image *im, const struct section *group)
{
	struct symtab t;
	if (group->link == 0 || group->link >= im->section_count ||
	    !symtab_open(&t, im, &im->sections[group->link]) || group->info >= t.count)
		return STR("");
	const struct symbol s = symtab_get(&t, group->info);
	const bool named = s.name.len > 0 || s.section >= im->section_count;
	return named ? s.name : im->sections[s.section].name;
}

static bool comdat_read(const struct image *im, const struct section *s, struct comdat *ret)
{
	enum { GRP_COMDAT = 1 };
	const struct str once = STR(".gnu.linkonce.");
	*ret = (struct comdat){ .off = s->off };
	if (s->type == SHT_PROGBITS && str_starts(s->name, once)) {
		ret->name = s->name;
		ret->size = s->file_size;
		return true;
	}
	if (s->type != SHT_GROUP)
		return false;
	struct reader r = reader_of(section_bytes(im, s), im->big_endian);
	const bool comdat = (read_u32(&r) & GRP_COMDAT) != 0;
	while (comdat && reader_left(&r) >= 4) {
		const uint32_t member = read_u32(&r);
		if (member < im->section_count)
			ret->size = add_sat(ret->size, im->sections[member].file_size);
	}
	ret->name = comdat_signature(im, s);
	return comdat && ret->name.len > 0;
}

bool comdat_next(const struct image *im, size_t *at, struct comdat *ret)
{
	ASSERT(*at > 0);
	while (im->kind == IMAGE_OBJECT && *at < im->section_count)
		if (comdat_read(im, &im->sections[(*at)++], ret))
			return true;
	return false;
}
