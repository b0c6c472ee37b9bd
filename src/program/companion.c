#include "program/companion.h"

#include "image/elf_const.h"
#include "program/debuginfo.h"

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

bool companion_find(struct companion *c, const struct image *im, const struct program_wish *wish,
		    bool dwarf, struct notes *notes)
{
	const bool symbols = image_section_type(im, SHT_SYMTAB, 1) != NULL;
	if (!wish_finds_debug(wish) || im->kind != IMAGE_EXEC ||
	    (symbols && (!dwarf || debuginfo_present(im))))
		return false;
	if (!find_file(c, im, wish, notes) && !symbols)
		c->open = debugdata_open(im, &c->input, &c->owned);
	return c->open;
}

void companion_close(struct companion *c)
{
	if (c->open)
		input_close(&c->input);
	mem_free(c->owned);
	memset(c, 0, sizeof *c);
}
