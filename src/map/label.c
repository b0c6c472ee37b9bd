#include "map/label.h"

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

enum { BLOCK_MARK = '\x02' }; /* no name begins so */

label_id label_block(struct labels *l, label_id function, uint32_t number)
{
	char text[32];
	const int n = snprintf(text, sizeof text, "%c%" PRIx32 "#%" PRIu32, BLOCK_MARK, function,
			       number);
	return label_copy(l, (struct str){ text, (size_t)n });
}

bool label_of_block(const struct labels *l, struct str text, struct str *ret_name,
		    struct str *ret_number)
{
	if (text.len < 2 || text.p[0] != BLOCK_MARK)
		return false;
	char *end;
	const unsigned long id = strtoul(text.p + 1, &end, 16);
	if (id >= l->names.entries.count || *end != '#')
		return false;
	*ret_name = label_text(l, (label_id)id);
	*ret_number = (struct str){ end, text.len - (size_t)(end - text.p) };
	return true;
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

void labels_release(struct labels *l)
{
	intern_release(&l->names);
	vec_release(&l->fallback);
}
