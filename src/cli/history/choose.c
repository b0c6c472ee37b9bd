#include "cli/history/choose.h"

bool history_apply(struct history_settings *s, const struct opt *o, const char *value)
{
	switch (o->id) {
	case O_STORE: s->store = value; break;
	case O_PRODUCT: s->query.product = value; break;
	case O_CONFIG_OF: s->query.config = value; break;
	case O_BRANCH: s->query.branch = value; break;
	default: return false;
	}
	return true;
}

struct heft_history *history_open(const struct cli *cli, struct history_settings *s)
{
	return history_open_for(cli, s, 0);
}

struct heft_history *history_open_for(const struct cli *cli, struct history_settings *s,
				      unsigned flags)
{
	struct heft_err err;
	struct heft_history *h = heft_history_open(s->store ? s->store : "history.db", flags, &err);
	s->query.size = sizeof s->query;
	if (h && heft_history_select(h, &s->query, &err))
		return h;
	cli_failed(cli, &err);
	heft_history_free(h);
	return NULL;
}

struct heft_snapshot *history_read(const struct cli *cli, struct heft_history *h, const char *word,
				   const char *components)
{
	struct heft_build b = { .size = sizeof b };
	struct heft_err err;
	size_t place;
	if (!heft_history_find(h, word, &place, &err) || !heft_history_build(h, place, &b)) {
		cli_failed(cli, &err);
		return NULL;
	}
	struct heft_snapshot *s = cli_made(cli, heft_snapshot_new());
	heft_snapshot_set_progress(s, progress_show, cli->progress);
	if (components)
		heft_snapshot_set_components(s, components);
	if (heft_history_read(h, b.id, s, &err))
		return s;
	cli_failed(cli, &err);
	heft_snapshot_free(s);
	return NULL;
}

bool history_read_pair(const struct cli *cli, struct heft_history *h, const char *const words[2],
		       const char *components, struct heft_snapshot *ret[2])
{
	ret[0] = history_read(cli, h, words[0], components);
	ret[1] = ret[0] ? history_read(cli, h, words[1], components) : NULL;
	if (ret[1])
		return true;
	heft_snapshot_free(ret[0]);
	return false;
}
