/* live_tables.h - the recorder's pages of a living process, as the recorder writes them to a file.
 *
 * Linux, for processes of our own word size.  The process is not stopped: what is copied are whole
 * entries, but counters go on from the first page to the last.  Cost: a look at each 32 KiB of the
 * memory that the process touched, twice, and a copy of the pages. */
#ifndef HEFT_HEAP_LIVE_TABLES_H
#define HEFT_HEAP_LIVE_TABLES_H

#include "base/err.h"

/* Copies the pages of a process to memory that the caller frees (mem_free).  HEFT_EIO where there
 * is no such process (ESRCH) or it may not be looked at (EPERM), HEFT_EUNSUPPORTED where no
 * recorder is in it. */
bool live_tables(uint32_t pid, uint8_t **ret, size_t *ret_size, struct heft_err *err);

#endif
