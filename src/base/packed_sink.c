#include "base/packed_sink.h"

#ifdef HEFT_HAVE_ZSTD

#include "base/library.h"

#include <errno.h>
#include <zstd.h>

#define FUNCTIONS(X)                                                                               \
	X(ZSTD_createCCtx)                                                                         \
	X(ZSTD_freeCCtx)                                                                           \
	X(ZSTD_CCtx_setParameter)                                                                  \
	X(ZSTD_compressStream2)                                                                    \
	X(ZSTD_isError)
LIBRARY(zstd, FUNCTIONS, "libzstd.so.1")

enum { ROOM = 1 << 17 };

struct packed_sink {
	struct heft_sink to;
	ZSTD_CCtx *z;
	char room[ROOM];
};

static bool parameter_set(ZSTD_CCtx *z, ZSTD_cParameter which, unsigned value)
{
	return !zstd.ZSTD_isError(zstd.ZSTD_CCtx_setParameter(z, which, (int)value));
}

struct packed_sink *packed_sink_open(const struct heft_sink *to, unsigned level,
				     struct heft_err *err)
{
	if (!zstd_is_there()) {
		fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET, "libzstd is not installed");
		return NULL;
	}
	struct packed_sink *p = mem_zeroed(1, sizeof *p);
	p->to = *to;
	p->z = zstd.ZSTD_createCCtx();
	if (p->z == NULL || !parameter_set(p->z, ZSTD_c_compressionLevel, level) ||
	    !parameter_set(p->z, ZSTD_c_checksumFlag, 1)) {
		packed_sink_close(p);
		fail(err, HEFT_ENOMEM, HEFT_NO_OFFSET, "cannot pack: out of memory");
		return NULL;
	}
	return p;
}

/* Compresses all of the input. ZSTD_e_end ends the frame too. False, with errno, on failure. */
static bool packed_sink_pack(struct packed_sink *p, const void *data, size_t size,
			     ZSTD_EndDirective how)
{
	ZSTD_inBuffer in = { data, size, 0 };
	size_t left = 1;
	while (left > 0) {
		ZSTD_outBuffer out = { p->room, sizeof p->room, 0 };
		left = zstd.ZSTD_compressStream2(p->z, &out, &in, how);
		if (zstd.ZSTD_isError(left)) {
			errno = EIO;
			return false;
		}
		if (out.pos > 0 && !p->to.write(p->to.ctx, p->room, out.pos))
			return false;
		if (how == ZSTD_e_continue)
			left = in.size - in.pos;
	}
	return true;
}

static bool packed_sink_put(void *ctx, const void *data, size_t size)
{
	return packed_sink_pack(ctx, data, size, ZSTD_e_continue);
}

struct heft_sink packed_sink_of(struct packed_sink *p)
{
	return (struct heft_sink){ packed_sink_put, p };
}

bool packed_sink_end(struct packed_sink *p)
{
	return packed_sink_pack(p, "", 0, ZSTD_e_end);
}

void packed_sink_close(struct packed_sink *p)
{
	if (p == NULL)
		return;
	if (p->z != NULL)
		zstd.ZSTD_freeCCtx(p->z);
	mem_free(p);
}

#else

struct packed_sink *packed_sink_open(const struct heft_sink *to, unsigned level,
				     struct heft_err *err)
{
	(void)to, (void)level;
	fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET, "this heft was built without libzstd");
	return NULL;
}

struct heft_sink packed_sink_of(struct packed_sink *p)
{
	ASSERT(p != NULL);
	return (struct heft_sink){ NULL, NULL };
}

bool packed_sink_end(struct packed_sink *p)
{
	ASSERT(p != NULL);
	return false;
}

void packed_sink_close(struct packed_sink *p)
{
	ASSERT(p == NULL);
}

#endif
