#include "cli/fleet/protobuf.h"

/* ---- writing --------------------------------------------------------------------------------- */

static void put_varint(struct push_bytes *b, uint64_t n)
{
	unsigned char bytes[10];
	size_t size = 0;
	do {
		bytes[size++] = (unsigned char)((n & 127) | (n > 127 ? 128 : 0));
		n >>= 7;
	} while (n > 0);
	push_bytes_put(b, bytes, size);
}

void protobuf_number(struct push_bytes *b, unsigned field, uint64_t number)
{
	put_varint(b, (uint64_t)field << 3);
	put_varint(b, number);
}

void protobuf_field(struct push_bytes *b, unsigned field, const void *data, size_t size)
{
	put_varint(b, field << 3 | 2);
	put_varint(b, size);
	push_bytes_put(b, data, size);
}

void protobuf_submessage(struct push_bytes *b, unsigned field, struct push_bytes *message)
{
	protobuf_field(b, field, message->p, message->size);
	b->failed |= message->failed;
	push_bytes_release(message);
}

/* PROTOCOL-HTTP2.md of grpc/grpc, "Length-Prefixed-Message"; PROTOCOL-WEB.md has the same. */
void protobuf_frame(struct push_bytes *b, struct push_bytes *message)
{
	const size_t n = message->size;
	const unsigned char head[] = { 0, (unsigned char)(n >> 24), (unsigned char)(n >> 16),
				       (unsigned char)(n >> 8), (unsigned char)n };
	push_bytes_put(b, head, sizeof head);
	push_bytes_put(b, message->p, n);
	b->failed |= message->failed;
	push_bytes_release(message);
}

/* ---- reading --------------------------------------------------------------------------------- */

enum { WIRE_NUMBER = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5, FRAME_HEAD = 5 };

struct protobuf_part protobuf_message(const struct push_bytes *framed)
{
	const unsigned char *p = (const unsigned char *)framed->p;
	if (framed->size < FRAME_HEAD || p[0] != 0)
		return (struct protobuf_part){ NULL, 0 };
	const size_t size = (size_t)p[1] << 24 | (size_t)p[2] << 16 | (size_t)p[3] << 8 | p[4];
	if (size > framed->size - FRAME_HEAD)
		return (struct protobuf_part){ NULL, 0 };
	return (struct protobuf_part){ p + FRAME_HEAD, size };
}

/* Takes a number off the front; false where it does not end. */
static bool take_varint(struct protobuf_part *m, uint64_t *ret)
{
	*ret = 0;
	for (unsigned shift = 0; m->size > 0 && shift < 64; shift += 7) {
		const unsigned char c = *m->p++;
		m->size--;
		*ret |= (uint64_t)(c & 127) << shift;
		if (c < 128)
			return true;
	}
	return false;
}

static bool take_bytes(struct protobuf_part *m, uint64_t size, struct protobuf_part *ret)
{
	if (size > m->size)
		return false;
	*ret = (struct protobuf_part){ m->p, (size_t)size };
	m->p += size;
	m->size -= (size_t)size;
	return true;
}

static bool take_value(struct protobuf_part *m, uint64_t wire, struct protobuf_value *ret)
{
	uint64_t size;
	*ret = (struct protobuf_value){ .number = 0 };
	switch (wire) {
	case WIRE_NUMBER: return take_varint(m, &ret->number);
	case WIRE_64: return take_bytes(m, 8, &ret->bytes);
	case WIRE_32: return take_bytes(m, 4, &ret->bytes);
	case WIRE_BYTES: return take_varint(m, &size) && take_bytes(m, size, &ret->bytes);
	default: return false;
	}
}

bool protobuf_find(struct protobuf_part message, unsigned field, struct protobuf_value *ret)
{
	uint64_t key;
	while (message.size > 0 && take_varint(&message, &key) &&
	       take_value(&message, key & 7, ret))
		if (key >> 3 == field)
			return true;
	return false;
}
