/* Makes errors, and collects notes. */
#include "base/err.h"

#include "base/tame.h"
#include "base/vec.h"

#include <errno.h>
#include <stdio.h>

/* Formats a text as one line: escapes control characters, which names from files may contain. */
static void format_line(char *to, size_t room, const char *fmt, va_list args)
{
	char raw[400];
	vsnprintf(raw, sizeof raw, fmt, args);
	tame_copy(to, room, str_of(raw));
}

bool fail(struct heft_err *err, enum heft_code code, uint64_t off, const char *fmt, ...)
{
	if (!err)
		return false;
	va_list args;
	va_start(args, fmt);
	format_line(err->text, sizeof err->text, fmt, args);
	va_end(args);
	err->code = code;
	err->sys_errno = 0;
	err->offset = off;
	return false;
}

bool fail_sys(struct heft_err *err, const char *fmt, ...)
{
	const int saved = errno;
	if (!err)
		return false;
	va_list args;
	va_start(args, fmt);
	format_line(err->text, sizeof err->text, fmt, args);
	va_end(args);
	const size_t n = strlen(err->text);
	snprintf(err->text + n, sizeof err->text - n, ": %s", strerror(saved));
	err->code = HEFT_EIO;
	err->sys_errno = saved;
	err->offset = HEFT_NO_OFFSET;
	return false;
}

void notes_init(struct notes *n)
{
	memset(n, 0, sizeof *n);
	pthread_mutex_init(&n->lock, NULL);
}

void notes_release(struct notes *n)
{
	for (size_t i = 0; i < n->count; i++) {
		mem_free_all((char *)(uintptr_t)n->data[i].path,
			     (char *)(uintptr_t)n->data[i].text);
	}
	mem_free(n->data);
	map_release(&n->map);
	mem_free(n->places.data);
	map_release(&n->by_place);
	pthread_mutex_destroy(&n->lock);
	memset(n, 0, sizeof *n);
}

/* Finds a note. If there is none, returns NULL and sets `at` to where to insert it. */
static struct heft_note *note_find(struct notes *n, const char *path, const char *kind,
				   struct map_at *at)
{
	uint32_t i;
	*at = map_at(&n->map, hash_pair(hash_bytes(path, strlen(path)), (uintptr_t)kind));
	while (map_next(&n->map, at, &i))
		if (n->data[i].kind == kind && strcmp(n->data[i].path, path) == 0)
			return &n->data[i];
	return NULL;
}

static void note_add(struct notes *n, struct map_at *at, struct heft_note note)
{
	ASSERT(n->count < UINT32_MAX);
	map_put(&n->map, at, (uint32_t)n->count);
	vec_push(n, note);
}

static char *err_copy_text(const char *text)
{
	const size_t size = strlen(text) + 1;
	return memcpy(mem_alloc(size), text, size);
}

void note(struct notes *n, const char *path, uint64_t off, uint64_t bytes, const char *fmt, ...)
{
	if (!n)
		return;
	call_lock(&n->lock);
	struct map_at at;
	struct heft_note *known = note_find(n, path, fmt, &at);
	if (known) {
		known->count++;
		known->bytes = add_sat(known->bytes, bytes);
		call_unlock(&n->lock);
		return;
	}
	char text[400];
	va_list args;
	va_start(args, fmt);
	format_line(text, sizeof text, fmt, args);
	va_end(args);
	note_add(n, &at,
		 (struct heft_note){ .path = err_copy_text(path),
				     .text = err_copy_text(text),
				     .kind = fmt,
				     .offset = off,
				     .count = 1,
				     .bytes = bytes });
	call_unlock(&n->lock);
}

static bool is_new_place(struct notes *n, uint64_t hash)
{
	uint32_t i;
	struct map_at at = map_at(&n->by_place, hash);
	while (map_next(&n->by_place, &at, &i))
		if (n->places.data[i] == hash)
			return false;
	map_put(&n->by_place, &at, (uint32_t)n->places.count);
	vec_push(&n->places, hash);
	return true;
}

bool note_is_first(struct notes *n, const char *path, uint64_t place)
{
	if (!n)
		return true;
	call_lock(&n->lock);
	const bool first = is_new_place(n, hash_pair(hash_bytes(path, strlen(path)), place));
	call_unlock(&n->lock);
	return first;
}

bool notes_have(struct notes *n, const struct heft_note *like)
{
	struct map_at at;
	return note_find(n, like->path, like->kind, &at) != NULL;
}

void note_copy(struct notes *n, const struct heft_note *from)
{
	struct map_at at;
	ASSERT(from->path && from->text);
	if (note_find(n, from->path, from->kind, &at))
		return;
	struct heft_note copy = *from;
	copy.path = err_copy_text(from->path);
	copy.text = err_copy_text(from->text);
	note_add(n, &at, copy);
}

void notes_append(struct notes *n, struct notes *more)
{
	ASSERT(n != more);
	for (size_t i = 0; i < more->count; i++) {
		struct map_at at;
		const struct heft_note *m = &more->data[i];
		struct heft_note *known = note_find(n, m->path, m->kind, &at);
		if (known) {
			known->count += m->count;
			known->bytes = add_sat(known->bytes, m->bytes);
			mem_free_all((char *)(uintptr_t)m->path, (char *)(uintptr_t)m->text);
		} else {
			note_add(n, &at, *m);
		}
	}
	more->count = 0;
	map_clear(&more->map);
}
