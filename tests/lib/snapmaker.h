/* snapmaker.h - snapshots made by hand for tests. */
#ifndef HEFT_TESTS_SNAPMAKER_H
#define HEFT_TESTS_SNAPMAKER_H

#include "snapshot/snapshot.h"

/* A snapshot of one program without a name; add symbols, then snapmaker_done. */
static inline void snapmaker_init(struct snapshot *s)
{
	snapshot_init(s);
	vec_push(&s->containers, (struct snap_container){ .name = "" });
}

struct made {
	const char *section;
	uint64_t addr, size;
	int64_t padding;
	const char *full_name, *source, *object, *component;
	uint32_t aliases; /* this symbol and so many - 1 after it are one list; 0 = 1 */
};

static inline uint32_t snapmaker_text(struct snapshot *s, const char *text)
{
	return text ? intern_add(&s->texts, str_of(text)) : 0;
}

static inline void snapmaker_add(struct snapshot *s, const struct made *m, uint32_t container)
{
	vec_push(&s->symbols,
		 (struct snap_symbol){ .addr = m->addr,
				       .size = m->size,
				       .padding = m->padding,
				       .full_name = snapmaker_text(s, m->full_name),
				       .source = snapmaker_text(s, m->source),
				       .object = snapmaker_text(s, m->object),
				       .component = snapmaker_text(s, m->component),
				       .section = snapshot_section(s, container, m->section),
				       .alias_count = 1 });
}

static inline void snapmaker_join(struct snapshot *s, size_t first, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		s->symbols.data[first + i].alias_count = count;
		s->symbols.data[first + i].alias_place = i;
	}
}

/* Names are split as those of a file of SuperSize; sizes, padding and aliases stay as given. */
static inline void snapmaker_done(struct snapshot *s)
{
	snapshot_split_names(s);
	snapshot_place_sections(s);
}

static inline void snapmaker_make(struct snapshot *s, const struct made *list, size_t count)
{
	snapmaker_init(s);
	for (size_t i = 0; i < count; i++) {
		snapmaker_add(s, &list[i], 0);
		if (list[i].aliases > 1)
			ASSERT(i + list[i].aliases <= count);
	}
	for (size_t i = 0; i < count; i++)
		if (list[i].aliases > 1)
			snapmaker_join(s, i, list[i].aliases);
	snapmaker_done(s);
}

#endif
