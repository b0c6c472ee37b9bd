/* Reads the rules of a budget file. */
#include "query/budget.h"

#include <stdio.h>

/* A cursor over the file. */
struct budget_parse_in {
	const char *path;
	struct str input;
	size_t pos, line_start;
	size_t end; /* End of the last word */
	unsigned line;
	struct budget *b;
	struct heft_err *err;
};

struct budget_parse_word {
	struct str text;
	bool quoted;
	size_t at;
};

static bool bad_at(struct budget_parse_in *in, size_t at, const char *fmt, ...) PRINTF_LIKE(3, 4);

static bool bad_at(struct budget_parse_in *in, size_t at, const char *fmt, ...)
{
	char text[300];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	return fail(in->err, HEFT_EFORMAT, at, "%s:%u:%zu: %s", in->path, in->line,
		    at - in->line_start + 1, text);
}

/* Returns the next byte of the line. -1 at its end. */
static int budget_parse_peek(const struct budget_parse_in *in)
{
	if (in->pos == in->input.len || in->input.p[in->pos] == '\n')
		return -1;
	return (unsigned char)in->input.p[in->pos];
}

static bool budget_parse_is_blank(int c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void budget_parse_skip_blanks(struct budget_parse_in *in)
{
	while (budget_parse_is_blank(budget_parse_peek(in)))
		in->pos++;
}

/* True at the end of the line or at a comment. */
static bool at_line_end(struct budget_parse_in *in)
{
	budget_parse_skip_blanks(in);
	return budget_parse_peek(in) < 0 || budget_parse_peek(in) == '#';
}

/* Fails for a word with a NUL: a C string would end there and lose the rest. */
static bool check_word(struct budget_parse_in *in, const struct budget_parse_word *w)
{
	const char *nul = w->text.len ? memchr(w->text.p, '\0', w->text.len) : NULL;
	return !nul || bad_at(in, (size_t)(nul - in->input.p), "a NUL byte");
}

/* Reads a word. It ends at a blank or comma. A quoted word ends at the closing quote and has no
 * special characters. */
static bool budget_parse_next_word(struct budget_parse_in *in, const char *wanted,
				   struct budget_parse_word *ret)
{
	if (at_line_end(in))
		return bad_at(in, in->pos, "%s is missing", wanted);
	const size_t start = in->pos;
	*ret = (struct budget_parse_word){ .quoted = budget_parse_peek(in) == '"', .at = start };
	if (ret->quoted) {
		in->pos++;
		while (budget_parse_peek(in) >= 0 && budget_parse_peek(in) != '"')
			in->pos++;
		if (budget_parse_peek(in) < 0)
			return bad_at(in, start, "a closing \" is missing");
		ret->text = (struct str){ in->input.p + start + 1, in->pos - start - 1 };
		in->end = ++in->pos;
		return check_word(in, ret);
	}
	while (budget_parse_peek(in) >= 0 && !budget_parse_is_blank(budget_parse_peek(in)) &&
	       budget_parse_peek(in) != ',')
		in->pos++;
	in->end = in->pos;
	ret->text = (struct str){ in->input.p + start, in->pos - start };
	if (ret->text.len == 0)
		return bad_at(in, start, "%s is missing", wanted);
	return check_word(in, ret);
}

static bool budget_parse_is_word(const struct budget_parse_word *w, const char *text)
{
	return !w->quoted && str_eq(w->text, str_of(text));
}

static const struct budget_parse_unit {
	const char *name;
	uint64_t factor; /* 0 for percent */
} units[] = {
	{ "", 1 },
	{ "B", 1 },
	{ "byte", 1 },
	{ "bytes", 1 },
	{ "KiB", UINT64_C(1) << 10 },
	{ "MiB", UINT64_C(1) << 20 },
	{ "GiB", UINT64_C(1) << 30 },
	/* Units as tables of heft and of linkers write them. */
	{ "Ki", UINT64_C(1) << 10 },
	{ "Mi", UINT64_C(1) << 20 },
	{ "Gi", UINT64_C(1) << 30 },
	{ "K", UINT64_C(1) << 10 },
	{ "M", UINT64_C(1) << 20 },
	{ "G", UINT64_C(1) << 30 },
	{ "KB", 1000 },
	{ "kB", 1000 },
	{ "MB", 1000000 },
	{ "GB", 1000000000 },
	{ "%", 0 },
};

static const struct budget_parse_unit *unit_named(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(units); i++)
		if (str_eq(name, str_of(units[i].name)))
			return &units[i];
	return NULL;
}

/* True if a comma separates thousands: exactly three digits follow it. */
static bool is_thousands_comma(struct str s, size_t at)
{
	size_t digits = 0;
	while (at + 1 + digits < s.len && s.p[at + 1 + digits] >= '0' &&
	       s.p[at + 1 + digits] <= '9')
		digits++;
	return at > 0 && s.p[at] == ',' && s.p[at - 1] >= '0' && s.p[at - 1] <= '9' && digits == 3;
}

/* Reads the next word with its thousands commas: "1,234,567 B". */
static bool next_number(struct budget_parse_in *in, struct budget_parse_word *ret)
{
	struct budget_parse_word more;
	if (!budget_parse_next_word(in, "a size", ret))
		return false;
	while (!ret->quoted && budget_parse_peek(in) == ',' &&
	       is_thousands_comma(in->input, in->pos)) {
		in->pos++;
		if (!budget_parse_next_word(in, "a size", &more))
			return false;
		ret->text.len = in->pos - ret->at;
	}
	return true;
}

/* Reads digits with up to three decimals, as thousandths (UINT64_MAX if too many). Returns the
 * number of bytes read, or 0 without a number. */
static size_t read_thousandths(struct str s, uint64_t *ret)
{
	uint64_t v = 0, scale = 1000;
	bool point = false;
	size_t i = 0, digits = 0;
	for (; i < s.len; i++) {
		if (s.p[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (!point && is_thousands_comma(s, i))
			continue;
		if (s.p[i] < '0' || s.p[i] > '9' || (point && scale == 1))
			break;
		v = v > UINT64_MAX / 20000 ? UINT64_MAX : v * 10 + (uint64_t)(s.p[i] - '0');
		scale /= point ? 10 : 1;
		digits++;
	}
	*ret = v > UINT64_MAX / scale ? UINT64_MAX : v * scale;
	return digits > 0 ? i : 0;
}

/* Reads an amount such as "2 MiB", "1.5KiB", "1%": number and unit, in one word or two. */
static bool read_amount(struct budget_parse_in *in, struct budget_limit *limit)
{
	struct budget_parse_word w, second;
	uint64_t thousandths;
	if (!next_number(in, &w))
		return false;
	const size_t used = w.quoted ? 0 : read_thousandths(w.text, &thousandths);
	if (used == 0)
		return bad_at(in, w.at, "'" STR_FMT "' is no size", STR_ARG(w.text));
	struct str name = { w.text.p + used, w.text.len - used };
	if (name.len == 0 && !at_line_end(in) && budget_parse_peek(in) != ',') {
		if (!budget_parse_next_word(in, "a unit", &second))
			return false;
		name = second.text;
	}
	const struct budget_parse_unit *u = unit_named(name);
	if (!u)
		return bad_at(in, (size_t)(name.p - in->input.p),
			      "'" STR_FMT "' is no unit: B, KiB, MiB, GiB, KB, MB, GB or %%",
			      STR_ARG(name));
	limit->percent = u->factor == 0;
	if (limit->percent && !limit->growth)
		return bad_at(in, w.at, "a percentage is a limit of growth, not of the size");
	if (thousandths == UINT64_MAX || (u->factor && thousandths > UINT64_MAX / u->factor))
		return bad_at(in, w.at, "the size is too large");
	limit->amount = u->factor ? thousandths * u->factor / 1000 : thousandths;
	return true;
}

static const struct subject {
	const char *name;    /* One word or several. A name comes before a shorter name with
			      * which it begins */
	const char *pattern; /* NULL if the subject takes none. */
} subjects[] = {
	[BUDGET_SHIPPED] = { "file without debug", NULL },
	[BUDGET_FILE] = { "file", NULL },
	[BUDGET_DEBUG] = { "debug info", NULL },
	[BUDGET_VM] = { "vm", NULL },
	[BUDGET_SECTION] = { "section", "the name of a section" },
	[BUDGET_REGION] = { "region", "the name of a memory region" },
	[BUDGET_SYMBOL] = { "symbol", "an expression" },
	[BUDGET_NAMESPACE] = { "namespace", "the name of a namespace" },
	[BUDGET_STACK] = { "stack", "the name of a function" },
	[BUDGET_SOURCE] = { "source", "a path" },
	[BUDGET_DIRECTORY] = { "directory", "a path" },
	[BUDGET_OBJECT] = { "object", "a path" },
	[BUDGET_LIBRARY] = { "library", "the name of a library" },
	[BUDGET_COMPONENT] = { "component", "the name of a component" },
	[BUDGET_PACKAGE] = { "package", "the name of a package" },
};

/* Reads the words of a subject that begins with the word `w`. If another subject is there, reads
 * nothing and returns false. */
static bool subject_takes(struct budget_parse_in *in, const struct budget_parse_word *w,
			  const char *name)
{
	const struct str wanted = str_of(name),
			 rest = { in->input.p + w->at, in->input.len - w->at };
	const size_t end = w->at + wanted.len;
	if (w->quoted || !str_starts(rest, wanted) ||
	    (end < in->input.len && strchr(" \t\r\n,", in->input.p[end]) == NULL))
		return false;
	in->pos = in->end = end;
	return true;
}

static bool read_subject(struct budget_parse_in *in, struct budget_limit *limit)
{
	struct budget_parse_word w;
	if (!budget_parse_next_word(in, "what is limited", &w))
		return false;
	for (size_t i = 0; i < COUNT_OF(subjects); i++) {
		if (!subject_takes(in, &w, subjects[i].name))
			continue;
		limit->subject = (enum budget_subject)i;
		limit->pattern = "";
		if (!subjects[i].pattern)
			return true;
		if (!budget_parse_next_word(in, subjects[i].pattern, &w))
			return false;
		limit->pattern = arena_copy(&in->b->arena, w.text);
		if (limit->subject != BUDGET_SYMBOL)
			return true;
		struct heft_err why;
		limit->regex = pattern_new(w.text, &why);
		return limit->regex || bad_at(in, w.at, "%s", why.text);
	}
	if (str_starts(w.text, STR(".")))
		return bad_at(in, w.at,
			      "a limit of a section begins with the word: section " STR_FMT,
			      STR_ARG(w.text));
	return bad_at(in, w.at,
		      "'" STR_FMT "' is none of file, file without debug, debug info, vm, section, "
		      "region, symbol, namespace, source, "
		      "directory, object, library, component, package, stack",
		      STR_ARG(w.text));
}

const char *budget_subject_word(enum budget_subject subject)
{
	return subjects[subject].name;
}

/* Returns the rule with one limit, as in the file. */
static const char *rule_text(struct budget_parse_in *in, size_t start, size_t subject_end,
			     size_t limit_start)
{
	const struct str subject = { in->input.p + start, subject_end - start };
	const struct str limit = { in->input.p + limit_start, in->end - limit_start };
	return arena_format(&in->b->arena, STR_FMT " " STR_FMT, STR_ARG(subject), STR_ARG(limit));
}

/* Reads "free at least 8 KiB" of a region. */
static bool read_free(struct budget_parse_in *in, struct budget_limit *limit, size_t at)
{
	static const char *const words[] = { "at", "least" };
	if (limit->subject != BUDGET_REGION)
		return bad_at(in, at, "'free' is a limit of memory regions");
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		struct budget_parse_word w;
		if (!budget_parse_next_word(in, "'at least'", &w))
			return false;
		if (!budget_parse_is_word(&w, words[i]))
			return bad_at(in, w.at, "'free at least' is wanted");
	}
	return read_amount(in, limit);
}

static bool read_limit(struct budget_parse_in *in, struct budget_limit *limit)
{
	struct budget_parse_word w;
	if (!budget_parse_next_word(in, "'max' or 'growth'", &w))
		return false;
	limit->growth = budget_parse_is_word(&w, "growth");
	limit->left = budget_parse_is_word(&w, "free");
	if (limit->left)
		return read_free(in, limit, w.at);
	if (!limit->growth && !budget_parse_is_word(&w, "max"))
		return bad_at(in, w.at, "'" STR_FMT "' is neither 'max' nor 'growth'",
			      STR_ARG(w.text));
	return read_amount(in, limit);
}

static bool read_rule(struct budget_parse_in *in)
{
	struct budget_limit limit = { .line = in->line };
	const size_t start = in->pos;
	/* Reserves memory first, because a later failure would leak the expression. */
	vec_reserve(&in->b->limits, 1);
	if (!read_subject(in, &limit))
		return false;
	const size_t subject_end = in->pos;
	bool owns = true;
	do {
		if (!owns)
			in->pos++; /* Skips the comma */
		budget_parse_skip_blanks(in);
		const size_t limit_start = in->pos;
		if (!read_limit(in, &limit)) {
			if (owns)
				pattern_free(limit.regex);
			return false;
		}
		limit.text = rule_text(in, start, subject_end, limit_start);
		vec_push(&in->b->limits, limit);
		owns = false;
	} while (!at_line_end(in) && budget_parse_peek(in) == ',');
	return at_line_end(in) || bad_at(in, in->pos, "a comma or the end of the line is wanted");
}

static void budget_parse_next_line(struct budget_parse_in *in)
{
	while (budget_parse_peek(in) >= 0)
		in->pos++;
	if (in->pos < in->input.len)
		in->pos++;
	in->line++;
	in->line_start = in->pos;
}

bool budget_parse(struct budget *ret, const char *path, struct str input, struct heft_err *err)
{
	struct budget_parse_in in = {
		.path = path, .input = input, .line = 1, .b = ret, .err = err
	};
	memset(ret, 0, sizeof *ret);
	for (; in.pos < input.len; budget_parse_next_line(&in)) {
		if (at_line_end(&in) || read_rule(&in))
			continue;
		budget_release(ret);
		return false;
	}
	return true;
}

void budget_release(struct budget *b)
{
	/* The limits of a rule share its expression, so it is freed once. */
	for (size_t i = 0; i < b->limits.count; i++)
		if (i + 1 == b->limits.count ||
		    b->limits.data[i + 1].regex != b->limits.data[i].regex)
			pattern_free(b->limits.data[i].regex);
	vec_release(&b->limits);
	arena_release(&b->arena);
}
