/* finder.h - part of heft.h: how the files that belong to a program are found. */
#ifndef HEFT_H
#include "heft.h" /* heft.h includes this file. */
#elif !defined(HEFT_PART_FINDER_H)
#define HEFT_PART_FINDER_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- files that belong to a program --------------------------------------- */

/* Where to look for the parts of a program: its separate debug file, its linker map, the programs
 * of a dump, its sources. A finder belongs to a session (heft_session_finder). The session frees
 * it.
 *
 *     struct heft_session *s = heft_session_new();
 *     if (s)
 *             heft_finder_add_debug_dir(heft_session_finder(s), "/srv/debug");
 *
 * Unless something is added, only the system's places are searched. All texts are copied. Additions
 * count for handles that have not opened anything before. */
struct heft_finder;

/* Adds a file with debug info. It is used for the program that it belongs to:
 * - a separate debug file, by its build id;
 * - a file of split debug info (.dwo, or a package of them), or a supplementary file of dwz;
 * - a PDB, by its GUID and age;
 * - a dSYM bundle: the file in it with the program's name.
 * Opening a program fails with HEFT_EARG if the file belongs to no program. */
HEFT_API void heft_finder_add_debug_file(struct heft_finder *f, const char *path);
/* Adds a directory to search for debug files, before the system's directories. */
HEFT_API void heft_finder_add_debug_dir(struct heft_finder *f, const char *dir);
/* Adds a linker map. If there are several, each program uses the one that agrees with most of its
 * sections. Without one, a map is used that agrees with the program and is beside it or in the
 * usual folder of an IDE. For "fw.elf" its name is "fw.elf.map" or "fw.map", each also with ".gz";
 * see heft(1). */
HEFT_API void heft_finder_add_map(struct heft_finder *f, const char *path);
/* Adds a region of the machine's memory, [origin, origin + length), for the source "regions".
 * Replaces a region of the same name. Without any, regions come from the linker map; else segments
 * that are loaded close together form a region. HEFT_EARG if the name is empty, the length is 0,
 * the region goes beyond 2^64, or there are more than 1000. */
HEFT_API bool heft_finder_add_region(struct heft_finder *f, const char *name, uint64_t origin,
				     uint64_t length, struct heft_err *err);
/* Adds stack usage that gcc or clang wrote (-fstack-usage), for the stacks of functions: a .su
 * file, or a folder that is searched recursively. Without one, .su files are searched beside the
 * objects that the linker map names, and beside the program as "PROGRAM-*.su". Opening a program
 * fails if the path does not exist. */
HEFT_API void heft_finder_add_stack_usage(struct heft_finder *f, const char *path);
/* Sets a file with facts about calls that the code does not show, for the stacks of functions. The
 * file uses linkage names. "CALLER -> CALLEE..." lists all functions that the indirect calls of
 * CALLER may reach; an empty list means none. "NAME = BYTES" is the most stack that a function
 * needs with all its callees, also for a function of another file. "#" begins a comment. NULL:
 * none. */
HEFT_API void heft_finder_set_calls(struct heft_finder *f, const char *path);
/* Adds a source map (version 3). `id` says which module it describes: the URL in the WebAssembly
 * section sourceMappingURL, or the module's path as it is opened. Without one, the file that the
 * URL names is used, if it is beside the module. */
HEFT_API void heft_finder_add_source_map(struct heft_finder *f, const char *id, const char *path);
/* Sets the directory that contains the root of the machine that the programs come from. Modules of
 * dumps are searched below it first, and debug files in its usr/lib/debug. NULL: none. */
HEFT_API void heft_finder_set_sysroot(struct heft_finder *f, const char *dir);
/* Reads only the slice for one architecture from Mach-O universal files, as if it were the file.
 * Names are those of lipo ("x86_64", "arm64"). Opening fails with HEFT_EARG if a universal file has
 * no such slice. Other files are read as usual. NULL: all slices. */
HEFT_API void heft_finder_set_arch(struct heft_finder *f, const char *arch);
/* Adds a program or library that ran in a dump. It stands for the module with its build id,
 * otherwise for the module with its file name. If the dump knows no modules, all addresses belong
 * to the program. Opening a dump fails with HEFT_EARG if the program belongs to no module. A
 * profile fails with HEFT_EARG if no input is a core. */
HEFT_API void heft_finder_add_program(struct heft_finder *f, const char *path);

/* The next five settings describe an image of memory that is no core, such as one that a debugger
 * wrote. Such an image does not state its address. These settings have no effect on other files. If
 * the image contains the recorder's pages, the pages state the same. */
/* Sets the address of the image's first byte. */
HEFT_API void heft_finder_set_base(struct heft_finder *f, uint64_t addr);
/* Sets the address of the first byte of the first program that was added, if that program may be
 * loaded anywhere (a PIE). */
HEFT_API void heft_finder_set_load(struct heft_finder *f, uint64_t addr);
/* Adds a file to the image. If `path` is the image itself, states the address of a part. The bytes
 * from offset `off` on were at the addresses from `addr` on. */
HEFT_API void heft_finder_add_piece(struct heft_finder *f, const char *path, uint64_t addr,
				    uint64_t off);
/* Sets the bytes of a machine word, 4 or 8. */
HEFT_API void heft_finder_set_word(struct heft_finder *f, unsigned bytes);
/* Byte order of a word. */
enum heft_byte_order { HEFT_LITTLE_ENDIAN = 1, HEFT_BIG_ENDIAN };
HEFT_API void heft_finder_set_byte_order(struct heft_finder *f, enum heft_byte_order order);

/* An input that is not the file with its name: bytes in memory, or an open file. */
struct heft_input {
	size_t size;      /* Set to sizeof(struct heft_input). */
	const char *name; /* Name for calls, messages and reports. */
	/* Bytes of the input. They are borrowed, not copied: they must not change until the session
	 * and all handles made from it are freed. NULL means that the input is `fd`. */
	const void *data;
	size_t data_size; /* Bytes at `data`. */
	/* Readable descriptor of a regular file. Pipes, sockets and devices are refused. The whole
	 * file is read, whatever the descriptor's position is; the position does not change. The
	 * descriptor is copied (dup), so the caller may close it. */
	int fd;
};

/* Makes a name stand for an input. If a handle of the session opens a file of exactly this name, it
 * takes the input: as a program, dump, debug file, linker map, `.size` file or anything else. Files
 * beside a file of this name, such as its debug file, are searched as if the input were there.
 *
 *     const struct heft_input in = {
 *             .size = sizeof in, .name = "a.out", .data = p, .data_size = n
 *     };
 *     if (heft_finder_add_input(heft_session_finder(session), &in, &err))
 *             ok = heft_snapshot_open(s, "a.out", &err);
 *
 * HEFT_EARG if the name is missing, empty or taken, or if the descriptor is not of a regular file.
 * HEFT_EFORMAT if there are no bytes. HEFT_EIO if the descriptor cannot be used. */
HEFT_API bool heft_finder_add_input(struct heft_finder *f, const struct heft_input *in,
				    struct heft_err *err);

/* Files that are not searched unless they were added. */
enum heft_find_flag {
	HEFT_FIND_NO_DEBUG = 1 << 0, /* Do not search for debug files. */
	HEFT_FIND_NO_MAP = 1 << 1,   /* Do not search for linker maps. */
};
/* Set or return all flags (bits of enum heft_find_flag). 0 at first. */
HEFT_API void heft_finder_set_flags(struct heft_finder *f, unsigned flags);
HEFT_API unsigned heft_finder_flags(const struct heft_finder *f);

/* Change the paths of source files as they are shown. heft_finder_map_path(): a path that is `from`
 * or lies below `from` gets `to` instead. The first map that matches is used. Then the first prefix
 * of heft_finder_strip_prefix() that the path lies below is removed. Prefixes end at the end of a
 * path component. HEFT_EARG if `from` or `prefix` is empty. */
HEFT_API bool heft_finder_map_path(struct heft_finder *f, const char *from, const char *to,
				   struct heft_err *err);
HEFT_API bool heft_finder_strip_prefix(struct heft_finder *f, const char *prefix,
				       struct heft_err *err);

#ifdef __cplusplus
}
#endif
#endif
