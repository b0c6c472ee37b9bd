#pragma once

#include "base/unpack.h"

struct unpack_stream {
	enum unpack_method method;
	const struct unpack_codec *codec;
	struct bytes packed;
	uint64_t used; /* Number of bytes of `packed` that the library has read */
	bool whole;    /* True if a stream, frame or member has just ended */
	void *state;   /* State of the codec */
};

/* Functions that unpack one or more formats (enum unpack_method) with a library */
struct unpack_codec {
	bool (*is_there)(void); /* True if the library is installed */
	/* Returns the state of a new stream, or raises HEFT_ENOMEM. */
	void *(*open)(const struct unpack_stream *s);
	void (*close)(void *state);
	/* Calls the library once. Sets *ret_made to the number of bytes that it has unpacked. */
	bool (*step)(struct unpack_stream *s, uint8_t *out, size_t size, size_t *ret_made,
		     struct heft_err *err);
};
/* A build may lack any of these codecs (meson's options with the names of libraries). */
extern const struct unpack_codec unpack_zstd, unpack_lz4, unpack_lz4_old, unpack_xz;

/* Fails with HEFT_EFORMAT. */
bool unpack_bad(struct heft_err *err, const char *what);
