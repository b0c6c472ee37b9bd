/* build_paths_internal.h - declares what the readers of build_paths share. */
#pragma once

#include "base/reader.h"
#include "base/text.h"
#include "project/build_paths.h"

/* Adds an object and its source. Relative paths are relative to `dir`. */
void build_paths_add(struct build_paths *b, struct str dir, struct str object, struct str source);

/* ninja.c: reads the build statements of a file and of the files that it includes. */
bool ninja_read(struct build_paths *b, const char *path, struct str dir, struct bytes bytes,
		struct notes *notes, struct heft_err *err);
