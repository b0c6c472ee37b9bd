/* Finds and runs the programs beside heft, such as heft-push. */
#include "cli/beside.h"

#include "base/os/shell.h"
#include "cli/commands.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct beside programs[] = {
	{ "browse", "a tree of where the bytes go, on this terminal", "" },
	{ "history", "the sizes of a program over time",
	  " add log blame bisect trend top page import export gc " },
	{ "push", "sizes and heap profiles to a server", "" },
};
enum { PROGRAM_COUNT = sizeof programs / sizeof *programs };

const struct beside *beside_at(size_t i)
{
	return i < PROGRAM_COUNT ? &programs[i] : NULL;
}

const struct beside *beside_of(const char *name)
{
	for (size_t i = 0; i < PROGRAM_COUNT; i++)
		if (strcmp(programs[i].name, name) == 0)
			return &programs[i];
	return NULL;
}

/* Walks through the folders that may hold programs. */
struct folders {
	char own[BESIDE_PATH_MOST]; /* Folder of the program heft. "" if unknown */
	const char *path;           /* Folders of PATH that were not visited yet, or NULL */
	unsigned step;
	char at[BESIDE_PATH_MOST]; /* Current folder. "" if it is skipped */
};

static void folders_init(struct folders *f)
{
	*f = (struct folders){ .path = getenv("PATH") };
	char *slash = os_own_path(f->own, sizeof f->own) ? strrchr(f->own, '/') : NULL;
	*(slash != NULL ? slash : f->own) = '\0';
}

/* Sets the current folder to `f->own` plus `below`, or skips the folder if its path is too long. */
static void folder_join(struct folders *f, const char *below, const char *name)
{
	const int size = snprintf(f->at, sizeof f->at, "%s%s%s", f->own, below, name);
	if (f->own[0] == '\0' || size < 0 || (size_t)size >= sizeof f->at)
		f->at[0] = '\0';
}

static bool folder_of_path(struct folders *f)
{
	if (f->path == NULL)
		return false;
	const char separators[] = { os_path_separator, '\0' };
	const size_t size = strcspn(f->path, separators);
	f->at[0] = '\0';
	if (size < sizeof f->at)
		snprintf(f->at, sizeof f->at, "%.*s", (int)size, f->path);
	f->path = f->path[size] != '\0' ? f->path + size + 1 : NULL;
	return true;
}

/* Moves to the next folder that may have the program. False past the last. */
static bool folders_next(struct folders *f, const char *name)
{
	const char *slash = strrchr(f->own, '/');
	switch (f->step++) {
	case 0: folder_join(f, "", ""); return true;
	case 1: /* In the build tree, heft is in build/src. */
		f->at[0] = '\0';
		if (slash != NULL && strcmp(slash, "/src") == 0)
			folder_join(f, "/../programs/", name);
		return true;
	case 2:
		if (HEFT_LIBEXEC[0] == '/')
			snprintf(f->at, sizeof f->at, "%s", HEFT_LIBEXEC);
		else
			folder_join(f, "/", HEFT_LIBEXEC);
		return true;
	default: return folder_of_path(f);
	}
}

/* True if the name is safe as the end of a file name. */
static bool beside_is_name(const char *name)
{
	const size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					 "0123456789_-");
	return size > 0 && size < BESIDE_NAME_MOST && name[size] == '\0' && name[0] != '-';
}

bool beside_find(const char *name, char ret[BESIDE_PATH_MOST])
{
	struct folders f;
	folders_init(&f);
	while (beside_is_name(name) && folders_next(&f, name)) {
		const int size = snprintf(ret, BESIDE_PATH_MOST, "%s/heft-%s%s", f.at, name,
					  os_program_suffix);
		if (f.at[0] != '\0' && size > 0 && size < BESIDE_PATH_MOST && os_is_program(ret))
			return true;
	}
	return false;
}

int beside_run(const struct cli *cli, const char *name, size_t count, char **words)
{
	char path[BESIDE_PATH_MOST];
	if (!beside_find(name, path) && beside_of(name) == NULL)
		return cli_error(cli, "no such command: %s", name);
	if (!beside_find(name, path))
		return cli_error(cli,
				 "heft-%s is not installed: install the package heft-%s, or build "
				 "heft with meson -D%s=enabled",
				 name, name, name);
	char **argv = calloc(count + 2, sizeof *argv);
	if (argv == NULL)
		return cli_error(cli, "out of memory");
	argv[0] = path;
	for (size_t i = 0; i < count; i++)
		argv[i + 1] = words[i];
	fflush(stdout);
	os_become(path, argv);
	free(argv);
	return cli_error(cli, "%s: cannot run: %s", path, strerror(errno));
}

enum { OTHERS_MOST = 100 };

/* Names of programs heft-NAME that were found but are not part of heft. */
struct others {
	char names[OTHERS_MOST][BESIDE_NAME_MOST];
	size_t count;
};

static int name_compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void others_read(struct others *o, const char *folder)
{
	const struct dirent *e;
	char path[BESIDE_PATH_MOST];
	DIR *d = folder[0] != '\0' ? opendir(folder) : NULL;
	while (d != NULL && o->count < OTHERS_MOST && (e = readdir(d)) != NULL) {
		if (strncmp(e->d_name, "heft-", 5) != 0 || !beside_is_name(e->d_name + 5) ||
		    beside_of(e->d_name + 5) != NULL)
			continue;
		const int size = snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		bool known = size <= 0 || (size_t)size >= sizeof path || !os_is_program(path);
		for (size_t i = 0; i < o->count && !known; i++)
			known = strcmp(o->names[i], e->d_name + 5) == 0;
		if (!known)
			snprintf(o->names[o->count++], BESIDE_NAME_MOST, "%s", e->d_name + 5);
	}
	if (d != NULL)
		closedir(d);
}

static void others_find(struct others *o)
{
	struct folders f;
	folders_init(&f);
	while (folders_next(&f, ""))
		others_read(o, f.at);
	ASSERT(o->count <= OTHERS_MOST);
	qsort(o->names, o->count, sizeof *o->names, name_compare);
}

static const char *other_summary(const char *name)
{
	return strcmp(name, "mcp") == 0 ? "answers agents, by the Model Context Protocol"
					: "a program beside heft";
}

void beside_list(FILE *to)
{
	struct others others = { .count = 0 };
	char path[BESIDE_PATH_MOST];
	for (size_t i = 0; i < PROGRAM_COUNT; i++)
		if (beside_find(programs[i].name, path))
			fprintf(to, "  %-15s%s\n", programs[i].name, programs[i].summary);
	others_find(&others);
	for (size_t i = 0; i < others.count; i++)
		fprintf(to, "  %-15s%s\n", others.names[i], other_summary(others.names[i]));
}

void beside_print_words(void)
{
	struct others others = { .count = 0 };
	char path[BESIDE_PATH_MOST], option[] = "--words";
	char *const argv[] = { path, option, NULL };
	fflush(stdout);
	for (size_t i = 0; i < PROGRAM_COUNT; i++)
		if (beside_find(programs[i].name, path))
			os_run(path, argv);
	others_find(&others);
	for (size_t i = 0; i < others.count; i++)
		words_put(others.names[i], "", "", other_summary(others.names[i]));
}
