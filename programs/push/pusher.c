/* Sends heap profiles of recorded processes to a receiver. */
#include "push/pusher.h"

#include "cli/outfile.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_MOST = 2048 };

/* A process whose profiles are pushed. */
struct pushed {
	uint32_t pid;
	bool wanted;
};

struct pusher {
	const struct cli *cli;
	struct receiver to;
	struct push_options options;
	char host[HOST_MOST];
	char name_cache[PATH_MOST]; /* Directory of heft_heap_set_name_cache(). "" for no cache */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct pushed *list; /* Processes, in the order of the first requests */
	size_t count, room;
	bool ends;
	uint64_t posted, failed, refused; /* `refused`: 1 after the receiver has refused the last
					   * profile of an ended process, else 0 */
};

/* Writes live blocks by stack. Receivers add up profiles, so totals would count repeatedly. */
static bool write_profile(struct heft_heap *h, FILE *to, struct heft_err *err)
{
	const struct heft_write_opts opts = { .size = sizeof opts,
					      .format = HEFT_PPROF,
					      .live_only = true };
	const struct heft_heap_query query = { .size = sizeof query };
	struct heft_heap_report *r = heft_heap_report_new(h, NULL, &query, err);
	const bool good = r && heft_heap_report_write(r, &opts,
						      &(struct heft_sink){ outfile_put, to }, err);
	heft_heap_report_free(r);
	return good;
}

static bool send_profile(const struct pusher *p, struct heft_heap *h, uint32_t pid,
			 struct heft_err *err)
{
	struct push_profile profile = { .service = p->options.service,
					.host = p->host,
					.pid = pid,
					.addresses = p->options.addresses };
	char *data = NULL;
	FILE *to = open_memstream(&data, &profile.size);
	bool good = to != NULL ? write_profile(h, to, err) : cli_no_memory(err);
	if (to != NULL && fclose(to) != 0)
		good = cli_no_memory(err);
	profile.data = data;
	good = good && receiver_send(&p->to, &profile, err);
	free(data);
	return good;
}

/* Sends a profile of the process, or of the file that it left. False if the receiver did not accept
 * it. A missing profile is not a failure. */
static bool pusher_push(struct pusher *p, uint32_t pid, const char *path, bool may_be_none)
{
	struct heft_err err = { 0 };
	struct heft_session *s = heft_session_new();
	struct heft_heap *h = heft_heap_new(s);
	bool good = h != NULL || cli_no_memory(&err);
	if (good && p->options.addresses)
		heft_heap_set_flags(h, HEFT_HEAP_NO_NAMES);
	if (good)
		heft_session_set_threads(s, 1);
	if (good && *p->name_cache)
		heft_heap_set_name_cache(h, p->name_cache);
	const bool opened = good && (path ? heft_heap_open(h, path, &err)
					  : heft_heap_open_process(h, pid, &err));
	good = opened && send_profile(p, h, pid, &err);
	heft_heap_free(h);
	heft_session_free(s);
	/* A process that has just ended left its last profile in its file, which is sent later. */
	if (!opened && (may_be_none || (!path && err.sys_errno == ESRCH)))
		return true;
	p->posted += good;
	if (!good && p->failed++ == 0)
		cli_error(p->cli, "%s", err.text);
	return good;
}

/* Returns the list's entry for a process. Creates a missing entry. NULL if there is no memory. */
static struct pushed *find_process(struct pusher *p, uint32_t pid)
{
	ASSERT(pid != 0 && p->count <= p->room);
	for (size_t i = 0; i < p->count; i++)
		if (p->list[i].pid == pid)
			return &p->list[i];
	if (p->count == p->room) {
		const size_t room = p->room * 2 + 16;
		struct pushed *grown = realloc(p->list, room * sizeof *grown);
		if (!grown)
			return NULL;
		p->list = grown;
		p->room = room;
	}
	p->list[p->count] = (struct pushed){ .pid = pid };
	return &p->list[p->count++];
}

/* Takes the next process with a request, and clears the request. SIZE_MAX if there is none. */
static size_t take_wanted(struct pusher *p, struct pushed *ret)
{
	for (size_t i = 0; i < p->count; i++) {
		if (!p->list[i].wanted)
			continue;
		*ret = p->list[i];
		p->list[i].wanted = false;
		return i;
	}
	return SIZE_MAX;
}

static void *pusher_work(void *ctx)
{
	struct pusher *p = ctx;
	struct pushed of;
	pthread_mutex_lock(&p->lock);
	while (!p->ends) {
		const size_t i = take_wanted(p, &of);
		if (i == SIZE_MAX) {
			pthread_cond_wait(&p->changed, &p->lock);
			continue;
		}
		pthread_mutex_unlock(&p->lock);
		pusher_push(p, of.pid, NULL, i > 0);
		pthread_mutex_lock(&p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

void pusher_want(struct pusher *p, uint32_t pid)
{
	ASSERT(pid != 0 && !p->ends);
	pthread_mutex_lock(&p->lock);
	struct pushed *of = find_process(p, pid);
	if (of)
		of->wanted = true;
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

/* Starts the thread with all signals blocked. The main thread gets them. False after a message. */
static bool pusher_start_thread(struct pusher *p)
{
	sigset_t all, before;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	const bool good = pthread_create(&p->thread, NULL, pusher_work, p) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return good || (cli_error(p->cli, "no thread can be started"), false);
}

void host_name(char ret[HOST_MOST])
{
	memset(ret, 0, HOST_MOST);
	if (gethostname(ret, HOST_MOST - 1) != 0)
		snprintf(ret, HOST_MOST, "unknown");
}

struct pusher *pusher_start(const struct cli *cli, const struct receiver *to,
			    const struct push_options *options)
{
	struct pusher *p = calloc(1, sizeof *p);
	if (!p)
		return cli_error(cli, "out of memory"), NULL;
	p->cli = cli;
	p->to = *to;
	p->options = *options;
	/* Sets the cache folder by the XDG Base Directory Specification. Ignores a relative
	 * path. */
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int n = 0;
	if (options->name_cache && strcmp(options->name_cache, "none") != 0)
		n = snprintf(p->name_cache, PATH_MOST, "%s", options->name_cache);
	else if (!options->name_cache && cache && *cache == '/')
		n = snprintf(p->name_cache, PATH_MOST, "%s/heft/names", cache);
	else if (!options->name_cache && home && *home == '/')
		n = snprintf(p->name_cache, PATH_MOST, "%s/.cache/heft/names", home);
	if (n < 0 || n >= PATH_MOST)
		*p->name_cache = '\0';
	host_name(p->host);
	if (pusher_start_thread(p))
		return p;
	free(p);
	return NULL;
}

void pusher_stop(struct pusher *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->ends = true;
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
}

void pusher_last(struct pusher *p, const char *path, uint32_t pid)
{
	ASSERT(p->ends); /* The thread no longer uses the list. */
	const struct pushed *of = find_process(p, pid);
	if (!of || p->refused > 0)
		p->failed++;
	else
		p->refused += !pusher_push(p, pid, path, false);
}

void pusher_end(struct pusher *p)
{
	if (!p)
		return;
	if (p->failed > 0)
		cli_error(p->cli, "%" PRIu64 " of %" PRIu64 " profiles were not taken", p->failed,
			  p->failed + p->posted);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	free(p->list);
	free(p);
}
