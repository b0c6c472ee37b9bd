/* tame.h - escapes text of files for a terminal.
 *
 * Printable UTF-8 stays unchanged. Control characters, characters that reorder text, and invalid
 * UTF-8 become visible escapes (\n, \x1b, \xff). So a name in a file can neither control the
 * terminal nor break a line. A backslash stays, because paths of Windows have many. */
#pragma once

#include "base/base.h"

/* A character of a text, or a byte that belongs to none */
struct tame {
	size_t size;        /* Bytes of the character in the text */
	size_t escape_size; /* Size of `escape`. 0 if none is needed */
	uint32_t c;         /* The character, if escape_size is 0 */
	char escape[20];    /* Visible form of the text. Ends with NUL */
};

/* Reads the character at pos < s.len. */
void tame_get(struct tame *ret, struct str s, size_t pos);
/* Copies as many characters as fit into `room` bytes (at least 1), with NUL. Splits no character
 * and no escape. */
void tame_copy(char *to, size_t room, struct str s);
