/* Handles the keys of heft browse. */
#include "browse/browse.h"

#include "browse/paint.h"
#include "browse/state.h"

#include <curses.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

enum { ESC = 27, FILTER_OPENS = 200, KEYS_KEPT = 32, LONE_ROWS = 100 };

void browse_say(struct browse *b, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	vsnprintf(b->said, sizeof b->said, fmt, args);
	va_end(args);
}

/* Returns the next key that is already typed, without waiting. ERR if there is none. */
static int typed_key(void)
{
	timeout(0);
	const int key = getch();
	timeout(-1);
	return key;
}

enum { KEY_NONE = -2 };

/* Returns the next key. Redraws the screen after a change of its size. KEY_NONE if no key came
 * within `ms` milliseconds; -1 waits without limit. ERR if the terminal is gone. */
static int browse_key(struct browse *b, int ms)
{
	struct pollfd in = { STDIN_FILENO, POLLIN, 0 };
	for (;;) {
		int key = typed_key();
		if (key == KEY_RESIZE) {
			browse_draw(b);
			refresh();
			continue;
		}
		if (key != ERR)
			return key;
		const int count = poll(&in, 1, ms);
		if (count == 0)
			return KEY_NONE;
		if (count < 0)
			continue; /* A signal came, usually for a new screen size. */
		key = typed_key();
		if (key != KEY_RESIZE)
			return key;
		ungetch(key);
	}
}

/* True if Esc was typed during a long call. Otherwise keeps the typed keys for later. */
static bool is_stopped(void)
{
	int keys[KEYS_KEPT];
	int count = 0;
	while (count < KEYS_KEPT && (keys[count] = typed_key()) != ERR)
		if (keys[count++] == ESC)
			return true;
	while (count > 0)
		ungetch(keys[--count]);
	return false;
}

bool browse_progress(void *ctx, const char *what, uint64_t done, uint64_t total)
{
	char text[200], share[20] = "";
	(void)ctx;
	if (is_stopped())
		return false;
	if (total > 0)
		snprintf(share, sizeof share, " %.0f%%", 100.0 * (double)done / (double)total);
	snprintf(text, sizeof text, " %.100s%s    Esc stops", what, share);
	browse_foot(text);
	refresh();
	return true;
}

/* Computes the visible lines again (tree_list()). */
static void browse_list(struct browse *b)
{
	if (!tree_list(&b->tree))
		browse_say(b, "out of memory");
}

/* Moves the cursor to a node, if it is visible. */
static void browse_go_to(struct browse *b, uint32_t node)
{
	for (uint32_t i = 0; i < b->tree.line_count; i++)
		if (b->tree.lines[i] == node)
			b->at = i;
}

/* Returns the node under the cursor. UINT32_MAX if there is no line. */
static uint32_t browse_chosen(const struct browse *b)
{
	return b->at < b->tree.line_count ? b->tree.lines[b->at] : UINT32_MAX;
}

static void set_open(struct browse *b, uint32_t node, bool open)
{
	if (node == UINT32_MAX)
		return;
	b->tree.nodes[node].open = open && tree_has_children(&b->tree, node);
	b->tree.nodes[node].by_filter = false;
	browse_list(b);
}

/* Opens rows without siblings, such as the outer frames of a heap's call stacks. */
static void browse_open_lone(struct browse *b)
{
	const struct tree *t = &b->tree;
	for (uint32_t count = 1; t->line_count == count && count < LONE_ROWS; count++)
		set_open(b, t->lines[count - 1], true);
}

/* Filters the tree by b->filter. Updates *node to its new number. */
static void browse_filter(struct browse *b, uint32_t *node)
{
	if (!tree_filter(&b->tree, b->filter, node))
		browse_say(b, "out of memory");
}

static void apply_filter(struct browse *b)
{
	uint32_t node = browse_chosen(b);
	tree_close_opened(&b->tree, node);
	browse_filter(b, &node);
	if (b->filter[0] != '\0')
		tree_open_shown(&b->tree, FILTER_OPENS);
	browse_list(b);
	b->at = b->top = 0;
	browse_go_to(b, node);
}

/* Filters by the typed text, unless another key was typed: a million rows take time. */
static void filter_typed(struct browse *b)
{
	const int key = typed_key();
	if (key != ERR) {
		ungetch(key);
		return;
	}
	apply_filter(b);
}

/* Edits a text by a typed key. False if the key changes nothing. `choices`: see browse_prompt(). */
static bool edit(char *text, size_t room, const char *const *choices, int key)
{
	size_t size = strlen(text), next = 0;
	ASSERT(size < room);
	if (key == KEY_BACKSPACE || key == 127 || key == '\b') { /* Remove the last character. */
		while (size > 0 && ((unsigned char)text[size - 1] & 0xc0) == 0x80)
			size--;
		text[size > 0 ? size - 1 : 0] = '\0';
	} else if (key == 'U' - '@') {
		text[0] = '\0';
	} else if (key == '\t' && choices != NULL) { /* Take the next choice. */
		for (size_t i = 0; choices[i] != NULL; i++)
			if (strcmp(choices[i], text) == 0)
				next = choices[i + 1] != NULL ? i + 1 : 0;
		snprintf(text, room, "%s", choices[next]);
	} else if (key >= ' ' && key < 256 && size + 1 < room) {
		memcpy(text + size, (char[2]){ (char)key, '\0' }, 2);
	} else {
		return false;
	}
	return true;
}

static void draw_prompt(struct browse *b, const char *label, const char *text, bool choices)
{
	char line[600];
	browse_draw(b);
	snprintf(line, sizeof line, " %s: %s", label, text);
	const int used = browse_foot(line);
	if (choices && used + 24 < COLS)
		paint_right(LINES - 1, COLS - 24, 23, "Tab: another, Esc: none", PAINT_HEAD, false);
	paint_cursor(LINES - 1, used);
	refresh();
}

/* Lets the user edit a line. Tab cycles through `choices`. NULL ends the list; `choices` may be
 * NULL. Calls `typed` after each change, unless NULL. False if Esc was pressed. */
static bool browse_prompt(struct browse *b, const char *label, char *text, size_t room,
			  const char *const *choices, void (*typed)(struct browse *b))
{
	for (;;) {
		draw_prompt(b, label, text, choices != NULL);
		const int key = getch(); /* KEY_RESIZE also goes back to draw_prompt(). */
		paint_cursor(-1, 0);
		if (key == ESC || key == ERR)
			return false;
		if (key == '\r' || key == '\n' || key == KEY_ENTER)
			return true;
		if (edit(text, room, choices, key) && typed != NULL)
			typed(b);
	}
}

bool browse_take_table(struct browse *b, const struct browse_table *table, bool carried)
{
	struct tree tree;
	uint32_t node = browse_chosen(b);
	if (!tree_init(&tree, table) || (carried && !tree_carry(&tree, &b->tree, &node))) {
		tree_release(&tree);
		browse_say(b, "out of memory");
		return false;
	}
	tree_release(&b->tree);
	b->tree = tree;
	b->table = *table;
	memcpy(b->by, table->by, sizeof b->by);
	if (!carried)
		b->at = b->top = 0;
	if (b->filter[0] != '\0' && !carried) {
		apply_filter(b);
		return true;
	}
	const uint32_t line = b->at - b->top;
	if (b->filter[0] != '\0')
		browse_filter(b, &node);
	browse_list(b);
	if (carried)
		browse_go_to(b, node);
	else
		browse_open_lone(b);
	b->top = b->at > line ? b->at - line : 0;
	return true;
}

static void browse_open_table(struct browse *b, size_t input, const char *by)
{
	struct heft_err err = { .text = "" };
	struct browse_table table;
	browse_stop_waiting(b);
	if (!b->ops->open(b->ops->ctx, input, by, &table, &err)) {
		browse_say(b, "%s", err.text);
		return;
	}
	b->input = input;
	if (!browse_take_table(b, &table, false))
		b->quits = true; /* The previous table no longer exists. */
}

static bool open_desktop(char *path)
{
	posix_spawn_file_actions_t actions;
	char *const words[] = { (char *)(uintptr_t)"xdg-open", path, NULL };
	pid_t pid;
	if (posix_spawn_file_actions_init(&actions) != 0)
		return false;
	for (int fd = 0; fd <= 2; fd++)
		posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
	const bool good = posix_spawnp(&pid, words[0], &actions, NULL, words, environ) == 0;
	posix_spawn_file_actions_destroy(&actions);
	return good;
}

static void browse_write_page(struct browse *b)
{
	struct heft_err err = { .text = "" };
	char path[400];
	const char *const name = b->ops->title(b->ops->ctx, b->input);
	/* Of the title "NUMBER: COMMAND" of a process, uses only the number as the file's name. */
	const size_t size = b->table.lives ? strcspn(name, ":") : strlen(name);
	snprintf(path, sizeof path, "%.*s.html", (int)(size < 380 ? size : 380), name);
	if (!browse_prompt(b, "write a page to", path, sizeof path, NULL, NULL))
		return;
	const char *display = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
	const bool desktop = (display != NULL && display[0] != '\0') ||
			     (wayland != NULL && wayland[0] != '\0');
	if (!b->ops->page(b->ops->ctx, path, &err))
		browse_say(b, "%s", err.text);
	else if (desktop && open_desktop(path))
		browse_say(b, "wrote %.300s and opened it", path);
	else
		browse_say(b, "wrote %.300s; a browser shows it", path);
}

static void move_by(struct browse *b, int64_t by)
{
	const int64_t last = (int64_t)b->tree.line_count - 1;
	int64_t to = (int64_t)b->at + by;
	to = to > last ? last : to;
	b->at = to < 0 ? 0 : (uint32_t)to;
}

static void go_left(struct browse *b)
{
	const uint32_t node = browse_chosen(b);
	if (node == UINT32_MAX)
		return;
	if (b->tree.nodes[node].open)
		set_open(b, node, false);
	else
		browse_go_to(b, b->tree.nodes[node].parent);
}

static void browse_enter(struct browse *b)
{
	const uint32_t node = browse_chosen(b);
	if (node == UINT32_MAX)
		return;
	if (!tree_has_children(&b->tree, node)) {
		browse_card(b, node);
		return;
	}
	b->tree.root = node;
	browse_list(b);
	b->at = b->top = 0;
}

static void order(struct browse *b, size_t measure, enum tree_sort sort, bool reversed)
{
	const uint32_t node = browse_chosen(b);
	tree_set_order(&b->tree, measure, sort, reversed);
	browse_list(b);
	browse_go_to(b, node);
}

static void next_sort(struct browse *b)
{
	static const char *const names[] = { "size", "growth", "the old size", "name" };
	enum tree_sort sort = b->tree.sort == TREE_BY_NAME ? TREE_BY_SIZE : b->tree.sort + 1;
	if (!b->tree.diff && sort != TREE_BY_SIZE)
		sort = TREE_BY_NAME;
	order(b, b->tree.measure, sort, b->tree.reversed);
	browse_say(b, "sorted by %s",
		   b->tree.diff && sort == TREE_BY_SIZE ? "change" : names[sort]);
}

enum { WHEEL_LINES = 3, DOUBLE_MS = 400 };

/* Scrolls the lines. Moves the cursor if it would leave the screen. */
static void scroll_by(struct browse *b, int64_t by)
{
	const int64_t size = browse_page_size(), count = b->tree.line_count;
	int64_t top = (int64_t)b->top + by, at = b->at;
	top = top > count - size ? count - size : top;
	top = top < 0 ? 0 : top;
	at = at < top ? top : at > top + size - 1 ? top + size - 1 : at;
	b->top = (uint32_t)top;
	b->at = at >= count ? (count > 0 ? (uint32_t)count - 1 : 0) : (uint32_t)at;
}

static void click(struct browse *b, uint32_t line)
{
	if (line == UINT32_MAX)
		return;
	const bool again = line == b->clicked && browse_since(&b->click) < DOUBLE_MS;
	b->at = line;
	b->clicked = again ? UINT32_MAX : line;
	clock_gettime(CLOCK_MONOTONIC, &b->click);
	const uint32_t node = browse_chosen(b);
	if (again && tree_has_children(&b->tree, node))
		set_open(b, node, !b->tree.nodes[node].open);
	else if (again)
		browse_card(b, node);
}

static void take_mouse(struct browse *b)
{
	MEVENT e;
	if (getmouse(&e) != OK)
		return;
	if ((e.bstate & BUTTON4_PRESSED) != 0)
		scroll_by(b, -WHEEL_LINES);
	else if ((e.bstate & BUTTON5_PRESSED) != 0)
		scroll_by(b, WHEEL_LINES);
	else if ((e.bstate & BUTTON1_PRESSED) != 0)
		click(b, browse_line_at(b, e.y));
}

/* Moves the cursor by a key. False if the key does not move it. */
static bool moves(struct browse *b, int key)
{
	const uint32_t node = browse_chosen(b), was = b->tree.root;
	ASSERT(was < b->tree.count && (node == UINT32_MAX || node < b->tree.count));
	switch (key) {
	case KEY_DOWN:
	case 'j': move_by(b, 1); break;
	case KEY_UP:
	case 'k': move_by(b, -1); break;
	case KEY_NPAGE: move_by(b, browse_page_size()); break;
	case KEY_PPAGE: move_by(b, -browse_page_size()); break;
	case KEY_HOME:
	case 'g': b->at = 0; break;
	case KEY_END:
	case 'G': move_by(b, UINT32_MAX); break;
	case KEY_RIGHT:
	case 'l': set_open(b, browse_chosen(b), true); break;
	case KEY_LEFT:
	case 'h': go_left(b); break;
	case '*': /* Open or close all siblings of the row. */
		if (node == UINT32_MAX)
			break;
		tree_open_beside(&b->tree, node, !b->tree.nodes[node].open);
		browse_list(b);
		browse_go_to(b, node);
		break;
	case '\r':
	case '\n':
	case KEY_ENTER: browse_enter(b); break;
	case KEY_BACKSPACE:
	case 127:
	case '\b':
		b->tree.root = b->tree.nodes[was].parent;
		browse_list(b);
		b->at = b->top = 0;
		browse_go_to(b, was);
		break;
	case KEY_MOUSE: take_mouse(b); break;
	default: return false;
	}
	return true;
}

static void act(struct browse *b, int key)
{
	const uint32_t node = browse_chosen(b);
	const size_t measure = browse_next_measure(b, b->tree.measure);
	const size_t next = (b->input + 1) % b->ops->input_count;
	char by[sizeof b->by];
	ASSERT(b->tree.table != NULL && b->input < b->ops->input_count);
	switch (key) {
	case '/':
		if (!browse_prompt(b, "filter", b->filter, sizeof b->filter, NULL, filter_typed))
			b->filter[0] = '\0';
		apply_filter(b);
		break;
	case ESC:
		if (b->filter[0] == '\0')
			break;
		b->filter[0] = '\0';
		apply_filter(b);
		break;
	case 'd':
		memcpy(by, b->by, sizeof by);
		if (browse_prompt(b, "group by", by, sizeof by,
				  b->ops->groups(b->ops->ctx, b->input), NULL) &&
		    strcmp(by, b->by) != 0)
			browse_open_table(b, b->input, by);
		break;
	case 's': next_sort(b); break;
	case 'r': order(b, b->tree.measure, b->tree.sort, !b->tree.reversed); break;
	case 'm':
		order(b, measure, b->tree.sort, b->tree.reversed);
		browse_say(b, "measured in %s", b->tree.table->measures[measure].title);
		break;
	case ' ':
		if (node == UINT32_MAX)
			break;
		tree_mark(&b->tree, node, !b->tree.nodes[node].marked);
		move_by(b, 1);
		break;
	case 'u': tree_unmark_all(&b->tree); break;
	case '\t':
		if (next != b->input)
			browse_open_table(b, next, NULL);
		break;
	case 'i':
		if (node != UINT32_MAX)
			browse_card(b, node);
		break;
	case 'x':
		if (node != UINT32_MAX)
			browse_code(b, node);
		break;
	case 'n': browse_notes(b); break;
	case 'o': browse_write_page(b); break;
	case '?': browse_help(b); break;
	case 'q':
	case ERR: b->quits = true; break; /* The terminal is gone. */
	default: break;
	}
}

static void browse_look(struct browse *b)
{
	while (!b->quits) {
		browse_catch_up(b);
		browse_draw(b);
		refresh();
		const int key = browse_key(b, browse_patience(b));
		if (key == KEY_NONE)
			continue;
		b->said[0] = '\0';
		if (!moves(b, key))
			act(b, key);
	}
}

bool browse_run(const struct browse_ops *ops, const char *by, unsigned flags, struct heft_err *err)
{
	struct browse b = { .ops = ops, .clicked = UINT32_MAX };
	setlocale(LC_CTYPE, "");
	loader_init(&b.loader, ops);
	const bool good = browse_begin(&b, by, flags, err);
	if (good) {
		if (ops->notes(ops->ctx, 0, NULL) > 0)
			browse_say(&b, "some of the input was odd: n shows the notes");
		browse_look(&b);
		paint_end();
	}
	loader_release(&b.loader);
	tree_release(&b.tree);
	return good;
}
