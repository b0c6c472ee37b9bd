/* Finds the width and colours of the terminal, and shows the progress line. */
#include "cli/term.h"

#include "base/os/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool env_set(const char *name)
{
	const char *value = getenv(name);
	return value != NULL && *value != '\0';
}

static bool is_terminal(int fd)
{
	const char *term = getenv("TERM");
	return isatty(fd) && (term == NULL || strcmp(term, "dumb") != 0);
}

unsigned term_width(void)
{
	if (!isatty(STDOUT_FILENO))
		return 0;
	const char *columns = getenv("COLUMNS");
	const unsigned long typed = columns != NULL ? strtoul(columns, NULL, 10) : 0;
	if (typed > 0 && typed < 10000)
		return (unsigned)typed;
	const unsigned wide = os_terminal_columns();
	return wide > 0 ? wide : 80;
}

bool term_color(enum term_when when)
{
	if (when != TERM_AUTO)
		return when == TERM_ALWAYS;
	if (env_set("NO_COLOR"))
		return false;
	if (env_set("CLICOLOR_FORCE") && strcmp(getenv("CLICOLOR_FORCE"), "0") != 0)
		return true;
	return is_terminal(STDOUT_FILENO);
}

void print_tame(const char *text, FILE *to)
{
	unsigned char before = 0;
	for (const char *at = text; *at != '\0'; at++) {
		const unsigned char c = (unsigned char)*at;
		/* C1 controls are the bytes 0x80 to 0x9f, alone or after 0xc2 in UTF-8. */
		if (c < 0x20 || c == 0x7f ||
		    (c >= 0x80 && c < 0xa0 && (before < 0x80 || before == 0xc2)))
			fprintf(to, "\\x%02x", c);
		else
			putc(c, to);
		before = c;
	}
}

enum { WAIT_MS = 500, REDRAW_MS = 100 };

void progress_init(struct progress *p)
{
	*p = (struct progress){ .wanted = is_terminal(STDERR_FILENO) };
	clock_gettime(CLOCK_MONOTONIC, &p->start);
}

bool progress_show(void *ctx, const char *what, uint64_t done, uint64_t total)
{
	struct progress *p = ctx;
	if (!p->wanted)
		return true;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	const struct timespec *last = p->shown ? &p->drawn : &p->start;
	const int64_t ms = ((int64_t)now.tv_sec - (int64_t)last->tv_sec) * 1000 +
			   (now.tv_nsec - last->tv_nsec) / 1000000;
	if (ms < (p->shown ? REDRAW_MS : WAIT_MS))
		return true;
	fputs("\r", stderr);
	if (total > 0)
		fprintf(stderr, "%3.0f%% of %.1f MiB, ", 100.0 * (double)done / (double)total,
			(double)total / 1048576.0);
	print_tame(what, stderr);
	fputs("\033[K", stderr);
	fflush(stderr);
	p->shown = true;
	p->drawn = now;
	return true;
}

void progress_erase(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	fflush(stderr);
	p->shown = false;
}

void progress_end(struct progress *p)
{
	progress_erase(p);
	p->wanted = false;
}
