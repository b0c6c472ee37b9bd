/* Posts bytes to a server with libcurl. */
#include "push/http.h"

#include "base/base.h"

/* libcurl's type checks cause warnings of -Wconversion, because they compare strings. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { SAID_MOST = 160, URL_MOST = 2000 };

struct http {
	CURL *curl;
	struct curl_slist *headers;
	char url[URL_MOST];     /* URL for messages, without its query */
	char answer[SAID_MOST]; /* Beginning of the last answer */
	size_t answer_size;
	char said[CURL_ERROR_SIZE]; /* libcurl's message about a failed request, or "" */
	unsigned status;
};

__attribute__((format(printf, 3, 4))) static bool http_fail(struct heft_err *err, int code,
							    const char *fmt, ...)
{
	va_list args;
	*err = (struct heft_err){ .code = (enum heft_code)code, .offset = HEFT_NO_OFFSET };
	va_start(args, fmt);
	vsnprintf(err->text, sizeof err->text, fmt, args);
	va_end(args);
	return false;
}

static bool url_check(const char *url, struct heft_err *err)
{
	if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
		return http_fail(err, HEFT_EARG, "'%.40s' is no http or https address", url);
	const char *host = strstr(url, "://") + 3;
	const char *at = memchr(host, '@', strcspn(host, "/?#"));
	if (at != NULL && memchr(host, ':', (size_t)(at - host)) != NULL)
		return http_fail(err, HEFT_EARG,
				 "an address with a password is seen by everybody on this machine; "
				 "put the password into ~/.netrc");
	return true;
}

/* Keeps the start of an answer, as much as fits. */
static size_t answer_take(char *p, size_t size, size_t count, void *ctx)
{
	struct http *h = ctx;
	const size_t bytes = size * count, room = sizeof h->answer - h->answer_size;
	const size_t kept = bytes < room ? bytes : room;
	memcpy(h->answer + h->answer_size, p, kept);
	h->answer_size += kept;
	return bytes;
}

/* Returns an environment variable. NULL if it is not set or empty. */
static const char *environment(const char *name)
{
	const char *value = getenv(name);
	return value && *value ? value : NULL;
}

static void http_set_up(struct http *h, const char *url, const char *type, unsigned seconds)
{
	/* Without an empty Expect header, libcurl waits for the server before a large body. */
	h->headers = curl_slist_append(curl_slist_append(NULL, "Expect:"), type);
	curl_easy_setopt(h->curl, CURLOPT_URL, url);
	curl_easy_setopt(h->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(h->curl, CURLOPT_POST, 1L);
	curl_easy_setopt(h->curl, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
	curl_easy_setopt(h->curl, CURLOPT_CONNECTTIMEOUT, 10L);
	curl_easy_setopt(h->curl, CURLOPT_TIMEOUT, (long)seconds);
	curl_easy_setopt(h->curl, CURLOPT_WRITEFUNCTION, answer_take);
	curl_easy_setopt(h->curl, CURLOPT_WRITEDATA, h);
	curl_easy_setopt(h->curl, CURLOPT_HTTPHEADER, h->headers);
	curl_easy_setopt(h->curl, CURLOPT_USERAGENT, "heft/" HEFT_VERSION);
	curl_easy_setopt(h->curl, CURLOPT_ERRORBUFFER, h->said);
	/* Sets which certificates are trusted. curl(1) reads these variables, libcurl does not. */
	const char *file = environment("CURL_CA_BUNDLE");
	const char *folder = file ? NULL : environment("SSL_CERT_DIR");
	if (!file)
		file = environment("SSL_CERT_FILE");
	if (file)
		curl_easy_setopt(h->curl, CURLOPT_CAINFO, file);
	if (folder)
		curl_easy_setopt(h->curl, CURLOPT_CAPATH, folder);
}

struct http *http_open(const char *url, const char *type, unsigned seconds, struct heft_err *err)
{
	if (!url_check(url, err))
		return NULL;
	struct http *h = calloc(1, sizeof *h);
	if (h)
		h->curl = curl_easy_init();
	if (!h || !h->curl) {
		free(h);
		http_fail(err, HEFT_ENOMEM, "out of memory");
		return NULL;
	}
	snprintf(h->url, sizeof h->url, "%.*s", (int)strcspn(url, "?#"), url);
	http_set_up(h, url, type, seconds);
	return h;
}

void http_close(struct http *h)
{
	if (!h)
		return;
	curl_easy_cleanup(h->curl);
	curl_slist_free_all(h->headers);
	free(h);
}

static bool no_answer(const struct http *h, CURLcode code, struct heft_err *err)
{
	const char *said = *h->said ? h->said : curl_easy_strerror(code);
	if (code == CURLE_PEER_FAILED_VERIFICATION)
		return http_fail(err, HEFT_EIO,
				 "%.200s: the certificate of the server is not trusted (%s); "
				 "CURL_CA_BUNDLE may name a file of those that are",
				 h->url, said);
	if (code == CURLE_SSL_CACERT_BADFILE)
		return http_fail(err, HEFT_EIO,
				 "%.200s: the certificates to trust cannot be read (%s)", h->url,
				 said);
	return http_fail(err, HEFT_EIO, "%.200s: %s", h->url, curl_easy_strerror(code));
}

bool http_post(struct http *h, const void *data, size_t size, struct heft_err *err)
{
	long status = 0;
	ASSERT(data != NULL);
	h->said[0] = '\0';
	h->answer_size = 0;
	curl_easy_setopt(h->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
	curl_easy_setopt(h->curl, CURLOPT_POSTFIELDS, data);
	const CURLcode code = curl_easy_perform(h->curl);
	curl_easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &status);
	h->status = code == CURLE_OK ? (unsigned)status : 0;
	if (code != CURLE_OK)
		return no_answer(h, code, err);
	if (status >= 200 && status <= 299)
		return true;
	size_t line = 0; /* Length of the first line of the server's answer */
	while (line < h->answer_size && (unsigned char)h->answer[line] >= ' ')
		line++;
	return http_fail(err, HEFT_EIO, "%.200s: the server answers %u%s%.*s", h->url, h->status,
			 line > 0 ? ": " : "", (int)line, h->answer);
}

unsigned http_status(const struct http *h)
{
	return h->status;
}
