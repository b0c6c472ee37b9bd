/* receiver.h - sends heap profiles to a receiver in its format.
 *
 *     pyroscope://HOST:4040 - push.v1.PusherService/Push of Pyroscope, in JSON
 *     parca://HOST:7070 - WriteRaw of Parca by its HTTP gateway, in JSON
 *     http://HOST/PATH - the profile itself
 *
 * The schemes pyroscopes://, parcas:// and https:// use TLS. */
#pragma once

#include "heft.h"

enum { RECEIVER_URL_MOST = 2000 };

enum receiver_kind { RECEIVER_PLAIN, RECEIVER_PYROSCOPE, RECEIVER_PARCA };

struct receiver {
	enum receiver_kind kind;
	char url[RECEIVER_URL_MOST]; /* URL to which profiles are posted, http or https */
};

/* Parses an address. HEFT_EARG if its scheme is unknown, or if it has a password. */
bool receiver_parse(struct receiver *ret, const char *url, struct heft_err *err);

/* A profile in pprof format, with its process. Borrows all data. */
struct push_profile {
	const char *service, *host;
	uint32_t pid;   /* 0 if unknown */
	bool addresses; /* True if the profile has no names, but addresses as in the modules'
			 * files */
	const char *data;
	size_t size;
};

bool receiver_send(const struct receiver *to, const struct push_profile *p, struct heft_err *err);
