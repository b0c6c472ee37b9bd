/* Writes by whom the parts of a change came in. */
#include "review/comment.h"

#include "base/filename.h"

#include <inttypes.h>
#include <stdio.h>

/* Returns the name of a bringer. A function stands for its part that is rarely run. */
static struct str bringer_name(const struct heft_came_in *by)
{
	const struct str name = str_of(by->by), cold = STR(".cold");
	return str_upto(name, name.len - (str_ends(name, cold) ? cold.len : 0));
}

static void put_bringer(const struct heft_came_in *by, struct arena *arena, struct sink *s)
{
	const char *name = arena_copy(arena, bringer_name(by));
	story_put_name(s, name);
	sink_text(s, str_of(story_made_for(name)));
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
	const struct heft_came_in *before = NULL;
	for (size_t i = 0; i < c->came_in_count; i++) {
		const struct heft_came_in *by = &c->came_in[i];
		if (by->what != what || (before && str_eq(bringer_name(by), bringer_name(before))))
			continue;
		sink_text(s, before == NULL                 ? STR(", brought in by ")
			     : before->change == HEFT_ADDED ? STR(", and ")
							    : STR(" and "));
		put_bringer(by, &arena, s);
		before = by;
	}
	arena_release(&arena);
	return before != NULL;
}
