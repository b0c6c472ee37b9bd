/* http.h - posts bytes to a server with libcurl.
 *
 * With TLS, the server's certificate must be trusted by the system, or by the files that the
 * variables CURL_CA_BUNDLE, SSL_CERT_DIR or SSL_CERT_FILE name, as for curl(1). A connection stays
 * open between posts. One thread per handle. */
#pragma once

#include "heft.h"

struct http;

/* Opens a connection. `url` is http or https. A URL with a password fails with HEFT_EARG, because
 * process lists would show it; libcurl reads passwords from ~/.netrc. `type` is "Content-Type:
 * ...". NULL on failure. */
struct http *http_open(const char *url, const char *type, unsigned timeout_seconds,
		       struct heft_err *err);
/* Closes a connection. NULL is allowed. */
void http_close(struct http *h);
/* Posts bytes. HEFT_EIO if the server cannot be reached, does not answer in time, or answers with a
 * status other than 200 to 299. No message contains a password or a query. */
bool http_post(struct http *h, const void *data, size_t size, struct heft_err *err);
/* Returns the status of the last answer. 0 without an answer. */
unsigned http_status(const struct http *h);
