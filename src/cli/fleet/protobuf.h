/* protobuf.h - messages of protobuf, written into and found in bytes, and the frame that gRPC puts
 * in front of one (5 bytes: its kind, 0, and its size). */
#ifndef HEFT_CLI_FLEET_PROTOBUF_H
#define HEFT_CLI_FLEET_PROTOBUF_H

#include "cli/fleet/push_request.h"

void protobuf_number(struct push_bytes *b, unsigned field, uint64_t number);
void protobuf_field(struct push_bytes *b, unsigned field, const void *data, size_t size);
/* Adds a message as a field, and releases it. */
void protobuf_submessage(struct push_bytes *b, unsigned field, struct push_bytes *message);
/* Adds a message with its frame, and releases it. */
void protobuf_frame(struct push_bytes *b, struct push_bytes *message);

/* Bytes of a message, borrowed. */
struct protobuf_part {
	const unsigned char *p;
	size_t size;
};
struct protobuf_value {
	uint64_t number;            /* of a field that is one, else 0 */
	struct protobuf_part bytes; /* of a text or message, else empty */
};

/* The message of the first frame; empty where it is cut off or packed. */
struct protobuf_part protobuf_message(const struct push_bytes *framed);
/* The first value of a field; false where there is none before what is damaged. */
bool protobuf_find(struct protobuf_part message, unsigned field, struct protobuf_value *ret);

#endif
