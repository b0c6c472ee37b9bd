#include "base/nearest.h"

#include "base/assert.h"

#include <stdbool.h>
#include <string.h>

enum { WORD_MAX_LEN = 63 };

/* Returns how many insertions, deletions, replacements and swaps of neighbours change a into b.
 * Both have at most WORD_MAX_LEN bytes. */
static unsigned nearest_distance(const char *a, const char *b)
{
	unsigned d[WORD_MAX_LEN + 1][WORD_MAX_LEN + 1];
	const unsigned la = (unsigned)strlen(a), lb = (unsigned)strlen(b);
	ASSERT(la <= WORD_MAX_LEN && lb <= WORD_MAX_LEN);
	for (unsigned i = 0; i <= la; i++)
		d[i][0] = i;
	for (unsigned j = 0; j <= lb; j++)
		d[0][j] = j;
	for (unsigned i = 1; i <= la; i++)
		for (unsigned j = 1; j <= lb; j++) {
			d[i][j] = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			if (d[i - 1][j] + 1 < d[i][j])
				d[i][j] = d[i - 1][j] + 1;
			if (d[i][j - 1] + 1 < d[i][j])
				d[i][j] = d[i][j - 1] + 1;
			const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
					     a[i - 2] == b[j - 1];
			if (swapped && d[i - 2][j - 2] + 1 < d[i][j])
				d[i][j] = d[i - 2][j - 2] + 1;
		}
	return d[la][lb];
}

const char *nearest_of(const char *word, const char *const *names, size_t count)
{
	const size_t len = strlen(word);
	if (len < 2 || len > WORD_MAX_LEN)
		return NULL;
	unsigned best = (unsigned)len / 3 + 1; /* With more mistakes, it is a different word */
	const char *near = NULL;
	for (size_t i = 0; i < count; i++) {
		if (strlen(names[i]) > WORD_MAX_LEN)
			continue;
		if (strncmp(names[i], word, len) == 0)
			return names[i];
		const unsigned slips = nearest_distance(word, names[i]);
		if (slips < best || (slips == best && near == NULL)) {
			best = slips;
			near = names[i];
		}
	}
	return near;
}

bool is_plural_of(const char *plural, const char *word, size_t size)
{
	const bool y = size > 1 && word[size - 1] == 'y';
	const size_t same = size - y;
	return size > 0 && word[size - 1] != 's' && strncmp(plural, word, same) == 0 &&
	       strcmp(plural + same, y ? "ies" : "s") == 0;
}
