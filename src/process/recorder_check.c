/* recorder_check.c - checks which programs can be recorded. */
#define _GNU_SOURCE /* For memmem(). */
#include "process/recorder.h"

#include "image/arch.h"
#include "image/elf/elf_const.h"
#include "image/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif

enum {
	SCRIPTS_MAX = 5,     /* Greatest depth of nested interpreters. The kernel follows four. */
	LINE_MAX_SIZE = 256, /* Limit in bytes of a "#!" line (Linux: BINPRM_BUF_SIZE). */
};

static bool recorder_check_is_program(const char *path)
{
	struct stat st;
	if (stat(path, &st) != 0)
		return false;
	if (!S_ISREG(st.st_mode))
		errno = S_ISDIR(st.st_mode) ? EISDIR : EACCES;
	else if (access(path, X_OK) == 0)
		return true;
	return false;
}

bool program_find(const char *name, struct arena *arena, const char **ret_path,
		  struct heft_err *err)
{
	const char *dirs = getenv("PATH");
	if (strchr(name, '/') != NULL || name[0] == '\0') {
		if (!recorder_check_is_program(name))
			return fail_sys(err, "%s", name);
		*ret_path = arena_copy(arena, str_of(name));
		return true;
	}
	int denied = 0;
	for (dirs = dirs != NULL ? dirs : "/bin:/usr/bin";; dirs++) {
		const size_t size = strcspn(dirs, ":");
		const char *path = arena_format(arena, "%.*s%s%s", (int)size, dirs,
						size > 0 ? "/" : "", name);
		if (recorder_check_is_program(path)) {
			*ret_path = path;
			return true;
		}
		if (errno == EACCES)
			denied = EACCES;
		dirs += size;
		if (*dirs == '\0')
			break;
	}
	errno = denied != 0 ? denied : ENOENT;
	return fail_sys(err, "%s", name);
}

/* True if the program runs as another user, or has capabilities. Then the dynamic linker ignores
 * the environment (AT_SECURE). */
static bool gains_rights(const char *path)
{
	struct stat st;
	if (stat(path, &st) != 0)
		return false;
	if (((st.st_mode & S_ISUID) != 0 && st.st_uid != getuid()) ||
	    ((st.st_mode & S_ISGID) != 0 && (st.st_mode & S_IXGRP) != 0 && st.st_gid != getgid()))
		return true;
#ifdef __linux__
	return getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
#else
	return false;
#endif
}

/* True for an ELF file. For a script, *ret_interpreter is the path in its first line "#! /bin/sh
 * -e", kept in `line`. Otherwise *ret_interpreter is NULL. */
static bool is_elf_or_script(const char *path, char line[LINE_MAX_SIZE + 1],
			     const char **ret_interpreter)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd >= 0 ? read(fd, line, LINE_MAX_SIZE) : -1;
	if (fd >= 0)
		close(fd);
	line[n > 0 ? n : 0] = '\0';
	if (n >= 4 && memcmp(line, "\177ELF", 4) == 0)
		return true;
	char *name = line + 2;
	if (n >= 3 && memcmp(line, "#!", 2) == 0) {
		name += strspn(name, " \t");
		name[strcspn(name, " \t\r\n")] = '\0';
	}
	*ret_interpreter = n >= 3 && memcmp(line, "#!", 2) == 0 && *name != '\0' ? name : NULL;
	return false;
}

static bool has_interp(const struct image *im)
{
	for (size_t i = 0; i < im->segment_count; i++)
		if (im->segments[i].type == PT_INTERP)
			return true;
	return false;
}

static bool same_machine(const struct image *a, const char *library)
{
	struct input in;
	struct heft_err err;
	if (!input_open(&in, library, USE_SIZE, NULL, &err))
		return true; /* Left to the dynamic linker, which accepts or refuses the recorder */
	const struct image *b = in.images;
	const bool same = image_same_arch(a, b) && a->bits == b->bits &&
			  a->big_endian == b->big_endian;
	input_close(&in);
	return same;
}

/* A symbol, and what its presence shows about the module. */
struct telling_name {
	const char *name, *what;
};

/* Returns `what` of the first name in .dynstr that `names` lists. NULL if it lists none. */
static const char *telling_name_find(const struct image *im, const struct telling_name *names,
				     size_t count)
{
	const struct section *s = image_section_find(im, ".dynstr");
	const struct bytes text = s != NULL ? section_bytes(im, s) : (struct bytes){ 0 };
	struct reader r = reader_of(text, im->big_endian);
	while (reader_left(&r) > 0) {
		const struct str name = read_cstr(&r);
		for (size_t i = 0; reader_ok(&r) && i < count; i++)
			if (str_eq(name, str_of(names[i].name)))
				return names[i].what;
		if (!reader_ok(&r))
			break;
	}
	return NULL;
}

/* True for a dynamic linker, which can run other programs. Recognized by its exports for debuggers
 * (glibc, musl). */
static bool is_linker(const struct image *im)
{
	static const struct telling_name names[] = { { "_r_debug", "" }, { "_dl_debug_addr", "" } };
	return !has_interp(im) && telling_name_find(im, names, COUNT_OF(names)) != NULL;
}

/* Returns the program that the dynamic linker's arguments name (ld.so(8)). NULL if none. */
static const char *loaded_program(char *const *argv)
{
	static const char *const with_value[] = {
		"--library-path",         "--inhibit-rpath",    "--audit", "--preload", "--argv0",
		"--glibc-hwcaps-prepend", "--glibc-hwcaps-mask"
	};
	for (argv++; *argv != NULL && strncmp(*argv, "--", 2) == 0; argv++) {
		if (strcmp(*argv, "--") == 0)
			return argv[1];
		for (size_t i = 0; i < COUNT_OF(with_value); i++)
			if (strcmp(*argv, with_value[i]) == 0 && argv[1] != NULL) {
				argv++;
				break;
			}
	}
	return *argv;
}

static bool check_image(const char *path, const struct image *im, const char *const libraries[2],
			struct heft_err *err)
{
	/* Sanitizers whose allocator must be loaded first. */
	static const struct telling_name sanitizers[] = { { "__asan_init", "AddressSanitizer" },
							  { "__hwasan_init", "HWAddressSanitizer" },
							  { "__lsan_init", "LeakSanitizer" },
							  { "__tsan_init", "ThreadSanitizer" },
							  { "__msan_init", "MemorySanitizer" } };
	/* A recorder linked into the program reads this variable. Even a stripped program contains
	 * its name. */
	static const char variable[] = "HEFT_HEAP_OUT";
	if (im->kind != IMAGE_EXEC)
		return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET, "%s: is no program", path);
	if (!has_interp(im) && !is_linker(im))
		return memmem(im->bytes.p, im->bytes.size, variable, sizeof variable) != NULL
			       ? true
			       : fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
				      "%s: is linked statically: nothing can be loaded "
				      "into it; link the recorder in: cc ... $(pkg-config "
				      "--static --libs heft-heap)",
				      path);
	if (!same_machine(im, libraries[0]) &&
	    (libraries[1] == NULL || !same_machine(im, libraries[1])))
		return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			    "%s: is %s, and the recorder %s is not", path,
			    im->bits == 32 ? "a 32-bit program" : "for another machine",
			    libraries[0]);
	const char *sanitizer = telling_name_find(im, sanitizers, COUNT_OF(sanitizers));
	if (sanitizer != NULL)
		return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			    "%s: is built with %s, which brings an allocator of its own: record a "
			    "build without it",
			    path, sanitizer);
	return true;
}

bool program_check(const char *path, char *const *argv, const char *const libraries[2],
		   struct heft_err *err)
{
	bool loaded = false;
	ASSERT(argv[0] && libraries[0]);
	char lines[SCRIPTS_MAX][LINE_MAX_SIZE + 1];
	for (unsigned i = 0; i < SCRIPTS_MAX && path != NULL; i++) {
		struct input in;
		/* Neither ELF nor a script: a shell runs such files, so checks that shell. */
		if (!is_elf_or_script(path, lines[i], &path))
			continue;
		if (gains_rights(path))
			return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
				    "%s: runs with other rights than yours: the system loads no "
				    "recorder into it",
				    path);
		if (!input_open(&in, path, USE_SIZE, NULL, err))
			return false;
		const bool good = in.archive || check_image(path, in.images, libraries, err);
		const bool linker = good && !loaded && !in.archive && is_linker(in.images);
		input_close(&in);
		if (!linker)
			return good;
		path = loaded_program(argv);
		loaded = true;
	}
	return true;
}
