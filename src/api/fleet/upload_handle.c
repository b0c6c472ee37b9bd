/* Bytes to a server: heft_upload_*. */
#include "base/mem.h"
#include "store/http.h"

#include "heft.h"

struct heft_upload {
	struct memory *memory; /* first: see handle_new */
	struct http *http;
	long status;
	struct text answer;
};

static void release(void *handle)
{
	struct heft_upload *u = handle;
	http_close(u->http);
	text_release(&u->answer);
	mem_free(u);
}

struct heft_upload *heft_upload_new(const char *url, struct heft_err *err)
{
	struct heft_upload *u = handle_new(sizeof *u);
	if (GUARDED(u ? u->memory : NULL, err, (u->http = http_open(url, err)) != NULL))
		return u;
	heft_upload_free(u);
	return NULL;
}

void heft_upload_free(struct heft_upload *u)
{
	handle_free(u, release);
}

void heft_upload_add_header(struct heft_upload *u, const char *line)
{
	GUARDED_VOID(u->memory, http_header(u->http, line));
}

void heft_upload_set_timeout(struct heft_upload *u, unsigned seconds)
{
	http_set_timeout(u->http, seconds);
}

static bool post(struct heft_upload *u, const void *data, size_t size, struct heft_err *err)
{
	const struct bytes body = { data, size };
	return http_post(u->http, body, &u->answer, &u->status, err);
}

bool heft_upload_send(struct heft_upload *u, const void *data, size_t size, struct heft_err *err)
{
	u->status = 0;
	u->answer.len = 0;
	return GUARDED(u->memory, err, post(u, data, size, err));
}

unsigned heft_upload_status(const struct heft_upload *u)
{
	return (unsigned)u->status;
}

const void *heft_upload_answer(const struct heft_upload *u, size_t *ret_size)
{
	*ret_size = u->answer.len;
	return u->answer.p;
}

void heft_upload_use_http2(struct heft_upload *u)
{
	http_use_http2(u->http);
}

void heft_upload_use_put(struct heft_upload *u)
{
	http_use_put(u->http);
}

const char *heft_upload_answer_header(struct heft_upload *u, const char *name)
{
	return http_answer_header(u->http, name);
}
