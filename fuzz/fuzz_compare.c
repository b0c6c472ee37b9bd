/* Input: two lists of symbols, eight bytes each, with names, contents, references and charges.
 * Each symbol of either side is in one pair, and partners are of one kind of section.  Pairs and
 * rows add up to both sides.  A list is the same as itself, with clues and without. */
#include "base/sort.h"
#include "compare/diff_rows.h"
#include "compare/match.h"
#include "snapshot/clues.h"

#include <math.h>
#include <stdio.h>

enum { SYMBOL_BYTES = 8, MOST = 400, BASE = 0x10000 };

struct maker {
	struct snapshot s;
	struct clues *clues;
	uint64_t addr;
};

static uint32_t name_of(struct maker *m, const uint8_t *p)
{
	char name[64];
	switch (p[0] >> 5) {
	case 0: snprintf(name, sizeof name, "f%u", p[0] & 31); break;
	case 1: snprintf(name, sizeof name, "f%u(int) [clone .%u]", p[0] & 31, p[1] & 3); break;
	case 2: snprintf(name, sizeof name, "sub_%x [anonymous data]", BASE + (p[0] & 31)); break;
	case 3: snprintf(name, sizeof name, "\"text %u\"", p[0] & 31); break;
	case 4: snprintf(name, sizeof name, "** symbol gap %u", p[0] & 3); break;
	default: snprintf(name, sizeof name, "sub_%x", (unsigned)m->addr); break;
	}
	return intern_add(&m->s.texts, str_of(name));
}

/* Up to three references, and perhaps a sample of code. */
static void clue_add(struct maker *m, const uint8_t *p)
{
	struct clue c = { .addr = m->addr,
			  .first_ref = (uint32_t)m->clues->refs.count,
			  .ref_count = p[5] & 3,
			  .print = p[4] };
	struct clue_sample sample;
	for (unsigned i = 0; i < c.ref_count; i++)
		vec_push(&m->clues->refs,
			 p[6] & 1 ? CLUE_NAMED | (uint64_t)p[6] % m->s.texts.entries.count
				  : (uint64_t)((p[6] + i * p[7]) & 0xff) * 8);
	for (unsigned i = 0; i < CLUE_GRAMS; i++)
		sample.grams[i] = p[i & 7];
	if (p[5] & 4) {
		vec_push(&m->clues->samples, sample);
		c.sample = (uint32_t)m->clues->samples.count;
	}
	vec_push(&m->clues->list, c);
}

static void charge_add(struct maker *m, const uint8_t *p, uint32_t name, uint32_t symbol)
{
	vec_push(&m->s.charges,
		 (struct snap_charge){
			 .file = p[2],
			 .vm = p[2] + (p[3] & 64),
			 .name = p[3] & 32 ? SNAP_PLAIN_NAME : name,
			 .source = intern_add(&m->s.texts, (struct str){ "abc", p[3] & 3 }),
			 .symbol = symbol,
			 .debug = p[3] >= 224 });
}

static void symbol_add(struct maker *m, const uint8_t *p)
{
	static const char *const sections[] = { ".text", ".rodata", ".text", ".data.rel.ro" };
	const uint32_t symbol = (uint32_t)m->s.symbols.count;
	const struct snap_symbol y = {
		.addr = m->addr,
		.size = p[2],
		.padding = p[1] & 7,
		.full_name = name_of(m, p),
		.source = intern_add(&m->s.texts, (struct str){ "a/b/c", p[3] & 4 ? 3 : p[3] & 1 }),
		.section = snapshot_section(&m->s, 0, sections[p[3] >> 3 & 3]),
		.alias_count = 1,
		.contents = { p[4], p[4] }
	};
	vec_push(&m->s.symbols, y);
	clue_add(m, p);
	charge_add(m, p, y.full_name, symbol);
	if (p[1] & 128)
		charge_add(m, p, y.full_name, p[1] & 64 ? SNAP_NO_SYMBOL : symbol);
	m->addr += y.size + 8;
}

static void side_make(struct maker *m, const uint8_t *data, size_t count, bool clues)
{
	*m = (struct maker){ .clues = mem_zeroed(1, sizeof *m->clues), .addr = BASE };
	snapshot_init(&m->s);
	m->s.by_heft = true;
	m->clues->lowest = BASE;
	vec_push(&m->s.containers, (struct snap_container){ .name = "" });
	for (size_t i = 0; i < count; i++)
		symbol_add(m, data + i * SYMBOL_BYTES);
	for (size_t i = 0; i < m->s.charges.count; i++)
		if (m->s.charges.data[i].symbol == SNAP_NO_SYMBOL &&
		    m->s.charges.data[i].name == SNAP_PLAIN_NAME)
			m->s.charges.data[i].name = 0;
	snapshot_split_names(&m->s);
	snapshot_place_sections(&m->s);
	if (clues)
		vec_push(&m->s.clues, m->clues);
	else
		clues_release(m->clues);
}

static void pairs_check(const struct snapshot_diff *d)
{
	uint8_t *seen[2] = { mem_zeroed(d->before->symbols.count + 1, 1),
			     mem_zeroed(d->after->symbols.count + 1, 1) };
	for (size_t i = 0; i < d->pairs.count; i++) {
		const struct diff_pair *p = &d->pairs.data[i];
		const struct snap_symbol *old = diff_before(d, p), *now = diff_after(d, p);
		ASSERT(old || now);
		ASSERT(!old || !seen[0][p->before]++);
		ASSERT(!now || !seen[1][p->after]++);
		if (old && now)
			ASSERT(d->before->sections.data[old->section].letter ==
			       d->after->sections.data[now->section].letter);
	}
	for (size_t i = 0; i < d->before->symbols.count; i++)
		ASSERT(seen[0][i]);
	for (size_t i = 0; i < d->after->symbols.count; i++)
		ASSERT(seen[1][i]);
	mem_free(seen[0]);
	mem_free(seen[1]);
}

static void charges_check(const struct snapshot_diff *d)
{
	int64_t file = 0, vm = 0, want_file = 0, want_vm = 0;
	const struct snapshot *sides[] = { d->before, d->after };
	if (!d->charged)
		return;
	for (size_t i = 0; i < d->charges.list.count; i++) {
		const struct charge_pair *p = &d->charges.list.data[i];
		file += (int64_t)(p->file[1] - p->file[0]);
		vm += (int64_t)(p->vm[1] - p->vm[0]);
	}
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < sides[side]->charges.count; i++) {
			const struct snap_charge *c = &sides[side]->charges.data[i];
			want_file += (side ? 1 : -1) * (int64_t)c->file;
			want_vm += (side ? 1 : -1) * (int64_t)c->vm;
		}
	ASSERT(file == want_file && vm == want_vm);
	for (unsigned by = HEFT_DIFF_BY_SYMBOL; by <= HEFT_DIFF_BY_PACKAGE; by++) {
		const struct heft_diff_query query = { .size = sizeof query,
						       .by = by,
						       .debug = true };
		struct diff_rows rows;
		diff_rows_make(&rows, d, &query);
		const struct heft_row *top = rows.table.top;
		double sum = 0;
		for (size_t i = 0; i < top->child_count; i++)
			sum += top->children[i]->now_exact[HEFT_DIFF_CHARGED] -
			       top->children[i]->base_exact[HEFT_DIFF_CHARGED];
		if (by != HEFT_DIFF_BY_SECTION)
			ASSERT(fabs(sum - (double)file) < 0.5);
		diff_rows_release(&rows);
	}
}

static void sides_compare(const struct snapshot *before, const struct snapshot *after)
{
	for (int supersize = 0; supersize < 2; supersize++) {
		struct snapshot_diff d;
		diff_init(&d, before, after, supersize);
		pairs_check(&d);
		charges_check(&d);
		for (size_t i = 0; before == after && i < d.pairs.count; i++)
			ASSERT(d.pairs.data[i].before != DIFF_NONE &&
			       d.pairs.data[i].after != DIFF_NONE);
		diff_release(&d);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct maker old, now;
	if (size < 2)
		return 0;
	const size_t all = min_u64((size - 2) / SYMBOL_BYTES, MOST);
	const size_t first = min_u64(data[0], all);
	side_make(&old, data + 2, first, data[1] & 1);
	side_make(&now, data + 2 + first * SYMBOL_BYTES, all - first, data[1] & 1);
	sides_compare(&old.s, &now.s);
	sides_compare(&now.s, &old.s);
	sides_compare(&now.s, &now.s);
	snapshot_release(&old.s);
	snapshot_release(&now.s);
	return 0;
}
