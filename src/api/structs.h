/* structs.h - structs of the public interface that may grow.  Private to api/.
 *
 * The first member of each is its size, as the caller's compiler has it.  A size below that of the
 * struct's first version is one that the caller forgot to set.  All first versions are those of
 * today; a struct that grows afterwards says its first size where it is checked. */
#ifndef HEFT_API_STRUCTS_H
#define HEFT_API_STRUCTS_H

#include "base/err.h"

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

/* HEFT_EARG where the struct of the caller states less than `first` bytes. */
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

/* Copies options that the caller gave, as far as they are known; NULL leaves *to as it is. */
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

/* Past the end of a list. */
static inline bool absent(struct heft_err *err)
{
	return fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET, "there is no element of this number");
}

#endif
