/* Formats sizes, percentages and changes. */
#include "base/number.h"

#include "base/digits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Formats one double like snprintf(), with a decimal point in any locale. */
static void format_double(char out[NUMBER_MAX], const char *fmt, double v)
{
	char half[NUMBER_MAX];
	snprintf(out, NUMBER_MAX, fmt, v);
	if (strchr(out, '.'))
		return;
	/* Now `half` is "0", the locale's decimal point, "5". */
	snprintf(half, sizeof half, "%.1f", 0.5);
	const size_t size = strlen(half) - 2;
	half[1 + size] = '\0';
	char *separator = size > 0 ? strstr(out, half + 1) : NULL;
	if (!separator)
		return;
	*separator = '.';
	memmove(separator + 1, separator + size, strlen(separator + size) + 1);
}

/* Formats v >= 0 with `decimals` (0 to 2) places. Rounds as printf does: to the nearest, by the
 * exact binary value. Calls printf only if v is close to the middle between two results. */
static void number_put_fixed(char out[NUMBER_MAX], double v, unsigned decimals)
{
	static const double scales[] = { 1, 10, 100 };
	static const char *const formats[] = { "%.0F", "%.1F", "%.2F" };
	ASSERT(decimals < COUNT_OF(scales));
	const double scaled = v * scales[decimals];
	const double whole = floor(scaled), rest = scaled - whole;
	if (!(scaled < 1e9) || fabs(rest - 0.5) < 1e-6) {
		format_double(out, formats[decimals], v);
		return;
	}
	const uint64_t n = (uint64_t)whole + (rest > 0.5);
	const uint64_t scale = (uint64_t)scales[decimals];
	char text[NUMBER_MAX], *end = text + sizeof text;
	char *p = end;
	if (decimals > 0) {
		/* Adding the scale keeps zeros after the point. Its digit 1 becomes the point. */
		p = decimal_before(p, n % scale + scale);
		*p = '.';
	}
	p = decimal_before(p, n / scale);
	memcpy(out, p, (size_t)(end - p));
	out[end - p] = '\0';
}

static char *number_append(char *to, const char *text)
{
	const size_t n = strlen(text);
	memcpy(to, text, n + 1);
	return to + n;
}

void number_size(char out[NUMBER_MAX], uint64_t size, char sign)
{
	static const char *const suffixes[] = { "", "Ki", "Mi", "Gi" };
	ASSERT(sign == '\0' || sign == '+' || sign == '-');
	double v = (double)size;
	size_t n = 0;
	/* Bloaty divides only above 1024, so 1 MiB is "1024Ki". It has no Ti. */
	while (v > 1024 && n + 1 < COUNT_OF(suffixes)) {
		v /= 1024;
		n++;
	}
	if (sign)
		*out++ = sign;
	if (n == 0 || v > 100) {
		char text[NUMBER_MAX], *end = text + sizeof text - 1;
		*end = '\0';
		out = number_append(out, decimal_before(end, n ? (uint64_t)v : size));
	} else {
		number_put_fixed(out, v, v > 10 ? 1 : 2);
		out += strlen(out);
	}
	number_append(out, suffixes[n]);
}

void number_amount(char out[NUMBER_MAX], const char *exact)
{
	const bool negative = exact[0] == '-';
	out[0] = '\0';
	if (exact[0] != '\0')
		number_size(out, strtoull(exact + negative, NULL, 10), negative ? '-' : '\0');
}

void number_change(char out[NUMBER_MAX], struct change c)
{
	number_size(out, c.size, c.negative ? '-' : c.size ? '+' : '\0');
}

void number_percent(char out[NUMBER_MAX], uint64_t part, uint64_t whole)
{
	if (!whole) {
		number_append(out, part ? "INF%" : "-");
		return;
	}
	number_put_fixed(out, (double)part / (double)whole * 100, 1);
	number_append(out + strlen(out), "%");
}

static const double much = 1000; /* A growth above this many percent is written in a shorter form */

/* Writes the growth in percent, or a word such as "[NEW]", to `out`. Returns true, and writes
 * nothing, if the growth is above `much`. Then the caller writes *ret, in percent, in a shorter
 * form. */
static bool grew_much(char out[NUMBER_MAX], uint64_t now, uint64_t base, double *ret)
{
	const struct change c = change_of(now, base);
	if (c.size == 0 || base == 0 || now == 0) {
		const char *text = c.size == 0 ? "[ = ]" : base == 0 ? "[NEW]" : "[DEL]";
		snprintf(out, NUMBER_MAX, "%s", text);
		return false;
	}
	*ret = (double)c.size / (double)base * (c.negative ? -100 : 100);
	if (*ret > much)
		return true;
	format_double(out, *ret > 10 ? "%+.0f%%" : "%+.1F%%", *ret);
	return false;
}

void number_growth(char out[NUMBER_MAX], uint64_t now, uint64_t base)
{
	static const char *const suffixes[] = { "", "k", "M", "G", "T" };
	double growth;
	size_t n = 0;
	if (!grew_much(out, now, base, &growth))
		return;
	double times = (double)now / (double)base;
	for (; times >= 9999.5 && n + 1 < COUNT_OF(suffixes); n++)
		times /= 1000;
	snprintf(out, NUMBER_MAX, "x%.0f%s", times, suffixes[n]);
}

void number_growth_exponent(char out[NUMBER_MAX], uint64_t now, uint64_t base)
{
	double v;
	/* Two digits and an exponent keep the column narrow. */
	char digits[NUMBER_MAX];
	unsigned exponent = 0;
	if (!grew_much(out, now, base, &v))
		return;
	for (; v >= 99.5; v /= 10)
		exponent++;
	format_double(digits, "%+.0f", v);
	snprintf(out, NUMBER_MAX, "%.20se%u%%", digits, exponent);
}
