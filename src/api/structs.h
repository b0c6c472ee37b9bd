/* structs.h - structs of the public interface that may grow.  Private to api/.
 *
 * The first member of each is its size, as the caller's compiler knows it. */
#ifndef HEFT_API_STRUCTS_H
#define HEFT_API_STRUCTS_H

#include "base/base.h"

#include <string.h>

/* Fills the caller's struct as far as it reaches; what it has beyond ours becomes 0. */
static inline void give(void *ret, const void *made, size_t made_size)
{
	size_t room;
	memcpy(&room, ret, sizeof room);
	const size_t both = room < made_size ? room : made_size;
	if (both > sizeof room)
		memcpy((char *)ret + sizeof room, (const char *)made + sizeof room,
		       both - sizeof room);
	if (room > made_size)
		memset((char *)ret + made_size, 0, room - made_size);
}

/* Copies options that the caller gave, as far as we know them; NULL leaves ours as they are. */
static inline void take_options(void *to, size_t size, const void *given)
{
	size_t room;
	if (!given)
		return;
	memcpy(&room, given, sizeof room);
	memcpy(to, given, room < size ? room : size);
}

#endif
