/* Reads inline stacks (block.h), also after the allocator has overwritten parts of them. */
#include "heap/inline_stack.h"

#include "heap/memory.h"

enum { FRAMES_MOST = 1024 };

/* Reads an inline stack, and returns its index in `c`. CALLS_NONE if its check is wrong. */
static uint32_t whole_stack(struct reader r, struct calls *c)
{
	uint64_t frames[FRAMES_MOST], check = 0;
	const uint64_t magic = read_u64(&r), count = read_u64(&r);
	const unsigned word = magic - HEAP_INLINE_MAGIC == 4 ? 4 : 8;
	const uint32_t n = (uint32_t)count;
	if (n > FRAMES_MOST || (magic != HEAP_INLINE_MAGIC + 4 && magic != HEAP_INLINE_MAGIC + 8))
		return CALLS_NONE;
	for (uint32_t i = 0; i < n; i++) {
		frames[i] = read_wide(&r, word);
		check = heap_inline_check(check, frames[i]);
	}
	if (!reader_ok(&r) || check >> 32 != count >> 32)
		return CALLS_NONE;
	return calls_add(c, frames, n);
}

/* Reads the two innermost frames from the copy in a freed block's own bytes (struct heap_rest).
 * False if there is no copy. */
static bool kept_frames(const struct dump *d, const struct heap_found *f, uint64_t ret[2])
{
	const uint64_t at = f->addr + heap_rest_distance(f->size);
	uint64_t link, mark;
	return f->size >= HEAP_REST_FRAMES && memory_uint(d, at, 8, &link) &&
	       memory_uint(d, at + 8, 8, &mark) && (uint32_t)link == f->stack &&
	       heap_check(f->addr, mark, (uint32_t)link, 0) == link >> 32 &&
	       memory_uint(d, at + HEAP_REST_PLAIN, 8, &ret[0]) &&
	       memory_uint(d, at + HEAP_REST_PLAIN + 8, 8, &ret[1]);
}

/* Reads an inline stack whose first two words were overwritten, and returns its index in `c`.
 * Frames end at zeros or at the header. */
static uint32_t stack_left(struct reader r, const struct dump *d, struct calls *c,
			   const struct heap_found *f)
{
	const unsigned word = memory_word_size(d);
	const uint32_t header = (f->flags & HEAP_WIDE) != 0 ? HEAP_WIDE_SIZE : HEAP_HEADER_SIZE;
	const uint64_t room = (f->stack - header - sizeof(struct heap_inline)) / word;
	uint64_t frames[FRAMES_MOST], kept[2];
	const bool has_kept = kept_frames(d, f, kept);
	uint32_t n = 0;
	read_skip(&r, sizeof(struct heap_inline));
	for (; n < room && n < FRAMES_MOST; n++) {
		frames[n] = read_wide(&r, word);
		if (has_kept && n < COUNT_OF(kept))
			frames[n] = kept[n];
		if (!reader_ok(&r) || frames[n] == 0)
			break;
	}
	return n > 0 ? calls_add(c, frames, n) : CALLS_NONE;
}

uint32_t inline_stack(const struct dump *d, struct calls *c, const struct heap_found *f)
{
	ASSERT((f->flags & HEAP_INLINE) != 0);
	const struct reader r = reader_of(dump_at(d, f->addr - f->stack, f->stack), d->big_endian);
	const uint32_t stack = whole_stack(r, c);
	if (stack != CALLS_NONE || (f->flags & HEAP_FREED) == 0)
		return stack;
	return stack_left(r, d, c, f);
}
