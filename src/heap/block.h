/* block.h - what the heap recorder leaves in memory: format version 1.
 *
 * The recorder writes these structures into the process, the analysis reads them from a dump of any
 * kind.  They explain themselves: no pointer into the allocator, no symbol and no file is needed to
 * find them.  docs/heap-format.md says the same in prose, with the rules a reader follows.
 *
 * All numbers are in the byte order of the process, of 32 or 64 bits, each at a multiple of its
 * size and without padding, so that 32- and 64-bit processes share one layout; addresses of 32-bit
 * processes are zero-extended.
 *
 * A reader trusts nothing it has not verified: check bits, the page's own address, sizes and ids
 * within what is there.
 *
 * This header is all that recorder/ may include of src/; it needs nothing but the compiler. */
#ifndef HEFT_HEAP_BLOCK_H
#define HEFT_HEAP_BLOCK_H

#include <stdint.h>

enum { HEAP_VERSION = 1 };

/* ---- blocks ------------------------------------------------------------------------------------
 *
 *	[inline frames] [wide words] link mark | the user's bytes ... | [canary]
 *	                             p-16 p-8    p                     p+size
 *
 * p is a multiple of 16.  The two words in front of it are the header.  HEAP_WIDE puts two more in
 * front of that.  HEAP_INLINE puts the stack in front of these, see below.  HEAP_CANARY puts
 * heap_canary(p) behind the last byte asked for, unaligned, in the byte order of the process. */
struct heap_header {
	uint64_t link; /* check bits 63..32, stack id (or distance, HEAP_INLINE) 31..0 */
	uint64_t mark; /* magic 63..52, flags 51..48, size asked for 47..0 */
};

struct heap_wide {
	uint64_t sequence; /* of the allocation in the process, from 1; 0: not kept */
	uint64_t owner;    /* thread id 63..32; 7..0: log2 of the distance from the start of the
	                    * allocator's block to p, 0: HEAP_WIDE_SIZE and what is inline */
};

enum {
	HEAP_ALIGN = 16, /* of p; also of a header */
	HEAP_HEADER_SIZE = 16,
	HEAP_WIDE_SIZE = 32, /* both pairs of words */
	HEAP_CANARY_SIZE = 8,
};

enum heap_flag {
	HEAP_FREED = 1,  /* the user gave it back; the allocator may have written over parts */
	HEAP_INLINE = 2, /* frames in front of the header */
	HEAP_WIDE = 4,   /* struct heap_wide in front of the header */
	HEAP_CANARY = 8,
};

#define HEAP_MARK       UINT64_C(0x9e50000000000000)
#define HEAP_MARK_MASK  UINT64_C(0xfff0000000000000)
#define HEAP_FLAG_SHIFT 48
#define HEAP_SIZE_MASK  UINT64_C(0x0000ffffffffffff)

/* The check bits of a block at `addr` (p).  `wide` is sequence ^ owner where HEAP_WIDE is set and
 * HEAP_FREED is not, else 0.  A header that was copied or moved does not verify, for its address is
 * another. */
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

/* What is left of a freed block in its own bytes, for the allocator soon writes over the header: at
 * p, or at p + 16 where `size` is HEAP_REST_FAR or more, because there the allocator links large
 * blocks.  `link` and `mark` are those of the header, HEAP_FREED set.  Blocks with less room have
 * `link` alone, at p, and those without any have nothing. */
struct heap_rest {
	uint64_t link, mark;
	uint64_t by; /* return address of the call that freed it; 0: not known */
	/* Blocks of HEAP_REST_FRAMES bytes or more, with an inline stack: its two innermost frames,
	 * 0 where it has fewer, for the allocator links large blocks there as well. */
	uint64_t frames[2];
};
enum { HEAP_REST_FAR = 1000, HEAP_REST_AT = 16, HEAP_REST_FRAMES = 64, HEAP_REST_PLAIN = 24 };

static inline uint32_t heap_rest_distance(uint64_t size)
{
	return size >= HEAP_REST_FAR ? HEAP_REST_AT : 0;
}

/* An inline stack, from low to high: this, `count` frames of a machine word each, innermost first,
 * then zeros up to the header (or the wide words).  The stack id of the header is then the distance
 * from p back to `magic`, in bytes. */
struct heap_inline {
	uint64_t magic; /* HEAP_INLINE_MAGIC + bytes of a machine word (4 or 8) */
	uint64_t count; /* check over the frames 63..32, number of frames 31..0 */
};
#define HEAP_INLINE_MAGIC UINT64_C(0x9e51737461636b00)

/* The bytes of an inline stack with room for `depth` frames and the mark that it was cut. */
static inline uint64_t heap_inline_size(uint32_t depth, unsigned word)
{
	return (sizeof(struct heap_inline) + (depth + UINT64_C(1)) * word + HEAP_ALIGN - 1) &
	       ~(uint64_t)(HEAP_ALIGN - 1);
}

/* Rolls one frame into the check of an inline stack; starts from 0, ends as >> 32. */
static inline uint64_t heap_inline_check(uint64_t check, uint64_t frame)
{
	return (check ^ frame) * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

/* ---- frames ------------------------------------------------------------------------------------
 *
 * A frame is a return address: the call lies at frame - 1.  For a frame that a signal interrupted
 * it is the interrupted address + 1, so frame - 1 lies inside the right instruction in every
 * case. */
#define HEAP_FRAME_CUT UINT64_C(1) /* in place of the frames that a limit cut off: outermost */

/* ---- pages -------------------------------------------------------------------------------------
 *
 * All else is kept in pages of HEAP_PAGE_SIZE bytes at multiples of that, a header and then entries
 * of one size.  `number` counts the pages of a kind from 1.  Entries [0, used) are complete; an
 * entry at `used` may be half written.  Ids: page number << shift | index in the page; 0 is
 * none. */
enum heap_page_kind {
	HEAP_PAGE_PROCESS = 1, /* one struct heap_process; there is one such page */
	HEAP_PAGE_MODULES,     /* struct heap_module */
	HEAP_PAGE_THREADS,     /* struct heap_thread, by slot: slot n is entry n - 1 of all pages */
	HEAP_PAGE_NODES,       /* struct heap_node */
	HEAP_PAGE_STACKS,      /* struct heap_stack */
	HEAP_PAGE_REMOTE,      /* struct heap_remote of the stacks page of that number, by index */
	HEAP_PAGE_TIMELINE,    /* struct heap_moment, in order of time; there is one such page */
	HEAP_PAGE_GONE,        /* struct heap_gone, a ring; there is one such page, or none */
};

struct heap_page {
	uint64_t magic;   /* HEAP_PAGE_MAGIC + bytes of a machine word (4 or 8) */
	uint64_t self;    /* the address of this page in its process */
	uint64_t process; /* of the page that holds struct heap_process */
	uint32_t kind;
	uint32_t number;
	uint32_t entry_size;
	uint32_t used;
	uint32_t slot;  /* whose nodes and stacks these are */
	uint32_t epoch; /* nodes: of the modules, see struct heap_module */
	uint32_t version;
	uint32_t check; /* heap_page_check() */
	uint64_t reserved;
};

#define HEAP_PAGE_MAGIC UINT64_C(0x9e52686561700a00)
enum {
	HEAP_PAGE_SIZE = 32768,
	HEAP_PAGE_HEADER = 64,
	HEAP_STACK_SHIFT = 9,
	HEAP_NODE_SHIFT = 11,
};

/* Over what never changes of a page. */
static inline uint32_t heap_page_check(const struct heap_page *p)
{
	uint64_t h = p->magic ^ p->self * UINT64_C(0x9e3779b97f4a7c15);
	h = (h ^ p->process) * UINT64_C(0xd6e8feb86659fd93);
	h = (h ^ ((uint64_t)p->kind << 32 | p->number)) * UINT64_C(0xc2b2ae3d27d4eb4f);
	h = (h ^ ((uint64_t)p->entry_size << 32 | p->version)) * UINT64_C(0x9e3779b97f4a7c15);
	h = (h ^ p->slot) * UINT64_C(0xd6e8feb86659fd93);
	return (uint32_t)(h >> 32);
}

/* One frame and all that called it. */
struct heap_node {
	uint64_t frame;
	uint32_t parent; /* node of the caller; 0: outermost */
	uint32_t stack;  /* id of the stack that ends here, 0: none does */
};

/* A stack that asked for blocks, in one thread slot, and what became of them.  Bytes are those
 * asked for.  Where blocks are sampled, all are unbiased estimates.
 *   live bytes  = alloc_bytes - freed_bytes - remote.freed_bytes      blocks alike
 *   at the peak = live, if peak_epoch is not that of the process (unchanged since), else
 *   at_peak_* */
struct heap_stack {
	uint64_t allocs, alloc_bytes;
	uint64_t frees, freed_bytes; /* by threads in the same slot */
	uint64_t peak_bytes;         /* most that was live at a time */
	uint64_t at_peak_bytes;      /* at the peak of the process */
	uint32_t at_peak_blocks;     /* stops at the largest number, as temporary does */
	uint32_t peak_epoch;
	uint32_t node;
	uint32_t temporary; /* freed by the thread before it asked for anything else */
};

/* What other slots freed of a stack. */
struct heap_remote {
	uint64_t frees, freed_bytes;
};

/* Who runs, or last ran, in a slot.  Slots of threads that ended are used again. */
struct heap_thread {
	uint32_t thread;     /* the system's id */
	uint32_t state;      /* 1: runs, 0: ended */
	uint64_t unrecorded; /* allocations made while the recorder was at work: signal handlers */
	char name[16];
	/* Memory of the slot: holds addresses that the program may have forgotten; 0: not told.
	 * Its first word is 0, or the address of the frame that entered the recorder: the thread is
	 * in there, or below it in the allocator.  The second is then the block that it frees or
	 * resizes, as the program named it, or 0; the third is the return address of that call. */
	uint64_t own, own_size;
	/* The address of HEAP_SMALL_FREES of struct heap_small_free; 0: there are none. */
	uint64_t small_frees;
	/* Of the thread that ends the process: what its stack has below this address is no longer
	 * the program's, nor are its registers.  0: it does not end, or it is not known. */
	uint64_t ended_at;
};

/* Who freed a block that is too small to say so itself: at heap_small_free_index(addr), the last
 * that this thread freed of all with this index. */
struct heap_small_free {
	uint64_t addr, by; /* `by` is a return address */
};
enum { HEAP_SMALL_FREES = 256 };
static inline uint32_t heap_small_free_index(uint64_t addr)
{
	return (uint32_t)(addr * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

/* What was mapped where.  Nodes of a page with epoch e mean the modules with first <= e, and e <
 * last or last = 0. */
struct heap_module {
	uint64_t start, end; /* of the mapping */
	uint64_t bias;       /* address - bias = address in the file's headers */
	uint32_t first, last;
	uint32_t build_id_size; /* 0: has none */
	uint32_t path_size;     /* without the 0; cut where it is too long */
	uint8_t build_id[32];
	char path[432]; /* ends with 0 */
};

/* What is live is the sum over the stacks; `live_bytes` may differ from it by HEAP_PENDING_MAX a
 * thread, for threads tell each other only now and then.  The peak is exact while one thread runs,
 * and else within that of every other thread.  If the stacks sum up to more than peak_bytes,
 * the peak is now. */
struct heap_process {
	uint32_t version, pid;
	uint64_t started;    /* real time, ns since 1970 */
	uint64_t started_at; /* the clock of all other times, ns */
	uint64_t sample;     /* mean distance of samples in bytes; 0: every block is recorded */
	uint32_t depth;      /* frames kept; 0: all */
	uint32_t flags;      /* of the blocks: enum heap_flag */
	uint64_t live_bytes, peak_bytes;
	uint64_t peak_at; /* time of the peak, roughly: the clock is read now and then */
	uint32_t peak_epoch, module_epoch;
	uint64_t foreign_frees; /* of blocks without a header */
	uint64_t lost;          /* allocations without a stack: the tables are full */
	uint64_t double_frees;  /* seen; the hosted recorder leaves them to the allocator */
	uint64_t damaged;       /* canaries found written over when their block was freed */
	uint64_t page_count;    /* pages of all kinds, this one included */
	uint64_t updated_at;    /* when anything here was last written, roughly */
};

enum { HEAP_PENDING_MAX = 65536 };

/* Behind the one entry of the process page, where it is not the only page: the command line, its
 * words with a space between them, cut where it is longer, with 0 behind. */
enum { HEAP_COMMAND_MOST = 1000 };

/* As many bytes behind the entry: names of functions that gave the program memory which is not
 * recorded, a space between them, with 0 behind.  Empty: there were none, or it is not known. */
enum { HEAP_BESIDE_AT = 1024, HEAP_BESIDE_MOST = 240 };

/* What `heft heap run` is asked to keep as a process ends. */
enum { HEAP_KEEP_MEMORY = 'm', HEAP_KEEP_PAGES = 'p' };

/* Why a freed block is noted. */
enum heap_gone_why {
	HEAP_GONE_FREED,   /* it is large, or realloc moved it: nothing of it may be left */
	HEAP_GONE_AGAIN,   /* it was freed before */
	HEAP_GONE_OVERRUN, /* its canary was written over */
};

/* The page is filled with zeros and then round and round. */
struct heap_gone {
	uint64_t number; /* of the entry, from 1; 0: none, or one that is being written */
	uint64_t addr, size;
	uint64_t by;     /* return address of the call that freed it, or did again */
	uint32_t stack;  /* id of the stack that asked for it; 0: not known */
	uint32_t thread; /* that freed it */
	uint32_t why;    /* enum heap_gone_why */
	uint32_t reserved;
};
enum { HEAP_GONE_FROM = 65536 }; /* bytes of a large block */

/* Times are of the clock of started_at.  When the page is full, every second moment goes; one that
 * is not later than the one before it is stale. */
struct heap_moment {
	uint64_t at, live_bytes, peak_bytes; /* peak since the moment before */
	uint64_t allocs;                     /* reserved: 0 */
};

#endif
