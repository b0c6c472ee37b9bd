/* markdown.h - texts in tables of Markdown (GitHub's and GitLab's): nothing in them is taken for
 * markup.
 *
 * They are code spans, in which only backticks and bars have a meaning.  Control characters become
 * blanks.  What is longer than `most` bytes is cut, with "..." behind. */
#ifndef HEFT_REPORT_MARKDOWN_H
#define HEFT_REPORT_MARKDOWN_H

#include "report/report.h"

void markdown_code(struct sink *s, const char *text, size_t most);

#endif
