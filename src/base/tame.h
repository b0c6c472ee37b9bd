/* tame.h - text of strangers as a terminal may see it.
 *
 * Printable UTF-8 stays as it is.  Control characters, characters that reorder text and bytes that
 * are no UTF-8 become visible escapes (\n, \x1b, \xff), so that a name in a file can neither drive
 * the terminal nor break a line.  A backslash stays: paths of Windows programs are full of them. */
#ifndef HEFT_BASE_TAME_H
#define HEFT_BASE_TAME_H

#include "base/base.h"

/* What starts at a place in a text: a character, or a byte that is part of none. */
struct tame {
	size_t size;        /* bytes of the text */
	size_t escape_size; /* bytes of `escape`; 0: the text may stand as it is */
	uint32_t c;         /* the character, where escape_size is 0 */
	char escape[20];    /* NUL-terminated */
};

/* pos < s.len. */
void tame_get(struct tame *ret, struct str s, size_t pos);
/* Writes what fits into `room` bytes (at least 1) with a NUL behind it; splits nothing. */
void tame_copy(char *to, size_t room, struct str s);

#endif
