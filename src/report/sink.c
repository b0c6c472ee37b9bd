/* Collects output in a buffer and passes it to the user's sink. */
#include "report/report.h"

#include "base/err.h"
#include "report/label_text.h"

#include <stdarg.h>
#include <stdio.h>

bool sink_flush(struct sink *s)
{
	ASSERT(s->used <= sizeof s->buffer);
	if (!s->failed && s->used > 0 && !s->to.write(s->to.ctx, s->buffer, s->used))
		s->failed = true;
	s->used = 0;
	return !s->failed;
}

static bool not_taken(struct heft_err *err)
{
	return fail(err, HEFT_EIO, HEFT_NO_OFFSET, "the output took no more");
}

bool sink_end(struct sink *s, struct heft_err *err)
{
	return sink_flush(s) || not_taken(err);
}

bool sink_once(const struct heft_sink *to, const void *data, size_t size, struct heft_err *err)
{
	return size == 0 || to->write(to->ctx, data, size) || not_taken(err);
}

void sink_text(struct sink *s, struct str text)
{
	if (text.len > sizeof s->buffer - s->used)
		sink_flush(s);
	if (s->failed || text.len == 0)
		return;
	if (text.len >= sizeof s->buffer) {
		if (!s->to.write(s->to.ctx, text.p, text.len))
			s->failed = true;
		return;
	}
	memcpy(s->buffer + s->used, text.p, text.len);
	s->used += text.len;
}

void sink_hex(struct sink *s, uint64_t n)
{
	char digits[18];
	size_t at = sizeof digits;
	do {
		digits[--at] = "0123456789abcdef"[n % 16];
		n /= 16;
	} while (n > 0);
	digits[--at] = 'x';
	digits[--at] = '0';
	sink_text(s, (struct str){ digits + at, sizeof digits - at });
}

void sink_right(struct sink *s, struct str text, size_t width)
{
	static const char blanks[] = "                                ";
	size_t left = width > text.len ? width - text.len : 0;
	while (left > 0) {
		const size_t n = left < sizeof blanks - 1 ? left : sizeof blanks - 1;
		sink_text(s, (struct str){ blanks, n });
		left -= n;
	}
	sink_text(s, text);
}

/* Writes the text. If `escape`, writes all control characters as visible escapes, except a line end
 * at the end of `fmt`. */
static void sink_vprintf(struct sink *s, bool escape, const char *fmt, va_list args)
{
	char small[512];
	va_list again;
	va_copy(again, args);
	const int n = vsnprintf(small, sizeof small, fmt, args);
	ASSERT(n >= 0);
	const size_t len = (size_t)n;
	char *text = len < sizeof small ? small : mem_alloc(len + 1);
	if (text != small)
		vsnprintf(text, len + 1, fmt, again);
	va_end(again);
	const bool line = escape && fmt[0] != '\0' && fmt[strlen(fmt) - 1] == '\n';
	if (escape)
		label_put(s, (struct str){ text, len - line }, 0);
	else
		sink_text(s, (struct str){ text, len });
	if (line)
		sink_text(s, STR("\n"));
	if (text != small)
		mem_free(text);
}

void sink_printf(struct sink *s, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	sink_vprintf(s, false, fmt, args);
	va_end(args);
}

void label_printf(struct sink *s, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	sink_vprintf(s, true, fmt, args);
	va_end(args);
}

static void sink_put_json(void *ctx, const char *p, size_t size)
{
	sink_text(ctx, (struct str){ p, size });
}

static void text_put_json(void *ctx, const char *p, size_t size)
{
	text_add(ctx, (struct str){ p, size });
}

struct json text_json(struct text *t)
{
	return (struct json){ .put = text_put_json, .ctx = t };
}

struct json sink_json(struct sink *s)
{
	return (struct json){ .put = sink_put_json, .ctx = s };
}
