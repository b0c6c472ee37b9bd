/* finder.h - what is behind struct heft_finder.  Private to api/. */
#ifndef HEFT_API_FINDER_H
#define HEFT_API_FINDER_H

#include "program/wish.h"

struct heft_finder {
	struct memory *memory; /* first: see handle_new */
	struct program_wish wish;
};

#endif
