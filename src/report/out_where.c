/* What is at an address, as text. */
#include "report/heap_report.h"
#include "report/label_text.h"
#include "report/record.h"

#include <stdio.h>

static const char unknown[] = "??";

/* Numbers that are not known are left out where people read. */
static void out_where_put_place(struct sink *s, const struct heft_frame *f, bool all)
{
	label_put(s, str_of(*f->file ? f->file : unknown), 0);
	if (!all && f->line == 0)
		return;
	sink_text(s, STR(":"));
	sink_decimal(s, f->line);
	if (!all && f->column == 0)
		return;
	sink_text(s, STR(":"));
	sink_decimal(s, f->column);
}

/* ---- for people ----------------------------------------------------------------------------- */

static void out_where_put_head(const struct heft_location *at, struct sink *s)
{
	if (at->member) {
		label_put(s, str_of(at->member), 0);
		sink_text(s, STR(": "));
	}
	sink_hex(s, at->addr);
	if (!at->section && !at->segment && !at->process)
		sink_text(s, STR(": nothing is there"));
	if (at->section) {
		sink_text(s, STR(" "));
		label_put(s, str_of(at->section), 0);
		sink_text(s, STR("+"));
		sink_hex(s, at->section_offset);
	}
	const char *glue = " (";
	if (at->segment) {
		sink_text(s, str_of(glue));
		sink_text(s, str_of(at->segment));
		glue = ", ";
	}
	if (at->in_file) {
		sink_text(s, str_of(glue));
		sink_text(s, STR("file offset "));
		sink_hex(s, at->file_offset);
		glue = ", ";
	}
	sink_text(s, *glue == ',' ? STR(")\n") : STR("\n"));
}

static void out_where_put_symbol(const struct heft_location *at, struct sink *s)
{
	sink_text(s, STR("  symbol  "));
	label_put(s, str_of(at->symbol), 0);
	if (at->symbol_offset > 0) {
		sink_text(s, STR("+"));
		sink_hex(s, at->symbol_offset);
	}
	sink_text(s, at->is_tls ? STR(" (each thread has one)\n") : STR("\n"));
}

static void out_where_put_block(const struct heft_block *b, struct sink *s)
{
	sink_text(s, STR("  block   #"));
	sink_decimal(s, b->id);
	sink_text(s, STR(" at "));
	sink_hex(s, b->addr);
	sink_text(s, STR(", "));
	sink_decimal(s, b->size);
	sink_text(s, b->size == 1 ? STR(" byte") : STR(" bytes"));
	if (b->flags)
		sink_text(s, STR(", "));
	block_flags_put(s, b->flags, ", ");
	sink_text(s, STR("\n"));
}

static void put_owner(const struct heft_owner *o, struct sink *s)
{
	sink_text(s, STR("  owner   "));
	label_put(s, str_of(o->label), 0);
	sink_text(s, STR(" ("));
	sink_text(s, str_of(o->source));
	sink_text(s, STR(": "));
	sink_text(s, str_of(o->why));
	sink_text(s, STR(", "));
	sink_decimal(s, o->size);
	sink_text(s, o->size == 1 ? STR(" byte at ") : STR(" bytes at "));
	sink_hex(s, o->start);
	sink_text(s, STR(")\n"));
}

static void put_declaration(const struct heft_location *at, struct sink *s)
{
	const struct heft_frame place = { .file = at->decl_file,
					  .line = at->decl_line,
					  .column = at->decl_column };
	sink_text(s, STR("  decl    "));
	out_where_put_place(s, &place, false);
	sink_text(s, STR("\n"));
}

static void out_where_text(const struct heft_location *at, struct sink *s)
{
	if (at->addr == HEFT_NO_ADDRESS) {
		sink_text(s, STR("??\n"));
		return;
	}
	out_where_put_head(at, s);
	if (at->symbol)
		out_where_put_symbol(at, s);
	for (size_t i = 0; i < at->owner_count; i++)
		put_owner(at->owners[i], s);
	if (at->block)
		out_where_put_block(at->block, s);
	if (at->unit) {
		sink_text(s, STR("  unit    "));
		label_put(s, str_of(at->unit), 0);
		sink_text(s, STR("\n"));
	}
	if (at->decl_file)
		put_declaration(at, s);
	for (size_t i = 0; i < at->frame_count; i++) {
		const struct heft_frame *f = at->frames[i];
		sink_text(s, STR("  #"));
		sink_decimal(s, i);
		sink_text(s, i < 10 ? STR("      ") : STR("     "));
		label_put(s, str_of(*f->function ? f->function : unknown), 0);
		sink_text(s, STR(" at "));
		out_where_put_place(s, f, false);
		sink_text(s, i + 1 < at->frame_count ? STR(" (inlined)\n") : STR("\n"));
	}
	if (at->process)
		heap_put_process(at->process, s);
}

/* ---- for programs --------------------------------------------------------------------------- */

static void put_terse(struct sink *s, const char *function, const struct heft_frame *f)
{
	label_put(s, str_of(*function ? function : unknown), 0);
	sink_text(s, STR("\n"));
	out_where_put_place(s, f, true);
	sink_text(s, STR("\n"));
}

static void out_terse(const struct heft_location *at, struct sink *s)
{
	const struct heft_frame nowhere = { .file = at->unit ? at->unit : "" };
	const char *symbol = at->symbol ? at->symbol : "";
	if (at->frame_count == 0)
		put_terse(s, symbol, &nowhere);
	for (size_t i = 0; i < at->frame_count; i++) {
		const struct heft_frame *f = at->frames[i];
		const bool last = i + 1 == at->frame_count;
		put_terse(s, last && *symbol ? symbol : f->function, f);
	}
	sink_text(s, STR("\n"));
}

static void out_where_member_text(struct json *j, const char *key, const char *text)
{
	if (text && *text)
		json_member_text(j, key, str_of(text));
}

static void out_where_json_frames(const struct heft_location *at, struct json *j)
{
	json_key(j, "frames");
	json_open(j, '[');
	for (size_t i = 0; i < at->frame_count; i++) {
		const struct heft_frame *f = at->frames[i];
		json_open(j, '{');
		out_where_member_text(j, "function", f->function);
		out_where_member_text(j, "linkage_name", f->linkage);
		out_where_member_text(j, "file", f->file);
		json_member_uint(j, "line", f->line);
		json_member_uint(j, "column", f->column);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void out_where_json_block(const struct heft_block *b, struct json *j)
{
	json_key(j, "block");
	json_open(j, '{');
	json_member_uint(j, "id", b->id);
	json_member_uint(j, "address", b->addr);
	json_member_uint(j, "size", b->size);
	block_flags_json(j, b->flags);
	json_close(j, '}');
}

static void json_owners(const struct heft_location *at, struct json *j)
{
	json_key(j, "owners");
	json_open(j, '{');
	for (size_t i = 0; i < at->owner_count; i++)
		json_member_text(j, at->owners[i]->source, str_of(at->owners[i]->label));
	json_close(j, '}');
	json_key(j, "claims");
	json_open(j, '{');
	for (size_t i = 0; i < at->owner_count; i++) {
		const struct heft_owner *o = at->owners[i];
		json_key(j, o->source);
		json_open(j, '{');
		json_member_uint(j, "address", o->start);
		json_member_uint(j, "size", o->size);
		json_member_text(j, "why", str_of(o->why));
		json_close(j, '}');
	}
	json_close(j, '}');
}

static void out_where_json(const struct heft_location *at, struct sink *s)
{
	struct json j = sink_json(s);
	json_open(&j, '{');
	if (at->addr != HEFT_NO_ADDRESS)
		json_member_uint(&j, "address", at->addr);
	out_where_member_text(&j, "member", at->member);
	out_where_member_text(&j, "segment", at->segment);
	out_where_member_text(&j, "section", at->section);
	if (at->section)
		json_member_uint(&j, "section_offset", at->section_offset);
	if (at->in_file)
		json_member_uint(&j, "file_offset", at->file_offset);
	out_where_member_text(&j, "symbol", at->symbol);
	if (at->symbol) {
		out_where_member_text(&j, "symbol_linkage_name", at->symbol_linkage);
		json_member_uint(&j, "symbol_offset", at->symbol_offset);
		json_member_uint(&j, "symbol_own", at->symbol_size);
		if (at->is_tls)
			json_member_bool(&j, "thread_local", true);
	}
	if (at->owner_count > 0)
		json_owners(at, &j);
	if (at->block)
		out_where_json_block(at->block, &j);
	out_where_member_text(&j, "unit", at->unit);
	if (at->decl_file) {
		json_key(&j, "declaration");
		json_open(&j, '{');
		json_member_text(&j, "file", str_of(at->decl_file));
		json_member_uint(&j, "line", at->decl_line);
		json_member_uint(&j, "column", at->decl_column);
		json_close(&j, '}');
	}
	out_where_json_frames(at, &j);
	if (at->process) {
		json_key(&j, "process");
		heap_json_place(&j, at->process);
	}
	json_close(&j, '}');
	sink_text(s, STR("\n"));
}

/* ---- lines of fields ------------------------------------------------------------------------ */

static const char *out_where_owner_of(const struct heft_location *at, const char *source)
{
	for (size_t i = 0; i < at->owner_count; i++)
		if (strcmp(at->owners[i]->source, source) == 0)
			return at->owners[i]->label;
	return NULL;
}

static void record_owners(struct record *r, const struct heft_location *at,
			  struct source_names sources)
{
	for (size_t i = 0; i < sources.count; i++) {
		char name[80];
		snprintf(name, sizeof name, "owner_%s", sources.names[i]);
		record_text(r, name, out_where_owner_of(at, sources.names[i]));
	}
}

static void record_place(struct record *r, const struct heft_location *at)
{
	record_addr(r, "address", at->addr, at->addr != HEFT_NO_ADDRESS);
	record_text(r, "segment", at->segment);
	record_text(r, "section", at->section);
	record_addr(r, "section_offset", at->section_offset, at->section != NULL);
	record_addr(r, "file_offset", at->file_offset, at->in_file);
	record_text(r, "module", at->process ? at->process->module : NULL);
	record_text(r, "symbol", at->symbol);
	record_text(r, "symbol_linkage_name", at->symbol_linkage);
	record_addr(r, "symbol_offset", at->symbol_offset, at->symbol != NULL);
	record_uint(r, "symbol_own", at->symbol_size, at->symbol != NULL);
	record_uint(r, "block", at->block ? at->block->id : 0, at->block != NULL);
	record_text(r, "unit", at->unit);
}

/* Frame `i`, or nothing of a location that has none. */
static void record_frame(struct record *r, const struct heft_location *at, size_t i)
{
	static const struct heft_frame nowhere = { .function = NULL };
	const bool known = i < at->frame_count;
	const struct heft_frame *f = known ? at->frames[i] : &nowhere;
	record_uint(r, "frame", i, known);
	record_text(r, "function", f->function);
	record_text(r, "function_linkage_name", f->linkage);
	record_text(r, "file", f->file);
	record_uint(r, "line", f->line, f->line > 0);
	record_uint(r, "column", f->column, f->column > 0);
}

/* A line a frame; one line where there is none. */
static void out_where_lines(const struct heft_location *at, const struct heft_write_opts *opts,
			    struct source_names sources, struct sink *s)
{
	static const struct heft_location nowhere = { .size = sizeof nowhere };
	const struct heft_location *shown = at ? at : &nowhere;
	struct record r;
	size_t i = 0;
	do {
		record_open(&r, s, opts, at == NULL);
		record_place(&r, shown);
		record_owners(&r, shown, sources);
		record_frame(&r, shown, i);
		record_close(&r);
	} while (++i < shown->frame_count);
}

void out_where(const struct heft_location *at, const struct heft_write_opts *opts,
	       struct source_names sources, struct sink *s)
{
	if (record_has(opts->format))
		out_where_lines(at, opts, sources, s);
	else if (at && opts->format == HEFT_JSON)
		out_where_json(at, s);
	else if (at && opts->format == HEFT_TERSE)
		out_terse(at, s);
	else if (at)
		out_where_text(at, s);
}
