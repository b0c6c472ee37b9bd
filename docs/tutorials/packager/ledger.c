/* Adds up the lines "NAME AMOUNT" of standard input. Release 2 checks names, and writes a table for the web. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	char name[32];
	long amount;
};

static struct entry *entries;
static int entry_count;

__attribute__((noinline)) static struct entry *entry_find(const char *name)
{
	for (int i = 0; i < entry_count; i++)
		if (!strcmp(entries[i].name, name))
			return &entries[i];
	entries = realloc(entries, (size_t)(entry_count + 1) * sizeof *entries);
	if (!entries)
		abort();
	struct entry *entry = &entries[entry_count++];
	entry->amount = 0;
	snprintf(entry->name, sizeof entry->name, "%s", name);
	return entry;
}

#if RELEASE >= 2
__attribute__((noinline)) static int name_is_good(const char *name)
{
	if (!isalpha((unsigned char)*name))
		return 0;
	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("-_.", *p))
			return 0;
	return 1;
}

__attribute__((noinline)) static void page_write(FILE *out)
{
	fputs("<!DOCTYPE html>\n<title>Ledger</title>\n<style>td { text-align: right; padding: 0 "
	      "1em }</style>\n",
	      out);
	fputs("<table>\n<tr><th>name<th>amount\n", out);
	for (int i = 0; i < entry_count; i++)
		fprintf(out, "<tr><td>%s<td>%ld\n", entries[i].name, entries[i].amount);
	fputs("</table>\n", out);
}
#endif

__attribute__((noinline)) static void text_write(FILE *out)
{
	for (int i = 0; i < entry_count; i++)
		fprintf(out, "%-31s %10ld\n", entries[i].name, entries[i].amount);
}

int main(int argc, char **argv)
{
	char name[32];
	long amount;
	while (scanf("%31s %ld", name, &amount) == 2) {
#if RELEASE >= 2
		if (!name_is_good(name)) {
			fprintf(stderr, "ledger: '%s' is no name\n", name);
			return 1;
		}
#endif
		entry_find(name)->amount += amount;
	}
#if RELEASE >= 2
	if (argc > 1 && !strcmp(argv[1], "--html")) {
		page_write(stdout);
		return 0;
	}
#endif
	(void)argc, (void)argv;
	text_write(stdout);
	return 0;
}
