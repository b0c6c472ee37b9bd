/* Finds the addresses that a text such as "NAME+4a0" means. */
#include "measure/text_places.h"

static int digit_of(char c, unsigned base)
{
	const int d = c >= '0' && c <= '9'   ? c - '0'
		      : c >= 'a' && c <= 'f' ? c - 'a' + 10
		      : c >= 'A' && c <= 'F' ? c - 'A' + 10
					     : 16;
	return d < (int)base ? d : -1;
}

static bool digits_read(const char *p, unsigned base, uint64_t *ret)
{
	uint64_t n = 0;
	if (*p == '\0')
		return false;
	for (; *p; p++) {
		const int d = digit_of(*p, base);
		if (d < 0 || n > (UINT64_MAX - (uint64_t)d) / base)
			return false;
		n = n * base + (uint64_t)d;
	}
	*ret = n;
	return true;
}

bool place_number(const char *text, uint64_t *ret)
{
	if (strncmp(text, "10#", 3) == 0)
		return digits_read(text + 3, 10, ret);
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	return digits_read(text, 16, ret);
}

static const struct section *text_places_section_named(const struct image *im, struct str name)
{
	each_section(s, im) {
		if (s->alloc && !im->bare &&
		    (str_eq(s->name, name) || str_eq(section_title(s), name)))
			return s;
	}
	return NULL;
}

static bool name_find(struct name_index *n, struct str name, struct text_places *ret)
{
	if (name.len == 0)
		return false;
	ret->section = text_places_section_named(n->im, name);
	if (ret->section)
		return true;
	name_index_find(n, name, &ret->matches);
	ret->surest = name_matches_surest(&ret->matches, 0);
	ASSERT(ret->surest <= ret->matches.count);
	return ret->matches.count > 0;
}

/* True if a text that looks like a number is the name of a symbol. */
static bool is_name_too(struct name_index *n, struct str text)
{
	return !str_starts(text, STR("0x")) && !str_starts(text, STR("0X")) &&
	       !str_starts(text, STR("10#")) &&
	       (name_index_has_hex(n, text) || text_places_section_named(n->im, text));
}

bool text_places_find(struct name_index *n, const char *text, struct text_places *ret)
{
	const struct str all = str_of(text);
	const char *const plus = strrchr(text, '+');
	*ret = (struct text_places){ .matches = ret->matches };
	ret->matches.count = 0;
	ret->is_number = place_number(text, &ret->number);
	if (ret->is_number && !is_name_too(n, all))
		return true;
	if (name_find(n, all, ret)) {
		ret->is_number = false;
		return true;
	}
	return ret->is_number || (plus && place_number(plus + 1, &ret->offset) &&
				  name_find(n, (struct str){ text, (size_t)(plus - text) }, ret));
}

void text_places_release(struct text_places *p)
{
	vec_release(&p->matches);
}
