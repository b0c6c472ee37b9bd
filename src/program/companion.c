/* Finds the companion of an image: its separate debug file, or symbols that the image holds in
 * another form. */
#include "program/companion.h"

#include "image/elf/elf_const.h"
#include "program/debug_map.h"
#include "program/debuginfo.h"
#include "program/go_symbols.h"
#include "program/kernel_symbols.h"
#include "program/pdb_file.h"
#include "program/source_map_file.h"

/* Opens the file that was found. Frees `path` in any case. */
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

/* Opens what the image holds itself. */
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
	/* If a program names a debug file, its own DWARF covers only a few libraries. */
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
