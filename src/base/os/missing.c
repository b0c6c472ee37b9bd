#include "base/os/missing.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef HEFT_LACKS_MEMMEM
void *memmem(const void *in, size_t in_size, const void *what, size_t size)
{
	const char *p = in, *const end = p + in_size;
	if (size == 0)
		return (char *)(uintptr_t)in;
	while (size <= (size_t)(end - p)) {
		p = memchr(p, *(const unsigned char *)what, (size_t)(end - p) - size + 1);
		if (!p)
			return NULL;
		if (memcmp(p, what, size) == 0)
			return (char *)(uintptr_t)p;
		p++;
	}
	return NULL;
}
#endif

#ifdef HEFT_LACKS_MEMRCHR
void *memrchr(const void *in, int c, size_t size)
{
	const unsigned char *const p = in;
	while (size > 0)
		if (p[--size] == (unsigned char)c)
			return (char *)(uintptr_t)(p + size);
	return NULL;
}
#endif

#ifdef HEFT_LACKS_STRNDUP
char *strndup(const char *text, size_t most)
{
	const char *const end = memchr(text, '\0', most);
	const size_t size = end ? (size_t)(end - text) : most;
	char *ret = malloc(size + 1);
	if (!ret)
		return NULL;
	memcpy(ret, text, size);
	ret[size] = '\0';
	return ret;
}
#endif

#ifdef HEFT_LACKS_GETLINE
ssize_t getline(char **line, size_t *room, FILE *from)
{
	size_t size = 0;
	int c;
	do {
		if (*room - size < 2 || !*line) {
			char *grown = realloc(*line, 2 * *room + 128);
			if (!grown)
				return -1;
			*line = grown;
			*room = 2 * *room + 128;
		}
		c = getc(from);
		if (c != EOF)
			(*line)[size++] = (char)c;
	} while (c != EOF && c != '\n');
	(*line)[size] = '\0';
	return size > 0 ? (ssize_t)size : -1;
}
#endif

#ifdef HEFT_LACKS_FNMATCH

/* Sets *ret to whether the set "[...]" has the character. `set` is after the bracket. Returns the
 * end of the set, or NULL if "]" is missing. */
static const char *set_match(const char *set, unsigned char c, bool *ret)
{
	static const struct {
		const char *name;
		int (*has)(int c);
	} classes[] = {
		{ "[:alnum:]", isalnum }, { "[:alpha:]", isalpha }, { "[:blank:]", isblank },
		{ "[:cntrl:]", iscntrl }, { "[:digit:]", isdigit }, { "[:graph:]", isgraph },
		{ "[:lower:]", islower }, { "[:print:]", isprint }, { "[:punct:]", ispunct },
		{ "[:space:]", isspace }, { "[:upper:]", isupper }, { "[:xdigit:]", isxdigit },
	};
	const bool no = *set == '!' || *set == '^';
	bool found = false;
	set += no;
	for (const char *first = set; *set != ']' || set == first;) {
		size_t named = 0;
		for (size_t i = 0; i < sizeof classes / sizeof *classes && !named; i++)
			if (strncmp(set, classes[i].name, strlen(classes[i].name)) == 0) {
				named = strlen(classes[i].name);
				found |= classes[i].has(c) != 0;
			}
		set += named;
		if (named)
			continue;
		set += *set == '\\' && set[1] != '\0';
		const unsigned char low = (unsigned char)*set;
		unsigned char high = low;
		if (low == '\0')
			return NULL;
		if (set[1] == '-' && set[2] != ']' && set[2] != '\0') {
			set += 2;
			set += *set == '\\' && set[1] != '\0';
			high = (unsigned char)*set;
		}
		found |= low <= c && c <= high;
		set++;
	}
	*ret = found != no;
	return set + 1;
}

/* True if a character matches the first element of a pattern. Moves *pattern to the next one. */
static bool one_match(const char **pattern, unsigned char c)
{
	const char *p = *pattern;
	bool in_set;
	if (*p == '[') {
		const char *const behind = set_match(p + 1, c, &in_set);
		if (behind) {
			*pattern = behind;
			return in_set;
		}
	}
	const bool plain = *p == '\\' && p[1] != '\0';
	p += plain;
	*pattern = p + 1;
	return (*p == '?' && !plain) || (unsigned char)*p == c;
}

/* Matches a text with a pattern of "*", "?" and "[...]". If they differ, the last star takes one
 * more character. Earlier stars need no other try, because the text before the last star matches
 * as early as possible. */
int fnmatch(const char *pattern, const char *text, int flags)
{
	const char *star = NULL, *from = NULL;
	(void)flags;
	while (*text != '\0') {
		const char *next = pattern;
		if (*pattern == '*') {
			star = ++pattern;
			from = text;
		} else if (*pattern != '\0' && one_match(&next, (unsigned char)*text)) {
			pattern = next;
			text++;
		} else if (star) {
			pattern = star;
			text = ++from;
		} else {
			return 1;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern != '\0';
}

#endif
