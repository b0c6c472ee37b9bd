#include "api/symbol_flags.h"

#include "snapshot/snapshot.h"

enum {
	KNOWN = 1 << 15,
	TOLD = SNAP_UNLIKELY | SNAP_HOT | SNAP_STARTUP | SNAP_CLONE | SNAP_ANONYMOUS,
};

void symbol_flags_init(struct symbol_flags *f, const struct heft_profile *p, struct arena *arena)
{
	*f = (struct symbol_flags){ .profile = p,
				    .arena = arena,
				    .count = p->labels.names.entries.count };
	f->known = mem_zeroed(f->count, sizeof *f->known);
}

void symbol_flags_release(struct symbol_flags *f)
{
	supersize_name_release(&f->work);
	mem_free(f->known);
	*f = (struct symbol_flags){ 0 };
}

static bool has_symbols(const struct level *l)
{
	return l->source->run == source_symbols && l->source->text != TEXT_NAMESPACE;
}

static bool has_sections(const struct level *l)
{
	return strcmp(l->name, "sections") == 0;
}

/* A text that is the label of a section and of a symbol has the flags of what it was first. */
static unsigned flags_of(struct symbol_flags *f, label_id id, bool section)
{
	if (id >= f->count)
		return 0;
	if (f->known[id] == 0) {
		const struct str text = label_text(&f->profile->labels, id);
		f->known[id] = (uint16_t)(KNOWN | (section ? snap_piece_flags(text)
							   : snap_name_flags(&f->work, text)));
	}
	return f->known[id] & TOLD;
}

static const char *const *make_texts(unsigned flags, struct arena *arena)
{
	struct text words = { 0 };
	const char **texts = arena_new(arena, const char *, 1);
	snap_flag_words(&words, flags);
	texts[0] = arena_copy(arena, text_str(&words));
	text_release(&words);
	return texts;
}

const char *const *symbol_flags_of(struct symbol_flags *f, uint32_t node)
{
	const struct heft_profile *p = f->profile;
	unsigned flags = 0;
	for (size_t i = p->levels.count; i-- > 0; node = p->rollup.tree.nodes.data[node].parent) {
		const struct level *l = &p->levels.data[i];
		if (has_symbols(l) || has_sections(l))
			flags |= flags_of(f, p->rollup.tree.nodes.data[node].key, has_sections(l));
	}
	if (flags == 0)
		return NULL;
	ASSERT(flags < SYMBOL_FLAG_SETS);
	f->any = true;
	if (!f->texts[flags])
		f->texts[flags] = make_texts(flags, f->arena);
	return f->texts[flags];
}
