/* http.h - requests to servers that take bytes, by libcurl.
 *
 * Over TLS the server's certificate has to be one that the system trusts, or what CURL_CA_BUNDLE,
 * SSL_CERT_DIR or SSL_CERT_FILE of the environment name, as curl(1) has it.
 *
 * A connection stays open from one request to the next.  Without libcurl http_open fails with
 * HEFT_EUNSUPPORTED.  One thread a handle; different handles at once. */
#ifndef HEFT_STORE_HTTP_H
#define HEFT_STORE_HTTP_H

#include "base/base.h"
#include "base/err.h"
#include "base/reader.h"
#include "base/text.h"

struct http;

/* `url` is http or https.  One with a password is refused with HEFT_EARG: it would be seen in lists
 * of processes; libcurl reads it from ~/.netrc.  NULL on failure. */
struct http *http_open(const char *url, struct heft_err *err);
/* NULL is fine. */
void http_close(struct http *h);
/* "Content-Type: text/plain": sent with every request from now on. */
void http_header(struct http *h, const char *line);
/* Seconds that a request may take; 60 at first. */
void http_set_timeout(struct http *h, unsigned seconds);
/* Posts the bytes.  The answer is appended to *ret, which may be NULL, up to 256 MiB of it.
 * HEFT_EIO where the server cannot be reached, does not answer, or answers with another status than
 * 200 to 299, of which *ret_status, which may be NULL, then tells (else 0). */
bool http_post(struct http *h, struct bytes body, struct text *ret, long *ret_status,
	       struct heft_err *err);
/* Begins to post a body, borrowed, whose end does not come before http_let_go: the request lasts
 * until the server answers or http_close.  The handle is for nothing else. */
bool http_hold(struct http *h, struct bytes start);
/* Ends the body; the server answers when http_is_held returns false. */
void http_let_go(struct http *h);
/* Goes on sending; false where the request has ended, with what the server said. */
bool http_is_held(struct http *h, struct heft_err *err);

#endif
