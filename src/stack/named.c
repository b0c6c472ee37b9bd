/* Finds functions of a program's stack by their names. */
#include "stack/depths.h"

#include "base/err.h"

#include <stdlib.h>

static int index_compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

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
	if (ret->count > 0)
		qsort(ret->data, ret->count, sizeof *ret->data, index_compare);
	vec_release(&matches);
}

/* Replaces a word by the linkage name of the function that it means. A word that means no function
 * stays: it may be a function of another file. */
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
