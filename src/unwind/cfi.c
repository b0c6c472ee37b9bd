/* Executes the instructions of unwind entries and finds the caller of a frame. */
#include "unwind/cfi.h"

enum { REMEMBERED_MOST = 8, VALUES_MOST = 16 };

struct cfi_machine {
	const struct unwind_rules *rules;
	struct cfi_row *row;
	struct cfi_row first; /* Rules of the CIE, for DW_CFA_restore */
	struct cfi_row remembered[REMEMBERED_MOST];
	unsigned depth;
	uint64_t at, until; /* Address where the current rules begin, address requested */
	bool past;          /* True if the next row starts after `until` */
};

static void cfi_set_rule(struct cfi_machine *m, uint64_t reg, struct cfi_rule rule)
{
	if (reg < CFI_REGS)
		m->row->regs[reg] = rule;
}

static void set_off(struct cfi_machine *m, uint64_t reg, enum cfi_kind kind, int64_t factored)
{
	const uint64_t off = (uint64_t)factored * (uint64_t)m->rules->data_align;
	cfi_set_rule(m, reg, (struct cfi_rule){ .kind = kind, .off = (int64_t)off });
}

static void cfi_advance(struct cfi_machine *m, uint64_t delta)
{
	m->at += delta * m->rules->code_align;
	m->past = m->at > m->until;
}

static void restore(struct cfi_machine *m, uint64_t reg)
{
	if (reg < CFI_REGS)
		m->row->regs[reg] = m->first.regs[reg];
}

static void define_cfa(struct cfi_machine *m, uint64_t reg, int64_t off)
{
	m->row->cfa = (struct cfi_rule){ .kind = CFI_VALUE, .reg = reg, .off = off };
}

static struct bytes cfi_read_block(struct reader *r)
{
	const uint64_t size = read_uleb(r);
	const uint8_t *p = read_take(r, size);
	return p ? (struct bytes){ p, size } : (struct bytes){ 0 };
}

/* Executes the instructions for register rules (DWARF 5 sections 6.4.2.3 and 6.4.2.4). */
static bool rule_of_register(struct cfi_machine *m, uint8_t op, struct reader *r)
{
	const uint64_t reg = read_uleb(r);
	switch (op) {
	case 0x05: set_off(m, reg, CFI_AT, (int64_t)read_uleb(r)); return true;
	case 0x06: restore(m, reg); return true;
	case 0x07: cfi_set_rule(m, reg, (struct cfi_rule){ .kind = CFI_UNDEFINED }); return true;
	case 0x08: cfi_set_rule(m, reg, (struct cfi_rule){ .kind = CFI_SAME }); return true;
	case 0x09:
		cfi_set_rule(m, reg,
			     (struct cfi_rule){ .kind = CFI_REGISTER, .reg = read_uleb(r) });
		return true;
	case 0x10:
		cfi_set_rule(m, reg,
			     (struct cfi_rule){ .kind = CFI_AT_EXPR, .expr = cfi_read_block(r) });
		return true;
	case 0x11: set_off(m, reg, CFI_AT, read_sleb(r)); return true;
	case 0x14: set_off(m, reg, CFI_VALUE, (int64_t)read_uleb(r)); return true;
	case 0x15: set_off(m, reg, CFI_VALUE, read_sleb(r)); return true;
	case 0x16:
		cfi_set_rule(
			m, reg,
			(struct cfi_rule){ .kind = CFI_VALUE_EXPR, .expr = cfi_read_block(r) });
		return true;
	case 0x2f: set_off(m, reg, CFI_AT, (int64_t)(0 - read_uleb(r))); return true;
	default: return false;
	}
}

/* Executes instructions of DWARF 5 sections 6.4.2.1, 6.4.2.2 and 6.4.2.5: locations, CFA, state. */
static bool other_rule(struct cfi_machine *m, uint8_t op, struct reader *r)
{
	struct cfi_rule *cfa = &m->row->cfa;
	switch (op) {
	case 0x00:
	case 0x2d:
		return true; /* DW_CFA_nop; and DW_CFA_AARCH64_negate_ra_state: from here on,
				 * the return address is signed */
	case 0x02: cfi_advance(m, read_u8(r)); return true;
	case 0x03: cfi_advance(m, read_u16(r)); return true;
	case 0x04: cfi_advance(m, read_u32(r)); return true;
	case 0x0a:
		if (m->depth == REMEMBERED_MOST)
			return false;
		m->remembered[m->depth++] = *m->row;
		return true;
	case 0x0b:
		if (m->depth == 0)
			return false;
		*m->row = m->remembered[--m->depth];
		return true;
	case 0x0c:
		define_cfa(m, read_uleb(r), 0);
		cfa->off = (int64_t)read_uleb(r);
		return true;
	case 0x0d: cfa->reg = read_uleb(r); return true;
	case 0x0e: cfa->off = (int64_t)read_uleb(r); return true;
	case 0x0f:
		*cfa = (struct cfi_rule){ .kind = CFI_VALUE_EXPR, .expr = cfi_read_block(r) };
		return true;
	case 0x12:
		define_cfa(m, read_uleb(r), 0);
		cfa->off = (int64_t)((uint64_t)read_sleb(r) * (uint64_t)m->rules->data_align);
		return true;
	case 0x13:
		cfa->off = (int64_t)((uint64_t)read_sleb(r) * (uint64_t)m->rules->data_align);
		return true;
	case 0x2e: (void)read_uleb(r); return true; /* GNU: size of the arguments on the stack */
	default: return rule_of_register(m, op, r);
	}
}

static bool cfi_run(struct cfi_machine *m, const struct unwind_section *s, uint64_t off,
		    uint64_t end)
{
	struct reader r = reader_of(s->bytes, s->big_endian);
	r.size = min_u64(r.size, end);
	reader_seek(&r, off);
	ASSERT(m->depth <= REMEMBERED_MOST);
	while (!m->past && reader_left(&r) > 0) {
		const uint8_t op = read_u8(&r), low = op & 0x3f;
		bool good = true;
		switch (op >> 6) {
		case 1: cfi_advance(m, low); break;
		case 2: set_off(m, low, CFI_AT, (int64_t)read_uleb(&r)); break;
		case 3: restore(m, low); break;
		default: good = other_rule(m, op, &r); break;
		}
		if (!good || !reader_ok(&r))
			return false;
	}
	return reader_ok(&r);
}

bool cfi_row_at(const struct unwind_section *s, const struct unwind_entry *fde, uint64_t addr,
		struct cfi_row *ret)
{
	struct cfi_machine m = { .rules = &fde->rules, .row = ret, .at = fde->func_addr };
	*ret = (struct cfi_row){ .return_reg = fde->rules.return_reg,
				 .signal_frame = fde->signal_frame };
	m.until = UINT64_MAX;
	if (fde->cie || !cfi_run(&m, s, fde->rules.cie_off, fde->rules.cie_end))
		return false;
	m.first = *ret;
	m.at = fde->func_addr;
	m.until = addr;
	return cfi_run(&m, s, fde->rules.fde_off, fde->off + fde->size);
}

struct values {
	const struct cfi_memory *m;
	const struct cfi_frame *f;
	struct reader r;
	uint64_t list[VALUES_MOST];
	unsigned count;
	bool bad;
};

static void cfi_push(struct values *v, uint64_t value)
{
	v->bad = v->bad || v->count == VALUES_MOST;
	if (!v->bad)
		v->list[v->count++] = value;
}

static uint64_t pop(struct values *v)
{
	v->bad = v->bad || v->count == 0;
	return v->bad ? 0 : v->list[--v->count];
}

static uint64_t reg_value(const struct cfi_frame *f, uint64_t reg, bool *bad)
{
	*bad = *bad || reg >= CFI_REGS || (f->known >> reg & 1) == 0;
	return *bad ? 0 : f->regs[reg];
}

static void compute(struct values *v, uint8_t op)
{
	const uint64_t b = pop(v), a = pop(v);
	switch (op) {
	case 0x1a: cfi_push(v, a & b); break;
	case 0x1c: cfi_push(v, a - b); break;
	case 0x21: cfi_push(v, a | b); break;
	case 0x22: cfi_push(v, a + b); break;
	case 0x24: cfi_push(v, b < 64 ? a << b : 0); break;
	case 0x25: cfi_push(v, b < 64 ? a >> b : 0); break;
	case 0x29: cfi_push(v, a == b); break;
	case 0x2a: cfi_push(v, (int64_t)a >= (int64_t)b); break;
	case 0x2b: cfi_push(v, (int64_t)a > (int64_t)b); break;
	case 0x2c: cfi_push(v, (int64_t)a <= (int64_t)b); break;
	case 0x2d: cfi_push(v, (int64_t)a < (int64_t)b); break;
	case 0x2e: cfi_push(v, a != b); break;
	default: v->bad = true; break;
	}
}

static void based(struct values *v, uint64_t reg)
{
	const uint64_t value = reg_value(v->f, reg, &v->bad);
	cfi_push(v, value + (uint64_t)read_sleb(&v->r));
}

static void operate(struct values *v, uint8_t op)
{
	switch (op) {
	case 0x06: {
		const uint64_t addr = pop(v);
		uint64_t value = 0;
		v->bad = v->bad || !v->m->load(v->m->ctx, addr, &value);
		cfi_push(v, value);
		break;
	}
	case 0x08: cfi_push(v, read_u8(&v->r)); break;
	case 0x09: cfi_push(v, (uint64_t)(int8_t)read_u8(&v->r)); break;
	case 0x0a: cfi_push(v, read_u16(&v->r)); break;
	case 0x0b: cfi_push(v, (uint64_t)(int16_t)read_u16(&v->r)); break;
	case 0x0c: cfi_push(v, read_u32(&v->r)); break;
	case 0x0d: cfi_push(v, (uint64_t)(int32_t)read_u32(&v->r)); break;
	case 0x0e:
	case 0x0f: cfi_push(v, read_u64(&v->r)); break;
	case 0x10: cfi_push(v, read_uleb(&v->r)); break;
	case 0x11: cfi_push(v, (uint64_t)read_sleb(&v->r)); break;
	case 0x23: cfi_push(v, pop(v) + read_uleb(&v->r)); break;
	case 0x92: based(v, read_uleb(&v->r)); break;
	case 0x96: break; /* nop */
	default: compute(v, op); break;
	}
}

/* Evaluates an expression. Supports the operations in unwind tables of C libraries and linkers
 * (DWARF 5 section 2.5). The stack starts with *first, or is empty if `first` is NULL. */
static bool cfi_evaluate(const struct cfi_memory *m, const struct cfi_frame *f, struct bytes expr,
			 const uint64_t *first, uint64_t *ret)
{
	struct values v = { .m = m, .f = f, .r = reader_of(expr, m->big_endian) };
	if (first)
		cfi_push(&v, *first);
	while (!v.bad && reader_left(&v.r) > 0) {
		const uint8_t op = read_u8(&v.r);
		if (op >= 0x30 && op < 0x50)
			cfi_push(&v, op - 0x30u);
		else if (op >= 0x70 && op < 0x90)
			based(&v, op - 0x70u);
		else
			operate(&v, op);
		v.bad = v.bad || !reader_ok(&v.r);
	}
	*ret = pop(&v);
	ASSERT(v.count <= VALUES_MOST);
	return !v.bad;
}

/* Finds the caller's value of a register. False if unknown. */
static bool find_reg(const struct cfi_row *row, const struct cfi_memory *m,
		     const struct cfi_frame *f, uint64_t reg, uint64_t cfa, uint64_t *ret)
{
	const struct cfi_rule *rule = &row->regs[reg];
	bool bad = false;
	switch (rule->kind) {
	case CFI_SAME: *ret = reg_value(f, reg, &bad); return !bad;
	case CFI_AT: return m->load(m->ctx, cfa + (uint64_t)rule->off, ret);
	case CFI_VALUE: *ret = cfa + (uint64_t)rule->off; return true;
	case CFI_REGISTER: *ret = reg_value(f, rule->reg, &bad); return !bad;
	case CFI_AT_EXPR:
		return cfi_evaluate(m, f, rule->expr, &cfa, ret) && m->load(m->ctx, *ret, ret);
	case CFI_VALUE_EXPR: return cfi_evaluate(m, f, rule->expr, &cfa, ret);
	case CFI_UNDEFINED: break;
	}
	return false;
}

bool cfi_step(const struct cfi_row *row, const struct cfi_memory *m, struct cfi_frame *f)
{
	struct cfi_frame caller = { .known = 0 };
	uint64_t cfa;
	bool bad = row->return_reg >= CFI_REGS;
	if (row->cfa.kind == CFI_VALUE_EXPR) {
		bad = bad || !cfi_evaluate(m, f, row->cfa.expr, NULL, &cfa);
	} else {
		bad = bad || row->cfa.kind != CFI_VALUE;
		cfa = reg_value(f, row->cfa.reg, &bad) + (uint64_t)row->cfa.off;
	}
	if (bad)
		return false;
	for (uint64_t i = 0; i < CFI_REGS; i++) {
		uint64_t value;
		const bool stack = i == m->stack_reg && row->regs[i].kind == CFI_SAME;
		if (!stack && !find_reg(row, m, f, i, cfa, &value))
			continue;
		caller.regs[i] = stack ? cfa : value;
		caller.known |= UINT64_C(1) << i;
	}
	if ((caller.known >> row->return_reg & 1) == 0)
		return false;
	caller.pc = caller.regs[row->return_reg];
	*f = caller;
	return true;
}
