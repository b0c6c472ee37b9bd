/* Counts words: a hash, a table, and a comparison that runs often. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 4096

struct word {
	char text[24];
	unsigned count;
};

static struct word table[SLOTS];

__attribute__((noinline)) static unsigned word_hash(const char *text)
{
	unsigned hash = 2166136261u;
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return hash;
}

__attribute__((noinline)) static struct word *word_find(const char *text)
{
	unsigned slot = word_hash(text) % SLOTS;
	while (table[slot].count && strcmp(table[slot].text, text) != 0)
		slot = (slot + 1) % SLOTS;
	return &table[slot];
}

__attribute__((noinline)) static void word_count(const char *text)
{
	struct word *word = word_find(text);
	if (word->count++ == 0)
		snprintf(word->text, sizeof word->text, "%s", text);
	if (word->count == 0) {
		fprintf(stderr, "too many of %s\n", text);
		exit(1);
	}
}

/* Fills the stack with a copy of the table: sorting must not change the table. */
__attribute__((noinline)) static unsigned top_count(void)
{
	struct word copy[SLOTS];
	memcpy(copy, table, sizeof copy);
	unsigned top = 0;
	for (int i = 0; i < SLOTS; i++)
		if (copy[i].count > top)
			top = copy[i].count;
	return top;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1000000;
	char text[24];
	for (int i = 0; i < rounds; i++) {
		snprintf(text, sizeof text, "word-%d", i * 7919 % 3001);
		word_count(text);
	}
	printf("%u\n", top_count());
	return 0;
}
