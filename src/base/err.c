#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

bool fail(struct heft_err *err, enum heft_code code, uint64_t off, const char *fmt, ...)
{
	if (!err)
		return false;
	va_list args;
	va_start(args, fmt);
	vsnprintf(err->text, sizeof err->text, fmt, args);
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
	const int n = vsnprintf(err->text, sizeof err->text, fmt, args);
	va_end(args);
	if (n >= 0 && (size_t)n < sizeof err->text)
		snprintf(err->text + n, sizeof err->text - (size_t)n, ": %s", strerror(saved));
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
		free((char *)(uintptr_t)n->data[i].path);
		free((char *)(uintptr_t)n->data[i].text);
	}
	free(n->data);
	pthread_mutex_destroy(&n->lock);
	memset(n, 0, sizeof *n);
}

static struct heft_note *note_find(struct notes *n, const char *path, const char *kind)
{
	for (size_t i = n->count; i-- > 0;)
		if (n->data[i].kind == kind && strcmp(n->data[i].path, path) == 0)
			return &n->data[i];
	return NULL;
}

static struct heft_note *add_slot(struct notes *n)
{
	if (n->count == n->cap) {
		n->cap = n->cap ? n->cap * 2 : 8;
		n->data = xrealloc(n->data, n->cap * sizeof *n->data);
	}
	return &n->data[n->count++];
}

static char *copy_text(const char *text)
{
	const size_t size = strlen(text) + 1;
	return memcpy(xmalloc(size), text, size);
}

void note(struct notes *n, const char *path, uint64_t off, uint64_t bytes, const char *fmt, ...)
{
	if (!n)
		return;
	call_lock(&n->lock);
	struct heft_note *known = note_find(n, path, fmt);
	if (known) {
		known->count++;
		known->bytes = add_sat(known->bytes, bytes);
		call_unlock(&n->lock);
		return;
	}
	char text[400];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	*add_slot(n) = (struct heft_note){ .path = copy_text(path),
					   .text = copy_text(text),
					   .kind = fmt,
					   .offset = off,
					   .count = 1,
					   .bytes = bytes };
	call_unlock(&n->lock);
}

void notes_append(struct notes *n, struct notes *more)
{
	for (size_t i = 0; i < more->count; i++) {
		struct heft_note *m = &more->data[i], *known = note_find(n, m->path, m->kind);
		if (known) {
			known->count += m->count;
			known->bytes = add_sat(known->bytes, m->bytes);
			free((char *)(uintptr_t)m->path);
			free((char *)(uintptr_t)m->text);
		} else {
			*add_slot(n) = *m;
		}
	}
	more->count = 0;
}
