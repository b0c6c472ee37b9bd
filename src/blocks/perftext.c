/* Reads samples from text, line by line. */
#include "blocks/perftext.h"

/* The part of a line that is not read yet */
struct perftext_cursor {
	const char *p, *end;
};

static bool perftext_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void perftext_skip_blanks(struct perftext_cursor *c)
{
	while (c->p < c->end && perftext_is_blank(*c->p))
		c->p++;
}

static struct str perftext_next_word(struct perftext_cursor *c)
{
	perftext_skip_blanks(c);
	const char *start = c->p;
	while (c->p < c->end && !perftext_is_blank(*c->p))
		c->p++;
	return (struct str){ start, (size_t)(c->p - start) };
}

static bool skip_char(struct perftext_cursor *c, char wanted)
{
	if (c->p == c->end || *c->p != wanted)
		return false;
	c->p++;
	return true;
}

static int perftext_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	const char lower = (char)(c | 0x20);
	return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 16;
}

/* Reads a number. In base 16 it may begin with "0x". False if there is none or it is too big. */
static bool perftext_read_number(struct perftext_cursor *c, unsigned base, uint64_t *ret)
{
	uint64_t v = 0;
	if (base == 16 && c->end - c->p > 2 && c->p[0] == '0' && (c->p[1] | 0x20) == 'x')
		c->p += 2;
	const char *start = c->p;
	for (; c->p < c->end && (unsigned)perftext_digit(*c->p) < base; c->p++) {
		if (v > (UINT64_MAX - 15) / base)
			return false;
		v = v * base + (unsigned)perftext_digit(*c->p);
	}
	*ret = v;
	return c->p > start;
}

static bool read_word_number(struct str word, unsigned base, uint64_t *ret)
{
	struct perftext_cursor c = { word.p, word.p + word.len };
	return perftext_read_number(&c, base, ret) && c.p == c.end;
}

static bool read_script(struct perftext *t, struct perftext_cursor *c, struct perf_event *e)
{
	struct perf_branch b;
	t->branches.count = 0;
	for (struct str word; (word = perftext_next_word(c)).len > 0;) {
		/* Reads a branch FROM/TO/M|P|-/... "M" means mispredicted. */
		struct perftext_cursor w = { word.p, word.p + word.len };
		if (perftext_read_number(&w, 16, &b.from) && skip_char(&w, '/') &&
		    perftext_read_number(&w, 16, &b.to) && skip_char(&w, '/')) {
			b.mispredicted = w.p < w.end && *w.p == 'M';
			vec_push(&t->branches, b);
		} else if (!e->has_ip)
			e->has_ip = read_word_number(word, 16, &e->ip);
	}
	e->has_branches = t->branches.count > 0;
	e->branches = (const uint8_t *)t->branches.data;
	e->branch_count = t->branches.count;
	return e->has_ip || e->has_branches;
}

/* Finds the first occurrence of `what` in the line. NULL if there is none. */
static const char *perftext_find_in(const struct perftext_cursor *c, struct str what)
{
	for (const char *p = c->p; (size_t)(c->end - p) >= what.len; p++) {
		p = memchr(p, what.p[0], (size_t)(c->end - p) - what.len + 1);
		if (!p)
			return NULL;
		if (memcmp(p, what.p, what.len) == 0)
			return p;
	}
	return NULL;
}

/* Reads a build id as perf prints it: "<HEX>". */
static void perftext_read_build_id(struct perftext *t, struct perftext_cursor *c,
				   struct perf_event *e)
{
	size_t size = 0;
	perftext_skip_blanks(c);
	if (!skip_char(c, '<'))
		return;
	for (; size < sizeof t->build_id && c->end - c->p > 2; size++, c->p += 2) {
		if (perftext_digit(c->p[0]) > 15 || perftext_digit(c->p[1]) > 15)
			break;
		t->build_id[size] = (uint8_t)(perftext_digit(c->p[0]) << 4 |
					      perftext_digit(c->p[1]));
	}
	if (skip_char(c, '>'))
		e->build_id = (struct bytes){ t->build_id, size };
}

/* Reads "PERF_RECORD_MMAP2 PID/TID: [0xADDR(0xSIZE) @ OFF <BUILD ID>]: r-xp NAME". Older versions
 * print "x" instead of "r-xp". False for other lines. */
static bool perftext_read_map(struct perftext *t, struct perftext_cursor *c, struct perf_event *e)
{
	const char *open = perftext_find_in(c, STR("["));
	const char *close = perftext_find_in(c, STR("]: "));
	if (!open || !close || close < open)
		return false;
	struct perftext_cursor in = { open + 1, close }, behind = { close + 3, c->end };
	if (!perftext_read_number(&in, 16, &e->addr) || !skip_char(&in, '(') ||
	    !perftext_read_number(&in, 16, &e->size) || !skip_char(&in, ')'))
		return false;
	perftext_next_word(&in); /* Skip "@" */
	perftext_skip_blanks(&in);
	if (!perftext_read_number(&in, 16, &e->file_off))
		return false;
	perftext_read_build_id(t, &in, e);
	perftext_next_word(&behind);
	perftext_skip_blanks(&behind);
	while (behind.end > behind.p && perftext_is_blank(behind.end[-1]))
		behind.end--;
	e->type = PERF_MAP;
	e->name = (struct str){ behind.p, (size_t)(behind.end - behind.p) };
	return true;
}

static bool perftext_read_line(struct perftext *t, struct perftext_cursor *c, struct perf_event *e)
{
	if (t->form == PERFTEXT_ADDRESSES) {
		if (!read_word_number(perftext_next_word(c), 16, &e->ip))
			return false;
		const struct str count = perftext_next_word(c);
		e->has_ip = true;
		return count.len == 0 || read_word_number(count, 10, &e->weight);
	}
	const char *record = perftext_find_in(c, STR("PERF_RECORD_"));
	if (!record)
		return read_script(t, c, e);
	c->p = record;
	return !perftext_find_in(c, STR("PERF_RECORD_MMAP")) || perftext_read_map(t, c, e);
}

void perftext_open(struct perftext *t, const char *path, struct bytes bytes,
		   enum perftext_form form, struct notes *notes)
{
	*t = (struct perftext){ .path = path, .bytes = bytes, .form = form, .notes = notes };
}

void perftext_close(struct perftext *t)
{
	vec_release(&t->branches);
}

void perftext_rewind(struct perftext *t)
{
	t->pos = 0;
}

/* Returns the next line that is not blank, without its comment and line end. */
static bool perftext_next_line(struct perftext *t, struct perftext_cursor *ret)
{
	while (t->pos < t->bytes.size) {
		const char *start = (const char *)t->bytes.p + t->pos;
		const size_t left = (size_t)(t->bytes.size - t->pos);
		const char *end = memchr(start, '\n', left);
		const size_t len = end ? (size_t)(end - start) : left;
		const char *comment = memchr(start, '#', len);
		t->pos += len + (end != NULL);
		ret->p = start;
		ret->end = comment ? comment : start + len;
		perftext_skip_blanks(ret);
		if (ret->p < ret->end)
			return true;
	}
	return false;
}

bool perftext_next(struct perftext *t, struct perf_event *ret)
{
	struct perftext_cursor line;
	ASSERT(t->pos <= t->bytes.size);
	while (perftext_next_line(t, &line)) {
		const uint64_t off = (uint64_t)((const uint8_t *)line.p - t->bytes.p);
		*ret = (struct perf_event){ .type = PERF_SAMPLE,
					    .off = off,
					    .pid = PERF_NO_PROCESS,
					    .mode = PERF_MODE_USER,
					    .weight = 1,
					    .text = true };
		if (!perftext_read_line(t, &line, ret))
			note(t->notes, t->path, off, (uint64_t)(line.end - line.p),
			     t->form == PERFTEXT_SCRIPT
				     ? "lines without an address or branches are left out"
				     : "lines that are no address are left out");
		else if (ret->type == PERF_MAP || ret->has_ip || ret->has_branches)
			return true;
	}
	return false;
}
