/* Parses the user's hints about indirect calls and stack use. */
#include "stack/depths.h"

#include "base/err.h"

static bool hints_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Returns the next word of the line and removes it from the line. Empty if there is none. */
static struct str hints_next_word(struct str *line)
{
	size_t from = 0;
	while (from < line->len && hints_is_blank(line->p[from]))
		from++;
	size_t end = from;
	while (end < line->len && !hints_is_blank(line->p[end]) && line->p[from] != '#')
		end++;
	const struct str word = { line->p + from, end - from };
	*line = (struct str){ line->p + end, word.len > 0 ? line->len - end : 0 };
	return word;
}

static bool read_bytes(struct str word, uint64_t *ret)
{
	uint64_t v = 0;
	for (size_t i = 0; i < word.len; i++) {
		if (word.p[i] < '0' || word.p[i] > '9' || v > UINT32_MAX)
			return false;
		v = v * 10 + (uint64_t)(word.p[i] - '0');
	}
	*ret = v;
	return word.len > 0;
}

/* Parses a line. Returns what is wrong with it, or NULL. */
static const char *hints_read_line(struct stack_hints *h, struct str line)
{
	struct stack_hint hint = { .name = hints_next_word(&line), .first = h->names.count };
	if (hint.name.len == 0)
		return NULL;
	const struct str sign = hints_next_word(&line);
	struct str word = hints_next_word(&line);
	if (str_eq(sign, STR("="))) {
		hint.states = true;
		if (!read_bytes(word, &hint.worst))
			return "a number of bytes is missing behind '='";
		word = hints_next_word(&line);
		if (word.len > 0)
			return "something stands behind the number of bytes";
	} else if (str_eq(sign, STR("->"))) {
		for (; word.len > 0; word = hints_next_word(&line)) {
			vec_push(&h->names, word);
			hint.count++;
		}
	} else {
		return "must be 'CALLER -> CALLEE...' or 'NAME = BYTES'";
	}
	vec_push(&h->list, hint);
	return NULL;
}

bool stack_hints_parse(struct stack_hints *ret, const char *path, struct str input,
		       struct heft_err *err)
{
	ASSERT(input.p || input.len == 0);
	unsigned number = 0;
	memset(ret, 0, sizeof *ret);
	while (input.len > 0) {
		const char *end = memchr(input.p, '\n', input.len);
		const size_t size = end ? (size_t)(end - input.p) : input.len;
		const char *wrong = hints_read_line(ret, (struct str){ input.p, size });
		number++;
		if (wrong)
			return fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET, "%s:%u: %s", path, number,
				    wrong);
		const size_t taken = size + (end != NULL);
		input = (struct str){ input.p + taken, input.len - taken };
	}
	return true;
}

void stack_hints_release(struct stack_hints *h)
{
	vec_release(&h->list);
	vec_release(&h->names);
}
