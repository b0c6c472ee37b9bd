#include "program/wish.h"

void wish_release(struct program_wish *w)
{
	vec_release(&w->debug_files);
	vec_release(&w->debug_dirs);
	vec_release(&w->maps);
	vec_release(&w->programs);
	paths_release(&w->paths);
	arena_release(&w->arena);
	memset(w, 0, sizeof *w);
}

static const char *keep(struct program_wish *w, const char *text)
{
	return arena_copy(&w->arena, str_of(text));
}

void wish_add_debug_file(struct program_wish *w, const char *path)
{
	vec_push(&w->debug_files, keep(w, path));
}

/* In front of the sysroot's. */
void wish_add_debug_dir(struct program_wish *w, const char *dir)
{
	vec_push(&w->debug_dirs, keep(w, dir));
	if (!w->sysroot)
		return;
	const char **dirs = w->debug_dirs.data;
	const size_t last = w->debug_dirs.count - 1;
	const char *added = dirs[last];
	dirs[last] = dirs[last - 1];
	dirs[last - 1] = added;
}

void wish_add_map(struct program_wish *w, const char *path)
{
	vec_push(&w->maps, keep(w, path));
}

void wish_add_program(struct program_wish *w, const char *path)
{
	vec_push(&w->programs, keep(w, path));
}

void wish_set_sysroot(struct program_wish *w, const char *dir)
{
	if (w->sysroot)
		w->debug_dirs.count--;
	w->sysroot = dir ? keep(w, dir) : NULL;
	if (w->sysroot)
		vec_push(&w->debug_dirs, arena_format(&w->arena, "%s/usr/lib/debug", w->sysroot));
}

void wish_copy(struct program_wish *w, const struct program_wish *from)
{
	wish_release(w);
	for (size_t i = 0; i < from->debug_files.count; i++)
		wish_add_debug_file(w, from->debug_files.data[i]);
	for (size_t i = 0; i + !!from->sysroot < from->debug_dirs.count; i++)
		wish_add_debug_dir(w, from->debug_dirs.data[i]);
	for (size_t i = 0; i < from->maps.count; i++)
		wish_add_map(w, from->maps.data[i]);
	for (size_t i = 0; i < from->programs.count; i++)
		wish_add_program(w, from->programs.data[i]);
	wish_set_sysroot(w, from->sysroot);
	w->flags = from->flags;
	paths_copy(&w->paths, &from->paths);
}
