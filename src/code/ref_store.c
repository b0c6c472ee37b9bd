/* Keeps references of code as records in the order of the code.
 *
 * The low 3 bits of the first 2 bytes tell the kind. A reference takes 6 bytes if its target is not
 * far away: the other 13 bits are the distance from the previous reference, and 4 bytes the
 * distance from the reference to its target. Otherwise the record has its numbers in full: 8 bytes
 * each for its address and target. The start of code has its address and end in full. */
#include "code/ref_store.h"

enum { REF_STORE_FAR = 6, REF_STORE_CODE = 7, REF_STORE_BITS = 3, REF_STORE_DISTANCES = 1 << 13 };

static void ref_part_put(struct ref_part *p, unsigned head, const void *data, size_t size)
{
	const uint16_t first = (uint16_t)head;
	vec_reserve(&p->bytes, sizeof first + size);
	memcpy(p->bytes.data + p->bytes.count, &first, sizeof first);
	memcpy(p->bytes.data + p->bytes.count + sizeof first, data, size);
	p->bytes.count += sizeof first + size;
}

void ref_part_begin(struct ref_part *p, uint64_t addr, uint64_t size)
{
	const uint64_t whole[] = { addr, addr + size };
	ref_part_put(p, REF_STORE_CODE, whole, sizeof whole);
	p->at = addr;
}

void ref_part_add(struct ref_part *p, const struct code_ref *ref)
{
	const unsigned kind = (unsigned)__builtin_ctz(ref->kind);
	const uint64_t distance = ref->from - p->at, whole[] = { ref->from, ref->to };
	const int32_t target = (int32_t)(uint32_t)(ref->to - ref->from);
	ASSERT(kind < REF_STORE_FAR);
	p->at = ref->from;
	if (distance < REF_STORE_DISTANCES && (uint64_t)(int64_t)target == ref->to - ref->from)
		ref_part_put(p, (unsigned)distance << REF_STORE_BITS | kind, &target,
			     sizeof target);
	else
		ref_part_put(p, kind << REF_STORE_BITS | REF_STORE_FAR, whole, sizeof whole);
}

bool ref_part_next(const struct ref_part *p, size_t *at, struct kept_ref *ret)
{
	uint16_t head;
	int32_t target;
	uint64_t whole[2];
	if (*at == p->bytes.count)
		return false;
	const uint8_t *from = p->bytes.data + *at + sizeof head;
	memcpy(&head, from - sizeof head, sizeof head);
	const unsigned kind = head & REF_STORE_CODE, rest = head >> REF_STORE_BITS;
	const bool far = kind >= REF_STORE_FAR;
	*at += sizeof head + (far ? sizeof whole : sizeof target);
	ASSERT(*at <= p->bytes.count);
	if (far) {
		memcpy(whole, from, sizeof whole);
		*ret = (struct kept_ref){ whole[0], whole[1],
					  kind == REF_STORE_CODE ? 0 : 1U << rest };
		return true;
	}
	memcpy(&target, from, sizeof target);
	ret->from += rest;
	ret->to = ret->from + (uint64_t)(int64_t)target;
	ret->kind = 1U << kind;
	return true;
}

void ref_store_release(struct ref_store *s)
{
	for (size_t i = 0; i < s->parts.count; i++)
		vec_release(&s->parts.data[i].bytes);
	vec_release_all(&s->parts, &s->symbols);
}
