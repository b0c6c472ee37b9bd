/* config.h - parses Bloaty's configuration file, one message in protobuf text format.
 *
 * Accepts Bloaty's grammar and fields, and also memory_region. Syntax errors, unknown fields, wrong
 * types and a repeated single field fail with HEFT_EFORMAT with "path:line:column: what" (lines and
 * columns count from 1, columns in bytes). */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

/* A data source that the user defined. `base`: the data source whose labels it rewrites. A rewrite
 * has a pattern and a replacement, which may be "" */
struct config_source {
	const char *name, *base;
	VEC(struct heft_rewrite) rewrites;
};

struct config_region {
	const char *name;
	uint64_t origin, length;
};

typedef VEC(const char *) config_strings;
typedef VEC(uint64_t) config_numbers;

struct config {
	config_strings filenames, base_filenames, debug_filenames, source_maps, dsym_paths,
		data_sources;
	VEC(struct config_source) sources;
	VEC(struct config_region) regions;
	bool has_rows, has_demangle, has_sort, has_verbose, has_raw_map;
	uint32_t rows;
	enum heft_demangle demangle;
	enum heft_domain sort;
	uint32_t verbose;
	config_numbers debug_vmaddrs, debug_fileoffs;
	const char *disassemble, *source_filter; /* NULL if the file does not state it */
	bool raw_map;
	struct arena arena; /* Owns all strings. They end with NUL and contain no other */
};

/* Parses a file into *c, which needs no initialization. Release *c only after success. */
bool config_parse(struct config *c, const char *path, struct str text, struct heft_err *err);
void config_release(struct config *c);

/* Splits protobuf's text format into tokens.
 *
 * The lexer always holds the next token. The first error stays in *err. After an error, the token
 * is TOKEN_BAD. */

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,   /* Letters, digits and _ */
	TOKEN_NUMBER, /* Begins with a digit. Its other characters are not checked */
	TOKEN_STRING, /* `string` holds its value */
	TOKEN_SIGN,   /* Any other character */
	TOKEN_BAD,
};

struct lexer {
	const char *path; /* Borrowed, for messages */
	struct str input; /* Borrowed */
	size_t pos;       /* Next byte of the input */
	size_t line, line_start;
	struct heft_err *err;

	enum token_kind kind;
	struct str text; /* The token in the input */
	size_t token_line, token_column;
	VEC(char) string; /* Value of a TOKEN_STRING */
};

/* Begins to read `input`, and moves to the first token. `path`: for messages. */
void lexer_init(struct lexer *lx, const char *path, struct str input, struct heft_err *err);
void lexer_release(struct lexer *lx);

void lexer_next(struct lexer *lx);

/* True if the token is this sign. Then moves to the next token. */
bool lexer_take(struct lexer *lx, char sign);

/* Returns the value of a hexadecimal digit. 99 for other characters. */
unsigned digit_value(int c);

/* Fails at the token, with "path:line:column: what". Returns false. */
bool lexer_fail(struct lexer *lx, const char *fmt, ...) PRINTF_LIKE(2, 3);
