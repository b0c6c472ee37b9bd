/* Parses Bloaty's configuration file. */
#include "map/config.h"

#include "base/utf8.h"

#include <stdio.h>

/* Kinds of values. STRINGS, UINT64S and MESSAGES may occur several times. */
enum value_kind { A_STRING, STRINGS, A_UINT32, A_UINT64, UINT64S, A_BOOL, A_CHOICE, MESSAGES };

struct config_choice {
	const char *name;
	uint32_t number;
	uint32_t value; /* Value that heft stores for this choice */
};

struct parser;

struct config_field {
	const char *name;
	enum value_kind kind;
	uint16_t at;    /* Offset of the value in its struct */
	uint16_t given; /* Offset of a bool that tells whether the field occurred. 0 if none */
	const struct config_choice *choices; /* Values of an A_CHOICE. The last one's name is
					      * NULL */
	bool (*parse)(struct parser *p);     /* For MESSAGES: parses one of them */
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

static bool parse_source(struct parser *p);
static bool parse_rewrite(struct parser *p);
static bool parse_region(struct parser *p);

#define AT(member)  offsetof(struct config, member)
#define GIVEN(name) AT(name), AT(has_##name)

static const struct config_field top_fields[] = {
	{ "filename", STRINGS, AT(filenames) },
	{ "base_filename", STRINGS, AT(base_filenames) },
	{ "debug_filename", STRINGS, AT(debug_filenames) },
	{ "source_map", STRINGS, AT(source_maps) },
	{ "dsym_path", STRINGS, AT(dsym_paths) },
	{ "data_source", STRINGS, AT(data_sources) },
	{ "max_rows_per_level", A_UINT32, GIVEN(rows) },
	{ "demangle", A_CHOICE, GIVEN(demangle), demangle_choices },
	{ "sort_by", A_CHOICE, GIVEN(sort), sort_choices },
	{ "verbose_level", A_UINT32, GIVEN(verbose) },
	{ "debug_vmaddr", UINT64S, AT(debug_vmaddrs) },
	{ "debug_fileoff", UINT64S, AT(debug_fileoffs) },
	{ "custom_data_source", MESSAGES, .parse = parse_source },
	{ "disassemble_function", A_STRING, AT(disassemble) },
	{ "source_filter", A_STRING, AT(source_filter) },
	{ "dump_raw_map", A_BOOL, GIVEN(raw_map) },
	{ "memory_region", MESSAGES, .parse = parse_region },
};

static const struct config_field source_fields[] = {
	{ "name", A_STRING, offsetof(struct config_source, name) },
	{ "base_data_source", A_STRING, offsetof(struct config_source, base) },
	{ "rewrite", MESSAGES, .parse = parse_rewrite },
};

static const struct config_field rewrite_fields[] = {
	{ "pattern", A_STRING, offsetof(struct heft_rewrite, pattern) },
	{ "replacement", A_STRING, offsetof(struct heft_rewrite, replacement) },
};

static const struct config_field region_fields[] = {
	{ "name", A_STRING, offsetof(struct config_region, name) },
	{ "origin", A_UINT64, offsetof(struct config_region, origin) },
	{ "length", A_UINT64, offsetof(struct config_region, length) },
};

#define MESSAGE_TYPE(name, fields) { name, fields, COUNT_OF(fields) }
static const struct message_type top_type = MESSAGE_TYPE("the configuration", top_fields);
static const struct message_type source_type = MESSAGE_TYPE("custom_data_source", source_fields);
static const struct message_type rewrite_type = MESSAGE_TYPE("rewrite", rewrite_fields);
static const struct message_type region_type = MESSAGE_TYPE("memory_region", region_fields);

struct parser {
	struct lexer lx;
	struct config *config;
	struct config_source *source; /* Custom source that is being parsed, or NULL */
};

/* Parses strings. Adjacent strings are joined, as in C. */
static bool parse_string(struct parser *p, const char **ret)
{
	VEC(char) all = { NULL, 0, 0 };
	if (p->lx.kind != TOKEN_STRING)
		return lexer_fail(&p->lx, "expected a string in quotes");
	while (p->lx.kind == TOKEN_STRING) {
		vec_copy(&all, &p->lx.string);
		lexer_next(&p->lx);
	}
	*ret = arena_copy(&p->config->arena, (struct str){ all.data, all.count });
	vec_release(&all);
	return p->lx.kind != TOKEN_BAD;
}

/* Reads the token as a number of at most `max`: decimal, 0x.., octal 0... Does not move to the next
 * token. */
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

/* Parses a field's value in protobuf's text format. Stores it in *member, as f->kind says. */
static bool parse_value(struct parser *p, const struct config_field *f, void *member)
{
	const char *string = NULL;
	uint64_t number = 0;
	bool fine = false;
	switch (f->kind) {
	case A_STRING:
	case STRINGS: fine = parse_string(p, &string); break;
	case A_UINT32: fine = config_read_number(p, UINT32_MAX, &number); break;
	case A_UINT64:
	case UINT64S: fine = config_read_number(p, UINT64_MAX, &number); break;
	case A_BOOL: fine = config_read_bool(p, &number); break;
	case A_CHOICE: fine = read_choice(p, f, &number); break;
	case MESSAGES: ASSERT(false);
	}
	if (fine && !string)
		lexer_next(&p->lx);
	if (!fine || p->lx.kind == TOKEN_BAD)
		return false;
	switch (f->kind) {
	case A_STRING: *(const char **)member = string; break;
	case STRINGS: vec_push((config_strings *)member, string); break;
	case A_UINT32:
	case A_CHOICE: memcpy(member, &(uint32_t){ (uint32_t)number }, sizeof(uint32_t)); break;
	case A_UINT64: *(uint64_t *)member = number; break;
	case UINT64S: vec_push((config_numbers *)member, number); break;
	case A_BOOL: *(bool *)member = number != 0; break;
	case MESSAGES: break;
	}
	return true;
}

static bool parse_fields(struct parser *p, const struct message_type *type, char closer,
			 void *message);

/* Parses the fields of a message. Recursion is three deep: file, custom source, rewrite. */
static bool parse_body(struct parser *p, const struct message_type *type, void *message)
{
	if (lexer_take(&p->lx, '{'))
		return parse_fields(p, type, '}', message);
	if (lexer_take(&p->lx, '<'))
		return parse_fields(p, type, '>', message);
	return lexer_fail(&p->lx, "expected { after %s", type->name);
}

static bool parse_rewrite(struct parser *p)
{
	struct heft_rewrite rewrite = { .replacement = "" };
	struct lexer *lx = &p->lx;
	const size_t line = lx->token_line;
	const bool fine = parse_body(p, &rewrite_type, &rewrite);
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
	bool fine = parse_body(p, &source_type, &source);
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
	const bool fine = parse_body(p, &region_type, &region);
	if (fine && (!region.name || region.length == 0))
		return lexer_fail(&p->lx, "the memory_region in line %zu has no %s", line,
				  region.name ? "length" : "name");
	if (fine)
		vec_push(&p->config->regions, region);
	return fine;
}

static bool parse_one(struct parser *p, const struct config_field *f, void *message)
{
	if (f->kind == MESSAGES)
		return f->parse(p);
	if (f->given > 0)
		*(bool *)(void *)((char *)message + f->given) = true;
	return parse_value(p, f, (char *)message + f->at);
}

/* Parses [a, b, ...] after its opening bracket. */
static bool parse_list(struct parser *p, const struct config_field *f, void *message)
{
	if (lexer_take(&p->lx, ']'))
		return true;
	do {
		if (!parse_one(p, f, message))
			return false;
	} while (lexer_take(&p->lx, ','));
	if (!lexer_take(&p->lx, ']'))
		return lexer_fail(&p->lx, "expected , or ] in the list of %s", f->name);
	return true;
}

/* Parses one field with its value. `seen` has one bit per field of the message. */
static bool parse_field(struct parser *p, const struct message_type *type, uint32_t *seen,
			void *message)
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
	const bool repeats = f->kind == STRINGS || f->kind == UINT64S || f->kind == MESSAGES;
	if (*seen & bit && !repeats)
		return lexer_fail(lx, "%s is given a second time", f->name);
	*seen |= bit;
	lexer_next(lx);
	if (!lexer_take(lx, ':') && f->kind != MESSAGES)
		return lexer_fail(lx, "expected : after %s", f->name);
	const bool fine = repeats && lexer_take(lx, '[') ? parse_list(p, f, message)
							 : parse_one(p, f, message);
	if (fine && !lexer_take(lx, ';'))
		lexer_take(lx, ',');
	return fine && lx->kind != TOKEN_BAD;
}

/* Parses fields until `closer`, or until the end of the file if `closer` is 0. */
static bool parse_fields(struct parser *p, const struct message_type *type, char closer,
			 void *message)
{
	uint32_t seen = 0;
	while (p->lx.kind != TOKEN_BAD) {
		if (closer ? lexer_take(&p->lx, closer) : p->lx.kind == TOKEN_END)
			return p->lx.kind != TOKEN_BAD;
		if (p->lx.kind == TOKEN_END)
			return lexer_fail(&p->lx, "%s has no closing %c", type->name, closer);
		if (!parse_field(p, type, &seen, message))
			return false;
	}
	return false;
}

bool config_parse(struct config *c, const char *path, struct str text, struct heft_err *err)
{
	struct parser p = { .config = c };
	memset(c, 0, sizeof *c);
	lexer_init(&p.lx, path, text, err);
	const bool fine = parse_fields(&p, &top_type, 0, c);
	lexer_release(&p.lx);
	if (!fine)
		config_release(c);
	return fine;
}

void config_release(struct config *c)
{
	for (size_t i = 0; i < c->sources.count; i++)
		vec_release(&c->sources.data[i].rewrites);
	vec_release_all(&c->sources, &c->filenames, &c->base_filenames, &c->debug_filenames,
			&c->source_maps, &c->dsym_paths, &c->data_sources, &c->regions);
	vec_release_all(&c->debug_vmaddrs, &c->debug_fileoffs);
	arena_release(&c->arena);
	memset(c, 0, sizeof *c);
}

/* The functions below split a configuration file into tokens. */

static bool config_lex_is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static bool config_lex_is_word(int c)
{
	return config_lex_is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

unsigned digit_value(int c)
{
	if (config_lex_is_digit(c))
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a' + 10);
	return c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10) : 99;
}

/* Returns the next byte, 0 to 255, or -1 at the end. */
static int config_lex_peek(const struct lexer *lx)
{
	return lx->pos < lx->input.len ? (uint8_t)lx->input.p[lx->pos] : -1;
}

static bool fail_at(struct lexer *lx, size_t line, size_t column, size_t off, const char *text)
{
	/* Only the first error counts. Later ones are about the same token. */
	if (lx->kind != TOKEN_BAD)
		fail(lx->err, HEFT_EFORMAT, off, "%s:%zu:%zu: %s", lx->path, line, column, text);
	lx->kind = TOKEN_BAD;
	lx->pos = lx->input.len;
	return false;
}

bool lexer_fail(struct lexer *lx, const char *fmt, ...)
{
	char text[300];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	return fail_at(lx, lx->token_line, lx->token_column, (size_t)(lx->text.p - lx->input.p),
		       text);
}

static bool fail_here(struct lexer *lx, const char *text)
{
	return fail_at(lx, lx->line, lx->pos - lx->line_start + 1, lx->pos, text);
}

static void config_lex_skip_space(struct lexer *lx)
{
	for (int c; (c = config_lex_peek(lx)) >= 0; lx->pos++) {
		if (c == '#') {
			while (lx->pos + 1 < lx->input.len && lx->input.p[lx->pos + 1] != '\n')
				lx->pos++;
		} else if (c == '\n') {
			lx->line++;
			lx->line_start = lx->pos + 1;
		} else if (c != ' ' && (c < '\t' || c > '\r')) {
			return;
		}
	}
}

/* Reads at most `most` digits. False if there is none. */
static bool read_digits(struct lexer *lx, unsigned base, unsigned most, uint32_t *ret)
{
	unsigned n = 0;
	*ret = 0;
	for (; n < most && digit_value(config_lex_peek(lx)) < base; n++, lx->pos++)
		*ret = *ret * base + digit_value(config_lex_peek(lx));
	return n > 0;
}

static bool config_lex_add_byte(struct lexer *lx, uint32_t c)
{
	if (c > 0xff)
		return fail_here(lx, "an octal escape above \\377");
	if (c == 0)
		return fail_here(lx, "a string can't hold a NUL byte");
	vec_push(&lx->string, (char)(uint8_t)c);
	return true;
}

static bool add_char(struct lexer *lx, uint32_t c)
{
	char bytes[4];
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return fail_here(lx, "no such Unicode character");
	if (c == 0)
		return config_lex_add_byte(lx, 0);
	const unsigned n = utf8_encode(c, bytes);
	for (unsigned i = 0; i < n; i++)
		vec_push(&lx->string, bytes[i]);
	return true;
}

/* Reads the rest of an escape after its backslash. */
static bool config_lex_read_escape(struct lexer *lx)
{
	static const char simple[] = "a\ab\bf\fn\nr\rt\tv\v\\\\''\"\"??";
	const int c = config_lex_peek(lx);
	uint32_t v;
	for (size_t i = 0; i + 1 < sizeof simple; i += 2) {
		if (c == simple[i]) {
			lx->pos++;
			return config_lex_add_byte(lx, (uint8_t)simple[i + 1]);
		}
	}
	if (c >= '0' && c <= '7')
		return read_digits(lx, 8, 3, &v) && config_lex_add_byte(lx, v);
	if (c < 0 || !strchr("xXuU", c))
		return fail_here(lx, "unknown escape in a string");
	lx->pos++;
	if (!read_digits(lx, 16, c == 'u' ? 4 : c == 'U' ? 8 : 2, &v))
		return fail_here(lx, "an escape without hexadecimal digits");
	return c == 'u' || c == 'U' ? add_char(lx, v) : config_lex_add_byte(lx, v);
}

static void read_string(struct lexer *lx, int quote)
{
	lx->kind = TOKEN_STRING;
	lx->string.count = 0;
	lx->pos++;
	for (int c; (c = config_lex_peek(lx)) != quote;) {
		bool fine;
		if (c < 0 || c == '\n') {
			lexer_fail(lx, "a string without its closing quote");
			return;
		}
		lx->pos++;
		if (c == '\\')
			fine = config_lex_read_escape(lx);
		else
			fine = config_lex_add_byte(lx, (uint32_t)c);
		if (!fine)
			return;
	}
	lx->pos++;
}

void lexer_next(struct lexer *lx)
{
	if (lx->kind == TOKEN_BAD)
		return;
	config_lex_skip_space(lx);
	const size_t start = lx->pos;
	const int c = config_lex_peek(lx);
	lx->token_line = lx->line;
	lx->token_column = start - lx->line_start + 1;
	lx->text = (struct str){ lx->input.p + start, 0 };
	if (c < 0) {
		lx->kind = TOKEN_END;
	} else if (c == '"' || c == '\'') {
		read_string(lx, c);
	} else if (config_lex_is_word(c)) {
		lx->kind = config_lex_is_digit(c) ? TOKEN_NUMBER : TOKEN_NAME;
		while (config_lex_is_word(config_lex_peek(lx)))
			lx->pos++;
	} else {
		lx->kind = TOKEN_SIGN;
		lx->pos++;
	}
	lx->text.len = lx->pos - start;
}

bool lexer_take(struct lexer *lx, char sign)
{
	if (lx->kind != TOKEN_SIGN || lx->text.p[0] != sign)
		return false;
	lexer_next(lx);
	return true;
}

void lexer_init(struct lexer *lx, const char *path, struct str input, struct heft_err *err)
{
	*lx = (struct lexer){ .path = path, .input = input, .line = 1, .err = err };
	if (!input.p)
		lx->input.p = "";
	lexer_next(lx);
}

void lexer_release(struct lexer *lx)
{
	vec_release(&lx->string);
}
