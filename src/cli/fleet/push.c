#include "cli/fleet/push.h"

#include "cli/fleet/push_debuginfo.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HOST_MOST = 256, PATH_MOST = 2048, SECONDS_MOST = 10, REASON_MOST = 200 };

const struct choice push_formats[] = { { "pprof", PUSH_FORMAT_NAMES },
				       { "pprof-addresses", PUSH_FORMAT_ADDRESSES },
				       { "otlp-v1development", PUSH_FORMAT_OTLP },
				       { NULL, 0 } };

/* A process, and when its profile before was taken, in seconds since 1970. */
struct pushed {
	uint32_t pid;
	bool wanted;
	uint64_t from;
};

struct pusher {
	const struct cli *cli;
	struct push_to to;
	unsigned format; /* enum push_format, never AUTO */
	const char *service;
	char host[HOST_MOST];
	char name_cache[PATH_MOST]; /* "": none */
	struct debuginfo_pusher *debuginfo;
	uint64_t start; /* in seconds since 1970 */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct pushed *list; /* by the order in which they were wanted first */
	size_t count, room;
	bool ends;
	uint64_t posted, failed, refused; /* refused: of the last profiles */
};

/* ---- one profile ----------------------------------------------------------------------------- */

/* What is live, by stack; what was allocated since the start would count again in each profile. */
static bool write_profile(const struct pusher *p, struct heft_heap *h, uint32_t pid,
			  struct push_bytes *to, struct heft_err *err)
{
	char number[16];
	const struct heft_constant resource[] = { { "service.name", p->service },
						  { "host.name", p->host },
						  { "process.pid", number } };
	const bool otlp = p->format == PUSH_FORMAT_OTLP;
	const struct heft_write_opts opts = { .size = sizeof opts,
					      .format = otlp ? HEFT_OTLP_V1DEVELOPMENT : HEFT_PPROF,
					      .live_only = true,
					      .constants = resource,
					      .constant_count = 3 };
	const struct heft_heap_query query = { .size = sizeof query };
	snprintf(number, sizeof number, "%" PRIu32, pid);
	struct heft_heap_report *r = heft_heap_report_new(h, NULL, &query, err);
	const struct heft_sink sink = { push_bytes_put, to };
	const bool good = r && heft_heap_report_write(r, &opts, &sink, err);
	heft_heap_report_free(r);
	return good;
}

static bool send_request(const struct push_to *to, const struct push_request *r,
			 struct heft_err *err)
{
	char reason[REASON_MOST];
	size_t size;
	struct heft_upload *u = heft_upload_new(r->url, err);
	if (!u)
		return false;
	heft_upload_set_timeout(u, SECONDS_MOST);
	heft_upload_add_header(u, r->type);
	bool good = heft_upload_send(u, r->body.p, r->body.size, err);
	const void *answer = heft_upload_answer(u, &size);
	if (good && !push_answer_is_good(to, answer, size, reason, sizeof reason)) {
		snprintf(err->text, sizeof err->text, "%.150s: %s", to->url, reason);
		good = false;
	}
	heft_upload_free(u);
	return good;
}

static bool post(struct pusher *p, const struct pushed *of, const struct push_bytes *bytes,
		 struct heft_err *err)
{
	struct push_request request;
	const struct push_profile profile = { .service = p->service,
					      .host = p->host,
					      .pid = of->pid,
					      .from = of->from,
					      .until = (uint64_t)time(NULL),
					      .addresses = p->format == PUSH_FORMAT_ADDRESSES,
					      .bytes = bytes };
	const bool good = push_request_make(&request, &p->to, &profile)
				  ? send_request(&p->to, &request, err)
				  : cli_no_memory(err);
	push_bytes_release(&request.body);
	return good;
}

/* Of the process, or of the file that it left.  False where the server has not taken it; what there
 * is none of is no failure. */
static bool push(struct pusher *p, const struct pushed *of, const char *path, bool may_be_none)
{
	struct heft_err err = { 0 };
	struct push_bytes profile = { 0 };
	struct heft_heap *h = heft_heap_new();
	bool good = h != NULL || cli_no_memory(&err);
	if (good && p->format == PUSH_FORMAT_ADDRESSES)
		heft_heap_set_flags(h, HEFT_HEAP_NO_NAMES);
	if (good)
		heft_heap_set_threads(h, 1);
	if (good && *p->name_cache)
		heft_heap_set_name_cache(h, p->name_cache);
	const bool opened = good && (path ? heft_heap_open(h, path, &err)
					  : heft_heap_open_process(h, of->pid, &err));
	good = opened && write_profile(p, h, of->pid, &profile, &err) &&
	       post(p, of, &profile, &err);
	if (good && p->debuginfo)
		debuginfo_push(p->debuginfo, h);
	heft_heap_free(h);
	push_bytes_release(&profile);
	/* One that has just ended has the last profile in its file. */
	if (!opened && (may_be_none || (!path && err.sys_errno == ESRCH)))
		return true;
	p->posted += good;
	if (!good && p->failed++ == 0)
		cli_error(p->cli, "--push: %s", err.text);
	return good;
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* Its entry in the list, which is made; NULL where there is no memory. */
static struct pushed *find_process(struct pusher *p, uint32_t pid)
{
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
	p->list[p->count] = (struct pushed){ .pid = pid, .from = p->start };
	return &p->list[p->count++];
}

/* The next one of which a profile is wanted, which it is no more; SIZE_MAX: none. */
static size_t take_wanted(struct pusher *p, struct pushed *ret)
{
	for (size_t i = 0; i < p->count; i++) {
		if (!p->list[i].wanted)
			continue;
		*ret = p->list[i];
		p->list[i].wanted = false;
		p->list[i].from = (uint64_t)time(NULL);
		return i;
	}
	return SIZE_MAX;
}

static void *work(void *ctx)
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
		push(p, &of, NULL, i > 0);
		pthread_mutex_lock(&p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

void pusher_want(struct pusher *p, uint32_t pid)
{
	pthread_mutex_lock(&p->lock);
	struct pushed *of = find_process(p, pid);
	if (of)
		of->wanted = true;
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

/* Signals are handed on by the thread that waits for the program. */
static bool start_thread(struct pusher *p)
{
	sigset_t all, before;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	const bool good = pthread_create(&p->thread, NULL, work, p) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return good || (cli_error(p->cli, "--push: no thread can be started"), false);
}

/* Whether libheft takes the address, and can send at all. */
static bool check_address(const struct pusher *p)
{
	struct heft_err err;
	struct heft_upload *u = heft_upload_new(p->to.url, &err);
	if (!u)
		cli_error(p->cli, "--push: %s", err.text);
	heft_upload_free(u);
	return u != NULL;
}

/* By the XDG Base Directory Specification; a path that is not absolute does not count. */
static void set_name_cache(struct pusher *p, const char *wish)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int n = 0;
	if (wish && strcmp(wish, "none") != 0)
		n = snprintf(p->name_cache, PATH_MOST, "%s", wish);
	else if (!wish && cache && *cache == '/')
		n = snprintf(p->name_cache, PATH_MOST, "%s/heft/names", cache);
	else if (!wish && home && *home == '/')
		n = snprintf(p->name_cache, PATH_MOST, "%s/.cache/heft/names", home);
	if (n < 0 || n >= PATH_MOST)
		*p->name_cache = '\0';
}

static bool set_debuginfo(struct pusher *p, const char *url)
{
	if (url)
		p->debuginfo = debuginfo_pusher_new(p->cli, url);
	return !url || p->debuginfo;
}

struct pusher *pusher_start(const struct cli *cli, const char *url, const struct push_wish *wish)
{
	struct pusher *p = calloc(1, sizeof *p);
	if (!p)
		return cli_error(cli, "out of memory"), NULL;
	p->cli = cli;
	p->service = wish->service;
	set_name_cache(p, wish->name_cache);
	p->start = (uint64_t)time(NULL);
	if (gethostname(p->host, sizeof p->host - 1) != 0)
		snprintf(p->host, sizeof p->host, "unknown");
	const bool known = push_to_parse(&p->to, url, wish->format == PUSH_FORMAT_OTLP);
	p->format = wish->format != PUSH_FORMAT_AUTO ? wish->format
		    : p->to.receiver == PUSH_PARCA   ? PUSH_FORMAT_ADDRESSES
						     : PUSH_FORMAT_NAMES;
	if (!known)
		cli_error(cli, "--push: pyroscope://HOST:PORT, parca://HOST:PORT or an http or "
			       "https address is wanted");
	else if (check_address(p) && set_debuginfo(p, wish->debuginfo) && start_thread(p))
		return p;
	debuginfo_pusher_free(p->debuginfo);
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
	const struct pushed *of = find_process(p, pid);
	if (!of || p->refused > 0)
		p->failed++;
	else
		p->refused += !push(p, of, path, false);
}

void pusher_end(struct pusher *p)
{
	if (!p)
		return;
	if (p->failed > 0)
		cli_error(p->cli, "--push: %" PRIu64 " of %" PRIu64 " profiles were not taken",
			  p->failed, p->failed + p->posted);
	debuginfo_pusher_free(p->debuginfo);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	free(p->list);
	free(p);
}
