/* Makes images that serve as the separate debug file of a program. */
#include "program/made_image.h"

#include "image/elf/elf_const.h"

void made_image_begin(struct image_build *b, struct image *ret, const struct image *im,
		      const char *path, struct notes *notes)
{
	const struct image_place at = { .path = path, .member = im->member };
	ASSERT(ret != im);
	build_init(b, ret, &at, im->bytes, notes);
	build_as(b, im);
	for (size_t i = 1; i < im->section_count; i++) {
		struct section s = im->sections[i];
		s.type = SHT_NOBITS;
		s.file_size = s.off = 0;
		s.link = s.info = 0;
		s.compressed = s.again = false;
		if (!s.alloc) /* The companion has no debug info of its own. */
			s.name = STR("");
		build_section(b, &s);
	}
}

void made_image_add(struct image_build *b, struct text *bytes, struct str name,
		    const struct text *contents)
{
	const struct section s = {
		.name = name, .type = SHT_PROGBITS, .off = bytes->len, .file_size = contents->len
	};
	text_add(bytes, text_str(contents));
	b->im->bytes = (struct bytes){ (const uint8_t *)bytes->p, bytes->len };
	build_section(b, &s);
}

void made_image_add_dwarf(struct image_build *b, struct text *bytes, const struct dwarf_made *d)
{
	made_image_add(b, bytes, STR(".debug_info"), &d->info);
	made_image_add(b, bytes, STR(".debug_abbrev"), &d->abbrev);
	made_image_add(b, bytes, STR(".debug_line"), &d->line);
	made_image_add(b, bytes, STR(".debug_ranges"), &d->ranges);
}
