/* report.h - rows to bytes.  One function a format; all take the public row tree.
 *
 * out_* write through a struct sink, which remembers the first failure. */
#ifndef HEFT_REPORT_REPORT_H
#define HEFT_REPORT_REPORT_H

#include "base/base.h"
#include "heft.h"

struct sink {
	bool (*write)(void *ctx, const void *data, size_t size);
	void *ctx;
	bool failed;
	size_t used;
	char buffer[8192];
};

void sink_text(struct sink *s, struct str text);
void sink_printf(struct sink *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Hands over what is buffered; false if any write failed. */
bool sink_flush(struct sink *s);

/* What the formats need to know of a profile. */
struct report {
	const struct heft_row *top;      /* "TOTAL" */
	const char *const *source_names; /* one a level, as typed */
	size_t source_count;
	bool diff;
	bool filtered;
	struct heft_sizes omitted;
	struct heft_write_opts opts;
	const struct heft_profile *profile; /* for out_json: files and notes */
};

void out_table(const struct report *r, struct sink *s);
void out_csv(const struct report *r, struct sink *s, char separator);
void out_json(const struct report *r, struct sink *s);

#endif
