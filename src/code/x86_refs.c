/* Scans x86 code in a fast loop. It handles common instructions, of which only the length matters
 * and whose only prefix is REX. */
#include "code/addr_mask.h"
#include "code/x86.h"
#include "code/x86_table.h"

#include <stdatomic.h>

/* FAST_WINDOW: number of bytes from an instruction's start on that the fast path may load (66, REX,
 * 0F, opcode, ModRM, displacement, immediate). FAST_BEFORE: number of bytes before the instruction
 * that it may load. */
#define FAST_WINDOW 16
#define FAST_BEFORE 4

#define ALWAYS_INLINE inline __attribute__((always_inline))

struct x86_refs_scan {
	const uint8_t *base;
	uint64_t addr, size;
	uint64_t inside; /* Lowest distance from the code's start at which targets are reported:
			  * 0, or the size of the code to omit targets inside */
	uint64_t stop;   /* Offset at which the scan may end, because no wanted reference follows */
	uint64_t imm_low, imm_high;
	const struct addr_mask *mask; /* May be NULL */
	unsigned kinds;
	unsigned branches;
	bool mode64;
	code_ref_vec *ret;
	uint64_t bad;     /* Number of bytes that are not instructions */
	uint32_t *starts; /* Receives the offsets of instructions, see x86_starts() */
	size_t start_count;
};

static uint64_t wrap(const struct x86_refs_scan *s, uint64_t addr)
{
	return s->mode64 ? addr : (uint32_t)addr;
}

/* True if a target at offset `to` of the code may be wanted. */
static ALWAYS_INLINE bool may_want(const struct x86_refs_scan *s, uint64_t to)
{
	return to >= s->inside && (!s->mask || addr_mask_may_have(s->mask, s->addr + to));
}

/* True if a value may be a wanted address. */
static ALWAYS_INLINE bool may_want_value(const struct x86_refs_scan *s, uint64_t to)
{
	return to >= s->imm_low && to < s->imm_high &&
	       (!s->mask || addr_mask_may_have(s->mask, to));
}

/* Reports a relative reference, if its kind is wanted. The target lies `disp` bytes after the end
 * of the instruction. */
static __attribute__((noinline)) void push_relative(const struct x86_refs_scan *s, uint64_t off,
						    const struct x86_insn *in, uint64_t to,
						    enum ref_kind kind, uint8_t size)
{
	if (!(s->kinds & kind))
		return;
	const unsigned field = in->disp_off;
	vec_push(s->ret, (struct code_ref){ .from = wrap(s, s->addr + off),
					    .to = wrap(s, s->addr + to),
					    .field = wrap(s, s->addr + off + field),
					    .tail = (uint8_t)(in->len - field),
					    .kind = (uint8_t)kind,
					    .size = size });
}

static inline void add_relative(const struct x86_refs_scan *s, uint64_t off,
				const struct x86_insn *in, enum ref_kind kind, uint8_t size)
{
	const uint64_t to = off + in->len + (uint64_t)in->disp;
	if (may_want(s, to))
		push_relative(s, off, in, to, kind, size);
}

static void x86_refs_add_value(const struct x86_refs_scan *s, uint64_t off, unsigned len,
			       unsigned field, int64_t value, enum ref_use use)
{
	const uint64_t to = wrap(s, (uint64_t)value);
	if (!may_want_value(s, to))
		return;
	vec_push(s->ret, (struct code_ref){ .from = wrap(s, s->addr + off),
					    .to = to,
					    .field = wrap(s, s->addr + off + field),
					    .tail = (uint8_t)(len - field),
					    .kind = REF_IMM,
					    .use = (uint8_t)use });
}

static void x86_refs_add(const struct x86_refs_scan *s, uint64_t off, const struct x86_insn *in)
{
	const bool works = in->flow != X86_NOP && in->flow != X86_TRAP;
	if (in->flow == X86_CALL)
		add_relative(s, off, in, REF_CALL, 0);
	else if (in->flow == X86_JMP || in->flow == X86_JCC)
		add_relative(s, off, in, REF_JUMP, 0);
	else if (in->pc_relative && works)
		add_relative(s, off, in, in->address ? REF_ADDR : REF_MEM, in->mem_size);
	else if (in->disp_size >= 4 && works && s->kinds & REF_IMM)
		x86_refs_add_value(s, off, in->len, in->disp_off, in->disp,
				   in->absolute || in->indexed ? USE_ACCESS : USE_NUMBER);
	if (in->imm_size >= 4 && s->kinds & REF_IMM)
		x86_refs_add_value(s, off, in->len, in->imm_off, in->imm, USE_NUMBER);
}

/* Decodes the instruction at `off` completely, and reports its references. Returns the number of
 * bytes to advance. */
static __attribute__((noinline)) unsigned scan_slow(struct x86_refs_scan *s, uint64_t off)
{
	struct x86_insn in;
	if (!x86_decode(s->base + off, s->size - off, s->mode64, &in)) {
		s->bad++;
		return 1;
	}
	x86_refs_add(s, off, &in);
	return in.len;
}

/* For an opcode that stands for several instructions, by ModRM: true if this one is common and
 * simple. Sets *imm to the size of its immediate. */
static ALWAYS_INLINE bool easy_group(unsigned op, unsigned modrm, unsigned *imm)
{
	const unsigned reg = modrm >> 3 & 7;
	switch (op) {
	case 0xc6:
	case 0xc7: return reg == 0;
	case 0xf6: *imm = reg < 2 ? 1 : 0; return true;
	case 0xf7: *imm = reg < 2 ? 4 : 0; return true;
	case 0xff: return (0x57 >> reg & 1) != 0; /* All except far ones and /7 */
	default: return false;
	}
}

/* Returns the length of a common instruction at p. FAST_WINDOW bytes there and FAST_BEFORE bytes
 * before may be loaded. Passes unusual instructions, and those with a wanted reference, to
 * scan_slow(). REX, 0F and the kind of the next instruction cannot be predicted, so the code
 * branches only on rare conditions. */
static ALWAYS_INLINE unsigned scan_fast(struct x86_refs_scan *s, const uint8_t *p, uint64_t off,
					bool mode64, bool want_imm)
{
	uint64_t w = load_le64(p);
	unsigned len = 1;
	if (mode64 && UNLIKELY(x86_class_of(x86_attr[0][w & 0xff]) == CLASS_PREFIX)) {
		/* The prefix 66 can change the length, but not with the 0F map. */
		const unsigned rexes = (w >> 8 & 0xf0) == 0x40;
		if ((w & 0xff) == 0x66 && (w >> (8 + 8 * rexes) & 0xff) != 0x0f)
			return scan_slow(s, off);
		w >>= 8;
		len++;
	}
	const unsigned rex = mode64 & ((w & 0xf0) == 0x40);
	const unsigned wide = rex & (unsigned)(w >> 3);
	w >>= 8 * rex;
	const unsigned escape = (w & 0xff) == 0x0f;
	w >>= 8 * escape;

	const unsigned modrm = w >> 8 & 0xff;
	const unsigned attr = x86_attr[escape][w & 0xff];
	const unsigned class = attr >> 4;
	const unsigned rm = x86_modrm[modrm] & (0u - (attr >> 3 & 1));
	unsigned imm = attr & X86_IMM;
	len += rex + escape + (rm & X86_RM_LEN);
	if (UNLIKELY(class >= CLASS_GROUP)) {
		if (class != CLASS_GROUP || escape || !easy_group(w & 0xff, modrm, &imm))
			return scan_slow(s, off);
	}

	/* A branch has its displacement in place of the immediate. A rip-relative operand has its
	 * displacement before the immediate. */
	const unsigned branch = class - CLASS_JCC <= CLASS_CALL - CLASS_JCC;
	const unsigned end = len + imm;
	const int32_t field = (int32_t)load_le32(p + (branch ? end : len) - 4);
	const int64_t disp = branch && imm == 1 ? field >> 24 : field;
	unsigned odd = ((branch & s->branches) | (rm & X86_RM_NOBASE)) &&
		       may_want(s, off + end + (uint64_t)disp);
	odd |= (rm & X86_RM_SIB0) && (w >> 16 & 7) == 5;
	odd |= class == CLASS_LEA && modrm >= 0xc0;
	odd |= class == CLASS_MOV ? wide & 1 : 0;
	if (want_imm) {
		odd |= imm == 4 && !branch &&
		       may_want_value(s, wrap(s, (uint64_t)(int32_t)load_le32(p + end - 4)));
		odd |= (rm & X86_RM_DISP4) &&
		       may_want_value(s, wrap(s, (uint64_t)(int32_t)load_le32(p + len - 4)));
	}
	return UNLIKELY(odd) ? scan_slow(s, off) : end;
}

/* A form is what the length of a 64-bit instruction depends on: its opcode, the byte after it
 * (mostly ModRM), and whether 0F comes before. One byte describes it. Bits 0-3 are the size without
 * REX and 0F, or 0 if scan_fast() must find it. The other bits say what else matters. */
enum {
	FORM_SIZE = 0x0f,
	FORM_MOV = 0x10,    /* mov, whose immediate has 8 bytes with the prefix REX.W */
	FORM_BRANCH = 0x20, /* The displacement is last */
	FORM_VALUE = 0x40,  /* The form has an immediate or a displacement of 32 bits */
	FORM_SIB0 = 0x80,   /* 4 more bytes if the base in SIB is 5 */
	FORM_RARE = 0x80,   /* The form is rare, and scan_fast() handles it. The bit
			     * distinguishes it from a form that is not filled in yet */
	FORMS = 1 << 17
};

/* Descriptions of forms, filled in when they occur. Without a lock: all threads compute the same
 * byte. */
static _Atomic uint8_t forms[FORMS];

static uint8_t form_of(unsigned form)
{
	const unsigned op = form & 0xff, modrm = form >> 8 & 0xff, escape = form >> 16;
	const unsigned attr = x86_attr[escape][op], class = attr >> 4;
	const unsigned rm = attr & X86_HAS_RM ? x86_modrm[modrm] : 0;
	unsigned imm = attr & X86_IMM;
	ASSERT(form < FORMS);
	if ((class >= CLASS_GROUP &&
	     (class != CLASS_GROUP || escape || !easy_group(op, modrm, &imm))) ||
	    rm & X86_RM_NOBASE || (class == CLASS_LEA && modrm >= 0xc0))
		return FORM_RARE;
	const bool branch = class >= CLASS_JCC && class <= CLASS_CALL;
	return (uint8_t)((1 + (rm & X86_RM_LEN) + imm) | (class == CLASS_MOV ? FORM_MOV : 0) |
			 (branch ? FORM_BRANCH : 0) |
			 ((imm == 4 && !branch) || rm & X86_RM_DISP4 ? FORM_VALUE : 0) |
			 (rm & X86_RM_SIB0 ? FORM_SIB0 : 0));
}

/* Returns the length of an instruction whose form is rare or not filled in. */
static __attribute__((noinline)) unsigned scan_unknown(struct x86_refs_scan *s, const uint8_t *p,
						       uint64_t off, unsigned form, bool want_imm)
{
	if (atomic_load_explicit(&forms[form], memory_order_relaxed) == 0)
		atomic_store_explicit(&forms[form], form_of(form), memory_order_relaxed);
	return want_imm ? scan_fast(s, p, off, true, true) : scan_fast(s, p, off, true, false);
}

/* Does the same as scan_fast(), but only in 64-bit mode, which is faster. */
static ALWAYS_INLINE unsigned scan_known(struct x86_refs_scan *s, const uint8_t *p, uint64_t off,
					 bool want_imm, bool branches)
{
	uint64_t w = load_le64(p);
	const unsigned rex = (w & 0xf0) == 0x40;
	const unsigned wide = rex & (unsigned)(w >> 3);
	w = rex ? w >> 8 : w;
	const unsigned escape = (w & 0xff) == 0x0f;
	w = escape ? w >> 8 : w;

	const unsigned form = (unsigned)(w & 0xffff) | escape << 16;
	const unsigned known = atomic_load_explicit(&forms[form], memory_order_relaxed);
	const unsigned size = known & FORM_SIZE, len = size + rex + escape;
	unsigned odd = known & (wide & 1 ? FORM_MOV : 0);
	odd |= known & ((w >> 16 & 7) == 5 ? FORM_SIB0 : 0);
	odd |= size == 0;
	if (want_imm)
		odd |= known & FORM_VALUE;
	if (branches) {
		const int32_t field = (int32_t)load_le32(p + len - 4);
		const int64_t disp = size == 2 ? field >> 24 : field;
		odd |= known & (off + len + (uint64_t)disp >= s->inside ? FORM_BRANCH : 0);
	}
	return UNLIKELY(odd) ? scan_unknown(s, p, off, form, want_imm) : len;
}

/* Scans the last bytes (at most FAST_WINDOW) from `off` on, in a copy followed by zeros. `off` must
 * be at least FAST_BEFORE. The last instruction may end in the zeros: it is cut off at the code's
 * end. Returns the offset after the last instruction. */
static ALWAYS_INLINE uint64_t scan_tail(struct x86_refs_scan *s, uint64_t off, bool mode64,
					bool want_imm, bool starts)
{
	uint8_t copy[FAST_BEFORE + 2 * FAST_WINDOW] = { 0 };
	const uint64_t first = off - FAST_BEFORE;
	memcpy(copy, s->base + first, s->size - first);
	while (off < s->stop) {
		if (starts)
			s->starts[s->start_count++] = (uint32_t)off;
		const unsigned len = scan_fast(s, copy + (off - first), off, mode64, want_imm);
		off += len <= s->size - off ? len : scan_slow(s, off);
	}
	return off;
}

/* Returns the offset after the last instruction. */
static ALWAYS_INLINE uint64_t x86_refs_scan(struct x86_refs_scan *s, bool mode64, bool want_imm,
					    bool branches, bool starts)
{
	uint64_t off = 0;
	while (off < min_u64(s->stop, FAST_BEFORE)) {
		if (starts)
			s->starts[s->start_count++] = (uint32_t)off;
		off += scan_slow(s, off);
	}
	const uint64_t end = s->size > FAST_WINDOW ? min_u64(s->stop, s->size - FAST_WINDOW) : 0;
	while (off < end) {
		if (starts)
			s->starts[s->start_count++] = (uint32_t)off;
		off += mode64 ? scan_known(s, s->base + off, off, want_imm, branches)
			      : scan_fast(s, s->base + off, off, mode64, want_imm);
	}
	return off < s->stop ? scan_tail(s, off, mode64, want_imm, starts) : off;
}

size_t x86_starts(struct bytes code, bool mode64, uint32_t stop, uint32_t *ret)
{
	/* All targets are below `inside`, so the scan reports no reference. */
	struct x86_refs_scan s = { .base = code.p,
				   .size = code.size,
				   .stop = min_u64(stop, code.size),
				   .inside = UINT64_MAX,
				   .mode64 = mode64,
				   .starts = ret };
	const uint64_t end = mode64 ? x86_refs_scan(&s, true, false, false, true)
				    : x86_refs_scan(&s, false, false, false, true);
	ASSERT(s.start_count <= stop && end <= code.size);
	ret[s.start_count] = (uint32_t)end;
	return s.start_count;
}

/* DISP: size of the displacement of a pc-relative operand, whose ModRM byte has mod 0 and rm 5.
 * LANES: number of bytes tested at once. IMM_MOST: largest immediate after it. */
enum { DISP = 4, LANES = 16, IMM_MOST = 4 };

typedef uint8_t lanes __attribute__((vector_size(LANES)));

/* True if one of the LANES bytes from p on may be the ModRM byte of a pc-relative operand. The
 * highest byte of its displacement must lie in [top, top + span]. */
static ALWAYS_INLINE bool lanes_may_refer(const uint8_t *p, uint8_t top, uint8_t span)
{
	lanes modrm, high;
	uint64_t words[LANES / 8];
	memcpy(&modrm, p, sizeof modrm);
	memcpy(&high, p + DISP, sizeof high);
	modrm = (lanes)((modrm & 0xc7) == 0x05) & (lanes)(high - top <= span);
	memcpy(words, &modrm, sizeof words);
	return (words[0] | words[1]) != 0;
}

/* True if the byte at `off`, taken as the ModRM byte of a pc-relative operand, refers to a wanted
 * target. An immediate may follow the displacement. */
static bool modrm_may_refer(const struct x86_refs_scan *s, uint64_t off)
{
	const int32_t disp = (int32_t)load_le32(s->base + off + 1);
	const uint64_t to = s->addr + off + 1 + DISP + (uint64_t)(int64_t)disp;
	_Static_assert((int)IMM_MOST < (int)ADDR_MASK_GRANULE, "no granule lies between");
	return (s->base[off] & 0xc7) == 0x05 &&
	       (addr_mask_may_have(s->mask, to) || addr_mask_may_have(s->mask, to + IMM_MOST));
}

/* Returns the difference of the highest bytes of two displacements. `first` is at most `last`. */
static uint64_t high_bytes_between(int64_t first, int64_t last)
{
	const uint64_t mask = UINT64_MAX >> 24;
	ASSERT(first <= last);
	return (((uint64_t)last >> 24) - ((uint64_t)first >> 24)) & mask;
}

/* Returns the offset of the last byte that may be the ModRM byte of a wanted reference, or 0. All
 * instructions with wanted references begin before it. */
static uint64_t last_wanted(const struct x86_refs_scan *s)
{
	const struct addr_mask *m = s->mask;
	const uint64_t reach = s->size + IMM_MOST, width = add_sat(m->size, reach);
	const int64_t first = (int64_t)(m->low - (s->addr + reach));
	uint8_t top = 0, span = UINT8_MAX;
	if (width < UINT32_MAX &&
	    m->far_size == 0) { /* Otherwise, any displacement may point to a target */
		if (first > INT32_MAX || first < INT32_MIN - (int64_t)width)
			return 0;
		top = (uint8_t)((uint64_t)first >> 24);
		span = (uint8_t)min_u64(high_bytes_between(first, first + (int64_t)width),
					UINT8_MAX);
	}
	uint64_t off = s->size > DISP ? s->size - DISP : 0;
	while (off > 1) {
		const bool wide = off > LANES;
		const uint64_t count = wide ? LANES : off - 1;
		off -= count;
		if (wide && !lanes_may_refer(s->base + off, top, span))
			continue;
		for (uint64_t i = count; i-- > 0;)
			if (modrm_may_refer(s, off + i))
				return off + i;
	}
	return 0;
}

uint64_t x86_refs(struct bytes code, bool mode64, uint64_t addr, const struct ref_wish *wish,
		  code_ref_vec *ret)
{
	ASSERT(!(wish->kinds & REF_IMM) || wish->imm_low <= wish->imm_high);
	const unsigned kinds = wish->kinds;
	struct x86_refs_scan s = { .base = code.p,
				   .addr = addr,
				   .size = code.size,
				   .stop = code.size,
				   .inside = kinds & REF_INSIDE ? 0 : code.size,
				   .imm_low = wish->imm_low,
				   .imm_high = wish->imm_high,
				   .kinds = kinds,
				   .branches = (kinds & (REF_CALL | REF_JUMP)) != 0,
				   .mode64 = mode64,
				   .ret = ret };
	if (wish->mask && mode64) {
		ASSERT(!(kinds & REF_INSIDE));
		s.mask = wish->mask;
		if (!s.branches && !(kinds & REF_IMM))
			s.stop = last_wanted(&s);
	}
	if (!mode64)
		(void)x86_refs_scan(&s, false, true, true, false);
	else if (kinds & REF_IMM)
		(void)x86_refs_scan(&s, true, true, true, false);
	else if (s.branches)
		(void)x86_refs_scan(&s, true, false, true, false);
	else
		(void)x86_refs_scan(&s, true, false, false, false);
	ASSERT(s.bad <= code.size);
	return s.bad;
}
