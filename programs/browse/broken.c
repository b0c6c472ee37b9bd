/* Ends a process if an invariant of heft fails outside of the library. */
#include "base/base.h"

#include "browse/paint.h"

#include <stdio.h>
#include <stdlib.h>

enum { EXIT_BUG = 3 };

void base_broken(const char *file, int line, const char *condition)
{
	paint_end();
	fprintf(stderr, "heft: internal error: %s:%d: %s; please report\n", file, line, condition);
	exit(EXIT_BUG);
}
