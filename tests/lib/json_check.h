/* json_check.h - says whether a text is one JSON document (RFC 8259).  For tests. */
#ifndef TESTS_JSON_CHECK_H
#define TESTS_JSON_CHECK_H

#include "base/utf8.h"

struct json_check {
	const char *p; /* NUL-terminated */
	char open[256];
	size_t depth;
};

static inline void json_space(struct json_check *c)
{
	c->p += strspn(c->p, " \t\r\n");
}

static inline bool json_string(struct json_check *c)
{
	if (*c->p++ != '"')
		return false;
	for (; *c->p != '"'; c->p++) {
		if ((unsigned char)*c->p < 0x20)
			return false;
		if (*c->p != '\\')
			continue;
		c->p++;
		if (*c->p == 'u') {
			if (strspn(c->p + 1, "0123456789abcdefABCDEF") < 4)
				return false;
			c->p += 4;
		} else if (!*c->p || !strchr("\"\\/bfnrt", *c->p)) {
			return false;
		}
	}
	c->p++;
	return true;
}

/* A string, number or word. */
static inline bool json_scalar(struct json_check *c)
{
	static const char *const words[] = { "true", "false", "null" };
	if (*c->p == '"')
		return json_string(c);
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		if (strncmp(c->p, words[i], strlen(words[i])) == 0) {
			c->p += strlen(words[i]);
			return true;
		}
	}
	/* heft writes no fractions or exponents. */
	c->p += *c->p == '-';
	const size_t digits = strspn(c->p, "0123456789");
	const bool fine = digits > 0 && (*c->p != '0' || digits == 1);
	c->p += digits;
	return fine;
}

/* "key": of an object. */
static inline bool json_member(struct json_check *c)
{
	json_space(c);
	if (c->open[c->depth - 1] != '{')
		return true;
	if (!json_string(c))
		return false;
	json_space(c);
	return *c->p++ == ':';
}

/* One value with all that is in it.  False where it is no value or nests too deep. */
static inline bool json_value(struct json_check *c)
{
	do {
		json_space(c);
		if (*c->p == '{' || *c->p == '[') {
			if (c->depth == sizeof c->open)
				return false;
			c->open[c->depth++] = *c->p++;
			json_space(c);
			if (*c->p != c->open[c->depth - 1] + 2) {
				if (!json_member(c))
					return false;
				continue;
			}
			c->p++;
			c->depth--;
		} else if (!json_scalar(c)) {
			return false;
		}
		json_space(c);
		/* '{' + 2 is '}', '[' + 2 is ']'. */
		while (c->depth > 0 && *c->p == c->open[c->depth - 1] + 2) {
			c->p++;
			c->depth--;
			json_space(c);
		}
		if (c->depth > 0 && (*c->p++ != ',' || !json_member(c)))
			return false;
	} while (c->depth > 0);
	return true;
}

static inline bool json_is_valid(struct str text)
{
	struct json_check c = { .p = text.p };
	if (!utf8_valid(text) || !json_value(&c))
		return false;
	json_space(&c);
	return c.p == text.p + text.len;
}

#endif
