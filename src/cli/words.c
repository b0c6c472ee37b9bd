#include "cli/words.h"

#include <string.h>

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

/* ---- choices ------------------------------------------------------------------------------- */

struct choices {
	char text[200];
	size_t size;
};

/* One item of the help: a word that may stand behind "by" and before "(default)". */
static void add_choice(struct choices *c, const char *item, size_t size)
{
	while (size > 0 && *item == ' ') {
		item++;
		size--;
	}
	while (size > 0 && item[size - 1] == ' ')
		size--;
	if (size > 3 && strncmp(item, "by ", 3) == 0) {
		item += 3;
		size -= 3;
	}
	const char *colon = memchr(item, ':', size); /* "speedscope: all stacks" */
	if (colon != NULL)
		size = (size_t)(colon - item);
	if (size == 0 || memchr(item, ' ', size) != NULL || c->size + size + 2 > sizeof c->text)
		return;
	if (c->size > 0)
		c->text[c->size++] = '|';
	memcpy(c->text + c->size, item, size);
	c->size += size;
	c->text[c->size] = '\0';
}

/* Takes the help apart at commas, semicolons and "or"; what is in brackets is no word. */
static void read_choices(struct choices *c, const char *help)
{
	char item[100];
	size_t size = 0;
	unsigned depth = 0;
	const char *colon = strchr(help, ':');
	const char *bracket = strchr(help, '(');
	if (colon != NULL && (bracket == NULL || colon < bracket))
		help = colon + 1;
	for (const char *p = help;; p++) {
		const bool ends = *p == '\0' || *p == ',' || *p == ';' ||
				  strncmp(p, " or ", 4) == 0;
		if (depth == 0 && ends) {
			add_choice(c, item, size);
			size = 0;
			p += *p == ' ' ? 3 : 0;
		} else if (*p == '(' || *p == ')') {
			depth += *p == '(' ? 1 : -1u;
		} else if (depth == 0 && size < sizeof item) {
			item[size++] = *p == '\n' ? ' ' : *p;
		}
		if (*p == '\0')
			return;
	}
}

/* What may stand behind the option: the help has the words where the value has a mere name. */
static const char *value_of(const struct opt *o, struct choices *room)
{
	static const char *const named[] = { "FORMAT", "ORDER", "WHAT" };
	*room = (struct choices){ .size = 0 };
	for (size_t i = 0; o->value != NULL && i < sizeof named / sizeof named[0]; i++)
		if (strcmp(o->value, named[i]) == 0)
			read_choices(room, o->help);
	return room->size > 0 ? room->text : o->value;
}

/* ---- the list ------------------------------------------------------------------------------ */

static void put_option(const struct command *c, const struct opt *o)
{
	struct choices room;
	char option[60];
	const char *value = value_of(o, &room);
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
