/* text.h - a text buffer that grows. The caller owns it. A zeroed struct is empty. Appending is
 * amortised O(1) per byte. The text does not end with NUL. */
#pragma once

#include "base/digits.h"
#include "base/mem.h"

struct text {
	char *p;
	size_t len, cap;
};

static inline void text_release(struct text *t)
{
	mem_free(t->p);
	*t = (struct text){ 0 };
}

void text_set(struct text *t, struct str s);
void text_add(struct text *t, struct str s);
#define text_add_all(t, ...)                                                                       \
	text_add_list((t), (const char *const[]){ __VA_ARGS__ },                                   \
		      sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))
void text_add_list(struct text *t, const char *const *texts, size_t count);
/* Like text_add_all(), for texts that are struct str. */
#define text_adds(t, ...)                                                                          \
	text_add_strs((t), (const struct str[]){ __VA_ARGS__ },                                    \
		      sizeof((const struct str[]){ __VA_ARGS__ }) / sizeof(struct str))
void text_add_strs(struct text *t, const struct str *texts, size_t count);
void text_add_char(struct text *t, char c);
/* Appends a text and a NUL, as a part of a key or as a string. */
void text_add_part(struct text *t, struct str s);
/* Appends a number in decimal. */
void text_add_number(struct text *t, uint64_t n);
/* Appends a LEB128 number: seven bits per byte, the lowest first. The top bit is set if more
 * follow. */
void text_add_varint(struct text *t, uint64_t v);

/* Returns the text, whose pointer is never NULL. */
static inline struct str text_str(const struct text *t)
{
	return (struct str){ t->p ? t->p : "", t->len };
}

/* Returns the text before the first separator, or all of it. *rest becomes what follows. */
struct str str_take(struct str *rest, char separator);
