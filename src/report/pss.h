/* pss.h - writes sizes in parts of bytes as text. Never depends on the locale. Thread-safe. */
#ifndef HEFT_REPORT_PSS_H
#define HEFT_REPORT_PSS_H

#include "base/json.h"
#include "base/number.h"

enum { PSS_MAX = 40 }; /* Bytes of the longest text, with its NUL. */

/* Writes v for people. From 10 on, writes whole bytes. Below 10, writes one decimal unless v is
 * whole. Writes "~0" if v is above 0 but below a tenth. */
void pss_text(char out[PSS_MAX], double v);
/* Writes a change for people, as pss_text() does; with "+" if it is positive. */
void pss_change(char out[PSS_MAX], double v);
/* Writes v with at most three decimals, for output that programs read. */
void pss_exact(char out[PSS_MAX], double v);
/* A text of base/number.h or of this file as a value, for the arguments of sink_printf(). */
struct shown {
	char p[NUMBER_MAX];
};
struct shown shown_size(uint64_t size);
struct shown shown_share(uint64_t part, uint64_t whole);
struct shown shown_parts(double v);
struct shown shown_change(double v);
/* Returns number_growth() of whole bytes. */
struct shown shown_growth(double now, double base);

/* Writes "key": v, in the form of pss_exact(). */
void json_member_pss(struct json *j, const char *key, double v);

#endif
