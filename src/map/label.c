/* Interns labels, and makes the texts of numbered labels. */
#include "map/label.h"

#include "base/digits.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

enum { AHEAD = 16 };

typedef uint32_t intern_fn(struct intern *in, const struct hashed_text *t);

/* Inline, so that the compiler knows `intern` and calls it directly. */
static inline void label_all(struct labels *l, const struct hashed_text *list, size_t count,
			     label_id *ret_ids, intern_fn *intern)
{
	for (size_t i = 0; i < count; i++) {
		const struct hashed_text *e = &list[i];
		if (i + AHEAD < count)
			map_prefetch(&l->names.ids, e[AHEAD].hash);
		ret_ids[i] = LABEL_NONE;
		if (e->text.p)
			ret_ids[i] = label_known(l, intern(&l->names, e), e->text);
	}
}

void label_borrow_all(struct labels *l, const struct hashed_text *list, size_t count,
		      label_id *ret_ids)
{
	if (l->names.ids.count < count) /* Makes room: probably most texts are new */
		map_reserve(&l->names.ids, l->names.ids.count + count);
	if (l->keeps)
		label_all(l, list, count, ret_ids, intern_add_hashed);
	else
		label_all(l, list, count, ret_ids, intern_borrow_hashed);
}

void label_copy_all(struct labels *l, const struct hashed_text *list, size_t count,
		    label_id *ret_ids)
{
	label_all(l, list, count, ret_ids, intern_add_hashed);
}

/* Texts of numbered labels (struct label_number). Made when first asked for */
struct number_texts {
	pthread_mutex_t lock;
	struct map ids; /* By label id: index in `list` */
	VEC(struct number_text {
		label_id id;
		struct str text;
	})
	list;
	struct arena arena;
};

static label_id add_numbered(struct labels *l, enum label_kind kind, struct label_number n)
{
	if (!l->made_texts) {
		l->made_texts = mem_zeroed(1, sizeof *l->made_texts);
		pthread_mutex_init(&l->made_texts->lock, NULL);
	}
	/* A numbered label has two numbers in place of its text. */
	vec_push(&l->names.entries, (struct str){ (const char *)(uintptr_t)n.of, n.number });
	vec_push(&l->kinds, (uint8_t)kind);
	return (label_id)(l->names.entries.count - 1);
}

static uint64_t number_hash(struct label_number n)
{
	return hash_u64((uint64_t)n.of << 32 | n.number);
}

static label_id get_numbered(struct labels *l, enum label_kind kind, struct label_number n)
{
	uint32_t id;
	struct map_at at = map_at(&l->number_ids, number_hash(n));
	while (map_next(&l->number_ids, &at, &id)) {
		const struct label_number is = label_numbered(l, id);
		if (l->kinds.data[id] == kind && is.of == n.of && is.number == n.number)
			return id;
	}
	id = add_numbered(l, kind, n);
	map_put(&l->number_ids, &at, id);
	return id;
}

/* Makes the text of a chain, from its end: "A;B;C". */
static struct str make_chain(const struct labels *l, label_id id, struct arena *arena)
{
	size_t size = 0;
	label_id first = id;
	for (; label_is_chain(l, first); first = label_numbered(l, first).of)
		size += 1 + label_text(l, label_numbered(l, first).number).len;
	const struct str begin = label_text(l, first);
	char *const text = arena_alloc(arena, begin.len + size + 1, 1);
	char *at = text + begin.len + size;
	*at = '\0';
	for (; label_is_chain(l, id); id = label_numbered(l, id).of) {
		const struct str part = label_text(l, label_numbered(l, id).number);
		at -= part.len;
		memcpy(at, part.p, part.len);
		*--at = ';';
	}
	ASSERT(at == text + begin.len);
	memcpy(text, begin.p, begin.len);
	return (struct str){ text, begin.len + size };
}

/* Makes the text of a numbered label: "FUNCTION#12", "FILE:12", or of a chain. */
static struct str make_text(const struct labels *l, label_id id, struct arena *arena)
{
	if (label_is_chain(l, id))
		return make_chain(l, id, arena);
	const struct label_number n = label_numbered(l, id);
	const struct str of = label_text(l, n.of);
	char digits[DECIMAL_MOST], *end = digits + sizeof digits;
	const char *start = decimal_before(end, n.number);
	const size_t count = (size_t)(end - start);
	char *text = arena_alloc(arena, of.len + count + 2, 1);
	memcpy(text, of.p, of.len);
	text[of.len] = l->kinds.data[id] == LABEL_BLOCK ? '#' : ':';
	memcpy(text + of.len + 1, start, count);
	text[of.len + 1 + count] = '\0';
	return (struct str){ text, of.len + 1 + count };
}

struct str label_number_text(const struct labels *l, label_id id)
{
	struct number_texts *t = l->made_texts;
	uint32_t i;
	call_lock(&t->lock);
	struct map_at at = map_at(&t->ids, hash_u64(id));
	bool found = false;
	while (!found && map_next(&t->ids, &at, &i))
		found = t->list.data[i].id == id;
	if (!found) {
		i = (uint32_t)t->list.count;
		vec_push(&t->list, (struct number_text){ id, make_text(l, id, &t->arena) });
		map_put(&t->ids, &at, i);
	}
	const struct str text = t->list.data[i].text;
	call_unlock(&t->lock);
	return text;
}

void label_lines(struct labels *l, const struct label_number *list, size_t count, label_id *ret_ids)
{
	for (size_t i = 0; i < count; i++) {
		const struct label_number n = list[i];
		if (i + AHEAD < count)
			map_prefetch(&l->number_ids, number_hash(list[i + AHEAD]));
		if (label_is_fallback(l, n.of)) /* A line of a fallback is a fallback too */
			ret_ids[i] = label_format(l, STR_FMT ":%" PRIu32,
						  STR_ARG(label_text(l, n.of)), n.number);
		else
			ret_ids[i] = get_numbered(l, LABEL_LINE, n);
	}
}

/* Returns the struct block_run of a function. If the function has none, starts one if `number` is
 * 0, otherwise returns NULL. */
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
	const label_id next = (label_id)l->names.entries.count;
	struct block_run *run = run_of(l, function, number);
	if (run && number < run->count)
		return run->first + number;
	if (!run || number != run->count || next != run->first + run->count)
		return get_numbered(l, LABEL_BLOCK, (struct label_number){ function, number });
	run->count++;
	return add_numbered(l, LABEL_BLOCK, (struct label_number){ function, number });
}

label_id label_chain(struct labels *l, label_id above, label_id last)
{
	ASSERT(!label_is_numbered(l, last));
	ASSERT(!label_is_numbered(l, above) || label_is_chain(l, above));
	if (label_is_fallback(l, above)) /* A chain below a fallback is a fallback too */
		return label_format(l, STR_FMT ";" STR_FMT, STR_ARG(label_text(l, above)),
				    STR_ARG(label_text(l, last)));
	return get_numbered(l, LABEL_CHAIN, (struct label_number){ above, last });
}

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

label_id label_bracketed(struct labels *l, struct str name)
{
	const bool is_one = str_starts(name, STR("[")) && str_ends(name, STR("]"));
	return is_one ? label_copy(l, name) : label_format(l, "[" STR_FMT "]", STR_ARG(name));
}

void labels_release(struct labels *l)
{
	intern_release(&l->names);
	vec_release(&l->kinds);
	struct number_texts *t = l->made_texts;
	vec_release(&l->block_runs);
	map_release(&l->run_ids);
	map_release(&l->number_ids);
	if (!t)
		return;
	map_release(&t->ids);
	vec_release(&t->list);
	arena_release(&t->arena);
	pthread_mutex_destroy(&t->lock);
	mem_free(t);
	l->made_texts = NULL;
}
