/* Escapes the texts of a snapshot for the file format. */
#include "snapshot/sizefile_internal.h"

static bool escape_is_plain(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((uint8_t)s.p[i] >= 0x80 || s.p[i] == '\t' || s.p[i] == '\n')
			return false;
	return true;
}

/* Returns per text the id of its escaped form. NULL if no text needs escapes. */
static uint32_t *escaped_ids(struct snapshot *s)
{
	const size_t count = s->texts.entries.count;
	uint32_t *ids = NULL;
	struct text escaped = { 0 };
	for (uint32_t i = 0; i < count; i++) {
		if (escape_is_plain(snapshot_text(s, i)))
			continue;
		if (ids == NULL) {
			ids = mem_alloc(count * sizeof *ids);
			for (uint32_t k = 0; k < count; k++)
				ids[k] = k;
		}
		escaped.len = 0;
		sizefile_add_text(&escaped, snapshot_text(s, i));
		ids[i] = intern_add(&s->texts, text_str(&escaped));
	}
	text_release(&escaped);
	return ids;
}

void snapshot_escape(struct snapshot *s)
{
	uint32_t *ids = escaped_ids(s);
	for (size_t i = 0; ids && i < s->symbols.count; i++) {
		struct snap_symbol *y = &s->symbols.data[i];
		y->name = ids[y->name];
		y->template_name = ids[y->template_name];
		y->full_name = ids[y->full_name];
		y->object = ids[y->object];
		y->source = ids[y->source];
		y->component = ids[y->component];
	}
	for (size_t i = 0; ids && i < s->charges.count; i++) {
		struct snap_charge *c = &s->charges.data[i];
		uint32_t *const texts[] = { &c->name,   &c->space,     &c->source,
					    &c->object, &c->component, &c->package };
		for (size_t k = 0; k < COUNT_OF(texts); k++)
			*texts[k] = ids[*texts[k]];
	}
	mem_free(ids);
}
