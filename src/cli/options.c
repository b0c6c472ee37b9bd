/* Parses command lines by tables, and prints the options for the help. */
#include "cli/options.h"

#include "base/nearest.h"

#include <string.h>

static bool opt_is_end(const struct opt *o)
{
	return o->id == 0 && o->help == NULL;
}

static char *options_take_word(struct opt_cursor *c)
{
	if (c->argc == 0)
		return NULL;
	c->argc--;
	return *c->argv++;
}

static enum opt_step unknown_option(struct opt_cursor *c, const char *word)
{
	const char *names[64];
	size_t count = 0;
	for (const struct opt *o = c->table; !opt_is_end(o); o++)
		if (o->name != NULL && count < sizeof names / sizeof names[0])
			names[count++] = o->name;
	char typed[40];
	snprintf(typed, sizeof typed, "%s", word + strspn(word, "-"));
	typed[strcspn(typed, "=")] = '\0';
	const char *near = nearest_of(typed, names, count);
	if (near != NULL)
		snprintf(c->problem, sizeof c->problem,
			 "unknown option: %.60s (did you mean '--%s'?)", word, near);
	else
		snprintf(c->problem, sizeof c->problem, "unknown option: %.60s", word);
	return OPT_BAD;
}

static enum opt_step long_option(struct opt_cursor *c, const char *word)
{
	const char *name = word + 2;
	const size_t len = strcspn(name, "=");
	c->opt = NULL;
	for (const struct opt *o = c->table; !opt_is_end(o) && c->opt == NULL; o++)
		if (o->name != NULL && strlen(o->name) == len && memcmp(o->name, name, len) == 0)
			c->opt = o;
	if (c->opt == NULL)
		return unknown_option(c, word);
	c->value = name[len] == '=' ? name + len + 1 : NULL;
	if (c->opt->value == NULL && c->value != NULL) {
		snprintf(c->problem, sizeof c->problem, "option --%s takes no value", c->opt->name);
		return OPT_BAD;
	}
	if (c->opt->value != NULL && c->value == NULL)
		c->value = options_take_word(c);
	if (c->opt->value != NULL && c->value == NULL) {
		snprintf(c->problem, sizeof c->problem, "option --%s needs a value: %s",
			 c->opt->name, c->opt->value);
		return OPT_BAD;
	}
	return OPT_OPTION;
}

/* Parses a short option. c->cluster points at its letter. `word`: the whole word, for messages. */
static enum opt_step short_option(struct opt_cursor *c, const char *word)
{
	const char letter = *c->cluster;
	const char *rest = c->cluster + 1;
	c->opt = NULL;
	for (const struct opt *o = c->table; !opt_is_end(o) && c->opt == NULL; o++)
		if (o->letter != 0 && o->letter == letter)
			c->opt = o;
	c->cluster = NULL;
	c->value = NULL;
	if (c->opt == NULL)
		return unknown_option(c, word);
	if (c->opt->value == NULL) {
		c->cluster = *rest != '\0' ? rest : NULL;
		return OPT_OPTION;
	}
	c->value = *rest != '\0' ? rest : options_take_word(c);
	if (c->value == NULL) {
		snprintf(c->problem, sizeof c->problem, "option -%c needs a value: %s", letter,
			 c->opt->value);
		return OPT_BAD;
	}
	return OPT_OPTION;
}

enum opt_step options_next(struct opt_cursor *c)
{
	ASSERT(c->argc >= 0 && (c->cluster == NULL || *c->cluster != '\0'));
	if (c->cluster != NULL)
		return short_option(c, c->argv[-1]);
	const char *word = options_take_word(c);
	if (word == NULL)
		return OPT_END;
	if (word[0] != '-' || word[1] == '\0') {
		c->value = word;
		return OPT_OPERAND;
	}
	if (word[1] != '-') {
		c->cluster = word + 1;
		return short_option(c, word);
	}
	if (word[2] != '\0')
		return long_option(c, word);
	if (c->separated) {
		snprintf(c->problem, sizeof c->problem, "'--' may be given only once");
		return OPT_BAD;
	}
	c->separated = true;
	return OPT_SEPARATOR;
}

enum { HELP_COLUMN = 30 };

static void print_opt(const struct opt *o, FILE *to)
{
	char left[64];
	int n = 2;
	snprintf(left, sizeof left, "  ");
	if (o->letter != 0)
		n += snprintf(left + n, sizeof left - (size_t)n, "-%c%s", o->letter,
			      o->name != NULL ? ", " : "");
	else
		n += snprintf(left + n, sizeof left - (size_t)n, "    ");
	if (o->name != NULL)
		n += snprintf(left + n, sizeof left - (size_t)n, "--%s", o->name);
	if (o->value != NULL)
		snprintf(left + n, sizeof left - (size_t)n, "%s%s", o->name != NULL ? "=" : " ",
			 o->value);
	if (strlen(left) >= HELP_COLUMN - 1)
		fprintf(to, "%s\n%*s%s\n", left, HELP_COLUMN, "", o->help);
	else
		fprintf(to, "%-*s%s\n", HELP_COLUMN, left, o->help);
}

void options_print(const struct opt *table, bool common_only, FILE *to)
{
	for (const struct opt *o = table; !opt_is_end(o); o++) {
		if ((common_only && !o->common) || o->help[0] == '\0')
			continue;
		if (o->letter == 0 && o->name == NULL)
			fprintf(to, "%s\n", o->help);
		else
			print_opt(o, to);
	}
}
