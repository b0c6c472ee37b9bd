/* Makes tables while the user looks at others: the first table if it takes long, and new tables of
 * data that changes. */
#include "browse/paint.h"
#include "browse/state.h"

#include <curses.h>
#include <stdlib.h>

enum {
	ESC = 27,
	SOON_MS = 150,     /* Milliseconds to wait for the first table before the screen is used */
	STEP_MS = 20,      /* Milliseconds between two checks of the loader */
	LIVING_MS = 200,   /* Milliseconds to wait for a key if the data changes */
	REFRESH_MS = 1000, /* Least milliseconds between two tables of data that changes */
	REFRESH_SHARE = 4, /* A new table waits at least four times as long as the last one took,
			    * so tables take at most a fifth of the time */
};

int64_t browse_since(const struct timespec *from)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)(now.tv_sec - from->tv_sec) * 1000 +
	       (now.tv_nsec - from->tv_nsec) / 1000000;
}

static bool meanwhile_start(struct browse *b, size_t input, const char *by)
{
	ASSERT(input < b->ops->input_count);
	clock_gettime(CLOCK_MONOTONIC, &b->began);
	return loader_start(&b->loader, input, by);
}

static bool fail_text(struct heft_err *err, enum heft_code code, const char *fmt, const char *what)
{
	*err = (struct heft_err){ .code = code, .offset = HEFT_NO_OFFSET };
	snprintf(err->text, sizeof err->text, fmt, what);
	return false;
}

static bool take_first(struct browse *b, struct heft_err *err)
{
	struct browse_table table;
	void *made = loader_take(&b->loader, &table, err);
	if (made == NULL)
		return false;
	b->ops->take(b->ops->ctx, 0, made);
	b->pause_ms = table.lives ? REFRESH_MS : -1;
	return browse_take_table(b, &table, false) ||
	       fail_text(err, HEFT_ENOMEM, "%s", "out of memory");
}

/* Waits for the first table while nothing else can be shown. */
static bool await_first(struct browse *b, struct heft_err *err)
{
	while (!loader_wait(&b->loader, STEP_MS)) {
		char text[LOADER_TEXT_MAX], foot[LOADER_TEXT_MAX + 20];
		loader_text(&b->loader, text);
		snprintf(foot, sizeof foot, " %s    Esc stops", text);
		paint_text(0, 0, paint_columns(), b->ops->title(b->ops->ctx, 0), PAINT_HEAD, false);
		browse_foot(foot);
		refresh();
		timeout(0);
		const int key = getch();
		timeout(-1);
		if (key == ESC || key == 'q')
			return fail_text(err, HEFT_ECANCELED, "%s", "stopped");
	}
	return take_first(b, err);
}

static bool start_paint(unsigned flags, struct heft_err *err)
{
	const char *term = getenv("TERM");
	/* Check that memory is left for ncurses, which crashes without memory. */
	void *room = malloc(1 << 20);
	free(room);
	if (room == NULL)
		return fail_text(err, HEFT_ENOMEM, "%s", "out of memory");
	return paint_start((flags & BROWSE_COLOR) != 0, (flags & BROWSE_MOUSE) != 0) ||
	       fail_text(err, HEFT_EUNSUPPORTED,
			 "the terminal type '%.80s' is not known here; set TERM, or use heft size",
			 term != NULL ? term : "");
}

bool browse_begin(struct browse *b, const char *by, unsigned flags, struct heft_err *err)
{
	struct browse_table table;
	if (!meanwhile_start(b, 0, by))
		return fail_text(err, HEFT_ENOMEM, "%s", "no thread can be started");
	const bool soon = loader_wait(&b->loader, SOON_MS);
	if (soon && !take_first(b, err))
		return false;
	if (!start_paint(flags, err))
		return false;
	if (soon)
		return true;
	b->first = b->ops->glance(b->ops->ctx, &table) && browse_take_table(b, &table, false);
	if (b->first || await_first(b, err))
		return true;
	paint_end();
	return false;
}

int browse_patience(const struct browse *b)
{
	if (b->loader.busy)
		return STEP_MS;
	return b->table.lives && !b->ended ? LIVING_MS : -1;
}

static void meanwhile_take(struct browse *b)
{
	struct browse_table table;
	struct heft_err err;
	void *made = loader_take(&b->loader, &table, &err);
	const int64_t took = browse_since(&b->began);
	b->pause_ms = took * REFRESH_SHARE > REFRESH_MS ? took * REFRESH_SHARE : REFRESH_MS;
	if (made != NULL && browse_take_table(b, &table, true)) {
		b->ops->take(b->ops->ctx, b->loader.input, made);
	} else if (made != NULL) {
		b->ops->drop(b->ops->ctx, made);
	} else {
		b->ended = b->table.lives;
		browse_say(b, "%s%s", err.text, b->ended ? "; its last state stays" : "");
	}
	b->first = false;
}

void browse_catch_up(struct browse *b)
{
	if (loader_wait(&b->loader, 0))
		meanwhile_take(b);
	if (!b->loader.busy && b->table.lives && !b->ended &&
	    browse_since(&b->began) >= b->pause_ms)
		meanwhile_start(b, b->input, b->by);
}

void browse_stop_waiting(struct browse *b)
{
	loader_stop(&b->loader);
	b->first = false;
}

void browse_status(struct browse *b, char out[STATUS_MAX])
{
	char text[LOADER_TEXT_MAX];
	out[0] = '\0';
	if (b->first) {
		loader_text(&b->loader, text);
		snprintf(out, STATUS_MAX, "  (soon by %.80s: %.80s)",
			 b->loader.as_usual ? b->ops->groups(b->ops->ctx, 0)[0] : b->loader.by,
			 text);
	} else if (b->ended) {
		snprintf(out, STATUS_MAX, "  (ended)");
	} else if (b->table.lives) {
		snprintf(out, STATUS_MAX, "  (runs)");
	}
}
