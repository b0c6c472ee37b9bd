/* Compares the disassembly of a function before and after a change, and writes a unified diff. */
#include "compare/code_diff.h"

#include "code/disasm.h"
#include "code/flow.h"

#include <stdio.h>
#include <stdlib.h>

static double code_diff_change_of(const struct snapshot_diff *d, const struct diff_pair *p)
{
	const struct snap_symbol *a = diff_before(d, p), *b = diff_after(d, p);
	const double change = (b ? (double)b->size / b->alias_count : 0) -
			      (a ? (double)a->size / a->alias_count : 0);
	return change < 0 ? -change : change;
}

static bool code_diff_has(const struct snapshot_diff *d, const struct diff_pair *p)
{
	const struct snap_symbol *y = diff_after(d, p);
	return p->change != HEFT_UNCHANGED && y && y->addr != 0 && y->size > 0 &&
	       d->after->sections.data[y->section].code;
}

size_t code_diff_pick(const struct snapshot_diff *d, size_t ret[CODE_DIFF_SYMBOLS])
{
	double sizes[CODE_DIFF_SYMBOLS];
	size_t count = 0;
	for (size_t i = 0; i < d->pairs.count; i++) {
		const struct diff_pair *p = &d->pairs.data[i];
		const double change = code_diff_has(d, p) ? code_diff_change_of(d, p) : 0;
		size_t at = count;
		if (change < 10)
			continue;
		while (at > 0 && sizes[at - 1] < change)
			at--;
		if (at == CODE_DIFF_SYMBOLS)
			continue;
		count = min_u64(count + 1, CODE_DIFF_SYMBOLS);
		memmove(&ret[at + 1], &ret[at], (count - at - 1) * sizeof *ret);
		memmove(&sizes[at + 1], &sizes[at], (count - at - 1) * sizeof *sizes);
		ret[at] = i;
		sizes[at] = change;
	}
	return count;
}

struct line_part {
	size_t from, size;
};

struct code_diff_lines {
	struct text text;
	VEC(struct line_part) list;
};

/* Appends operands. Addresses inside the function become offsets, so that they stay equal if the
 * function moves. */
static void add_operands(struct text *t, const char *operands, const struct code_side *y)
{
	char place[32];
	for (const char *p = operands; *p;) {
		char *end = NULL;
		const bool number = p[0] == '0' && p[1] == 'x' &&
				    (p == operands || strchr(" #[,", p[-1]));
		const uint64_t addr = number ? strtoull(p, &end, 16) : 0;
		if (!number || addr < y->addr || addr - y->addr >= y->size) {
			text_add_char(t, *p++);
			continue;
		}
		snprintf(place, sizeof place, "<+0x%" PRIx64 ">", addr - y->addr);
		text_add(t, str_of(place));
		p = end;
	}
}

static void add_insn(struct code_diff_lines *l, const struct disasm_insn *insn,
		     const struct code_side *y)
{
	const size_t from = l->text.len;
	text_add(&l->text, str_of(insn->name));
	text_add_char(&l->text, ' ');
	add_operands(&l->text, insn->operands, y);
	while (l->text.len > from && l->text.p[l->text.len - 1] == ' ')
		l->text.len--;
	vec_push(&l->list, (struct line_part){ from, l->text.len - from });
}

static void code_diff_disassemble(struct code_diff_lines *l, const struct code_side *side)
{
	struct disasm d;
	/* An odd entry point shows Thumb code, as in microcontrollers. */
	if (!side->im || !disasm_open(&d, side->im, flow_isa_of(side->im) == CODE_THUMB))
		return;
	struct bytes code = image_at(side->im, side->addr, min_u64(side->size, CODE_DIFF_BYTES));
	for (uint64_t addr = side->addr; code.size > 0;) {
		struct disasm_insn insn;
		disasm_next(&d, code, addr, &insn);
		add_insn(l, &insn, side);
		addr += insn.bytes.size;
		code = bytes_sub(code, insn.bytes.size, code.size - insn.bytes.size);
	}
	disasm_close(&d);
}

static struct str line_at(const struct code_diff_lines *l, size_t i)
{
	return (struct str){ l->text.p + l->list.data[i].from, l->list.data[i].size };
}

/* A line of the diff. kind: ' ' in both programs, '-' only in the old one, '+' only in the new */
struct edit {
	char kind;
	size_t before, after; /* Number of lines above it in the old code, and in the new code */
};

typedef VEC(struct edit) edit_vec;

/* Returns common[]: [i * (n + 1) + k] is how many lines a[i...] and b[k...] share, in order. */
static uint16_t *count_common(const struct code_diff_lines *a, const struct code_diff_lines *b)
{
	const size_t m = a->list.count, n = b->list.count;
	uint16_t *common = mem_zeroed((m + 1) * (n + 1), sizeof *common);
	ASSERT(m <= UINT16_MAX && n <= UINT16_MAX);
	for (size_t i = m; i-- > 0;)
		for (size_t k = n; k-- > 0;) {
			const uint16_t *next = &common[(i + 1) * (n + 1) + k];
			uint16_t *here = &common[i * (n + 1) + k];
			*here = str_eq(line_at(a, i), line_at(b, k)) ? (uint16_t)(next[1] + 1)
				: next[0] > here[1]                  ? next[0]
								     : here[1];
		}
	return common;
}

static void make_edits(edit_vec *edits, const struct code_diff_lines *a,
		       const struct code_diff_lines *b)
{
	const size_t m = a->list.count, n = b->list.count;
	uint16_t *common = count_common(a, b);
	for (size_t i = 0, k = 0; i < m || k < n;) {
		struct edit e = { ' ', i, k };
		if (i < m && k < n && str_eq(line_at(a, i), line_at(b, k)))
			i++, k++;
		else if (k == n ||
			 (i < m && common[(i + 1) * (n + 1) + k] >= common[i * (n + 1) + k + 1]))
			e.kind = '-', i++;
		else
			e.kind = '+', k++;
		vec_push(edits, e);
	}
	mem_free(common);
}

enum { CONTEXT = 10 };

static void add_hunk(struct text *out, const edit_vec *edits, size_t from, size_t to,
		     const struct code_diff_lines sides[2])
{
	char head[100];
	size_t count[2] = { 0, 0 };
	ASSERT(from < to && to <= edits->count);
	for (size_t i = from; i < to; i++) {
		count[0] += edits->data[i].kind != '+';
		count[1] += edits->data[i].kind != '-';
	}
	snprintf(head, sizeof head, "@@ -%zu,%zu +%zu,%zu @@\n",
		 edits->data[from].before + (count[0] > 0), count[0],
		 edits->data[from].after + (count[1] > 0), count[1]);
	text_add(out, str_of(head));
	for (size_t i = from; i < to; i++) {
		const struct edit *e = &edits->data[i];
		text_add_char(out, e->kind);
		text_add(out, e->kind == '+' ? line_at(&sides[1], e->after)
					     : line_at(&sides[0], e->before));
		text_add_char(out, '\n');
	}
}

/* Writes the changes with a few equal lines around them. Joins hunks that touch. */
static void add_hunks(struct text *out, const edit_vec *edits,
		      const struct code_diff_lines sides[2])
{
	for (size_t i = 0; i < edits->count; i++) {
		if (edits->data[i].kind == ' ')
			continue;
		const size_t from = i > CONTEXT ? i - CONTEXT : 0;
		size_t last = i;
		for (size_t k = i; k < edits->count && k - last <= 2 * CONTEXT; k++)
			last = edits->data[k].kind != ' ' ? k : last;
		const size_t to = min_u64(last + 1 + CONTEXT, edits->count);
		add_hunk(out, edits, from, to, sides);
		i = to - 1;
	}
}

bool code_diff(struct text *out, const struct code_side *before, const struct code_side *after)
{
	struct code_diff_lines sides[2] = { { { 0 } } };
	edit_vec edits = { 0 };
	code_diff_disassemble(&sides[0], before);
	code_diff_disassemble(&sides[1], after);
	make_edits(&edits, &sides[0], &sides[1]);
	text_set(out, STR("--- before\n+++ after\n"));
	const size_t head = out->len;
	add_hunks(out, &edits, sides);
	for (size_t i = 0; i < 2; i++) {
		text_release(&sides[i].text);
		vec_release(&sides[i].list);
	}
	vec_release(&edits);
	return out->len > head;
}
