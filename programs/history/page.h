/* page.h - a history as tabs of a page. */
#ifndef HEFT_HISTORY_PAGE_H
#define HEFT_HISTORY_PAGE_H

#include "history/choose.h"

/* What is shown of a history.  Zeroed: all builds. */
struct history_page_opts {
	struct build_filter filter;
	/* Charts beside those of the file, the VM image and the usual sections: names as
	 * series_make takes them.  What no build has gets none. */
	const char *const *names;
	size_t name_count;
	/* So many builds are compared with the one before; 0: 20.  Half of them are the latest, the
	 * others those that changed the file and the VM image most. */
	uint32_t steps;
};

/* A tab for each product and configuration: the sizes over all builds, and of some what each
 * changed, symbol by symbol.  HEFT_ENOTFOUND where there is no build. */
bool history_page_add(struct heft_page *p, struct history *h, const struct history_page_opts *opts,
		      struct heft_err *err);

#endif
