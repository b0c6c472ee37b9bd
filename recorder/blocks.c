/* blocks.c - writes and reads headers before blocks (block.h). A block with a valid header belongs
 * to the recorder.
 *
 * With the C library's allocator, reading before an unknown pointer is safe, because its free reads
 * the same 16 bytes. A block of another allocator may be at the start of a mapping, so the recorder
 * first asks the kernel whether the bytes are readable. */
#include "recorder.h"

#include <errno.h>
#include <string.h>

/* Maximal bytes of a block with a header. Larger requests get no header. */
#define SIZE_MOST (sizeof(size_t) > 4 ? (size_t)1 << (sizeof(size_t) > 4 ? 46 : 0) : SIZE_MAX / 2)

static inline void *plain_malloc(size_t size)
{
	if (UNLIKELY(recorder.real.malloc == NULL)) {
		boot();
		if (recorder.real.malloc == NULL)
			return boot_alloc(size);
	}
	return recorder.real.malloc(size);
}

static inline size_t rounded(size_t size)
{
	return (size + HEAP_ALIGN - 1) & ~(size_t)(HEAP_ALIGN - 1);
}

/* Returns the bytes to request for a block of `size` bytes and its canary, without the header
 * before it. Includes the bytes that the C library adds anyway, which will store who freed the
 * block. */
static inline size_t size_behind(size_t size)
{
	const size_t n = size + recorder.tail;
	return LIKELY(!recorder.foreign) ? rounded(n + sizeof n) - sizeof n : n;
}

/* Returns the size to request from the real allocator. Rounds it up to HEAP_ALIGN for allocators
 * other than the C library's, which may align other sizes less. */
static inline size_t whole_size(size_t size)
{
	const size_t n = recorder.front + size_behind(size);
	return LIKELY(!recorder.foreign) ? n : rounded(n);
}

static inline bool is_aligned(const void *p)
{
	return LIKELY(((uintptr_t)p & (HEAP_ALIGN - 1)) == 0);
}

static COLD bool read_odd(const unsigned char *p, uint64_t link, uint64_t mark, struct head *ret)
{
	const uint32_t flags = (uint32_t)(mark >> HEAP_FLAG_SHIFT) & 15;
	struct heap_wide wide = { 0 };
	uintptr_t distance = HEAP_HEADER_SIZE;
	/* With another allocator, a block may start right after the header of a freed block. The C
	 * library puts a word of its own before each block. */
	if ((flags & HEAP_FREED) != 0 && recorder.foreign)
		return false;
	if ((flags & HEAP_WIDE) != 0) {
		memcpy(&wide, p - HEAP_WIDE_SIZE, sizeof wide);
		distance = HEAP_WIDE_SIZE;
	}
	if ((flags & HEAP_FREED) != 0) {
		/* The wide words may be overwritten: assume the usual distance to the raw block. */
		wide = (struct heap_wide){ 0 };
		distance = recorder.front;
	}
	if (heap_check((uintptr_t)p, mark, (uint32_t)link, wide.sequence ^ wide.owner) !=
	    link >> 32)
		return false;
	ret->flags = flags;
	if ((flags & HEAP_INLINE) != 0) {
		distance = (uint32_t)link;
		ret->stack = 0;
	}
	if ((wide.owner & 63) != 0)
		distance = (uintptr_t)1 << (wide.owner & 63);
	ret->raw = (unsigned char *)(uintptr_t)p - distance;
	return true;
}

static inline bool head_read(void *p, struct head *ret)
{
	if (UNLIKELY(!is_aligned(p)))
		return false;
	if (UNLIKELY(((uintptr_t)p & (PAGE_STEP - 1)) == 0) && recorder.foreign &&
	    !memory_readable((uintptr_t)p - HEAP_HEADER_SIZE))
		return false;
	const struct heap_header *h = (const struct heap_header *)p - 1;
	const uint64_t link = h->link, mark = h->mark;
	if ((mark & HEAP_MARK_MASK) != HEAP_MARK)
		return false;
	ret->stack = (uint32_t)link;
	ret->size = mark & HEAP_SIZE_MASK;
	ret->flags = 0;
	ret->raw = (unsigned char *)p - HEAP_HEADER_SIZE;
	if (UNLIKELY((mark >> HEAP_FLAG_SHIFT & 15) != 0))
		return read_odd(p, link, mark, ret);
	return heap_check((uintptr_t)p, mark, (uint32_t)link, 0) == link >> 32;
}

/* Writes the inline stack into the `room` bytes before `end`. Returns `room`. */
static COLD uint32_t write_inline(const struct slot *s, unsigned char *end, uint32_t room)
{
	uint32_t count = s->frame_count - 1;
	const uint32_t most = (room - (uint32_t)sizeof(struct heap_inline)) / sizeof(uintptr_t);
	count = count < most ? count : most;
	struct heap_inline *in = (struct heap_inline *)(void *)(end - room);
	uintptr_t *frames = (uintptr_t *)(in + 1);
	uint64_t check = 0;
	memset(in, 0, room);
	for (uint32_t i = 0; i < count; i++) {
		frames[i] = s->frames[s->frame_count - 1 - i].pc;
		check = heap_inline_check(check, frames[i]);
	}
	in->magic = HEAP_INLINE_MAGIC + sizeof(uintptr_t);
	in->count = check >> 32 << 32 | count;
	return room;
}

static void write_canary(unsigned char *p, size_t size)
{
	const uint64_t canary = heap_canary((uintptr_t)p);
	memcpy(p + size, &canary, sizeof canary);
}

/* Writes a header with options or alignment. `shift`: log2 of the distance from the allocator's
 * block to p. 0: the distance is recorder.front. */
static COLD void write_odd(struct slot *s, unsigned char *p, size_t size, uint32_t stack,
			   uint32_t shift)
{
	uint32_t flags = recorder.opt.flags;
	struct heap_wide wide = { 0 };
	uint32_t front = HEAP_HEADER_SIZE;
	if (shift != 0)
		flags |= HEAP_WIDE;
	if ((flags & HEAP_WIDE) != 0) {
		front = HEAP_WIDE_SIZE;
		wide.owner = (uint64_t)s->thread->thread << 32 | shift;
		if ((recorder.opt.flags & HEAP_WIDE) != 0)
			wide.sequence = atomic_fetch_add(&recorder.sequence, 1) + 1;
	}
	if ((flags & HEAP_INLINE) != 0) {
		const uint32_t kept = (recorder.opt.flags & HEAP_WIDE) != 0 ? HEAP_WIDE_SIZE
									    : HEAP_HEADER_SIZE;
		stack = front + write_inline(s, p - front, recorder.front - kept);
	}
	if ((flags & HEAP_WIDE) != 0)
		memcpy(p - HEAP_WIDE_SIZE, &wide, sizeof wide);
	if ((flags & HEAP_CANARY) != 0)
		write_canary(p, size);
	struct heap_header *h = (struct heap_header *)(void *)p - 1;
	const uint64_t mark = HEAP_MARK | (uint64_t)flags << HEAP_FLAG_SHIFT | size;
	h->mark = mark;
	h->link = (uint64_t)heap_check((uintptr_t)p, mark, stack, wide.sequence ^ wide.owner)
			  << 32 |
		  stack;
}

static inline void write_head(struct slot *s, unsigned char *p, size_t size, uint32_t stack,
			      uint32_t shift)
{
	if (UNLIKELY(recorder.opt.flags != 0 || shift != 0)) {
		write_odd(s, p, size, stack, shift);
		return;
	}
	struct heap_header *h = (struct heap_header *)(void *)p - 1;
	const uint64_t mark = HEAP_MARK | size;
	h->mark = mark;
	h->link = (uint64_t)heap_check((uintptr_t)p, mark, stack, 0) << 32 | stack;
}

/* Sets or clears the flag HEAP_FREED in the header. Returns the new header. */
static inline struct heap_header set_freed(unsigned char *p, bool freed)
{
	struct heap_header *h = (struct heap_header *)(void *)p - 1;
	const uint64_t flag = (uint64_t)HEAP_FREED << HEAP_FLAG_SHIFT;
	const uint64_t mark = freed ? h->mark | flag : h->mark & ~flag;
	uint64_t wide = 0;
	if (UNLIKELY((mark >> HEAP_FLAG_SHIFT & HEAP_WIDE) != 0) && !freed) {
		const uint64_t *w = (const uint64_t *)(const void *)(p - HEAP_WIDE_SIZE);
		wide = w[0] ^ w[1];
	}
	h->mark = mark;
	h->link = (uint64_t)heap_check((uintptr_t)p, mark, (uint32_t)h->link, wide) << 32 |
		  (uint32_t)h->link;
	return *h;
}

/* Stores who freed a block in the ring of small frees, because the block is too small for that. */
static COLD void bury_small(struct slot *s, unsigned char *p, size_t room, uint64_t link,
			    uintptr_t pc)
{
	if (room >= sizeof link)
		memcpy(p, &link, sizeof link);
	if (s != NULL)
		slot_small_frees(s)[heap_small_free_index((uintptr_t)p)] =
			(struct heap_small_free){ (uintptr_t)p, pc };
}

/* Marks the block as freed, in the header and in its own bytes. `s` may be NULL. */
static inline void bury(struct slot *s, unsigned char *p, uint64_t size, uintptr_t pc)
{
	const struct heap_header h = set_freed(p, true);
	const size_t room = recorder.foreign ? (size_t)size : size_behind((size_t)size);
	if (UNLIKELY(room < HEAP_REST_PLAIN)) {
		bury_small(s, p, room, h.link, pc);
		return;
	}
	struct heap_rest *rest = (void *)(p + heap_rest_distance(size));
	rest->link = h.link;
	rest->mark = h.mark;
	rest->by = pc;
}

static uint32_t walk_stack(struct slot *s, const struct caller *from)
{
	const uint64_t hash = unwind(s, from);
	if (UNLIKELY((recorder.opt.flags & HEAP_INLINE) != 0))
		return 0;
	const uint32_t stack = stack_id(s, hash);
	memo_keep(s, from, stack);
	return stack;
}

/* Writes the header of a block and counts the block. Returns p. */
static inline void *record(struct slot *s, unsigned char *p, size_t size, uint32_t shift,
			   const struct caller *from)
{
	uint32_t stack = memo_find(s, from);
	if (UNLIKELY(stack == 0))
		stack = walk_stack(s, from);
#ifdef HEFT_VERIFY
	verify_stack(stack);
#endif
	write_head(s, p, size, stack, shift);
	count_alloc(s, stack, p, size);
	return p;
}

static inline bool wanted(struct slot *s, size_t size)
{
	if (UNLIKELY(size > SIZE_MOST))
		return false;
	return LIKELY(recorder.opt.sample == 0) || sample_take(s, size);
}

/* Resizes a block without a header to the requested size. Zeroed bytes stay zero. */
static COLD void *unrecorded(void *p, size_t size)
{
	void *to = recorder.real.realloc(p, size != 0 ? size : 1);
	return to != NULL ? to : p;
}

HOT void *block_malloc(size_t size, const struct caller *from)
{
	struct slot *s = slot_enter(from->sp);
	if (UNLIKELY(s == NULL))
		return plain_malloc(size);
	unsigned char *p;
	if (LIKELY(wanted(s, size))) {
		p = recorder.real.malloc(whole_size(size));
		if (LIKELY(p != NULL))
			p = is_aligned(p) ? record(s, p + recorder.front, size, 0, from)
					  : unrecorded(p, size);
	} else {
		p = recorder.real.malloc(size);
	}
	slot_leave(s);
	return p;
}

static void *plain_calloc(size_t size)
{
	if (recorder.real.calloc != NULL && recorder.real.malloc != NULL)
		return recorder.real.calloc(1, size);
	void *p = plain_malloc(size);
	if (p != NULL)
		memset(p, 0, size);
	return p;
}

void *block_calloc(size_t size, const struct caller *from)
{
	struct slot *s = slot_enter(from->sp);
	if (UNLIKELY(s == NULL))
		return plain_calloc(size);
	unsigned char *p;
	if (LIKELY(wanted(s, size))) {
		p = recorder.real.calloc(1, whole_size(size));
		if (LIKELY(p != NULL))
			p = is_aligned(p) ? record(s, p + recorder.front, size, 0, from)
					  : unrecorded(p, size);
	} else {
		p = recorder.real.calloc(1, size);
	}
	slot_leave(s);
	return p;
}

/* Allocates an aligned block. `align` must be a power of two. The callers check other rules. */
void *block_memalign(size_t align, size_t size, const struct caller *from)
{
	if (align <= HEAP_ALIGN && !recorder.foreign)
		return block_malloc(size, from);
	if (align < HEAP_ALIGN)
		align = HEAP_ALIGN;
	if (recorder.real.malloc == NULL)
		boot();
	if (recorder.real.memalign == NULL) {
		errno = ENOMEM;
		return NULL;
	}
	struct slot *s = slot_enter(from->sp);
	if (UNLIKELY(s == NULL))
		return recorder.real.memalign(align, size);
	size_t distance = align;
	while (distance < recorder.front ||
	       distance < HEAP_WIDE_SIZE + (recorder.front - HEAP_HEADER_SIZE))
		distance *= 2;
	unsigned char *p = NULL;
	if (is_power(align) && align <= SIZE_MOST && wanted(s, size))
		p = recorder.real.memalign(align, distance + size_behind(size));
	/* Some allocators return wrong alignments for some sizes. The recorder's sizes differ from
	 * the program's, so such a call must fail here. */
	if (p != NULL && ((uintptr_t)p & (align - 1)) != 0) {
		recorder.real.free(p);
		p = NULL;
	}
	p = p == NULL ? recorder.real.memalign(align, size)
		      : record(s, p + distance, size, (uint32_t)__builtin_ctzll(distance), from);
	slot_leave(s);
	return p;
}

/* Checks the canary of a block, the bytes after it that reveal an overrun. `s` is the thread's
 * slot; NULL if the slot is in use. */
static void check_canary(const struct slot *s, const unsigned char *p, const struct head *h,
			 uintptr_t pc)
{
	const uint64_t canary = heap_canary((uintptr_t)p);
	if (memcmp(p + h->size, &canary, sizeof canary) == 0)
		return;
	__atomic_fetch_add(&recorder.process->damaged, 1, __ATOMIC_RELAXED);
	rest_note(s, p, h, pc, HEAP_GONE_OVERRUN);
}

/* Copies the innermost frames of an inline stack to the freed block, before they are overwritten.
 * Skips aligned blocks. */
static void keep_frames(unsigned char *p, const struct head *h)
{
	const struct heap_inline *in = (const void *)(p - recorder.front);
	const uintptr_t *frames = (const uintptr_t *)(in + 1);
	struct heap_rest *rest = (void *)(p + heap_rest_distance(h->size));
	if (h->size < HEAP_REST_FRAMES || h->raw != p - recorder.front)
		return;
	for (uint32_t i = 0; i < 2; i++)
		rest->frames[i] = i < (uint32_t)in->count ? frames[i] : 0;
}

/* Checks the canary and keeps the inline stack of a block to free. `s` may be NULL. */
static COLD void free_odd(const struct slot *s, unsigned char *p, const struct head *h,
			  uintptr_t pc)
{
	if ((h->flags & HEAP_CANARY) != 0)
		check_canary(s, p, h, pc);
	if ((h->flags & HEAP_INLINE) != 0)
		keep_frames(p, h);
}

/* Returns the slot of this thread. NULL if the slot is in use, or if blocks are sampled, because
 * most blocks have no header then. */
static struct slot *slot_of_plain(uintptr_t sp)
{
	struct slot *s = self;
	if (s == NULL || recorder.opt.sample != 0 ||
	    atomic_load_explicit(&s->busy, memory_order_relaxed) != 0)
		return NULL;
	return slot_enter(sp);
}

/* Calls the real free while the slot is in use, so that a dump shows which threads are in the
 * allocator and which blocks they free. */
static inline void give_back(struct slot *s, const void *p, void *raw, uintptr_t pc)
{
	if (UNLIKELY(s == NULL)) {
		recorder.real.free(raw);
		return;
	}
	slot_give(s, p, pc);
	recorder.real.free(raw);
	slot_give(s, NULL, 0);
	slot_leave(s);
}

/* Counts a double free, then calls the real allocator, which reports it as without the recorder. */
static COLD void free_again(void *p, const struct head *h, uintptr_t sp, uintptr_t pc)
{
	struct slot *s = slot_enter(sp);
	__atomic_fetch_add(&recorder.process->double_frees, 1, __ATOMIC_RELAXED);
	rest_note(s, p, h, pc, HEAP_GONE_AGAIN);
	give_back(s, p, h->raw, pc);
}

static COLD void free_plain(void *p, uintptr_t sp, uintptr_t pc)
{
	struct head h;
	if (boot_owns(p))
		return;
	if (recorder.real.malloc == NULL)
		boot();
	if (rest_find(p, &h)) {
		free_again(p, &h, sp, pc);
		return;
	}
	if (recorder.process != NULL && recorder.opt.sample == 0)
		__atomic_fetch_add(&recorder.process->foreign_frees, 1, __ATOMIC_RELAXED);
	if (recorder.real.free != NULL)
		give_back(slot_of_plain(sp), p, p, pc);
}

HOT void block_free(void *p, uintptr_t sp, uintptr_t pc)
{
	struct head h;
	if (p == NULL)
		return;
	if (UNLIKELY(!head_read(p, &h))) {
		free_plain(p, sp, pc);
		return;
	}
	if (UNLIKELY((h.flags & HEAP_FREED) != 0)) {
		free_again(p, &h, sp, pc);
		return;
	}
	struct slot *s = slot_enter(sp);
	if (UNLIKELY(h.flags != 0))
		free_odd(s, p, &h, pc);
	count_free(s, h.stack, p, h.size);
	bury(s, p, h.size, pc);
	if (UNLIKELY(h.size >= HEAP_GONE_FROM))
		rest_note(s, p, &h, pc, HEAP_GONE_FREED);
	give_back(s, p, h.raw, pc);
}

/* Returns the usable bytes of a block, which realloc copies: all bytes after p, or those before the
 * canary. Of a freed block, the requested size, because the real allocator must not be asked. */
static size_t head_usable(const unsigned char *p, const struct head *h)
{
	if (recorder.real.usable_size == NULL || (h->flags & (HEAP_CANARY | HEAP_FREED)) != 0)
		return (size_t)h->size;
	return recorder.real.usable_size(h->raw) - (size_t)(p - h->raw);
}

bool block_is_ours(void *p)
{
	struct head h;
	return p != NULL && !boot_owns(p) && head_read(p, &h) && (h.flags & HEAP_FREED) == 0;
}

size_t block_usable_size(void *p)
{
	struct head h;
	if (p == NULL)
		return 0;
	if (boot_owns(p)) {
		size_t size;
		memcpy(&size, (unsigned char *)p - 16, sizeof size);
		return size;
	}
	if (head_read(p, &h))
		return head_usable(p, &h);
	return recorder.real.usable_size != NULL ? recorder.real.usable_size(p) : 0;
}

/* Moves a block: allocates a new one, copies the bytes, and frees the old one. Each of the two may
 * be recorded (has a header) or not. */
static void *move(void *p, size_t old_size, size_t size, const struct caller *from)
{
	void *to = block_malloc(size, from);
	if (to == NULL)
		return NULL;
	memcpy(to, p, old_size < size ? old_size : size);
	block_free(p, from->sp, from->pc);
	return to;
}

static COLD void realloc_again(const void *p, const struct head *h, const struct caller *from)
{
	struct slot *s = slot_enter(from->sp);
	__atomic_fetch_add(&recorder.process->double_frees, 1, __ATOMIC_RELAXED);
	rest_note(s, p, h, from->pc, HEAP_GONE_AGAIN);
	if (s != NULL)
		slot_leave(s);
}

static void *realloc_plain(void *p, size_t size, const struct caller *from)
{
	if (boot_owns(p) || recorder.real.realloc == NULL)
		return move(p, block_usable_size(p), size, from);
	/* A growing block that is not sampled may become sampled. */
	if (recorder.opt.sample != 0 && size != 0 && recorder.real.usable_size != NULL &&
	    size > recorder.opt.sample / 8)
		return move(p, recorder.real.usable_size(p), size, from);
	struct slot *s = slot_of_plain(from->sp);
	if (s == NULL)
		return recorder.real.realloc(p, size);
	slot_give(s, p, from->pc);
	void *to = recorder.real.realloc(p, size);
	slot_give(s, NULL, 0);
	slot_leave(s);
	return to;
}

/* Moves a block, counted as one step: subtracts the old block first, then adds the new one. */
static void *realloc_moving(struct slot *s, unsigned char *p, const struct head *h, size_t size,
			    const struct caller *from)
{
	const size_t usable = head_usable(p, h);
	bool recorded = wanted(s, size);
	unsigned char *raw = recorder.real.malloc(recorded ? whole_size(size) : size);
	if (raw == NULL)
		return NULL;
	recorded = recorded && is_aligned(raw);
	unsigned char *to = recorded ? raw + recorder.front : raw;
	memcpy(to, p, usable < size ? usable : size);
	if ((h->flags & HEAP_INLINE) != 0)
		keep_frames(p, h);
	count_free(s, h->stack, p, h->size);
	bury(s, p, h->size, from->pc);
	if (h->size >= HEAP_GONE_FROM)
		rest_note(s, p, h, from->pc, HEAP_GONE_FREED);
	recorder.real.free(h->raw);
	return recorded ? record(s, to, size, 0, from) : to;
}

/* Resizes a block in place, if the real allocator can. */
static void *realloc_recorded(struct slot *s, unsigned char *p, const struct head *h, size_t size,
			      const struct caller *from)
{
	set_freed(p, true);
	unsigned char *raw = recorder.real.realloc(h->raw, whole_size(size));
	if (raw == NULL) {
		set_freed(p, false);
		return NULL;
	}
	count_free(s, h->stack, p, h->size);
	if (raw != h->raw)
		rest_note(s, p, h, from->pc, HEAP_GONE_FREED);
	if (!is_aligned(raw)) {
		memmove(raw, raw + recorder.front, size);
		return raw;
	}
	return record(s, raw + recorder.front, size, 0, from);
}

void *block_realloc(void *p, size_t size, const struct caller *from)
{
	struct head h;
	if (p == NULL)
		return block_malloc(size, from);
	if (!head_read(p, &h)) {
		if (rest_find(p, &h))
			realloc_again(p, &h, from);
		return realloc_plain(p, size, from);
	}
	if (size == 0) {
		block_free(p, from->sp, from->pc);
		return NULL;
	}
	struct slot *s = slot_enter(from->sp);
	if (s == NULL)
		return move(p, head_usable(p, &h), size, from);
	if ((h.flags & HEAP_CANARY) != 0)
		check_canary(s, p, &h, from->pc);
	slot_give(s, p, from->pc);
	const bool stays = recorder.opt.sample == 0 && size <= SIZE_MOST &&
			   h.raw + recorder.front == (unsigned char *)p;
	void *to = stays ? realloc_recorded(s, p, &h, size, from)
			 : realloc_moving(s, p, &h, size, from);
	slot_give(s, NULL, 0);
	slot_leave(s);
	return to;
}
