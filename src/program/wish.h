/* wish.h - what the user says of where the parts of programs are: the inside of struct heft_finder.
 *
 * Every opener takes one wish.  A zeroed struct wishes nothing.  All texts belong to the wish.
 * Read-only once made: any number of threads. */
#ifndef HEFT_PROGRAM_WISH_H
#define HEFT_PROGRAM_WISH_H

#include "base/arena.h"
#include "heap/dump.h"
#include "image/debugfile.h"
#include "image/region.h"
#include "map/paths.h"

/* A source map, and the URL or the path of the module that it is of. */
struct wished_source_map {
	const char *id, *path;
};

struct program_wish {
	struct arena arena;
	VEC(const char *) debug_files; /* given by hand */
	VEC(const char *) debug_dirs;  /* the last one is the sysroot's, if there is a sysroot */
	VEC(const char *) maps;
	VEC(struct wished_source_map) source_maps;
	VEC(const char *) programs;    /* of dumps */
	struct memory_regions regions; /* given by hand */
	VEC(const char *) stack_usage; /* .su files, and folders that have some */
	const char *calls;             /* what code does not say of calls, for stacks; or NULL */
	const char *sysroot;           /* or NULL */
	unsigned flags;                /* enum heft_find_flag */
	const char *arch;              /* slice of universal files; NULL: all */
	struct paths paths;
	struct file_inputs inputs; /* names that are no files */
	VEC(struct dump_piece) pieces;
	struct dump_wish dump; /* of images of memory; its pieces are those above */
};

void wish_release(struct program_wish *w);
/* Makes *w a copy of `from`; what it had is released.  Its inputs are those of the thread's domain
 * from then on. */
void wish_copy(struct program_wish *w, const struct program_wish *from);

void wish_add_debug_file(struct program_wish *w, const char *path);
void wish_add_debug_dir(struct program_wish *w, const char *dir);
void wish_add_source_map(struct program_wish *w, const char *id, const char *path);
void wish_add_map(struct program_wish *w, const char *path);
/* HEFT_EARG where the region is empty, wraps or is one too many. */
bool wish_add_region(struct program_wish *w, const char *name, uint64_t origin, uint64_t length,
		     struct heft_err *err);
void wish_add_stack_usage(struct program_wish *w, const char *path);
void wish_set_calls(struct program_wish *w, const char *path);
void wish_add_program(struct program_wish *w, const char *path);
void wish_set_sysroot(struct program_wish *w, const char *dir);
void wish_set_arch(struct program_wish *w, const char *arch);
/* Where a part of an image of memory lay; `path` NULL: of the dump itself. */
void wish_add_piece(struct program_wish *w, const char *path, uint64_t addr, uint64_t off);
/* HEFT_EARG for a name that is there already. */
bool wish_add_input(struct program_wish *w, const struct heft_input *in, struct heft_err *err);

/* Whether debug files, or linker maps, are looked for that the user did not name. */
static inline bool wish_finds_debug(const struct program_wish *w)
{
	return !(w->flags & HEFT_FIND_NO_DEBUG);
}

static inline bool wish_finds_map(const struct program_wish *w)
{
	return !(w->flags & HEFT_FIND_NO_MAP);
}

/* The directories of debug files and those given by hand, for image/debugfile.h.  Borrowed from the
 * wish. */
static inline struct debug_search wish_search(const struct program_wish *w)
{
	return (struct debug_search){ .dirs = w->debug_dirs.data,
				      .dir_count = w->debug_dirs.count,
				      .debuginfod = true,
				      .sysroot = w->sysroot,
				      .files = w->debug_files.data,
				      .file_count = w->debug_files.count };
}

#endif
