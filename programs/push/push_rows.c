/* Implements heft push rows: sends the output of heft rows, in requests of a few megabytes. */
#include "push/push.h"

#include "push/http.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REQUEST = 4 << 20, TRIES = 4, SECONDS_MOST = 60 };

struct push_rows {
	struct command_run run;
	const char *url, *file; /* NULL if not given */
	struct http *http;
	char *bytes; /* Bytes of the current request. Has room for REQUEST bytes */
	size_t size;
};

const struct opt push_rows_opts[] = {
	{ 0, 0, false, "to", "URL", "any http or https address", KEEPS(struct push_rows, url) },
#include "cli/last_opts.inc"
};

const char push_rows_manual[] =
	"Posts rows, an object of JSON a line, from FILE or standard input:\n"
	"heft rows FILE... | heft push rows --to=URL\n";

/* Sends a request. Repeats it if the server is busy or unreachable. False after a message. */
static bool rows_send(struct push_rows *p, const char *data, size_t size)
{
	struct heft_err err;
	for (unsigned i = 0; i < TRIES; i++) {
		const struct timespec pause = { 1 << i, 0 };
		if (http_post(p->http, data, size, &err))
			return true;
		const unsigned status = http_status(p->http);
		if ((status != 0 && status < 500) || i + 1 == TRIES)
			break;
		nanosleep(&pause, NULL);
	}
	return cli_failed(p->run.cli, &err), false;
}

/* Adds a row. A row larger than a request is sent alone. False if a request fails. */
static bool row_add(struct push_rows *p, const char *row, size_t size)
{
	if (size > REQUEST - p->size && p->size > 0) {
		if (!rows_send(p, p->bytes, p->size))
			return false;
		p->size = 0;
	}
	ASSERT(p->size <= REQUEST && (size <= REQUEST - p->size || p->size == 0));
	if (size > REQUEST)
		return rows_send(p, row, size);
	memcpy(p->bytes + p->size, row, size);
	p->size += size;
	return true;
}

static int rows_push(struct push_rows *p, FILE *from)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t size;
	bool good = true;
	while (good && (size = getline(&line, &room, from)) > 0)
		good = row_add(p, line, (size_t)size);
	free(line);
	if (!good)
		return EXIT_TROUBLE;
	if (!feof(from))
		return cli_error(p->run.cli, "%s: %s", p->file ? p->file : "standard input",
				 strerror(errno));
	return p->size == 0 || rows_send(p, p->bytes, p->size) ? EXIT_FINE : EXIT_TROUBLE;
}

static int push_rows(struct push_rows *p)
{
	struct heft_err err;
	if (p->run.word_count > 1)
		return cli_error(p->run.cli, "one file at a time: %s", p->run.words[1]);
	p->file = p->run.words[0];
	if (!p->url)
		return cli_error(p->run.cli, "must specify where to push: --to=URL");
	FILE *from = p->file ? fopen(p->file, "r") : stdin;
	if (!from)
		return cli_error(p->run.cli, "%s: %s", p->file, strerror(errno));
	p->http = http_open(p->url, "Content-Type: application/x-ndjson", SECONDS_MOST, &err);
	p->bytes = malloc(REQUEST);
	const int status = !p->http    ? cli_error(p->run.cli, "--to: %s", err.text)
			   : !p->bytes ? cli_error(p->run.cli, "out of memory")
				       : rows_push(p, from);
	if (p->file)
		fclose(from);
	free(p->bytes);
	http_close(p->http);
	return status;
}

int cmd_push_rows(const struct cli *cli, int argc, char **argv)
{
	struct push_rows p = { .run = { .cli = cli } };
	int status = cli_parse(&p, argc, argv, NULL);
	if (status == CLI_GO_ON)
		status = push_rows(&p);
	run_release(&p.run);
	return status;
}
