/* Shows texts over the table: facts about a row, help, notes. */
#include "browse/paint.h"
#include "browse/state.h"

#include <curses.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the start of the next line after `at`. Lines are wrapped to the screen. */
static const char *pager_next_line(const char *at)
{
	const char *end = strchr(at, '\n');
	ASSERT(*at != '\0');
	const size_t size = end != NULL ? (size_t)(end - at) : strlen(at);
	const size_t fits = paint_fit(at, paint_columns() - 2);
	if (size > 0 && fits < size) {
		/* Break the line at its last blank, unless that leaves half of the line empty. */
		size_t blank = at[fits] == ' ' ? fits + 1 : fits;
		while (blank > fits / 2 && at[blank - 1] != ' ')
			blank--;
		return at + (blank > fits / 2 ? blank : fits);
	}
	return at + size + (end != NULL);
}

static void draw_text_line(const char *at, int y)
{
	const char *next = pager_next_line(at);
	size_t size = (size_t)(next - at);
	char *line = strndup(at, size);
	if (line == NULL)
		return;
	if (size > 0 && line[size - 1] == '\n')
		line[size - 1] = '\0';
	paint_text(y, 1, paint_columns() - 2, line, PAINT_PLAIN, false);
	free(line);
}

static void draw_pager(const char *title, const char *text, int first)
{
	const int rows = paint_rows();
	paint_fill(0, 0, paint_columns(), PAINT_HEAD, false);
	paint_text(0, 0, paint_columns(), title, PAINT_HEAD, false);
	for (int i = 0; i < first && *text != '\0'; i++)
		text = pager_next_line(text);
	for (int y = 1; y < rows - 1; y++) {
		paint_fill(y, 0, paint_columns(), PAINT_PLAIN, false);
		if (*text == '\0')
			continue;
		draw_text_line(text, y);
		text = pager_next_line(text);
	}
	static const char foot[] = " arrows, Page Up and Page Down scroll; any other key goes back";
	browse_foot(paint_columns() >= (int)sizeof foot - 1 ? foot : " arrows scroll; q goes back");
}

static int wheel(void)
{
	MEVENT e;
	if (getmouse(&e) != OK)
		return 0;
	return (e.bstate & BUTTON4_PRESSED) != 0 ? -3 : (e.bstate & BUTTON5_PRESSED) != 0 ? 3 : 0;
}

/* Sets *by to the number of lines by which a key scrolls. False if the key ends the pager. */
static bool scrolls(int key, int *by)
{
	const int page = paint_rows() > 4 ? paint_rows() - 3 : 1;
	switch (key) {
	case KEY_DOWN:
	case 'j': *by = 1; return true;
	case KEY_UP:
	case 'k': *by = -1; return true;
	case KEY_NPAGE:
	case ' ': *by = page; return true;
	case KEY_PPAGE: *by = -page; return true;
	case KEY_HOME: *by = -1000000; return true;
	case KEY_END: *by = 1000000; return true;
	case KEY_RESIZE: *by = 0; return true;
	case KEY_MOUSE: *by = wheel(); return true;
	default: return false;
	}
}

/* Shows lines of text until a key closes them. */
static void browse_pager(struct browse *b, const char *title, const char *text)
{
	int first = 0, by = 0;
	(void)b;
	do {
		int most = 2 - paint_rows(); /* Becomes the number of lines below the screen */
		for (const char *at = text; *at != '\0' && most < 1000000; at = pager_next_line(at))
			most++;
		first += by;
		if (first > most)
			first = most;
		if (first < 0)
			first = 0;
		draw_pager(title, text, first);
	} while (scrolls(getch(), &by));
}

enum { LABEL_MOST = 4000 };

static void pager_put_label(FILE *to, const char *label)
{
	const size_t size = strnlen(label, LABEL_MOST + 1);
	for (size_t i = 0; i < size && i < LABEL_MOST; i++)
		fputc(label[i] == '\n' ? ' ' : label[i], to);
	if (size > LABEL_MOST)
		fprintf(to, "... (%zu bytes)", strlen(label));
}

static void pager_put_path(FILE *to, const struct tree *t, uint32_t node)
{
	uint32_t way[64];
	unsigned count = 0;
	for (uint32_t at = t->nodes[node].parent; at != 0 && count < 64; at = t->nodes[at].parent)
		way[count++] = at;
	if (count == 0)
		return;
	fputs("in ", to);
	while (count-- > 0) {
		pager_put_label(to, t->nodes[way[count]].row->label);
		fputs(count > 0 ? " > " : "\n", to);
	}
}

static void put_exact(FILE *to, const struct tree *t, size_t m, double v)
{
	const struct heft_measure *measure = &t->table->measures[m];
	fprintf(to, "%.*f", v != floor(v), isnan(v) ? 0 : v);
	fputs(measure->unit == HEFT_COUNT ? "" : " bytes", to);
}

static void pager_put_measures(FILE *to, const struct browse *b, uint32_t node)
{
	const struct tree *t = &b->tree;
	for (size_t m = 0; m < t->table->measure_count; m++) {
		const struct heft_measure *measure = &t->table->measures[m];
		const double now = tree_now(t, node, m);
		const double whole = tree_now(t, 0, m);
		if (measure->of_change && (!t->diff || now == 0))
			continue;
		fprintf(to, "%-16s ", measure->title);
		if (t->diff && !measure->of_change) {
			char change[NUMBER_TEXT_MAX];
			put_exact(to, t, m, tree_base(t, node, m));
			fputs(" before, ", to);
			browse_change_text(change, b, node, m);
			put_exact(to, t, m, now);
			fprintf(to, " now (%s)", change);
		} else {
			put_exact(to, t, m, now);
			if (whole > 0 && !measure->shared)
				fprintf(to, "  %.2f%% of all shown", 100 * now / whole);
		}
		fputc('\n', to);
	}
}

/* Calls an operation with a row and the labels above it. */
static bool call_with_row(const struct browse *b, uint32_t node,
			  bool (*op)(const struct browse *, const struct browse_row *, FILE *,
				     struct heft_err *),
			  FILE *to, struct heft_err *err)
{
	const struct tree *t = &b->tree;
	size_t depth = 0;
	for (uint32_t at = node; at != 0; at = t->nodes[at].parent)
		depth++;
	const char **path = calloc(depth + 1, sizeof *path);
	if (path == NULL)
		return false;
	size_t i = depth;
	for (uint32_t at = node; at != 0; at = t->nodes[at].parent)
		path[--i] = t->nodes[at].row->label;
	const struct browse_row row = { t->nodes[node].row, path, depth };
	const bool good = op(b, &row, to, err);
	free(path);
	return good;
}

static bool put_known(const struct browse *b, const struct browse_row *row, FILE *to,
		      struct heft_err *err)
{
	(void)err;
	b->ops->card(b->ops->ctx, b->input, row, to);
	return true;
}

static bool pager_put_code(const struct browse *b, const struct browse_row *row, FILE *to,
			   struct heft_err *err)
{
	return b->ops->code(b->ops->ctx, b->input, row, to, err);
}

static void pager_put_card(FILE *to, const struct browse *b, uint32_t node)
{
	const struct tree *t = &b->tree;
	const struct heft_row *row = t->nodes[node].row;
	pager_put_label(to, row->label);
	fputc('\n', to);
	pager_put_path(to, t, node);
	fputc('\n', to);
	if (t->table->has_changes && t->diff && t->nodes[node].below == 0)
		fprintf(to, "%-16s %s\n", "became", browse_change_word(row->change));
	pager_put_measures(to, b, node);
	for (size_t i = 0; row->texts != NULL && i < t->table->text_count; i++) {
		if (row->texts[i][0] == '\0')
			continue;
		fprintf(to, "%-16s ", t->table->texts[i].name);
		pager_put_label(to, row->texts[i]);
		fputc('\n', to);
	}
	for (size_t i = 0; i < row->alias_count && i < 1000; i++) {
		fprintf(to, "%-16s ", i == 0 ? "also" : "");
		pager_put_label(to, row->aliases[i]);
		fputc('\n', to);
	}
	if (t->nodes[node].below > 0)
		fprintf(to, "%-16s %u\n", "rows below", (unsigned)t->nodes[node].below);
	call_with_row(b, node, put_known, to, NULL);
}

static void show_file(struct browse *b, const char *title, FILE *f, char *const *text)
{
	if (f != NULL && fclose(f) == 0 && *text != NULL)
		browse_pager(b, title, *text);
	free(*text);
}

void browse_card(struct browse *b, uint32_t node)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	if (f != NULL)
		pager_put_card(f, b, node);
	show_file(b, " One row", f, &text);
}

void browse_code(struct browse *b, uint32_t node)
{
	struct heft_err err = { .text = "out of memory" };
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	if (f == NULL || !call_with_row(b, node, pager_put_code, f, &err)) {
		if (f != NULL)
			fclose(f);
		free(text);
		browse_say(b, "%s", err.text);
		return;
	}
	show_file(b, " Instructions", f, &text);
}

void browse_notes(struct browse *b)
{
	char *text = NULL;
	size_t size = 0, count = 0;
	FILE *f = open_memstream(&text, &size);
	if (f != NULL)
		count = b->ops->notes(b->ops->ctx, b->input, f);
	if (f != NULL && count == 0)
		fputs("Nothing was odd in the input.\n", f);
	show_file(b, " Notes about the input", f, &text);
}

void browse_help(struct browse *b)
{
	browse_pager(
		b, " Keys",
		"Up Down, j k         one row\n"
		"Page Up, Page Down   one screen\n"
		"Home End, g G        the first row, the last one\n"
		"Right, l             opens a row\n"
		"Left, h              closes it, or goes to the row above\n"
		"*                    opens all rows beside, or closes them\n"
		"Enter                makes the row the whole; of a leaf, the card\n"
		"Backspace            what was the whole before\n"
		"\n"
		"/                    filter: words that a label or one above it must have,\n"
		"                     with ! in front those it must not have; Esc takes it away\n"
		"d                    group by something else: Tab goes through what is usual\n"
		"s                    sort by size or name; in a diff by growth or old size\n"
		"r                    the other way round\n"
		"m                    measure by something else\n"
		"Space                marks a row, their sum is at the foot; u unmarks all\n"
		"Tab                  the next input\n"
		"\n"
		"i                    the card of a row: exact sizes, places, source line\n"
		"x                    the instructions of a row, block by block\n"
		"n                    notes: what was odd in the input\n"
		"o                    writes all as a page for a browser, and opens it\n"
		"q                    quits\n"
		"\n"
		"A click chooses a row, a double click opens or closes it, the wheel scrolls\n"
		"(--no-mouse leaves the mouse to the terminal).  What takes long is told at the\n"
		"top or the foot; Esc stops what is told at the foot.\n");
}
