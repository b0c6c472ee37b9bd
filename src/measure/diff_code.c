/* Compares the code of the symbols that changed most. */
#include "measure/diff_code.h"

#include "compare/code_diff.h"
#include "program/program.h"

/* A side of the diff that was made from programs, one of which is open */
struct diff_side {
	const struct heft_snapshot *s;
	struct program program;
	const char *path;
	bool open;
};

/* Returns the image that has a symbol. NULL if the snapshot is a file, or if its program cannot be
 * opened. */
static const struct image *side_image(struct diff_side *p, const struct snap_symbol *y)
{
	struct notes notes;
	struct heft_err err;
	if (!p->s || !y || p->s->is_diff)
		return NULL;
	ASSERT(y->section < p->s->snapshot.sections.count);
	const uint32_t container = p->s->snapshot.sections.data[y->section].container;
	const char *path = container < p->s->programs.count ? p->s->programs.data[container] : NULL;
	if (path && path != p->path) {
		notes_init(&notes);
		if (p->open)
			program_close(&p->program);
		p->open = program_open(&p->program, path, USE_SYMBOLS, &p->s->context.wish, &notes,
				       &err);
		if (!p->open)
			program_close(&p->program);
		p->path = path;
		notes_release(&notes);
	}
	return path && p->open ? program_image(&p->program) : NULL;
}

static struct code_side side_code(struct diff_side *p, const struct snap_symbol *y)
{
	const struct image *im = side_image(p, y);
	return im ? (struct code_side){ im, y->addr, y->size } : (struct code_side){ 0 };
}

const char **diff_code_texts(const struct snapshot_diff *diff,
			     const struct heft_snapshot *const of[2], struct arena *arena)
{
	const char **texts = arena_new(arena, const char *, diff->after->symbols.count + 1);
	struct diff_side sides[2] = { { .s = of[0] }, { .s = of[1] } };
	size_t picked[CODE_DIFF_SYMBOLS];
	struct text text = { 0 };
	const size_t count = code_diff_pick(diff, picked);
	for (size_t i = 0; i < count; i++) {
		const struct diff_pair *p = &diff->pairs.data[picked[i]];
		const struct snap_symbol *old = diff_before(diff, p), *now = diff_after(diff, p);
		const struct code_side before = side_code(&sides[0], old);
		const struct code_side after = side_code(&sides[1], now);
		if (after.im && (!old || before.im) && code_diff(&text, &before, &after))
			texts[p->after] = arena_copy(arena, text_str(&text));
	}
	for (size_t i = 0; i < COUNT_OF(sides); i++)
		if (sides[i].open)
			program_close(&sides[i].program);
	text_release(&text);
	return texts;
}
