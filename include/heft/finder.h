/* finder.h - part of heft.h: settings that locate the files of a program. */
#ifndef HEFT_H
#include "heft.h" /* heft.h includes this file. */
#elif !defined(HEFT_PART_FINDER_H)
#define HEFT_PART_FINDER_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- files that belong to a program --------------------------------------- */

/* Locates the files of a program: its separate debug file, its linker map, the programs of a dump,
 * its sources. A finder belongs to a session (heft_session_finder), which frees it.
 *
 *     struct heft_session *s = heft_session_new();
 *     if (s)
 *             heft_finder_add_debug_dir(heft_session_finder(s), "/srv/debug");
 *
 * Without additions, only the system's folders are searched. All texts are copied. Additions apply
 * to handles that have not opened a file yet. */
struct heft_finder;

/* Adds a file with debug info. It is used for the program that it matches:
 * - a separate debug file, by its build id;
 * - a file of split debug info (.dwo, or a package of them), or a supplementary file of dwz;
 * - a PDB, by its GUID and age;
 * - a dSYM bundle: the file in it with the program's name. Opening a program fails with HEFT_EARG
 *   if the file matches no program. */
HEFT_API void heft_finder_add_debug_file(struct heft_finder *f, const char *path);
/* Adds a directory to search for debug files, before the system's directories. */
HEFT_API void heft_finder_add_debug_dir(struct heft_finder *f, const char *dir);
/* Adds a linker map. If there are several, each program uses the one that agrees with most of its
 * sections. Without one, heft looks beside the program and in the usual folders of IDEs for a map
 * that agrees. For "fw.elf" the map's name is "fw.elf.map" or "fw.map", each also with ".gz"; see
 * heft(1). */
HEFT_API void heft_finder_add_map(struct heft_finder *f, const char *path);
/* Adds a region of the machine's memory, [origin, origin + length), for the source "regions".
 * Replaces a region of the same name. Without added regions, the linker map states them; otherwise
 * segments that are loaded close together form a region. HEFT_EARG if the name is empty, the length
 * is 0, the region ends above 2^64, or there are more than 1000. */
HEFT_API bool heft_finder_add_region(struct heft_finder *f, const char *name, uint64_t origin,
				     uint64_t length, struct heft_err *err);
/* Adds stack usage from gcc or clang (-fstack-usage), for the stacks of functions: a .su file, or a
 * folder that is searched recursively. Without this, .su files are searched beside the objects of
 * the linker map, and as "PROGRAM-*.su" beside the program. Opening a program fails if the path
 * does not exist. */
HEFT_API void heft_finder_add_stack_usage(struct heft_finder *f, const char *path);
/* Sets a file with facts about calls that the code does not show, for the stacks of functions.
 * The file uses linkage names. "CALLER -> CALLEE..." lists all functions that the indirect calls
 * of CALLER may reach; an empty list means none. "NAME = BYTES" states the maximal stack of a
 * function with all its callees; the function may be in another file. "#" begins a comment.
 * NULL: no file. */
HEFT_API void heft_finder_set_calls(struct heft_finder *f, const char *path);
/* Adds a source map (version 3). `id` names its module: the URL in the WebAssembly section
 * sourceMappingURL, or the path with which the module is opened. Without this, the file of the URL
 * is used if it is beside the module. */
HEFT_API void heft_finder_add_source_map(struct heft_finder *f, const char *id, const char *path);
/* Sets the directory with a copy of the root file system of the machine on which the programs ran.
 * Modules of dumps are searched there first, and debug files in its usr/lib/debug. NULL: none. */
HEFT_API void heft_finder_set_sysroot(struct heft_finder *f, const char *dir);
/* Reads only one architecture's slice of Mach-O universal files, as if the slice were the file.
 * Architectures have lipo's names ("x86_64", "arm64"). Opening fails with HEFT_EARG if a universal
 * file has no such slice. Other files are read as usual. NULL: all slices. */
HEFT_API void heft_finder_set_arch(struct heft_finder *f, const char *arch);
/* Adds a program or library that ran in a dump. It is used for the module with its build id,
 * otherwise for the module with its file name. If the dump has no modules, all addresses belong to
 * the program. Opening a dump fails with HEFT_EARG if the program matches no module. A profile
 * fails with HEFT_EARG if no input is a core. */
HEFT_API void heft_finder_add_program(struct heft_finder *f, const char *path);

/* The next five settings describe an image of memory that is not a core, such as one that a
 * debugger wrote. Such an image does not state its address. The settings do not affect other files.
 * They are not needed if the image contains the recorder's pages. */
/* Sets the address of the image's first byte. */
HEFT_API void heft_finder_set_base(struct heft_finder *f, uint64_t addr);
/* Sets the load address of the first added program, if it is position-independent. */
HEFT_API void heft_finder_set_load(struct heft_finder *f, uint64_t addr);
/* Adds a file to the image: its bytes from offset `off` on were at the addresses from `addr` on.
 * `path` may be the image itself, to state the address of a part. */
HEFT_API void heft_finder_add_piece(struct heft_finder *f, const char *path, uint64_t addr,
				    uint64_t off);
/* Sets the bytes of a machine word, 4 or 8. */
HEFT_API void heft_finder_set_word(struct heft_finder *f, unsigned bytes);
/* Byte order of a machine word. */
enum heft_byte_order { HEFT_LITTLE_ENDIAN = 1, HEFT_BIG_ENDIAN };
HEFT_API void heft_finder_set_byte_order(struct heft_finder *f, enum heft_byte_order order);

/* An input that replaces the file of its name: bytes in memory, or an open file. */
struct heft_input {
	size_t size;      /* Set to sizeof(struct heft_input). */
	const char *name; /* Name in calls, messages and reports. */
	/* Bytes of the input. They are borrowed, not copied: they must not change until the session
	 * and all handles created from it are freed. If NULL, the input is `fd`. */
	const void *data;
	size_t data_size; /* Bytes at `data`. */
	/* Readable descriptor of a regular file. Pipes, sockets and devices are refused. The file
	 * is read from its start to its end. The descriptor's position does not matter and does not
	 * change. The descriptor is copied (dup), so the caller may close it. */
	int fd;
};

/* Defines a name for an input. If a handle of the session opens a file of exactly this name, it
 * reads the input instead. The input may be any file: a program, dump, debug file, linker map,
 * `.size` file and so on. Related files, such as the debug file, are searched beside the path of
 * this name.
 *
 *     const struct heft_input in = {
 *             .size = sizeof in, .name = "a.out", .data = p, .data_size = n
 *     };
 *     if (heft_finder_add_input(heft_session_finder(session), &in, &err))
 *             ok = heft_snapshot_open(s, "a.out", &err);
 *
 * HEFT_EARG if the name is missing, empty or taken, or if the descriptor is not of a regular file.
 * HEFT_EFORMAT if the input is empty. HEFT_EIO if the descriptor cannot be used. */
HEFT_API bool heft_finder_add_input(struct heft_finder *f, const struct heft_input *in,
				    struct heft_err *err);

/* Kinds of files that are used only if they are added. */
enum heft_find_flag {
	HEFT_FIND_NO_DEBUG = 1 << 0, /* Do not search for debug files. */
	HEFT_FIND_NO_MAP = 1 << 1,   /* Do not search for linker maps. */
};
/* Set or return all flags (bits of enum heft_find_flag). Default: 0. */
HEFT_API void heft_finder_set_flags(struct heft_finder *f, unsigned flags);
HEFT_API unsigned heft_finder_flags(const struct heft_finder *f);

/* Change the shown paths of source files. heft_finder_map_path() replaces the prefix `from` by
 * `to`. The first map that matches is used. After that, the first matching prefix of
 * heft_finder_strip_prefix() is removed. A prefix matches whole path components. HEFT_EARG if
 * `from` or `prefix` is empty. */
HEFT_API bool heft_finder_map_path(struct heft_finder *f, const char *from, const char *to,
				   struct heft_err *err);
HEFT_API bool heft_finder_strip_prefix(struct heft_finder *f, const char *prefix,
				       struct heft_err *err);

#ifdef __cplusplus
}
#endif
#endif
