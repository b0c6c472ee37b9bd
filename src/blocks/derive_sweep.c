/* Functions in code of which nothing says where they begin, and data among it. */
#include "blocks/derive_map_internal.h"

#include "base/sort.h"
#include "code/flow.h"

struct sweep {
	struct gathering *g;
	const struct code_region *r;
	const struct code_claim *claim; /* of the first function, or NULL */
	uint64_t from, to;
	VEC(uint64_t) called; /* sorted */
	size_t next;          /* of them, behind `at` */
	/* The function at hand. */
	uint64_t start, at;
	uint64_t furthest; /* its jumps lead no farther */
	uint64_t coded;    /* behind its last instruction that is not zero */
	bool named;        /* it is called, or claimed */
	bool bad;          /* not all of it is code */
	bool data;         /* what was in front was data, up to what is named */
};

static const uint8_t *code_at(const struct sweep *s, uint64_t addr)
{
	return s->r->bytes.p + (addr - s->r->addr);
}

static void list_called(struct sweep *s)
{
	const struct bytes code = { code_at(s, s->from), s->to - s->from };
	code_ref_vec refs = { 0 };
	code_refs(s->g->isa, code, s->from, &(struct ref_wish){ .kinds = REF_CALL | REF_INSIDE },
		  &refs);
	for (size_t i = 0; i < refs.count; i++)
		if (refs.data[i].to > s->from && refs.data[i].to < s->to)
			vec_push(&s->called, refs.data[i].to);
	sort_by_key(s->called.data, s->called.count, sizeof *s->called.data);
	vec_release(&refs);
}

/* ---- functions ------------------------------------------------------------------------------- */

static void begin(struct sweep *s, uint64_t at, bool named)
{
	s->start = s->at = s->furthest = s->coded = at;
	s->named = named;
	s->bad = false;
}

static bool is_zero(const uint8_t *p, uint64_t size)
{
	while (size > 0 && p[size - 1] == 0)
		size--;
	return size == 0;
}

/* Bytes that are no code as a whole are data, as tables of assembly are; so is what comes behind
 * them without a name.  What is claimed stays. */
static void end(struct sweep *s, uint64_t at)
{
	const struct code_claim *c = s->start == s->from ? s->claim : NULL;
	while (at > s->coded && *code_at(s, at - 1) == 0)
		at--;
	s->data = s->bad || (s->data && !s->named);
	if (s->data && !(c && c->function))
		return;
	derive_add_extent(s->g, s->r, s->start, at, c);
}

static uint64_t skip_padding(const struct sweep *s, uint64_t at)
{
	uint64_t pad = 1;
	while (at < s->to && pad > 0) {
		pad = code_pad_size(s->g->isa, code_at(s, at), s->to - at);
		at += pad;
	}
	return min_u64(at, s->to);
}

/* Behind what does not go on: another function begins behind padding, where no jump leads over
 * it. */
static void do_dead_end(struct sweep *s, const struct flow *in)
{
	const unsigned align = is_small(s->g->isa) ? 4 : 16;
	const uint64_t next = skip_padding(s, s->at);
	if (next == s->at || (next % align != 0 && next < s->to) || s->furthest >= next ||
	    (in->kind == FLOW_JUMP_INDIRECT && *code_at(s, s->at) != 0))
		return;
	end(s, s->at);
	begin(s, next, false);
}

static void do_jump(struct sweep *s, const struct flow *in)
{
	if (!region_at(s->g, in->target) && s->g->im->kind != IMAGE_OBJECT)
		s->bad = true;
	else if (in->target > s->furthest && in->target < s->to)
		s->furthest = in->target;
}

static void step(struct sweep *s)
{
	const uint64_t data = data_end(s->g, s->at);
	struct flow in;
	if (data > s->at) {
		s->at = min_u64(data, s->to);
		if (!s->named && data_end(s->g, s->start) == data)
			begin(s, s->at, false); /* nothing but data so far */
		return;
	}
	if (!flow_decode(s->g->isa, code_at(s, s->at), s->to - s->at, s->at, &in)) {
		s->bad = true;
		s->at++;
		return;
	}
	if (!is_zero(code_at(s, s->at), in.size))
		s->coded = s->at + in.size;
	s->at += in.size;
	if (in.kind == FLOW_JUMP || in.kind == FLOW_CONDITIONAL)
		do_jump(s, &in);
	if (in.kind == FLOW_JUMP || in.kind == FLOW_JUMP_INDIRECT || in.kind == FLOW_RETURN ||
	    in.kind == FLOW_TRAP)
		do_dead_end(s, &in);
}

/* Where called functions begin others end. */
static void begin_called(struct sweep *s)
{
	while (s->next < s->called.count && s->called.data[s->next] <= s->at) {
		const uint64_t at = s->called.data[s->next++];
		if (at == s->start) {
			s->named = true;
		} else if (at == s->at) {
			end(s, at);
			begin(s, at, true);
		}
	}
}

void derive_sweep(struct gathering *g, const struct code_region *r, uint64_t from, uint64_t to,
		  const struct code_claim *claim)
{
	struct sweep s = { .g = g, .r = r, .claim = claim, .from = from, .to = to };
	if (!claim)
		s.from = skip_padding(&s, from);
	if (s.from >= to)
		return;
	list_called(&s);
	begin(&s, s.from, claim != NULL);
	while (s.at < to) {
		begin_called(&s);
		step(&s);
	}
	if (s.start < to)
		end(&s, to);
	vec_release(&s.called);
}
