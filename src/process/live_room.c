/* live_room.c - finds how much memory this process may still allocate, limited by free memory
 * and by its control groups. Linux, Documentation/admin-guide/cgroup-v2.rst and
 * cgroup-v1/memory.rst. */
#define _GNU_SOURCE
#include "process/live_internal.h"

#include <stdio.h>

/* DEPTH_MAX: greatest number of control groups to read, from the process's group upwards. */
enum { PATH_ROOM = 4096, DEPTH_MAX = 64 };

/* Folders and file names of version 1 or 2 of control groups. */
struct group_files {
	const char *roots[2]; /* Folders of the groups. [1] is NULL if there is only one */
	const char *limit, *usage, *inactive;
};

static const struct group_files versions[] = {
	{ { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" },
	  "memory.max",
	  "memory.current",
	  "inactive_file" },
	{ { "/sys/fs/cgroup/memory", NULL },
	  "memory.limit_in_bytes",
	  "memory.usage_in_bytes",
	  "total_inactive_file" },
};

static FILE *group_open(const char *folder, const char *name)
{
	char path[PATH_ROOM];
	const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
	return length > 0 && length < (int)sizeof path ? fopen(path, "re") : NULL;
}

/* Reads the number in a file. False if there is none. "max" means that there is no limit. */
static bool number_read(const char *folder, const char *name, uint64_t *ret)
{
	FILE *f = group_open(folder, name);
	const bool good = f != NULL && fscanf(f, "%" SCNu64, ret) == 1;
	if (f != NULL)
		fclose(f);
	return good;
}

/* Returns the bytes of file cache that a control group can release at once. 0 if unknown. */
static uint64_t droppable_read(const char *folder, const char *name)
{
	char line[128], key[64];
	uint64_t value, found = 0;
	FILE *f = group_open(folder, "memory.stat");
	while (f != NULL && fgets(line, sizeof line, f) != NULL)
		if (sscanf(line, "%63s %" SCNu64, key, &value) == 2 && strcmp(key, name) == 0)
			found = value;
	if (f != NULL)
		fclose(f);
	return found;
}

/* Returns the bytes that one group may still use. UINT64_MAX if it has no limit. */
static uint64_t group_room(const char *folder, const struct group_files *v)
{
	uint64_t limit, usage;
	if (!number_read(folder, v->limit, &limit) || !number_read(folder, v->usage, &usage))
		return UINT64_MAX;
	const uint64_t droppable = droppable_read(folder, v->inactive);
	usage -= min_u64(usage, droppable);
	return limit - min_u64(limit, usage);
}

/* Returns the least number of bytes that a group and all groups above it may still use. In a
 * container, the path may exist only on the host. Then the root is the container's own group. */
static uint64_t groups_room(const char *root, const char *path, const struct group_files *v)
{
	char folder[PATH_ROOM];
	const size_t root_size = strlen(root);
	uint64_t room = group_room(root, v);
	const int length = snprintf(folder, sizeof folder, "%s%s", root, path);
	if (length <= 0 || length >= (int)sizeof folder)
		return room;
	for (unsigned depth = 0; depth < DEPTH_MAX && strlen(folder) > root_size; depth++) {
		room = min_u64(room, group_room(folder, v));
		*strrchr(folder, '/') = '\0';
	}
	return room;
}

/* True if a comma-separated list of controllers contains "memory". */
static bool has_memory(const char *list)
{
	static const char word[] = "memory";
	for (const char *at = list; (at = strstr(at, word)) != NULL; at++) {
		const char after = at[sizeof word - 1];
		if ((at == list || at[-1] == ',') && (after == '\0' || after == ','))
			return true;
	}
	return false;
}

/* Returns the memory that the group of a line in /proc/self/cgroup leaves. Lines are "0::/path"
 * (version 2) or "4:memory:/path" (version 1). */
static uint64_t line_room(char *line)
{
	char *list = strchr(line, ':');
	char *path = list != NULL ? strchr(list + 1, ':') : NULL;
	uint64_t room = UINT64_MAX;
	if (path == NULL)
		return room;
	*path++ = '\0';
	path[strcspn(path, "\n")] = '\0';
	list++;
	const struct group_files *v = &versions[*list != '\0'];
	if (*list != '\0' && !has_memory(list))
		return room;
	for (size_t i = 0; i < COUNT_OF(v->roots) && v->roots[i] != NULL; i++)
		room = min_u64(room, groups_room(v->roots[i], path, v));
	return room;
}

/* Returns the memory that the system has left. UINT64_MAX if unknown. */
static uint64_t system_room(void)
{
	uint64_t kb = UINT64_MAX >> 10;
	char line[128];
	FILE *f = fopen("/proc/meminfo", "re");
	while (f != NULL && fgets(line, sizeof line, f) != NULL)
		if (sscanf(line, "MemAvailable: %" SCNu64, &kb) == 1)
			break;
	if (f != NULL)
		fclose(f);
	return kb << 10;
}

uint64_t live_room(void)
{
	char line[PATH_ROOM];
	uint64_t room = system_room();
	FILE *f = fopen("/proc/self/cgroup", "re");
	while (f != NULL && fgets(line, sizeof line, f) != NULL)
		room = min_u64(room, line_room(line));
	if (f != NULL)
		fclose(f);
	return room;
}
