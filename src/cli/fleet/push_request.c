#include "cli/fleet/push_request.h"

#include "cli/fleet/protobuf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* ---- bytes ----------------------------------------------------------------------------------- */

void push_bytes_release(struct push_bytes *b)
{
	free(b->p);
	*b = (struct push_bytes){ 0 };
}

bool push_bytes_put(void *ctx, const void *data, size_t size)
{
	struct push_bytes *b = ctx;
	if (size > b->room - b->size) {
		const size_t room = (b->size + size) * 2;
		char *grown = b->failed ? NULL : realloc(b->p, room);
		b->failed |= grown == NULL;
		if (grown == NULL)
			return false;
		b->p = grown;
		b->room = room;
	}
	if (size > 0)
		memcpy(b->p + b->size, data, size);
	b->size += size;
	return true;
}

static void put_text(struct push_bytes *b, const char *text)
{
	push_bytes_put(b, text, strlen(text));
}

/* ---- addresses ------------------------------------------------------------------------------- */

static const struct scheme {
	const char *scheme, *http, *path;
	enum push_receiver receiver;
} schemes[] = {
	{ "pyroscope://", "http://", "/push.v1.PusherService/Push", PUSH_PYROSCOPE },
	{ "pyroscopes://", "https://", "/push.v1.PusherService/Push", PUSH_PYROSCOPE },
	{ "parca://", "http://", "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw",
	  PUSH_PARCA },
	{ "parcas://", "https://", "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw",
	  PUSH_PARCA },
	{ "http://", "http://", "", PUSH_PLAIN },
	{ "https://", "https://", "", PUSH_PLAIN },
};

static bool ends_with(const char *text, size_t size, const char *end)
{
	return size >= strlen(end) && memcmp(text + size - strlen(end), end, strlen(end)) == 0;
}

/* The path of the receiver behind what the user wrote, which may be that of a proxy. */
static bool set_url(struct push_to *to, const struct scheme *s, const char *rest)
{
	size_t size = strlen(rest);
	while (to->receiver != PUSH_PLAIN && size > 0 && rest[size - 1] == '/')
		size--;
	if (to->receiver == PUSH_PYROSCOPE && ends_with(rest, size, "/ingest"))
		to->receiver = PUSH_INGEST;
	const char *path = to->receiver == PUSH_INGEST ? "" : s->path;
	if (to->receiver == PUSH_OTLP && !memchr(rest, '/', size))
		path = "/v1development/profiles";
	const int n = snprintf(to->url, sizeof to->url, "%s%.*s%s", s->http, (int)size, rest, path);
	return n > 0 && (size_t)n < sizeof to->url;
}

bool push_to_parse(struct push_to *ret, const char *url, bool otlp)
{
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
		const struct scheme *s = &schemes[i];
		if (strncmp(url, s->scheme, strlen(s->scheme)) != 0)
			continue;
		ret->receiver = otlp ? PUSH_OTLP : s->receiver;
		return (!otlp || s->receiver == PUSH_PLAIN) &&
		       set_url(ret, s, url + strlen(s->scheme));
	}
	return false;
}

/* ---- Pyroscope ------------------------------------------------------------------------------- */

/* A string of JSON. */
static void put_string(struct push_bytes *b, const char *text)
{
	char escaped[8];
	put_text(b, "\"");
	for (; *text != '\0'; text++) {
		const unsigned char c = (unsigned char)*text;
		if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\') {
			snprintf(escaped, sizeof escaped, "\\u%04x", c < 0x80 ? c : '?');
			put_text(b, escaped);
		} else {
			push_bytes_put(b, text, 1);
		}
	}
	put_text(b, "\"");
}

static void put_base64(struct push_bytes *b, const unsigned char *p, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < size; i += 3) {
		const size_t left = size - i;
		const unsigned n = (unsigned)p[i] << 16 | (left > 1 ? (unsigned)p[i + 1] << 8 : 0) |
				   (left > 2 ? (unsigned)p[i + 2] : 0);
		const char four[] = { digits[n >> 18], digits[n >> 12 & 63],
				      left > 1 ? digits[n >> 6 & 63] : '=',
				      left > 2 ? digits[n & 63] : '=' };
		push_bytes_put(b, four, sizeof four);
	}
}

/* Version 4 of RFC 9562: by chance. */
static void put_uuid(struct push_bytes *b)
{
	unsigned char r[16];
	char text[40];
	if (getrandom(r, sizeof r, 0) != (ssize_t)sizeof r)
		memset(r, 0, sizeof r);
	r[6] = (unsigned char)((r[6] & 15) | 0x40);
	r[8] = (unsigned char)((r[8] & 63) | 0x80);
	snprintf(text, sizeof text,
		 "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", r[0], r[1],
		 r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10], r[11], r[12], r[13], r[14],
		 r[15]);
	put_string(b, text);
}

/* What every receiver that has labels gets. */
struct label {
	const char *name, *value;
};
enum { LABELS = 4 };

static void list_labels(const struct push_profile *p, const char *service, char pid[16],
			struct label ret[LABELS])
{
	snprintf(pid, 16, "%" PRIu32, p->pid);
	ret[0] = (struct label){ "__name__", "memory" };
	ret[1] = (struct label){ service, p->service };
	ret[2] = (struct label){ "hostname", p->host };
	ret[3] = (struct label){ "pid", pid };
}

/* api/push/v1/push.proto of grafana/pyroscope by the Connect protocol, in protobuf's form of
 * JSON. */
static void put_pyroscope(struct push_bytes *b, const struct push_profile *p)
{
	struct label labels[LABELS];
	char pid[16];
	list_labels(p, "service_name", pid, labels);
	put_text(b, "{\"series\":[{\"labels\":[");
	for (size_t i = 0; i < LABELS; i++) {
		put_text(b, i > 0 ? ",{\"name\":" : "{\"name\":");
		put_string(b, labels[i].name);
		put_text(b, ",\"value\":");
		put_string(b, labels[i].value);
		put_text(b, "}");
	}
	put_text(b, "],\"samples\":[{\"ID\":");
	put_uuid(b);
	put_text(b, ",\"rawProfile\":\"");
	put_base64(b, (const unsigned char *)p->bytes->p, p->bytes->size);
	put_text(b, "\"}]}]}");
}

#define FORM "heft-9f1c20e4d7"

/* The form of /ingest: the profile, and what its values are. */
static void put_form(struct push_bytes *b, const struct push_profile *p)
{
	put_text(b, "--" FORM "\r\nContent-Disposition: form-data; name=\"profile\"; "
		    "filename=\"profile.pprof\"\r\nContent-Type: application/octet-stream\r\n\r\n");
	push_bytes_put(b, p->bytes->p, p->bytes->size);
	put_text(b,
		 "\r\n--" FORM "\r\nContent-Disposition: form-data; name=\"sample_type_config\"; "
		 "filename=\"sample_type_config.json\"\r\nContent-Type: application/json\r\n\r\n"
		 "{\"inuse_objects\":{\"units\":\"objects\",\"display-name\":\"inuse_objects\","
		 "\"aggregation\":\"average\",\"sampled\":false},"
		 "\"inuse_space\":{\"units\":\"bytes\",\"display-name\":\"inuse_space\","
		 "\"aggregation\":\"average\",\"sampled\":false}}\r\n--" FORM "--\r\n");
}

/* Names have no characters that end a name, or a query, earlier. */
static void make_plain(char *ret, size_t room, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789._-";
	size_t n = 0;
	for (; text[n] != '\0' && n + 1 < room; n++)
		ret[n] = strchr(plain, text[n]) ? text[n] : '_';
	ret[n] = '\0';
}

static bool set_ingest_url(struct push_request *r, const struct push_to *to,
			   const struct push_profile *p)
{
	char service[256], host[256];
	make_plain(service, sizeof service, p->service);
	make_plain(host, sizeof host, p->host);
	const int n = snprintf(r->url, sizeof r->url,
			       "%s?name=%s%%7Bhostname%%3D%s%%2Cpid%%3D%" PRIu32
			       "%%7D&from=%" PRIu64 "&until=%" PRIu64 "&format=pprof&spyName=heft",
			       to->url, service, host, p->pid, p->from, p->until);
	return n > 0 && (size_t)n < sizeof r->url;
}

/* ---- Parca ----------------------------------------------------------------------------------- */

static void put_label_set(struct push_bytes *set, const struct push_profile *p)
{
	struct label labels[LABELS];
	char pid[16];
	list_labels(p, "job", pid, labels);
	for (size_t i = 0; i < LABELS; i++) {
		struct push_bytes label = { 0 };
		protobuf_field(&label, 1, labels[i].name, strlen(labels[i].name));
		protobuf_field(&label, 2, labels[i].value, strlen(labels[i].value));
		protobuf_submessage(set, 1, &label);
	}
}

/* WriteRawRequest of proto/parca/profilestore/v1alpha1/profilestore.proto of parca-dev/parca. */
static void put_write_raw(struct push_bytes *b, const struct push_profile *p)
{
	enum { SERIES = 2, NORMALIZED = 3, LABEL_SET = 1, SAMPLES = 2, RAW_PROFILE = 1 };
	struct push_bytes labels = { 0 }, sample = { 0 }, series = { 0 };
	put_label_set(&labels, p);
	protobuf_field(&sample, RAW_PROFILE, p->bytes->p, p->bytes->size);
	protobuf_submessage(&series, LABEL_SET, &labels);
	protobuf_submessage(&series, SAMPLES, &sample);
	protobuf_submessage(b, SERIES, &series);
	if (p->addresses)
		protobuf_number(b, NORMALIZED, 1);
}

/* Whether a line of trailers is "grpc-status: 0", in whatever case and with or without blanks. */
static bool is_status_0(const char *line, size_t size)
{
	static const char name[] = "grpc-status:";
	size_t i = 0;
	for (; i < sizeof name - 1; i++)
		if (i == size || (line[i] | ('A' <= line[i] && line[i] <= 'Z' ? 32 : 0)) != name[i])
			return false;
	while (i < size && line[i] == ' ')
		i++;
	return size - i == 1 && line[i] == '0';
}

/* Lines of trailers, in one for people. */
static bool status_is_0(const char *text, size_t size, char *ret, size_t room)
{
	bool good = false;
	size_t used = (size_t)snprintf(ret, room, "the server answers");
	for (size_t start = 0; start < size;) {
		size_t end = start;
		while (end < size && (unsigned char)text[end] >= ' ')
			end++;
		good |= is_status_0(text + start, end - start);
		if (end > start && used < room)
			used += (size_t)snprintf(ret + used, room - used, " %.*s",
						 (int)(end - start < 100 ? end - start : 100),
						 text + start);
		start = end + 1;
	}
	return good;
}

/* The last frame of an answer has what HTTP/2 would have as trailers. */
static bool grpc_is_good(const unsigned char *p, size_t size, char *ret, size_t room)
{
	while (size >= 5) {
		const size_t n = (size_t)p[1] << 24 | (size_t)p[2] << 16 | (size_t)p[3] << 8 | p[4];
		if (n > size - 5)
			break;
		if (p[0] & 0x80)
			return status_is_0((const char *)p + 5, n, ret, room);
		p += 5 + n;
		size -= 5 + n;
	}
	snprintf(ret, room, "the server gives no status of gRPC-Web: is it Parca?");
	return false;
}

bool push_answer_is_good(const struct push_to *to, const void *answer, size_t size, char *ret,
			 size_t room)
{
	return to->receiver != PUSH_PARCA || grpc_is_good(answer, size, ret, room);
}

/* ---- the request ----------------------------------------------------------------------------- */

bool push_request_make(struct push_request *ret, const struct push_to *to,
		       const struct push_profile *p)
{
	static const char *const types[] = {
		[PUSH_PLAIN] = "application/octet-stream",
		[PUSH_PYROSCOPE] = "application/json",
		[PUSH_INGEST] = ("multipart/form-data; boundary=" FORM),
		[PUSH_PARCA] = "application/grpc-web+proto",
		[PUSH_OTLP] = "application/x-protobuf",
	};
	struct push_bytes message = { 0 };
	*ret = (struct push_request){ .body = { 0 } };
	snprintf(ret->url, sizeof ret->url, "%s", to->url);
	snprintf(ret->type, sizeof ret->type, "Content-Type: %s", types[to->receiver]);
	bool good = true;
	switch (to->receiver) {
	case PUSH_PYROSCOPE: put_pyroscope(&ret->body, p); break;
	case PUSH_INGEST:
		put_form(&ret->body, p);
		good = set_ingest_url(ret, to, p);
		break;
	case PUSH_PARCA:
		put_write_raw(&message, p);
		protobuf_frame(&ret->body, &message);
		break;
	default: push_bytes_put(&ret->body, p->bytes->p, p->bytes->size);
	}
	return good && !ret->body.failed;
}
