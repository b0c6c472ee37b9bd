/* Proposes changes by rules in SQL. */
#include "query/advice.h"

const struct advice_words advice_identical_code = {
	.name = "identical-code",
	.what = "Functions are equal and stand in the file several times",
	.change = "compile with -ffunction-sections, link with -Wl,--icf=safe or --icf=all (lld, "
		  "gold, mold)",
	.cost = "with --icf=all, equal functions have one address",
	.sure = ADVICE_INFERRED,
	.link = "-Wl,--icf=all",
	.not_go = true
};

struct advice_rule {
	const struct advice_words *words;
	const char *sql; /* Rows: bytes, owner */
};

static const struct advice_rule rules[] = {
	{ &advice_identical_code,
	  "SELECT sum(padded) - max(padded), min(full_name) || ' and ' || (count(*) - 1) || ' "
	  "more' "
	  "FROM symbols WHERE alias_group = id AND in_file AND own > 0 AND kind = 'code' AND "
	  "contents NOT NULL GROUP BY container, section, own, contents HAVING count(*) > 1" },
	{ &(const struct advice_words){
		  "identical-data", "Constants are equal and stand in the file several times",
		  "define the constant in one source and declare it in a header; in C++17, inline",
		  "", ADVICE_INFERRED, .not_go = true },
	  "SELECT (count(*) - 1) * own, min(full_name) || ' and ' || (count(*) - 1) || ' more' "
	  "FROM symbols WHERE alias_group = id AND in_file AND own > 0 AND kind IN ('data', "
	  "'literal') AND contents NOT NULL GROUP BY container, section, own, contents "
	  "HAVING count(*) > 1" },
	{ &(const struct advice_words){
		  "two-versions", "A library is in the program in several versions",
		  "make all that use it ask for one version: cargo tree --duplicates, go mod graph",
		  "", ADVICE_PROVED },
	  "SELECT sum(bytes) - max(bytes), crate || ': ' || group_concat(version, ', ') FROM "
	  "(SELECT sum(file) bytes, rtrim(rtrim(package, '0123456789.')) crate, "
	  "ltrim(substr(package, length(rtrim(package, '0123456789.')) + 1)) version "
	  "FROM charges WHERE package GLOB '?* [0-9]*.[0-9]*' AND NOT debug GROUP BY package) "
	  "GROUP BY crate HAVING count(*) > 1" },
	{ &(const struct advice_words){
		  "template-instances", "Templates have instances for several types",
		  "move code that does not depend on the parameters into a function without them",
		  "some calls more, and work on the source", ADVICE_INFERRED, .not_go = true },
	  "SELECT sum(own) - max(own), name || ', ' || count(DISTINCT template_name) || ' "
	  "instances' "
	  "FROM symbols WHERE template_name <> name AND kind = 'code' AND alias_group = id "
	  "GROUP BY name HAVING count(DISTINCT template_name) > 2" },
	{ &(const struct advice_words){ "function-alignment", "Functions begin at round addresses",
					"compile with -falign-functions=1 (gcc, clang) or -Os",
					"hot loops and calls may be slower", ADVICE_INFERRED,
					.not_go = true },
	  "SELECT sum(padding), section FROM symbols WHERE alias_group = id AND kind = 'code' AND "
	  "padding > 0 GROUP BY section" },
};

const char *advice_sure_word(enum advice_sure sure)
{
	static const char *const words[] = { "stated", "proved", "inferred" };
	ASSERT((size_t)sure < COUNT_OF(words));
	return words[sure];
}

struct advice_asked {
	struct arena *arena;
	struct advice found;
};

static bool advice_take_columns(void *ctx, const char *const *names, size_t count)
{
	(void)ctx;
	(void)names;
	return count == 2;
}

static bool advice_take_row(void *ctx, const struct query_cell *cells, size_t count)
{
	struct advice_asked *a = ctx;
	ASSERT(count == 2);
	const double bytes = cells[0].kind == QUERY_INTEGER ? (double)cells[0].integer
							    : cells[0].real;
	if (cells[0].kind == QUERY_NULL || !(bytes >= 1))
		return true;
	const struct advice_part part = {
		arena_copy(a->arena, cells[1].text.len ? cells[1].text : STR("(no source)")),
		(uint64_t)bytes
	};
	a->found.bytes = add_sat(a->found.bytes, part.bytes);
	vec_push(&a->found.parts, part);
	return true;
}

static bool advice_take_end(void *ctx)
{
	(void)ctx;
	return true;
}

bool advice_ask(const struct snapshot *s, struct arena *arena, advice_vec *ret,
		struct heft_err *err)
{
	struct query *q = query_open(s, NULL, err);
	bool good = q != NULL;
	for (size_t i = 0; good && i < COUNT_OF(rules); i++) {
		struct advice_asked asked = { arena, { .words = rules[i].words } };
		const struct query_visitor v = { advice_take_columns, advice_take_row,
						 advice_take_end, &asked };
		good = query_run(q, rules[i].sql, &v, err);
		if (asked.found.bytes > 0)
			vec_push(ret, asked.found);
		else
			vec_release(&asked.found.parts);
	}
	query_close(q);
	return good;
}
