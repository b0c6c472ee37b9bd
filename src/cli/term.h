/* term.h - finds the width and colours of the terminal, and shows a line of progress. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum term_when { TERM_AUTO, TERM_ALWAYS, TERM_NEVER };

/* Returns the columns of stdout: $COLUMNS, otherwise the terminal's width, otherwise 80. 0 if
 * stdout is not a terminal. */
unsigned term_width(void);

/* True if stdout gets colours. With TERM_AUTO: no if NO_COLOR is set and not empty; yes if
 * CLICOLOR_FORCE is set, not empty and not "0"; otherwise yes if stdout is a terminal and TERM is
 * not "dumb". */
bool term_color(enum term_when when);

/* Prints `text` with each control character as \x and two digits, for a terminal. */
void print_tame(const char *text, FILE *to);

/* A progress line on stderr, rewritten in place. The line appears when work takes more than half a
 * second. It never appears if stderr is not a terminal. */
struct progress {
	bool wanted, shown;
	struct timespec start, drawn;
};

void progress_init(struct progress *p);
/* Shows progress. A heft_progress_fn whose ctx is the struct progress. Always returns true. */
bool progress_show(void *ctx, const char *what, uint64_t done, uint64_t total);
/* Erases the progress line. Call it before anything else is printed. */
void progress_erase(struct progress *p);
/* Erases the progress line for good. Call it before results are written. */
void progress_end(struct progress *p);
