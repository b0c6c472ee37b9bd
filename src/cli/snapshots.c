#include "cli/snapshots.h"

#include "cli/notes.h"

void snapshot_settings_init(struct snapshot_settings *s, const struct cli *cli)
{
	*s = (struct snapshot_settings){ .finder = cli_made(cli, heft_finder_new()) };
}

void snapshot_settings_release(struct snapshot_settings *s)
{
	heft_finder_free(s->finder);
}

static struct heft_snapshot *snapshots_new(const struct cli *cli, const struct snapshot_settings *s)
{
	struct heft_snapshot *snapshot = cli_made(cli, heft_snapshot_new());
	heft_snapshot_set_finder(snapshot, s->finder);
	heft_snapshot_set_flags(snapshot, s->flags);
	if (s->components)
		heft_snapshot_set_components(snapshot, s->components);
	heft_snapshot_set_progress(snapshot, progress_show, cli->progress);
	return snapshot;
}

const struct heft_note *snapshot_note(const void *handle, size_t i)
{
	return heft_snapshot_note(handle, i);
}

static void snapshots_print_notes(const struct cli *cli, const struct snapshot_settings *s,
				  const struct heft_snapshot *snapshot)
{
	notes_print(cli, snapshot, snapshot_note, heft_snapshot_note_count(snapshot), s->verbose);
}

struct heft_snapshot *snapshot_open(const struct cli *cli, const struct snapshot_settings *s,
				    const char *path)
{
	struct heft_snapshot *snapshot = snapshots_new(cli, s);
	struct heft_err err;
	const bool ok = heft_snapshot_open(snapshot, path, &err);
	if (!ok)
		cli_failed(cli, &err);
	snapshots_print_notes(cli, s, snapshot);
	if (ok)
		return snapshot;
	heft_snapshot_free(snapshot);
	return NULL;
}

bool snapshot_open_pair(const struct cli *cli, const struct snapshot_settings *s,
			const char *const paths[2], struct heft_snapshot **ret_before,
			struct heft_snapshot **ret_after)
{
	struct heft_snapshot *before = snapshots_new(cli, s), *after = snapshots_new(cli, s);
	struct heft_err err;
	const bool ok = heft_snapshot_open_pair(before, paths[0], after, paths[1], &err);
	if (!ok)
		cli_failed(cli, &err);
	snapshots_print_notes(cli, s, after);
	snapshots_print_notes(cli, s, before);
	if (ok) {
		*ret_before = before;
		*ret_after = after;
		return true;
	}
	heft_snapshot_free(before);
	heft_snapshot_free(after);
	return false;
}

static bool write_findings(void *ctx, FILE *to, struct heft_err *err)
{
	const struct heft_quality *q = ctx;
	const struct heft_quality_finding *f;
	(void)err;
	for (size_t i = 0; (f = heft_quality_finding(q, i)) != NULL; i++)
		fprintf(to, "%-8s%s%s%s: %s\n", f->error ? "error" : "note", f->container,
			*f->container ? " " : "", f->section, f->text);
	if (heft_quality_finding_count(q) == 0)
		fputs("nothing looks wrong\n", to);
	return !ferror(to);
}

int snapshot_judge(const struct cli *cli, const struct heft_snapshot *s, const char *path)
{
	const struct heft_quality_finding *f;
	struct heft_err err;
	struct heft_quality *q = heft_quality_new(s, &err);
	if (q == NULL)
		return cli_failed(cli, &err);
	int status = outfile_write(cli, path, write_findings, q);
	for (size_t i = 0; (f = heft_quality_finding(q, i)) != NULL; i++)
		if (f->error && status == EXIT_FINE)
			status = EXIT_NO;
	heft_quality_free(q);
	return status;
}
