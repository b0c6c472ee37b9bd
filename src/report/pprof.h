/* pprof.h - writes profiles for pprof and other readers of its files: profile.proto, gzip'ed.
 *
 * Messages are defined in proto/profile.proto of google/pprof. Callers give field numbers.
 * Encoding: https://protobuf.dev/programming-guides/encoding */
#pragma once

#include "base/intern.h"
#include "report/report.h"

struct pprof {
	struct text out;
	struct intern strings; /* Strings. [0] is "" */
};

void pprof_init(struct pprof *p);

/* Adds a field. Omits 0, because a missing field means 0. */
void pprof_uint(struct text *t, unsigned field, uint64_t v);
/* Adds a field that refers to the text by its number in the string table. */
void pprof_string(struct pprof *p, struct text *t, unsigned field, const char *text);
/* Adds `message` as a field, and empties it. */
void pprof_message(struct text *t, unsigned field, struct text *message);
/* Adds a field with a message ValueType (pprof's profile.proto). */
void pprof_type(struct pprof *p, unsigned field, const char *type, const char *unit);

/* Adds the strings, compresses and writes the profile, and frees it. False on failure. */
bool pprof_finish(struct pprof *p, struct sink *s);
