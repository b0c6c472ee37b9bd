/* Implements sessions: heft_session_*. */
#include "program/session.h"

struct heft_session *heft_session_new(void)
{
	struct heft_session *s = handle_new(sizeof *s);
	if (!s)
		return NULL;
	s->finder.memory = s->memory;
	s->style = HEFT_NAMES_AUTO;
	return s;
}

static bool session_copy(struct heft_session *s, const struct heft_session *from)
{
	memory_need_whole(from->memory);
	wish_copy(&s->finder.wish, &from->finder.wish);
	s->style = from->style;
	s->threads = from->threads;
	s->progress = from->progress;
	s->progress_ctx = from->progress_ctx;
	return true;
}

struct heft_session *heft_session_copy(const struct heft_session *from)
{
	struct heft_session *s = from ? heft_session_new() : NULL;
	if (s && GUARDED(s->memory, NULL, session_copy(s, from)))
		return s;
	heft_session_free(s);
	return NULL;
}

void heft_session_free(struct heft_session *s)
{
	if (!s)
		return;
	s->freed = true;
	session_release(s);
}

struct heft_finder *heft_session_finder(struct heft_session *s)
{
	return s ? &s->finder : NULL;
}

void heft_session_set_demangle(struct heft_session *s, enum heft_demangle style)
{
	s->style = style;
}

void heft_session_set_threads(struct heft_session *s, unsigned threads)
{
	s->threads = threads;
}

void heft_session_set_copying(struct heft_session *s, bool copies)
{
	s->finder.wish.inputs.copied = copies;
}

void heft_session_set_progress(struct heft_session *s, heft_progress_fn progress, void *ctx)
{
	s->progress = progress;
	s->progress_ctx = ctx;
	for (struct context *c = s->oldest; c; c = c->after) {
		ASSERT(c->session == s);
		memory_set_progress(c->memory, progress, ctx);
	}
}

size_t heft_session_note_count(struct heft_session *s)
{
	size_t count = 0;
	while (session_note(s, count))
		count++;
	return count;
}

const struct heft_note *heft_session_note(struct heft_session *s, size_t i)
{
	return session_note(s, i);
}
