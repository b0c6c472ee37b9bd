/* perftext.h - samples as text, line by line, as the events of perfdata.h.
 *
 * PERFTEXT_SCRIPT is what `perf script -F ip,brstack` prints: an address in hexadecimal digits and
 * then branches, FROM/TO/M|P|-/..., the newest first.  Other words of a line are passed over.
 * Lines of --show-mmap-events become PERF_MAP events.
 *
 * PERFTEXT_ADDRESSES is a line an address: hexadecimal digits, perhaps 0x before, perhaps a decimal
 * count behind; "#" begins a comment.
 *
 * Neither says which process it was: pid is PERF_NO_PROCESS.  Lines that are none of this are a
 * note. One thread. */
#ifndef HEFT_BLOCKS_PERFTEXT_H
#define HEFT_BLOCKS_PERFTEXT_H

#include "blocks/perfdata.h"

enum perftext_form { PERFTEXT_SCRIPT, PERFTEXT_ADDRESSES };

struct perftext {
	const char *path; /* borrowed, as all the rest */
	struct bytes bytes;
	enum perftext_form form;
	/* private */
	struct notes *notes;
	uint64_t pos;
	uint8_t build_id[20]; /* of the mapping read last */
	VEC(struct perf_branch) branches;
};

void perftext_open(struct perftext *t, const char *path, struct bytes bytes,
		   enum perftext_form form, struct notes *notes);
void perftext_close(struct perftext *t);
/* The next event; branches and texts hold until the call after. */
bool perftext_next(struct perftext *t, struct perf_event *ret);
void perftext_rewind(struct perftext *t);

#endif
