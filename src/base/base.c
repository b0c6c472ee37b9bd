#include "base/base.h"

#include <stdio.h>

void base_broken(const char *file, int line, const char *condition)
{
	char text[200];
	snprintf(text, sizeof text, "internal error: %s:%d: %s; please report", file, line,
		 condition);
	call_raise(HEFT_EINTERNAL, text);
}
