/* Where the parts of programs are: heft_finder_*. */
#include "api/finder.h"

struct heft_finder *heft_finder_new(void)
{
	return mem_zeroed(1, sizeof(struct heft_finder));
}

void heft_finder_free(struct heft_finder *f)
{
	if (!f)
		return;
	wish_release(&f->wish);
	mem_free(f);
}

void heft_finder_add_debug_file(struct heft_finder *f, const char *path)
{
	wish_add_debug_file(&f->wish, path);
}

void heft_finder_add_debug_dir(struct heft_finder *f, const char *dir)
{
	wish_add_debug_dir(&f->wish, dir);
}

void heft_finder_add_map(struct heft_finder *f, const char *path)
{
	wish_add_map(&f->wish, path);
}

void heft_finder_set_sysroot(struct heft_finder *f, const char *dir)
{
	wish_set_sysroot(&f->wish, dir);
}

void heft_finder_add_program(struct heft_finder *f, const char *path)
{
	wish_add_program(&f->wish, path);
}

void heft_finder_set_flags(struct heft_finder *f, unsigned flags)
{
	f->wish.flags = flags;
}

unsigned heft_finder_flags(const struct heft_finder *f)
{
	return f->wish.flags;
}

bool heft_finder_map_path(struct heft_finder *f, const char *from, const char *to,
			  struct heft_err *err)
{
	return paths_add_map(&f->wish.paths, str_of(from), str_of(to), err);
}

bool heft_finder_strip_prefix(struct heft_finder *f, const char *prefix, struct heft_err *err)
{
	return paths_add_strip(&f->wish.paths, str_of(prefix), err);
}
