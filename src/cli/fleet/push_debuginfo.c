#include "cli/fleet/push_debuginfo.h"

#include "cli/fleet/protobuf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ID_MOST = 130, HASH_ROOM = 20, UPLOAD_SECONDS = 300, PIECE = 1 << 20 };

/* debuginfo.proto of parca-dev/parca: numbers of fields. */
enum {
	BUILD_ID = 1, /* of all messages but UploadRequest */
	SHOULD_HASH = 2,
	SHOULD_UPLOAD = 1, /* of the answer */
	INITIATE_SIZE = 2,
	INITIATE_HASH = 3,
	INSTRUCTIONS = 1, /* of the answer */
	UPLOAD_ID = 2,    /* of the instructions, UploadInfo, MarkUploadFinished */
	STRATEGY = 3,
	SIGNED_URL = 4,
	UPLOAD_INFO = 1,
	CHUNK = 2,
	STRATEGY_GRPC = 1,
	STRATEGY_SIGNED = 2,
};

struct debuginfo_pusher {
	const struct cli *cli;
	char base[PUSH_URL_MOST]; /* http://host:port */
	char (*seen)[ID_MOST];    /* build ids */
	size_t count, room;
	uint64_t sent, failed;
};

/* What is sent of a module. */
struct upload {
	const char *build_id;
	char hash[HASH_ROOM];
	char id[ID_MOST], url[PUSH_URL_MOST]; /* as the server says; "": none */
	uint64_t strategy;
	struct push_bytes file;
};

/* ---- one call -------------------------------------------------------------------------------- */

static bool call_is_good(struct heft_upload *u, const char *url, struct heft_err *err)
{
	const char *status = heft_upload_answer_header(u, "grpc-status");
	if (strcmp(status, "0") == 0)
		return true;
	snprintf(err->text, sizeof err->text, "%.120s: %s%.10s %.120s", url,
		 *status ? "the server answers grpc-status " : "the server speaks no gRPC", status,
		 heft_upload_answer_header(u, "grpc-message"));
	return false;
}

/* `body` is the messages of the request, framed, and released; the message of the answer, framed,
 * goes to `ret`. */
static bool call(const struct debuginfo_pusher *p, const char *method, struct push_bytes *body,
		 struct push_bytes *ret, struct heft_err *err)
{
	char url[PUSH_URL_MOST + 100];
	size_t size;
	snprintf(url, sizeof url, "%s/parca.debuginfo.v1alpha1.DebuginfoService/%s", p->base,
		 method);
	struct heft_upload *u = heft_upload_new(url, err);
	bool good = u && (!body->failed || cli_no_memory(err));
	if (good) {
		heft_upload_set_timeout(u, UPLOAD_SECONDS);
		heft_upload_use_http2(u);
		heft_upload_add_header(u, "Content-Type: application/grpc");
		heft_upload_add_header(u, "TE: trailers");
		good = heft_upload_send(u, body->p, body->size, err) && call_is_good(u, url, err);
	}
	if (good) {
		const void *answer = heft_upload_answer(u, &size);
		good = push_bytes_put(ret, answer, size) || cli_no_memory(err);
	}
	heft_upload_free(u);
	push_bytes_release(body);
	return good;
}

/* A request of one message, which is released. */
static bool ask(const struct debuginfo_pusher *p, const char *method, struct push_bytes *message,
		struct push_bytes *ret, struct heft_err *err)
{
	struct push_bytes body = { 0 };
	protobuf_frame(&body, message);
	return call(p, method, &body, ret, err);
}

/* ---- the calls ------------------------------------------------------------------------------- */

static void put_text(struct push_bytes *b, unsigned field, const char *text)
{
	protobuf_field(b, field, text, strlen(text));
}

static bool should_upload(const struct debuginfo_pusher *p, const struct upload *u, bool *ret,
			  struct heft_err *err)
{
	struct push_bytes m = { 0 }, answer = { 0 };
	struct protobuf_value v;
	put_text(&m, BUILD_ID, u->build_id);
	put_text(&m, SHOULD_HASH, u->hash);
	const bool good = ask(p, "ShouldInitiateUpload", &m, &answer, err);
	*ret = good && protobuf_find(protobuf_message(&answer), SHOULD_UPLOAD, &v) && v.number != 0;
	push_bytes_release(&answer);
	return good;
}

static void copy_text(char *to, size_t room, struct protobuf_part from, unsigned field)
{
	struct protobuf_value v;
	*to = '\0';
	if (protobuf_find(from, field, &v) && v.bytes.size < room) {
		memcpy(to, v.bytes.p, v.bytes.size);
		to[v.bytes.size] = '\0';
	}
}

static bool initiate(const struct debuginfo_pusher *p, struct upload *u, struct heft_err *err)
{
	struct push_bytes m = { 0 }, answer = { 0 };
	struct protobuf_value v = { .number = 0 };
	put_text(&m, BUILD_ID, u->build_id);
	protobuf_number(&m, INITIATE_SIZE, u->file.size);
	put_text(&m, INITIATE_HASH, u->hash);
	bool good = ask(p, "InitiateUpload", &m, &answer, err);
	if (good && protobuf_find(protobuf_message(&answer), INSTRUCTIONS, &v)) {
		const struct protobuf_part how = v.bytes;
		copy_text(u->id, sizeof u->id, how, UPLOAD_ID);
		copy_text(u->url, sizeof u->url, how, SIGNED_URL);
		u->strategy = protobuf_find(how, STRATEGY, &v) ? v.number : 0;
	}
	push_bytes_release(&answer);
	return good;
}

static bool send_pieces(const struct debuginfo_pusher *p, const struct upload *u,
			struct heft_err *err)
{
	struct push_bytes body = { 0 }, info = { 0 }, m = { 0 }, answer = { 0 };
	put_text(&info, BUILD_ID, u->build_id);
	put_text(&info, UPLOAD_ID, u->id);
	protobuf_submessage(&m, UPLOAD_INFO, &info);
	protobuf_frame(&body, &m);
	for (size_t at = 0; at < u->file.size; at += PIECE) {
		const size_t left = u->file.size - at;
		protobuf_field(&m, CHUNK, u->file.p + at, left < PIECE ? left : PIECE);
		protobuf_frame(&body, &m);
	}
	const bool good = call(p, "Upload", &body, &answer, err);
	push_bytes_release(&answer);
	return good;
}

static bool send_to_address(const struct upload *u, struct heft_err *err)
{
	struct heft_upload *to = heft_upload_new(u->url, err);
	bool good = to != NULL;
	if (good) {
		heft_upload_set_timeout(to, UPLOAD_SECONDS);
		heft_upload_use_put(to);
		heft_upload_add_header(to, "Content-Type: application/octet-stream");
		good = heft_upload_send(to, u->file.p, u->file.size, err);
	}
	heft_upload_free(to);
	return good;
}

static bool finish(const struct debuginfo_pusher *p, const struct upload *u, struct heft_err *err)
{
	struct push_bytes m = { 0 }, answer = { 0 };
	put_text(&m, BUILD_ID, u->build_id);
	put_text(&m, UPLOAD_ID, u->id);
	const bool good = ask(p, "MarkUploadFinished", &m, &answer, err);
	push_bytes_release(&answer);
	return good;
}

static bool send_file(const struct debuginfo_pusher *p, struct upload *u, struct heft_err *err)
{
	if (!initiate(p, u, err))
		return false;
	if (u->strategy == STRATEGY_GRPC)
		return send_pieces(p, u, err) && finish(p, u, err);
	if (u->strategy == STRATEGY_SIGNED && *u->url)
		return send_to_address(u, err) && finish(p, u, err);
	snprintf(err->text, sizeof err->text, "%.150s: the server allows no upload of %.64s",
		 p->base, u->build_id);
	return false;
}

/* ---- modules --------------------------------------------------------------------------------- */

/* FNV-1a, 64 bits: to tell files apart.  The library's own is not to be had here, where heft.h
 * alone is seen, and need not be the same: the receiver compares what it was given, no more. */
static void set_hash(struct upload *u)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < u->file.size; i++)
		hash = (hash ^ (unsigned char)u->file.p[i]) * UINT64_C(0x100000001b3);
	snprintf(u->hash, sizeof u->hash, "%016" PRIx64, hash);
}

/* False where it was seen before, or there is no memory to remember it. */
static bool is_new(struct debuginfo_pusher *p, const char *build_id)
{
	for (size_t i = 0; i < p->count; i++)
		if (strcmp(p->seen[i], build_id) == 0)
			return false;
	if (p->count == p->room) {
		const size_t room = p->room * 2 + 16;
		void *grown = realloc(p->seen, room * sizeof *p->seen);
		if (!grown)
			return false;
		p->seen = grown;
		p->room = room;
	}
	snprintf(p->seen[p->count++], ID_MOST, "%s", build_id);
	return true;
}

/* A module whose file has gone, or has nothing to say, has nothing to be sent. */
static void push_module(struct debuginfo_pusher *p, const struct heft_heap_module *m)
{
	struct heft_err err = { 0 };
	struct upload u = { .build_id = m->build_id };
	const struct heft_sink sink = { push_bytes_put, &u.file };
	bool wanted = false;
	if (heft_debug_info_write(m->path, m->build_id, &sink, &err) && !u.file.failed) {
		set_hash(&u);
		const bool good = should_upload(p, &u, &wanted, &err) &&
				  (!wanted || send_file(p, &u, &err));
		p->sent += good && wanted;
		if (!good && p->failed++ == 0)
			cli_error(p->cli, "--push-debuginfo: %s", err.text);
	}
	push_bytes_release(&u.file);
}

void debuginfo_push(struct debuginfo_pusher *p, struct heft_heap *h)
{
	struct heft_heap_module m = { .size = sizeof m };
	for (size_t i = 0; heft_heap_module(h, i, &m); i++)
		if (m.frames > 0 && *m.build_id && strlen(m.build_id) < ID_MOST &&
		    is_new(p, m.build_id))
			push_module(p, &m);
}

/* ---- life ------------------------------------------------------------------------------------ */

struct debuginfo_pusher *debuginfo_pusher_new(const struct cli *cli, const char *url)
{
	static const char *const schemes[][2] = { { "parca://", "http://" },
						  { "parcas://", "https://" } };
	for (size_t i = 0; i < 2; i++) {
		const size_t len = strlen(schemes[i][0]);
		struct debuginfo_pusher *p;
		struct heft_err err;
		if (strncmp(url, schemes[i][0], len) != 0)
			continue;
		p = calloc(1, sizeof *p);
		if (!p)
			return cli_error(cli, "out of memory"), NULL;
		p->cli = cli;
		snprintf(p->base, sizeof p->base, "%s%.*s", schemes[i][1],
			 (int)strcspn(url + len, "/?#"), url + len);
		struct heft_upload *probe = heft_upload_new(p->base, &err);
		heft_upload_free(probe);
		if (probe)
			return p;
		free(p);
		return cli_error(cli, "--push-debuginfo: %s", err.text), NULL;
	}
	return cli_error(cli,
			 "--push-debuginfo: parca://HOST:PORT or parcas://HOST:PORT is wanted"),
	       NULL;
}

void debuginfo_pusher_free(struct debuginfo_pusher *p)
{
	if (!p)
		return;
	if (p->failed > 0)
		cli_error(p->cli,
			  "--push-debuginfo: debug information of %" PRIu64 " of %zu modules was "
			  "not taken",
			  p->failed, p->count);
	free(p->seen);
	free(p);
}
