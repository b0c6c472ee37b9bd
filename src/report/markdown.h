/* markdown.h - writes texts in tables of Markdown (GitHub's and GitLab's), so that their characters
 * are not markup.
 *
 * Texts are code spans. In code spans, only backticks and bars have a meaning. Control characters
 * become visible escapes. A text longer than `most` bytes is cut, with "..." at the end. */
#pragma once

#include "report/report.h"

void markdown_code(struct sink *s, const char *text, size_t most);
/* Writes a column's title, " TITLE |". A title with characters of markup is a code span. */
void markdown_title(struct sink *s, const char *title);
