/* Filters of trees. */
#include "browse/browse_tree.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 16 };

struct word {
	const char *text;
	size_t size;
	bool exact; /* has a capital letter */
};

struct words {
	char *text; /* of all of them */
	struct word words[WORDS_MAX];
	unsigned count;
	uint32_t wanted, unwanted; /* bits by number of the word */
};

static void add_word(struct words *w, char *text)
{
	const bool not = text[0] == '!';
	struct word *word = &w->words[w->count];
	*word = (struct word){ .text = text + not, .size = strlen(text + not) };
	if (word->size == 0 || w->count == WORDS_MAX)
		return;
	for (const char *c = word->text; *c != '\0'; c++)
		word->exact |= isupper((unsigned char)*c) != 0;
	*(not? &w->unwanted : &w->wanted) |= 1U << w->count++;
}

/* False where there is no memory. */
static bool split_words(struct words *w, const char *text)
{
	char *rest = NULL;
	*w = (struct words){ .text = strdup(text) };
	if (w->text == NULL)
		return false;
	for (char *at = strtok_r(w->text, " ", &rest); at != NULL && w->count < WORDS_MAX;
	     at = strtok_r(NULL, " ", &rest))
		add_word(w, at);
	return true;
}

/* The letters of ASCII; a name in UTF-8 is found as it is written. */
static bool begins_with(const char *text, const struct word *w)
{
	for (size_t i = 0; i < w->size; i++) {
		const char c = text[i];
		const char small = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
		if (small != w->text[i])
			return false;
	}
	return true;
}

static bool contains(const char *text, const struct word *w)
{
	if (w->exact)
		return strstr(text, w->text) != NULL;
	const char first = w->text[0], other = (char)toupper((unsigned char)first);
	for (; *text != '\0'; text++)
		if ((*text == first || *text == other) && begins_with(text, w))
			return true;
	return false;
}

static bool is_in_alias(const struct heft_row *row, const struct word *w)
{
	for (size_t i = 0; i < row->alias_count; i++)
		if (contains(row->aliases[i], w))
			return true;
	return false;
}

/* Bits of the words that a row has in a name or text; `known` are not asked again. */
static uint32_t words_of(const struct tree *t, const struct heft_row *row, const struct words *w,
			 uint32_t known)
{
	for (unsigned i = 0; i < w->count; i++) {
		bool found = (known & 1U << i) != 0 || contains(row->label, &w->words[i]);
		for (size_t k = 0; !found && row->texts != NULL && k < t->table->text_count; k++)
			found = contains(row->texts[k], &w->words[i]);
		found = found || is_in_alias(row, &w->words[i]);
		known |= (uint32_t)found << i;
	}
	return known;
}

/* Decides which leaves are shown.  A node follows its parent. */
static bool match_leaves(struct tree *t, const struct words *w)
{
	uint32_t *found = malloc(t->count * sizeof *found);
	if (found == NULL)
		return false;
	for (uint32_t i = 0; i < t->count; i++) {
		struct tree_node *n = &t->nodes[i];
		found[i] = i == 0 ? 0 : words_of(t, n->row, w, found[n->parent]);
		n->shown = n->children == 0 && (found[i] & w->wanted) == w->wanted &&
			   (found[i] & w->unwanted) == 0;
	}
	free(found);
	t->nodes[0].shown = true;
	return true;
}

static void add_value(union heft_value *to, union heft_value v, enum heft_unit unit)
{
	if (unit != HEFT_PARTS)
		to->whole += v.whole;
	else if (!isnan(v.parts))
		to->parts += v.parts;
}

/* Children have higher numbers than their parents, so the sums below a node are whole when it is
 * its turn. */
static void add_up(struct tree *t, union heft_value *sums)
{
	const size_t measures = t->table->measure_count;
	for (uint32_t i = t->count; i-- > 0;) {
		const struct tree_node *n = &t->nodes[i];
		union heft_value *own = sums + i * measures * 2;
		union heft_value *above = sums + n->parent * measures * 2;
		if (!n->shown)
			continue;
		t->nodes[n->parent].shown = true;
		for (size_t m = 0; m < measures; m++) {
			const struct heft_measure *measure = &t->table->measures[m];
			if (n->children == 0) {
				own[m] = n->row->now[m];
				own[measures + m] = n->row->base[m];
			}
			if (i == 0 || measure->shared)
				continue;
			add_value(&above[m], own[m], measure->unit);
			add_value(&above[measures + m], own[measures + m], measure->unit);
		}
	}
}

static void show_all(struct tree *t)
{
	free(t->sums);
	t->sums = NULL;
	for (uint32_t i = 0; i < t->count; i++)
		t->nodes[i].shown = true;
}

bool tree_filter(struct tree *t, const char *text)
{
	struct words w;
	if (!split_words(&w, text))
		return false;
	union heft_value *sums = NULL;
	bool good = true;
	if (w.count == 0) {
		show_all(t);
	} else if ((good = tree_make_all(t))) {
		sums = calloc(t->count, t->table->measure_count * 2 * sizeof *sums);
		good = sums != NULL && match_leaves(t, &w);
	}
	free(w.text);
	if (good && sums != NULL) {
		add_up(t, sums);
		free(t->sums);
		t->sums = sums;
	} else {
		free(sums);
	}
	t->order_number++;
	return good;
}
