/* How fast the names of real programs are split in the forms that snapshots have, and whether the
 * forms hang together.
 *
 * usage: bench_supersize FILE...      ELF files; the names of their symbol tables, each once
 *
 * Each name is split alone, in both ways (SuperSize's own and heft's): its time is the least of
 * several, so that a timer tick or another program does not count, without what reading the clock
 * costs.  Exit status 1 where a form is empty, or longer than the one it is made from, or the
 * brackets of a plain name don't close. */
#include "base/intern.h"
#include "image/elf/elf_const.h"
#include "image/input.h"
#include "names/demangle.h"
#include "names/supersize.h"

#include <stdio.h>
#include <time.h>

enum { RUNS = 7, MOST_NS = 2000, SHOWN = 5 };

static uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- names ----------------------------------------------------------------------------------- */

static void add_table(struct intern *names, const struct image *im, uint32_t type)
{
	const struct section *table = image_section_type(im, type, 1);
	struct demangler d = { 0 };
	struct symtab t;
	if (table && symtab_open(&t, im, table))
		for (size_t i = 1; i < t.count; i++)
			(void)intern_add(names,
					 demangle(&d, symtab_get(&t, i).name, HEFT_NAMES_FULL));
	demangler_release(&d);
}

/* ---- what has to hold ------------------------------------------------------------------------ */

static bool is_operator_sign(struct str s, size_t i)
{
	static const char word[] = "operator";
	const size_t size = sizeof word - 1;
	for (size_t k = 0; k < 3 && i >= size + k; k++)
		if (memcmp(s.p + i - size - k, word, size) == 0)
			return true;
	return i > 0 && s.p[i] == '>' && s.p[i - 1] == '-';
}

static bool closes(struct str s)
{
	size_t open = 0;
	for (size_t i = 0; i < s.len; i++) {
		const char c = s.p[i];
		if ((c != '<' && c != '>') || is_operator_sign(s, i))
			continue;
		if (c == '>' && open == 0)
			return false;
		open = c == '<' ? open + 1 : open - 1;
	}
	return open == 0;
}

static const char *problem_of(const struct supersize_name *n, struct str name, unsigned how)
{
	if (name.len > 0 && (n->full.len == 0 || n->template_name.len == 0 || n->plain.len == 0))
		return "a form is empty";
	if (n->template_name.len > n->full.len || n->plain.len > n->template_name.len)
		return "a form is longer than the one it is made from";
	if (!(how & SUPERSIZE_EXACT) && closes(name) && !closes(n->plain))
		return "the brackets of the plain form don't close";
	return NULL;
}

/* ---- measuring ------------------------------------------------------------------------------- */

struct slow {
	uint64_t ns;
	struct str name;
};

struct result {
	uint64_t count, bytes, ns, over, problems;
	uint64_t shortest; /* bytes, of those over */
	struct slow slowest[SHOWN];
};

static uint64_t clock_cost(void)
{
	uint64_t best = UINT64_MAX;
	for (unsigned i = 0; i < 1000; i++) {
		const uint64_t start = now();
		best = min_u64(best, now() - start);
	}
	return best;
}

static uint64_t time_of(struct supersize_name *n, struct str name, unsigned how, uint64_t cost)
{
	uint64_t best = UINT64_MAX;
	for (unsigned i = 0; i < RUNS; i++) {
		const uint64_t start = now();
		supersize_split(n, name, how);
		best = min_u64(best, now() - start);
	}
	return best > cost ? best - cost : 0;
}

static void keep_slowest(struct result *r, struct slow s)
{
	for (size_t i = 0; i < SHOWN; i++)
		if (s.ns > r->slowest[i].ns) {
			const struct slow next = r->slowest[i];
			r->slowest[i] = s;
			s = next;
		}
}

static struct result measure(const struct intern *names, unsigned how)
{
	struct supersize_name n = { 0 };
	struct result r = { .shortest = UINT64_MAX };
	const uint64_t cost = clock_cost();
	for (uint32_t id = 0; id < names->entries.count; id++) {
		const struct str name = intern_get(names, id);
		const uint64_t ns = time_of(&n, name, how, cost);
		const char *problem = problem_of(&n, name, how);
		r.count++;
		r.bytes += name.len;
		r.ns += ns;
		r.over += ns > MOST_NS;
		if (ns > MOST_NS)
			r.shortest = min_u64(r.shortest, name.len);
		keep_slowest(&r, (struct slow){ ns, name });
		if (problem && r.problems++ < SHOWN)
			printf("  %s: " STR_FMT "\n    plain: " STR_FMT "\n", problem,
			       STR_ARG(name), STR_ARG(n.plain));
	}
	supersize_name_release(&n);
	return r;
}

static void show(const char *way, const struct result *r)
{
	const double count = r->count ? (double)r->count : 1, ns = r->ns ? (double)r->ns : 1;
	printf("  %-9s %8" PRIu64
	       " names of %.0f bytes, %.0f ns each, %.0f MB/s; above 2 us: %" PRIu64
	       " (the shortest has %" PRIu64 " bytes); wrong: %" PRIu64 "\n",
	       way, r->count, (double)r->bytes / count, (double)r->ns / count,
	       (double)r->bytes * 1e3 / ns, r->over, r->over ? r->shortest : 0, r->problems);
	for (size_t i = 0; i < SHOWN && r->slowest[i].ns > 0; i++)
		printf("    %6" PRIu64 " ns, %6zu bytes: %.*s...\n", r->slowest[i].ns,
		       r->slowest[i].name.len, (int)min_u64(r->slowest[i].name.len, 60),
		       r->slowest[i].name.p);
}

int main(int argc, char **argv)
{
	uint64_t problems = 0;
	for (int i = 1; i < argc; i++) {
		struct intern names = { 0 };
		struct input in;
		struct heft_err err;
		if (!input_open(&in, argv[i], USE_SIZE, NULL, &err)) {
			fprintf(stderr, "%s\n", err.text);
			return 2;
		}
		add_table(&names, &in.images[0], SHT_SYMTAB);
		add_table(&names, &in.images[0], SHT_DYNSYM);
		printf("%s\n", argv[i]);
		for (unsigned how = 0; how <= SUPERSIZE_EXACT; how += SUPERSIZE_EXACT) {
			const struct result r = measure(&names, how | SUPERSIZE_TEXT);
			show(how ? "SuperSize" : "heft", &r);
			problems += r.problems;
		}
		intern_release(&names);
		input_close(&in);
	}
	return problems > 0;
}
