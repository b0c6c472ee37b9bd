/* term.h - the terminal: is there one, how wide, does it want colour; a line of progress. */
#ifndef HEFT_CLI_TERM_H
#define HEFT_CLI_TERM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum term_when { TERM_AUTO, TERM_ALWAYS, TERM_NEVER };

/* Columns of stdout: $COLUMNS, else the terminal's own word, else 80; 0 if stdout is no
 * terminal. */
unsigned term_width(void);

/* Whether stdout gets colours.  TERM_AUTO: not with NO_COLOR set and not empty, yes with
 * CLICOLOR_FORCE (not empty, not "0"), else if stdout is a terminal and TERM is not "dumb". */
bool term_color(enum term_when when);

/* `text` without anything that acts on a terminal: control characters become \x and two digits. */
void print_tame(const char *text, FILE *to);

/* One line on stderr, rewritten in place, for work that takes longer than half a second;
 * nothing at all where stderr is no terminal. */
struct progress {
	bool wanted, shown;
	struct timespec start, drawn;
};

void progress_init(struct progress *p);
/* A heft_progress_fn; ctx is the struct progress. */
bool progress_show(void *ctx, const char *what, uint64_t done, uint64_t total);
/* Leaves an empty line behind; call before anything else is printed. */
void progress_erase(struct progress *p);
/* The same, and no line comes back: results are written from now on. */
void progress_end(struct progress *p);

#endif
