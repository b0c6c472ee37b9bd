/* pss.h - sizes in parts of bytes, as text.  They never depend on the locale.  Thread-safe. */
#ifndef HEFT_REPORT_PSS_H
#define HEFT_REPORT_PSS_H

#include "base/json.h"

enum { PSS_MAX = 40 }; /* bytes of the longest text, with its NUL */

/* For people: whole bytes from 10 on, below that one decimal where it is not whole, "~0" for what
 * is neither nothing nor a tenth. */
void pss_text(char out[PSS_MAX], double v);
/* The same of a change: with "+" where it is positive. */
void pss_change(char out[PSS_MAX], double v);
/* For programs: up to three decimals. */
void pss_exact(char out[PSS_MAX], double v);
/* "key": the same. */
void json_member_pss(struct json *j, const char *key, double v);

#endif
