/* Makes a table on a separate thread. */
#include "browse/loader.h"

#include <signal.h>
#include <time.h>

enum { STEP_MS = 5 };

void loader_init(struct loader *l, const struct browse_ops *ops)
{
	ASSERT(ops != NULL && ops->make != NULL);
	*l = (struct loader){ .ops = ops };
	pthread_mutex_init(&l->lock, NULL);
}

void loader_release(struct loader *l)
{
	loader_stop(l);
	pthread_mutex_destroy(&l->lock);
}

static bool note_progress(void *ctx, const char *what, uint64_t done, uint64_t total)
{
	struct loader *l = ctx;
	pthread_mutex_lock(&l->lock);
	snprintf(l->what, sizeof l->what, "%s", what);
	l->done = done;
	l->total = total;
	const bool goes_on = !l->stops;
	pthread_mutex_unlock(&l->lock);
	return goes_on;
}

static void *loader_work(void *ctx)
{
	struct loader *l = ctx;
	const struct browse_wish wish = { .by = l->as_usual ? NULL : l->by,
					  .progress = note_progress,
					  .progress_ctx = l };
	struct browse_table table = { 0 };
	struct heft_err err = { .text = "" };
	void *made = l->ops->make(l->ops->ctx, l->input, &wish, &table, &err);
	pthread_mutex_lock(&l->lock);
	l->made = made;
	l->table = table;
	l->err = err;
	l->ended = true;
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

bool loader_start(struct loader *l, size_t input, const char *by)
{
	loader_stop(l);
	l->input = input;
	l->as_usual = by == NULL;
	snprintf(l->by, sizeof l->by, "%s", by != NULL ? by : "");
	l->ended = l->stops = false;
	l->what[0] = '\0';
	l->done = l->total = 0;
	l->made = NULL;
	ASSERT(!l->busy);
	/* Signals, such as the one for a new screen size, must reach the thread of the screen. */
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	l->busy = pthread_create(&l->thread, NULL, loader_work, l) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return l->busy;
}

void loader_stop(struct loader *l)
{
	if (!l->busy)
		return;
	pthread_mutex_lock(&l->lock);
	l->stops = true;
	pthread_mutex_unlock(&l->lock);
	pthread_join(l->thread, NULL);
	if (l->made != NULL)
		l->ops->drop(l->ops->ctx, l->made);
	l->busy = false;
}

static bool has_ended(struct loader *l)
{
	pthread_mutex_lock(&l->lock);
	const bool ended = l->ended;
	pthread_mutex_unlock(&l->lock);
	return ended;
}

bool loader_wait(struct loader *l, unsigned ms)
{
	const struct timespec step = { 0, STEP_MS * 1000000L };
	if (!l->busy)
		return false;
	bool ended = has_ended(l);
	for (; !ended && ms >= STEP_MS; ms -= STEP_MS) {
		nanosleep(&step, NULL);
		ended = has_ended(l);
	}
	return ended;
}

void *loader_take(struct loader *l, struct browse_table *ret, struct heft_err *err)
{
	ASSERT(l->busy);
	pthread_join(l->thread, NULL);
	l->busy = false;
	*ret = l->table;
	*err = l->err;
	return l->made;
}

void loader_text(struct loader *l, char out[LOADER_TEXT_MAX])
{
	pthread_mutex_lock(&l->lock);
	if (l->total > 0)
		snprintf(out, LOADER_TEXT_MAX, "%s %.0f%%", l->what,
			 100.0 * (double)l->done / (double)l->total);
	else
		snprintf(out, LOADER_TEXT_MAX, "%s", l->what);
	pthread_mutex_unlock(&l->lock);
}
