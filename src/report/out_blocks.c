/* Functions with their basic blocks, as text. */
#include "report/label_text.h"
#include "base/number.h"
#include "report/record.h"

#include <stdio.h>

static const struct {
	unsigned flag;
	const char *name;
} flag_names[] = {
	{ HEFT_BLOCK_RETURN, "return" },
	{ HEFT_BLOCK_TAIL_CALL, "tail-call" },
	{ HEFT_BLOCK_LANDING_PAD, "landing-pad" },
	{ HEFT_BLOCK_FALL_THROUGH, "fall-through" },
	{ HEFT_BLOCK_INDIRECT_JUMP, "indirect-jump" },
};

void block_flags_put(struct sink *s, unsigned flags, const char *glue)
{
	const char *between = "";
	for (size_t i = 0; i < COUNT_OF(flag_names); i++) {
		if (!(flags & flag_names[i].flag))
			continue;
		sink_text(s, str_of(between));
		sink_text(s, str_of(flag_names[i].name));
		between = glue;
	}
}

/* ---- for people ------------------------------------------------------------------------------ */

static void put_plural(struct sink *s, uint64_t count, const char *noun)
{
	sink_printf(s, ", %" PRIu64 " %s%s", count, noun, count == 1 ? "" : "s");
}

void out_block_head(const struct heft_block_function *f, struct sink *s)
{
	uint64_t size = 0;
	for (size_t i = 0; i < f->block_count; i++)
		size += f->blocks[i]->size;
	if (*f->member) {
		label_put(s, str_of(f->member), 0);
		sink_text(s, STR(": "));
	}
	label_put(s, str_of(f->name), 0);
	sink_printf(s, " at 0x%" PRIx64 " ", f->addr);
	label_put(s, str_of(f->section), 0);
	sink_printf(s, "+0x%" PRIx64, f->section_offset);
	put_plural(s, f->block_count, "block");
	put_plural(s, size, "byte");
	if (f->range_count > 1)
		sink_printf(s, " in %zu parts", f->range_count);
	if (f->has_entry_count)
		sink_printf(s, ", entered %" PRIu64 " times", f->entry_count);
	sink_text(s, f->omitted ? STR(" (the map omits its blocks)\n") : STR("\n"));
}

/* "0.875": how often the block runs each time the function is entered.  The compiler's unit differs
 * from function to function; only the ratio to the first block says something.  False if there is
 * no ratio. */
static bool runs_per_entry(char out[NUMBER_MAX], const struct heft_block_function *f,
			   const struct heft_block *b)
{
	const uint64_t entry = f->block_count > 0 ? f->blocks[0]->frequency : 0;
	if (!b->has_frequency || entry == 0)
		return false;
	const double runs = (double)b->frequency / (double)entry;
	/* Beyond 2^53 thousandths a double has no thousandths. */
	const uint64_t thousandths = (uint64_t)(runs < 9e12 ? runs * 1000 + 0.5 : 9e15);
	snprintf(out, NUMBER_MAX, "%" PRIu64 ".%03u", thousandths / 1000,
		 (unsigned)(thousandths % 1000));
	return true;
}

/* Where control goes from the block and how likely: "to 1 87.5%, 4 12.5%". */
static void out_blocks_put_successors(const struct heft_block *b, struct sink *s)
{
	enum { CERTAIN = 31 }; /* a probability of 1 is 2^31 */
	for (size_t i = 0; i < b->successor_count; i++) {
		char share[NUMBER_MAX];
		number_percent(share, b->successors[i].probability, UINT64_C(1) << CERTAIN);
		sink_printf(s, "%s %" PRIu32 " %s", i == 0 ? "  to" : ",", b->successors[i].id,
			    share);
	}
}

void out_block(const struct heft_block_function *f, const struct heft_block *b,
	       const struct heft_block_count *count, struct sink *s)
{
	char runs[NUMBER_MAX];
	sink_printf(s, "  %6" PRIu32 "  0x%08" PRIx64 " %8" PRIu64, b->id, b->addr, b->size);
	if (runs_per_entry(runs, f, b))
		sink_printf(s, "  runs %s times per entry", runs);
	if (b->flags)
		sink_text(s, STR("  "));
	block_flags_put(s, b->flags, ", ");
	out_blocks_put_successors(b, s);
	if (count)
		sink_printf(s, "  ran %" PRIu64, count->count);
	sink_text(s, STR("\n"));
}

void out_insn(uint64_t addr, struct bytes bytes, const char *name, const char *operands,
	      const char *target, struct sink *s)
{
	enum { BYTES_SHOWN = 8 }; /* in a column of their own */
	sink_printf(s, "          0x%08" PRIx64 "  ", addr);
	for (size_t i = 0; i < bytes.size; i++)
		sink_printf(s, "%02x ", bytes.p[i]);
	for (size_t i = bytes.size; bytes.size > 0 && i < BYTES_SHOWN; i++)
		sink_text(s, STR("   "));
	sink_printf(s, *operands ? " %-7s %s" : " %s", name, operands);
	sink_printf(s, target ? " <%s>\n" : "\n", target);
}

static void out_blocks_text(const struct heft_block_function *f, struct sink *s)
{
	out_block_head(f, s);
	for (size_t i = 0; i < f->block_count; i++)
		out_block(f, f->blocks[i], NULL, s);
}

/* ---- for programs ---------------------------------------------------------------------------- */

/* "return landing-pad" */
static const char *out_blocks_flags_text(char *room, size_t size, unsigned flags)
{
	size_t used = 0;
	room[0] = '\0';
	for (size_t i = 0; i < COUNT_OF(flag_names) && used < size; i++)
		if (flags & flag_names[i].flag)
			used += (size_t)snprintf(room + used, size - used, "%s%s",
						 used > 0 ? " " : "", flag_names[i].name);
	return room;
}

static void out_blocks_line(const struct heft_block_function *f, const struct heft_block *b,
			    const struct heft_write_opts *opts, struct sink *s)
{
	char flags[100];
	struct record r;
	record_open(&r, s, opts, f == NULL);
	record_text(&r, "member", f ? f->member : NULL);
	record_text(&r, "function", f ? f->name : NULL);
	record_text(&r, "linkage_name", f ? f->linkage : NULL);
	record_text(&r, "section", f ? f->section : NULL);
	record_addr(&r, "function_address", f ? f->addr : 0, f != NULL);
	record_uint(&r, "block", b ? b->id : 0, b != NULL);
	record_addr(&r, "address", b ? b->addr : 0, b != NULL);
	record_uint(&r, "size", b ? b->size : 0, b != NULL);
	record_text(&r, "flags", out_blocks_flags_text(flags, sizeof flags, b ? b->flags : 0));
	char runs[NUMBER_MAX];
	record_text(&r, "runs_per_entry", f && runs_per_entry(runs, f, b) ? runs : "");
	record_close(&r);
}

/* A line a block. */
static void out_blocks_lines(const struct heft_block_function *f,
			     const struct heft_write_opts *opts, struct sink *s)
{
	if (!f)
		out_blocks_line(NULL, NULL, opts, s);
	for (size_t i = 0; f && i < f->block_count; i++)
		out_blocks_line(f, f->blocks[i], opts, s);
}

void block_flags_json(struct json *j, unsigned flags)
{
	json_key(j, "flags");
	json_open(j, '[');
	for (size_t i = 0; i < COUNT_OF(flag_names); i++)
		if (flags & flag_names[i].flag)
			json_text(j, str_of(flag_names[i].name));
	json_close(j, ']');
}

static void json_calls(struct json *j, const struct heft_block *b)
{
	json_key(j, "calls");
	json_open(j, '[');
	for (size_t i = 0; i < b->call_count; i++)
		json_uint(j, b->calls[i]);
	json_close(j, ']');
}

static void json_successors(struct json *j, const struct heft_block *b)
{
	json_key(j, "successors");
	json_open(j, '[');
	for (size_t i = 0; i < b->successor_count; i++) {
		const struct heft_block_successor *s = &b->successors[i];
		json_open(j, '{');
		json_member_uint(j, "id", s->id);
		json_member_uint(j, "probability", s->probability);
		if (s->frequency)
			json_member_uint(j, "frequency", s->frequency);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_hash(struct json *j, uint64_t hash)
{
	char text[17];
	snprintf(text, sizeof text, "%016" PRIx64, hash);
	json_member_text(j, "hash", str_of(text));
}

static void out_blocks_json_block(struct json *j, const struct heft_block_function *f,
				  const struct heft_block *b)
{
	char runs[NUMBER_MAX];
	json_open(j, '{');
	json_member_uint(j, "id", b->id);
	json_member_uint(j, "address", b->addr);
	json_member_uint(j, "size", b->size);
	block_flags_json(j, b->flags);
	if (b->call_count > 0)
		json_calls(j, b);
	if (b->has_hash)
		json_hash(j, b->hash);
	if (b->has_frequency)
		json_member_uint(j, "frequency", b->frequency);
	if (runs_per_entry(runs, f, b)) {
		json_key(j, "runs_per_entry");
		json_raw(j, str_of(runs));
	}
	if (b->post_link_frequency)
		json_member_uint(j, "post_link_frequency", b->post_link_frequency);
	if (b->successor_count > 0)
		json_successors(j, b);
	json_close(j, '}');
}

static void out_blocks_json(const struct heft_block_function *f, struct sink *s)
{
	struct json j = sink_json(s);
	json_open(&j, '{');
	if (*f->member)
		json_member_text(&j, "member", str_of(f->member));
	json_member_text(&j, "function", str_of(f->name));
	if (*f->linkage)
		json_member_text(&j, "linkage_name", str_of(f->linkage));
	json_member_uint(&j, "address", f->addr);
	json_member_text(&j, "section", str_of(f->section));
	json_member_uint(&j, "section_offset", f->section_offset);
	json_member_text(&j, "origin", str_of(f->origin));
	json_member_uint(&j, "version", f->version);
	json_member_uint(&j, "parts", f->range_count);
	if (f->has_entry_count)
		json_member_uint(&j, "entry_count", f->entry_count);
	if (f->omitted)
		json_member_bool(&j, "omitted", true);
	json_key(&j, "blocks");
	json_open(&j, '[');
	for (size_t i = 0; i < f->block_count; i++)
		out_blocks_json_block(&j, f, f->blocks[i]);
	json_close(&j, ']');
	json_close(&j, '}');
	sink_text(s, STR("\n"));
}

void out_blocks(const struct heft_block_function *f, const struct heft_write_opts *opts,
		struct sink *s)
{
	if (record_has(opts->format))
		out_blocks_lines(f, opts, s);
	else if (opts->format == HEFT_JSON && f)
		out_blocks_json(f, s);
	else if (opts->format != HEFT_JSON && f)
		out_blocks_text(f, s);
	else if (opts->format != HEFT_JSON)
		sink_printf(s, "  %6s  %-10s %8s  flags\n", "block", "address", "bytes");
}
