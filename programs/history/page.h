/* page.h - shows a history as tabs of a page. */
#ifndef HEFT_HISTORY_PAGE_H
#define HEFT_HISTORY_PAGE_H

#include "history/choose.h"

/* Builds and charts to show. All zero: all builds. */
struct history_page_opts {
	struct build_filter filter;
	/* Additional charts after those of the file, the VM image and the usual sections. Names as
	 * for series_make(). A name that no build has is skipped. */
	const char *const *names;
	size_t name_count;
	/* Number of builds that are compared with the previous build. 0 means 20. One half are the
	 * latest builds, the other half those that changed the file and the VM image most. */
	uint32_t steps;
};

/* Adds a tab per product and configuration: sizes over all builds and, for some builds, their
 * changes, symbol by symbol. HEFT_ENOTFOUND if there is no build. */
bool history_page_add(struct heft_page *p, struct history *h, const struct history_page_opts *opts,
		      struct heft_err *err);

#endif
