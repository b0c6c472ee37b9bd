/* Implements heft_finder_*: options that locate the parts of programs. */
#include "api/structs.h"
#include "program/session.h"

void heft_finder_add_debug_file(struct heft_finder *f, const char *path)
{
	GUARDED_VOID(f->memory, wish_add(&f->wish, &f->wish.debug_files, path));
}

void heft_finder_add_debug_dir(struct heft_finder *f, const char *dir)
{
	GUARDED_VOID(f->memory, wish_add_debug_dir(&f->wish, dir));
}

void heft_finder_add_map(struct heft_finder *f, const char *path)
{
	GUARDED_VOID(f->memory, wish_add(&f->wish, &f->wish.maps, path));
}

bool heft_finder_add_region(struct heft_finder *f, const char *name, uint64_t origin,
			    uint64_t length, struct heft_err *err)
{
	return GUARDED(f->memory, err, wish_add_region(&f->wish, name, origin, length, err));
}

void heft_finder_add_stack_usage(struct heft_finder *f, const char *path)
{
	GUARDED_VOID(f->memory, wish_add(&f->wish, &f->wish.stack_usage, path));
}

void heft_finder_set_calls(struct heft_finder *f, const char *path)
{
	GUARDED_VOID(f->memory, wish_set_calls(&f->wish, path));
}

void heft_finder_add_source_map(struct heft_finder *f, const char *id, const char *path)
{
	GUARDED_VOID(f->memory, wish_add_source_map(&f->wish, id, path));
}

void heft_finder_set_sysroot(struct heft_finder *f, const char *dir)
{
	GUARDED_VOID(f->memory, wish_set_sysroot(&f->wish, dir));
}

void heft_finder_set_arch(struct heft_finder *f, const char *arch)
{
	GUARDED_VOID(f->memory, wish_set_arch(&f->wish, arch));
}

void heft_finder_add_program(struct heft_finder *f, const char *path)
{
	GUARDED_VOID(f->memory, wish_add(&f->wish, &f->wish.programs, path));
}

void heft_finder_set_base(struct heft_finder *f, uint64_t addr)
{
	GUARDED_VOID(f->memory, wish_add_piece(&f->wish, NULL, addr, 0));
}

void heft_finder_add_piece(struct heft_finder *f, const char *path, uint64_t addr, uint64_t off)
{
	GUARDED_VOID(f->memory, wish_add_piece(&f->wish, path, addr, off));
}

void heft_finder_set_load(struct heft_finder *f, uint64_t addr)
{
	f->wish.dump.load = addr;
}

void heft_finder_set_word(struct heft_finder *f, unsigned bytes)
{
	f->wish.dump.word = (uint8_t)bytes;
}

void heft_finder_set_byte_order(struct heft_finder *f, enum heft_byte_order order)
{
	f->wish.dump.order = order == HEFT_BIG_ENDIAN ? DUMP_BIG : DUMP_LITTLE;
}

void heft_finder_set_flags(struct heft_finder *f, unsigned flags)
{
	f->wish.flags = flags;
}

unsigned heft_finder_flags(const struct heft_finder *f)
{
	return f->wish.flags;
}

bool heft_finder_add_input(struct heft_finder *f, const struct heft_input *in, struct heft_err *err)
{
	struct heft_input own = { .fd = -1 };
	if (!TAKE(heft_input, &own, in, err))
		return false;
	return GUARDED(f->memory, err, wish_add_input(&f->wish, &own, err));
}

bool heft_finder_map_path(struct heft_finder *f, const char *from, const char *to,
			  struct heft_err *err)
{
	return GUARDED(f->memory, err,
		       paths_add_map(&f->wish.paths, str_of(from), str_of(to), err));
}

bool heft_finder_strip_prefix(struct heft_finder *f, const char *prefix, struct heft_err *err)
{
	return GUARDED(f->memory, err, paths_add_strip(&f->wish.paths, str_of(prefix), err));
}
