/* Finds what an image lacks: its separate debug file, or symbols in another form. */
#include "program/companion.h"

#include "image/elf/elf_const.h"
#include "program/companion_forms.h"
#include "program/debuginfo.h"

/* Opens the file at `path`, which it frees in any case. */
static bool companion_take(struct companion *c, const struct image *im, char *path,
			   struct notes *notes,
			   bool (*open)(const struct image *im, const char *path, struct input *in,
					struct notes *notes, struct heft_err *err))
{
	struct heft_err err;
	if (!path)
		return false;
	ASSERT(!c->open);
	c->open = open(im, path, &c->input, notes, &err);
	if (!c->open && note_is_first(notes, path, HEFT_NO_OFFSET))
		note(notes, im->path, HEFT_NO_OFFSET, 0, "debug file not used: %s", err.text);
	mem_free(path);
	return c->open;
}

static bool companion_open_object(const struct image *im, const char *path, struct input *in,
				  struct notes *notes, struct heft_err *err)
{
	(void)im;
	return input_open(in, path, USE_DEBUG_FILE, notes, err);
}

/* Opens symbols inside the image. */
static bool find_inside(struct companion *c, const struct image *im, unsigned go_parts,
			struct go_slot *go, struct notes *notes)
{
	const struct go_table *table;
	if ((go_parts & GO_SYMBOLS) &&
	    (debugdata_open(im, &c->input, &c->owned) || kernel_symbols_open(im, &c->input, notes)))
		return true;
	table = go ? go_slot_open(go, im, notes) : NULL;
	if (table)
		go_symbols_open(im, table, go_parts, &c->input, &c->owned, notes);
	return table != NULL;
}

bool companion_find(struct companion *c, const struct image *im, const struct program_wish *wish,
		    bool dwarf, struct go_slot *go, struct notes *notes)
{
	const bool symbols = image_symbols_name_places(im);
	/* If a program has a separate debug file, the DWARF inside the program describes only a few
	 * libraries. */
	const bool all = debuginfo_present(im) && im->debug_name.len == 0;
	if (im->kind != IMAGE_EXEC || (symbols && (!dwarf || all)))
		return false;
	const unsigned parts = (symbols ? 0 : GO_SYMBOLS) |
			       (dwarf && !debuginfo_present(im) ? GO_LINES : 0);
	const struct debug_search how = wish_search(wish);
	ASSERT(!c->open);
	c->inside =
		!(wish_finds_debug(wish) &&
		  (companion_take(c, im, debugfile_find(im, &how, notes), notes,
				  companion_open_object) ||
		   companion_take(c, im, pdb_file_find(im, &how, notes), notes, pdb_file_open))) &&
		!(dwarf &&
		  companion_take(c, im, source_map_find(im, wish, notes), notes, source_map_open));
	if (c->inside && (parts & GO_LINES) && go && wish_finds_debug(wish))
		c->open = debug_map_open(im, wish, &c->input, notes);
	if (c->inside && !c->open && parts != 0)
		c->open = find_inside(c, im, parts, go, notes);
	return c->open;
}

bool companion_lacks_lines(const struct companion *c)
{
	return c->open && c->inside && !debuginfo_present(companion_image(c));
}

void companion_close(struct companion *c)
{
	if (c->open)
		input_close(&c->input);
	mem_free(c->owned);
	memset(c, 0, sizeof *c);
}

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
		if (!s.alloc) /* A companion has no debug info of its image */
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
