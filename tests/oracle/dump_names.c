/* dump_names short|full < NAMES - each line's name as heft shows it.
 * dump_names time < NAMES - what that costs, in CPU time. */
#include "names/demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct str read_all(FILE *f)
{
	size_t cap = 1 << 16, len = 0;
	char *p = mem_alloc(cap);
	for (size_t n; (n = fread(p + len, 1, cap - len, f)) > 0;) {
		len += n;
		if (len == cap)
			p = mem_resize(p, cap *= 2);
	}
	return (struct str){ p, len };
}

static struct str next_line(struct str *text)
{
	const char *const end = memchr(text->p, '\n', text->len);
	const struct str line = { text->p, end ? (size_t)(end - text->p) : text->len };
	const size_t skip = line.len + (end != NULL);
	*text = (struct str){ text->p + skip, text->len - skip };
	return line;
}

static void show(struct str text, enum heft_demangle style)
{
	struct demangler d = { 0 };
	while (text.len > 0) {
		const struct str name = demangle(&d, next_line(&text), style);
		fwrite(name.p, 1, name.len, stdout);
		putchar('\n');
	}
	demangler_release(&d);
}

static double one_round(struct demangler *d, struct str text, enum heft_demangle style)
{
	size_t count = 0;
	const clock_t start = clock();
	for (; text.len > 0; count++)
		(void)demangle(d, next_line(&text), style);
	return (double)(clock() - start) / CLOCKS_PER_SEC * 1e9 / (double)(count ? count : 1);
}

/* The best of five rounds. */
static void measure(struct str text)
{
	static const char *const names[] = { "raw", "short", "full" };
	struct demangler d = { 0 };
	for (int style = HEFT_NAMES_RAW; style <= HEFT_NAMES_FULL; style++) {
		double best = one_round(&d, text, (enum heft_demangle)style);
		for (int i = 0; i < 4; i++) {
			const double ns = one_round(&d, text, (enum heft_demangle)style);
			best = ns < best ? ns : best;
		}
		printf("%s: %.0f ns a name\n", names[style], best);
	}
	demangler_release(&d);
}

int main(int argc, char **argv)
{
	const char *const mode = argc == 2 ? argv[1] : "";
	const struct str text = read_all(stdin);
	if (strcmp(mode, "short") == 0)
		show(text, HEFT_NAMES_SHORT);
	else if (strcmp(mode, "full") == 0)
		show(text, HEFT_NAMES_FULL);
	else if (strcmp(mode, "time") == 0)
		measure(text);
	else
		return 2;
	mem_free((void *)(uintptr_t)text.p);
	return 0;
}
