/* markdown.h - texts in tables of Markdown (GitHub's and GitLab's): nothing in them is taken for markup.
 *
 * Bytes that would end the cell or start markup become character references; control characters blanks.
 * What is longer than `most` bytes is cut, with "..." behind. */
#ifndef HEFT_REPORT_MARKDOWN_H
#define HEFT_REPORT_MARKDOWN_H

#include "report/report.h"

void markdown_text(struct sink *s, const char *text, size_t most);
/* In the type of code. */
void markdown_code(struct sink *s, const char *text, size_t most);

#endif
