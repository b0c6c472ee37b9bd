/* tame.h - escapes text of files for a terminal.
 *
 * Printable UTF-8 stays unchanged. Control characters, characters that reorder text, and invalid
 * UTF-8 become visible escapes (\n, \x1b, \xff). So a name in a file can neither control the
 * terminal nor break a line. A backslash stays, because paths of Windows have many. */
#ifndef HEFT_BASE_TAME_H
#define HEFT_BASE_TAME_H

#include "base/base.h"

/* A character of a text, or a byte that is not part of a character. */
struct tame {
	size_t size;        /* Size in the text, in bytes */
	size_t escape_size; /* Size of `escape` in bytes. 0 if no escape is needed */
	uint32_t c;         /* The character, if escape_size is 0 */
	char escape[20];    /* NUL-terminated */
};

/* Reads the character at pos < s.len. */
void tame_get(struct tame *ret, struct str s, size_t pos);
/* Copies as many characters as fit into `room` bytes (at least 1) with a final NUL. Does not split
 * characters or escapes. */
void tame_copy(char *to, size_t room, struct str s);

#endif
