/* number.h - sizes and percentages as the table shows them.
 *
 * The texts are those of the tool whose table people's scripts and eyes know.  They never
 * depend on the locale of the process.  Thread-safe. */
#ifndef HEFT_BASE_NUMBER_H
#define HEFT_BASE_NUMBER_H

#include "base/base.h"

/* A difference of two unsigned sizes; `size` bytes, 0 is never negative. */
struct change {
	uint64_t size;
	bool negative;
};

static inline struct change change_of(uint64_t now, uint64_t base)
{
	return (struct change){ now < base ? base - now : now - base, now < base };
}

enum { NUMBER_MAX = 40 }; /* bytes of the longest text, with its NUL */

/* "1023", "1.00Ki", "102Ki": at most about four significant characters.  `sign` goes in
 * front ('+', '-'), 0 for none. */
void number_size(char out[NUMBER_MAX], uint64_t size, char sign);

/* The same of a number in decimal: "-4032" becomes "-3.94Ki", "" stays. */
void number_amount(char out[NUMBER_MAX], const char *exact);

/* The same of a change, always with a sign but for 0. */
void number_change(char out[NUMBER_MAX], struct change c);

/* "12.3%" of part in whole; "-" of 0 in 0, "INF%" of anything else in 0. */
void number_percent(char out[NUMBER_MAX], uint64_t part, uint64_t whole);

/* The change from base to now in percent of base: "+12%", "[ = ]", "[NEW]", "[DEL]".  Above 1000 %
 * what is now by what was: "x44", "x12k"; of number_growth_exponent two digits and an exponent:
 * "+43e2%". */
void number_growth(char out[NUMBER_MAX], uint64_t now, uint64_t base);
void number_growth_exponent(char out[NUMBER_MAX], uint64_t now, uint64_t base);

#endif
