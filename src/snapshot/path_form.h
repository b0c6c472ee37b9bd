/* path_form.h - paths as they are whatever the build directory is called: what a build generates
 * lies over the sources that it mirrors, as SuperSize has it.
 *
 *     ../../base/log.cc                  base/log.cc
 *     gen/proto/log.pb.cc                proto/log.pb.cc, generated
 *     out/Release/gen/proto/log.pb.cc    proto/log.pb.cc, generated
 *     /w/out/Release/gen/log.pb.cc       /w/log.pb.cc, generated
 *     obj/base/log.o                     base/log.o
 *
 * Paths that begin with $, ( or [ are none of the build's and stay. */
#ifndef HEFT_SNAPSHOT_PATH_FORM_H
#define HEFT_SNAPSHOT_PATH_FORM_H

#include "base/text.h"

/* Replaces *out by the form of a path; false where that is the path itself (*out is then as it
 * was).  `build` is the build directory, or "": what lies in it is the build's; `object`: the path
 * is an object's, else a source's.  *ret_generated: the build made the source. */
bool path_form(struct text *out, struct str path, struct str build, bool object,
	       bool *ret_generated);

/* What two paths begin with, whole components or not. */
struct str path_common(struct str a, struct str b);
/* "a/b/{shared}/50-99": of `count` paths that begin with "a/b/". */
void path_shared(struct text *out, struct str prefix, size_t count);

#endif
