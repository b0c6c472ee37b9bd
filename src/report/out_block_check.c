/* What a check of block maps found. */
#include "report/label_text.h"
#include "report/record.h"

/* ---- findings -------------------------------------------------------------------------------- */

static void out_block_check_line(const struct heft_block_finding *f,
				 const struct heft_write_opts *opts, struct sink *s)
{
	struct record r;
	record_open(&r, s, opts, f == NULL);
	record_text(&r, "id", f ? f->id : NULL);
	record_text(&r, "verdict", f && f->wrong ? "wrong" : "odd");
	record_addr(&r, "address", f ? f->addr : 0, f != NULL);
	record_text(&r, "function", f ? f->function : NULL);
	record_text(&r, "text", f ? f->text : NULL);
	record_close(&r);
}

static void out_finding_json(const struct heft_block_finding *f, struct sink *s)
{
	struct json j = sink_json(s);
	json_open(&j, '{');
	json_member_text(&j, "id", str_of(f->id));
	json_member_bool(&j, "wrong", f->wrong);
	json_member_uint(&j, "address", f->addr);
	json_member_text(&j, "function", str_of(f->function));
	json_member_text(&j, "text", str_of(f->text));
	json_close(&j, '}');
	sink_text(s, STR("\n"));
}

static void out_block_check_text(const struct heft_block_finding *f, struct sink *s)
{
	sink_printf(s, "%s %s 0x%" PRIx64, f->id, f->wrong ? "wrong" : "odd", f->addr);
	if (*f->function) {
		sink_text(s, STR(" "));
		label_put(s, str_of(f->function), 0);
	}
	sink_printf(s, ": %s\n", f->text);
}

void out_finding(const struct heft_block_finding *f, const struct heft_write_opts *opts,
		 struct sink *s)
{
	if (record_has(opts->format))
		out_block_check_line(f, opts, s);
	else if (f && opts->format == HEFT_JSON)
		out_finding_json(f, s);
	else if (f)
		out_block_check_text(f, s);
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void out_check_json(const struct heft_block_check *c, struct sink *s)
{
	struct json j = sink_json(s);
	json_open(&j, '{');
	json_member_uint(&j, "functions", c->functions);
	json_member_uint(&j, "blocks", c->blocks);
	json_member_uint(&j, "decoded", c->decoded);
	json_member_uint(&j, "known_functions", c->known);
	json_member_uint(&j, "mapped_functions", c->mapped);
	json_member_uint(&j, "wrong", c->wrong);
	json_member_uint(&j, "odd", c->odd);
	json_close(&j, '}');
	sink_text(s, STR("\n"));
}

void out_check(const struct heft_block_check *c, enum heft_format format, struct sink *s)
{
	if (format == HEFT_JSON)
		out_check_json(c, s);
	if (format != HEFT_TABLE)
		return;
	sink_printf(s,
		    "%" PRIu64 " functions, %" PRIu64 " blocks, %" PRIu64
		    " of them decoded; %" PRIu64 " of %" PRIu64 " known functions mapped; %" PRIu64
		    " wrong, %" PRIu64 " odd\n",
		    c->functions, c->blocks, c->decoded, c->mapped, c->known, c->wrong, c->odd);
}
