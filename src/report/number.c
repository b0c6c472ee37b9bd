#include "report/number.h"

#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>

/* snprintf of one double with a point as decimal separator, whatever the locale says. */
static void format_double(char out[NUMBER_MAX], const char *fmt, double v)
{
	snprintf(out, NUMBER_MAX, fmt, v);
	if (strcmp(nl_langinfo(RADIXCHAR), ".") == 0)
		return;
	const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	if (!plain)
		return;
	const locale_t old = uselocale(plain);
	snprintf(out, NUMBER_MAX, fmt, v);
	uselocale(old);
	freelocale(plain);
}

void number_size(char out[NUMBER_MAX], uint64_t size, char sign)
{
	static const char *const suffixes[] = { "", "Ki", "Mi", "Gi" };
	double v = (double)size;
	size_t n = 0;
	/* Strictly more than 1024, so 1 MiB is "1024Ki"; there is no Ti. */
	while (v > 1024 && n + 1 < COUNT_OF(suffixes)) {
		v /= 1024;
		n++;
	}
	const char sign_text[2] = { sign, '\0' };
	char digits[NUMBER_MAX];
	if (n == 0 || v > 100)
		snprintf(digits, sizeof digits, "%" PRIu64, n ? (uint64_t)v : size);
	else
		format_double(digits, v > 10 ? "%.1f" : "%.2f", v);
	snprintf(out, NUMBER_MAX, "%s%.20s%s", sign_text, digits, suffixes[n]);
}

void number_change(char out[NUMBER_MAX], struct change c)
{
	number_size(out, c.size, c.negative ? '-' : c.size ? '+' : '\0');
}

void number_percent(char out[NUMBER_MAX], uint64_t part, uint64_t whole)
{
	double v = part ? (double)INFINITY : (double)NAN;
	if (whole)
		v = (double)part / (double)whole * 100;
	format_double(out, "%.1F%%", v);
}

void number_growth(char out[NUMBER_MAX], uint64_t now, uint64_t base)
{
	const struct change c = change_of(now, base);
	if (c.size == 0 || base == 0 || now == 0) {
		const char *text = c.size == 0 ? "[ = ]" : base == 0 ? "[NEW]" : "[DEL]";
		snprintf(out, NUMBER_MAX, "%s", text);
		return;
	}
	double v = (double)c.size / (double)base * (c.negative ? -100 : 100);
	if (v <= 1000) {
		format_double(out, v > 10 ? "%+.0f%%" : "%+.1F%%", v);
		return;
	}
	/* Two significant digits and an exponent keep the column narrow. */
	char digits[NUMBER_MAX];
	unsigned exponent = 0;
	for (; v >= 99.5; v /= 10)
		exponent++;
	format_double(digits, "%+.0f", v);
	snprintf(out, NUMBER_MAX, "%.20se%u%%", digits, exponent);
}
