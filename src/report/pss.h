/* pss.h - writes sizes with fractions of bytes as text. Independent of the locale. Thread-safe. */
#pragma once

#include "base/json.h"
#include "base/number.h"

enum { PSS_MAX = 40 }; /* Size of the longest text, with NUL */

/* Writes v for people: from 10 on as whole bytes, below 10 with one decimal unless v is whole.
 * Writes "~0" if v is above 0 but below a tenth. */
void pss_text(char out[PSS_MAX], double v);
/* Writes a change for people like pss_text(), with "+" if it is positive. */
void pss_change(char out[PSS_MAX], double v);
/* Writes v with at most three decimals, for output that programs read. */
void pss_exact(char out[PSS_MAX], double v);
/* A number as text, made by base/number.h or this file. Returned by value, so that it can be an
 * argument of sink_printf(). */
struct shown {
	char p[NUMBER_MAX];
};
struct shown shown_size(uint64_t size);
struct shown shown_share(uint64_t part, uint64_t whole);
struct shown shown_parts(double v);
struct shown shown_change(double v);
/* Returns the growth in percent, as number_growth() writes it. */
struct shown shown_growth(double now, double base);

/* Writes "key": v in JSON, like pss_exact(). */
void json_member_pss(struct json *j, const char *key, double v);
