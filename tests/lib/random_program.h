/* random_program.h - programs of a few hundred symbols that change, as snapshots. */
#ifndef HEFT_TESTS_RANDOM_PROGRAM_H
#define HEFT_TESTS_RANDOM_PROGRAM_H

#include "snapmaker.h"

#include <stdio.h>

static uint64_t seed;

static uint32_t random_below(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(seed >> 33) % n;
}

enum { SYMBOLS_MAX = 400 };

/* A symbol of a program that changes; `name` is one of few, so that some occur twice. */
struct piece {
	unsigned name, source, size, section, aliases;
};

struct program {
	struct piece pieces[SYMBOLS_MAX];
	size_t count;
	bool components;
};

static struct piece random_piece(void)
{
	return (struct piece){ random_below(300), random_below(12), random_below(400),
			       random_below(4), random_below(20) == 0 ? 2 : 1 };
}

static void change(struct program *p, unsigned steps)
{
	for (unsigned i = 0; i < steps; i++) {
		const size_t at = p->count ? random_below((uint32_t)p->count) : 0;
		const uint32_t what = random_below(6);
		struct piece *end = &p->pieces[p->count];
		if (what < 3 && p->count > 0) {
			p->pieces[at].size += random_below(64);
		} else if (what == 3 && p->count > 0) {
			memmove(&p->pieces[at], &p->pieces[at + 1],
				(p->count - at - 1) * sizeof *end);
			p->count--;
		} else if (p->count < SYMBOLS_MAX) {
			memmove(&p->pieces[at + 1], &p->pieces[at], (p->count - at) * sizeof *end);
			p->pieces[at] = random_piece();
			p->count++;
		}
	}
}

static const char *const sections[] = { ".text", ".rodata", ".data", ".other" };

/* As a file of SuperSize tells it: without what heft says of sections. */
static void make(const struct program *p, struct snapshot *s)
{
	char name[40], source[40], object[40];
	snapmaker_init(s);
	for (unsigned section = 0; section < 4; section++) {
		uint64_t addr = section == 3 ? 0 : (section + 1) * UINT64_C(0x10000);
		for (size_t i = 0; i < p->count; i++) {
			const struct piece *y = &p->pieces[i];
			const int64_t padding = section == 3 ? 0 : (int64_t)(-addr & 15);
			if (y->section != section)
				continue;
			snprintf(name, sizeof name, "ns::f%u(int)", y->name);
			snprintf(source, sizeof source, "src/d%u/a.cc", y->source);
			snprintf(object, sizeof object, "obj/d%u/a.o", y->source);
			const struct made made = { sections[section],
						   addr ? addr + (uint64_t)padding : 0,
						   y->size + 1,
						   padding,
						   name,
						   source,
						   object,
						   p->components ? "Own" : NULL,
						   0 };
			for (unsigned k = 0; k < y->aliases; k++)
				snapmaker_add(s, &made, 0);
			if (y->aliases > 1)
				snapmaker_join(s, s->symbols.count - y->aliases, y->aliases);
			addr += addr ? (uint64_t)padding + y->size + 1 : 0;
		}
	}
	s->has_components = p->components;
	s->stored_padding = true;
	snapmaker_done(s);
}

#endif
