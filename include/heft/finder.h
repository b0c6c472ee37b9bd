/* finder.h - part of heft.h: how what belongs to a program is found. */
#ifndef HEFT_H
#include "heft.h" /* which includes this file in its turn */
#elif !defined(HEFT_PART_FINDER_H)
#define HEFT_PART_FINDER_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- where the parts of a program are ---------------------------------------- */

/* Where to look for what belongs to a program: its separate debug file, its linker map, the
 * programs of a dump, its sources.  It belongs to a session (heft_session_finder), which frees
 * it.
 *
 *     struct heft_session *s = heft_session_new();
 *     if (s)
 *             heft_finder_add_debug_dir(heft_session_finder(s), "/srv/debug");
 *
 * Unless something is added, the system's places alone are looked at.  All texts are copied.  What
 * is added counts for handles that open nothing before. */
struct heft_finder;

/* Adds a separate debug file: it is used for the program that has its build id; or a file of split
 * debug info (.dwo, or a package of them), or a supplementary file of dwz; or a PDB of its GUID and
 * age; or a dSYM bundle, of which the file with the program's name is meant.  Opening fails with
 * HEFT_EARG where it belongs to no program. */
HEFT_API void heft_finder_add_debug_file(struct heft_finder *f, const char *path);
/* Adds a directory to look for debug files in, before the system's. */
HEFT_API void heft_finder_add_debug_dir(struct heft_finder *f, const char *dir);
/* Adds a linker map.  Of several, each program takes the one that agrees with most of its sections.
 * Without one, a map is used that agrees with the program and lies beside it or where IDEs put it:
 * of "fw.elf" it is "fw.elf.map" or "fw.map", each also with ".gz" behind it; see heft(1). */
HEFT_API void heft_finder_add_map(struct heft_finder *f, const char *path);
/* Adds a region of the machine's memory, [origin, origin + length), for the source "regions"; one
 * of the same name is replaced.  Without one they are those of the linker map, else runs of what is
 * loaded close together.  HEFT_EARG where the name is empty, the length is 0, the region goes
 * beyond 2^64 or there are more than 1000. */
HEFT_API bool heft_finder_add_region(struct heft_finder *f, const char *name, uint64_t origin,
				     uint64_t length, struct heft_err *err);
/* Adds a file that gcc or clang wrote by -fstack-usage (.su), or a folder, below which all of them
 * are read, for the stacks of functions.  Without one it is those that lie beside the objects which
 * the linker map names, or beside the program as "PROGRAM-*.su".  Opening a program fails where it
 * is not there. */
HEFT_API void heft_finder_add_stack_usage(struct heft_finder *f, const char *path);
/* Names a file that says what code does not say of calls, for the stacks of functions, by linkage
 * names: lines "CALLER -> CALLEE..." (all that the indirect calls of CALLER may reach; none behind
 * the arrow: nothing) and "NAME = BYTES" (the most that a function takes with all that it calls,
 * also one of another file); "#" begins a comment.  NULL: none. */
HEFT_API void heft_finder_set_calls(struct heft_finder *f, const char *path);
/* Adds a source map (version 3) and what it is of: the URL in the WebAssembly module's section
 * sourceMappingURL, or the path of the module as it is opened.  Without one, the file that the URL
 * names is used, where it lies beside the module. */
HEFT_API void heft_finder_add_source_map(struct heft_finder *f, const char *id, const char *path);
/* Names the directory that stands for the root of the machine that the programs are from: modules
 * of dumps are looked for below it first, and debug files in its usr/lib/debug.  NULL: none. */
HEFT_API void heft_finder_set_sysroot(struct heft_finder *f, const char *dir);
/* Of Mach-O universal files takes the slice for an architecture alone, as if it were a file: names
 * are those of lipo ("x86_64", "arm64").  Opening fails with HEFT_EARG where a universal file has
 * no such slice; other files are taken as they are.  NULL: all slices. */
HEFT_API void heft_finder_set_arch(struct heft_finder *f, const char *arch);
/* Adds a program or library that ran in a dump.  It stands for the module with its build id, else
 * for the one with its file name.  Where the dump knows no modules, all addresses are those of the
 * program.  Opening a dump fails with HEFT_EARG where it belongs to no module, and a profile where
 * no input is a core. */
HEFT_API void heft_finder_add_program(struct heft_finder *f, const char *path);

/* An image of memory that is no core, such as what a debugger wrote of a device, does not say where
 * it lay.  The next five settings say so; they count for nothing else.  Recorder's pages in the
 * image tell as much by themselves. */
/* The address that the image's first byte had. */
HEFT_API void heft_finder_set_base(struct heft_finder *f, uint64_t addr);
/* The address of the first byte of the first program that was added, where that program may lie
 * anywhere (a PIE). */
HEFT_API void heft_finder_set_load(struct heft_finder *f, uint64_t addr);
/* Adds a file to the image, or says where a part of the image lay, if `path` is its name: bytes
 * from position `off` on had the addresses from `addr` on. */
HEFT_API void heft_finder_add_piece(struct heft_finder *f, const char *path, uint64_t addr,
				    uint64_t off);
/* Bytes of a machine word, 4 or 8. */
HEFT_API void heft_finder_set_word(struct heft_finder *f, unsigned bytes);
/* The order of the bytes of a word. */
enum heft_byte_order { HEFT_LITTLE_ENDIAN = 1, HEFT_BIG_ENDIAN };
HEFT_API void heft_finder_set_byte_order(struct heft_finder *f, enum heft_byte_order order);

/* An input that is not the file of its name: bytes in memory, or a file that is open. */
struct heft_input {
	size_t size;      /* sizeof(struct heft_input) */
	const char *name; /* what it is called: by the caller, in messages and in reports */
	/* The bytes.  They are borrowed, not copied: they must stay as they are until the
	 * session and all handles that were made from it are freed.  NULL: the input is `fd`. */
	const void *data;
	size_t data_size; /* bytes at `data` */
	/* A descriptor of a regular file that can be read; pipes, sockets and devices are refused.
	 * All of the file counts, wherever the descriptor stands, and that stays as it is.  It is
	 * copied (dup): the caller may close his. */
	int fd;
};

/* Has a name stand for an input: where a handle of the session is told to open a file of exactly
 * this name, as a program, a dump, a debug file, a linker map, a `.size` file or anything else, it
 * takes the input.  What lies beside a file of this name, such as its debug file, is looked for as
 * if the input lay there.
 *
 *     const struct heft_input in = {
 *             .size = sizeof in, .name = "a.out", .data = p, .data_size = n
 *     };
 *     if (heft_finder_add_input(heft_session_finder(session), &in, &err))
 *             ok = heft_snapshot_open(s, "a.out", &err);
 *
 * HEFT_EARG where the name is missing, empty or taken, or the descriptor is of no regular file;
 * HEFT_EFORMAT where there are no bytes; HEFT_EIO where the descriptor cannot be used. */
HEFT_API bool heft_finder_add_input(struct heft_finder *f, const struct heft_input *in,
				    struct heft_err *err);

/* What is not looked for unasked. */
enum heft_find_flag {
	HEFT_FIND_NO_DEBUG = 1 << 0, /* debug files that were not added */
	HEFT_FIND_NO_MAP = 1 << 1,   /* linker maps that were not added */
};
/* Replaces all flags (bits of enum heft_find_flag; 0 at first). */
HEFT_API void heft_finder_set_flags(struct heft_finder *f, unsigned flags);
HEFT_API unsigned heft_finder_flags(const struct heft_finder *f);

/* Paths of source files, as they are shown: one that is `from` or lies below it gets `to` in its
 * place.  The first map that fits counts; then the first prefix to strip that the path lies
 * below is cut off.  Prefixes end where a component of the path ends.  HEFT_EARG where `from` or
 * `prefix` is empty. */
HEFT_API bool heft_finder_map_path(struct heft_finder *f, const char *from, const char *to,
				   struct heft_err *err);
HEFT_API bool heft_finder_strip_prefix(struct heft_finder *f, const char *prefix,
				       struct heft_err *err);

#ifdef __cplusplus
}
#endif
#endif
