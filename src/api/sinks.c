/* Implements outputs of reports and look-ups in tables: heft_sink_*, heft_table_*. */
#include "map/rows.h"

#include <math.h>
#include <string.h>

static bool sinks_file_write(void *ctx, const void *data, size_t size)
{
	return fwrite(data, 1, size, ctx) == size;
}

struct heft_sink heft_sink_file(FILE *to)
{
	return (struct heft_sink){ sinks_file_write, to };
}

static bool sinks_buffer_write(void *ctx, const void *data, size_t size)
{
	struct heft_buffer *b = ctx;
	if (size >= SIZE_MAX / 2 - b->size)
		return false;
	if (b->size + size >= b->room) {
		const size_t room = 2 * (b->size + size) + 64;
		char *grown = realloc(b->data, room);
		if (!grown)
			return false;
		b->data = grown;
		b->room = room;
	}
	ASSERT(b->size + size < b->room);
	memcpy(b->data + b->size, data, size);
	b->size += size;
	b->data[b->size] = '\0';
	return true;
}

struct heft_sink heft_sink_buffer(struct heft_buffer *to)
{
	return (struct heft_sink){ sinks_buffer_write, to };
}

void heft_buffer_release(struct heft_buffer *b)
{
	free(b->data);
	*b = (struct heft_buffer){ NULL, 0, 0 };
}

double heft_row_number(const struct heft_table *t, const struct heft_row *row, size_t measure,
		       enum heft_role role)
{
	if (measure >= t->measure_count)
		return (double)NAN;
	return row_number(t, row, measure, role == HEFT_BASE);
}

size_t heft_table_measure(const struct heft_table *t, const char *name)
{
	for (size_t i = 0; i < t->measure_count; i++)
		if (strcmp(t->measures[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}
