/* page_handle.h - the inside of struct heft_page. Private to api/. */
#ifndef HEFT_API_PAGE_HANDLE_H
#define HEFT_API_PAGE_HANDLE_H

#include "program/session.h"
#include "page/page.h"

struct heft_page {
	struct memory *memory; /* Must be the first field: see handle_new(). */
	struct context context;
	struct page page;
};

#endif
