/* Writes by whom the parts of a change came in. */
#include "review/comment.h"

#include "base/filename.h"

#include <inttypes.h>
#include <stdio.h>

static void put_bringer(const struct heft_came_in *by, struct arena *arena, struct sink *s)
{
	story_put_name(s, by->by);
	sink_text(s, str_of(story_made_for(by->by)));
	if (*by->file) {
		const char *file = file_name(by->file);
		sink_text(s, STR(" ("));
		story_put_name(s, by->line > 0 ? arena_format(arena, "%s:%" PRIu32, file, by->line)
					       : file);
		sink_text(s, STR(")"));
	}
	sink_text(s, by->change == HEFT_ADDED ? STR(", which is new") : STR(""));
}

bool comment_put_came_in(const struct comment *c, const char *what, struct sink *s)
{
	struct arena arena = { 0 };
	size_t count = 0;
	for (size_t i = 0; i < c->came_in_count; i++) {
		if (c->came_in[i].what != what)
			continue;
		sink_text(s, count++ == 0 ? STR(", brought in by ") : STR(" and "));
		put_bringer(&c->came_in[i], &arena, s);
	}
	arena_release(&arena);
	return count > 0;
}
