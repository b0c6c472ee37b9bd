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
#pragma once

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
			    * allocator's block to p. 0 if that distance is HEAP_WIDE_SIZE plus
			    * the inline stack */
};

enum {
	HEAP_ALIGN = 16, /* Alignment of p and of a header */
	HEAP_HEADER_SIZE = 16,
	HEAP_WIDE_SIZE = 32, /* Size of struct heap_wide plus the header after it */
	HEAP_CANARY_SIZE = 8,
};

enum heap_flag {
	HEAP_FREED = 1,  /* The program freed the block. The allocator may have overwritten parts
			  * of the header */
	HEAP_INLINE = 2, /* An inline stack is before the header */
	HEAP_WIDE = 4,
	HEAP_CANARY = 8,
};

#define HEAP_MARK       UINT64_C(0x9e50000000000000)
#define HEAP_MARK_MASK  UINT64_C(0xfff0000000000000)
#define HEAP_FLAG_SHIFT 48
#define HEAP_SIZE_MASK  UINT64_C(0x0000ffffffffffff)

/* Returns the check bits of a block at `addr` (p). `wide` is sequence ^ owner if HEAP_WIDE is set
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

/* Copy of a freed block's header, in the block's own bytes. The allocator soon overwrites the
 * header, so this copy may be all that is left. The copy is at p, or at p + 16 if `size` is
 * HEAP_REST_FAR or more, because the allocator links large blocks at p. `link` and `mark` are those
 * of the header, with HEAP_FREED. Smaller blocks hold only `link`, at p. The smallest blocks hold
 * nothing. */
struct heap_rest {
	uint64_t link, mark;
	uint64_t by; /* Return address of the call that freed it. 0 if unknown */
	/* The two innermost frames of the inline stack, or 0, because the allocator overwrites that
	 * stack. Only in blocks of HEAP_REST_FRAMES bytes or more that have an inline stack. */
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

/* Adds a frame to the check of an inline stack, and returns the check. A check starts at 0. Its
 * high 32 bits are stored. */
static inline uint64_t heap_inline_check(uint64_t check, uint64_t frame)
{
	return (check ^ frame) * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

/* A frame is a return address: the call is at frame - 1. For a function that a signal interrupted,
 * the frame is the interrupted address + 1. So frame - 1 is always inside the right instruction. */
#define HEAP_FRAME_CUT UINT64_C(1) /* Outermost frame of a truncated stack */

/* All other records are in pages of HEAP_PAGE_SIZE bytes, at multiples of that size. A page is a
 * header and then entries of one size. `number` counts the pages of a kind from 1. Entries [0,
 * used) are complete. The entry at `used` may be half written. An id is page number << shift |
 * index in the page. Id 0 means none. */
enum heap_page_kind {
	HEAP_PAGE_PROCESS = 1,
	HEAP_PAGE_MODULES,
	HEAP_PAGE_THREADS, /* One struct heap_thread per slot (a thread's set of tables):
			        * entry n - 1 is slot n */
	HEAP_PAGE_NODES,
	HEAP_PAGE_STACKS,
	HEAP_PAGE_REMOTE,   /* Entries are struct heap_remote. Entry i of page n belongs to
			        * entry i of stacks page n. */
	HEAP_PAGE_TIMELINE, /* One page: struct heap_moment, by time */
	HEAP_PAGE_GONE,     /* Freed blocks: at most one page, a ring of struct heap_gone */
};

struct heap_page {
	uint64_t magic; /* HEAP_PAGE_MAGIC + bytes of a machine word (4 or 8). */
	uint64_t self;  /* Address of this page in its process. */
	uint64_t process;
	uint32_t kind;
	uint32_t number;
	uint32_t entry_size;
	uint32_t used;
	uint32_t slot;  /* Slot whose thread wrote the nodes or stacks. 0 for other pages */
	uint32_t epoch; /* Epoch of the nodes' modules, see struct heap_module */
	uint32_t version;
	uint32_t check;
	uint64_t reserved;
};

#define HEAP_PAGE_MAGIC UINT64_C(0x9e52686561700a00)
enum { HEAP_PAGE_SIZE = 32768, HEAP_PAGE_HEADER = 64, HEAP_STACK_SHIFT = 9, HEAP_NODE_SHIFT = 11 };

/* Returns the check of a page, over all fields that never change. */
static inline uint32_t heap_page_check(const struct heap_page *p)
{
	uint64_t h = p->magic ^ p->self * UINT64_C(0x9e3779b97f4a7c15);
	h = (h ^ p->process) * UINT64_C(0xd6e8feb86659fd93);
	h = (h ^ ((uint64_t)p->kind << 32 | p->number)) * UINT64_C(0xc2b2ae3d27d4eb4f);
	h = (h ^ ((uint64_t)p->entry_size << 32 | p->version)) * UINT64_C(0x9e3779b97f4a7c15);
	h = (h ^ p->slot) * UINT64_C(0xd6e8feb86659fd93);
	return (uint32_t)(h >> 32);
}

/* A frame of call stacks, with its callers: a node of a tree */
struct heap_node {
	uint64_t frame;
	uint32_t parent; /* Node of the caller. 0 for the outermost frame. */
	uint32_t stack;  /* Id of the stack whose innermost frame this is. 0 if there is none. */
};

/* Counters of the blocks that one call stack allocated in one thread slot. Bytes are those that the
 * program asked for. If blocks are sampled, all values are unbiased estimates.
 * - Live bytes: alloc_bytes - freed_bytes - remote.freed_bytes. Live blocks likewise.
 * - Bytes at the peak: at_peak_bytes, if peak_epoch equals the peak_epoch of the process. Otherwise
 *   the counters did not change since the peak: use the live bytes. Blocks likewise. */
struct heap_stack {
	uint64_t allocs, alloc_bytes;
	uint64_t frees, freed_bytes; /* Only frees by threads of the same slot. struct heap_remote
				      * has the others */
	uint64_t peak_bytes;         /* Largest number of live bytes at any time */
	uint64_t at_peak_bytes;      /* Bytes at the peak of the process. */
	uint32_t at_peak_blocks;     /* Blocks at the peak. at_peak_blocks and `temporary` stop
				      * at UINT32_MAX */
	uint32_t peak_epoch;
	uint32_t node;
	uint32_t temporary; /* Blocks that the thread freed before its next allocation. */
};

/* Frees of a stack's blocks by threads in other slots */
struct heap_remote {
	uint64_t frees, freed_bytes;
};

/* The thread that runs, or last ran, in a slot. A slot is reused after its thread ended. */
struct heap_thread {
	uint32_t thread;     /* Id that the system gave it. */
	uint32_t state;      /* 1 if the thread runs, 0 if it has ended */
	uint64_t unrecorded; /* Allocations of signal handlers that interrupted the recorder.
			      * They are not recorded */
	char name[16];
	/* Memory of the recorder for this slot: range. Scans for pointers skip it, because it may
	 * hold addresses that the program has discarded. 0 if unknown.
	 *
	 * First word: 0, or the address of the stack frame that entered the recorder. While the
	 * address is set, the thread runs the recorder, or the allocator called by it. Second word:
	 * the address that the program frees or resizes, or 0. Third word: the return address of
	 * that call. */
	uint64_t own, own_size;
	/* Address of a table of HEAP_SMALL_FREES struct heap_small_free. 0 if none */
	uint64_t small_frees;
	/* Address on the stack of the thread that ends the process. Registers and the stack below
	 * that address have no values of the program. 0 for other threads, or if unknown. */
	uint64_t ended_at;
};

/* The last free of a small block by a thread. Such a block has no room to record its own free. Its
 * entry in the thread's table is heap_small_free_index(addr) */
struct heap_small_free {
	uint64_t addr, by; /* Address of the block, and return address of the call that freed it */
};
enum { HEAP_SMALL_FREES = 256 };
static inline uint32_t heap_small_free_index(uint64_t addr)
{
	return (uint32_t)(addr * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

/* A mapped module, and the epochs [first, last) in which it was mapped, or until now if `last` is
 * 0. Nodes of a page with epoch e belong to the modules of epoch e */
struct heap_module {
	uint64_t start, end; /* Addresses [start, end) of the mapping */
	uint64_t bias;       /* Address in the process - address in the file's headers. */
	uint32_t first, last;
	uint32_t build_id_size; /* 0 if the module has none */
	uint32_t path_size;     /* Bytes of the path without its 0. Long paths are cut. */
	uint8_t build_id[32];
	char path[432]; /* Path of its file. Ends with 0 */
};

/* State of the process. The exact number of live bytes is the sum over all stacks. `live_bytes` may
 * differ from it by HEAP_PENDING_MAX bytes per thread, because threads report only now and then.
 * The peak is exact if one thread runs. Each other thread may shift the peak by HEAP_PENDING_MAX.
 * If the stacks add up to more than peak_bytes, the peak is now. */
struct heap_process {
	uint32_t version, pid;
	uint64_t started;    /* Real time of the start, ns since 1970. */
	uint64_t started_at; /* Start in ns, on the clock of all other times. */
	uint64_t sample;     /* Mean bytes between samples. 0 if all blocks are recorded */
	uint32_t depth;      /* Limit of frames of a stack. 0 for no limit. */
	uint32_t flags;      /* Bits of enum heap_flag that the blocks may have */
	uint64_t live_bytes, peak_bytes;
	uint64_t peak_at; /* Approximate time of the peak; the clock is read rarely */
	uint32_t peak_epoch, module_epoch;
	uint64_t foreign_frees; /* Frees of blocks without a header. */
	uint64_t lost;          /* Allocations without a stack, because the tables are full. */
	uint64_t double_frees;  /* Double frees that the recorder detected. A recorder linked
				 * into the program passes them to the allocator */
	uint64_t damaged;       /* Canaries found overwritten when their blocks were freed */
	uint64_t page_count;    /* Number of pages of all kinds */
	uint64_t updated_at;    /* Approximate time of the last write to any page. */
};

enum { HEAP_PENDING_MAX = 65536 };

/* Limit in bytes of the command line, with words separated by spaces. A longer line is truncated.
 * The line follows the entry of the process page and ends with a 0. It is absent if the process
 * page is the only page. */
enum { HEAP_COMMAND_MOST = 1000 };

/* Position of the list of functions from which the program got memory that was not recorded. The
 * list starts HEAP_BESIDE_AT bytes after the entry of the process page, and has at most
 * HEAP_BESIDE_MOST bytes. A space separates names, and a 0 ends the list. The list is empty if
 * there are no such functions, or if they are unknown. */
enum { HEAP_BESIDE_AT = 1024, HEAP_BESIDE_MOST = 240 };

/* What `heft heap run` keeps when a process ends: its memory or only the recorder's pages. */
enum { HEAP_KEEP_MEMORY = 'm', HEAP_KEEP_PAGES = 'p' };

enum heap_gone_why {
	HEAP_GONE_FREED, /* The block was freed, and was large or moved by realloc. So its
			    * memory may be unmapped */
	HEAP_GONE_AGAIN,
	HEAP_GONE_OVERRUN,
};

/* A freed block, or a wrong free: an entry of the ring page */
struct heap_gone {
	uint64_t number; /* Number of the entry, from 1. 0 if empty or being written. */
	uint64_t addr, size;
	uint64_t by;     /* Return address of the call that freed it, or freed it again */
	uint32_t stack;  /* Id of the stack that allocated it. 0 if unknown. */
	uint32_t thread; /* Thread that freed it */
	uint32_t why;
	uint32_t reserved;
};
enum { HEAP_GONE_FROM = 65536 }; /* A freed block of this size or more always gets an entry */

/* Live bytes at a time. When the page is full, every second moment is removed. An entry whose time
 * is not above that of the previous entry is left over: ignore it */
struct heap_moment {
	uint64_t at, live_bytes, peak_bytes; /* `at`: on the clock of heap_process.started_at.
					      * `peak_bytes`: peak since the moment before */
	uint64_t allocs;                     /* Always 0. Reserved. */
};
