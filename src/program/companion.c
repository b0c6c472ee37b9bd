#include "program/companion.h"

#include "image/elf_const.h"
#include "program/debuginfo.h"
#include "program/go_symbols.h"

static bool find_file(struct companion *c, const struct image *im, const struct program_wish *wish,
		      struct notes *notes)
{
	const struct debug_search how = wish_search(wish);
	char *path = debugfile_find(im, &how, notes);
	struct heft_err err;
	if (!path)
		return false;
	c->open = input_open(&c->input, path, notes, &err);
	if (!c->open)
		note(notes, im->path, HEFT_NO_OFFSET, 0, "debug file not used: %s", err.text);
	mem_free(path);
	return c->open;
}

/* What the image has in itself. */
static bool find_inside(struct companion *c, const struct image *im, struct notes *notes)
{
	return debugdata_open(im, &c->input, &c->owned) || go_symbols_open(im, &c->input, notes);
}

bool companion_find(struct companion *c, const struct image *im, const struct program_wish *wish,
		    bool dwarf, struct notes *notes)
{
	const bool symbols = image_section_type(im, SHT_SYMTAB, 1) != NULL;
	if (im->kind != IMAGE_EXEC || (symbols && (!dwarf || debuginfo_present(im))))
		return false;
	c->inside = !(wish_finds_debug(wish) && find_file(c, im, wish, notes));
	if (c->inside && !symbols)
		c->open = find_inside(c, im, notes);
	return c->open;
}

void companion_close(struct companion *c)
{
	if (c->open)
		input_close(&c->input);
	mem_free(c->owned);
	memset(c, 0, sizeof *c);
}
