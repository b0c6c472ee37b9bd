/* Finds the name that all instances of a generic share. */
#define _GNU_SOURCE /* memmem, memrchr */
#include "names/generic.h"

#include "names/rust.h"

#include <ctype.h>
#include <string.h>

/* Recognizes an instance of Go's: "slices.Sort[go.shape.int]" and "main.pair[int].String", but not
 * "-[Class method]". */
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

/* Returns the path in the outer brackets of "<a::B<>>::c". "" for "<A as B>::c" and "<[u8]>::c". */
static struct str rust_self(struct str name)
{
	size_t depth = 0, i = 0;
	if (name.len == 0 || name.p[0] != '<')
		return (struct str){ 0 };
	for (; i < name.len; i++) {
		if (name.p[i] == '<')
			depth++;
		else if (name.p[i] == '>' && name.p[i - 1] != '-' && --depth == 0)
			break;
	}
	const struct str self = { name.p + 1, i > 0 ? i - 1 : 0 };
	const bool is_path = i < name.len && isalpha((unsigned char)name.p[1]) &&
			     memmem(self.p, self.len, "::", 2) &&
			     !memmem(self.p, self.len, " as ", 4);
	return is_path ? self : (struct str){ 0 };
}

/* Writes a Rust name as the older mangling ("_ZN") has it, because programs have names of both.
 * Such functions have no type arguments, except drop_in_place. The type before a method has no
 * angle brackets. */
static struct str rust_instance(const struct str whole, struct text *room)
{
	struct str name = whole;
	const struct str self = rust_self(name);
	ASSERT(self.len < whole.len);
	text_set(room, self);
	if (self.len > 0)
		name = (struct str){ name.p + self.len + 2, name.len - self.len - 2 };
	if (str_ends(name, STR("<>")))
		name.len -= str_ends(name, STR("::<>")) ? 4 : 2;
	while (name.len > 0) {
		const char *const cut = memmem(name.p, name.len, "::<>", 4);
		const size_t size = cut ? (size_t)(cut - name.p) : name.len;
		text_add(room, (struct str){ name.p, size });
		const size_t used = cut ? size + 4 : size;
		name = str_from(name, used);
	}
	return room->len > 0 ? text_str(room) : whole;
}

struct str generic_name(struct demangler *d, struct str raw, struct text *room)
{
	const struct str name = demangle(d, raw, HEFT_NAMES_SHORT);
	if (name.p == raw.p)
		return go_instance(raw, room) ? text_str(room) : raw;
	if (!memmem(name.p, name.len, "<>", 2))
		return demangle(d, raw, HEFT_NAMES_FULL);
	return rust_name(raw) ? rust_instance(name, room) : name;
}
