/* perftext.h - reads samples from text, line by line, as events of perfdata.h.
 *
 * PERFTEXT_SCRIPT is the output of `perf script -F ip,brstack`. A line has an address in
 * hexadecimal digits, then branches FROM/TO/M|P|-/..., the newest first. Other words of a line are
 * skipped. Lines of --show-mmap-events become PERF_MAP events.
 *
 * PERFTEXT_ADDRESSES has one address per line in hexadecimal digits, with an optional "0x" before
 * and a decimal count after. "#" begins a comment.
 *
 * Neither form has a process, so pid is PERF_NO_PROCESS. A note counts lines of any other form. One
 * thread. */
#pragma once

#include "blocks/perfdata.h"

enum perftext_form { PERFTEXT_SCRIPT, PERFTEXT_ADDRESSES };

struct perftext {
	const char *path; /* Borrowed, like `bytes` and `notes` */
	struct bytes bytes;
	enum perftext_form form;
	struct notes *notes;
	uint64_t pos;
	uint8_t build_id[20]; /* Build id of the last mapping */
	VEC(struct perf_branch) branches;
};

void perftext_open(struct perftext *t, const char *path, struct bytes bytes,
		   enum perftext_form form, struct notes *notes);
void perftext_close(struct perftext *t);
/* Reads the next event. Its branches and texts are valid until the next call. False at the end. */
bool perftext_next(struct perftext *t, struct perf_event *ret);
void perftext_rewind(struct perftext *t);
