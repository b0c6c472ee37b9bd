/* Debug information of programs, for servers that name addresses: heft_debug_info_write. */
#include "image/debugfile.h"
#include "image/elf/elf_append.h"
#include "program/debuginfo.h"

#include "heft.h"

static bool is_build(const struct input *in, const char *build_id)
{
	struct arena a = { 0 };
	const bool same = !in->archive && in->image_count == 1 &&
			  strcmp(build_id_text(&a, in->images[0].build_id), build_id) == 0;
	arena_release(&a);
	return same;
}

/* That of the separate debug file, if the program has none of its own. */
static bool write_best(const struct image *im, const struct heft_sink *sink, struct heft_err *err)
{
	const struct debug_search how = { .dirs = NULL };
	struct input debug;
	char *path = debuginfo_present(im) ? NULL : debugfile_find(im, &how, NULL);
	const bool apart = path && input_open(&debug, path, NULL, err);
	const struct image *best = apart && debug.image_count == 1 ? &debug.images[0] : im;
	const bool good = debuginfo_present(best) || image_symbols(best)
				  ? elf_write_debug(best, sink, err)
				  : fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET,
					 "%s: has neither symbols nor debug info", im->path);
	if (apart)
		input_close(&debug);
	mem_free(path);
	return good;
}

static bool debug_info_write(const char *path, const char *build_id, const struct heft_sink *sink,
			     struct heft_err *err)
{
	struct input in;
	if (!input_open(&in, path, NULL, err))
		return false;
	const bool good = is_build(&in, build_id) ? write_best(&in.images[0], sink, err)
						  : fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET,
							 "%s: has another build id", path);
	input_close(&in);
	return good;
}

bool heft_debug_info_write(const char *path, const char *build_id, const struct heft_sink *sink,
			   struct heft_err *err)
{
	return GUARDED_ALONE(err, debug_info_write(path, build_id, sink, err));
}
