/* history_handle.h - what is behind struct heft_history.  Private to api/. */
#ifndef HEFT_API_HISTORY_HANDLE_H
#define HEFT_API_HISTORY_HANDLE_H

#include "heft.h"
#include "store/questions.h"

struct heft_history {
	struct memory *memory; /* first: see handle_new */
	struct store store;
	struct timeline timeline; /* of the builds that were selected last */
	struct steps steps;       /* of the last report; their builds are the store's */
};

#endif
