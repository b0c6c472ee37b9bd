/* coregen.h - makes cores in memory for tests, and what the heap recorder leaves in them.
 *
 *     struct coregen g = coregen_make(64, false, EM_X86_64);
 *     coregen_region(&g, 0x10000, 0x4000, bytes, sizeof bytes, PF_R | PF_W);
 *     struct bytes file = coregen_finish(&g);   // malloc'ed, free with free
 *
 * The notes come first, then the regions in the order in which they were added.  Texts and bytes
 * are borrowed until coregen_finish, which releases the rest. */
#ifndef HEFT_TESTS_COREGEN_H
#define HEFT_TESTS_COREGEN_H

#include "elfgen.h"

struct coregen_region {
	uint64_t addr, size;
	struct bytes held; /* what the core has of it */
	uint32_t flags;
	const char *path; /* NULL: anonymous */
	uint64_t file_off;
};

struct coregen_thread {
	uint32_t id;
	uint64_t pc, sp, fp, tp;
};

struct coregen {
	unsigned bits;
	bool big_endian, no_files; /* no NT_FILE */
	uint16_t machine;
	uint32_t pid, signal;
	uint64_t fault;
	const char *name, *command;
	VEC(struct coregen_region) regions;
	VEC(struct coregen_thread) threads;
	VEC(uint64_t) auxv; /* pairs */
};

struct coregen coregen_make(unsigned bits, bool big_endian, uint16_t machine);
/* Returned to be changed, until the next call. */
struct coregen_region *coregen_region(struct coregen *g, uint64_t addr, uint64_t size,
				      const void *held, uint64_t held_size, uint32_t flags);
struct bytes coregen_finish(struct coregen *g);

/* ---- what the recorder leaves ------------------------------------------------------------- */

/* A page of HEAP_PAGE_SIZE bytes at `out`, for an address; entries are zeros. */
void coregen_page(uint8_t *out, unsigned word, bool big_endian, uint64_t addr, uint32_t kind,
		  uint32_t number, uint32_t used);
/* The header of a block of `size` bytes in front of out + at, which lies at addr + at; `flags`
 * are enum heap_flag, without HEAP_INLINE. */
void coregen_block(uint8_t *out, uint64_t at, bool big_endian, uint64_t addr, uint64_t size,
		   unsigned flags, uint32_t stack);
/* The same with an inline stack; returns the bytes it takes in front of out + at. */
uint64_t coregen_inline(uint8_t *out, uint64_t at, unsigned word, bool big_endian, uint64_t addr,
			uint64_t size, const uint64_t *frames, unsigned count);

#endif
