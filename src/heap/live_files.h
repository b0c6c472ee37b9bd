/* live_files.h - files that a living process has mapped (Linux). */
#ifndef HEFT_HEAP_LIVE_FILES_H
#define HEFT_HEAP_LIVE_FILES_H

#include "base/arena.h"

/* A path by which the file that is mapped at the start of a module can be opened, even if it has no
 * name any more (/proc/PID/map_files, proc(5)); in `a`.  NULL where there is none, or it may not be
 * looked at. */
const char *live_mapped_file(uint32_t pid, uint64_t start, struct arena *a);

#endif
