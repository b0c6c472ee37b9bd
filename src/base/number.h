/* number.h - formats sizes and percentages for tables.
 *
 * The texts are those of Bloaty, for people and scripts that know it. They do not depend on the
 * locale. Thread-safe. */
#pragma once

#include "base/base.h"

/* Difference of two sizes in bytes. 0 is never negative */
struct change {
	uint64_t size;
	bool negative;
};

static inline struct change change_of(uint64_t now, uint64_t base)
{
	return (struct change){ now < base ? base - now : now - base, now < base };
}

enum { NUMBER_MAX = 40 }; /* Longest text with its NUL */

/* Formats "1023", "1.00Ki", "102Ki": about four characters at most. `sign` comes first: '+', '-',
 * or 0 for none. */
void number_size(char out[NUMBER_MAX], uint64_t size, char sign);

/* Formats a decimal number like number_size(): "-4032" becomes "-3.94Ki", and "" stays "". */
void number_amount(char out[NUMBER_MAX], const char *exact);

void number_change(char out[NUMBER_MAX], struct change c);

/* Formats "12.3%". If `whole` is 0: "-" for part 0, otherwise "INF%". */
void number_percent(char out[NUMBER_MAX], uint64_t part, uint64_t whole);

/* Formats the change from base to now, in percent of base: "+12%", "[ = ]", "[NEW]", "[DEL]". Above
 * 1000 %, number_growth() writes the factor: "x44", "x12k". number_growth_exponent() writes two
 * digits and an exponent: "+43e2%". */
void number_growth(char out[NUMBER_MAX], uint64_t now, uint64_t base);
void number_growth_exponent(char out[NUMBER_MAX], uint64_t now, uint64_t base);

/* Returns the nearest whole number. 0 if v is NaN or negative. */
static inline uint64_t whole_of(double v)
{
	return v > 0 ? (uint64_t)(v + 0.5) : 0;
}
