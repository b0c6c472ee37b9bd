/* Input: pattern, line end, replacement, line end, label. */
#include "map/rules.h"

#include <stdlib.h>

/* Up to the next line end, which is taken off as well. */
static struct str next_line(struct str *rest)
{
	const char *end = rest->len ? memchr(rest->p, '\n', rest->len) : NULL;
	const size_t size = end ? (size_t)(end - rest->p) : rest->len;
	const struct str line = { rest->p, size };
	const size_t taken = size + (end != NULL);
	*rest = (struct str){ rest->p + taken, rest->len - taken };
	return line;
}

static bool contains(struct str text, struct str part)
{
	if (part.len == 0)
		return true;
	for (size_t i = 0; i + part.len <= text.len; i++)
		if (str_starts((struct str){ text.p + i, text.len - i }, part))
			return true;
	return false;
}

/* What must hold of the replaced label, whatever the pattern is. */
static void check(struct str label, struct str replacement, struct str got)
{
	/* At most all ten groups for two bytes each, and each at most the label. */
	ASSERT(got.len <= replacement.len + replacement.len / 2 * label.len);
	if (!replacement.len || !memchr(replacement.p, '\\', replacement.len))
		ASSERT(str_eq(got, replacement));
	if (str_eq(replacement, STR("\\0")))
		ASSERT(contains(label, got));
}

static void run(struct str regex, struct str replacement, struct str label)
{
	struct heft_err err = { 0 };
	struct rules *rules = rules_new();
	struct text out = { 0 }, again = { 0 };
	struct pattern *p = pattern_new(regex, &err);
	if (!p)
		ASSERT(err.code == HEFT_EARG && err.text[0]);
	const bool added = rules_add(rules, regex, replacement, &err);
	ASSERT(p || !added);
	ASSERT(added || (err.code == HEFT_EARG && !strchr(err.text, '\n')));
	if (added) {
		const bool matched = rules_apply(rules, label, &out, NULL);
		ASSERT(pattern_matches(p, label, NULL) == matched);
		ASSERT(rules_apply(rules, label, &again, NULL) == matched);
		ASSERT(out.len == again.len);
		if (matched)
			check(label, replacement, (struct str){ out.p, out.len });
	}
	text_release(&out);
	text_release(&again);
	pattern_free(p);
	rules_free(rules);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = { (const char *)data, size };
	const struct str regex = next_line(&rest);
	const struct str replacement = next_line(&rest);
	/* Compiling is not limited, and expressions come from the user, not from files. */
	if (regex.len <= 256)
		run(regex, replacement, rest);
	return 0;
}
