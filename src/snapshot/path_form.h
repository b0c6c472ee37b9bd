/* path_form.h - turns paths into a form without the build directory, as SuperSize does. Generated
 * files get the path of the sources from which they are generated.
 *
 *     ../../base/log.cc -> base/log.cc
 *     gen/proto/log.pb.cc -> proto/log.pb.cc, generated
 *     out/Release/gen/proto/log.pb.cc -> proto/log.pb.cc, generated
 *     /w/out/Release/gen/log.pb.cc -> /w/log.pb.cc, generated
 *     obj/base/log.o -> base/log.o
 *     src/main.rs/@/app.0123456789abcdef-cgu.0 -> src/main.rs
 *
 * Paths that begin with $, ( or [ do not belong to the build and stay unchanged. */
#pragma once

#include "base/text.h"

/* Writes a path to *out in the form described above. False, with *out unchanged, if the path is in
 * that form. `build`: the build directory, or "". `object`: true for an object, false for a source.
 * *ret_generated: true if the build made the source. */
bool path_form(struct text *out, struct str path, struct str build, bool object,
	       bool *ret_generated);

/* Returns the common beginning of two paths. It may end in the middle of a component. */
struct str path_common(struct str a, struct str b);
/* Writes one path for `count` paths that begin with `prefix` ("a/b/"): "a/b/{shared}/50-99". */
void path_shared(struct text *out, struct str prefix, size_t count);
