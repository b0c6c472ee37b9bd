/* Works on maps of basic blocks: writes them into copies, checks them against the code. */
#include "api/blocks_handle.h"
#include "api/structs.h"

#include "blocks/block_emit.h"
#include "report/report.h"

static bool need_map(const struct heft_blocks *b, struct heft_err *err)
{
	return blocks_serve(b, USE_BLOCK_MAP, err) &&
	       (blocks_map(b) || fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
				      "a map is of one program: name a slice with --arch"));
}

static bool block_tools_emit(struct heft_blocks *b, unsigned version, unsigned flags,
			     const struct heft_sink *sink, struct heft_err *err)
{
	const struct blockmap_copy copy = { version, flags & HEFT_EMIT_REPLACE, blocks_debug(b) };
	return need_map(b, err) && blockmap_emit(blocks_map(b), &copy, sink, blocks_notes(b), err);
}

bool heft_blocks_emit(struct heft_blocks *b, unsigned version, unsigned flags,
		      const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED(blocks_memory(b), err, block_tools_emit(b, version, flags, sink, err));
}

static bool block_tools_check(struct heft_blocks *b, struct heft_block_check *ret,
			      struct heft_err *err)
{
	const struct blockmap *map = blocks_map(b);
	struct block_check *c = blocks_check(b);
	if (!need_map(b, err))
		return false;
	if (map->sections.count == 0)
		return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET, "%s: has no basic-block map",
			    map->image->path);
	block_check_release(c);
	blockmap_check(map, blocks_debug(b), c);
	struct heft_block_check made = { .functions = map->functions.count,
					 .blocks = map->blocks.count,
					 .decoded = c->decoded,
					 .known = c->known,
					 .mapped = c->mapped };
	for (size_t i = 0; i < c->findings.count; i++) {
		const bool wrong = check_is_wrong(c->findings.data[i].rule);
		made.wrong += wrong;
		made.odd += !wrong;
	}
	give(ret, &made, sizeof made);
	return true;
}

bool heft_blocks_check(struct heft_blocks *b, struct heft_block_check *ret, struct heft_err *err)
{
	if (!STATED(heft_block_check, ret, err))
		return false;
	return GUARDED(blocks_memory(b), err, block_tools_check(b, ret, err));
}

size_t heft_blocks_finding_count(const struct heft_blocks *b)
{
	return blocks_checked(b)->findings.count;
}

bool heft_blocks_finding(const struct heft_blocks *b, size_t i, struct heft_block_finding *ret,
			 struct heft_err *err)
{
	if (!STATED(heft_block_finding, ret, err))
		return false;
	const struct block_check *c = blocks_checked(b);
	if (i >= c->findings.count)
		return absent(err);
	const struct check_finding *f = &c->findings.data[i];
	const struct heft_block_finding made = { .id = check_id(f->rule),
						 .wrong = check_is_wrong(f->rule),
						 .addr = f->addr,
						 .function = f->function ? f->function : "",
						 .text = f->text };
	give(ret, &made, sizeof made);
	return true;
}

static bool finding_write(const struct heft_block_finding *f, const struct heft_write_opts *opts,
			  const struct heft_sink *sink, struct heft_err *err)
{
	struct heft_write_opts o = { 0 };
	struct sink s;
	if (!TAKE(heft_write_opts, &o, opts, err))
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
