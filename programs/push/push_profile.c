/* Implements heft push profile: sends a profile that heft heap show --pprof wrote. */
#include "push/push.h"

#include "push/pusher.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct push_profile_job {
	struct command_run run;
	const char *url, *file; /* NULL if not given */
	struct push_profile profile;
};

const struct opt push_profile_opts[] = {
	{ 0, 0, false, "to", "URL",
	  "pyroscope://HOST:4040, parca://HOST:7070 or any\n"
	  "                              http address",
	  KEEPS(struct push_profile_job, url) },
	{ 0, 0, false, "service", "NAME", "its name there (default: heft)",
	  KEEPS(struct push_profile_job, profile.service) },
	{ 0, 0, false, "addresses", NULL, "it has no names: the receiver finds them itself",
	  SETS(struct push_profile_job, profile.addresses) },
#include "cli/last_opts.inc"
};

const char push_profile_manual[] =
	"Posts a profile in pprof's form, from FILE or standard input:\n"
	"heft heap show --pprof DUMP | heft push profile --to=pyroscope://HOST:4040\n";

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
	if (job->run.word_count > 1)
		return cli_error(job->run.cli, "one profile at a time: %s", job->run.words[1]);
	job->file = job->run.words[0];
	if (!job->url)
		return cli_error(job->run.cli, "must specify where to push: --to=URL");
	if (!receiver_parse(&to, job->url, &err))
		return cli_error(job->run.cli, "--to: %s", err.text);
	char *data = file_read(job->run.cli, job->file, &job->profile.size);
	if (!data)
		return EXIT_TROUBLE;
	host_name(host);
	job->profile.data = data;
	job->profile.host = host;
	const bool is_empty = job->profile.size == 0;
	const bool good = !is_empty && receiver_send(&to, &job->profile, &err);
	free(data);
	if (is_empty)
		return cli_error(job->run.cli, "%s: there is no profile in it",
				 job->file ? job->file : "standard input");
	return good ? EXIT_FINE : cli_failed(job->run.cli, &err);
}

int cmd_push_profile(const struct cli *cli, int argc, char **argv)
{
	struct push_profile_job job = { .run = { .cli = cli }, .profile = { .service = "heft" } };
	int status = cli_parse(&job, argc, argv, NULL);
	if (status == CLI_GO_ON)
		status = profile_push(&job);
	run_release(&job.run);
	return status;
}
