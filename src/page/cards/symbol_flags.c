/* Finds the flags of symbols from their names, sections, source files and contents. */
#include "page/cards/symbol_flags.h"

#include "page/cards/symbol_twins.h"
#include "snapshot/path_form.h"
#include "snapshot/snapshot.h"

enum {
	KNOWN = 1 << 15,
	TOLD = SNAP_UNLIKELY | SNAP_HOT | SNAP_STARTUP | SNAP_CLONE | SNAP_ANONYMOUS |
	       SNAP_GENERATED,
	/* Flags that names do not show. */
	DUPLICATED = 1 << 8,
	INLINED = 1 << 9,
};

/* What the labels of a level are: symbol names, section names, source paths or inlined calls. */
enum said_by { NOTHING, SYMBOLS, SECTIONS, SOURCES, CALLS };

void symbol_flags_init(struct symbol_flags *f, const struct heft_profile *p, struct arena *arena)
{
	*f = (struct symbol_flags){ .profile = p,
				    .arena = arena,
				    .count = p->labels.names.entries.count };
	f->known = mem_zeroed(f->count, sizeof *f->known);
	f->twins = mem_zeroed(f->count, sizeof *f->twins);
	symbol_twins_find(p, f->twins);
}

void symbol_flags_release(struct symbol_flags *f)
{
	supersize_name_release(&f->work);
	mem_free_all(f->known, f->twins);
	*f = (struct symbol_flags){ 0 };
}

static enum said_by labels_of(const struct level *l)
{
	if (l->source->run == source_symbols)
		return source_names_symbols(l->source) ? SYMBOLS : NOTHING;
	if (l->source->run == source_sections)
		return SECTIONS;
	if (l->source->run == source_inlinestacks)
		return CALLS;
	return l->source->run == source_compileunits || l->source->run == source_sourcefiles
		       ? SOURCES
		       : NOTHING;
}

static unsigned source_flags(struct str path)
{
	struct text form = { 0 };
	bool generated;
	path_form(&form, path, STR(""), false, &generated);
	text_release(&form);
	return generated ? SNAP_GENERATED : 0;
}

/* True if a chain (function;call;call) has inlined calls. "; " is part of a Rust type's name. */
static bool has_calls(struct str chain)
{
	for (size_t i = 0; i + 1 < chain.len; i++)
		if (chain.p[i] == ';' && chain.p[i + 1] != ' ')
			return true;
	return false;
}

/* Returns the flags that a label's text of kind `what` tells. Stores them for later calls. */
static unsigned symbol_flags_said_of(struct symbol_flags *f, label_id id, enum said_by what)
{
	if (id >= f->count)
		return 0;
	if (what == CALLS)
		return has_calls(label_text(&f->profile->labels, id)) ? INLINED : 0;
	if (f->known[id] == 0) {
		const struct str text = label_text(&f->profile->labels, id);
		const unsigned flags = what == SECTIONS  ? snap_piece_flags(text)
				       : what == SOURCES ? source_flags(text)
							 : snap_name_flags(&f->work, text);
		f->known[id] = (uint16_t)(KNOWN | flags);
	}
	return f->known[id] & TOLD;
}

static void symbol_flags_add_word(struct text *words, unsigned flag, const char *word)
{
	if (flag == 0)
		return;
	if (words->len > 0)
		text_add(words, STR(", "));
	text_add(words, str_of(word));
}

static const char *const *make_texts(unsigned flags, struct arena *arena)
{
	struct text words = { 0 };
	const char **texts = arena_new(arena, const char *, 1);
	snap_flag_words(&words, flags & TOLD);
	symbol_flags_add_word(&words, flags & INLINED, "inlined");
	symbol_flags_add_word(&words, flags & DUPLICATED, "duplicated");
	texts[0] = arena_copy(arena, text_str(&words));
	text_release(&words);
	return texts;
}

const char *const *symbol_flags_of(struct symbol_flags *f, uint32_t node)
{
	const struct heft_profile *p = f->profile;
	const label_id last = p->rollup.tree.nodes.data[node].key;
	unsigned flags = last < f->count && f->twins[last] ? DUPLICATED : 0;
	for (size_t i = p->levels.count; i-- > 0; node = p->rollup.tree.nodes.data[node].parent) {
		const enum said_by what = labels_of(&p->levels.data[i]);
		if (what != NOTHING)
			flags |= symbol_flags_said_of(f, p->rollup.tree.nodes.data[node].key, what);
	}
	if (flags == 0)
		return NULL;
	ASSERT(flags < SYMBOL_FLAG_SETS);
	if (!f->texts[flags])
		f->texts[flags] = make_texts(flags, f->arena);
	return f->texts[flags];
}
