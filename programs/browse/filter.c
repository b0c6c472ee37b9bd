/* Filters the rows of trees by words. */
#include "browse/browse_tree.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 16 };

struct filter_word {
	const char *text;
	size_t size;
	bool exact; /* True if the word has a capital letter */
};

struct words {
	char *text; /* Memory of the texts of all words */
	struct filter_word words[WORDS_MAX];
	unsigned count;
	uint32_t wanted, unwanted; /* One bit per word: it must occur, or must not ("!") */
	uint32_t in_full;          /* Bits of wanted words that are also tested with full names */
};

static void filter_add_word(struct words *w, char *text)
{
	const bool not = text[0] == '!';
	ASSERT(w->count < 8 * sizeof(uint32_t)); /* Each word needs a bit. */
	struct filter_word *word = &w->words[w->count];
	*word = (struct filter_word){ .text = text + not, .size = strlen(text + not) };
	if (word->size == 0 || w->count == WORDS_MAX)
		return;
	for (const char *c = word->text; *c != '\0'; c++)
		word->exact |= isupper((unsigned char)*c) != 0;
	*(not? &w->unwanted : &w->wanted) |= 1U << w->count;
	if (!not&&strpbrk(word->text, "<(,*&[") != NULL)
		w->in_full |= 1U << w->count;
	w->count++;
}

/* Splits a text into words. False if there is no memory. */
static bool split_words(struct words *w, const char *text)
{
	char *rest = NULL;
	*w = (struct words){ .text = strdup(text) };
	if (w->text == NULL)
		return false;
	for (char *at = strtok_r(w->text, " ", &rest); at != NULL && w->count < WORDS_MAX;
	     at = strtok_r(NULL, " ", &rest))
		filter_add_word(w, at);
	return true;
}

/* True if the text begins with the word. Ignores the case of ASCII letters only. */
static bool begins_with(const char *text, const struct filter_word *w)
{
	for (size_t i = 0; i < w->size; i++) {
		const char c = text[i];
		const char small = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
		if (small != w->text[i])
			return false;
	}
	return true;
}

static bool filter_contains(const char *text, const struct filter_word *w)
{
	if (w->exact)
		return strstr(text, w->text) != NULL;
	const char first = w->text[0], other = (char)toupper((unsigned char)first);
	for (; *text != '\0'; text++)
		if ((*text == first || *text == other) && begins_with(text, w))
			return true;
	return false;
}

/* Returns a bit for each word that a label, alias or text of the row has, except those in
 * `known`. */
static uint32_t filter_words_of(const struct tree *t, const struct heft_row *row,
				const struct words *w, uint32_t known)
{
	for (unsigned i = 0; i < w->count; i++) {
		bool found = (known & 1U << i) != 0 || filter_contains(row->label, &w->words[i]);
		for (size_t k = 0; !found && row->texts != NULL && k < t->table->text_count; k++)
			found = filter_contains(row->texts[k], &w->words[i]);
		for (size_t k = 0; !found && k < row->alias_count; k++)
			found = filter_contains(row->aliases[k], &w->words[i]);
		known |= (uint32_t)found << i;
	}
	return known;
}

/* Decides which leaves are shown. Each node comes after its parent. False if out of memory. */
static bool match_leaves(struct tree *t, const struct words *w)
{
	uint32_t *found = malloc(t->count * sizeof *found);
	if (found == NULL)
		return false;
	for (uint32_t i = 0; i < t->count; i++) {
		struct tree_node *n = &t->nodes[i];
		found[i] = i == 0 ? 0 : filter_words_of(t, n->row, w, found[n->parent]);
		n->shown = n->below == 0 && (found[i] & w->wanted) == w->wanted &&
			   (found[i] & w->unwanted) == 0;
	}
	free(found);
	t->nodes[0].shown = true;
	return true;
}

/* Adds up the sums from the last node to the first. Children come after their parents, so the sums
 * of a node are complete before its parent gets them. */
static void filter_add_up(struct tree *t, double *sums)
{
	const size_t measures = t->table->measure_count;
	for (uint32_t i = t->count; i-- > 0;) {
		const struct tree_node *n = &t->nodes[i];
		ASSERT(n->parent < i || i == 0);
		double *own = sums + i * measures * 2;
		double *above = sums + n->parent * measures * 2;
		if (!n->shown)
			continue;
		t->nodes[n->parent].shown = true;
		for (size_t m = 0; m < measures; m++) {
			const struct heft_measure *measure = &t->table->measures[m];
			if (n->below == 0) {
				own[m] = heft_row_number(t->table, n->row, m, HEFT_INPUT);
				own[measures + m] = heft_row_number(t->table, n->row, m, HEFT_BASE);
			}
			if (i == 0 || measure->shared)
				continue;
			above[m] += isnan(own[m]) ? 0 : own[m];
			above[measures + m] += isnan(own[measures + m]) ? 0 : own[measures + m];
		}
	}
}

static bool filter_here(struct tree *t, const struct words *w)
{
	double *sums = NULL;
	if (w->count == 0) { /* All rows are shown. */
		free(t->sums);
		t->sums = NULL;
		for (uint32_t i = 0; i < t->count; i++)
			t->nodes[i].shown = true;
		return true;
	}
	if (!tree_make_all(t))
		return false;
	sums = calloc(t->count, t->table->measure_count * 2 * sizeof *sums);
	if (sums == NULL || !match_leaves(t, w)) {
		free(sums);
		return false;
	}
	filter_add_up(t, sums);
	free(t->sums);
	t->sums = sums;
	return true;
}

struct filter_asked {
	const struct tree *tree;
	const struct words *words;
};

static uint32_t match_row(void *ctx, const struct heft_row *row)
{
	const struct filter_asked *a = ctx;
	return filter_words_of(a->tree, row, a->words, 0);
}

static bool filter_says_again(void *ctx, const char *above, const char *label)
{
	(void)ctx;
	return tree_same_label(above, label);
}

static bool filter_is_kept(const struct tree *t, uint32_t node)
{
	return t->nodes[node].open || t->nodes[node].marked || node == t->root;
}

/* Lists the rows whose state must be kept while the filter hides them. NULL if memory runs out. */
static const struct heft_row **list_kept(const struct tree *t, size_t *ret_count)
{
	size_t count = 0;
	for (uint32_t i = 0; i < t->count; i++)
		count += filter_is_kept(t, i);
	const struct heft_row **kept = malloc((count + 1) * sizeof *kept);
	*ret_count = 0;
	for (uint32_t i = 0; kept != NULL && i < t->count; i++)
		if (filter_is_kept(t, i))
			kept[(*ret_count)++] = t->nodes[i].row;
	return kept;
}

static bool filter_by_table(struct tree *t, const struct words *w, uint32_t *cursor)
{
	struct filter_asked asked = { t, w };
	struct heft_row_filter f = { .size = sizeof f,
				     .match = match_row,
				     .repeats = filter_says_again,
				     .ctx = &asked,
				     .wanted = w->wanted,
				     .unwanted = w->unwanted,
				     .in_full = w->in_full };
	uint64_t leaves = 0;
	const struct heft_row **kept = list_kept(t, &f.kept_count);
	f.kept = kept;
	const bool good = kept != NULL &&
			  t->rows.filter(t->rows.of, w->count > 0 ? &f : NULL, &leaves) &&
			  tree_make_again(t, leaves, w->count > 0, cursor);
	free(kept);
	return good;
}

void tree_close_opened(struct tree *t, uint32_t cursor)
{
	for (uint32_t at = cursor < t->count ? cursor : 0; at != 0; at = t->nodes[at].parent)
		t->nodes[t->nodes[at].parent].by_filter = false;
	for (uint32_t i = 0; i < t->count; i++) {
		t->nodes[i].open &= !t->nodes[i].by_filter;
		t->nodes[i].by_filter = false;
	}
}

bool tree_filter(struct tree *t, const char *text, uint32_t *cursor)
{
	struct words w;
	if (!split_words(&w, text))
		return false;
	const bool good = t->rows.filter != NULL ? filter_by_table(t, &w, cursor)
						 : filter_here(t, &w);
	free(w.text);
	t->order_number++;
	return good;
}
