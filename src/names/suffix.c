#include "names/suffix.h"

static bool is_suffix_word(struct str s)
{
	static const char *const words[] = { "cold",     "constprop",  "isra",    "llvm",
					     "lto_priv", "part",       "clone",   "__part",
					     "__uniq",   "localalias", "unlikely" };
	size_t digits = 0;
	while (digits < s.len && s.p[digits] >= '0' && s.p[digits] <= '9')
		digits++;
	if (digits > 0 && digits == s.len)
		return true;
	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (str_eq(s, str_of(words[i])))
			return true;
	return false;
}

struct str suffix_without_promotion(struct str name)
{
	const struct str mark = STR(".llvm.");
	struct str base = name;
	while (base.len > 0 && base.p[base.len - 1] >= '0' && base.p[base.len - 1] <= '9')
		base.len--;
	const bool promoted = base.len < name.len && base.len > mark.len && str_ends(base, mark);
	return promoted ? (struct str){ base.p, base.len - mark.len } : name;
}

size_t suffix_start(struct str name)
{
	size_t end = name.len;
	for (size_t i = name.len; i > 1; i--) {
		if (name.p[i - 1] != '.')
			continue;
		if (!is_suffix_word((struct str){ name.p + i, end - i }))
			break;
		end = i - 1;
	}
	ASSERT(end <= name.len);
	return end > 0 ? end : name.len;
}
