/* scratch_memory.h - keeps scratch in memory, on systems without nameless files. Private to
 * base/os/. */
#ifndef HEFT_BASE_OS_SCRATCH_MEMORY_H
#define HEFT_BASE_OS_SCRATCH_MEMORY_H

#include "base/os/os.h"

/* Makes the first `end` bytes of the scratch usable. New bytes are 0. False without memory. */
bool scratch_reach(struct os_scratch *s, uint64_t end);

#endif
