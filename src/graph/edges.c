/* Finds which owners of VM bytes refer to which other owners. */
#include "graph/edges.h"

#include "attr/attr.h"
#include "attr/code_pass.h"
#include "base/pool.h"
#include "base/sort.h"
#include "code/data_refs.h"
#include "code/flow.h"
#include "code/operands.h"
#include "code/ref_store.h"
#include "image/arch.h"
#include "image/elf/elf_const.h"
#include "image/lookalike.h"
#include "image/patched.h"
#include "program/plt.h"

enum { EDGES_JOB_BYTES = 256 << 10 };

/* A job of the scan: the records of references of a part (struct ref_part), or consecutive spans
 * with about EDGES_JOB_BYTES in all */
struct edges_job {
	struct ref_part *kept; /* Records of references to read. NULL: the job scans spans */
	size_t first, last;
	edge_vec found;
};

enum { EDGES_RECENT_BITS = 8, EDGES_KNOWN_BITS = 10 };

/* Collects edges. Joins most edges with the same owners at once. */
struct edges_list {
	edge_vec *found;
	uint32_t recent[1 << EDGES_RECENT_BITS]; /* Indexes in `found`, by hash of the owner */
	struct edges_known {
		uint64_t flipped; /* Complement of an address, so that zeros are no answer */
		const struct span *at;
	} known[1 << EDGES_KNOWN_BITS]; /* Answers of edges_target(), by hash of the address */
};

struct edges_scan {
	struct edges_of in;
	enum code_isa isa;
	bool fixed; /* True if addresses in code and data need no relocations */
	bool pools; /* True if code has pools of constants */
	bool kept;  /* True if relocations state all pointers in data, so words of data are not
			     * searched for addresses */
	uint64_t low, high; /* [low, high): addresses of bytes with owners */
	/* Per block of 2^shift bytes from `low`: number of spans that begin up to its start. */
	uint32_t *begun;
	unsigned shift;
	bool *read;        /* Per span: true if records (struct ref_part) have its references */
	uint64_t got;      /* x86-64: address from which large code models count, or 0 */
	place_vec patched; /* Object: sorted addresses that relocations change */
	VEC(struct edges_job) jobs;
};

/* Makes an index of the spans. It has at most as many blocks as there are spans. */
static void edges_index(struct edges_scan *s)
{
	const struct spans *spans = s->in.spans;
	while ((s->high - s->low) >> s->shift >= max_u64(2, spans->list.count))
		s->shift++;
	const size_t blocks = (size_t)((s->high - s->low) >> s->shift) + 2;
	s->begun = mem_zeroed(blocks, sizeof *s->begun);
	for (size_t b = 0, i = 0; b < blocks; b++) {
		const uint64_t off = (uint64_t)b << s->shift;
		while (i < spans->list.count &&
		       (b + 1 == blocks || spans->list.data[i].start - s->low <= off))
			i++;
		s->begun[b] = (uint32_t)i;
	}
}

/* Like spans_find(), for an address in [low, high). */
static const struct span *edges_span(const struct edges_scan *s, uint64_t addr)
{
	const struct span *list = s->in.spans->list.data;
	const uint32_t *b = &s->begun[(addr - s->low) >> s->shift];
	size_t i;
	BISECT(i, b[0], b[1], k, list[k].start <= addr);
	ASSERT(i > 0);
	return addr - list[i - 1].start < list[i - 1].size ? &list[i - 1] : NULL;
}

static void edge_join(struct graph_edge *e, const struct graph_edge *other)
{
	e->count = (uint32_t)min_u64((uint64_t)e->count + other->count, EDGE_COUNT_MOST) &
		   EDGE_COUNT_MOST;
	if (other->kind < e->kind || (other->kind == e->kind && other->place < e->place)) {
		e->kind = other->kind;
		e->place = other->place;
	}
}

static void edges_list_add(struct edges_list *l, uint32_t from, uint32_t to, enum edge_kind kind,
			   uint64_t place)
{
	const struct graph_edge e = { edge_key(from, to), place, 1, kind & 15 };
	uint32_t *recent = &l->recent[to * UINT32_C(0x9e3779b1) >> (32 - EDGES_RECENT_BITS)];
	if (from == to)
		return;
	if (*recent < l->found->count && l->found->data[*recent].key == e.key) {
		edge_join(&l->found->data[*recent], &e);
		return;
	}
	*recent = (uint32_t)l->found->count;
	vec_push(l->found, e);
}

void edges_add(edge_vec *v, uint32_t from, uint32_t to, enum edge_kind kind, uint64_t place)
{
	if (from != to)
		vec_push(v, (struct graph_edge){ edge_key(from, to), place, 1, kind & 15 });
}

/* Finds the span that a reference to an address in [low, high) leads to. */
static const struct span *edges_resolve(const struct edges_scan *s, uint64_t target)
{
	const struct span *at = edges_span(s, target);
	if (!at || !(s->in.flags[at - s->in.spans->list.data] & SPAN_GOT))
		return at;
	return load_pointer(s->in.im, target, &target) && target != 0 && target >= s->low &&
			       target < s->high
		       ? edges_span(s, target)
		       : NULL;
}

/* Finds the span that a reference leads to. A GOT slot without an owner leads on to its target.
 * NULL if the target has no owner. */
static const struct span *edges_target(const struct edges_scan *s, struct edges_list *l,
				       uint64_t target)
{
	const size_t hash = (size_t)(hash_u64(target) % COUNT_OF(l->known));
	struct edges_known *known = &l->known[hash];
	if (target < s->low || target >= s->high)
		return NULL;
	if (known->flipped != ~target)
		*known = (struct edges_known){ ~target, edges_resolve(s, target) };
	return known->at;
}

static bool edges_has_sets(const struct edges_scan *s)
{
	return s->isa == CODE_ARM || s->isa == CODE_THUMB;
}

/* True if a span of 32-bit ARM code is probably of the ARM set. Asked for each reference to it. */
static bool edges_is_arm(const struct edges_scan *s, const struct span *at)
{
	enum { LOOK_AT = 1 << 10 };
	return arm_set_likely(image_at(s->in.im, at->start, min_u64(at->size, LOOK_AT)), at->start,
			      false);
}

/* True if a number counts as an address of span `at`. For code, it must be the address of the first
 * byte. For data with 64-bit addresses, it may also be that of a later byte. */
static bool edges_is_address(const struct edges_scan *s, const struct span *at, uint64_t number)
{
	const bool code = s->in.flags[at - s->in.spans->list.data] & SPAN_CODE;
	if (at->start == number)
		return !code || s->isa != CODE_THUMB || edges_is_arm(s, at);
	if (code && edges_has_sets(s) && at->start + 1 == number)
		return true;
	return !code && s->in.im->bits == 64 && !lookalike_is_text(s->in.im, number) &&
	       !lookalike_is_number(s->in.im, number);
}

/* True if a reference counts. In code with pools of constants, a constant may look like an
 * instruction, so only branches to the first byte of a span count. */
static bool edges_is_sure(const struct edges_scan *s, const struct span *at, enum edge_kind kind,
			  uint64_t target)
{
	if (kind == EDGE_WORD || kind == EDGE_NUMBER)
		return edges_is_address(s, at, target);
	if (!s->pools)
		return true;
	if (kind == EDGE_CALL || kind == EDGE_JUMP)
		return at->start == target;
	return kind != EDGE_ADDRESS || !(s->in.flags[at - s->in.spans->list.data] & SPAN_CODE) ||
	       edges_is_address(s, at, target);
}

static void edges_add_target(const struct edges_scan *s, struct edges_list *to, uint32_t from,
			     struct graph_edge found, uint64_t target)
{
	const struct span *at = edges_target(s, to, target);
	if (at && edges_is_sure(s, at, (enum edge_kind)found.kind, target))
		edges_list_add(to, from, s->in.owner[at - s->in.spans->list.data],
			       (enum edge_kind)found.kind, found.place);
}

static enum edge_kind edges_kind_of(unsigned ref_kind)
{
	switch (ref_kind) {
	case REF_CALL: return EDGE_CALL;
	case REF_JUMP: return EDGE_JUMP;
	case REF_ADDR: return EDGE_ADDRESS;
	case REF_MEM: return EDGE_ACCESS;
	default: return EDGE_NUMBER;
	}
}

static void edges_add_ref(const struct edges_scan *s, struct edges_list *to, uint32_t from,
			  const struct kept_ref *ref)
{
	const struct graph_edge found = { .place = ref->from,
					  .kind = edges_kind_of(ref->kind) & 15 };
	const bool branch = ref->kind & (REF_CALL | REF_JUMP);
	edges_add_target(s, to, from, found,
			 branch ? image_jump_target(s->in.im, ref->from, ref->to) : ref->to);
}

/* Adds references that the data source `symbols` has stored (struct ref_store). */
static void edges_scan_kept(const struct edges_scan *s, struct ref_part *kept,
			    struct edges_list *to)
{
	const struct spans *spans = s->in.spans;
	size_t next = 0;
	struct kept_ref ref = { 0 };
	const struct span *at = NULL;
	while (ref_part_next(kept, &next, &ref)) {
		if (ref.kind == 0) {
			for (size_t i = vec_lower(&spans->list, ref.from);
			     i < spans->list.count && spans->list.data[i].start < ref.to; i++)
				s->read[i] = true;
			continue;
		}
		if (!at || ref.from - at->start >= at->size)
			at = ref.from >= s->low && ref.from < s->high ? edges_span(s, ref.from)
								      : NULL;
		const size_t i = at ? (size_t)(at - spans->list.data) : 0;
		if (at && s->in.flags[i] & SPAN_CODE)
			edges_add_ref(s, to, s->in.owner[i], &ref);
	}
	vec_release(&kept->bytes);
}

/* True if the bytes of an instruction state where a reference of it leads. In objects, a relocation
 * may change them, and on AArch64 two instructions may make an address: then both have one. */
static bool edges_is_stated(const struct edges_scan *s, struct bytes code, uint64_t addr,
			    const struct code_ref *ref)
{
	const uint64_t off = ref->from - addr, from = ref->field ? ref->field : ref->from;
	struct flow in;
	if (s->in.im->kind != IMAGE_OBJECT)
		return true;
	if (off >= code.size)
		return false;
	if (s->isa == CODE_ARM64 && !(ref->kind & (REF_CALL | REF_JUMP)) &&
	    (load_le32(code.p + off) & 0x9f000000) != 0x10000000) /* adr */
		return false;
	if (!flow_decode(s->isa, code.p + off, code.size - off, ref->from, &in))
		return false;
	const size_t i = vec_lower(&s->patched, from);
	const unsigned size = ref->field ? 1 : code_isa_has_words(s->isa) ? 4 : in.size;
	return i == s->patched.count || s->patched.data[i] - from >= size;
}

static void edges_scan_code(const struct edges_scan *s, const struct span *span, uint32_t from,
			    code_ref_vec *work, struct edges_list *to)
{
	const struct bytes code = image_at(s->in.im, span->start, span->size);
	const unsigned kinds = REF_MEM | REF_ADDR | REF_CALL | REF_JUMP | (s->fixed ? REF_IMM : 0);
	const struct ref_wish wish = { kinds, s->low, s->high, NULL };
	/* Shorter code does not show whether it is ARM or Thumb code, so it is decoded as both. */
	enum { TELLING = 64 };
	const bool both = edges_has_sets(s) && span->size < TELLING;
	const bool arm = edges_has_sets(s) && edges_is_arm(s, span);
	work->count = 0;
	if (both || arm)
		code_refs(CODE_ARM, code, span->start, &wish, work);
	if (both || (edges_has_sets(s) && !arm))
		code_refs(CODE_THUMB, code, span->start, &wish, work);
	else if (!edges_has_sets(s))
		code_refs(s->isa, code, span->start, &wish, work);
	if (data_refs_known(s->in.im) && s->in.im->kind != IMAGE_OBJECT)
		data_refs(s->in.im, code, span->start, work);
	for (size_t i = 0; i < work->count; i++) {
		struct code_ref *ref = &work->data[i];
		/* A section of an object may lie above 4 GiB, and decoders may keep 32 bits. Code
		 * that crosses 4 GiB then has references that begin outside of it. */
		if (s->in.im->kind == IMAGE_OBJECT && ref->from - span->start >= code.size) {
			ref->from = code_target32(span->start, ref->from);
			ref->field = ref->field ? code_target32(span->start, ref->field) : 0;
			ref->to = code_target32(span->start, ref->to);
		}
		if (edges_is_stated(s, code, span->start, ref))
			edges_add_ref(s, to, from,
				      &(struct kept_ref){ ref->from, ref->to, ref->kind });
	}
}

/* Adds addresses that code has as numbers and that decoders of operands leave out. AArch64 loads
 * them from pools in the code (ldr x0, =NAME). x86-64 in large code models adds 64-bit distances to
 * the address of the GOT (movabs). */
static void edges_scan_numbers(const struct edges_scan *s, const struct span *span, uint32_t from,
			       struct edges_list *to)
{
	const struct bytes code = image_at(s->in.im, span->start, span->size);
	const bool pools = s->isa == CODE_ARM64 && s->fixed && s->in.im->bits == 64;
	uint64_t word;
	for (uint64_t off = 0; pools && off + 4 <= code.size; off += 4) {
		const uint32_t insn = load_le32(code.p + off);
		const uint64_t at = span->start + off;
		if ((insn & 0xff000000) == 0x58000000 &&
		    load_pointer(s->in.im, at + 4 * code_extend(insn >> 5 & 0x7ffff, 19), &word))
			edges_add_target(s, to, from,
					 (struct graph_edge){ .place = at, .kind = EDGE_NUMBER },
					 word);
	}
	for (uint64_t off = 0; s->got != 0 && off + 10 <= code.size; off++) {
		const uint8_t *p = code.p + off;
		if ((p[1] & 0xf8) != 0xb8 || (p[0] & 0xfe) != 0x48 ||
		    (load_le32(p + 6) != 0 && load_le32(p + 6) != UINT32_MAX))
			continue;
		edges_add_target(
			s, to, from,
			(struct graph_edge){ .place = span->start + off, .kind = EDGE_NUMBER },
			s->got + load_le64(p + 2));
	}
}

/* True if control may continue after an instruction. */
static bool edges_runs_on(const struct flow *in)
{
	return in->maybe || in->kind == FLOW_PLAIN || in->kind == FLOW_CONDITIONAL ||
	       in->kind == FLOW_CALL || in->kind == FLOW_NOP;
}

/* True if the last bytes of x86 code, before padding, are a return, a jump, a call or a trap. This
 * saves decoding most functions from their start. */
static bool edges_ends_x86(struct bytes code)
{
	static const struct {
		char text[9];
		uint8_t size;
	} nops[] = { { "\x90", 1 },
		     { "\xcc", 1 },
		     { "\x0f\x1f\0", 3 },
		     { "\x0f\x1f\x40\0", 4 },
		     { "\x0f\x1f\x44\0\0", 5 },
		     { "\x0f\x1f\x80\0\0\0\0", 7 },
		     { "\x0f\x1f\x84\0\0\0\0\0", 8 } };
	struct str rest = { (const char *)code.p, code.size };
	for (unsigned i = 0; i < COUNT_OF(nops);) {
		const bool nop = str_ends(rest, (struct str){ nops[i].text, nops[i].size });
		rest.len -= nop ? nops[i].size : 0;
		while (nop && (str_ends(rest, STR("\x66")) || str_ends(rest, STR("\x2e"))))
			rest.len--;
		i = nop ? 0 : i + 1;
	}
	if (rest.len < 5)
		return false;
	const uint8_t *end = code.p + rest.len;
	return end[-1] == 0xc3 || end[-1] == 0xf4 || end[-2] == 0xeb ||
	       (end[-2] == 0x0f && end[-1] == 0x0b) || (end[-5] & 0xfe) == 0xe8;
}

/* Finds the last instruction of a span, except padding. `found` begins as a return. Data may lie
 * after the end of flow, such as pools, and tables for debuggers on PowerPC. */
static void edges_last(const struct edges_scan *s, const struct span *span, struct flow *found)
{
	const struct bytes code = image_at(s->in.im, span->start, span->size);
	struct flow_way way = { .isa = s->isa };
	struct flow in;
	uint64_t furthest = 0; /* Offset of the last target of a branch */
	const bool data = s->pools || s->isa == CODE_POWER || s->isa == CODE_POWER_BE;
	if (edges_has_sets(s))
		way.isa = edges_is_arm(s, span) ? CODE_ARM : CODE_THUMB;
	for (uint64_t at = 0; at < code.size; at += in.size) {
		if (!flow_next(&way, code.p + at, code.size - at, span->start + at, &in)) {
			found->kind = FLOW_RETURN;
			return;
		}
		if ((in.kind == FLOW_JUMP || in.kind == FLOW_CONDITIONAL) &&
		    in.target - span->start < code.size)
			furthest = max_u64(furthest, in.target - span->start);
		if (in.kind != FLOW_NOP)
			*found = in;
		if (data && !edges_runs_on(&in) && in.kind != FLOW_JUMP_INDIRECT && furthest <= at)
			return;
	}
}

/* Adds a jump from code to the next span, if control runs on into it: a label in the middle of a
 * function begins a span, and functions in assembly may lie one behind the other. */
static void edges_add_next(const struct edges_scan *s, size_t i, struct edges_list *to)
{
	const struct span *span = &s->in.spans->list.data[i];
	const uint64_t end = span->start + span->size;
	const bool open = s->in.flags[i] & SPAN_OPEN;
	struct flow last = { .kind = FLOW_RETURN };
	/* The end of a compiler's function may be a pool. */
	if (s->pools && image_states_sizes(s->in.im) && !open)
		return;
	if (s->isa == CODE_NONE || i + 1 == s->in.spans->list.count || span[1].start != end ||
	    !(s->in.flags[i + 1] & SPAN_CODE))
		return;
	const bool x86 = s->isa == CODE_X86_64 || s->isa == CODE_I386;
	if (x86 && !open && edges_ends_x86(image_at(s->in.im, span->start, span->size)))
		return;
	edges_last(s, span, &last);
	if (edges_runs_on(&last) && (last.kind != FLOW_CALL || open))
		edges_list_add(to, s->in.owner[i], s->in.owner[i + 1], EDGE_JUMP, end - last.size);
}

static void edges_scan_words(const struct edges_scan *s, const struct span *span, uint32_t from,
			     struct edges_list *to)
{
	const unsigned word = (unsigned)pointer_size(s->in.im);
	const uint64_t skip = align_up(span->start, word) - span->start;
	const struct bytes b = image_at(s->in.im, span->start, span->size);
	struct reader r = reader_of(b, s->in.im->big_endian);
	reader_seek(&r, min_u64(skip, b.size));
	while (reader_left(&r) >= word) {
		const struct graph_edge found = { .place = span->start + r.pos, .kind = EDGE_WORD };
		edges_add_target(s, to, from, found, read_uint(&r, word));
	}
}

static void edges_scan_spans(const struct edges_scan *s, const struct edges_job *job,
			     struct edges_list *to)
{
	struct code_pass pass = { .im = s->in.im };
	code_ref_vec work = { 0 };
	for (size_t k = job->first; k < job->last; k++) {
		const struct span *span = &s->in.spans->list.data[k];
		const uint32_t owner = s->in.owner[k];
		const bool code = s->in.flags[k] & SPAN_CODE;
		const bool words = s->in.flags[k] & SPAN_DATA && s->fixed && !s->kept;
		if (code && !s->read[k])
			edges_scan_code(s, span, owner, &work, to);
		if (code) {
			edges_scan_numbers(s, span, owner, to);
			edges_add_next(s, k, to);
		}
		if (words)
			edges_scan_words(s, span, owner, to);
		if (words || (code && !s->read[k]))
			code_passed(&pass, span->start, span->size);
	}
	code_pass_end(&pass);
	vec_release(&work);
}

static void edges_scan_job(void *ctx, size_t i, unsigned worker)
{
	const struct edges_scan *s = ctx;
	struct edges_job *job = &s->jobs.data[i];
	struct edges_list list = { .found = &job->found };
	(void)worker;
	if (job->kept)
		edges_scan_kept(s, job->kept, &list);
	else
		edges_scan_spans(s, job, &list);
	vec_fit(&job->found);
}

/* Makes jobs of the spans whose references no record (ref_store.h) has. */
static void edges_make_jobs(struct edges_scan *s)
{
	uint64_t bytes = EDGES_JOB_BYTES;
	for (size_t i = 0; i < s->in.spans->list.count; i++) {
		if (bytes >= EDGES_JOB_BYTES) {
			vec_push(&s->jobs, (struct edges_job){ .first = i });
			bytes = 0;
		}
		bytes = add_sat(bytes, s->in.spans->list.data[i].size);
		s->jobs.data[s->jobs.count - 1].last = i + 1;
	}
}

/* Finds the place to which an object's relocation of another kind refers, such as a half of an
 * address, or a distance from the GOT: symbol plus addend. */
static bool edges_other_reloc(const struct reloc_iter *it, const struct reloc *rel, uint64_t *ret)
{
	if (it->image->kind != IMAGE_OBJECT || rel->kind != RELOC_OTHER || rel->symbol == 0 ||
	    rel->symbol >= it->symbols.count)
		return false;
	const struct symbol s = symtab_get_nameless(&it->symbols, rel->symbol);
	/* The bits of the instruction have the rest of the address. */
	if ((s.type == STT_SECTION && !rel->has_addend) || !symbol_addr(it->image, &s, ret))
		return false;
	*ret += (uint64_t)rel->addend;
	return true;
}

/* Adds the reference that a relocation makes. */
static void edges_add_reloc(const struct edges_scan *s, const struct reloc_iter *it,
			    const struct reloc *rel, struct operands *operands,
			    struct edges_list *to)
{
	const bool inside = rel->addr >= s->low && rel->addr < s->high;
	const struct span *at = inside ? edges_span(s, rel->addr) : NULL;
	const size_t i = at ? (size_t)(at - s->in.spans->list.data) : 0;
	const uint8_t flags = at ? s->in.flags[i] : 0;
	const bool code = flags & SPAN_CODE;
	uint64_t target;
	uint32_t import;
	if (!(flags & (SPAN_CODE | SPAN_DATA)))
		return;
	const struct graph_edge found = { .place = rel->addr,
					  .kind = code ? EDGE_CODE : EDGE_POINTER };
	if (reloc_target(it, rel, &target) || edges_other_reloc(it, rel, &target)) {
		if (rel->kind == RELOC_PCREL)
			target += operands_rest(operands, rel->addr);
		edges_add_target(s, to, s->in.owner[i], found, target);
	} else if (rel->symbol > 0 && rel->symbol < it->symbols.count && s->in.import) {
		const struct str name = symtab_get(&it->symbols, rel->symbol).name;
		if (s->in.import(s->in.ctx, name, &import))
			edges_list_add(to, s->in.owner[i], import, (enum edge_kind)found.kind,
				       rel->addr);
	}
}

static void edges_scan_relocs(struct edges_scan *s, const struct section *table,
			      struct operands *operands, struct edges_list *to)
{
	struct reloc_iter it;
	struct reloc rel;
	if (!reloc_open(&it, s->in.im, table) || (it.patched && !it.patched->alloc))
		return;
	/* In linked code, the decoder of instructions gives the targets. */
	if (it.patched && it.patched->exec && s->in.im->kind != IMAGE_OBJECT &&
	    flow_isa_of(s->in.im) != CODE_NONE)
		return;
	while (reloc_next(&it, &rel))
		if (rel.alloc && rel.kind != RELOC_TLS && rel.kind != RELOC_COPY)
			edges_add_reloc(s, &it, &rel, operands, to);
}

static void edges_scan_all_relocs(struct edges_scan *s, edge_vec *to)
{
	struct operands operands = { .im = s->in.im };
	struct edges_list list = { .found = to };
	for (size_t i = 1; i < s->in.im->section_count; i++)
		if (section_is_reloc(&s->in.im->sections[i]))
			edges_scan_relocs(s, &s->in.im->sections[i], &operands, &list);
}

/* Adds the pointers of a PE image that may move. Its base relocations state where they are. */
static void edges_scan_places(const struct edges_scan *s, edge_vec *ret)
{
	const struct image *im = s->in.im;
	struct edges_list list = { .found = ret };
	for (size_t i = 0; im->from_base && !s->fixed && i < im->entry_count; i++) {
		const struct image_entry *e = &im->entries[i];
		const struct span *at = spans_find(s->in.spans, e->addr);
		const size_t k = at ? (size_t)(at - s->in.spans->list.data) : 0;
		const uint8_t flags = at ? s->in.flags[k] : 0;
		uint64_t target;
		if (!(flags & (SPAN_CODE | SPAN_DATA)) ||
		    !str_eq(im->sections[e->section].name, STR(".reloc")) ||
		    !load_pointer(im, e->addr, &target))
			continue;
		const struct graph_edge found = { .place = e->addr,
						  .kind = flags & SPAN_CODE ? EDGE_CODE
									    : EDGE_POINTER };
		edges_add_target(s, &list, s->in.owner[k], found, target);
	}
}

typedef VEC(edge_vec) edge_lists;

static void edges_run_jobs(struct edges_scan *s, edge_lists *ret)
{
	parallel_for(s->in.threads, s->jobs.count, edges_scan_job, s);
	for (size_t i = 0; i < s->jobs.count; i++)
		vec_push(ret, s->jobs.data[i].found);
	vec_release(&s->jobs);
}

/* Returns all edges of the lists, sorted. First orders them by the owner referred to. Those of one
 * owner are mostly in order then, because they were found by rising addresses. */
static edge_vec edges_sorted(const edge_vec *lists, size_t list_count)
{
	uint32_t owners = 0;
	size_t count = 0;
	for (size_t k = 0; k < list_count; k++) {
		count += lists[k].count;
		vec_each(const struct graph_edge, e, &lists[k])
			owners = (uint32_t)max_u64(owners, edge_to(e));
	}
	edge_vec ret = { mem_alloc(count * sizeof *ret.data), count, count };
	size_t *end = mem_zeroed((size_t)owners + 2, sizeof *end);
	for (size_t k = 0; k < list_count; k++)
		vec_each(const struct graph_edge, e, &lists[k])
			end[(size_t)edge_to(e) + 1]++;
	for (size_t i = 0; i <= owners; i++)
		end[i + 1] += end[i];
	for (size_t k = 0; k < list_count; k++)
		vec_each(const struct graph_edge, e, &lists[k])
			ret.data[end[edge_to(e)]++] = *e;
	for (size_t i = 0, next; i < count; i = next) {
		next = end[edge_to(&ret.data[i])];
		sort_by_key(ret.data + i, next - i, sizeof *ret.data);
	}
	mem_free(end);
	return ret;
}

/* Joins neighbours with the same owners. */
static void edges_join(edge_vec *v)
{
	size_t kept = 0;
	for (size_t i = 0; i < v->count; i++) {
		if (kept > 0 && v->data[kept - 1].key == v->data[i].key)
			edge_join(&v->data[kept - 1], &v->data[i]);
		else
			v->data[kept++] = v->data[i];
	}
	v->count = kept;
}

/* True if no relocations state where the pointers in a program are. */
static bool edges_is_fixed(const struct image *im)
{
	return im->kind == IMAGE_EXEC && im->type == ET_EXEC && !im->moves && im->moved_places == 0;
}

unsigned edges_unseen_in(const struct image *im)
{
	const enum arch_id id = image_arch(im)->id;
	const bool whole = id == ARCH_X86_64 || id == ARCH_ARM64;
	uint64_t library;
	/* In objects, compilers may reach a variable by the address of its neighbour. Programs that
	 * no loader starts, such as firmware and kernels, may compute what the machine jumps to. */
	const bool code = !whole || (im->kind == IMAGE_OBJECT && id != ARCH_X86_64) ||
			  (im->kind == IMAGE_EXEC && image_states_loading(im) &&
			   !image_dynamic(im, DT_NEEDED, &library));
	return (code ? UNSEEN_CODE : 0U) | (edges_is_fixed(im) ? UNSEEN_WORDS : 0U) |
	       (im->from_base ? UNSEEN_HANDLERS : 0U);
}

void edges_find(const struct edges_of *in, edge_vec *ret)
{
	struct edges_scan s = { .in = *in,
				.isa = code_split_isa_of(in->im),
				.pools = image_arch(in->im)->pools };
	const struct image *im = in->im;
	const size_t count = in->spans->list.count;
	edge_lists lists = { 0 };
	if (count == 0)
		return;
	const struct span *last = &in->spans->list.data[count - 1];
	ASSERT(last->start >= in->spans->list.data[0].start);
	s.low = in->spans->list.data[0].start;
	s.high = add_sat(last->start, last->size);
	s.fixed = edges_is_fixed(im);
	const struct section *got = image_section_find(im, ".got.plt");
	got = got ? got : image_section_find(im, ".got");
	s.got = s.isa == CODE_X86_64 && im->kind != IMAGE_OBJECT && got ? got->addr : 0;
	for (size_t i = 1; i < im->section_count; i++) {
		const struct section *t = &im->sections[i];
		s.kept |= section_is_reloc(t) && section_is_kept_reloc(im, t) &&
			  t->info < im->section_count && im->sections[t->info].alloc &&
			  !im->sections[t->info].exec && im->sections[t->info].write;
	}
	edges_index(&s);
	s.read = mem_zeroed(count, sizeof *s.read);
	for (size_t i = 0; in->refs && i < in->refs->parts.count; i++)
		vec_push(&s.jobs, (struct edges_job){ .kept = &in->refs->parts.data[i] });
	edges_run_jobs(&s, &lists);
	if (im->kind == IMAGE_OBJECT)
		image_list_patched(im, &s.patched);
	edges_make_jobs(&s);
	edges_run_jobs(&s, &lists);
	edges_scan_all_relocs(&s, ret);
	edges_scan_places(&s, ret);
	vec_push(&lists, *ret);
	*ret = edges_sorted(lists.data, lists.count);
	edges_join(ret);
	for (size_t i = 0; i < lists.count; i++)
		vec_release(&lists.data[i]);
	vec_release(&lists);
	mem_free_all(s.begun, s.read);
	vec_release(&s.patched);
}

void edges_sort(edge_vec *v)
{
	size_t sorted = v->count > 0;
	while (sorted < v->count && v->data[sorted - 1].key < v->data[sorted].key)
		sorted++;
	if (sorted == v->count)
		return;
	sorted = sorted > v->count / 2 ? sorted : 0;
	const edge_vec rest = { v->data + sorted, v->count - sorted, 0 };
	edge_vec others = edges_sorted(&rest, 1);
	if (sorted == 0) {
		vec_release(v);
		*v = others;
	} else {
		/* Merges the others into the edges sorted before, from the end. */
		for (size_t a = sorted, b = others.count, to = v->count; b > 0;)
			v->data[--to] = a > 0 && v->data[a - 1].key > others.data[b - 1].key
						? v->data[--a]
						: others.data[--b];
		vec_release(&others);
	}
	edges_join(v);
}

size_t edges_to(const edge_vec *v, uint32_t to, size_t *ret_count)
{
	const size_t first = vec_lower(v, edge_key(0, to));
	*ret_count = vec_upper(v, edge_key(UINT32_MAX, to)) - first;
	ASSERT(first + *ret_count <= v->count);
	return first;
}
