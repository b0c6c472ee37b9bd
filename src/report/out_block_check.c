/* Writes the errors that a check of block maps found. */
#include "report/all_fields.h"

static const char *const verdicts[] = { "odd", "wrong" };

#define FINDING(m) FIELD(struct heft_block_finding, m)
static const struct field finding_list[] = {
	{ KEY("id", "`BB01` ..., see heft(1)"), FINDING(id), .flags = FIELD_CSV },
	{ KEY("wrong", "the map does not describe the code; false: it is odd"), FINDING(wrong) },
	{ KEY("verdict", "the same in a word"),
	  FIELD_AS(FIELD_WORD, struct heft_block_finding, wrong), .flags = FIELD_ONLY_CSV,
	  FIELD_WORDS(verdicts) },
	{ KEY("address", "VM address"), FINDING(addr), .flags = FIELD_CSV | FIELD_ADDRESS },
	{ KEY("function", "its linkage name; empty if unknown"), FINDING(function),
	  .flags = FIELD_CSV },
	{ KEY("text", "what is wrong, in words"), FINDING(text), .flags = FIELD_CSV },
};
#undef FINDING
const struct fields finding_fields = FIELDS("finding", finding_list);

void out_finding(const struct heft_block_finding *f, const struct heft_write_opts *opts,
		 struct sink *s)
{
	struct record r;
	if (record_has(opts->format)) {
		record_open(&r, s, opts, f == NULL);
		record_fields(&r, &finding_fields, f, NULL);
		record_close(&r);
	} else if (f && opts->format == HEFT_JSON) {
		fields_line(s, &finding_fields, f);
	} else if (f) {
		label_printf(s, "%s %s 0x%" PRIx64 "%s%s: %s\n", f->id, verdicts[f->wrong], f->addr,
			     *f->function ? " " : "", f->function, f->text);
	}
}

#define CHECK(m) FIELD(struct heft_block_check, m)
static const struct field check_list[] = {
	{ KEY("functions", "functions of the map"), CHECK(functions) },
	{ KEY("blocks", "blocks of the map"), CHECK(blocks) },
	{ KEY("decoded", "blocks whose instructions were looked at"), CHECK(decoded) },
	{ KEY("known_functions", "functions that symbols and unwind tables know"), CHECK(known) },
	{ KEY("mapped_functions", "known functions that are in the map"), CHECK(mapped) },
	{ KEY("wrong", "findings of what is wrong"), CHECK(wrong) },
	{ KEY("odd", "findings of what is odd"), CHECK(odd) },
};
#undef CHECK
const struct fields block_check_fields = FIELDS("sum of a check", check_list);

void out_check(const struct heft_block_check *c, enum heft_format format, struct sink *s)
{
	if (format == HEFT_JSON)
		fields_line(s, &block_check_fields, c);
	if (format != HEFT_TABLE)
		return;
	sink_printf(s,
		    "%" PRIu64 " functions, %" PRIu64 " blocks, %" PRIu64
		    " of them decoded; %" PRIu64 " of %" PRIu64 " known functions mapped; %" PRIu64
		    " wrong, %" PRIu64 " odd\n",
		    c->functions, c->blocks, c->decoded, c->mapped, c->known, c->wrong, c->odd);
}
