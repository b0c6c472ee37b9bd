/* Input: a compiler's assembly, up to the end of its last line.  Each of its lines is in what comes
 * out, in order: the map only adds lines. */
#include "blocks/gccmap.h"

static struct str take_line(struct str *s)
{
	const char *end = s->len > 0 ? memchr(s->p, '\n', s->len) : NULL;
	const struct str line = { s->p, end ? (size_t)(end - s->p) : s->len };
	const size_t taken = line.len + (end != NULL);
	*s = (struct str){ s->p + taken, s->len - taken };
	return line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text made = { 0 };
	while (size > 0 && data[size - 1] != '\n')
		size--;
	if (size == 0)
		return 0;
	struct str before = { (const char *)data, size };
	const uint64_t functions = gccmap_filter(before, &made);
	struct str after = text_str(&made);
	ASSERT(functions <= size);
	while (before.len > 0) {
		const struct str line = take_line(&before);
		bool found = false;
		while (after.len > 0 && !found)
			found = str_eq(take_line(&after), line);
		ASSERT(found);
	}
	text_release(&made);
	return 0;
}
