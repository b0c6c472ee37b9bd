/* deep.c - allocates at stacks that become deeper than the recorder keeps, and shallow again.
 *
 *	deep DEEPEST EACH FROM END
 *
 * At every EACH-th depth, and at all of [FROM, END), takes depth + 1 bytes twice on the way down
 * and twice on the way up.  A call at a depth that is a multiple of three comes from a place of its
 * own, so that a stack tells how deep it is.  Prints the four return addresses that deep.py needs.
 * Built without optimization: every call stays as it is written. */
#include <stdio.h>
#include <stdlib.h>

static unsigned deepest, each, from, end;
static void *calls[2]; /* in descend(), of descend(): at other depths, at multiples of three */
static void *takes[2]; /* in descend(), of take(): on the way down, on the way up */

static void take(unsigned depth, int up)
{
	if (depth % each != 0 && (depth < from || depth >= end))
		return;
	takes[up] = __builtin_return_address(0);
	for (int i = 0; i < 2; i++)
		free(malloc(depth + 1));
}

/* main()'s call is noted too, and forgotten at the depth 2. */
static void descend(unsigned depth)
{
	calls[depth % 3 == 1] = __builtin_return_address(0);
	take(depth, 0);
	if (depth < deepest && depth % 3 == 0)
		descend(depth + 1);
	else if (depth < deepest)
		descend(depth + 1);
	take(depth, 1);
}

int main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	deepest = (unsigned)strtoul(argv[1], NULL, 10);
	each = (unsigned)strtoul(argv[2], NULL, 10);
	from = (unsigned)strtoul(argv[3], NULL, 10);
	end = (unsigned)strtoul(argv[4], NULL, 10);
	descend(0);
	printf("%lu %lu %lu %lu\n", (unsigned long)calls[0], (unsigned long)calls[1],
	       (unsigned long)takes[0], (unsigned long)takes[1]);
	return 0;
}
