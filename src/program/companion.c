#include "program/companion.h"

#include "image/elf_const.h"
#include "program/debuginfo.h"

bool companion_open(struct companion *c, const struct image *im, const char *path,
		    struct notes *notes, struct heft_err *err)
{
	if (c->open)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "%s: a second debug file", path);
	if (!input_open(&c->input, path, notes, err))
		return false;
	c->open = true;
	if (c->input.archive || !same_build_id(c->input.images[0].build_id, im->build_id))
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "%s: its build ID is not that of %s",
			    path, im->path);
	return true;
}

static bool find_file(struct companion *c, const struct image *im,
		      const struct companion_wish *wish, struct notes *notes)
{
	const struct debug_search how = { wish->dirs, wish->dir_count, true };
	char *path = debugfile_find(im, &how, notes);
	struct heft_err err;
	if (!path)
		return false;
	c->open = input_open(&c->input, path, notes, &err);
	if (!c->open)
		note(notes, im->path, HEFT_NO_OFFSET, 0, "debug file not used: %s", err.text);
	free(path);
	return c->open;
}

bool companion_find(struct companion *c, const struct image *im, const struct companion_wish *wish,
		    struct notes *notes)
{
	const bool symbols = image_section_type(im, SHT_SYMTAB, 1) != NULL;
	if (im->kind != IMAGE_EXEC || (symbols && (!wish->dwarf || debuginfo_present(im))))
		return false;
	if (!find_file(c, im, wish, notes) && !symbols)
		c->open = debugdata_open(im, &c->input, &c->owned);
	return c->open;
}

void companion_close(struct companion *c)
{
	if (c->open)
		input_close(&c->input);
	free(c->owned);
	memset(c, 0, sizeof *c);
}
