#include "store/http.h"

/* ---- addresses ------------------------------------------------------------------------------- */

static bool has_password(const char *url)
{
	const char *host = strstr(url, "://") + 3;
	const size_t size = strcspn(host, "/?#");
	const char *at = memchr(host, '@', size);
	return at && memchr(host, ':', (size_t)(at - host));
}

static bool check_url(const char *url, struct heft_err *err)
{
	if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "'%.40s' is no http or https address",
			    url);
	if (has_password(url))
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			    "an address with a password is seen by everybody on this machine; "
			    "put the password into ~/.netrc");
	return true;
}

#ifdef HEFT_HAVE_CURL

#include "base/library.h"

/* Its checks of types know the functions by name, and not through pointers. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <pthread.h>
#include <stdlib.h>

enum { ANSWER_MOST = 256 << 20, SAID_MOST = 160 };

struct http {
	CURL *curl;
	struct owned *owned;
	struct curl_slist *headers;
	struct text url; /* as it is shown: without a query */
	/* Of malloc: no function of libcurl may be left by a jump where there is no memory. */
	char *answer;
	size_t answer_size;
	char said[CURL_ERROR_SIZE]; /* what libcurl says of a request that failed; "": nothing */
	CURLM *held;                /* NULL: http_hold was not called */
	struct bytes left;          /* of the body that is held */
	bool ends;                  /* no more of it will come */
};

#define FUNCTIONS(X)                                                                               \
	X(curl_global_init)                                                                        \
	X(curl_easy_init)                                                                          \
	X(curl_easy_setopt)                                                                        \
	X(curl_easy_perform)                                                                       \
	X(curl_easy_getinfo)                                                                       \
	X(curl_easy_cleanup)                                                                       \
	X(curl_easy_pause)                                                                         \
	X(curl_easy_strerror)                                                                      \
	X(curl_slist_append)                                                                       \
	X(curl_slist_free_all)                                                                     \
	X(curl_multi_init)                                                                         \
	X(curl_multi_add_handle)                                                                   \
	X(curl_multi_remove_handle)                                                                \
	X(curl_multi_perform)                                                                      \
	X(curl_multi_poll)                                                                         \
	X(curl_multi_info_read)                                                                    \
	X(curl_multi_cleanup)

/* libcurl, which is loaded for the first request: what it is linked to takes longer to load than
 * all that heft does to a small file. */
static struct {
#define MEMBER(name) __typeof__(name) *name;
	FUNCTIONS(MEMBER)
#undef MEMBER
	bool loaded;
} curl;

static void curl_load(void)
{
	static const char *const files[] = { "libcurl.so.4", "libcurl-gnutls.so.4", NULL };
#define FUNCTION(name) { #name, &curl.name },
	const struct library_function functions[] = { FUNCTIONS(FUNCTION) };
#undef FUNCTION
	curl.loaded = library_load(files, functions, COUNT_OF(functions)) &&
		      curl.curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

/* ---- requests -------------------------------------------------------------------------------- */

static size_t take_answer(char *p, size_t size, size_t count, void *ctx)
{
	struct http *h = ctx;
	const size_t bytes = size * count;
	if (bytes > ANSWER_MOST - h->answer_size)
		return 0;
	char *grown = realloc(h->answer, h->answer_size + bytes + 1);
	if (!grown)
		return 0;
	memcpy(grown + h->answer_size, p, bytes);
	h->answer = grown;
	h->answer_size += bytes;
	return bytes;
}

/* What is not set, or empty, is NULL. */
static const char *environment(const char *name)
{
	const char *value = getenv(name);
	return value && *value ? value : NULL;
}

/* Whose certificates are trusted, in the place of the system's: curl(1) goes by these variables,
 * libcurl by none of them. */
static void trust(struct http *h)
{
	const char *file = environment("CURL_CA_BUNDLE");
	const char *folder = file ? NULL : environment("SSL_CERT_DIR");
	if (!file)
		file = environment("SSL_CERT_FILE");
	if (file)
		curl.curl_easy_setopt(h->curl, CURLOPT_CAINFO, file);
	if (folder)
		curl.curl_easy_setopt(h->curl, CURLOPT_CAPATH, folder);
}

static void set_up(struct http *h, const char *url)
{
	curl.curl_easy_setopt(h->curl, CURLOPT_URL, url);
	curl.curl_easy_setopt(h->curl, CURLOPT_NOSIGNAL, 1L);
	curl.curl_easy_setopt(h->curl, CURLOPT_POST, 1L);
	curl.curl_easy_setopt(h->curl, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
	curl.curl_easy_setopt(h->curl, CURLOPT_CONNECTTIMEOUT, 10L);
	curl.curl_easy_setopt(h->curl, CURLOPT_WRITEFUNCTION, take_answer);
	curl.curl_easy_setopt(h->curl, CURLOPT_WRITEDATA, h);
	curl.curl_easy_setopt(h->curl, CURLOPT_USERAGENT, "heft/" HEFT_VERSION);
	curl.curl_easy_setopt(h->curl, CURLOPT_ERRORBUFFER, h->said);
	http_set_timeout(h, 60);
	trust(h);
}

struct http *http_open(const char *url, struct heft_err *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	if (!check_url(url, err))
		return NULL;
	pthread_once(&once, curl_load);
	if (!curl.loaded) {
		fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
		     "nothing can be sent: libcurl.so.4 is not installed");
		return NULL;
	}
	struct http *h = mem_zeroed(1, sizeof *h);
	h->curl = curl.curl_easy_init();
	if (!h->curl) {
		mem_free(h);
		fail(err, HEFT_EIO, HEFT_NO_OFFSET, "libcurl cannot be started");
		return NULL;
	}
	h->owned = memory_own(curl.curl_easy_cleanup, h->curl);
	text_add(&h->url, (struct str){ url, strcspn(url, "?#") });
	text_add_char(&h->url, '\0');
	/* Without it libcurl waits for a word of the server before a large body. */
	http_header(h, "Expect:");
	set_up(h, url);
	return h;
}

void http_close(struct http *h)
{
	if (!h)
		return;
	memory_disown(h->owned);
	if (h->held)
		curl.curl_multi_remove_handle(h->held, h->curl);
	curl.curl_easy_cleanup(h->curl);
	curl.curl_multi_cleanup(h->held);
	curl.curl_slist_free_all(h->headers);
	text_release(&h->url);
	free(h->answer);
	mem_free(h);
}

void http_header(struct http *h, const char *line)
{
	h->headers = curl.curl_slist_append(h->headers, line);
	curl.curl_easy_setopt(h->curl, CURLOPT_HTTPHEADER, h->headers);
}

void http_set_timeout(struct http *h, unsigned seconds)
{
	curl.curl_easy_setopt(h->curl, CURLOPT_TIMEOUT, (long)seconds);
}

/* The first line of what the server said. */
static bool refused(struct http *h, long status, struct heft_err *err)
{
	const struct str said = { h->answer, h->answer_size };
	size_t size = 0;
	while (size < said.len && size < SAID_MOST && (unsigned char)said.p[size] >= ' ')
		size++;
	return fail(err, HEFT_EIO, HEFT_NO_OFFSET, "%s: the server answers %ld%s%.*s", h->url.p,
		    status, size > 0 ? ": " : "", (int)size, size > 0 ? said.p : "");
}

/* The request came to nothing. */
static bool no_answer(struct http *h, CURLcode code, struct heft_err *err)
{
	const char *said = *h->said ? h->said : curl.curl_easy_strerror(code);
	if (code == CURLE_PEER_FAILED_VERIFICATION)
		return fail(err, HEFT_EIO, HEFT_NO_OFFSET,
			    "%s: the certificate of the server is not trusted (%s); CURL_CA_BUNDLE "
			    "may name a file of those that are",
			    h->url.p, said);
	if (code == CURLE_SSL_CACERT_BADFILE)
		return fail(err, HEFT_EIO, HEFT_NO_OFFSET,
			    "%s: the certificates to trust cannot be read (%s)", h->url.p, said);
	return fail(err, HEFT_EIO, HEFT_NO_OFFSET, "%s: %s", h->url.p,
		    curl.curl_easy_strerror(code));
}

bool http_post(struct http *h, struct bytes body, struct text *ret, long *ret_status,
	       struct heft_err *err)
{
	long status = 0;
	h->said[0] = '\0';
	h->answer_size = 0;
	curl.curl_easy_setopt(h->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.size);
	curl.curl_easy_setopt(h->curl, CURLOPT_POSTFIELDS,
			      body.size > 0 ? (const char *)body.p : "");
	const CURLcode code = curl.curl_easy_perform(h->curl);
	curl.curl_easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &status);
	if (ret_status)
		*ret_status = code == CURLE_OK ? status : 0;
	if (code != CURLE_OK)
		return no_answer(h, code, err);
	if (status < 200 || status > 299)
		return refused(h, status, err);
	if (ret)
		text_add(ret, (struct str){ h->answer, h->answer_size });
	return true;
}

/* ---- a request that lasts -------------------------------------------------------------------- */

static size_t give_body(char *p, size_t size, size_t count, void *ctx)
{
	struct http *h = ctx;
	const size_t bytes = (size_t)min_u64(size * count, h->left.size);
	if (bytes == 0)
		return h->ends ? 0 : CURL_READFUNC_PAUSE;
	memcpy(p, h->left.p, bytes);
	h->left.p += bytes;
	h->left.size -= bytes;
	return bytes;
}

bool http_hold(struct http *h, struct bytes start)
{
	h->left = start;
	h->held = curl.curl_multi_init();
	http_header(h, "Transfer-Encoding: chunked");
	/* A server that keeps connections reads a body to its end before it refuses the request. */
	http_header(h, "Connection: close");
	http_set_timeout(h, 0);
	curl.curl_easy_setopt(h->curl, CURLOPT_READFUNCTION, give_body);
	curl.curl_easy_setopt(h->curl, CURLOPT_READDATA, h);
	return h->held && curl.curl_multi_add_handle(h->held, h->curl) == CURLM_OK;
}

void http_let_go(struct http *h)
{
	h->ends = true;
	curl.curl_easy_pause(h->curl, CURLPAUSE_CONT);
}

bool http_is_held(struct http *h, struct heft_err *err)
{
	int running = 0, messages;
	long status = 0;
	if (curl.curl_multi_perform(h->held, &running) == CURLM_OK && running > 0) {
		curl.curl_multi_poll(h->held, NULL, 0, 2, NULL);
		return true;
	}
	const CURLMsg *m = curl.curl_multi_info_read(h->held, &messages);
	const CURLcode code = m && m->msg == CURLMSG_DONE ? m->data.result : CURLE_SEND_ERROR;
	curl.curl_easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status == 0)
		return no_answer(h, code, err);
	return refused(h, status, err);
}

#else

struct http {
	char none;
};

struct http *http_open(const char *url, struct heft_err *err)
{
	if (!check_url(url, err))
		return NULL;
	fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
	     "this heft was built without libcurl and sends nothing");
	return NULL;
}

void http_close(struct http *h)
{
	(void)h;
}

void http_header(struct http *h, const char *line)
{
	(void)h;
	(void)line;
}

void http_set_timeout(struct http *h, unsigned seconds)
{
	(void)h;
	(void)seconds;
}

bool http_post(struct http *h, struct bytes body, struct text *ret, long *ret_status,
	       struct heft_err *err)
{
	(void)h;
	(void)body;
	(void)ret;
	(void)ret_status;
	return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET, "this heft was built without libcurl");
}

bool http_hold(struct http *h, struct bytes start)
{
	(void)h;
	(void)start;
	return false;
}

void http_let_go(struct http *h)
{
	(void)h;
}

bool http_is_held(struct http *h, struct heft_err *err)
{
	(void)h;
	return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET, "this heft was built without libcurl");
}

#endif
