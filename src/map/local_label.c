#include "map/local_label.h"

label_id local_label(struct local_labels *l, struct str text)
{
	const uint64_t hash = hash_bytes(text.p, text.len);
	struct map_at at = map_at(&l->numbers, hash);
	uint32_t number;
	while (map_next(&l->numbers, &at, &number))
		if (str_eq(l->texts.data[number].text, text))
			return LABEL_LOCAL | number;
	ASSERT(l->texts.count < LABEL_LINES);
	number = (uint32_t)l->texts.count;
	text.p = arena_copy(&l->arena, text);
	vec_push(&l->texts, (struct hashed_text){ text, hash });
	map_put(&l->numbers, &at, number);
	return LABEL_LOCAL | number;
}

label_id local_label_line(struct local_labels *l, label_id path, uint32_t line)
{
	struct map_at at = map_at(&l->line_numbers, hash_u64((uint64_t)path << 32 | line));
	uint32_t number;
	while (map_next(&l->line_numbers, &at, &number))
		if (l->lines.data[number].of == path && l->lines.data[number].number == line)
			return LABEL_LOCAL | LABEL_LINES | number;
	ASSERT(l->lines.count < LABEL_LINES);
	number = (uint32_t)l->lines.count;
	vec_push(&l->lines, (struct label_number){ path, line });
	map_put(&l->line_numbers, &at, number);
	return LABEL_LOCAL | LABEL_LINES | number;
}

label_id local_label_pending(struct local_labels *l)
{
	ASSERT(l->pending.count < LABEL_PENDING);
	vec_push(&l->pending, LABEL_NONE);
	return LABEL_LOCAL | LABEL_PENDING | (uint32_t)(l->pending.count - 1);
}

void local_label_settle(struct local_labels *l, label_id id, label_id meant)
{
	const uint32_t number = id & ~(LABEL_LOCAL | LABEL_PENDING);
	ASSERT(number < l->pending.count && meant != id);
	l->pending.data[number] = meant;
}

void local_labels_join(struct local_labels *l, struct labels *to)
{
	const size_t count = l->texts.count;
	l->joined.count = 0;
	vec_reserve(&l->joined, count + l->lines.count + 1);
	label_copy_all(to, l->texts.data, count, l->joined.data);
	for (size_t i = 0; i < l->lines.count; i++)
		l->lines.data[i].of = local_label_joined(l, l->lines.data[i].of);
	label_lines(to, l->lines.data, l->lines.count, l->joined.data + count);
	l->joined.count = count + l->lines.count;
	ASSERT(to->names.entries.count < LABEL_LOCAL);
}

void claims_join(struct claims *to, struct claims *from, const struct local_labels *l)
{
	vec_reserve(&to->list, from->list.count);
	for (size_t i = 0; i < from->list.count; i++) {
		struct claim c = from->list.data[i];
		c.label = local_label_joined(l, c.label);
		if (c.label != LABEL_NONE)
			to->list.data[to->list.count++] = c;
	}
	from->list.count = 0;
}

void local_labels_clear(struct local_labels *l)
{
	l->texts.count = 0;
	map_clear(&l->numbers);
	l->lines.count = 0;
	map_clear(&l->line_numbers);
	arena_reset(&l->arena);
	l->joined.count = l->pending.count = 0;
}

void local_labels_release(struct local_labels *l)
{
	vec_release(&l->texts);
	map_release(&l->numbers);
	vec_release(&l->lines);
	map_release(&l->line_numbers);
	arena_release(&l->arena);
	vec_release_all(&l->joined, &l->pending);
}
