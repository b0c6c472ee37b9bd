/* record.h - lines of fields, written one at a time as they are found: csv, tsv, or the rows of a
 * markdown table.
 *
 * One function names the fields of a record and gives their values.  It writes the line of names
 * as well, where the values are not looked at, so that both always have the same fields. */
#ifndef HEFT_REPORT_RECORD_H
#define HEFT_REPORT_RECORD_H

#include "report/report.h"

struct record {
	struct sink *s;
	enum heft_format format; /* HEFT_CSV, HEFT_TSV or HEFT_MARKDOWN */
	bool safe;               /* see field_put */
	bool names;              /* the line of names */
	unsigned fields;         /* written so far, 64 at most */
	uint64_t numbers;        /* bits: those that markdown aligns to the right */
};

/* Whether a format is one of records. */
bool record_has(enum heft_format format);
void record_open(struct record *r, struct sink *s, const struct heft_write_opts *opts, bool names);
/* NULL: not known, an empty field.  `name` may be NULL where the names are not wanted. */
void record_text(struct record *r, const char *name, const char *value);
/* A number that is not `known` is an empty field.  An address is decimal, and hexadecimal in
 * markdown, which people read. */
void record_uint(struct record *r, const char *name, uint64_t value, bool known);
void record_addr(struct record *r, const char *name, uint64_t value, bool known);
void record_close(struct record *r);

#endif
