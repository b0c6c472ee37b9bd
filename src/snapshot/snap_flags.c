/* Finds flags of symbols by their names, and writes flags as words. */
#include "snapshot/snapshot.h"

#include <string.h>

uint16_t snap_piece_flags(struct str name)
{
	static const struct {
		const char *word;
		uint16_t flag;
	} words[] = {
		{ ".startup", SNAP_STARTUP },
		{ ".unlikely", SNAP_UNLIKELY },
		{ ".rel.local", SNAP_REL_LOCAL },
		{ ".rel", SNAP_REL },
		{ ".hot", SNAP_HOT },
	};
	const char *dot = name.len > 1 ? memchr(name.p + 1, '.', name.len - 1) : NULL;
	const size_t skip = dot ? (size_t)(dot - name.p) : name.len;
	const struct str rest = { name.p + skip, name.len - skip };
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		const struct str word = str_of(words[i].word);
		if (str_starts(rest, word) && (rest.len == word.len || rest.p[word.len] == '.'))
			return words[i].flag;
	}
	return 0;
}

uint16_t snap_name_flags(struct supersize_name *work, struct str name)
{
	const struct str ends[] = { STR(".cold"), STR(" [clone .cold]") };
	if (name.len == 0 || name.p[0] == '[')
		return 0;
	/* The number in the name of a library such as "libc.so.6" is not a clone's suffix. */
	const bool library = str_find(name, STR(".so.")) < name.len;
	supersize_split(work, name, library ? 0 : SUPERSIZE_TEXT);
	uint16_t flags = (uint16_t)work->flags;
	for (size_t i = 0; i < COUNT_OF(ends); i++)
		if (str_ends(name, ends[i]))
			flags |= SNAP_UNLIKELY;
	if (str_starts(name, STR("_GLOBAL__sub_I_")))
		flags |= SNAP_STARTUP;
	return flags;
}

void snap_flag_add(struct text *to, const char *word)
{
	if (to->len > 0)
		text_add(to, STR(", "));
	text_add(to, str_of(word));
}

void snap_flag_words(struct text *to, unsigned flags)
{
	static const struct {
		unsigned flag;
		const char *word;
	} words[] = {
		{ SNAP_UNLIKELY, "cold" },   { SNAP_HOT, "hot" },
		{ SNAP_STARTUP, "startup" }, { SNAP_GENERATED, "generated" },
		{ SNAP_CLONE, "clone" },     { SNAP_ANONYMOUS, "anonymous namespace" },
	};
	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (flags & words[i].flag)
			snap_flag_add(to, words[i].word);
}
