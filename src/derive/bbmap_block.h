/* bbmap_block.h - defines a machine basic block in the form of compilers' maps. Derived blocks have
 * this form too. */
#pragma once

#include <stdint.h>

/* Flags of a block, as the bits in the compiler's map */
enum bbmap_flag {
	BBMAP_RETURN = 1 << 0, /* Ends in a return or a tail call */
	BBMAP_TAIL_CALL = 1 << 1,
	BBMAP_LANDING_PAD = 1 << 2,
	BBMAP_FALL_THROUGH = 1 << 3, /* Control may continue to the next block */
	BBMAP_INDIRECT_JUMP = 1 << 4,
};

struct bbmap_block {
	uint32_t id;  /* The compiler's number. In map versions 0 and 1, the index in its entry */
	uint32_t off; /* Offset from the start of the range that contains the block */
	uint32_t size;
	uint32_t flags;
};
