#pragma once

#include "base/base.h"

static inline const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static inline struct str file_name_str(struct str path)
{
	size_t at = path.len;
	while (at > 0 && path.p[at - 1] != '/')
		at--;
	return (struct str){ path.p + at, path.len - at };
}
