#include "report/markdown.h"

static bool is_plain(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       (c != '\0' && strchr(" ,./:;=+-()\"'%?{}^$", c)) || (unsigned char)c >= 0x80;
}

/* A cut must not part a character of UTF-8. */
static size_t cut_at(const char *text, size_t most)
{
	const size_t size = strlen(text);
	if (size <= most)
		return size;
	while (most > 0 && ((unsigned char)text[most] & 0xc0) == 0x80)
		most--;
	return most;
}

void markdown_text(struct sink *s, const char *text, size_t most)
{
	const size_t end = cut_at(text, most);
	for (size_t i = 0; i < end; i++) {
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			sink_text(s, STR(" "));
		else if (is_plain(text[i]))
			sink_text(s, (struct str){ text + i, 1 });
		else
			sink_printf(s, "&#%u;", (unsigned char)text[i]);
	}
	if (text[end] != '\0')
		sink_text(s, STR("..."));
}

void markdown_code(struct sink *s, const char *text, size_t most)
{
	sink_text(s, STR("<code>"));
	markdown_text(s, text, most);
	sink_text(s, STR("</code>"));
}
