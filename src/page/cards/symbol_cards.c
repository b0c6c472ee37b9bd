/* Finds the users and texts of symbols, for a page. */
#include "page/cards/symbol_cards.h"

#include "base/sort.h"
#include "base/utf8.h"
#include "graph/graph.h"

enum {
	USERS_SHOWN = 64,
	TEXTS_SHOWN = 4,
	TEXT_SHOWN = 120, /* Longest shown part of a text, in bytes */
	TEXT_LEAST = 4,   /* Shortest text, in bytes. Shorter ones may be numbers */
};

const struct level *symbol_cards_level(const struct heft_profile *p)
{
	const struct level *last = &p->levels.data[p->levels.count - 1];
	return source_names_symbols(last->source) ? last : NULL;
}

static void symbol_cards_add_data(struct symbol_cards *c, const struct image *im,
				  const struct rollup_level *level)
{
	vec_each(const struct span, s, &level->spans->list) {
		const struct section *in = image_section_at(im, s->start);
		if (!in || in->exec || in->write || in->nobits)
			continue;
		vec_push(&c->data,
			 (struct label_data){ level->shown ? level->shown[s->label] : s->label, im,
					      s->start, s->size });
	}
}

static void symbol_cards_add_users(struct symbol_cards *c, const struct image *im,
				   const struct rollup_level *level)
{
	struct graph g = { 0 };
	graph_read(&g, &(struct graph_of){ .im = im,
					   .vm = level->spans,
					   .labels = &c->profile->labels,
					   .threads = c->profile->context.threads });
	users_add(&c->own_users, &g, level->shown);
	graph_release(&g);
}

bool symbol_cards_init(struct symbol_cards *c, const struct heft_profile *p)
{
	const struct level *l = symbol_cards_level(p);
	*c = (struct symbol_cards){ .profile = p };
	if (!l || !p->keep_ranges)
		return false;
	vec_each(const struct entry, e, &p->entries) {
		const struct image *im = program_image(&e->program);
		if (!im || !e->layers || e->role != HEFT_INPUT)
			continue;
		const struct rollup_level level = { entry_spans(e, l, HEFT_VM),
						    view_is_plain(&l->view) ? NULL
									    : l->view.shown };
		if (!p->keepers.of)
			symbol_cards_add_users(c, im, &level);
		symbol_cards_add_data(c, im, &level);
	}
	users_sort(&c->own_users);
	c->users = p->keepers.of ? &p->keepers.users : &c->own_users;
	sort_by_key(c->data.data, c->data.count, sizeof *c->data.data);
	return true;
}

void symbol_cards_release(struct symbol_cards *c)
{
	vec_release_all(&c->own_users, &c->data, &c->names);
	text_release(&c->texts);
	*c = (struct symbol_cards){ 0 };
}

/* Returns the length in bytes of the printable text that begins at `at`. */
static size_t symbol_cards_text_size(struct str s, size_t at)
{
	size_t size = 0;
	uint32_t c;
	for (unsigned n; at + size < s.len; size += n) {
		n = utf8_decode(s, at + size, &c);
		if (n == 0 || (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f)
			break;
	}
	return size;
}

static void symbol_cards_add_text(struct symbol_cards *c, struct str s)
{
	const struct str shown = utf8_cut(s, TEXT_SHOWN);
	if (c->card.all_texts++ >= TEXTS_SHOWN)
		return;
	if (c->texts.len > 0)
		text_add_char(&c->texts, CARD_TEXT_END);
	text_add(&c->texts, shown);
	if (shown.len < s.len)
		text_add(&c->texts, STR("..."));
}

/* Adds the texts in data. A text ends with a zero or at the end of the data, because languages
 * other than C need no zero. */
static void symbol_cards_add_texts(struct symbol_cards *c, const struct label_data *d)
{
	const struct bytes b = image_at(d->im, d->addr, d->size);
	const struct str s = { (const char *)b.p, b.size };
	for (size_t at = 0, size; at < s.len; at += size + 1) {
		size = symbol_cards_text_size(s, at);
		if (size >= TEXT_LEAST && (at + size == s.len || s.p[at + size] == '\0'))
			symbol_cards_add_text(c, (struct str){ s.p + at, size });
	}
}

static void find_users(struct symbol_cards *c, label_id label)
{
	const uint64_t low = (uint64_t)label << 32;
	const size_t first = vec_lower(c->users, low);
	const size_t count = vec_upper(c->users, low | UINT32_MAX) - first;
	c->names.count = 0;
	for (size_t i = first; i < first + count && i < first + USERS_SHOWN; i++)
		vec_push(&c->names, label_text(&c->profile->labels, (label_id)c->users->data[i]).p);
	c->card.users = c->names.data;
	c->card.user_count = c->names.count;
	c->card.all_users = count;
}

static const char *symbol_cards_name(const struct symbol_cards *c, label_id label)
{
	return label == LABEL_NONE ? NULL : label_text(&c->profile->labels, label).p;
}

const struct symbol_card *symbol_cards_of(struct symbol_cards *c, label_id label)
{
	size_t i = lower_bound(c->data.data, c->data.count, sizeof *c->data.data, label);
	c->texts.len = 0;
	c->card.all_texts = 0;
	for (; i < c->data.count && c->data.data[i].label == label; i++)
		symbol_cards_add_texts(c, &c->data.data[i]);
	c->card.texts = c->texts.len > 0 ? text_str(&c->texts) : STR("");
	find_users(c, label);
	c->card.kept = keeper_of(&c->profile->keepers, label);
	if (c->card.kept) {
		c->card.keeper = symbol_cards_name(c, c->card.kept->keeper);
		c->card.by = symbol_cards_name(c, c->card.kept->by);
	}
	return &c->card;
}
