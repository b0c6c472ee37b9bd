/* live_tables.h - copies the recorder's pages from a living process, in the form in which the
 * recorder writes them to a file. Linux, for processes with our own word size.
 *
 * The process is not stopped. Only whole entries are copied, but counters may change between the
 * first page and the last. Cost: a test of each 32 KiB of touched memory, twice, and a copy of the
 * pages. */
#ifndef HEFT_HEAP_LIVE_TABLES_H
#define HEFT_HEAP_LIVE_TABLES_H

#include "base/err.h"

/* Copies the pages of a process to memory that the caller frees with mem_free(). HEFT_EIO if there
 * is no such process (ESRCH) or if it may not be read (EPERM). HEFT_EUNSUPPORTED if it has no
 * recorder. */
bool live_tables(uint32_t pid, uint8_t **ret, size_t *ret_size, struct heft_err *err);

#endif
