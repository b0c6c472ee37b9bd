/* Parses Bloaty's configuration file. */
#include "map/config.h"

#include "map/config_lex.h"

enum field_id {
	FILENAME,
	BASE_FILENAME,
	DEBUG_FILENAME,
	SOURCE_MAP,
	DSYM_PATH,
	DATA_SOURCE,
	MAX_ROWS,
	DEMANGLE,
	SORT_BY,
	VERBOSE_LEVEL,
	DEBUG_VMADDR,
	DEBUG_FILEOFF,
	CUSTOM_SOURCE,
	DISASSEMBLE,
	SOURCE_FILTER,
	RAW_MAP,
	MEMORY_REGION,
	REGION_NAME,
	REGION_ORIGIN,
	REGION_LENGTH,
	SOURCE_NAME,
	SOURCE_BASE,
	REWRITE,
	PATTERN,
	REPLACEMENT,
};

enum value_kind { VALUE_STRING, VALUE_UINT32, VALUE_UINT64, VALUE_BOOL, VALUE_ENUM, VALUE_MESSAGE };

struct config_choice {
	const char *name;
	uint32_t number; /* the number in the file */
	uint32_t value;  /* the value in heft */
};

struct config_field {
	const char *name;
	enum field_id id;
	enum value_kind kind;
	bool repeated;
	const struct config_choice *choices; /* Choices of a VALUE_ENUM. Ends with name NULL. */
};

struct message_type {
	const char *name;
	const struct config_field *fields;
	size_t count;
};

static const struct config_choice demangle_choices[] = {
	{ "DEMANGLE_NONE", 0, HEFT_NAMES_RAW },
	{ "DEMANGLE_SHORT", 1, HEFT_NAMES_SHORT },
	{ "DEMANGLE_FULL", 2, HEFT_NAMES_FULL },
	{ NULL, 0, 0 },
};

static const struct config_choice sort_choices[] = {
	{ "SORTBY_BOTH", 0, HEFT_BOTH },
	{ "SORTBY_VMSIZE", 1, HEFT_VM },
	{ "SORTBY_FILESIZE", 2, HEFT_FILE },
	{ NULL, 0, 0 },
};

static const struct config_field top_fields[] = {
	{ "filename", FILENAME, VALUE_STRING, true, NULL },
	{ "base_filename", BASE_FILENAME, VALUE_STRING, true, NULL },
	{ "debug_filename", DEBUG_FILENAME, VALUE_STRING, true, NULL },
	{ "source_map", SOURCE_MAP, VALUE_STRING, true, NULL },
	{ "dsym_path", DSYM_PATH, VALUE_STRING, true, NULL },
	{ "data_source", DATA_SOURCE, VALUE_STRING, true, NULL },
	{ "max_rows_per_level", MAX_ROWS, VALUE_UINT32, false, NULL },
	{ "demangle", DEMANGLE, VALUE_ENUM, false, demangle_choices },
	{ "sort_by", SORT_BY, VALUE_ENUM, false, sort_choices },
	{ "verbose_level", VERBOSE_LEVEL, VALUE_UINT32, false, NULL },
	{ "debug_vmaddr", DEBUG_VMADDR, VALUE_UINT64, true, NULL },
	{ "debug_fileoff", DEBUG_FILEOFF, VALUE_UINT64, true, NULL },
	{ "custom_data_source", CUSTOM_SOURCE, VALUE_MESSAGE, true, NULL },
	{ "disassemble_function", DISASSEMBLE, VALUE_STRING, false, NULL },
	{ "source_filter", SOURCE_FILTER, VALUE_STRING, false, NULL },
	{ "dump_raw_map", RAW_MAP, VALUE_BOOL, false, NULL },
	{ "memory_region", MEMORY_REGION, VALUE_MESSAGE, true, NULL },
};

static const struct config_field source_fields[] = {
	{ "name", SOURCE_NAME, VALUE_STRING, false, NULL },
	{ "base_data_source", SOURCE_BASE, VALUE_STRING, false, NULL },
	{ "rewrite", REWRITE, VALUE_MESSAGE, true, NULL },
};

static const struct config_field rewrite_fields[] = {
	{ "pattern", PATTERN, VALUE_STRING, false, NULL },
	{ "replacement", REPLACEMENT, VALUE_STRING, false, NULL },
};

static const struct config_field region_fields[] = {
	{ "name", REGION_NAME, VALUE_STRING, false, NULL },
	{ "origin", REGION_ORIGIN, VALUE_UINT64, false, NULL },
	{ "length", REGION_LENGTH, VALUE_UINT64, false, NULL },
};

#define MESSAGE_TYPE(name, fields) { name, fields, COUNT_OF(fields) }
static const struct message_type top_type = MESSAGE_TYPE("the configuration", top_fields);
static const struct message_type source_type = MESSAGE_TYPE("custom_data_source", source_fields);
static const struct message_type rewrite_type = MESSAGE_TYPE("rewrite", rewrite_fields);
static const struct message_type region_type = MESSAGE_TYPE("memory_region", region_fields);

struct config_value {
	const char *string;
	uint64_t number; /* a number, a bool (0, 1) or the value of a choice */
};

struct parser {
	struct lexer lx;
	struct config *config;
	struct config_source *source; /* Read at the moment. NULL otherwise. */
	struct heft_rewrite *rewrite; /* Read at the moment. NULL otherwise. */
	struct config_region *region; /* Read at the moment. NULL otherwise. */
};

/* ---- values --------------------------------------------------------------- */

/* Parses strings. Adjacent strings are joined, as in C. */
static bool parse_string(struct parser *p, struct config_value *ret)
{
	VEC(char) all = { NULL, 0, 0 };
	if (p->lx.kind != TOKEN_STRING)
		return lexer_fail(&p->lx, "expected a string in quotes");
	while (p->lx.kind == TOKEN_STRING) {
		vec_reserve(&all, p->lx.string.count);
		if (p->lx.string.count)
			memcpy(all.data + all.count, p->lx.string.data, p->lx.string.count);
		all.count += p->lx.string.count;
		lexer_next(&p->lx);
	}
	ret->string = arena_copy(&p->config->arena, (struct str){ all.data, all.count });
	vec_release(&all);
	return p->lx.kind != TOKEN_BAD;
}

/* Reads the token as a number of at most `max`: decimal, 0x.. or 0.. (octal). Does not move on. */
static bool config_read_number(struct parser *p, uint64_t max, uint64_t *ret)
{
	struct str s = p->lx.text;
	uint64_t v = 0;
	unsigned base = 10;
	if (p->lx.kind == TOKEN_SIGN && s.p[0] == '-')
		return lexer_fail(&p->lx, "a number here can't be negative");
	if (p->lx.kind != TOKEN_NUMBER)
		return lexer_fail(&p->lx, "expected a number");
	if (s.len > 2 && s.p[0] == '0' && (s.p[1] | 0x20) == 'x') {
		s = (struct str){ s.p + 2, s.len - 2 };
		base = 16;
	} else if (s.len > 1 && s.p[0] == '0') {
		base = 8;
	}
	for (size_t i = 0; i < s.len; i++) {
		const unsigned digit = digit_value(s.p[i]);
		if (digit >= base)
			return lexer_fail(&p->lx, "\"%.*s\" is no number",
					  (int)min_u64(p->lx.text.len, 60), p->lx.text.p);
		if (digit > max || v > (max - digit) / base)
			return lexer_fail(&p->lx, "a number here can be %" PRIu64 " at most", max);
		v = v * base + digit;
	}
	*ret = v;
	return true;
}

static bool config_read_bool(struct parser *p, uint64_t *ret)
{
	static const char *const words[] = { "false", "False", "f", "true", "True", "t" };
	if (p->lx.kind == TOKEN_NUMBER)
		return config_read_number(p, 1, ret);
	for (size_t i = 0; p->lx.kind == TOKEN_NAME && i < COUNT_OF(words); i++) {
		if (str_eq(p->lx.text, str_of(words[i]))) {
			*ret = i >= 3;
			return true;
		}
	}
	return lexer_fail(&p->lx, "expected true or false");
}

static bool read_choice(struct parser *p, const struct config_field *f, uint64_t *ret)
{
	const bool by_number = p->lx.kind == TOKEN_NUMBER;
	uint64_t number = 0;
	if (by_number && !config_read_number(p, UINT64_MAX, &number))
		return false;
	for (const struct config_choice *c = f->choices; c->name; c++) {
		if (by_number ? c->number == number : str_eq(p->lx.text, str_of(c->name))) {
			*ret = c->value;
			return true;
		}
	}
	return lexer_fail(&p->lx, "no such value of %s; there are %s, %s, %s", f->name,
			  f->choices[0].name, f->choices[1].name, f->choices[2].name);
}

static bool parse_value(struct parser *p, const struct config_field *f, struct config_value *ret)
{
	bool fine = false;
	switch (f->kind) {
	case VALUE_STRING: return parse_string(p, ret);
	case VALUE_UINT32: fine = config_read_number(p, UINT32_MAX, &ret->number); break;
	case VALUE_UINT64: fine = config_read_number(p, UINT64_MAX, &ret->number); break;
	case VALUE_BOOL: fine = config_read_bool(p, &ret->number); break;
	case VALUE_ENUM: fine = read_choice(p, f, &ret->number); break;
	case VALUE_MESSAGE: ASSERT(false);
	}
	if (fine)
		lexer_next(&p->lx);
	return fine && p->lx.kind != TOKEN_BAD;
}

/* Stores the value of a field. */
static void config_store(struct parser *p, enum field_id id, struct config_value v)
{
	struct config *c = p->config;
	switch (id) {
	case FILENAME: vec_push(&c->filenames, v.string); break;
	case BASE_FILENAME: vec_push(&c->base_filenames, v.string); break;
	case DEBUG_FILENAME: vec_push(&c->debug_filenames, v.string); break;
	case SOURCE_MAP: vec_push(&c->source_maps, v.string); break;
	case DSYM_PATH: vec_push(&c->dsym_paths, v.string); break;
	case DATA_SOURCE: vec_push(&c->data_sources, v.string); break;
	case MAX_ROWS:
		c->has_rows = true;
		c->rows = (uint32_t)v.number;
		break;
	case DEMANGLE:
		c->has_demangle = true;
		c->demangle = (enum heft_demangle)v.number;
		break;
	case SORT_BY:
		c->has_sort = true;
		c->sort_domain = (enum heft_domain)v.number;
		break;
	case VERBOSE_LEVEL:
		c->has_verbose = true;
		c->verbose = (uint32_t)v.number;
		break;
	case DEBUG_VMADDR: vec_push(&c->debug_vmaddrs, v.number); break;
	case DEBUG_FILEOFF: vec_push(&c->debug_fileoffs, v.number); break;
	case DISASSEMBLE: c->disassemble = v.string; break;
	case SOURCE_FILTER: c->source_filter = v.string; break;
	case RAW_MAP:
		c->has_raw_map = true;
		c->raw_map = v.number != 0;
		break;
	case REGION_NAME: p->region->name = v.string; break;
	case REGION_ORIGIN: p->region->origin = v.number; break;
	case REGION_LENGTH: p->region->length = v.number; break;
	case SOURCE_NAME: p->source->name = v.string; break;
	case SOURCE_BASE: p->source->base = v.string; break;
	case PATTERN: p->rewrite->pattern = v.string; break;
	case REPLACEMENT: p->rewrite->replacement = v.string; break;
	case CUSTOM_SOURCE:
	case MEMORY_REGION:
	case REWRITE: ASSERT(false);
	}
}

/* ---- messages ------------------------------------------------------------- */

static bool parse_fields(struct parser *p, const struct message_type *type, char closer);

/* Parses the body of a message. parse_fields() and the functions below call each other as deep as
 * messages nest in the tables above: a rewrite in a source in the file. */
static bool parse_body(struct parser *p, const struct message_type *type)
{
	if (lexer_take(&p->lx, '{'))
		return parse_fields(p, type, '}');
	if (lexer_take(&p->lx, '<'))
		return parse_fields(p, type, '>');
	return lexer_fail(&p->lx, "expected { after %s", type->name);
}

static bool parse_rewrite(struct parser *p)
{
	struct heft_rewrite rewrite = { .replacement = "" };
	struct lexer *lx = &p->lx;
	const size_t line = lx->token_line;
	p->rewrite = &rewrite;
	const bool fine = parse_body(p, &rewrite_type);
	p->rewrite = NULL;
	if (fine && !rewrite.pattern)
		return lexer_fail(lx, "the rewrite in line %zu has no pattern", line);
	if (fine)
		vec_push(&p->source->rewrites, rewrite);
	return fine;
}

static bool parse_source(struct parser *p)
{
	struct config_source source = { 0 };
	const size_t line = p->lx.token_line;
	p->source = &source;
	bool fine = parse_body(p, &source_type);
	p->source = NULL;
	if (fine && (!source.name || !source.base))
		fine = lexer_fail(&p->lx, "the custom_data_source in line %zu has no %s", line,
				  source.name ? "base_data_source" : "name");
	if (fine)
		vec_push(&p->config->sources, source);
	else
		vec_release(&source.rewrites);
	return fine;
}

static bool parse_region(struct parser *p)
{
	struct config_region region = { 0 };
	const size_t line = p->lx.token_line;
	p->region = &region;
	const bool fine = parse_body(p, &region_type);
	p->region = NULL;
	if (fine && (!region.name || region.length == 0))
		return lexer_fail(&p->lx, "the memory_region in line %zu has no %s", line,
				  region.name ? "length" : "name");
	if (fine)
		vec_push(&p->config->regions, region);
	return fine;
}

static bool parse_one(struct parser *p, const struct config_field *f)
{
	struct config_value v = { NULL, 0 };
	if (f->id == CUSTOM_SOURCE)
		return parse_source(p);
	if (f->id == REWRITE)
		return parse_rewrite(p);
	if (f->id == MEMORY_REGION)
		return parse_region(p);
	if (!parse_value(p, f, &v))
		return false;
	config_store(p, f->id, v);
	return true;
}

/* Parses [a, b, ...] after its opening bracket. */
static bool parse_list(struct parser *p, const struct config_field *f)
{
	if (lexer_take(&p->lx, ']'))
		return true;
	do {
		if (!parse_one(p, f))
			return false;
	} while (lexer_take(&p->lx, ','));
	if (!lexer_take(&p->lx, ']'))
		return lexer_fail(&p->lx, "expected , or ] in the list of %s", f->name);
	return true;
}

/* Parses one field with its value. `seen` has one bit per field of the message. */
static bool parse_field(struct parser *p, const struct message_type *type, uint32_t *seen)
{
	struct lexer *lx = &p->lx;
	if (lx->kind != TOKEN_NAME)
		return lexer_fail(lx, "expected the name of a field of %s", type->name);
	const struct config_field *f = type->fields, *const end = f + type->count;
	while (f < end && !str_eq(str_of(f->name), lx->text))
		f++;
	if (f == end)
		return lexer_fail(lx, "unknown field \"%.*s\" of %s",
				  (int)min_u64(lx->text.len, 60), lx->text.p, type->name);
	const uint32_t bit = UINT32_C(1) << (f - type->fields);
	if (*seen & bit && !f->repeated)
		return lexer_fail(lx, "%s is given a second time", f->name);
	*seen |= bit;
	lexer_next(lx);
	if (!lexer_take(lx, ':') && f->kind != VALUE_MESSAGE)
		return lexer_fail(lx, "expected : after %s", f->name);
	const bool fine = f->repeated && lexer_take(lx, '[') ? parse_list(p, f) : parse_one(p, f);
	if (fine && !lexer_take(lx, ';'))
		lexer_take(lx, ',');
	return fine && lx->kind != TOKEN_BAD;
}

/* Parses fields until `closer`, or until the end of the file if that is 0. */
static bool parse_fields(struct parser *p, const struct message_type *type, char closer)
{
	uint32_t seen = 0;
	while (p->lx.kind != TOKEN_BAD) {
		if (closer ? lexer_take(&p->lx, closer) : p->lx.kind == TOKEN_END)
			return p->lx.kind != TOKEN_BAD;
		if (p->lx.kind == TOKEN_END)
			return lexer_fail(&p->lx, "%s has no closing %c", type->name, closer);
		if (!parse_field(p, type, &seen))
			return false;
	}
	return false;
}

bool config_parse(struct config *c, const char *path, struct str text, struct heft_err *err)
{
	struct parser p = { .config = c };
	memset(c, 0, sizeof *c);
	lexer_init(&p.lx, path, text, err);
	const bool fine = parse_fields(&p, &top_type, 0);
	lexer_release(&p.lx);
	if (!fine)
		config_release(c);
	return fine;
}

void config_release(struct config *c)
{
	for (size_t i = 0; i < c->sources.count; i++)
		vec_release(&c->sources.data[i].rewrites);
	vec_release(&c->sources);
	vec_release(&c->filenames);
	vec_release(&c->base_filenames);
	vec_release(&c->debug_filenames);
	vec_release(&c->source_maps);
	vec_release(&c->dsym_paths);
	vec_release(&c->data_sources);
	vec_release(&c->regions);
	vec_release(&c->debug_vmaddrs);
	vec_release(&c->debug_fileoffs);
	arena_release(&c->arena);
	memset(c, 0, sizeof *c);
}
