/* Writes what is at an address, as text, JSON or lines of fields. */
#include "report/all_fields.h"
#include "report/heap_report.h"

#include <stdio.h>

static const char unknown[] = "??";

/* Writes a source position, without unknown numbers. */
static void where_put_place(struct sink *s, const char *file, uint32_t line, uint32_t column)
{
	label_printf(s, "%s", *file ? file : unknown);
	if (line > 0)
		label_printf(s, ":%" PRIu32, line);
	if (line > 0 && column > 0)
		label_printf(s, ":%" PRIu32, column);
}

static void where_put_head(const struct heft_location *at, struct sink *s)
{
	if (at->member)
		label_printf(s, "%s: ", at->member);
	sink_hex(s, at->addr);
	if (!at->section && !at->segment && !at->process)
		sink_text(s, STR(": nothing is there"));
	if (at->section)
		label_printf(s, " %s+0x%" PRIx64, at->section, at->section_offset);
	if (at->segment)
		label_printf(s, " (%s", at->segment);
	if (at->in_file)
		label_printf(s, "%sfile offset 0x%" PRIx64, at->segment ? ", " : " (",
			     at->file_offset);
	sink_text(s, at->segment || at->in_file ? STR(")\n") : STR("\n"));
}

static void where_text(const struct heft_location *at, struct sink *s)
{
	if (at->addr == HEFT_NO_ADDRESS) {
		sink_text(s, STR("??\n"));
		return;
	}
	where_put_head(at, s);
	if (at->symbol)
		label_printf(s, "  symbol  %s", at->symbol);
	if (at->symbol && at->symbol_offset > 0)
		label_printf(s, "+0x%" PRIx64, at->symbol_offset);
	if (at->symbol)
		sink_text(s, at->is_tls ? STR(" (each thread has one)\n") : STR("\n"));
	for (size_t i = 0; i < at->owner_count; i++) {
		const struct heft_owner *o = at->owners[i];
		label_printf(s, "  owner   %s (%s: %s, %" PRIu64 " byte%s at 0x%" PRIx64 ")\n",
			     o->label, o->source, o->why, o->size, o->size == 1 ? "" : "s",
			     o->start);
	}
	const struct heft_block *b = at->block;
	if (b) {
		label_printf(s, "  block   #%" PRIu32 " at 0x%" PRIx64 ", %" PRIu64 " byte%s%s",
			     b->id, b->addr, b->size, b->size == 1 ? "" : "s",
			     b->flags ? ", " : "");
		block_flags_put(s, b->flags, ", ");
		sink_text(s, STR("\n"));
	}
	if (at->unit)
		label_printf(s, "  unit    %s\n", at->unit);
	if (at->decl_file) {
		sink_text(s, STR("  decl    "));
		where_put_place(s, at->decl_file, at->decl_line, at->decl_column);
		sink_text(s, STR("\n"));
	}
	for (size_t i = 0; i < at->frame_count; i++) {
		const struct heft_frame *f = at->frames[i];
		label_printf(s, "  #%-7zu%s at ", i, *f->function ? f->function : unknown);
		where_put_place(s, f->file, f->line, f->column);
		sink_text(s, i + 1 < at->frame_count ? STR(" (inlined)\n") : STR("\n"));
	}
	if (at->process)
		heap_put_process(at->process, s);
}

static void where_put_terse(struct sink *s, const char *function, const struct heft_frame *f)
{
	label_printf(s, "%s\n", *function ? function : unknown);
	label_printf(s, "%s:%" PRIu32 ":%" PRIu32 "\n", *f->file ? f->file : unknown, f->line,
		     f->column);
}

static void where_terse(const struct heft_location *at, struct sink *s)
{
	const struct heft_frame nowhere = { .file = at->unit ? at->unit : "" };
	const char *symbol = at->symbol ? at->symbol : "";
	if (at->frame_count == 0)
		where_put_terse(s, symbol, &nowhere);
	for (size_t i = 0; i < at->frame_count; i++) {
		const struct heft_frame *f = at->frames[i];
		const bool last = i + 1 == at->frame_count;
		where_put_terse(s, last && *symbol ? symbol : f->function, f);
	}
	sink_text(s, STR("\n"));
}

#define FRAME(m) FIELD(struct heft_frame, m)
static const struct field frame_list[] = {
	{ KEY("function", "in the style of `-C`. Missing if there is none"), FRAME(function),
	  .flags = FIELD_CSV | FIELD_ANY },
	{ KEY("linkage_name", "as the linker sees it. Missing if there is none"), FRAME(linkage),
	  .flags = FIELD_CSV | FIELD_ANY, .column = "function_linkage_name" },
	{ KEY("file", "path of the source, absolute. Missing if there is none"), FRAME(file),
	  .flags = FIELD_CSV | FIELD_ANY },
	{ KEY("line", "0 if unknown; the column is then empty"), FRAME(line),
	  .flags = FIELD_CSV | FIELD_BLANK },
	{ KEY("column", "0 if unknown; the column is then empty"), FRAME(column),
	  .flags = FIELD_CSV | FIELD_BLANK },
	/* The next field is only for processes. */
	{ KEY("module", "path of the program or library. Missing if there is none"), FRAME(module),
	  .flags = FIELD_ANY },
	{ KEY("address", "address of a call, as the module's headers count"), FRAME(addr) },
	{ KEY("inlined", "it was inlined into the next frame. Missing if it is false"),
	  FRAME(inlined), .flags = FIELD_ANY },
};
#undef FRAME
const struct fields frame_fields = { "frame", frame_list, 5 };
const struct fields heap_frame_fields = FIELDS("heap frame", frame_list);

static void where_put_owners(const struct field_at *at, struct json *j)
{
	const struct heft_location *l = at->of;
	json_open(j, '{');
	for (size_t i = 0; i < l->owner_count; i++)
		json_member_text(j, l->owners[i]->source, str_of(l->owners[i]->label));
	json_close(j, '}');
}

#define OWNER(m) FIELD(struct heft_owner, m)
static const struct field claim_list[] = {
	{ KEY("address", "start of the claim"), OWNER(start) },
	{ KEY("size", "bytes of the claim; others may have claimed some of them before"),
	  OWNER(size) },
	{ KEY("why", "what made the claim, in words"), OWNER(why) },
};
#undef OWNER
const struct fields claim_fields = FIELDS("claim", claim_list);

static void where_put_claims(const struct field_at *at, struct json *j)
{
	const struct heft_location *l = at->of;
	json_open(j, '{');
	for (size_t i = 0; i < l->owner_count; i++) {
		json_key(j, l->owners[i]->source);
		fields_object(j, &claim_fields, l->owners[i], l);
	}
	json_close(j, '}');
}

static struct str where_module(struct field_at *at)
{
	const struct heft_location *l = at->of;
	return str_of(l->process ? l->process->module : "");
}

/* Returns the number of the block, by its index in the location. */
static struct str where_block(struct field_at *at)
{
	const struct heft_location *l = at->of;
	snprintf(at->room, FIELD_ROOM, "%" PRIu32, l->block->id);
	return str_of(at->room);
}

#define AT(m)    FIELD(struct heft_location, m)
#define AT_IF(m) FIELD_IF(struct heft_location, m)
static const struct field declaration_list[] = {
	{ KEY("file", "path of the source"), AT(decl_file) },
	{ KEY("line", "0 if unknown"), AT(decl_line) },
	{ KEY("column", "0 if unknown"), AT(decl_column) },
};
const struct fields declaration_fields = FIELDS("declaration", declaration_list);

static const struct field location_list[] = {
	{ KEY("address", "VM address. Missing if the question was no address"), AT(addr),
	  .flags = FIELD_CSV | FIELD_ADDRESS },
	{ KEY("member",
	      "member of an archive that has the name. Missing if the file is no archive"),
	  AT(member), .flags = FIELD_ANY },
	{ KEY("segment", "name of the segment: `LOAD #2 [RX]`. Missing if no segment is there"),
	  AT(segment), .flags = FIELD_CSV | FIELD_ANY },
	{ KEY("section", "name of the section. Missing if no section is there"), AT(section),
	  .flags = FIELD_CSV | FIELD_ANY },
	{ KEY("section_offset",
	      "bytes from the start of the section. Missing if no section is there"),
	  AT(section_offset), .flags = FIELD_CSV | FIELD_ADDRESS, AT_IF(section) },
	{ KEY("file_offset",
	      "offset of the byte in the file. Missing if the byte is not in the file"),
	  AT(file_offset), .flags = FIELD_CSV | FIELD_ADDRESS, AT_IF(in_file) },
	{ KEY("module", "path of the program or library, of an address in a dump"),
	  .kind = FIELD_TEXT, .get = where_module, .flags = FIELD_ONLY_CSV },
	{ KEY("symbol", "in the style of `-C`. Missing if no symbol is there"), AT(symbol),
	  .flags = FIELD_CSV | FIELD_ANY },
	{ KEY("symbol_linkage_name", "as the linker sees it. Missing if no symbol is there"),
	  AT(symbol_linkage), .flags = FIELD_CSV | FIELD_ANY },
	{ KEY("symbol_offset", "bytes from the start of the symbol. Missing if no symbol is there"),
	  AT(symbol_offset), .flags = FIELD_CSV | FIELD_ADDRESS, AT_IF(symbol) },
	{ KEY("symbol_own",
	      "own bytes of the symbol; 0 if it states none. Missing if no symbol is there"),
	  AT(symbol_size), .flags = FIELD_CSV, AT_IF(symbol) },
	{ KEY("thread_local", "true: each thread has a copy of the symbol. Missing if it is false"),
	  AT(is_tls), .flags = FIELD_ANY },
	{ KEY("owners", "for each data source of `-d` the label that `heft size -d` charges the "
			"byte to. Missing if there is no `-d`"),
	  .kind = FIELD_PUT, .put = where_put_owners, .type = "object", AT_IF(owner_count) },
	{ KEY("claims", "for each data source of `-d` the claim that made it so. Missing if there "
			"is no `-d`"),
	  .kind = FIELD_PUT, .put = where_put_claims, .type = "object of claims",
	  AT_IF(owner_count) },
	{ KEY("block", "the machine basic block: `id`, `address`, `size`, `flags` of a block. "
		       "Missing if there is none"),
	  AT(block), .of = &block_place_fields },
	{ KEY("block", "number of the block"), .kind = FIELD_NUMBER, .get = where_block,
	  .flags = FIELD_ONLY_CSV, AT_IF(block) },
	{ KEY("unit", "compile unit; without DWARF of a local symbol, the source file that its "
		      "table names. Missing if there is none"),
	  AT(unit), .flags = FIELD_CSV | FIELD_ANY },
	{ KEY("declaration", "where a variable is declared. Missing if no debug info says it"),
	  .kind = FIELD_PART, .of = &declaration_fields, AT_IF(decl_file) },
	{ KEY("frames", "innermost first; each but the last was inlined into the next"),
	  FIELD_LIST(FIELD_OBJECTS, struct heft_location, frames, frame_count),
	  .of = &frame_fields },
	{ KEY("process", "what the process has there; section, symbol, unit and frames are then "
			 "its module's. Missing if there is none"),
	  AT(process), .of = &place_fields },
};
#undef AT
#undef AT_IF
const struct fields location_fields = FIELDS("location", location_list);

static struct str where_frame_number(struct field_at *at)
{
	snprintf(at->room, FIELD_ROOM, "%zu", *(const size_t *)at->in);
	return str_of(at->room);
}

static const struct field frame_number_list[] = {
	{ KEY("frame", "its place in `frames`"), .kind = FIELD_NUMBER, .get = where_frame_number,
	  .flags = FIELD_ONLY_CSV },
};
static const struct fields frame_number_fields = FIELDS("number of a frame", frame_number_list);

/* Writes a line per frame, or one line without frames. */
static void where_lines(const struct heft_location *at, const struct heft_write_opts *opts,
			struct source_names sources, struct sink *s)
{
	const size_t count = at != NULL && at->frame_count > 0 ? at->frame_count : 1;
	for (size_t i = 0; i < count; i++) {
		const void *frame = at != NULL && i < at->frame_count ? at->frames[i] : NULL;
		struct record r;
		record_open(&r, s, opts, at == NULL);
		record_fields(&r, &location_fields, at, NULL);
		for (size_t k = 0; k < sources.count; k++) {
			char name[80];
			const char *label = NULL;
			for (size_t n = 0; at != NULL && n < at->owner_count && !label; n++)
				if (strcmp(at->owners[n]->source, sources.names[k]) == 0)
					label = at->owners[n]->label;
			snprintf(name, sizeof name, "owner_%s", sources.names[k]);
			record_text(&r, name, label);
		}
		record_fields(&r, &frame_number_fields, frame, &i);
		record_fields(&r, &frame_fields, frame, at);
		record_close(&r);
	}
}

void out_where(const struct heft_location *at, const struct heft_write_opts *opts,
	       struct source_names sources, struct sink *s)
{
	ASSERT(at == NULL || at->frame_count == 0 || at->frames != NULL);
	if (record_has(opts->format))
		where_lines(at, opts, sources, s);
	else if (at && opts->format == HEFT_JSON)
		fields_line(s, &location_fields, at);
	else if (at && opts->format == HEFT_TERSE)
		where_terse(at, s);
	else if (at)
		where_text(at, s);
}
