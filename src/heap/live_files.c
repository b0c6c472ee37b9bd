#include "heap/live_files.h"

#include <dirent.h>
#include <stdlib.h>

/* Entries are "START-END", hexadecimal. */
const char *live_mapped_file(uint32_t pid, uint64_t start, struct arena *a)
{
	const char *folder = arena_format(a, "/proc/%" PRIu32 "/map_files", pid);
	const char *ret = NULL;
	const struct dirent *e;
	DIR *d = opendir(folder);
	while (d != NULL && ret == NULL && (e = readdir(d)) != NULL) {
		char *end;
		if (strtoull(e->d_name, &end, 16) == start && *end == '-')
			ret = arena_format(a, "%s/%s", folder, e->d_name);
	}
	if (d != NULL)
		closedir(d);
	return ret;
}
