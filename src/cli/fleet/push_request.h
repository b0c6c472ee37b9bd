/* push_request.h - a heap profile as the request that a receiver of profiles takes.
 *
 *	pyroscope://HOST:4040		push.v1.PusherService/Push, in JSON
 *	pyroscope://HOST:4040/ingest	the older /ingest, as a form
 *	parca://HOST:7070		parca.profilestore.v1alpha1, WriteRaw, by gRPC-Web
 *	http://HOST/PATH		the profile itself
 *	http://HOST:4318		/v1development/profiles, where profiles are OTLP's
 * Of the first three pyroscopes:// and parcas:// are TLS. */
#ifndef HEFT_CLI_FLEET_PUSH_REQUEST_H
#define HEFT_CLI_FLEET_PUSH_REQUEST_H

#include "cli/cli.h"

enum { PUSH_URL_MOST = 2000 };

/* Bytes that grow; owned, zeroed = empty. */
struct push_bytes {
	char *p;
	size_t size, room;
	bool failed; /* there was no memory */
};

void push_bytes_release(struct push_bytes *b);
/* The `write` of a heft_sink; ctx is the struct push_bytes. */
bool push_bytes_put(void *ctx, const void *data, size_t size);

/* Who takes the profiles, and how. */
enum push_receiver { PUSH_PLAIN, PUSH_PYROSCOPE, PUSH_INGEST, PUSH_PARCA, PUSH_OTLP };

struct push_to {
	enum push_receiver receiver;
	char url[PUSH_URL_MOST]; /* http or https */
};

/* False where the address is none of those above.  `otlp`: profiles are OTLP's. */
bool push_to_parse(struct push_to *ret, const char *url, bool otlp);

/* A profile, and whose it is.  All is borrowed. */
struct push_profile {
	const char *service, *host;
	uint32_t pid;
	uint64_t from, until; /* seconds since 1970: that profile and the one before */
	bool addresses;       /* names are not in it: addresses are those of the modules' files */
	const struct push_bytes *bytes;
};

struct push_request {
	char url[PUSH_URL_MOST];
	char type[120]; /* a header line */
	struct push_bytes body;
};

/* False where there is no memory, or the address becomes too long.  Release the body. */
bool push_request_make(struct push_request *ret, const struct push_to *to,
		       const struct push_profile *profile);
/* What a receiver says in an answer of status 200: false, with the reason in `ret`, where that is
 * a refusal after all. */
bool push_answer_is_good(const struct push_to *to, const void *answer, size_t size, char *ret,
			 size_t room);

#endif
