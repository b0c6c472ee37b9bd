/* unpack_internal.h - declares what the files of unpack.h share. */
#ifndef HEFT_BASE_UNPACK_INTERNAL_H
#define HEFT_BASE_UNPACK_INTERNAL_H

#include "base/unpack.h"

struct unpack_stream {
	enum unpack_method method;
	const struct unpack_codec *codec;
	struct bytes packed;
	uint64_t used; /* Number of bytes of `packed` that the library got */
	bool whole;    /* True if a stream, frame or member has just ended */
	void *state;   /* Private to the codec */
};

/* Functions of a library for its methods. */
struct unpack_codec {
	bool (*is_there)(void); /* True if the library is installed */
	/* Returns the state of a new stream. Raises HEFT_ENOMEM. */
	void *(*open)(const struct unpack_stream *s);
	void (*close)(void *state);
	/* Calls the library once. Sets *ret_made to the number of unpacked bytes. */
	bool (*step)(struct unpack_stream *s, uint8_t *out, size_t size, size_t *ret_made,
		     struct heft_err *err);
};
/* Codecs. A build may lack any of them (meson's options with the libraries' names). */
extern const struct unpack_codec unpack_zstd, unpack_lz4, unpack_lz4_old, unpack_xz;

/* Fills *err with HEFT_EFORMAT and returns false. */
bool unpack_bad(struct heft_err *err, const char *what);

#endif
