/* structs.h - checks and copies structs of the public interface. Later versions of heft may add
 * members to them. Private to api/.
 *
 * The first member of each struct is its size, as compiled into the caller. A size below the
 * struct's first version means that the caller forgot to set it. All structs are still in their
 * first version. A struct that grows later passes its first size to the check. */
#pragma once

#include "base/err.h"

#include <string.h>

/* Copies `made` into the caller's struct, up to its size. Bytes beyond heft's struct become 0.
 * Returns true. */
static inline bool give(void *ret, const void *made, size_t made_size)
{
	size_t room;
	memcpy(&room, ret, sizeof room);
	const size_t both = room < made_size ? room : made_size;
	ASSERT(both >= sizeof room);
	if (both > sizeof room)
		memcpy((char *)ret + sizeof room, (const char *)made + sizeof room,
		       both - sizeof room);
	if (room > made_size)
		memset((char *)ret + made_size, 0, room - made_size);
	return true;
}

/* False, with HEFT_EARG, if the caller's struct has a size below `first` bytes. */
static inline bool struct_stated(const void *given, size_t first, const char *name,
				 struct heft_err *err)
{
	size_t room;
	memcpy(&room, given, sizeof room);
	return room >= first ||
	       fail(err, HEFT_EARG, HEFT_NO_OFFSET,
		    "struct %s: its member size is %zu; set it to sizeof(struct %s), which is %zu",
		    name, room, name, first);
}

/* Copies the options that heft knows. NULL leaves *to unchanged. Fails as struct_stated() does. */
static inline bool options_take(void *to, const void *given, size_t first, const char *name,
				struct heft_err *err)
{
	size_t room;
	if (!given)
		return true;
	memcpy(&room, given, sizeof room);
	if (!struct_stated(given, first, name, err))
		return false;
	memcpy(to, given, room < first ? room : first);
	return true;
}

#define STATED(name, given, err)   struct_stated((given), sizeof(struct name), #name, (err))
#define TAKE(name, to, given, err) options_take((to), (given), sizeof(struct name), #name, (err))

/* Sets the error for an index beyond the end of a list. */
static inline bool absent(struct heft_err *err)
{
	return fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET, "there is no element of this number");
}
