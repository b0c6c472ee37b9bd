#include "map/label.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { AHEAD = 16 };

void label_borrow_all(struct labels *l, const struct hashed_text *list, size_t count,
		      label_id *ret_ids)
{
	for (size_t i = 0; i < count; i++) {
		const struct hashed_text *e = &list[i];
		if (i + AHEAD < count)
			map_prefetch(&l->names.ids, e[AHEAD].hash);
		ret_ids[i] = LABEL_NONE;
		if (e->text.p)
			ret_ids[i] = label_known(l, intern_borrow_hashed(&l->names, e), e->text);
	}
}

void label_copy_all(struct labels *l, const struct hashed_text *list, size_t count,
		    label_id *ret_ids)
{
	for (size_t i = 0; i < count; i++) {
		const struct hashed_text *e = &list[i];
		if (i + AHEAD < count)
			map_prefetch(&l->names.ids, e[AHEAD].hash);
		ret_ids[i] = LABEL_NONE;
		if (e->text.p)
			ret_ids[i] = label_known(l, intern_add_hashed(&l->names, e), e->text);
	}
}

/* ---- blocks ---------------------------------------------------------------------------------- */

struct block_texts {
	pthread_mutex_t lock;
	struct arena arena;
};

static void add_block(struct labels *l, label_id function, uint32_t number)
{
	if (!l->block_texts) {
		l->block_texts = mem_zeroed(1, sizeof *l->block_texts);
		pthread_mutex_init(&l->block_texts->lock, NULL);
	}
	vec_push(&l->names.entries, (struct str){ NULL, l->blocks.count });
	vec_push(&l->kinds, LABEL_BLOCK);
	vec_push(&l->blocks, (struct block_label){ function, number, NULL });
}

/* NULL: the function has no block yet, and this is not its first. */
static struct block_run *run_of(struct labels *l, label_id function, uint32_t number)
{
	uint32_t i;
	struct block_run *runs = l->block_runs.data;
	const size_t count = l->block_runs.count;
	if (count > 0 && runs[count - 1].function == function)
		return &runs[count - 1];
	struct map_at at = map_at(&l->run_ids, hash_u64(function));
	while (map_next(&l->run_ids, &at, &i))
		if (runs[i].function == function)
			return &runs[i];
	if (number > 0)
		return NULL;
	map_put(&l->run_ids, &at, (uint32_t)count);
	vec_push(&l->block_runs,
		 (struct block_run){ function, (label_id)l->names.entries.count, 0 });
	return &l->block_runs.data[count];
}

label_id label_block(struct labels *l, label_id function, uint32_t number)
{
	uint32_t id = (uint32_t)l->names.entries.count;
	struct block_run *run = run_of(l, function, number);
	if (run && number < run->count)
		return run->first + number;
	if (run && number == run->count && id == run->first + run->count) {
		run->count++;
		add_block(l, function, number);
		return id;
	}
	struct map_at at = map_at(&l->block_ids, hash_u64((uint64_t)function << 32 | number));
	while (map_next(&l->block_ids, &at, &id)) {
		const struct block_label *b = label_of_block(l, id);
		if (b->function == function && b->number == number)
			return id;
	}
	id = (uint32_t)l->names.entries.count;
	map_put(&l->block_ids, &at, id);
	add_block(l, function, number);
	return id;
}

struct str label_block_text(const struct labels *l, label_id id)
{
	struct block_label *b = &l->blocks.data[l->names.entries.data[id].len];
	const struct str function = label_text(l, b->function);
	pthread_mutex_lock(&l->block_texts->lock);
	if (!b->text)
		b->text = arena_format(&l->block_texts->arena, STR_FMT "#%" PRIu32,
				       STR_ARG(function), b->number);
	const char *text = b->text;
	pthread_mutex_unlock(&l->block_texts->lock);
	return str_of(text);
}

static void release_blocks(struct labels *l)
{
	vec_release(&l->blocks);
	vec_release(&l->block_runs);
	map_release(&l->run_ids);
	map_release(&l->block_ids);
	if (!l->block_texts)
		return;
	arena_release(&l->block_texts->arena);
	pthread_mutex_destroy(&l->block_texts->lock);
	mem_free(l->block_texts);
	l->block_texts = NULL;
}

/* ---- all ------------------------------------------------------------------------------------- */

label_id label_format(struct labels *l, const char *fmt, ...)
{
	char small[256];
	va_list args;
	va_start(args, fmt);
	const int n = vsnprintf(small, sizeof small, fmt, args);
	va_end(args);
	ASSERT(n >= 0);
	if ((size_t)n < sizeof small)
		return label_copy(l, (struct str){ small, (size_t)n });
	char *large = mem_alloc((size_t)n + 1);
	va_start(args, fmt);
	vsnprintf(large, (size_t)n + 1, fmt, args);
	va_end(args);
	const label_id id = label_copy(l, (struct str){ large, (size_t)n });
	mem_free(large);
	return id;
}

void labels_release(struct labels *l)
{
	intern_release(&l->names);
	vec_release(&l->kinds);
	release_blocks(l);
}
