#include "base/base.h"

#include <stdio.h>

void base_broken(const char *file, int line, const char *condition)
{
	char text[200];
	snprintf(text, sizeof text, "internal error: %s:%d: %s; please report", file, line,
		 condition);
	call_raise(HEFT_EINTERNAL, text);
}

size_t str_find(struct str s, struct str word)
{
	for (size_t i = 0; i + word.len <= s.len; i++) {
		const char *p = memchr(s.p + i, word.p[0], s.len - word.len - i + 1);
		if (!p)
			break;
		i = (size_t)(p - s.p);
		if (memcmp(p, word.p, word.len) == 0)
			return i;
	}
	return s.len;
}
