/* Input: a configuration file.  What is read is written down again in the plainest form;
 * reading that must give the same. */
#include "map/config.h"
#include "map/rules.h"

#include <stdio.h>

static void add_string(struct text *t, const char *field, const char *value)
{
	char escape[8];
	text_add(t, str_of(field));
	text_add(t, STR(": \""));
	for (; *value; value++) {
		snprintf(escape, sizeof escape, "\\%03o", (uint8_t)*value);
		text_add(t, str_of(escape));
	}
	text_add(t, STR("\"\n"));
}

static void add_number(struct text *t, const char *field, uint64_t value)
{
	char line[100];
	snprintf(line, sizeof line, "%s: %" PRIu64 "\n", field, value);
	text_add(t, str_of(line));
}

static void add_strings(struct text *t, const char *field, const config_strings *values)
{
	for (size_t i = 0; i < values->count; i++)
		add_string(t, field, values->data[i]);
}

static void add_numbers(struct text *t, const char *field, const config_numbers *values)
{
	for (size_t i = 0; i < values->count; i++)
		add_number(t, field, values->data[i]);
}

static void add_source(struct text *t, const struct config_source *s)
{
	ASSERT(s->name && s->base);
	text_add(t, STR("custom_data_source {\n"));
	add_string(t, "name", s->name);
	add_string(t, "base_data_source", s->base);
	for (size_t i = 0; i < s->rewrites.count; i++) {
		text_add(t, STR("rewrite {\n"));
		add_string(t, "pattern", s->rewrites.data[i].pattern);
		add_string(t, "replacement", s->rewrites.data[i].replacement);
		text_add(t, STR("}\n"));
	}
	text_add(t, STR("}\n"));
}

static void write_config(struct text *t, const struct config *c)
{
	static const unsigned demangle[] = {
		[HEFT_NAMES_RAW] = 0, [HEFT_NAMES_SHORT] = 1, [HEFT_NAMES_FULL] = 2
	};
	static const unsigned sort[] = { [HEFT_BOTH] = 0, [HEFT_VM] = 1, [HEFT_FILE] = 2 };
	add_strings(t, "filename", &c->filenames);
	add_strings(t, "base_filename", &c->base_filenames);
	add_strings(t, "debug_filename", &c->debug_filenames);
	add_strings(t, "source_map", &c->source_maps);
	add_strings(t, "dsym_path", &c->dsym_paths);
	add_strings(t, "data_source", &c->data_sources);
	for (size_t i = 0; i < c->sources.count; i++)
		add_source(t, &c->sources.data[i]);
	if (c->has_rows)
		add_number(t, "max_rows_per_level", c->rows);
	if (c->has_demangle)
		add_number(t, "demangle", demangle[c->demangle]);
	if (c->has_sort)
		add_number(t, "sort_by", sort[c->sort]);
	if (c->has_verbose)
		add_number(t, "verbose_level", c->verbose);
	if (c->has_raw_map)
		add_number(t, "dump_raw_map", c->raw_map);
	add_numbers(t, "debug_vmaddr", &c->debug_vmaddrs);
	add_numbers(t, "debug_fileoff", &c->debug_fileoffs);
	if (c->disassemble)
		add_string(t, "disassemble_function", c->disassemble);
	if (c->source_filter)
		add_string(t, "source_filter", c->source_filter);
}

static void check_error(const struct heft_err *err, size_t size)
{
	unsigned line = 0, column = 0;
	ASSERT(err->code == HEFT_EFORMAT && err->offset <= size);
	ASSERT(sscanf(err->text, "x:%u:%u: ", &line, &column) == 2);
	ASSERT(line >= 1 && column >= 1 && line <= size + 1 && column <= size + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config c, back;
	struct heft_err err = { 0 };
	struct text first = { 0 }, second = { 0 };
	if (!config_parse(&c, "x", (struct str){ (const char *)data, size }, &err)) {
		check_error(&err, size);
		return 0;
	}
	write_config(&first, &c);
	ASSERT(config_parse(&back, "x", (struct str){ first.p, first.len }, NULL));
	write_config(&second, &back);
	ASSERT(str_eq((struct str){ first.p, first.len }, (struct str){ second.p, second.len }));
	config_release(&c);
	config_release(&back);
	text_release(&first);
	text_release(&second);
	return 0;
}
