/* Writes heap profiles in the formats of their receivers. */
#include "push/receiver.h"

#include "push/http.h"

#include "base/digits.h"
#include "base/json.h"
#include "cli/cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { SECONDS_MOST = 10 };

/* URL schemes of the receivers. Paths are those of api/push/v1/push.proto of Pyroscope (Connect
 * protocol), and of proto/parca/profilestore/v1alpha1/profilestore.proto of Parca, whose server has
 * its HTTP rules below /api. */
#define PYROSCOPE_PATH "/push.v1.PusherService/Push"
#define PARCA_PATH     "/api/profiles/writeraw"

static const struct scheme {
	const char *scheme, *http, *path;
	enum receiver_kind kind;
} schemes[] = {
	{ "pyroscope://", "http://", PYROSCOPE_PATH, RECEIVER_PYROSCOPE },
	{ "pyroscopes://", "https://", PYROSCOPE_PATH, RECEIVER_PYROSCOPE },
	{ "parca://", "http://", PARCA_PATH, RECEIVER_PARCA },
	{ "parcas://", "https://", PARCA_PATH, RECEIVER_PARCA },
	{ "http://", "http://", "", RECEIVER_PLAIN },
	{ "https://", "https://", "", RECEIVER_PLAIN },
};

/* Sets the URL: the user's address, then the receiver's path. False if it is too long. */
static bool receiver_set(struct receiver *r, const struct scheme *s, const char *rest)
{
	size_t size = strlen(rest);
	ASSERT(s->http != NULL);
	while (s->kind != RECEIVER_PLAIN && size > 0 && rest[size - 1] == '/')
		size--;
	r->kind = s->kind;
	const int n = snprintf(r->url, sizeof r->url, "%s%.*s%s", s->http, (int)size, rest,
			       s->path);
	return n > 0 && (size_t)n < sizeof r->url;
}

static const char *receiver_type(const struct receiver *r)
{
	return r->kind == RECEIVER_PLAIN ? "Content-Type: application/octet-stream"
					 : "Content-Type: application/json";
}

bool receiver_parse(struct receiver *ret, const char *url, struct heft_err *err)
{
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
		const struct scheme *s = &schemes[i];
		if (strncmp(url, s->scheme, strlen(s->scheme)) != 0 ||
		    !receiver_set(ret, s, url + strlen(s->scheme)))
			continue;
		struct http *h = http_open(ret->url, receiver_type(ret), SECONDS_MOST, err);
		http_close(h);
		return h != NULL;
	}
	*err = (struct heft_err){ .code = HEFT_EARG, .offset = HEFT_NO_OFFSET };
	snprintf(err->text, sizeof err->text,
		 "pyroscope://HOST:PORT, parca://HOST:PORT or an http or https address is wanted");
	return false;
}

static void json_put(void *ctx, const char *p, size_t size)
{
	fwrite(p, 1, size, ctx);
}

/* Writes a random UUID: version 4 of RFC 9562. */
static void put_uuid(struct json *j)
{
	unsigned char r[16];
	char hex[33], text[40];
	if (getrandom(r, sizeof r, 0) != (ssize_t)sizeof r)
		memset(r, 0, sizeof r);
	r[6] = (unsigned char)((r[6] & 15) | 0x40);
	r[8] = (unsigned char)((r[8] & 63) | 0x80);
	hex_text(hex, r, sizeof r);
	snprintf(text, sizeof text, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12, hex + 16,
		 hex + 20);
	json_member_text(j, "ID", str_of(text));
}

static void receiver_put_label(struct json *j, const char *name, const char *value)
{
	json_open(j, '{');
	json_member_text(j, "name", str_of(name));
	json_member_text(j, "value", str_of(value));
	json_close(j, '}');
}

/* Writes the request. Both receivers use the JSON form of protobuf, with bytes in base64. */
static void put_request(struct json *j, const struct push_profile *p, const char *base64,
			bool parca)
{
	json_open(j, '{');
	json_member_open(j, "series", '[');
	json_open(j, '{');
	/* Writes the labels. Parca wraps the list in another object. */
	char pid[16];
	json_key(j, "labels");
	if (parca) {
		json_open(j, '{');
		json_key(j, "labels");
	}
	json_open(j, '[');
	receiver_put_label(j, "__name__", "memory");
	receiver_put_label(j, parca ? "job" : "service_name", p->service);
	receiver_put_label(j, "hostname", p->host);
	snprintf(pid, sizeof pid, "%" PRIu32, p->pid);
	if (p->pid != 0)
		receiver_put_label(j, "pid", pid);
	json_close(j, ']');
	if (parca)
		json_close(j, '}');
	json_member_open(j, "samples", '[');
	json_open(j, '{');
	if (!parca)
		put_uuid(j);
	json_member_text(j, "rawProfile", str_of(base64));
	json_close(j, '}');
	json_close(j, ']');
	json_close(j, '}');
	json_close(j, ']');
	if (parca && p->addresses)
		json_member_bool(j, "normalized", true);
	json_close(j, '}');
}

/* Returns the request for Pyroscope or Parca, malloc'ed. NULL if there is no memory. */
static char *request_make(const struct push_profile *p, bool parca, size_t *ret_size)
{
	char *text = NULL;
	char *base64 = malloc(base64_size(p->size));
	FILE *to = base64 ? open_memstream(&text, ret_size) : NULL;
	if (to) {
		struct json j = { .put = json_put, .ctx = to };
		base64_text(base64, (const uint8_t *)p->data, p->size);
		put_request(&j, p, base64, parca);
	}
	free(base64);
	if (to && fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}

bool receiver_send(const struct receiver *to, const struct push_profile *p, struct heft_err *err)
{
	ASSERT(p->data != NULL && p->service != NULL && p->host != NULL);
	size_t size = p->size;
	const bool plain = to->kind == RECEIVER_PLAIN;
	char *request = plain ? NULL : request_make(p, to->kind == RECEIVER_PARCA, &size);
	if (!plain && !request)
		return cli_no_memory(err);
	struct http *h = http_open(to->url, receiver_type(to), SECONDS_MOST, err);
	const bool good = h && http_post(h, plain ? p->data : request, size, err);
	http_close(h);
	free(request);
	return good;
}
