/* page.h - shows a history as tabs of an HTML page. */
#pragma once

#include "history/choose.h"

/* Selects builds and charts. If all zero: all builds. */
struct history_page_opts {
	struct build_filter filter;
	/* Names of charts, as for series_make(), in addition to those of the file, the VM image and
	 * the usual sections. A name that no build has is skipped. */
	const char *const *names;
	size_t name_count;
	/* Number of builds that are compared with the previous build. 0 means 20. Half are the
	 * latest builds, half those that changed the file and the VM image most. */
	uint32_t steps;
};

/* Adds a tab per product and configuration: sizes over all builds and, for some builds, the changes
 * of their symbols. HEFT_ENOTFOUND if there is no build. */
bool history_page_add(struct heft_page *p, struct history *h, const struct history_page_opts *opts,
		      struct heft_err *err);
