/* Implements basic blocks: heft_blocks_*. */
#include "api/structs.h"
#include "blocks/block_emit.h"
#include "blocks/block_set.h"
#include "blocks/derive_map.h"
#include "report/report.h"

struct heft_blocks *heft_blocks_new(struct heft_session *session)
{
	return context_handle_new(session, CONTEXT_HANDLE(struct heft_blocks));
}

void heft_blocks_free(struct heft_blocks *b)
{
	CONTEXT_FREE(struct heft_blocks, b);
}

void heft_blocks_set_derive(struct heft_blocks *b, enum heft_derive when)
{
	b->derive = when;
}

void heft_blocks_set_convention(struct heft_blocks *b, enum heft_convention convention)
{
	b->convention = convention <= HEFT_CONVENTION_PURE ? convention : HEFT_CONVENTION_AUTO;
}

void heft_blocks_set_whole(struct heft_blocks *b, bool whole)
{
	b->whole = whole;
}

bool heft_blocks_open(struct heft_blocks *b, const char *path, struct heft_err *err)
{
	return GUARDED(b->memory, err, blocks_open(b, path, err));
}

size_t heft_blocks_function_count(const struct heft_blocks *b)
{
	return b->function_count;
}

bool heft_blocks_function(struct heft_blocks *b, size_t i, struct heft_block_function *ret,
			  struct heft_err *err)
{
	struct heft_block_function made;
	if (!STATED(heft_block_function, ret, err))
		return false;
	if (i >= b->function_count)
		return fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET, "no function has this number");
	if (!GUARDED(b->memory, err, (made = blocks_function(b, i), true)))
		return false;
	return give(ret, &made, sizeof made);
}

bool heft_blocks_sum(const struct heft_blocks *b, struct heft_block_sums *ret, struct heft_err *err)
{
	if (!STATED(heft_block_sums, ret, err))
		return false;
	struct heft_block_sums sum = { 0 };
	for (size_t i = 0; i < b->part_count; i++)
		blockmap_sum(&b->parts[i].map, &sum);
	return give(ret, &sum, sizeof sum);
}

static bool blocks_find_function(struct heft_blocks *b, uint64_t addr,
				 struct heft_block_function *ret, size_t *ret_block,
				 struct heft_err *err)
{
	size_t function;
	if (!blocks_find(b, addr, &function, ret_block))
		return fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET, "no block has this address");
	*ret = blocks_function(b, function);
	return true;
}

bool heft_blocks_find(struct heft_blocks *b, uint64_t addr,
		      struct heft_block_function *ret_function, size_t *ret_block,
		      struct heft_err *err)
{
	struct heft_block_function made;
	if (!STATED(heft_block_function, ret_function, err) ||
	    !GUARDED(b->memory, err, blocks_find_function(b, addr, &made, ret_block, err)))
		return false;
	return give(ret_function, &made, sizeof made);
}

bool heft_blocks_named(struct heft_blocks *b, const char *name, const size_t **ret,
		       size_t *ret_count, struct heft_err *err)
{
	return GUARDED(b->memory, err, blocks_named(b, name, ret, ret_count, err));
}

bool heft_blocks_find_batch(struct heft_blocks *b, const uint64_t *addrs, size_t count,
			    uint32_t *ret, struct heft_err *err)
{
	return GUARDED(b->memory, err, (blocks_find_batch(b, addrs, count, ret), true));
}

bool heft_blocks_place(const struct heft_blocks *b, uint32_t number, size_t *ret_function,
		       size_t *ret_block)
{
	return blocks_place(b, number, ret_function, ret_block);
}

static bool block_function_write(const struct heft_block_function *f,
				 const struct heft_write_opts *opts, const struct heft_sink *sink,
				 struct heft_err *err)
{
	struct heft_block_function known = { 0 };
	struct heft_write_opts o = { 0 };
	struct sink s;
	if (!TAKE(heft_write_opts, &o, opts, err) || !list_has_format(o.format, HEFT_TABLE, err))
		return false;
	if (!TAKE(heft_block_function, &known, f, err))
		return false;
	sink_start(&s, sink);
	out_blocks(f ? &known : NULL, &o, &s);
	return sink_end(&s, err);
}

bool heft_block_function_write(const struct heft_block_function *f,
			       const struct heft_write_opts *opts, const struct heft_sink *sink,
			       struct heft_err *err)
{
	return GUARDED_BARE(err, block_function_write(f, opts, sink, err));
}

static bool blocks_disassemble(struct heft_blocks *b, size_t i, const struct heft_sink *sink,
			       struct heft_err *err)
{
	struct sink s;
	if (i >= b->function_count)
		return fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET, "no function has this number");
	sink_start(&s, sink);
	return out_code(b, i, &(struct code_wish){ .whole = true }, &s, err) && sink_end(&s, err);
}

bool heft_blocks_disassemble(struct heft_blocks *b, size_t i, const struct heft_sink *sink,
			     struct heft_err *err)
{
	return GUARDED(b->memory, err, blocks_disassemble(b, i, sink, err));
}

static bool need_map(const struct heft_blocks *b, const struct blockmap **ret, struct heft_err *err)
{
	return blocks_serve(b, USE_BLOCK_MAP, ret, err) &&
	       (*ret || fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			     "a map is of one program: name a slice with --arch"));
}

bool heft_blocks_emit(struct heft_blocks *b, unsigned version, unsigned flags,
		      const struct heft_sink *sink, struct heft_err *err)
{
	const struct blockmap_copy copy = { version, flags & HEFT_EMIT_REPLACE,
					    program_debug_in_use(&b->program) };
	const struct blockmap *map;
	return GUARDED(b->memory, err,
		       need_map(b, &map, err) &&
			       blockmap_emit(map, &copy, sink, &b->context.notes, err));
}

static bool blocks_check(struct heft_blocks *b, struct heft_block_check *ret, struct heft_err *err)
{
	const struct blockmap *map;
	struct block_check *c = &b->check;
	if (!need_map(b, &map, err))
		return false;
	if (map->sections.count == 0)
		return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET, "%s: has no basic-block map",
			    map->image->path);
	block_check_release(c);
	blockmap_check(map, program_debug_in_use(&b->program), c);
	*ret = (struct heft_block_check){ .functions = map->functions.count,
					  .blocks = map->blocks.count,
					  .decoded = c->decoded,
					  .known = c->known,
					  .mapped = c->mapped };
	for (size_t i = 0; i < c->findings.count; i++) {
		const bool wrong = check_is_wrong(c->findings.data[i].rule);
		ret->wrong += wrong;
		ret->odd += !wrong;
	}
	ASSERT(ret->known >= ret->mapped);
	return true;
}

bool heft_blocks_check(struct heft_blocks *b, struct heft_block_check *ret, struct heft_err *err)
{
	struct heft_block_check made;
	if (!STATED(heft_block_check, ret, err) ||
	    !GUARDED(b->memory, err, blocks_check(b, &made, err)))
		return false;
	return give(ret, &made, sizeof made);
}

size_t heft_blocks_finding_count(const struct heft_blocks *b)
{
	return b->check.findings.count;
}

bool heft_blocks_finding(const struct heft_blocks *b, size_t i, struct heft_block_finding *ret,
			 struct heft_err *err)
{
	if (!STATED(heft_block_finding, ret, err))
		return false;
	if (i >= b->check.findings.count)
		return absent(err);
	const struct check_finding *f = &b->check.findings.data[i];
	const struct heft_block_finding made = { .id = check_id(f->rule),
						 .wrong = check_is_wrong(f->rule),
						 .addr = f->addr,
						 .function = f->function ? f->function : "",
						 .text = f->text };
	return give(ret, &made, sizeof made);
}

static bool finding_write(const struct heft_block_finding *f, const struct heft_write_opts *opts,
			  const struct heft_sink *sink, struct heft_err *err)
{
	struct heft_write_opts o = { 0 };
	struct sink s;
	if (!TAKE(heft_write_opts, &o, opts, err) || !list_has_format(o.format, HEFT_TABLE, err))
		return false;
	sink_start(&s, sink);
	out_finding(f, &o, &s);
	return sink_end(&s, err);
}

bool heft_block_finding_write(const struct heft_block_finding *f,
			      const struct heft_write_opts *opts, const struct heft_sink *sink,
			      struct heft_err *err)
{
	return GUARDED_BARE(err, finding_write(f, opts, sink, err));
}

static bool check_write(const struct heft_block_check *c, const struct heft_write_opts *opts,
			const struct heft_sink *sink, struct heft_err *err)
{
	struct heft_block_check known = { 0 };
	struct heft_write_opts o = { 0 };
	struct sink s;
	if (!TAKE(heft_write_opts, &o, opts, err))
		return false;
	if (!TAKE(heft_block_check, &known, c, err))
		return false;
	sink_start(&s, sink);
	out_check(&known, o.format, &s);
	return sink_end(&s, err);
}

bool heft_block_check_write(const struct heft_block_check *c, const struct heft_write_opts *opts,
			    const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED_BARE(err, check_write(c, opts, sink, err));
}
