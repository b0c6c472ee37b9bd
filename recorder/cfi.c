/* cfi.c - computes the unwind rule of an address (struct row) from .eh_frame. LSB Core, "Exception
 * Frames" (.eh_frame, .eh_frame_hdr); DWARF 5, 6.4 (call frame instructions), 2.5 (expressions);
 * psABI AMD64, table 3.36, and psABI i386, table 2.14 (register numbers).
 *
 * Runs the instructions of the entry that covers an address. Keeps only the rules that find the
 * caller: CFA, frame pointer, return address. Each read is checked against the end of its entry,
 * although the tables belong to the program and its C++ exceptions use them. */
#include "recorder.h"

#include <string.h>

#ifdef __i386__
enum { REG_FP = 5, REG_SP = 4, REG_RA = 8 };
#else
enum { REG_FP = 6, REG_SP = 7, REG_RA = 16 };
#endif

enum {
	SAVED_MAX = 4, /* Maximal number of states that DW_CFA_remember_state keeps at once.
			* Compilers keep one. It is low because signal stacks are small */
	STEPS_MAX = 20000,
};

struct cursor {
	const unsigned char *at, *end;
	bool bad;
};

static uint64_t take(struct cursor *c, unsigned size)
{
	uint64_t v = 0;
	if ((size_t)(c->end - c->at) < size) {
		c->bad = true;
		c->at = c->end;
		return 0;
	}
	memcpy(&v, c->at, size);
	c->at += size;
	return v;
}

static int64_t take_signed(struct cursor *c, unsigned size)
{
	const unsigned unused = 64 - 8 * size;
	return (int64_t)(take(c, size) << unused) >> unused;
}

static uint64_t take_uleb(struct cursor *c)
{
	uint64_t v = 0;
	for (unsigned shift = 0; !c->bad; shift += 7) {
		const uint64_t byte = take(c, 1);
		if (shift < 64)
			v |= (byte & 0x7f) << shift;
		if (byte < 0x80)
			break;
	}
	return v;
}

static int64_t take_sleb(struct cursor *c)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint64_t byte = 0x80;
	while (!c->bad && byte >= 0x80) {
		byte = take(c, 1);
		if (shift < 64)
			v |= (byte & 0x7f) << shift;
		shift += 7;
	}
	if (shift < 64 && (byte & 0x40) != 0)
		v |= ~UINT64_C(0) << shift;
	return (int64_t)v;
}

/* Reads a pointer with an encoding DW_EH_PE_... . Supports the bases that unwind tables use. */
static uintptr_t take_pointer(struct cursor *c, unsigned encoding, const unsigned char *data_base)
{
	const uintptr_t place = (uintptr_t)c->at;
	uint64_t v;
	switch (encoding & 0x0f) {
	case 0x00: v = take(c, sizeof(void *)); break;
	case 0x01: v = take_uleb(c); break;
	case 0x02: v = take(c, 2); break;
	case 0x03: v = take(c, 4); break;
	case 0x04: v = take(c, 8); break;
	case 0x09: v = (uint64_t)take_sleb(c); break;
	case 0x0a: v = (uint64_t)take_signed(c, 2); break;
	case 0x0b: v = (uint64_t)take_signed(c, 4); break;
	case 0x0c: v = take(c, 8); break;
	default: c->bad = true; return 0;
	}
	switch (encoding & 0x70) {
	case 0x00: break;
	case 0x10: v += place; break;
	case 0x30: v += (uintptr_t)data_base; break;
	default: c->bad = true; return 0;
	}
	return (uintptr_t)v;
}

struct cie {
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;
	unsigned pointer;
	bool has_augmentation, signal;
	struct cursor program;
};

struct fde {
	uintptr_t start, size;
	struct cursor program;
};

/* Returns the body of the record at `at`. Sets *ret_id to the address of its CIE pointer. */
static struct cursor entry_body(const unsigned char *at, const unsigned char **ret_id)
{
	struct cursor c = { at, at + 4, false };
	uint64_t size = take(&c, 4);
	if (size == 0xffffffff) {
		c.end += 8;
		size = take(&c, 8);
	}
	if (size == 0 || size > (1U << 30))
		c.bad = true;
	c.end = c.bad ? c.at : c.at + size;
	*ret_id = c.at;
	return c;
}

static bool cie_parse(const unsigned char *at, struct cie *ret)
{
	const unsigned char *id;
	struct cursor c = entry_body(at, &id);
	*ret = (struct cie){ 0 };
	if (take(&c, 4) != 0)
		return false;
	const uint64_t version = take(&c, 1);
	const char *aug = (const char *)c.at;
	while (take(&c, 1) != 0)
		;
	if (c.bad || (version != 1 && version != 3 && version != 4))
		return false;
	if (version == 4)
		take(&c, 2);
	ret->code_align = take_uleb(&c);
	ret->data_align = take_sleb(&c);
	ret->ra = version == 1 ? take(&c, 1) : take_uleb(&c);
	if (*aug == 'z') {
		const uint64_t size = take_uleb(&c);
		if (c.bad || size > (size_t)(c.end - c.at))
			return false;
		struct cursor data = { c.at, c.at + size, false };
		ret->has_augmentation = true;
		c.at += size;
		for (aug++; *aug != 0 && !data.bad; aug++) {
			if (*aug == 'R')
				ret->pointer = (unsigned)take(&data, 1);
			else if (*aug == 'L')
				take(&data, 1);
			else if (*aug == 'S')
				ret->signal = true;
			else if (*aug == 'P') {
				const unsigned encoding = (unsigned)take(&data, 1);
				take_pointer(&data, encoding & 0x0f, NULL);
			} else if (*aug != 'B') {
				break;
			}
		}
	} else if (*aug != 0) {
		return false;
	}
	ret->program = c;
	return !c.bad;
}

static bool fde_parse(const unsigned char *at, struct cie *cie, struct fde *ret)
{
	const unsigned char *id;
	struct cursor c = entry_body(at, &id);
	const uint64_t back = take(&c, 4);
	if (c.bad || back == 0 || !cie_parse(id - back, cie))
		return false;
	ret->start = take_pointer(&c, cie->pointer, NULL);
	ret->size = take_pointer(&c, cie->pointer & 0x0f, NULL);
	if (cie->has_augmentation) {
		const uint64_t size = take_uleb(&c);
		if (c.bad || size > (size_t)(c.end - c.at))
			return false;
		c.at += size;
	}
	ret->program = c;
	return !c.bad;
}

/* Returns the FDE with the highest start at or below `addr`, from the sorted table of
 * .eh_frame_hdr. NULL if there is none, or if the table does not have the usual 32-bit offsets. */
static const unsigned char *fde_search(const unsigned char *hdr, uintptr_t addr)
{
	struct cursor c = { hdr, hdr + 64, false };
	const uint64_t version = take(&c, 1);
	const unsigned frame_enc = (unsigned)take(&c, 1), count_enc = (unsigned)take(&c, 1);
	const unsigned table_enc = (unsigned)take(&c, 1);
	if (version != 1 || table_enc != 0x3b || count_enc == 0xff)
		return NULL;
	take_pointer(&c, frame_enc, hdr);
	const uint64_t count = take_pointer(&c, count_enc, hdr);
	if (c.bad || count == 0 || ((uintptr_t)c.at & 3) != 0)
		return NULL;
	const int32_t *table = (const int32_t *)(const void *)c.at;
	const intptr_t want = (intptr_t)(addr - (uintptr_t)hdr);
	uint64_t low = 0, high = count;
	while (low < high) {
		const uint64_t mid = low + (high - low) / 2;
		if (table[2 * mid] <= want)
			low = mid + 1;
		else
			high = mid;
	}
	return low == 0 ? NULL : hdr + table[2 * (low - 1) + 1];
}

enum rule_kind { RULE_SAME, RULE_OFFSET, RULE_UNDEFINED, RULE_EXPRESSION, RULE_OTHER };

struct rule {
	enum rule_kind kind;
	int64_t offset;
	struct cursor expression;
};

struct state {
	uint64_t cfa_reg;
	int64_t cfa_off;
	bool cfa_is_expression;
	struct cursor cfa_expression;
	struct rule fp, ra;
};

struct machine {
	const struct cie *cie;
	struct state now, initial, saved[SAVED_MAX];
	unsigned saved_count;
	uintptr_t location;
};

static struct cursor take_block(struct cursor *c)
{
	const uint64_t size = take_uleb(c);
	struct cursor block = { c->at, c->at, false };
	if (c->bad || size > (size_t)(c->end - c->at)) {
		c->bad = true;
		return block;
	}
	block.end = c->at += size;
	return block;
}

static void set_rule(struct machine *m, uint64_t reg, struct rule rule)
{
	if (reg == REG_FP)
		m->now.fp = rule;
	else if (reg == m->cie->ra)
		m->now.ra = rule;
}

static void restore_rule(struct machine *m, uint64_t reg)
{
	if (reg == REG_FP)
		m->now.fp = m->initial.fp;
	else if (reg == m->cie->ra)
		m->now.ra = m->initial.ra;
}

static void set_offset(struct machine *m, uint64_t reg, int64_t factored)
{
	set_rule(m, reg, (struct rule){ RULE_OFFSET, factored * m->cie->data_align, { 0 } });
}

static void set_cfa(struct machine *m, uint64_t reg, int64_t off)
{
	m->now.cfa_reg = reg;
	m->now.cfa_off = off;
	m->now.cfa_is_expression = false;
}

/* Runs an instruction with its opcode in the low six bits, except advances. False if unknown. */
static bool run_extended(struct machine *m, struct cursor *c, unsigned op)
{
	uint64_t reg;
	switch (op) {
	case 0x00: break; /* DW_CFA_nop */
	case 0x05:
		reg = take_uleb(c);
		set_offset(m, reg, (int64_t)take_uleb(c));
		break;
	case 0x06: restore_rule(m, take_uleb(c)); break;
	case 0x07: set_rule(m, take_uleb(c), (struct rule){ .kind = RULE_UNDEFINED }); break;
	case 0x08: set_rule(m, take_uleb(c), (struct rule){ .kind = RULE_SAME }); break;
	case 0x09:
		reg = take_uleb(c);
		take_uleb(c);
		set_rule(m, reg, (struct rule){ .kind = RULE_OTHER });
		break;
	case 0x0a:
		if (m->saved_count == SAVED_MAX)
			return false;
		m->saved[m->saved_count++] = m->now;
		break;
	case 0x0b:
		if (m->saved_count == 0)
			return false;
		m->now = m->saved[--m->saved_count];
		break;
	case 0x0c:
		reg = take_uleb(c);
		set_cfa(m, reg, (int64_t)take_uleb(c));
		break;
	case 0x0d: set_cfa(m, take_uleb(c), m->now.cfa_off); break;
	case 0x0e: m->now.cfa_off = (int64_t)take_uleb(c); break;
	case 0x0f:
		m->now.cfa_is_expression = true;
		m->now.cfa_expression = take_block(c);
		break;
	case 0x10:
		reg = take_uleb(c);
		set_rule(m, reg, (struct rule){ RULE_EXPRESSION, 0, take_block(c) });
		break;
	case 0x11:
		reg = take_uleb(c);
		set_offset(m, reg, take_sleb(c));
		break;
	case 0x12:
		reg = take_uleb(c);
		set_cfa(m, reg, take_sleb(c) * m->cie->data_align);
		break;
	case 0x13: m->now.cfa_off = take_sleb(c) * m->cie->data_align; break;
	case 0x14: /* DW_CFA_val_offset and DW_CFA_val_offset_sf */
	case 0x15:
		reg = take_uleb(c);
		take_uleb(c);
		set_rule(m, reg, (struct rule){ .kind = RULE_OTHER });
		break;
	case 0x16:
		reg = take_uleb(c);
		take_block(c);
		set_rule(m, reg, (struct rule){ .kind = RULE_OTHER });
		break;
	case 0x2e: take_uleb(c); break; /* DW_CFA_GNU_args_size */
	case 0x2f:
		reg = take_uleb(c);
		set_offset(m, reg, -(int64_t)take_uleb(c));
		break;
	default: return false;
	}
	return true;
}

/* Runs the instructions up to the row that contains `addr`. False if one is unknown or cut off. */
static bool run(struct machine *m, struct cursor c, uintptr_t addr)
{
	const uint64_t unit = m->cie->code_align;
	for (int steps = 0; c.at < c.end && m->location <= addr && steps < STEPS_MAX; steps++) {
		const unsigned op = (unsigned)take(&c, 1), low = op & 0x3f;
		bool good = true;
		switch (op >> 6) {
		case 1: m->location += (uintptr_t)(low * unit); continue;
		case 2: set_offset(m, low, (int64_t)take_uleb(&c)); break;
		case 3: restore_rule(m, low); break;
		default:
			switch (op) {
			case 0x01: m->location = take_pointer(&c, m->cie->pointer, NULL); break;
			case 0x02: m->location += (uintptr_t)(take(&c, 1) * unit); break;
			case 0x03: m->location += (uintptr_t)(take(&c, 2) * unit); break;
			case 0x04: m->location += (uintptr_t)(take(&c, 4) * unit); break;
			default: good = run_extended(m, &c, op); break;
			}
		}
		if (!good || c.bad)
			return false;
	}
	return true;
}

/* A value relative to at most one register: base + offset. The base is 0, a register, or the word
 * at a register plus `inner`. */
struct value {
	enum { VALUE_NUMBER, VALUE_SP, VALUE_FP, VALUE_AT_FP, VALUE_UNKNOWN } base;
	int64_t offset, inner;
};

enum { VALUES_MAX = 8 };

static bool value_add(struct value *a, const struct value *b)
{
	if (a->base != VALUE_NUMBER && b->base != VALUE_NUMBER)
		return false;
	const int64_t sum = (int64_t)((uint64_t)a->offset + (uint64_t)b->offset);
	if (a->base == VALUE_NUMBER)
		*a = *b;
	a->offset = sum;
	return true;
}

/* Combines two values, as the expressions of PLT entries need. `op` is DW_OP_and, minus, mul, or,
 * plus, shl, shr, or eq to ne. False if the result is not a struct value. */
static bool value_combine(struct value *a, const struct value *b, unsigned op)
{
	if (op == 0x22)
		return value_add(a, b);
	if (op == 0x1c && b->base == VALUE_NUMBER) {
		a->offset -= b->offset;
		return true;
	}
	if (a->base != VALUE_NUMBER || b->base != VALUE_NUMBER)
		return false;
	const int64_t x = a->offset, y = b->offset;
	switch (op) {
	case 0x1a: a->offset = x & y; break;
	case 0x1e: a->offset = (int64_t)((uint64_t)x * (uint64_t)y); break;
	case 0x21: a->offset = x | y; break;
	case 0x24: a->offset = y < 64 ? (int64_t)((uint64_t)x << (y & 63)) : 0; break;
	case 0x25: a->offset = y < 64 ? (int64_t)((uint64_t)x >> (y & 63)) : 0; break;
	case 0x29: a->offset = x == y; break;
	case 0x2a: a->offset = x >= y; break;
	case 0x2b: a->offset = x > y; break;
	case 0x2c: a->offset = x <= y; break;
	case 0x2d: a->offset = x < y; break;
	case 0x2e: a->offset = x != y; break;
	default: return false;
	}
	return true;
}

static bool value_deref(struct value *v)
{
	if (v->base != VALUE_FP)
		return false;
	*v = (struct value){ VALUE_AT_FP, 0, v->offset };
	return true;
}

static struct value value_push(struct cursor *c, unsigned op, uintptr_t addr)
{
	struct value v = { VALUE_UNKNOWN, 0, 0 };
	if (op >= 0x30 && op <= 0x4f)
		return (struct value){ VALUE_NUMBER, op - 0x30, 0 };
	if (op >= 0x70 && op <= 0x8f) {
		v.offset = take_sleb(c);
		if (op - 0x70 == REG_SP)
			v.base = VALUE_SP;
		else if (op - 0x70 == REG_FP)
			v.base = VALUE_FP;
		else if (op - 0x70 == REG_RA)
			v = (struct value){ VALUE_NUMBER, v.offset + (int64_t)addr, 0 };
		return v;
	}
	v.base = VALUE_NUMBER;
	switch (op) {
	case 0x08: v.offset = (int64_t)take(c, 1); break;
	case 0x09: v.offset = take_signed(c, 1); break;
	case 0x0a: v.offset = (int64_t)take(c, 2); break;
	case 0x0b: v.offset = take_signed(c, 2); break;
	case 0x0c: v.offset = (int64_t)take(c, 4); break;
	case 0x0d: v.offset = take_signed(c, 4); break;
	case 0x10: v.offset = (int64_t)take_uleb(c); break;
	case 0x11: v.offset = take_sleb(c); break;
	default: v.base = VALUE_UNKNOWN; break;
	}
	return v;
}

/* Evaluates an expression for the instruction at `addr`. The base is VALUE_UNKNOWN if it has
 * unsupported operations. */
static struct value evaluate(struct cursor c, uintptr_t addr)
{
	const struct value unknown = { VALUE_UNKNOWN, 0, 0 };
	struct value stack[VALUES_MAX];
	unsigned count = 0;
	while (c.at < c.end && !c.bad) {
		const unsigned op = (unsigned)take(&c, 1);
		bool good = true;
		if (op == 0x06)
			good = count > 0 && value_deref(&stack[count - 1]);
		else if (op == 0x23)
			good = count > 0 && value_add(&stack[count - 1],
						      &(struct value){ VALUE_NUMBER,
								       (int64_t)take_uleb(&c), 0 });
		else if (op >= 0x1a && op <= 0x2e && op != 0x1f && op != 0x20) {
			good = count > 1 && value_combine(&stack[count - 2], &stack[count - 1], op);
			count -= good;
		} else {
			good = count < VALUES_MAX;
			if (good)
				stack[count++] = value_push(&c, op, addr);
		}
		if (!good)
			return unknown;
	}
	return c.bad || count != 1 ? unknown : stack[0];
}

static bool row_set_cfa(struct row *row, const struct state *s, uintptr_t addr)
{
	int64_t off = s->cfa_off;
	if (s->cfa_is_expression) {
		const struct value v = evaluate(s->cfa_expression, addr);
		off = v.base == VALUE_AT_FP ? v.inner : v.offset;
		row->cfa = v.base == VALUE_SP                       ? CFA_SP
			   : v.base == VALUE_FP                     ? CFA_FP
			   : v.base == VALUE_AT_FP && v.offset == 0 ? CFA_DEREF
								    : CFA_OTHER;
	} else {
		row->cfa = s->cfa_reg == REG_SP   ? CFA_SP
			   : s->cfa_reg == REG_FP ? CFA_FP
						  : CFA_OTHER;
	}
	row->cfa_off = (int32_t)off;
	return row->cfa != CFA_OTHER && row->cfa_off == off;
}

static bool row_set_fp(struct row *row, const struct rule *fp, uintptr_t addr)
{
	int64_t off = fp->offset;
	row->fp = FP_SAME;
	if (fp->kind == RULE_SAME || fp->kind == RULE_UNDEFINED)
		return true;
	row->fp = FP_AT_CFA;
	if (fp->kind == RULE_EXPRESSION) {
		const struct value v = evaluate(fp->expression, addr);
		if (v.base != VALUE_FP)
			return false;
		off = v.offset;
		row->fp = FP_AT_FP;
	} else if (fp->kind != RULE_OFFSET) {
		return false;
	}
	row->fp_off = (int16_t)(off / WORD_SIZE);
	return row->fp_off * WORD_SIZE == off;
}

static struct row row_make(const struct machine *m, uintptr_t addr)
{
	struct row row = { 0, 0, CFA_OTHER, FP_SAME };
	if (m->cie->signal)
		return (struct row){ 0, 0, CFA_SIGNAL, FP_SAME };
	if (m->now.ra.kind == RULE_UNDEFINED)
		return (struct row){ 0, 0, CFA_END, FP_SAME };
	if (m->cie->ra != REG_RA || m->now.ra.kind != RULE_OFFSET ||
	    m->now.ra.offset != -WORD_SIZE || !row_set_cfa(&row, &m->now, addr) ||
	    !row_set_fp(&row, &m->now.fp, addr))
		return (struct row){ 0, 0, CFA_OTHER, FP_SAME };
	return row;
}

struct row cfi_row(const struct tables *t, uintptr_t pc)
{
	static const struct row none = { 0, 0, CFA_NONE, FP_SAME };
	const uintptr_t addr = pc - 1;
	const unsigned char *at = fde_search(t->hdr, addr);
	struct cie cie;
	struct fde fde;
	if (at == NULL || !fde_parse(at, &cie, &fde) || addr - fde.start >= fde.size)
		return none;
	struct machine m = { .cie = &cie };
	if (!run(&m, cie.program, UINTPTR_MAX))
		return none;
	m.initial = m.now;
	m.location = fde.start;
	if (!run(&m, fde.program, addr))
		return none;
	return row_make(&m, addr);
}
