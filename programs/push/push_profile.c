/* Implements heft push profile: sends a profile that heft heap show --pprof wrote. */
#include "push/push.h"

#include "push/pusher.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { O_TO = O_OWN, O_SERVICE, O_ADDRESSES };

const struct opt push_profile_opts[] = {
	{ O_TO, 0, false, "to", "URL",
	  "pyroscope://HOST:4040, parca://HOST:7070 or any\n"
	  "                              http address" },
	{ O_SERVICE, 0, false, "service", "NAME", "its name there (default: heft)" },
	{ O_ADDRESSES, 0, false, "addresses", NULL,
	  "it has no names: the receiver finds them itself" },
#include "cli/last_opts.inc"
	{ 0 },
};

const char push_profile_manual[] =
	"Posts a profile in pprof's form, from FILE or standard input:\n"
	"heft heap show --pprof DUMP | heft push profile --to=pyroscope://HOST:4040\n";

struct push_profile_job {
	const struct cli *cli;
	const char *url, *file; /* NULL if not given */
	struct push_profile profile;
};

static bool push_profile_option(void *ctx, const struct opt *o, const char *value)
{
	struct push_profile_job *job = ctx;
	switch (o->id) {
	case O_TO: job->url = value; break;
	case O_SERVICE: job->profile.service = value; break;
	case O_ADDRESSES: job->profile.addresses = true; break;
	default: break;
	}
	return true;
}

static bool push_profile_operand(void *ctx, const char *word)
{
	struct push_profile_job *job = ctx;
	if (job->file)
		return cli_error(job->cli, "one profile at a time: %s", word), false;
	job->file = word;
	return true;
}

/* Reads a whole file into malloc'ed memory. NULL after a message. */
static char *file_read(const struct cli *cli, const char *path, size_t *ret_size)
{
	char piece[65536], *data = NULL;
	size_t size;
	FILE *from = path ? fopen(path, "rb") : stdin;
	if (!from) {
		cli_error(cli, "%s: %s", path, strerror(errno));
		return NULL;
	}
	FILE *to = open_memstream(&data, ret_size);
	while (to && (size = fread(piece, 1, sizeof piece, from)) > 0)
		fwrite(piece, 1, size, to);
	const bool is_read = !ferror(from), is_kept = to && fclose(to) == 0;
	if (path)
		fclose(from);
	if (is_read && is_kept)
		return data;
	free(data);
	cli_error(cli, "%s: %s", path ? path : "standard input",
		  is_read ? "out of memory" : "cannot be read");
	return NULL;
}

static int profile_push(struct push_profile_job *job)
{
	struct receiver to;
	struct heft_err err;
	char host[HOST_MOST];
	if (!job->url)
		return cli_error(job->cli, "must specify where to push: --to=URL");
	if (!receiver_parse(&to, job->url, &err))
		return cli_error(job->cli, "--to: %s", err.text);
	char *data = file_read(job->cli, job->file, &job->profile.size);
	if (!data)
		return EXIT_TROUBLE;
	host_name(host);
	job->profile.data = data;
	job->profile.host = host;
	const bool is_empty = job->profile.size == 0;
	const bool good = !is_empty && receiver_send(&to, &job->profile, &err);
	free(data);
	if (is_empty)
		return cli_error(job->cli, "%s: there is no profile in it",
				 job->file ? job->file : "standard input");
	return good ? EXIT_FINE : cli_failed(job->cli, &err);
}

int cmd_push_profile(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { push_profile_option, push_profile_operand };
	struct push_profile_job job = { .cli = cli, .profile = { .service = "heft" } };
	const int status = cli_parse(cli, argc, argv, &words, &job);
	return status == CLI_GO_ON ? profile_push(&job) : status;
}
