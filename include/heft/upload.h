/* upload.h - part of heft.h: bytes to a server by HTTP. */
#ifndef HEFT_H
#include "heft.h" /* which includes this file in its turn */
#elif !defined(HEFT_PART_UPLOAD_H)
#define HEFT_PART_UPLOAD_H

#ifdef __cplusplus
extern "C" {
#endif

/* A server that takes what reports write.  One connection, which stays open.
 *
 *     struct heft_upload *u = heft_upload_new("https://host:8123/?query=...", &err);
 *     if (u && heft_upload_send(u, bytes, size, &err))
 *             ...
 *     heft_upload_free(u);
 *
 * One thread a handle. */
struct heft_upload;

/* `url` is http or https, of a server whose certificate the system trusts, or what CURL_CA_BUNDLE,
 * SSL_CERT_DIR or SSL_CERT_FILE of the environment name, as curl(1) has it.  NULL on failure:
 * HEFT_EARG for another address, and for one with a password, which belongs into ~/.netrc;
 * HEFT_EUNSUPPORTED where the library was built without libcurl. */
HEFT_API struct heft_upload *heft_upload_new(const char *url, struct heft_err *err);
HEFT_API void heft_upload_free(struct heft_upload *u);
/* Seconds that a request may take; 60 at first. */
HEFT_API void heft_upload_set_timeout(struct heft_upload *u, unsigned seconds);
/* "Name: value", sent with every request from now on. */
HEFT_API void heft_upload_add_header(struct heft_upload *u, const char *line);
/* Posts the bytes.  HEFT_EIO where the server cannot be reached, does not answer in time,
 * or answers with another status than 200 to 299; no text has a password or a query in it. */
HEFT_API bool heft_upload_send(struct heft_upload *u, const void *data, size_t size,
			       struct heft_err *err);
/* What the server answered to the last request: 200 and the like, 0 without an answer.  Whoever
 * wants to try again does so at 0 and from 500 on. */
HEFT_API unsigned heft_upload_status(const struct heft_upload *u);
/* The body of the last answer of status 200 to 299; holds until the next call on the handle. */
HEFT_API const void *heft_upload_answer(const struct heft_upload *u, size_t *ret_size);

/* HTTP/2 from the first byte on, without TLS as well: gRPC speaks nothing else. */
HEFT_API void heft_upload_use_http2(struct heft_upload *u);
/* PUT and not POST. */
HEFT_API void heft_upload_use_put(struct heft_upload *u);
/* What a header or trailer of the last answer says, its name in lower case ("grpc-status"); ""
 * where it is not there.  Holds until the next call on the handle. */
HEFT_API const char *heft_upload_answer_header(struct heft_upload *u, const char *name);

/* Writes the debug information of the program or library at a path, as an ELF file that has
 * symbols, debug info and notes, but no byte of code or data; of a separate debug file where the
 * program has none of its own.  HEFT_ENOTFOUND where its build id is not `build_id` (hexadecimal),
 * or there is neither symbol table nor debug info. */
HEFT_API bool heft_debug_info_write(const char *path, const char *build_id,
				    const struct heft_sink *sink, struct heft_err *err);

#ifdef __cplusplus
}
#endif
#endif
