#include "report/record.h"

#include "report/markdown.h"

enum { FIELDS_MAX = 64 };

bool record_has(enum heft_format format)
{
	return format == HEFT_CSV || format == HEFT_TSV || format == HEFT_MARKDOWN;
}

void record_open(struct record *r, struct sink *s, const struct heft_write_opts *opts, bool names)
{
	*r = (struct record){
		.s = s, .format = opts->format, .safe = opts->csv_safe, .names = names
	};
	if (r->format == HEFT_MARKDOWN)
		sink_text(s, STR("|"));
}

static void start_field(struct record *r, bool number)
{
	if (r->format == HEFT_MARKDOWN)
		sink_text(r->s, STR(" "));
	else if (r->fields > 0)
		sink_text(r->s, r->format == HEFT_CSV ? STR(",") : STR("\t"));
	if (number && r->fields < FIELDS_MAX)
		r->numbers |= UINT64_C(1) << r->fields;
	r->fields++;
}

static void end_field(struct record *r)
{
	sink_text(r->s, r->format == HEFT_MARKDOWN ? STR(" |") : STR(""));
}

void record_text(struct record *r, const char *name, const char *value)
{
	const char *text = r->names ? name : value ? value : "";
	start_field(r, false);
	if (r->format != HEFT_MARKDOWN)
		field_put(r->s, text, r->format == HEFT_CSV ? ',' : '\t', r->safe);
	else if (r->names)
		sink_text(r->s, str_of(text));
	else if (*text)
		markdown_code(r->s, text, SIZE_MAX);
	end_field(r);
}

static void record_put_number(struct record *r, const char *name, uint64_t value, bool known,
			      bool addr)
{
	start_field(r, true);
	if (r->names)
		sink_text(r->s, str_of(name));
	else if (known && addr && r->format == HEFT_MARKDOWN)
		sink_hex(r->s, value);
	else if (known)
		sink_decimal(r->s, value);
	end_field(r);
}

void record_uint(struct record *r, const char *name, uint64_t value, bool known)
{
	record_put_number(r, name, value, known, false);
}

void record_addr(struct record *r, const char *name, uint64_t value, bool known)
{
	record_put_number(r, name, value, known, true);
}

void record_close(struct record *r)
{
	sink_text(r->s, STR("\n"));
	if (!r->names || r->format != HEFT_MARKDOWN)
		return;
	sink_text(r->s, STR("|"));
	for (unsigned i = 0; i < r->fields; i++)
		sink_text(r->s, r->numbers >> (i % FIELDS_MAX) & 1 ? STR("--:|") : STR("---|"));
	sink_text(r->s, STR("\n"));
}
