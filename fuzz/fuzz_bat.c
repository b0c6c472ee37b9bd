/* BOLT's address translation tables.  The first byte chooses the byte order. */
#include "blocks/bat.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_part(const struct bat_table *t, const struct bat_part *p)
{
	uint64_t from;
	ASSERT(p->function < t->function_count && p->next < t->parts.count);
	ASSERT(p->cold == (p->place >= t->function_count));
	ASSERT(p->first + p->count <= t->places.count);
	ASSERT(bat_part_before(t, p->addr)->addr == p->addr);
	for (size_t i = p->first; i < p->first + p->count; i++) {
		const struct bat_place *k = &t->places.data[i];
		ASSERT(i == p->first || k[-1].to <= k->to);
		ASSERT(bat_translate(t, p, k->to, k->branch, &from));
	}
}

/* The whole table: parts in order, each in the chain of its function. */
static void check_table(struct bytes note, bool big_endian)
{
	struct bat_table t;
	size_t chained = 0;
	if (!bat_read(&t, note, big_endian))
		return;
	for (size_t i = 0; i < t.parts.count; i++) {
		ASSERT(t.parts.data[i].place == i);
		ASSERT(i == 0 || t.by_addr[i - 1].addr <= t.by_addr[i].addr);
		check_part(&t, &t.parts.data[i]);
	}
	for (uint32_t i = 0; i < t.function_count; i++)
		for (uint32_t k = i;; k = t.parts.data[k].next) {
			ASSERT(t.parts.data[k].function == i);
			chained++;
			if (t.parts.data[k].next == 0)
				break;
		}
	ASSERT(chained == t.parts.count);
	bat_release(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bat_cursor c;
	uint64_t pos = 0, pairs = 0;
	if (size == 0)
		return 0;
	if (bat_open(&c, (struct bytes){ data + 1, size - 1 }, data[0] & 1)) {
		while (bat_next(&c)) {
			const struct bat_function *f = &c.function;
			ASSERT(c.reader.pos > pos);
			ASSERT(!f->cold || f->hot < c.hot_count);
			pos = c.reader.pos;
			pairs += f->pairs.count + f->entries.count;
			ASSERT(pairs <= size);
			for (size_t i = 0; i < f->pairs.count; i++)
				ASSERT(!f->pairs.data[i].branch || f->pairs.data[i].hash == 0);
		}
	}
	bat_close(&c);
	check_table((struct bytes){ data + 1, size - 1 }, data[0] & 1);
	return 0;
}
