#include "cli/words.h"

/* A line; texts of several lines become one. */
static void put_line(const char *command, const char *option, const char *value, const char *text)
{
	bool blank = false;
	printf("%s\t%s\t%s\t", command, option, value != NULL ? value : "");
	for (; *text != '\0'; text++) {
		if (*text != '\n' && *text != ' ') {
			putchar(*text);
			blank = false;
		} else if (!blank) {
			putchar(' ');
			blank = true;
		}
	}
	putchar('\n');
}

static void put_option(const struct command *c, const struct opt *o)
{
	const char *value = o->choices != NULL ? o->choices : o->value;
	char option[60];
	snprintf(option, sizeof option, "-%c", o->letter);
	if (o->letter != 0)
		put_line(c->name, option, value, o->help);
	snprintf(option, sizeof option, "--%s", o->name != NULL ? o->name : "");
	if (o->name != NULL)
		put_line(c->name, option, value, o->help);
}

void words_print(const struct command *commands, size_t count)
{
	const char *name, *text, *sql;
	char query[60];
	for (size_t i = 0; i < count; i++) {
		put_line(commands[i].name, "", "", commands[i].summary);
		for (const struct opt *o = commands[i].opts; o->id != 0 || o->help != NULL; o++)
			put_option(&commands[i], o);
	}
	for (size_t i = 0; heft_query_at(i, &name, &text, &sql); i++) {
		snprintf(query, sizeof query, "@%s", name);
		put_line("@", query, "", text);
	}
}
