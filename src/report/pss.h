/* pss.h - sizes in parts of bytes, as text.  They never depend on the locale.  Thread-safe. */
#ifndef HEFT_REPORT_PSS_H
#define HEFT_REPORT_PSS_H

#include "base/json.h"
#include "base/number.h"

enum { PSS_MAX = 40 }; /* bytes of the longest text, with its NUL */

/* The nearest whole number of bytes; 0 below 0. */
static inline uint64_t bytes_of(double v)
{
	return v > 0 ? (uint64_t)(v + 0.5) : 0;
}

/* For people: whole bytes from 10 on, below that one decimal where it is not whole, "~0" for what
 * is neither nothing nor a tenth. */
void pss_text(char out[PSS_MAX], double v);
/* The same of a change: with "+" where it is positive. */
void pss_change(char out[PSS_MAX], double v);
/* For programs: up to three decimals. */
void pss_exact(char out[PSS_MAX], double v);
/* Texts of base/number.h and of this file as values, for the arguments of sink_printf. */
struct shown {
	char p[NUMBER_MAX];
};
struct shown shown_size(uint64_t size);
struct shown shown_share(uint64_t part, uint64_t whole);
struct shown shown_parts(double v);
struct shown shown_change(double v);
/* number_growth of whole bytes. */
struct shown shown_growth(double now, double base);

/* "key": the same. */
void json_member_pss(struct json *j, const char *key, double v);

#endif
