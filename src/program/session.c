/* Implements sessions and the contexts of their handles. */
#include "program/session.h"

void context_begin(struct context *c, struct heft_session *s, struct memory *memory)
{
	ASSERT(!c->session && !s->freed);
	*c = (struct context){
		.session = s, .memory = memory, .style = HEFT_NAMES_AUTO, .before = s->newest
	};
	notes_init(&c->notes);
	if (s->newest)
		s->newest->after = c;
	else
		s->oldest = c;
	s->newest = c;
	memory_set_progress(memory, s->progress, s->progress_ctx);
}

void context_end(struct context *c)
{
	struct heft_session *s = c->session;
	ASSERT(s && s->oldest);
	if (c->before)
		c->before->after = c->after;
	else
		s->oldest = c->after;
	if (c->after)
		c->after->before = c->before;
	else
		s->newest = c->before;
	c->session = NULL;
	s->told.of = NULL;
	session_release(s);
}

void context_release(struct context *c)
{
	wish_release(&c->wish);
	notes_release(&c->notes);
}

void context_take(struct context *c)
{
	const struct heft_session *s = c->session;
	if (c->taken)
		return;
	memory_need_whole(s->memory);
	wish_copy(&c->wish, &s->finder.wish);
	c->style = s->style;
	c->threads = s->threads;
	c->taken = true;
}

enum heft_demangle context_style(const struct context *c, enum heft_demangle usual)
{
	return c->style == HEFT_NAMES_AUTO ? usual : c->style;
}

void context_take_inputs(const struct context *c)
{
	if (!c->taken)
		memory_set_inputs(&c->session->finder.wish.inputs);
}

/* Moves to the next note that no older context has. False at the end. */
static bool told_next(struct heft_session *s)
{
	struct context *c = s->told.of;
	for (size_t i = s->told.at + 1; c; c = c->after, i = 0)
		for (; i < c->notes.count; i++) {
			struct context *older = c->before;
			while (older && !notes_have(&older->notes, &c->notes.data[i]))
				older = older->before;
			if (older)
				continue;
			s->told.of = c;
			s->told.at = i;
			s->told.number++;
			return true;
		}
	s->told.of = NULL;
	return false;
}

const struct heft_note *session_note(struct heft_session *s, size_t i)
{
	size_t count = 0;
	for (const struct context *c = s->oldest; c; c = c->after)
		count += c->notes.count;
	if (!s->told.of || s->told.counted != count || i < s->told.number) {
		s->told.of = s->oldest;
		s->told.at = s->told.number = SIZE_MAX; /* The position before the first note */
		s->told.counted = count;
		if (!s->oldest || !told_next(s))
			return NULL;
	}
	while (s->told.number < i)
		if (!told_next(s))
			return NULL;
	return &s->told.of->notes.data[s->told.at];
}

static void session_forget(void *handle)
{
	struct heft_session *s = handle;
	wish_release(&s->finder.wish);
	mem_free(s);
}

void session_release(struct heft_session *s)
{
	if (s->freed && !s->oldest)
		handle_free(s, session_forget);
}
