/* Writes declared fields of structs as JSON, as lines of csv, tsv and markdown, and as
 * documentation. */
#include "report/fields.h"

#include "report/markdown.h"
#include "report/pss.h"

#include <stdio.h>

static uint64_t field_number(const char *p, size_t size)
{
	uint64_t wide = 0;
	uint32_t narrow = 0;
	if (size == sizeof(bool))
		return *(const uint8_t *)p;
	if (size == sizeof narrow) {
		memcpy(&narrow, p, sizeof narrow);
		return narrow;
	}
	ASSERT(size == sizeof wide);
	memcpy(&wide, p, sizeof wide);
	return wide;
}

static const void *field_pointer(const struct field *f, const char *of)
{
	const void *p = of + f->at;
	if (f->size == sizeof p)
		memcpy(&p, of + f->at, sizeof p);
	return p;
}

static bool field_is_set(unsigned kind, const char *p, size_t size)
{
	const char *text;
	if (kind != FIELD_TEXT)
		return field_number(p, size) != 0;
	memcpy(&text, p, sizeof text);
	return text != NULL && *text != '\0';
}

static bool field_has_value(const struct field *f, const char *of)
{
	const bool list = f->kind >= FIELD_OBJECTS && f->kind <= FIELD_TEXTS;
	if (f->if_size > 0 && (!list || f->flags & FIELD_ANY) &&
	    !field_is_set(f->if_kind, of + f->if_at, f->if_size))
		return false;
	if (f->kind == FIELD_OBJECT)
		return field_pointer(f, of) != NULL;
	if (!(f->flags & (FIELD_ANY | FIELD_ADDRESS)) || f->size == 0 || list)
		return true;
	return f->flags & FIELD_ADDRESS ? field_number(of + f->at, f->size) != UINT64_MAX
					: field_is_set(f->kind, of + f->at, f->size);
}

/* Returns a field's only text or number as text. Flags are separated by blanks. NUL-terminated
 * unless `get` returns it. */
static struct str field_text(const struct field *f, struct field_at *at)
{
	const char *value = (const char *)at->of + f->at;
	char *const room = at->room, *const end = room + FIELD_ROOM - 1;
	size_t used = 0;
	double parts;
	if (f->kind == FIELD_CONSTANT)
		return str_of(f->type);
	if (f->size == 0)
		return f->get(at);
	if (f->kind == FIELD_TEXT) {
		const char *text = field_pointer(f, at->of);
		return str_of(text ? text : "");
	}
	const uint64_t n = field_number(value, f->size);
	switch (f->kind) {
	case FIELD_WORD: ASSERT(n < f->word_count); return str_of(f->words[n]);
	case FIELD_BOOL: return n ? STR("true") : STR("false");
	case FIELD_HASH:
		return (struct str){ room, (size_t)snprintf(room, FIELD_ROOM, "%016" PRIx64, n) };
	case FIELD_PARTS:
		memcpy(&parts, value, sizeof parts);
		pss_exact(room, parts);
		return str_of(room);
	case FIELD_FLAGS:
		for (size_t i = 0; i < f->word_count; i++) {
			const struct str word = str_of(f->words[i]);
			if (!(n >> i & 1))
				continue;
			ASSERT(used + word.len + 1 < FIELD_ROOM);
			if (used > 0)
				room[used++] = ' ';
			memcpy(room + used, word.p, word.len);
			used += word.len;
		}
		room[used] = '\0';
		return (struct str){ room, used };
	default: break;
	}
	*end = '\0';
	char *start = decimal_before(end, n);
	return (struct str){ start, (size_t)(end - start) };
}

struct str fields_heft(struct field_at *at)
{
	(void)at;
	return str_of(heft_version());
}

static void field_list(struct json *j, const struct field *f, const char *of)
{
	const uint64_t count = field_number(of + f->if_at, f->if_size);
	const void *p = field_pointer(f, of);
	json_open(j, '[');
	for (uint64_t i = 0; i < count; i++) {
		if (f->flags & FIELD_LINES)
			json_line(j);
		switch (f->kind) {
		case FIELD_OBJECTS: fields_object(j, f->of, ((const void *const *)p)[i], of); break;
		case FIELD_STRUCTS:
			fields_object(j, f->of, (const char *)p + i * f->stride, of);
			break;
		case FIELD_NUMBERS: json_uint(j, ((const uint64_t *)p)[i]); break;
		default: json_text(j, str_of(((const char *const *)p)[i])); break;
		}
	}
	json_close(j, ']');
}

/* Writes a field with several texts or numbers. */
static void field_put_json(struct json *j, const struct field *f, const struct field_at *at)
{
	const char *of = at->of, *value = of + f->at;
	switch (f->kind) {
	case FIELD_FLAGS:
		json_open(j, '[');
		for (size_t i = 0; i < f->word_count; i++)
			if (field_number(value, f->size) >> i & 1)
				json_text(j, str_of(f->words[i]));
		json_close(j, ']');
		break;
	case FIELD_SUMS:
		ASSERT(f->size == f->word_count * sizeof(uint64_t));
		json_open(j, '{');
		for (size_t i = 0; i < f->word_count; i++)
			json_member_uint(j, f->words[i],
					 ((const uint64_t *)(const void *)value)[i]);
		json_close(j, '}');
		break;
	case FIELD_OBJECT: fields_object(j, f->of, field_pointer(f, of), of); break;
	case FIELD_PART: fields_object(j, f->of, value, of); break;
	case FIELD_PUT: f->put(at, j); break;
	default: field_list(j, f, of); break;
	}
}

void fields_members(struct json *j, const struct fields *fields, const void *of, const void *in)
{
	struct field_at at;
	at.of = of;
	at.in = in;
	for (const struct field *f = fields->list; f < fields->list + fields->count; f++) {
		struct str text = STR("");
		if (f->flags & FIELD_ONLY_CSV)
			continue;
		const bool single = f->kind < FIELD_FLAGS, known = field_has_value(f, of);
		if (known && single)
			text = field_text(f, &at);
		if ((!known || text.p == NULL) && !(f->flags & FIELD_NULL))
			continue;
		if (f->flags & FIELD_LINES)
			json_line(j);
		if (known && f->kind < FIELD_NUMBER) {
			json_member_text(j, f->key, text);
			continue;
		}
		json_key(j, f->key);
		if (!known)
			json_null(j);
		else if (single)
			json_raw(j, text);
		else
			field_put_json(j, f, &at);
	}
}

void fields_object(struct json *j, const struct fields *f, const void *of, const void *in)
{
	const size_t depth = j->depth;
	json_open(j, '{');
	fields_members(j, f, of, in);
	json_close(j, '}');
	ASSERT(j->depth == depth);
}

void fields_line(struct sink *s, const struct fields *f, const void *of)
{
	struct json j = sink_json(s);
	fields_object(&j, f, of, NULL);
	ASSERT(j.depth == 0);
	sink_text(s, STR("\n"));
}

enum { FIELDS_MAX = 64 };

bool record_has(enum heft_format format)
{
	return format == HEFT_CSV || format == HEFT_TSV || format == HEFT_MARKDOWN;
}

void record_open(struct record *r, struct sink *s, const struct heft_write_opts *opts, bool names)
{
	ASSERT(record_has(opts->format));
	*r = (struct record){
		.s = s, .format = opts->format, .safe = opts->csv_safe, .names = names
	};
	if (r->format == HEFT_MARKDOWN)
		sink_text(s, STR("|"));
}

static void record_cell(struct record *r, const char *name, struct str text, bool number)
{
	if (r->format == HEFT_MARKDOWN)
		sink_char(r->s, ' ');
	else if (r->fields > 0)
		sink_char(r->s, r->format == HEFT_CSV ? ',' : '\t');
	if (number && r->fields < FIELDS_MAX)
		r->numbers |= UINT64_C(1) << r->fields;
	r->fields++;
	if (r->names)
		text = str_of(name);
	if (number || text.len == 0 || (r->names && r->format == HEFT_MARKDOWN))
		sink_text(r->s, text);
	else if (r->format == HEFT_MARKDOWN)
		markdown_code(r->s, text.p, SIZE_MAX);
	else
		field_put(r->s, text.p, r->format == HEFT_CSV ? ',' : '\t', r->safe);
	if (r->format == HEFT_MARKDOWN)
		sink_text(r->s, STR(" |"));
}

void record_text(struct record *r, const char *name, const char *value)
{
	record_cell(r, name, str_of(value ? value : ""), false);
}

void record_fields(struct record *r, const struct fields *fields, const void *of, const void *in)
{
	struct field_at at;
	at.of = of;
	at.in = in;
	for (const struct field *f = fields->list; f < fields->list + fields->count; f++) {
		struct str text = STR("");
		if (!(f->flags & (FIELD_CSV | FIELD_ONLY_CSV)))
			continue;
		if (of != NULL && field_has_value(f, of))
			text = field_text(f, &at);
		if (text.len > 0 && f->flags & FIELD_BLANK && str_eq(text, STR("0")))
			text.len = 0;
		if (text.len > 0 && f->flags & FIELD_ADDRESS && r->format == HEFT_MARKDOWN) {
			snprintf(at.room, FIELD_ROOM, "0x%" PRIx64,
				 field_number((const char *)of + f->at, f->size));
			text = str_of(at.room);
		}
		record_cell(r, f->column ? f->column : f->key, text,
			    f->kind == FIELD_NUMBER || f->kind == FIELD_PARTS);
	}
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

static void document_type(struct sink *s, const struct field *f)
{
	static const char *const types[] = {
		[FIELD_TEXT] = "string",
		[FIELD_WORD] = "string",
		[FIELD_HASH] = "string",
		[FIELD_NUMBER] = "integer",
		[FIELD_BOOL] = "boolean",
		[FIELD_PARTS] = "number",
		[FIELD_CONSTANT] = "integer",
		[FIELD_FLAGS] = "array of",
		[FIELD_SUMS] = "object of integers",
		[FIELD_NUMBERS] = "array of integers",
		[FIELD_TEXTS] = "array of strings",
	};
	if (f->kind == FIELD_OBJECT || f->kind == FIELD_PART)
		sink_text(s, str_of(f->of->name));
	else if (f->kind == FIELD_OBJECTS || f->kind == FIELD_STRUCTS)
		sink_printf(s, "array of %ss", f->of->name);
	else
		sink_text(s, str_of(f->kind == FIELD_PUT ? f->type : types[f->kind]));
	for (size_t i = 0; i < f->word_count; i++)
		sink_printf(s, "%s`%s`", i > 0 ? ", " : ": ", f->words[i]);
}

void fields_document(struct sink *s, const struct fields *fields)
{
	bool columns = false;
	for (size_t i = 0; i < fields->count; i++)
		columns |= fields->list[i].flags & (FIELD_CSV | FIELD_ONLY_CSV);
	sink_printf(s, "<!-- fields: %s -->\n| member | type |%s meaning |\n|---|---|%s---|\n",
		    fields->name, columns ? " column |" : "", columns ? "---|" : "");
	for (size_t i = 0; i < fields->count; i++) {
		const struct field *f = &fields->list[i];
		const bool column = f->flags & (FIELD_CSV | FIELD_ONLY_CSV);
		sink_printf(s, f->flags & FIELD_ONLY_CSV ? "| | " : "| `%s` | ", f->key);
		document_type(s, f);
		if (column)
			sink_printf(s, " | `%s`", f->column ? f->column : f->key);
		sink_printf(s, "%s | %s |\n", columns && !column ? " |" : "",
			    f->key + strlen(f->key) + 1);
	}
	sink_text(s, STR("\n"));
}

void row_fields_document(struct sink *s, const struct row_fields *f)
{
	sink_printf(s, "<!-- fields: %s -->\n| member | type | meaning |\n|---|---|---|\n",
		    f->name);
	for (size_t i = 0; i < f->text_count; i++)
		sink_printf(s, "| `%s` | %s | %s |\n", f->texts[i].name,
			    f->texts[i].number ? "number" : "string", f->texts[i].what);
	for (size_t i = 0; i < f->measure_count; i++)
		sink_printf(s, "| `%s` | %s | %s |\n", f->measures[i].name,
			    f->measures[i].unit == HEFT_PARTS ? "number" : "integer",
			    f->measures[i].what);
	sink_text(s, STR("\n"));
}
