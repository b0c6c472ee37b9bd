/* scratch_memory.h - struct os_scratch in memory, for Windows and WASI. Private to base/os/. */
#pragma once

#include "base/os/os.h"

/* Makes the first `end` bytes usable. New bytes are 0. False if there is no memory. */
bool scratch_reach(struct os_scratch *s, uint64_t end);
