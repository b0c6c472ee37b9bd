#include "base/os/scratch_memory.h"

#include <string.h>

bool os_scratch_write(struct os_scratch *s, const uint8_t *p, size_t size, uint64_t at)
{
	if (!scratch_reach(s, at + size))
		return false;
	memcpy(s->p + at, p, size);
	return true;
}

void *os_scratch_map(struct os_scratch *s, size_t size)
{
	if (!scratch_reach(s, size))
		return NULL;
	void *p = s->p;
	s->p = NULL;
	return p;
}
