#include "report/report.h"
#include "report/row_walk.h"

/* Counts up when a member goes away or changes its meaning; see docs/json.md. */
enum { SCHEMA_VERSION = 1 };

static void put_sources(struct json *j, const struct report *r)
{
	json_key(j, "sources");
	json_open(j, '[');
	for (size_t i = 0; i < r->source_count; i++)
		json_text(j, str_of(r->source_names[i]));
	json_close(j, ']');
}

static void put_file(struct json *j, const struct heft_file_info *file)
{
	json_line(j);
	json_open(j, '{');
	json_member_text(j, "path", str_of(file->path));
	json_member_text(j, "role", file->role == HEFT_BASE ? STR("base") : STR("input"));
	json_member_text(j, "format", str_of(file->format));
	json_member_text(j, "build_id", str_of(file->build_id));
	json_member_text(j, "debug_path", str_of(file->debug_path));
	json_member_uint(j, "size", file->size);
	json_member_uint(j, "vm_size", file->vm_size);
	json_close(j, '}');
}

static void put_note(struct json *j, const struct heft_note *note)
{
	json_line(j);
	json_open(j, '{');
	json_member_text(j, "path", str_of(note->path));
	json_member_text(j, "text", str_of(note->text));
	json_key(j, "offset");
	if (note->offset == HEFT_NO_OFFSET)
		json_null(j);
	else
		json_uint(j, note->offset);
	json_member_uint(j, "count", note->count);
	json_member_uint(j, "bytes", note->bytes);
	json_close(j, '}');
}

static void put_head(struct json *j, const struct report *r)
{
	json_member_uint(j, "schema_version", SCHEMA_VERSION);
	json_member_text(j, "heft", str_of(r->version));
	json_member_bool(j, "diff", r->diff);
	put_sources(j, r);
	json_line(j);
	json_key(j, "files");
	json_open(j, '[');
	for (size_t i = 0; i < r->file_count; i++)
		put_file(j, &r->files[i]);
	json_close(j, ']');
	json_line(j);
	json_key(j, "notes");
	json_open(j, '[');
	for (size_t i = 0; i < r->note_count; i++)
		put_note(j, &r->notes[i]);
	json_close(j, ']');
	json_line(j);
	json_member_bool(j, "filtered", r->filtered);
	if (!r->filtered)
		return;
	json_key(j, "omitted");
	json_open(j, '{');
	json_member_uint(j, "file", r->omitted.file);
	json_member_uint(j, "vm", r->omitted.vm);
	json_close(j, '}');
}

/* Leaves the array of children open. */
static void open_row(struct json *j, const struct report *r, const struct heft_row *row)
{
	json_open(j, '{');
	json_member_text(j, "label", str_of(row->label));
	json_member_uint(j, "file", row->now.file);
	json_member_uint(j, "vm", row->now.vm);
	if (r->opts.count)
		json_member_uint(j, "count", row->now.count);
	if (r->diff) {
		json_member_uint(j, "base_file", row->base.file);
		json_member_uint(j, "base_vm", row->base.vm);
	}
	if (r->diff && r->opts.count)
		json_member_uint(j, "base_count", row->base.count);
	if (row->others)
		json_member_uint(j, "others", row->others_count);
	if (row->alias_count > 0) {
		json_key(j, "aliases");
		json_open(j, '[');
		for (size_t i = 0; i < row->alias_count; i++)
			json_text(j, str_of(row->aliases[i]));
		json_close(j, ']');
	}
	json_key(j, "children");
	json_open(j, '[');
}

static void close_rows(struct json *j, size_t count)
{
	for (; count > 0; count--) {
		json_close(j, ']');
		json_close(j, '}');
	}
}

static void put_rows(struct json *j, const struct report *r, const struct sink *s)
{
	struct row_walk walk;
	size_t open = 1; /* rows whose children are open, the top included */
	json_line(j);
	json_key(j, "total");
	open_row(j, r, r->top);
	row_walk_init(&walk, r->top);
	for (const struct heft_row *row; !s->failed && (row = row_next(&walk)) != NULL;) {
		const size_t depth = walk.levels.count - 1;
		close_rows(j, open - depth);
		json_line(j);
		open_row(j, r, row);
		open = depth + 1;
	}
	row_walk_release(&walk);
	close_rows(j, open);
}

void out_json(const struct report *r, struct sink *s)
{
	struct json j = sink_json(s);
	json_open(&j, '{');
	put_head(&j, r);
	put_rows(&j, r, s);
	json_line(&j);
	json_close(&j, '}');
	sink_text(s, STR("\n"));
}
