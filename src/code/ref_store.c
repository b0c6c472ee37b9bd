/* Keeps references of code as a stream of numbers.
 *
 * The low 3 bits of an entry's first number tell its kind. For a reference, the other bits are the
 * distance from the address before, and the second number is the distance of the target. For the
 * start of code, the second number is the distance of its address, and the third its size. The sign
 * of a distance is in its lowest bit. */
#include "code/ref_store.h"

enum { REF_STORE_CODE = 7, REF_STORE_BITS = 3 };

static void ref_part_put(struct ref_part *p, uint64_t v)
{
	enum { LONGEST = 10 };
	vec_reserve(&p->bytes, LONGEST);
	for (; v >= 0x80; v >>= 7)
		p->bytes.data[p->bytes.count++] = (uint8_t)(v | 0x80);
	p->bytes.data[p->bytes.count++] = (uint8_t)v;
}

static uint64_t ref_store_fold(uint64_t distance)
{
	return distance << 1 ^ (distance >> 63 ? UINT64_MAX : 0);
}

static uint64_t ref_store_unfold(uint64_t v)
{
	return v >> 1 ^ (v & 1 ? UINT64_MAX : 0);
}

void ref_part_begin(struct ref_part *p, uint64_t addr, uint64_t size)
{
	ref_part_put(p, REF_STORE_CODE);
	ref_part_put(p, ref_store_fold(addr - p->at));
	ref_part_put(p, size);
	p->at = addr;
}

void ref_part_add(struct ref_part *p, const struct code_ref *ref)
{
	const uint64_t distance = ref_store_fold(ref->from - p->at);
	const unsigned kind = (unsigned)__builtin_ctz(ref->kind);
	/* Code has less than 2^56 bytes, so no bit is lost. */
	ASSERT(kind < REF_STORE_CODE && distance >> (64 - REF_STORE_BITS) == 0);
	ref_part_put(p, distance << REF_STORE_BITS | kind);
	ref_part_put(p, ref_store_fold(ref->to - ref->from));
	p->at = ref->from;
}

bool ref_part_next(struct reader *r, struct kept_ref *ret)
{
	if (reader_left(r) == 0)
		return false;
	const uint64_t head = read_uleb(r);
	const unsigned kind = head & REF_STORE_CODE;
	const uint64_t first = kind == REF_STORE_CODE ? read_uleb(r) : head >> REF_STORE_BITS;
	const uint64_t second = read_uleb(r);
	ret->from += ref_store_unfold(first);
	ret->to = ret->from + (kind == REF_STORE_CODE ? second : ref_store_unfold(second));
	ret->kind = kind == REF_STORE_CODE ? 0 : 1U << kind;
	ASSERT(reader_ok(r));
	return true;
}

void ref_store_release(struct ref_store *s)
{
	for (size_t i = 0; i < s->parts.count; i++)
		vec_release(&s->parts.data[i].bytes);
	vec_release_all(&s->parts, &s->variables);
}
