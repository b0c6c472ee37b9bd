#include "history/packed_sink.h"

#include "base/mem.h"

#include <zstd.h>

enum { LEVEL = 6, ROOM = 1 << 17 };

struct packed_sink {
	struct heft_sink to;
	ZSTD_CCtx *z;
	char room[ROOM];
};

struct packed_sink *packed_sink_open(const struct heft_sink *to, struct heft_err *err)
{
	struct packed_sink *p = mem_zeroed(1, sizeof *p);
	p->to = *to;
	p->z = ZSTD_createCCtx();
	if (!p->z || ZSTD_isError(ZSTD_CCtx_setParameter(p->z, ZSTD_c_compressionLevel, LEVEL))) {
		ZSTD_freeCCtx(p->z);
		mem_free(p);
		fail(err, HEFT_ENOMEM, HEFT_NO_OFFSET, "out of memory");
		return NULL;
	}
	return p;
}

/* Packs all of the input, and with ZSTD_e_end what is left. */
static bool packed_sink_pack(struct packed_sink *p, const void *data, size_t size,
			     ZSTD_EndDirective how)
{
	ZSTD_inBuffer in = { data, size, 0 };
	size_t left = 1;
	while (left > 0) {
		ZSTD_outBuffer out = { p->room, sizeof p->room, 0 };
		left = ZSTD_compressStream2(p->z, &out, &in, how);
		if (ZSTD_isError(left) ||
		    (out.pos > 0 && !p->to.write(p->to.ctx, p->room, out.pos)))
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

bool packed_sink_end(struct packed_sink *p, struct heft_err *err)
{
	return packed_sink_pack(p, "", 0, ZSTD_e_end) ||
	       fail(err, HEFT_EIO, HEFT_NO_OFFSET, "the output took no more");
}

void packed_sink_close(struct packed_sink *p)
{
	ZSTD_freeCCtx(p->z);
	mem_free(p);
}
