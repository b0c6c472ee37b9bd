/* Writes sizes with fractions of bytes as text. */
#include "report/pss.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

/* Writes v in units of 1/scale (scale is a power of ten), without trailing zeros. */
static void pss_put(char out[PSS_MAX], double v, uint64_t scale, const char *sign)
{
	const double units = nearbyint(fabs(v) * (double)scale);
	const uint64_t n = units < 1e18 ? (uint64_t)units : UINT64_C(1000000000000000000);
	uint64_t rest = n % scale;
	char decimals[8];
	int digits = 0;
	for (uint64_t s = scale; s > 1; s /= 10)
		digits++;
	for (; digits > 0 && rest % 10 == 0; digits--)
		rest /= 10;
	decimals[digits] = '\0';
	for (int i = digits; i > 0; rest /= 10)
		decimals[--i] = (char)('0' + rest % 10);
	snprintf(out, PSS_MAX, "%s%" PRIu64 "%s%s", n ? sign : "", n / scale, digits ? "." : "",
		 decimals);
}

static void pss_put_short(char out[PSS_MAX], double v, const char *sign)
{
	const double size = fabs(v);
	if (size < 0.05 && size > 1e-6)
		snprintf(out, PSS_MAX, "~0");
	else
		pss_put(out, v, size < 10 ? 10 : 1, sign);
}

void pss_text(char out[PSS_MAX], double v)
{
	pss_put_short(out, v, v < 0 ? "-" : "");
}

void pss_change(char out[PSS_MAX], double v)
{
	pss_put_short(out, v, v < 0 ? "-" : "+");
}

void pss_exact(char out[PSS_MAX], double v)
{
	pss_put(out, v, 1000, v < 0 ? "-" : "");
}

void json_member_pss(struct json *j, const char *key, double v)
{
	char text[PSS_MAX];
	pss_exact(text, v);
	json_key(j, key);
	json_raw(j, str_of(text));
}

struct shown shown_size(uint64_t size)
{
	struct shown text = { "" };
	number_size(text.p, size, 0);
	return text;
}

struct shown shown_share(uint64_t part, uint64_t whole)
{
	struct shown text = { "" };
	number_percent(text.p, part, whole);
	return text;
}

struct shown shown_parts(double v)
{
	struct shown text = { "" };
	pss_text(text.p, v);
	return text;
}

struct shown shown_change(double v)
{
	struct shown text = { "" };
	pss_change(text.p, v);
	return text;
}

struct shown shown_growth(double now, double base)
{
	struct shown text = { "" };
	number_growth(text.p, whole_of(now), whole_of(base));
	return text;
}
