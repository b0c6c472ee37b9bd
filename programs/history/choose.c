/* Opens the history of the options, and selects its builds. */
#include "history/choose.h"

#include "base/packed_sink.h"

bool history_open(const struct cli *cli, const struct history_settings *s, unsigned flags,
		  struct history *ret)
{
	struct heft_err err;
	if (!store_open(&ret->store, s->store ? s->store : "history.db", flags, &err)) {
		cli_failed(cli, &err);
		return false;
	}
	timeline_make(&ret->timeline, &ret->store, &s->filter);
	return true;
}

void history_close(struct history *h)
{
	timeline_release(&h->timeline);
	store_close(&h->store);
}

bool history_run_open(struct history_run *h, unsigned flags)
{
	return history_open(h->run.cli, &h->settings, flags, &h->history);
}

void history_run_release(struct history_run *h)
{
	history_close(&h->history);
	run_release(&h->run);
}

bool history_has_no_words(const struct command_run *run)
{
	if (run->word_count == 0)
		return true;
	cli_error(run->cli, "'%s': no operand is wanted; try '%s --help'", run->words[0],
		  run->cli->usage);
	return false;
}

void history_select(struct history *h, const struct build_filter *f)
{
	timeline_release(&h->timeline);
	timeline_make(&h->timeline, &h->store, f);
}

struct heft_snapshot *history_read(const struct cli *cli, struct history *h, const char *word,
				   const char *components)
{
	struct heft_err err;
	const struct build *b = timeline_find(&h->timeline, word, &err);
	if (!b) {
		cli_failed(cli, &err);
		return NULL;
	}
	struct heft_session *session = cli_session(cli);
	struct heft_snapshot *s = store_read(&h->store, b->id, session, components, &err);
	heft_session_free(session);
	if (!s)
		cli_failed(cli, &err);
	return s;
}

bool history_read_pair(const struct cli *cli, struct history *h, const char *const words[2],
		       const char *components, struct heft_snapshot *ret[2])
{
	ret[0] = history_read(cli, h, words[0], components);
	ret[1] = ret[0] ? history_read(cli, h, words[1], components) : NULL;
	if (ret[1])
		return true;
	heft_snapshot_free(ret[0]);
	return false;
}

struct choose_rows_job {
	const struct output *out;
	struct heft_query_opts opts;
	bool zstd;
	bool (*write)(void *ctx, struct heft_answer *to, struct heft_err *err);
	void *ctx;
};

static bool choose_rows_put(const struct choose_rows_job *job, const struct heft_sink *sink,
			    struct heft_err *err)
{
	struct heft_answer *a = heft_answer_new(&job->opts, sink, err);
	const bool ok = a && job->write(job->ctx, a, err) && heft_answer_end(a, err);
	heft_answer_free(a);
	return ok;
}

static bool choose_rows_write(void *ctx, FILE *to, struct heft_err *err)
{
	enum { LEVEL = 6 };
	const struct choose_rows_job *job = ctx;
	const struct heft_sink sink = output_sink(job->out, to);
	if (!job->zstd)
		return choose_rows_put(job, &sink, err);
	struct packed_sink *packed = packed_sink_open(&sink, LEVEL, err);
	if (!packed)
		return false;
	const struct heft_sink into = packed_sink_of(packed);
	const bool ok = choose_rows_put(job, &into, err) &&
			(packed_sink_end(packed) ||
			 fail(err, HEFT_EIO, HEFT_NO_OFFSET, "the output took no more"));
	packed_sink_close(packed);
	return ok;
}

int history_write(const struct command_run *run, uint32_t usual, bool zstd,
		  bool (*write)(void *ctx, struct heft_answer *to, struct heft_err *err), void *ctx)
{
	const struct output *out = &run->out;
	struct choose_rows_job job = { .out = out,
				       .opts = { .size = sizeof job.opts,
						 .format = out->write.format,
						 .rows = output_rows(out, usual),
						 .width = out->write.width,
						 .csv_safe = out->write.csv_safe },
				       .zstd = zstd,
				       .write = write,
				       .ctx = ctx };
	return outfile_write(run->cli, out->path, choose_rows_write, &job);
}
