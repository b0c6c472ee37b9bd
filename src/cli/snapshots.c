/* Opens and checks snapshots for commands. */
#include "cli/snapshots.h"

static struct heft_snapshot *snapshots_new(const struct snapshot_run *s,
					   struct heft_session *session)
{
	struct heft_snapshot *snapshot = cli_made(s->run.cli, heft_snapshot_new(session));
	heft_snapshot_set_flags(snapshot, s->flags);
	if (s->components)
		heft_snapshot_set_components(snapshot, s->components);
	return snapshot;
}

struct heft_snapshot *snapshot_open(const struct snapshot_run *s, const char *path)
{
	const struct cli *cli = s->run.cli;
	struct heft_session *session = cli_made(cli, heft_session_copy(s->run.session));
	struct heft_snapshot *snapshot = snapshots_new(s, session);
	struct heft_err err;
	const bool ok = heft_snapshot_open(snapshot, path, &err);
	if (!ok)
		cli_failed(cli, &err);
	notes_print(cli, session, s->run.verbose);
	heft_session_free(session);
	if (ok)
		return snapshot;
	heft_snapshot_free(snapshot);
	return NULL;
}

bool snapshot_open_pair(const struct snapshot_run *s, const char *const paths[2],
			struct heft_snapshot **ret_before, struct heft_snapshot **ret_after)
{
	const struct cli *cli = s->run.cli;
	struct heft_session *session = cli_made(cli, heft_session_copy(s->run.session));
	/* The later build is first, so that its notes are printed first. */
	*ret_after = snapshots_new(s, session);
	*ret_before = snapshots_new(s, session);
	struct heft_err err;
	const bool ok = heft_snapshot_open_pair(*ret_before, paths[0], *ret_after, paths[1], &err);
	if (!ok)
		cli_failed(cli, &err);
	notes_print(cli, session, s->run.verbose);
	heft_session_free(session);
	if (ok)
		return true;
	heft_snapshot_free(*ret_before);
	heft_snapshot_free(*ret_after);
	*ret_before = *ret_after = NULL;
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
	ASSERT(s != NULL);
	int status = outfile_write(cli, path, write_findings, q);
	for (size_t i = 0; (f = heft_quality_finding(q, i)) != NULL; i++)
		if (f->error && status == EXIT_FINE)
			status = EXIT_NO;
	heft_quality_free(q);
	return status;
}

static size_t snapshots_count_state(const struct heft_budget *b, enum heft_budget_state state)
{
	size_t n = 0;
	for (size_t i = 0; i < heft_budget_row_count(b); i++)
		n += heft_budget_row(b, i)->state == state;
	return n;
}

int budget_verdict(const struct cli *cli, const struct heft_budget *b, const char *path,
		   bool allow_no_base)
{
	const size_t unmatched = snapshots_count_state(b, HEFT_BUDGET_UNMATCHED);
	const size_t skipped = snapshots_count_state(b, HEFT_BUDGET_SKIPPED);
	const size_t unknown = snapshots_count_state(b, HEFT_BUDGET_UNKNOWN);
	if (unknown > 0)
		return cli_error(cli, "%s: %zu of %zu limits ask what is not known", path, unknown,
				 heft_budget_row_count(b));
	if (unmatched > 0)
		return cli_error(cli, "%s: %zu of %zu limits match nothing", path, unmatched,
				 heft_budget_row_count(b));
	if (skipped > 0 && !allow_no_base)
		return cli_error(cli,
				 "%s: %zu limits of growth need --base=OLD, or --allow-no-base",
				 path, skipped);
	return snapshots_count_state(b, HEFT_BUDGET_BROKEN) > 0 ? EXIT_NO : EXIT_FINE;
}
