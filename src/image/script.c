#include "image/script.h"

#include "image/script_internal.h"

enum { INCLUDES_MAX = 32, INCLUDE_DEPTH = 8, SECTIONS_MOST = 1000 };

/* What a file is made of: commands, or lines of MEMORY. */
typedef void read_fn(struct script *s, unsigned depth);
static read_fn read_commands;

/* Moves behind what the bracket at the cursor begins. */
static void skip_brackets(struct script *s)
{
	uint64_t depth = 0;
	do {
		depth += script_is(s, "{") || script_is(s, "(");
		depth -= script_is(s, "}") || script_is(s, ")");
		script_next(s);
	} while (depth > 0 && s->token != TOKEN_END);
}

static bool is_one_of(struct str word, const char *const *list)
{
	for (; *list; list++)
		if (str_eq(word, str_of(*list)))
			return true;
	return false;
}

/* ---- MEMORY ---------------------------------------------------------------------------------- */

static bool take_key(struct script *s, const char *const *names)
{
	for (; *names; names++)
		if (script_take(s, *names))
			return true;
	return false;
}

/* "ORIGIN = expression". */
static bool read_field(struct script *s, const char *const *names, struct script_value *ret)
{
	if (!take_key(s, names) || !script_take(s, "=")) {
		script_note(s, "ORIGIN = and LENGTH = are wanted");
		return false;
	}
	*ret = script_expression(s);
	return true;
}

/* Templates for families of chips have regions of length 0 for what some lack. */
static void add_region(struct script *s, struct str name, struct script_value origin,
		       struct script_value length)
{
	if (!origin.known || !length.known)
		script_note_at(s,
			       "line %" PRIu64 " of " STR_FMT ": memory region '" STR_FMT
			       "' is left out: it needs a symbol that is not defined",
			       name);
	else if (length.v > 0 && !regions_add(s->regions, name, origin.v, length.v))
		script_note_at(s,
			       "line %" PRIu64 " of " STR_FMT ": memory region '" STR_FMT
			       "' is left out: it wraps or has no name, or there are too many",
			       name);
}

/* The ld manual, "MEMORY Command".  False where nothing more can be made of the command. */
static bool read_region(struct script *s)
{
	static const char *const origins[] = { "ORIGIN", "org", "o", NULL };
	static const char *const lengths[] = { "LENGTH", "len", "l", NULL };
	struct script_value origin, length;
	const struct str name = s->word;
	script_next(s);
	if (script_is(s, "("))
		skip_brackets(s);
	if (!script_take(s, ":")) {
		script_note(s, "a : is missing");
		return false;
	}
	if (!read_field(s, origins, &origin))
		return false;
	(void)script_take(s, ",");
	if (!read_field(s, lengths, &length))
		return false;
	(void)script_take(s, ";");
	add_region(s, name, origin, length);
	return true;
}

/* The word at the cursor, with what names of files may have besides. */
static struct str file_name(struct script *s)
{
	if (s->token == TOKEN_END || s->token == TOKEN_STRING)
		return s->word;
	const size_t start = (size_t)(s->word.p - s->text.p);
	s->pos = start;
	while (s->pos < s->text.len && !memchr(" \t\r\n;", s->text.p[s->pos], 5))
		s->pos++;
	return (struct str){ s->text.p + start, s->pos - start };
}

static void read_include(struct script *s, unsigned depth, read_fn *read)
{
	struct str text;
	const struct str name = file_name(s);
	if (depth < INCLUDE_DEPTH && s->includes < INCLUDES_MAX && s->files &&
	    s->files->open(s->files->ctx, name, &text)) {
		const struct script outer = *s;
		s->includes++;
		s->file = name;
		s->text = text;
		s->pos = 0;
		s->line = 1;
		script_next(s);
		read(s, depth + 1);
		s->file = outer.file;
		s->text = outer.text;
		s->pos = outer.pos;
		s->line = outer.line;
	} else {
		script_note(s, "the file that is included is not there");
	}
	script_next(s);
}

static void read_regions(struct script *s, unsigned depth)
{
	while (s->token != TOKEN_END && !script_is(s, "}")) {
		if (script_take(s, "INCLUDE")) {
			read_include(s, depth, read_regions);
		} else if ((s->token != TOKEN_NAME && s->token != TOKEN_STRING) ||
			   !read_region(s)) {
			script_note(s, "this is no memory region");
			script_next(s);
		}
	}
}

static void read_memory(struct script *s, unsigned depth)
{
	if (!script_take(s, "{")) {
		script_note(s, "a { is missing");
		return;
	}
	read_regions(s, depth);
	(void)script_take(s, "}");
}

/* ---- SECTIONS -------------------------------------------------------------------------------- */

/* "NAME = ...;" */
static bool is_assignment(const struct script *s)
{
	static const char *const words[] = {
		"=", "+=", "-=", "*=", "/=", "&=", "|=", "<<=", ">>="
	};
	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (script_is(s, words[i]))
			return true;
	return false;
}

static void add_section(struct script *s, struct str name, bool gone)
{
	if (s->sections && !script_section_find(s->sections, name) &&
	    s->sections->list.count < SECTIONS_MOST)
		vec_push(&s->sections->list,
			 (struct script_section){ arena_copy(&s->sections->arena, name), gone });
}

/* "(NOLOAD)"; what else stands in brackets is an address.  The ld manual, "Output Section Type". */
static void read_type(struct script *s, struct str name)
{
	static const char *const gone[] = { "COPY", "DSECT", "INFO", "OVERLAY", NULL };
	const struct script at = *s;
	script_next(s);
	const struct str word = s->word;
	script_next(s);
	if (script_is(s, ")") && (str_eq(word, STR("NOLOAD")) || is_one_of(word, gone)))
		add_section(s, name, is_one_of(word, gone));
	s->text = at.text;
	s->pos = at.pos;
	s->line = at.line;
	s->token = at.token;
	s->word = at.word;
	skip_brackets(s);
}

/* Behind the contents: "> RAM AT> FLASH :phdr =0xff,". */
static void skip_places(struct script *s)
{
	while (script_is(s, ">") || script_is(s, "AT") || script_is(s, ":") || script_is(s, "=")) {
		const bool at = script_is(s, "AT");
		script_next(s);
		if (script_is(s, "("))
			skip_brackets(s);
		else if (!at && !script_is(s, "}"))
			script_next(s);
	}
}

/* An output section, an assignment or a command, which all begin with a name. */
static void read_statement(struct script *s)
{
	static const char *const commands[] = { "ASSERT", "ENTRY",          "EXTERN", "HIDDEN",
						"INSERT", "AFTER",          "BEFORE", "PROVIDE",
						"SORT",   "PROVIDE_HIDDEN", NULL };
	const struct str name = s->word;
	script_next(s);
	if (is_one_of(name, commands)) {
		if (script_is(s, "("))
			skip_brackets(s);
		return;
	}
	const bool assignment = is_assignment(s);
	while (s->token != TOKEN_END && !script_is(s, ";") && !script_is(s, "{") &&
	       !script_is(s, "}")) {
		if (script_is(s, "(") && !assignment)
			read_type(s, name);
		else
			script_next(s);
	}
	if (script_is(s, "{")) {
		skip_brackets(s);
		skip_places(s);
	}
}

static void read_statements(struct script *s, unsigned depth)
{
	while (s->token != TOKEN_END && !script_is(s, "}")) {
		if (script_take(s, "INCLUDE"))
			read_include(s, depth, read_statements);
		else if (s->token == TOKEN_NAME || s->token == TOKEN_STRING)
			read_statement(s);
		else if (script_is(s, "(") || script_is(s, "{"))
			skip_brackets(s);
		else
			script_next(s);
	}
}

const struct script_section *script_section_find(const struct script_sections *s, struct str name)
{
	for (size_t i = 0; i < s->list.count; i++)
		if (str_eq(name, str_of(s->list.data[i].name)))
			return &s->list.data[i];
	return NULL;
}

void script_sections_release(struct script_sections *s)
{
	vec_release(&s->list);
	arena_release(&s->arena);
}

/* ---- other commands -------------------------------------------------------------------------- */

/* REGION_ALIAS (alias, region) */
static void read_alias(struct script *s)
{
	(void)script_take(s, "(");
	const struct str alias = s->word;
	script_next(s);
	(void)script_take(s, ",");
	if (s->aliases.count < REGIONS_MAX)
		vec_push(&s->aliases, (struct script_alias){ alias, s->word });
	script_next(s);
	(void)script_take(s, ")");
	(void)script_take(s, ";");
}

/* "NAME = expression ;"; others than "=" make a value that is not known. */
static void read_assignment(struct script *s, struct str name)
{
	const bool plain = script_is(s, "=");
	script_next(s);
	const struct script_value v = script_expression(s);
	if (plain && !str_eq(name, STR(".")))
		script_set(s, name, v);
	(void)script_take(s, ";");
}

/* PROVIDE (NAME = expression): a definition of the program's own would win. */
static void read_provide(struct script *s)
{
	if (!script_take(s, "("))
		return;
	const struct str name = s->word;
	script_next(s);
	if (is_assignment(s))
		read_assignment(s, name);
	(void)script_take(s, ")");
	(void)script_take(s, ";");
}

static void skip_command(struct script *s, struct str word)
{
	static const char *const others[] = { "ENTRY",
					      "OUTPUT_FORMAT",
					      "OUTPUT_ARCH",
					      "OUTPUT",
					      "SEARCH_DIR",
					      "STARTUP",
					      "INPUT",
					      "GROUP",
					      "AS_NEEDED",
					      "TARGET",
					      "ASSERT",
					      "EXTERN",
					      "PHDRS",
					      "VERSION",
					      "NOCROSSREFS",
					      "NOCROSSREFS_TO",
					      "FORCE_COMMON_ALLOCATION",
					      "INHIBIT_COMMON_ALLOCATION",
					      "FORCE_GROUP_ALLOCATION",
					      "LD_FEATURE",
					      "INSERT",
					      "AFTER",
					      "BEFORE",
					      "CREATE_OBJECT_SYMBOLS",
					      "CONSTRUCTORS",
					      "HLL",
					      "SYSLIB",
					      "FLOAT",
					      "NOFLOAT",
					      "MAP",
					      NULL };
	const bool brackets = script_is(s, "{") || script_is(s, "(");
	if (!is_one_of(word, others))
		script_note_at(s,
			       "line %" PRIu64 " of " STR_FMT ": unknown command '" STR_FMT
			       "' is passed over",
			       word);
	if (brackets)
		skip_brackets(s);
}

static void read_command(struct script *s, unsigned depth)
{
	const struct str word = s->word;
	const enum token token = s->token;
	script_next(s);
	if (token != TOKEN_NAME && token != TOKEN_STRING) {
		if (!str_eq(word, STR(";")))
			script_note(s, "no command begins so");
	} else if (is_assignment(s)) {
		read_assignment(s, word);
	} else if (str_eq(word, STR("MEMORY"))) {
		read_memory(s, depth);
	} else if (str_eq(word, STR("REGION_ALIAS"))) {
		read_alias(s);
	} else if (str_eq(word, STR("INCLUDE"))) {
		read_include(s, depth, read_commands);
	} else if (str_starts(word, STR("PROVIDE")) || str_eq(word, STR("HIDDEN"))) {
		read_provide(s);
	} else if (str_eq(word, STR("SECTIONS")) && script_take(s, "{")) {
		read_statements(s, depth);
		(void)script_take(s, "}");
	} else {
		skip_command(s, word);
	}
}

static void read_commands(struct script *s, unsigned depth)
{
	while (s->token != TOKEN_END)
		read_command(s, depth);
}

void script_regions(struct memory_regions *r, struct script_sections *sections, const char *path,
		    struct str text, const struct script_files *files, struct notes *notes)
{
	struct script s = { .path = path, .file = STR(""), .regions = r, .files = files };
	for (int pass = 0; pass < 2; pass++) {
		s.text = text;
		s.pos = 0;
		s.line = 1;
		s.includes = 0;
		s.aliases.count = 0;
		s.notes = pass == 1 ? notes : NULL;
		s.sections = pass == 1 ? sections : NULL;
		script_next(&s);
		read_commands(&s, 0);
	}
	intern_release(&s.names);
	vec_release(&s.aliases);
	vec_release(&s.values);
}
