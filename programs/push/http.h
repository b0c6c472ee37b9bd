/* http.h - bytes posted to a server, by libcurl.
 *
 * Over TLS the server's certificate has to be one that the system trusts, or one of those that
 * CURL_CA_BUNDLE, SSL_CERT_DIR or SSL_CERT_FILE of the environment name, as curl(1) has it.
 * A connection stays open from one post to the next.  One thread a handle. */
#ifndef HEFT_PUSH_HTTP_H
#define HEFT_PUSH_HTTP_H

#include "heft.h"

struct http;

/* `url` is http or https.  An address with a password is refused with HEFT_EARG: lists of processes
 * would show it; libcurl reads passwords from ~/.netrc.  `type`: "Content-Type: ...".  NULL on
 * failure. */
struct http *http_open(const char *url, const char *type, unsigned timeout_seconds,
		       struct heft_err *err);
/* NULL is fine. */
void http_close(struct http *h);
/* HEFT_EIO where the server cannot be reached, does not answer in time, or answers with another
 * status than 200 to 299; no text has a password or a query in it. */
bool http_post(struct http *h, const void *data, size_t size, struct heft_err *err);
/* The status of the last answer, 0 without an answer. */
unsigned http_status(const struct http *h);

#endif
