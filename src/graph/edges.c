/* Finds which owners of VM bytes refer to which other owners. */
#include "graph/edges.h"

#include "attr/attr.h"
#include "attr/code_pass.h"
#include "base/pool.h"
#include "base/sort.h"
#include "code/data_refs.h"
#include "code/flow.h"
#include "code/operands.h"
#include "image/arch.h"
#include "image/elf/elf_const.h"
#include "image/lookalike.h"
#include "program/plt.h"

enum { EDGES_JOB_BYTES = 256 << 10 };

/* A job of the scan: consecutive spans with about EDGES_JOB_BYTES in all */
struct edges_job {
	size_t first, last;
	edge_vec found;
};

struct edges_scan {
	struct edges_of in;
	enum code_isa isa;
	bool fixed; /* True if addresses in code and data need no relocations */
	bool kept;  /* True if relocations state all pointers in data, so words of data are not
			     * searched for addresses */
	uint64_t low, high; /* Address range of bytes with owners */
	VEC(struct edges_job) jobs;
};

void edges_add(edge_vec *v, uint32_t from, uint32_t to, enum edge_kind kind, uint64_t place)
{
	if (from != to)
		vec_push(v, (struct graph_edge){ edge_key(from, to), place, 1, kind });
}

/* Finds the span that a reference leads to. A slot without an owner leads on to its target. NULL
 * if the target has no owner. */
static const struct span *edges_target(const struct edges_scan *s, uint64_t target)
{
	if (target < s->low || target >= s->high)
		return NULL;
	const struct span *at = spans_find(s->in.spans, target);
	if (!at || !(s->in.flags[at - s->in.spans->list.data] & SPAN_GOT))
		return at;
	return load_pointer(s->in.im, target, &target) && target != 0 && target >= s->low &&
			       target < s->high
		       ? spans_find(s->in.spans, target)
		       : NULL;
}

/* True if a number that may be an address is one. Code counts only from the first byte of a span.
 * Data may also count from a later one, if addresses have 64 bits. */
static bool edges_is_address(const struct edges_scan *s, const struct span *at, uint64_t number)
{
	const bool code = s->in.flags[at - s->in.spans->list.data] & SPAN_CODE;
	if (at->start == (code ? flow_entry(s->isa, number) : number))
		return !code || s->isa != CODE_THUMB || (number & 1);
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
	if (!image_arch(s->in.im)->pools)
		return true;
	if (kind == EDGE_CALL || kind == EDGE_JUMP)
		return at->start == target;
	return kind != EDGE_ADDRESS || !(s->in.flags[at - s->in.spans->list.data] & SPAN_CODE) ||
	       edges_is_address(s, at, target);
}

static void edges_add_target(const struct edges_scan *s, edge_vec *to, uint32_t from,
			     struct graph_edge found, uint64_t target)
{
	const struct span *at = edges_target(s, target);
	if (at && edges_is_sure(s, at, (enum edge_kind)found.kind, target))
		edges_add(to, from, s->in.owner[at - s->in.spans->list.data],
			  (enum edge_kind)found.kind, found.place);
}

static enum edge_kind edges_kind_of(const struct code_ref *ref)
{
	switch (ref->kind) {
	case REF_CALL: return EDGE_CALL;
	case REF_JUMP: return EDGE_JUMP;
	case REF_ADDR: return EDGE_ADDRESS;
	case REF_MEM: return EDGE_ACCESS;
	default: return EDGE_NUMBER;
	}
}

static void edges_scan_code(const struct edges_scan *s, const struct span *span, uint32_t from,
			    code_ref_vec *work, edge_vec *to)
{
	const struct bytes code = image_at(s->in.im, span->start, span->size);
	const unsigned kinds = REF_MEM | REF_ADDR | REF_CALL | REF_JUMP | (s->fixed ? REF_IMM : 0);
	work->count = 0;
	if (s->isa != CODE_NONE)
		code_refs(s->isa, code, span->start, &(struct ref_wish){ kinds, s->low, s->high },
			  work);
	if (data_refs_known(s->in.im))
		data_refs(s->in.im, code, span->start, work);
	for (size_t i = 0; i < work->count; i++) {
		const struct code_ref *ref = &work->data[i];
		const struct graph_edge found = { .place = ref->from, .kind = edges_kind_of(ref) };
		const bool branch = ref->kind & (REF_CALL | REF_JUMP);
		edges_add_target(s, to, from, found,
				 branch ? image_jump_target(s->in.im, ref->from, ref->to)
					: ref->to);
	}
}

/* Adds a jump from code to the next span, if control runs on into it. Only for images whose symbols
 * state no sizes: there, a label in the middle of a function begins a span. */
static void edges_add_next(const struct edges_scan *s, size_t i, edge_vec *to)
{
	const struct span *span = &s->in.spans->list.data[i];
	const uint64_t end = span->start + span->size;
	const struct bytes code = image_at(s->in.im, span->start, span->size);
	struct flow_way way = { .isa = s->isa };
	struct flow flow = { .kind = FLOW_RETURN };
	if (image_states_sizes(s->in.im) || s->isa == CODE_NONE ||
	    i + 1 == s->in.spans->list.count || span[1].start != end ||
	    !(s->in.flags[i + 1] & SPAN_CODE))
		return;
	for (uint64_t at = 0; at < code.size; at += flow.size)
		if (!flow_next(&way, code.p + at, code.size - at, span->start + at, &flow))
			return;
	if (flow.kind == FLOW_PLAIN || flow.kind == FLOW_CONDITIONAL)
		edges_add(to, s->in.owner[i], s->in.owner[i + 1], EDGE_JUMP, end - flow.size);
}

static void edges_scan_words(const struct edges_scan *s, const struct span *span, uint32_t from,
			     edge_vec *to)
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

static void edges_scan_job(void *ctx, size_t i, unsigned worker)
{
	const struct edges_scan *s = ctx;
	struct edges_job *job = &s->jobs.data[i];
	struct code_pass pass = { .im = s->in.im };
	code_ref_vec work = { 0 };
	(void)worker;
	for (size_t k = job->first; k < job->last; k++) {
		const struct span *span = &s->in.spans->list.data[k];
		const uint32_t owner = s->in.owner[k];
		if (s->in.flags[k] & SPAN_CODE) {
			edges_scan_code(s, span, owner, &work, &job->found);
			edges_add_next(s, k, &job->found);
		}
		if (s->in.flags[k] & SPAN_DATA && s->fixed && !s->kept)
			edges_scan_words(s, span, owner, &job->found);
		code_passed(&pass, span->start, span->size);
	}
	code_pass_end(&pass);
	edges_sort(&job->found);
	vec_fit(&job->found);
	vec_release(&work);
}

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

/* Adds the reference that a relocation makes. */
static void edges_add_reloc(const struct edges_scan *s, const struct reloc_iter *it,
			    const struct reloc *rel, struct operands *operands, edge_vec *to)
{
	const struct span *at = spans_find(s->in.spans, rel->addr);
	const size_t i = at ? (size_t)(at - s->in.spans->list.data) : 0;
	const uint8_t flags = at ? s->in.flags[i] : 0;
	const bool code = flags & SPAN_CODE;
	uint64_t target;
	uint32_t import;
	if (!(flags & (SPAN_CODE | SPAN_DATA)))
		return;
	const struct graph_edge found = { .place = rel->addr,
					  .kind = code ? EDGE_CODE : EDGE_POINTER };
	if (reloc_target(it, rel, &target)) {
		if (rel->kind == RELOC_PCREL)
			target += operands_rest(operands, rel->addr);
		edges_add_target(s, to, s->in.owner[i], found, target);
	} else if (rel->symbol > 0 && rel->symbol < it->symbols.count && s->in.import) {
		const struct str name = symtab_get(&it->symbols, rel->symbol).name;
		if (s->in.import(s->in.ctx, name, &import))
			edges_add(to, s->in.owner[i], import, (enum edge_kind)found.kind,
				  rel->addr);
	}
}

static void edges_scan_relocs(struct edges_scan *s, const struct section *table,
			      struct operands *operands, edge_vec *to)
{
	struct reloc_iter it;
	struct reloc rel;
	if (!reloc_open(&it, s->in.im, table) || (it.patched && !it.patched->alloc))
		return;
	/* In linked code, the decoder of instructions gives the targets. */
	if (it.patched && it.patched->exec && s->in.im->kind != IMAGE_OBJECT && s->isa != CODE_NONE)
		return;
	while (reloc_next(&it, &rel))
		if (rel.alloc && rel.kind != RELOC_TLS && rel.kind != RELOC_COPY)
			edges_add_reloc(s, &it, &rel, operands, to);
}

static void edges_scan_all_relocs(struct edges_scan *s, edge_vec *to)
{
	struct operands operands = { .im = s->in.im };
	for (size_t i = 1; i < s->in.im->section_count; i++)
		if (section_is_reloc(&s->in.im->sections[i]))
			edges_scan_relocs(s, &s->in.im->sections[i], &operands, to);
}

void edges_find(const struct edges_of *in, edge_vec *ret)
{
	struct edges_scan s = { .in = *in, .isa = flow_isa_of(in->im) };
	const struct image *im = in->im;
	const size_t count = in->spans->list.count;
	if (count == 0)
		return;
	const struct span *last = &in->spans->list.data[count - 1];
	ASSERT(last->start >= in->spans->list.data[0].start);
	s.low = in->spans->list.data[0].start;
	s.high = add_sat(last->start, last->size);
	s.fixed = im->kind == IMAGE_EXEC && im->type == ET_EXEC && !im->moves;
	for (size_t i = 1; i < im->section_count; i++) {
		const struct section *t = &im->sections[i];
		s.kept |= section_is_reloc(t) && section_is_kept_reloc(im, t) &&
			  t->info < im->section_count && im->sections[t->info].alloc &&
			  !im->sections[t->info].exec && im->sections[t->info].write;
	}
	if (im->kind != IMAGE_OBJECT)
		edges_make_jobs(&s);
	parallel_for(in->threads, s.jobs.count, edges_scan_job, &s);
	for (size_t i = 0; i < s.jobs.count; i++)
		vec_append(ret, &s.jobs.data[i].found);
	vec_release(&s.jobs);
	edges_scan_all_relocs(&s, ret);
}

static int edges_by_kind(const void *a, const void *b)
{
	const struct graph_edge *x = a, *y = b;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

void edges_sort(edge_vec *v)
{
	size_t kept = 0;
	vec_sort_then(v, edges_by_kind);
	for (size_t i = 0; i < v->count; i++) {
		if (kept > 0 && v->data[kept - 1].key == v->data[i].key)
			v->data[kept - 1].count += v->data[i].count;
		else
			v->data[kept++] = v->data[i];
	}
	v->count = kept;
}

size_t edges_to(const edge_vec *v, uint32_t to, size_t *ret_count)
{
	const size_t first = vec_lower(v, edge_key(0, to));
	*ret_count = vec_upper(v, edge_key(UINT32_MAX, to)) - first;
	ASSERT(first + *ret_count <= v->count);
	return first;
}
