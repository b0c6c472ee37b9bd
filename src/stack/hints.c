#include "stack/depths.h"

#include "base/err.h"
#include "base/sort.h"
#include "stack/stated.h"

static bool hints_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Returns the next word of the line and removes it, or "". */
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

/* Parses a line. Returns what is wrong in it, or NULL. */
static const char *hints_read_line(struct stack_hints *h, struct str line)
{
	struct stack_hint hint = { .name = hints_next_word(&line), .first = h->names.count };
	if (hint.name.len == 0)
		return NULL;
	const struct str sign = hints_next_word(&line);
	struct str word = hints_next_word(&line);
	if (str_eq(sign, STR("="))) {
		hint.states = true;
		if (!stated_number(word, &hint.worst))
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
		const char *wrong = hints_read_line(ret, stated_line_take(&input));
		number++;
		if (wrong)
			return fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET, "%s:%u: %s", path, number,
				    wrong);
	}
	return true;
}

void stack_hints_release(struct stack_hints *h)
{
	vec_release_all(&h->list, &h->names);
}

COMPARISON(index_compare, uint32_t, ORDER(*a, *b))

void stack_named(struct stack_use *s, struct str name, stack_indexes *ret)
{
	name_matches matches = { 0 };
	const size_t count = name_index_find(program_names(s->program, 0), name, &matches);
	for (size_t i = 0; i < count; i++) {
		const uint32_t function = stack_find(s, matches.data[i].addr);
		if (ret->count > 0 && matches.data[i].form != matches.data[i - 1].form)
			break;
		if (function != STACK_NONE)
			vec_push(ret, function);
	}
	vec_sort_by(ret, index_compare);
	vec_release(&matches);
}

/* Replaces a word by the linkage name of its function. An unknown name stays, because the function
 * may be in another file. */
static bool word_settle(struct stack_use *s, struct str *word, bool must, struct heft_err *err)
{
	stack_indexes found = { 0 };
	stack_named(s, *word, &found);
	const size_t count = found.count;
	if (count == 1)
		*word = str_of(stack_name(s, found.data[0]));
	vec_release(&found);
	if (count > 1)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			    "%s: %zu functions are called '%.*s': name it as the linker does",
			    s->program->path, count, (int)word->len, word->p);
	return count > 0 || !must ||
	       fail(err, HEFT_EARG, HEFT_NO_OFFSET, "%s: no function is called '%.*s'",
		    s->program->path, (int)word->len, word->p);
}

bool stack_hints_settle(struct stack_use *s, struct stack_hints *h, struct heft_err *err)
{
	for (size_t i = 0; i < h->list.count; i++)
		if (!word_settle(s, &h->list.data[i].name, false, err))
			return false;
	for (size_t i = 0; i < h->names.count; i++)
		if (!word_settle(s, &h->names.data[i], true, err))
			return false;
	return true;
}
