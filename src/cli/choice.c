/* Parses options whose value is one of a few words. */
#include "cli/cli.h"

#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

const struct choice style_choices[] = { { "none", HEFT_NAMES_RAW },
					{ "short", HEFT_NAMES_SHORT },
					{ "full", HEFT_NAMES_FULL },
					{ NULL, 0 } };

const struct choice sure_choices[] = { { "stated", HEFT_SURE_STATED },
				       { "proved", HEFT_SURE_PROVED },
				       { "inferred", HEFT_SURE_INFERRED },
				       { "none", HEFT_SURE_NONE },
				       { NULL, 0 } };

const struct choice convention_choices[] = { { "auto", HEFT_CONVENTION_AUTO },
					     { "llvm", HEFT_CONVENTION_LLVM },
					     { "gcc", HEFT_CONVENTION_GCC },
					     { "pure", HEFT_CONVENTION_PURE },
					     { NULL, 0 } };

bool cli_bad_value(const struct cli *cli, const struct opt *o, const char *value,
		   const char *wanted)
{
	if (o->name != NULL)
		cli_error(cli, "--%s: '%s' is not %s", o->name, value, wanted);
	else
		cli_error(cli, "-%c: '%s' is not %s", o->letter, value, wanted);
	return false;
}

bool cli_choice(const struct cli *cli, const struct opt *o, const char *value,
		const struct choice *choices, unsigned *ret)
{
	for (const struct choice *c = choices; c->word != NULL; c++)
		if (strcmp(c->word, value) == 0) {
			*ret = c->value;
			return true;
		}
	char wanted[160];
	size_t used = (size_t)snprintf(wanted, sizeof wanted, "one of ");
	for (const char *p = o->choices != NULL ? o->choices : o->value; *p != '\0'; p++)
		used += (size_t)snprintf(wanted + used, sizeof wanted - used, "%.*s",
					 o->choices != NULL && *p == '|' ? 2 : 1,
					 o->choices != NULL && *p == '|' ? ", " : p);
	ASSERT(used < sizeof wanted);
	return cli_bad_value(cli, o, value, wanted);
}

struct choices_job {
	const struct cli *cli;
	const struct opt *opt;
	const struct choice *choices;
	unsigned bits;
};

static bool choices_add(void *ctx, const char *word)
{
	struct choices_job *j = ctx;
	struct opt named = *j->opt;
	unsigned bit = 0;
	named.value = j->opt->choices;
	named.choices = NULL;
	if (!cli_choice(j->cli, &named, word, j->choices, &bit))
		return false;
	j->bits |= bit;
	return true;
}

bool cli_choices(const struct cli *cli, const struct opt *o, const char *list,
		 const struct choice *choices, unsigned *ret)
{
	struct choices_job j = { cli, o, choices, 0 };
	if (!cli_each_name(cli, list, choices_add, &j))
		return false;
	*ret = j.bits;
	return true;
}

/* Returns the name of heft's data source for a name that other tools use. */
static const char *meant_source(const char *name)
{
	static const char *const words[][2] = {
		{ "classes", "namespaces" },   { "modules", "sourcefiles" },
		{ "files", "sourcefiles" },    { "sources", "sourcefiles" },
		{ "dirs", "directories" },     { "folders", "directories" },
		{ "lines", "inlines" },        { "units", "compileunits" },
		{ "objects", "compileunits" }, { "members", "armembers" },
		{ "stacks", "inlinestacks" },  { "templates", "generics" },
		{ "source", "compileunits" },
	};
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strcmp(words[i][0], name) == 0)
			return words[i][1];
	return NULL;
}

bool cli_unknown_source(const struct cli *cli, const char *name)
{
	const char *names[64], *text;
	size_t count = 0;
	while (count < 64 && heft_source(count, &names[count], &text))
		count++;
	const char *near = meant_source(name);
	if (near == NULL)
		near = nearest_of(name, names, count);
	if (cli_is_bloaty(cli)) {
		cli_error(cli, "no such data source: %s.", name);
		fputs("Try --list-sources to see valid sources.\n", stderr);
	} else if (near != NULL)
		cli_error(cli,
			  "no such data source: '%s' (did you mean '%s'?); "
			  "try 'heft size --list-sources' to see valid sources",
			  name, near);
	else
		cli_error(cli,
			  "no such data source: '%s'; try 'heft size --list-sources' to see valid "
			  "sources",
			  name);
	return false;
}
