#include "cli/snapshots.h"

#include "cli/notes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool snapshot_settings_init(struct snapshot_settings *s, const struct cli *cli, int argc)
{
	*s = (struct snapshot_settings){ .dirs = calloc((size_t)argc + 1, sizeof *s->dirs) };
	if (s->dirs == NULL)
		cli_error(cli, "out of memory");
	return s->dirs != NULL;
}

void snapshot_settings_release(struct snapshot_settings *s)
{
	free(s->dirs);
}

bool snapshot_settings_apply(struct snapshot_settings *s, const struct opt *o, const char *value)
{
	switch (o->id) {
	case O_SNAPSHOT_MAP: s->no_map = true; return true;
	case O_SNAPSHOT_DIR: s->dirs[s->dir_count++] = value; return true;
	case O_SNAPSHOT_NO_SEARCH: s->no_search = true; return true;
	case O_SNAPSHOT_VERBOSE: s->verbose = true; return true;
	default: return false;
	}
}

struct heft_snapshot *snapshot_open(const struct cli *cli, const struct snapshot_settings *s,
				    const char *path)
{
	struct heft_snapshot *snapshot = heft_snapshot_new();
	struct heft_err err;
	for (size_t i = 0; i < s->dir_count; i++)
		heft_snapshot_add_debug_dir(snapshot, s->dirs[i]);
	heft_snapshot_set_find_debug(snapshot, !s->no_search);
	if (s->no_map)
		heft_snapshot_set_map(snapshot, NULL);
	heft_snapshot_set_threads(snapshot, 0);
	const bool ok = heft_snapshot_open(snapshot, path, &err);
	if (!ok)
		cli_failed(cli, &err);
	for (size_t i = 0; i < heft_snapshot_note_count(snapshot); i++)
		note_print(cli, heft_snapshot_note(snapshot, i), s->verbose);
	if (ok)
		return snapshot;
	heft_snapshot_free(snapshot);
	return NULL;
}

bool put_to_file(void *ctx, const void *data, size_t size)
{
	return fwrite(data, 1, size, ctx) == size;
}

static int cannot_write(const struct cli *cli, const char *path)
{
	return cli_error(cli, "%s: cannot write: %s", path ? path : "standard output",
			 strerror(errno));
}

int snapshot_output(const struct cli *cli, const char *path,
		    bool (*write)(void *ctx, FILE *to, struct heft_err *err), void *ctx)
{
	struct outfile out;
	struct heft_err err;
	if (!outfile_open(&out, path))
		return cannot_write(cli, path);
	if (!write(ctx, out.f, &err) && !ferror(out.f)) {
		outfile_drop(&out);
		return cli_failed(cli, &err);
	}
	return outfile_close(&out) ? EXIT_FINE : cannot_write(cli, path);
}

bool cli_number(const struct cli *cli, const struct opt *o, const char *value, uint64_t max,
		uint64_t *ret)
{
	char *end;
	errno = 0;
	const unsigned long long n = strtoull(value, &end, 10);
	if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || n > max)
		return cli_bad_value(cli, o, value, "a number, 0 or more");
	*ret = n;
	return true;
}
