#define _GNU_SOURCE /* memmem, memrchr */
#include "names/generic.h"

#include <ctype.h>
#include <string.h>

/* "slices.Sort[go.shape.int]" and "main.pair[int].String", but not "-[Class method]". */
static bool go_instance(struct str raw, struct text *room)
{
	const char *const open = raw.len > 0 ? memchr(raw.p, '[', raw.len) : NULL;
	const char *const close = open ? memrchr(raw.p, ']', raw.len) : NULL;
	if (!close || close < open || open == raw.p || !isalnum((unsigned char)open[-1]))
		return false;
	text_set(room, (struct str){ raw.p, (size_t)(open - raw.p) });
	text_add(room, STR("[...]"));
	text_add(room, (struct str){ close + 1, (size_t)(raw.p + raw.len - close) - 1 });
	return true;
}

struct str generic_name(struct demangler *d, struct str raw, struct text *room)
{
	const struct str name = demangle(d, raw, HEFT_NAMES_SHORT);
	if (name.p == raw.p)
		return go_instance(raw, room) ? text_str(room) : raw;
	return memmem(name.p, name.len, "<>", 2) ? name : demangle(d, raw, HEFT_NAMES_FULL);
}
