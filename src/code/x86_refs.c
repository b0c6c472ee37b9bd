/* Scans x86 code. A fast loop handles common instructions without references, whose only prefix is
 * REX. */
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
	uint64_t inside; /* A target is reported if target - addr >= `inside`. 0 reports all
			  * targets; the size of the code omits those inside the code */
	uint64_t stop;   /* Offset at which the scan may end */
	uint64_t imm_low, imm_high;
	const struct addr_mask *mask; /* Wanted targets. NULL: all targets */
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

/* Reports a relative reference to offset `to`, if its kind is wanted. `tail`: number of bytes from
 * the operand's field to the end of the instruction. Returns `len`, its length. */
static __attribute__((noinline)) unsigned push_relative(const struct x86_refs_scan *s, uint64_t off,
							unsigned len, unsigned tail, uint64_t to,
							struct code_ref kind)
{
	if (s->kinds & kind.kind) {
		kind.from = wrap(s, s->addr + off);
		kind.to = wrap(s, s->addr + to);
		kind.field = wrap(s, s->addr + off + len - tail);
		kind.tail = (uint8_t)tail;
		vec_push(s->ret, kind);
	}
	return len;
}

static inline void add_relative(const struct x86_refs_scan *s, uint64_t off,
				const struct x86_insn *in, enum ref_kind kind, uint8_t size)
{
	const uint64_t to = off + in->len + (uint64_t)in->disp;
	if (may_want(s, to))
		push_relative(s, off, in->len, in->len - in->disp_off, to,
			      (struct code_ref){ .kind = (uint8_t)kind, .size = size });
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

/* Returns true if a ModRM byte selects a common and simple instruction of a group opcode. Sets *imm
 * to the size of its immediate. */
static ALWAYS_INLINE bool easy_group(unsigned op, unsigned modrm, unsigned *imm)
{
	const unsigned reg = modrm >> 3 & 7;
	switch (op) {
	case 0xc6:
	case 0xc7: return reg == 0;
	case 0xf6: *imm = reg < 2 ? 1 : 0; return true;
	case 0xf7: *imm = reg < 2 ? 4 : 0; return true;
	case 0xff: return (0x57 >> reg & 1) != 0; /* Not far calls and jumps (/3, /5), nor /7 */
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
	FORM_RELATIVE = FORM_BRANCH | FORM_VALUE, /* The operand is pc-relative */
	FORM_RARE = 0x80, /* The form is rare, and scan_fast() handles it. The bit
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
	    (class == CLASS_LEA && modrm >= 0xc0))
		return FORM_RARE;
	const bool branch = class >= CLASS_JCC && class <= CLASS_CALL;
	return (uint8_t)((1 + (rm & X86_RM_LEN) + imm) | (class == CLASS_MOV ? FORM_MOV : 0) |
			 (branch ? FORM_BRANCH : 0) | (rm & X86_RM_NOBASE ? FORM_RELATIVE : 0) |
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

/* What scan_known() looks for besides lengths */
enum look { LOOK_LENGTHS, LOOK_RELATIVE, LOOK_BRANCHES, LOOK_VALUES };

/* Like scan_fast(), but faster, and only for 64-bit mode. LOOK_VALUES includes LOOK_BRANCHES, which
 * includes LOOK_RELATIVE. */
static ALWAYS_INLINE unsigned scan_known(struct x86_refs_scan *s, const uint8_t *p, uint64_t off,
					 enum look look)
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
	if (look >= LOOK_VALUES)
		odd |= known & FORM_VALUE;
	else if (look >= LOOK_RELATIVE)
		odd |= (known & FORM_RELATIVE) == FORM_RELATIVE;
	if (look >= LOOK_BRANCHES) {
		const int32_t field = (int32_t)load_le32(p + len - 4);
		const int64_t disp = size == 2 ? field >> 24 : field;
		const uint64_t to = off + len + (uint64_t)disp;
		odd |= known & (to >= s->inside ? FORM_BRANCH : 0);
		if (UNLIKELY(odd == FORM_BRANCH) && may_want(s, to)) {
			const enum ref_kind kind = (w & 0xff) == 0xe8 ? REF_CALL : REF_JUMP;
			return push_relative(s, off, len, size == 2 ? 1 : 4, to,
					     (struct code_ref){ .kind = (uint8_t)kind });
		}
		if (odd == 1 && size > 0 && !escape && (w & 0xff) == 0x8d && may_want(s, to))
			return push_relative(s, off, len, 4, to,
					     (struct code_ref){ .kind = REF_ADDR });
	}
	return UNLIKELY(odd) ? scan_unknown(s, p, off, form, look == LOOK_VALUES) : len;
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

/* Scans the code up to s->stop. Returns the offset after the last instruction. */
static ALWAYS_INLINE uint64_t x86_refs_scan(struct x86_refs_scan *s, bool mode64, enum look look,
					    bool starts)
{
	const bool want_imm = look == LOOK_VALUES;
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
		off += mode64 ? scan_known(s, s->base + off, off, look)
			      : scan_fast(s, s->base + off, off, mode64, want_imm);
	}
	return off < s->stop ? scan_tail(s, off, mode64, want_imm, starts) : off;
}

/* Returns a scan that only finds lengths. It reports no target, because all are below `inside`. */
static struct x86_refs_scan lengths_of(struct bytes code, bool mode64)
{
	return (struct x86_refs_scan){ .base = code.p,
				       .size = code.size,
				       .stop = code.size,
				       .inside = UINT64_MAX,
				       .mode64 = mode64 };
}

size_t x86_starts(struct bytes code, bool mode64, uint32_t stop, uint32_t *ret)
{
	struct x86_refs_scan s = lengths_of(code, mode64);
	s.stop = min_u64(stop, code.size);
	s.starts = ret;
	const uint64_t end = mode64 ? x86_refs_scan(&s, true, LOOK_LENGTHS, true)
				    : x86_refs_scan(&s, false, LOOK_LENGTHS, true);
	ASSERT(s.start_count <= stop && end <= code.size);
	ret[s.start_count] = (uint32_t)end;
	return s.start_count;
}

/* DISP: size of the displacement of a pc-relative operand, whose ModRM byte has mod 0 and rm 5.
 * IMM_MOST: largest immediate after it. VALUE: number of low bytes by which a wanted value is
 * recognized. LANES: number of bytes tested at once. */
enum { DISP = 4, IMM_MOST = 4, VALUE = 4, LANES = 16 };

typedef uint8_t lanes __attribute__((vector_size(LANES)));

/* Finds quickly which bytes of code may begin a wanted reference */
struct sieve {
	const struct x86_refs_scan *scan;
	size_t count; /* Number of ranges of wanted addresses */
	struct sieve_range {
		bool values; /* True if 32-bit values are wanted, besides pc-relative operands */
		/* `disp`: the highest byte of the displacement of a pc-relative operand.
		 * `top`, `second`: the highest two bytes of a value. */
		struct byte_range {
			uint8_t low, width; /* Bytes in [low, low + width] are accepted */
		} disp, top, second;
	} ranges[2];
};

/* Returns the range of the lowest byte of (n >> shift), while n goes up from `first` to `last` and
 * may wrap around at 2^64. */
static struct byte_range bytes_between(uint64_t first, uint64_t last, unsigned shift)
{
	const uint64_t width = ((last >> shift) - (first >> shift)) & UINT64_MAX >> shift;
	return (struct byte_range){ (uint8_t)(first >> shift), (uint8_t)min_u64(width, UINT8_MAX) };
}

/* Adds a range of wanted addresses. Returns false if the sieve would miss some: a wanted value must
 * be a sign-extended number of 32 bits, so that its lowest 4 bytes determine it. */
static bool sieve_add(struct sieve *v, const struct addr_range *m)
{
	const struct x86_refs_scan *s = v->scan;
	const uint64_t reach = s->size + IMM_MOST, first = m->low - (s->addr + reach);
	const uint64_t low = max_u64(m->low, s->imm_low),
		       end = min_u64(m->low + m->size, s->imm_high);
	const struct sieve_range r = {
		.values = low < end,
		.disp = bytes_between(first, first + min_u64(add_sat(m->size, reach), UINT32_MAX),
				      24),
		.top = bytes_between(low, end - 1, 24),
		.second = bytes_between(low, end - 1, 16),
	};
	if (m->size > 0)
		v->ranges[v->count++] = r;
	return !r.values || end - 1 <= INT32_MAX || low >= (uint64_t)INT32_MIN;
}

/* Returns the bytes from p on that may begin a wanted reference, as lanes that are not 0. LANES + 4
 * bytes are read. */
static ALWAYS_INLINE lanes lanes_sift(const struct sieve *v, const uint8_t *p)
{
	lanes modrm, disp, top, second, ret = { 0 };
	memcpy(&modrm, p, sizeof modrm);
	memcpy(&disp, p + DISP, sizeof disp);
	memcpy(&top, p + VALUE - 1, sizeof top);
	memcpy(&second, p + VALUE - 2, sizeof second);
	modrm = (lanes)((modrm & 0xc7) == 0x05);
	for (size_t i = 0; i < v->count; i++) {
		const struct sieve_range *r = &v->ranges[i];
		ret |= modrm & (lanes)(disp - r->disp.low <= r->disp.width);
		if (r->values)
			ret |= (lanes)(top - r->top.low <= r->top.width) &
			       (lanes)(second - r->second.low <= r->second.width);
	}
	return ret;
}

/* True if the byte at `off` may be the ModRM byte of a pc-relative operand with a wanted target. An
 * immediate may follow the displacement. */
static bool modrm_may_refer(const struct x86_refs_scan *s, uint64_t off)
{
	if ((s->base[off] & 0xc7) != 0x05 || s->size - off <= DISP)
		return false;
	const int32_t disp = (int32_t)load_le32(s->base + off + 1);
	const uint64_t to = s->addr + off + 1 + DISP + (uint64_t)(int64_t)disp;
	_Static_assert((int)IMM_MOST < (int)ADDR_MASK_GRANULE, "no granule lies between");
	return addr_mask_may_have(s->mask, to) || addr_mask_may_have(s->mask, to + IMM_MOST);
}

/* True if the byte at `off` may begin a wanted reference. At least VALUE bytes follow. */
static bool may_begin_wanted(const struct sieve *v, uint64_t off)
{
	const struct x86_refs_scan *s = v->scan;
	const int32_t value = (int32_t)load_le32(s->base + off);
	return modrm_may_refer(s, off) || may_want_value(s, (uint64_t)(int64_t)value);
}

/* Returns the first offset from `off` on that may begin a wanted reference. Otherwise an offset
 * with less than VALUE bytes left. */
static uint64_t next_wanted(const struct sieve *v, uint64_t off)
{
	const uint64_t size = v->scan->size;
	for (; off + LANES + DISP <= size; off += LANES) {
		const lanes sifted = lanes_sift(v, v->scan->base + off);
		uint8_t found[LANES];
		memcpy(found, &sifted, sizeof found);
		for (unsigned half = 0; half < LANES; half += 8) {
			uint64_t left = load_le64(found + half);
			while (left != 0) {
				const unsigned bit = (unsigned)__builtin_ctzll(left);
				if (may_begin_wanted(v, off + half + bit / 8))
					return off + half + bit / 8;
				left &= ~(UINT64_C(0xff) << bit);
			}
		}
	}
	while (off + VALUE <= size && !may_begin_wanted(v, off))
		off++;
	return off;
}

/* Returns the length of the instruction at `off`. */
static ALWAYS_INLINE unsigned length_at(struct x86_refs_scan *lengths, uint64_t off)
{
	const bool fast = off >= FAST_BEFORE && off + FAST_WINDOW < lengths->size;
	return fast ? scan_known(lengths, lengths->base + off, off, LOOK_LENGTHS)
		    : scan_slow(lengths, off);
}

/* JUMP: a scan skips code if the next possible reference is farther away. RUN_UP: number of bytes
 * before the reference in which the scan finds where instructions begin. */
enum { RUN_UP = 64, JUMP = RUN_UP + 32 };

/* Returns an offset before `place` at which decoding from the start surely has an instruction. It
 * has one in any X86_MAX_LEN bytes, so this decodes from each of these bytes until only one
 * sequence of instructions is left. UINT64_MAX if that fails. */
static uint64_t way_join(struct x86_refs_scan *lengths, uint64_t place)
{
	uint64_t at = place - RUN_UP;
	uint64_t ways = (UINT64_C(1) << X86_MAX_LEN) - 1; /* Bit i: a sequence has an instruction at
							   * `at` + i */
	_Static_assert((int)JUMP > (int)RUN_UP + FAST_BEFORE, "reads no bytes before the code");
	while (at + X86_MAX_LEN < place) {
		const unsigned next = (unsigned)__builtin_ctzll(ways);
		at += next;
		ways >>= next;
		if (ways == 1)
			return at < place ? at : UINT64_MAX;
		const unsigned len = length_at(lengths, at);
		ASSERT(len >= 1 && len <= X86_MAX_LEN);
		ways = (ways & ~UINT64_C(1)) | UINT64_C(1) << len;
	}
	return UINT64_MAX;
}

/* Returns the offset of the instruction that contains the byte at `place`. `off`: offset of an
 * earlier instruction, or UINT64_MAX if unknown. UINT64_MAX if the instruction cannot be found. */
static ALWAYS_INLINE uint64_t insn_with(struct x86_refs_scan *lengths, uint64_t off, uint64_t place)
{
	uint64_t last = UINT64_MAX;
	if (off == UINT64_MAX || place - off > JUMP) {
		const uint64_t joined = place > JUMP ? way_join(lengths, place) : 0;
		off = joined == UINT64_MAX ? off : joined;
	}
	for (; off <= place; off += length_at(lengths, off))
		last = off;
	return last;
}

uint64_t x86_insn_at(struct bytes code, uint64_t before, uint64_t place)
{
	struct x86_refs_scan lengths = lengths_of(code, true);
	ASSERT(place < code.size && (before <= place || before == UINT64_MAX));
	return insn_with(&lengths, before, place);
}

/* Finds the references of a scan with a mask. Decodes only code before places that may begin one.
 * Other code is skipped. */
static void scan_sieved(struct x86_refs_scan *s, const struct sieve *v)
{
	struct x86_refs_scan lengths = lengths_of((struct bytes){ s->base, s->size }, true);
	uint64_t off = 0;
	ASSERT(s->mask && s->mode64 && !s->branches);
	for (uint64_t place; (place = next_wanted(v, off + 1)) + VALUE <= s->size;) {
		off = insn_with(&lengths, off, place);
		off += scan_slow(s, off);
	}
}

uint64_t x86_refs(struct bytes code, bool mode64, uint64_t addr, const struct ref_wish *wish,
		  code_ref_vec *ret)
{
	ASSERT(!(wish->kinds & REF_IMM) || wish->imm_low <= wish->imm_high);
	const unsigned kinds = wish->kinds;
	const bool values = (kinds & REF_IMM) != 0;
	struct x86_refs_scan s = { .base = code.p,
				   .addr = addr,
				   .size = code.size,
				   .stop = code.size,
				   .inside = kinds & REF_INSIDE ? 0 : code.size,
				   .imm_low = values ? wish->imm_low : 0,
				   .imm_high = values ? wish->imm_high : 0,
				   .kinds = kinds,
				   .branches = (kinds & (REF_CALL | REF_JUMP)) != 0,
				   .mode64 = mode64,
				   .ret = ret };
	struct sieve v = { .scan = &s };
	if (wish->mask && mode64)
		s.mask = wish->mask;
	ASSERT(!s.mask || !(kinds & REF_INSIDE));
	if (s.mask && !s.branches && sieve_add(&v, &s.mask->near) && sieve_add(&v, &s.mask->far))
		scan_sieved(&s, &v);
	else if (!mode64)
		(void)x86_refs_scan(&s, false, LOOK_VALUES, false);
	else if (values)
		(void)x86_refs_scan(&s, true, LOOK_VALUES, false);
	else if (s.branches)
		(void)x86_refs_scan(&s, true, LOOK_BRANCHES, false);
	else
		(void)x86_refs_scan(&s, true, LOOK_RELATIVE, false);
	ASSERT(s.bad <= code.size);
	return s.bad;
}
