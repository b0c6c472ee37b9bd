/* block.h - the structures that the heap recorder leaves in memory: format version 1.
 *
 * The recorder writes these structures into the process. The analysis reads them from a dump of any
 * kind. It needs no symbol, no file and no pointer into the allocator to find them.
 * docs/heap-format.md says the same in prose, with the rules for a reader.
 *
 * All numbers have 32 or 64 bits, are in the byte order of the process, at multiples of their size,
 * without padding. So 32- and 64-bit processes share one layout. Addresses of 32-bit processes are
 * zero-extended.
 *
 * A reader must verify everything: check bits, the page's own address, sizes and ids. This is the
 * only header of src/ that recorder/ may include. It needs nothing but the compiler. */
#ifndef HEFT_HEAP_BLOCK_H
#define HEFT_HEAP_BLOCK_H

#include <stdint.h>

enum { HEAP_VERSION = 1 };

/* A recorded block has these parts, in order of address. Parts in brackets are optional:
 * - [inline frames], with HEAP_INLINE: the stack of the allocation
 * - [wide words], with HEAP_WIDE: struct heap_wide, at p-32
 * - header: link at p-16, mark at p-8
 * - the user's bytes, at p, a multiple of 16
 * - [canary], with HEAP_CANARY: heap_canary(p), at p+size, unaligned, in the byte order of the
 *   process */
struct heap_header {
	uint64_t link; /* Bits 63..32: check. Bits 31..0: stack id, or with HEAP_INLINE the
		        * distance of the inline stack. */
	uint64_t mark; /* Bits 63..52: magic. Bits 51..48: flags. Bits 47..0: requested size */
};

struct heap_wide {
	uint64_t sequence; /* Number of the allocation in the process, from 1. 0 if not kept. */
	uint64_t owner;    /* Bits 63..32: thread id. Bits 7..0: log2 of the distance from the
			    * allocator's block to p; 0 if the distance is HEAP_WIDE_SIZE plus
			    * the inline stack. */
};

enum {
	HEAP_ALIGN = 16, /* Alignment of p and of a header */
	HEAP_HEADER_SIZE = 16,
	HEAP_WIDE_SIZE = 32, /* Bytes of both pairs of words. */
	HEAP_CANARY_SIZE = 8,
};

enum heap_flag {
	HEAP_FREED = 1,  /* The program freed the block. The allocator may have overwritten parts
			  * of the header */
	HEAP_INLINE = 2, /* An inline stack is before the header */
	HEAP_WIDE = 4,   /* A struct heap_wide is before the header */
	HEAP_CANARY = 8,
};

#define HEAP_MARK       UINT64_C(0x9e50000000000000)
#define HEAP_MARK_MASK  UINT64_C(0xfff0000000000000)
#define HEAP_FLAG_SHIFT 48
#define HEAP_SIZE_MASK  UINT64_C(0x0000ffffffffffff)

/* Computes the check bits of a block at `addr` (p). `wide` is sequence ^ owner if HEAP_WIDE is set
 * without HEAP_FREED, otherwise 0. A copied or moved header is invalid, because its address
 * differs. */
static inline uint32_t heap_check(uint64_t addr, uint64_t mark, uint32_t stack, uint64_t wide)
{
	const uint64_t h = (addr ^ mark * UINT64_C(0x9e3779b97f4a7c15)) +
			   (stack ^ wide) * UINT64_C(0xc2b2ae3d27d4eb4f);
	return (uint32_t)(h * UINT64_C(0xd6e8feb86659fd93) >> 32);
}

static inline uint64_t heap_canary(uint64_t addr)
{
	return (addr ^ UINT64_C(0x5afeb10c0ddc0de5)) * UINT64_C(0x9e3779b97f4a7c15) | 1;
}

/* Record of a freed block in the block's own bytes. The allocator soon overwrites the header, so
 * this copy may be all that is left. The copy is at p. If `size` is HEAP_REST_FAR or more, the
 * copy is at p + 16, because the allocator links large blocks at p. `link` and `mark` are those
 * of the header, with HEAP_FREED. Smaller blocks hold only `link`, at p. The smallest blocks
 * hold nothing. */
struct heap_rest {
	uint64_t link, mark;
	uint64_t by; /* Return address of the call that freed it. 0 if unknown */
	/* The two innermost frames of the inline stack, or 0. Only in blocks of HEAP_REST_FRAMES
	 * bytes or more that have an inline stack. The allocator overwrites the inline stack. */
	uint64_t frames[2];
};
enum { HEAP_REST_FAR = 1000, HEAP_REST_AT = 16, HEAP_REST_FRAMES = 64, HEAP_REST_PLAIN = 24 };

static inline uint32_t heap_rest_distance(uint64_t size)
{
	return size >= HEAP_REST_FAR ? HEAP_REST_AT : 0;
}

/* Start of an inline stack. From low to high: this struct, `count` frames of a machine word each,
 * innermost first, then zeros until the header (or the wide words). The stack id of the header is
 * then the distance in bytes from `magic` to p. */
struct heap_inline {
	uint64_t magic; /* HEAP_INLINE_MAGIC + bytes of a machine word (4 or 8). */
	uint64_t count; /* Bits 63..32: check over the frames. Bits 31..0: number of frames. */
};
#define HEAP_INLINE_MAGIC UINT64_C(0x9e51737461636b00)

/* Returns the bytes of an inline stack with room for `depth` frames and for the mark
 * HEAP_FRAME_CUT. */
static inline uint64_t heap_inline_size(uint32_t depth, unsigned word)
{
	return (sizeof(struct heap_inline) + (depth + UINT64_C(1)) * word + HEAP_ALIGN - 1) &
	       ~(uint64_t)(HEAP_ALIGN - 1);
}

/* Adds a frame to the check of an inline stack. A check starts at 0. Its high 32 bits are
 * stored. */
static inline uint64_t heap_inline_check(uint64_t check, uint64_t frame)
{
	return (check ^ frame) * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

/* A frame is a return address: the call is at frame - 1. The frame of a function that a signal
 * interrupted is the interrupted address + 1. So frame - 1 is always inside the right
 * instruction. */
#define HEAP_FRAME_CUT UINT64_C(1) /* Outermost frame if a limit truncated the stack */

/* All other records are in pages of HEAP_PAGE_SIZE bytes, at multiples of that size. A page is a
 * header and then entries of one size. `number` counts the pages of a kind from 1. Entries [0,
 * used) are complete. The entry at `used` may be half written. An id is page number << shift |
 * index in the page. Id 0 means none. */
enum heap_page_kind {
	HEAP_PAGE_PROCESS = 1, /* One struct heap_process. There is one such page */
	HEAP_PAGE_MODULES,     /* Entries are struct heap_module. */
	HEAP_PAGE_THREADS,     /* One struct heap_thread per slot: entry n - 1 is slot n. */
	HEAP_PAGE_NODES,       /* Entries are struct heap_node. */
	HEAP_PAGE_STACKS,      /* Entries are struct heap_stack. */
	HEAP_PAGE_REMOTE,      /* Entries are struct heap_remote. Entry i of page n belongs to
			        * entry i of stacks page n. */
	HEAP_PAGE_TIMELINE,    /* One page: struct heap_moment in order of time. */
	HEAP_PAGE_GONE,        /* Freed blocks: at most one page, a ring of struct heap_gone */
};

struct heap_page {
	uint64_t magic;   /* HEAP_PAGE_MAGIC + bytes of a machine word (4 or 8). */
	uint64_t self;    /* Address of this page in its process. */
	uint64_t process; /* Address of the page with struct heap_process. */
	uint32_t kind;
	uint32_t number;
	uint32_t entry_size;
	uint32_t used;
	uint32_t slot;  /* Slot that the nodes and stacks belong to. 0 for the process. */
	uint32_t epoch; /* Epoch of the modules for nodes, see struct heap_module. */
	uint32_t version;
	uint32_t check; /* Value of heap_page_check(). */
	uint64_t reserved;
};

#define HEAP_PAGE_MAGIC UINT64_C(0x9e52686561700a00)
enum {
	HEAP_PAGE_SIZE = 32768,
	HEAP_PAGE_HEADER = 64,
	HEAP_STACK_SHIFT = 9,
	HEAP_NODE_SHIFT = 11,
};

/* Computes the check of a page, over all fields that never change. */
static inline uint32_t heap_page_check(const struct heap_page *p)
{
	uint64_t h = p->magic ^ p->self * UINT64_C(0x9e3779b97f4a7c15);
	h = (h ^ p->process) * UINT64_C(0xd6e8feb86659fd93);
	h = (h ^ ((uint64_t)p->kind << 32 | p->number)) * UINT64_C(0xc2b2ae3d27d4eb4f);
	h = (h ^ ((uint64_t)p->entry_size << 32 | p->version)) * UINT64_C(0x9e3779b97f4a7c15);
	h = (h ^ p->slot) * UINT64_C(0xd6e8feb86659fd93);
	return (uint32_t)(h >> 32);
}

/* One frame and all of its callers. */
struct heap_node {
	uint64_t frame;
	uint32_t parent; /* Node of the caller. 0 for the outermost frame. */
	uint32_t stack;  /* Id of the stack whose innermost frame this is. 0 if there is none. */
};

/* Counters of a stack that allocated blocks, in one thread slot. Bytes are the bytes asked for. If
 * blocks are sampled, all values are unbiased estimates.
 * - Live bytes: alloc_bytes - freed_bytes - remote.freed_bytes. Live blocks likewise.
 * - Bytes at the peak: at_peak_bytes, if peak_epoch equals the peak_epoch of the process. Otherwise
 *   the counters did not change since the peak: use the live bytes. Blocks likewise. */
struct heap_stack {
	uint64_t allocs, alloc_bytes;
	uint64_t frees, freed_bytes; /* Frees by threads in the same slot. */
	uint64_t peak_bytes;         /* Largest number of live bytes at any time */
	uint64_t at_peak_bytes;      /* Bytes at the peak of the process. */
	uint32_t at_peak_blocks;     /* Blocks at the peak. at_peak_blocks and `temporary` stop
				      * at UINT32_MAX */
	uint32_t peak_epoch;
	uint32_t node;
	uint32_t temporary; /* Blocks that the thread freed before its next allocation. */
};

/* Blocks of a stack that other slots freed. */
struct heap_remote {
	uint64_t frees, freed_bytes;
};

/* The thread that runs, or last ran, in a slot. A slot is reused after its thread ended. */
struct heap_thread {
	uint32_t thread;     /* Id that the system gave it. */
	uint32_t state;      /* 1 if the thread runs, 0 if it has ended */
	uint64_t unrecorded; /* Allocations in signal handlers that ran inside the recorder, not
			      * recorded */
	char name[16];
	/* The recorder's memory of the slot. It may still hold addresses that the program has
	 * discarded. 0 if unknown.
	 *
	 * First word: 0, or the address of the stack frame that entered the recorder. While the
	 * address is set, the thread runs the recorder, or the allocator called by it. Second word:
	 * the address that the program frees or resizes, or 0. Third word: the return address of
	 * that call. */
	uint64_t own, own_size;
	/* Address of HEAP_SMALL_FREES entries of struct heap_small_free. 0 if there are none. */
	uint64_t small_frees;
	/* Address on the stack of the thread that ends the process. Registers and the stack below
	 * that address have no values of the program. 0 for other threads, or if unknown. */
	uint64_t ended_at;
};

/* Entry heap_small_free_index(addr) of a thread's table: the last block with this index that the
 * thread freed. Only for blocks too small to record their own free. */
struct heap_small_free {
	uint64_t addr, by; /* Address of the block, and return address of the free */
};
enum { HEAP_SMALL_FREES = 256 };
static inline uint32_t heap_small_free_index(uint64_t addr)
{
	return (uint32_t)(addr * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

/* A mapped module. Nodes of a page with epoch e refer to the modules with first <= e and (e < last
 * or last = 0). */
struct heap_module {
	uint64_t start, end; /* Address range of the mapping */
	uint64_t bias;       /* Address in the process - address in the file's headers. */
	uint32_t first, last;
	uint32_t build_id_size; /* 0 if the module has none */
	uint32_t path_size;     /* Bytes of the path without its 0. Long paths are cut. */
	uint8_t build_id[32];
	char path[432]; /* ends with 0 */
};

/* State of the process. The exact live bytes are the sum over the stacks. `live_bytes` may differ
 * by HEAP_PENDING_MAX per thread, because threads report only now and then. The peak is exact if
 * one thread runs. Each other thread may shift the peak by HEAP_PENDING_MAX. If the stacks add up
 * to more than peak_bytes, the peak is now. */
struct heap_process {
	uint32_t version, pid;
	uint64_t started;    /* Real time of the start, ns since 1970. */
	uint64_t started_at; /* Start in ns, on the clock of all other times. */
	uint64_t sample;     /* Mean distance of samples in bytes. 0 if all blocks are recorded */
	uint32_t depth;      /* Limit of frames of a stack. 0 for no limit. */
	uint32_t flags;      /* Flags of the blocks, enum heap_flag. */
	uint64_t live_bytes, peak_bytes;
	uint64_t peak_at; /* Approximate time of the peak; the clock is read rarely */
	uint32_t peak_epoch, module_epoch;
	uint64_t foreign_frees; /* Frees of blocks without a header. */
	uint64_t lost;          /* Allocations without a stack, because the tables are full. */
	uint64_t double_frees;  /* Double frees that the recorder detected. A recorder inside a
				 * process passes them to the allocator. */
	uint64_t damaged;       /* Canaries found overwritten when their blocks were freed */
	uint64_t page_count;    /* Number of pages of all kinds, this one included. */
	uint64_t updated_at;    /* Approximate time of the last write to any page. */
};

enum { HEAP_PENDING_MAX = 65536 };

/* Limit in bytes of the command line. The command line follows the entry of the process page,
 * unless that is the only page. Words are separated by a space. A longer line is truncated. A 0
 * ends it. */
enum { HEAP_COMMAND_MOST = 1000 };

/* Place of a list: functions from which the program got unrecorded memory. It starts HEAP_BESIDE_AT
 * bytes after the entry of the process page, and has at most HEAP_BESIDE_MOST bytes. A space
 * separates names, and a 0 ends the list. The list is empty if there are no such functions, or if
 * they are unknown. */
enum { HEAP_BESIDE_AT = 1024, HEAP_BESIDE_MOST = 240 };

/* What `heft heap run` keeps when a process ends: its memory or only the recorder's pages. */
enum { HEAP_KEEP_MEMORY = 'm', HEAP_KEEP_PAGES = 'p' };

enum heap_gone_why {
	HEAP_GONE_FREED,   /* The block was freed. Noted if it was large or realloc moved it,
			    * because its memory may be gone. */
	HEAP_GONE_AGAIN,   /* The block was freed a second time. */
	HEAP_GONE_OVERRUN, /* The block's canary was overwritten. */
};

/* A freed block. An entry of the ring page. */
struct heap_gone {
	uint64_t number; /* Number of the entry, from 1. 0 if empty or being written. */
	uint64_t addr, size;
	uint64_t by;     /* Return address of the call that freed it, or freed it again */
	uint32_t stack;  /* Id of the stack that allocated it. 0 if unknown. */
	uint32_t thread; /* Thread that freed it */
	uint32_t why;    /* Value of enum heap_gone_why. */
	uint32_t reserved;
};
enum { HEAP_GONE_FROM = 65536 }; /* Smallest size of a large block, in bytes. */

/* Live bytes at a time of the clock of started_at. If the page is full, every second moment is
 * removed. A moment that is not later than the one before it is stale. */
struct heap_moment {
	uint64_t at, live_bytes, peak_bytes; /* `peak_bytes` is the peak since the moment before. */
	uint64_t allocs;                     /* Always 0. Reserved. */
};

#endif
