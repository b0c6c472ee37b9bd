/* Writes texts as code spans of Markdown. */
#include "report/markdown.h"

#include "base/tame.h"
#include "base/utf8.h"

static void put_fence(struct sink *s, size_t count)
{
	for (; count > 0; count--)
		sink_text(s, STR("`"));
}

/* Writes code in a table. A bar would end the cell, so a backslash precedes it, which is not shown.
 * Escapes invalid UTF-8 and characters that change other text, because servers refuse them. */
void markdown_code(struct sink *s, const char *text, size_t most)
{
	const size_t end = utf8_cut(str_of(text), most).len;
	size_t fence = 1; /* One more than the longest run of backticks */
	for (size_t i = 0, run = 0; i < end; i++) {
		run = text[i] == '`' ? run + 1 : 0;
		fence = run + 1 > fence ? run + 1 : fence;
	}
	const bool padded = fence > 1 || end == 0 || text[0] == ' ';
	struct tame t;
	put_fence(s, fence);
	sink_text(s, padded ? STR(" ") : STR(""));
	for (size_t pos = 0; pos < end; pos += t.size) {
		tame_get(&t, (struct str){ text, end }, pos);
		if (t.escape_size > 0)
			sink_text(s, (struct str){ t.escape, t.escape_size });
		else if (t.c == '|')
			sink_text(s, STR("\\|"));
		else
			sink_text(s, (struct str){ text + pos, t.size });
	}
	sink_text(s, text[end] != '\0' ? STR("...") : STR(""));
	sink_text(s, padded ? STR(" ") : STR(""));
	put_fence(s, fence);
}

void markdown_title(struct sink *s, const char *title)
{
	const char *const plain =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 %.";
	sink_text(s, STR(" "));
	if (title[strspn(title, plain)] == '\0')
		sink_text(s, str_of(title));
	else
		markdown_code(s, title, 160);
	sink_text(s, STR(" |"));
}
