/* pprof.h - profiles for pprof and what reads its files: profile.proto, gzip'ed.
 *
 * Messages are those of proto/profile.proto of google/pprof; fields are told by their numbers.
 * https://protobuf.dev/programming-guides/encoding */
#ifndef HEFT_REPORT_PPROF_H
#define HEFT_REPORT_PPROF_H

#include "base/intern.h"
#include "report/report.h"

struct pprof {
	struct text out;
	struct intern strings; /* 0 is "" */
};

void pprof_init(struct pprof *p);

/* A field; zero is what a field that is not there means. */
void pprof_uint(struct text *t, unsigned field, uint64_t v);
/* A field with the number of the text in the table of strings. */
void pprof_string(struct pprof *p, struct text *t, unsigned field, const char *text);
/* Writes `message` as a field and empties it. */
void pprof_message(struct text *t, unsigned field, struct text *message);
/* A ValueType. */
void pprof_type(struct pprof *p, unsigned field, const char *type, const char *unit);

/* Adds the strings, packs what is there and releases it.  False where that fails. */
bool pprof_finish(struct pprof *p, struct sink *s);

#endif
