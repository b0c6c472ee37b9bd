/* Reads the call sites of language-specific data. */
#include "unwind/lsda_sites.h"

#include "unwind/eh_pointer.h"

bool lsda_sites_open(struct lsda_sites *s, struct reader r, uint64_t addr, uint8_t address_size,
		     uint64_t func_addr, uint64_t func_size)
{
	*s = (struct lsda_sites){ .func_addr = func_addr,
				  .func_size = func_size,
				  .pad_base = func_addr,
				  .address_size = address_size };
	const uint8_t base_encoding = read_u8(&r);
	if (base_encoding != EH_OMIT) {
		const uint64_t place = addr + r.pos;
		s->pad_base = read_eh_value(&r, base_encoding, address_size);
		if ((base_encoding & EH_APPLY_MASK) == EH_PCREL)
			s->pad_base = eh_add(place, s->pad_base, address_size);
	}
	if (read_u8(&r) != EH_OMIT)
		(void)read_uleb(&r);
	s->encoding = read_u8(&r);
	const uint64_t size = read_uleb(&r);
	if (!reader_ok(&r) || size > reader_left(&r))
		return false;
	r.size = r.pos + size;
	s->reader = r;
	return true;
}

bool lsda_sites_next(struct lsda_sites *s, struct lsda_site *ret)
{
	struct reader *r = &s->reader;
	if (reader_left(r) == 0)
		return false;
	const uint64_t start = read_eh_value(r, s->encoding, s->address_size);
	const uint64_t size = read_eh_value(r, s->encoding, s->address_size);
	const uint64_t pad = read_eh_value(r, s->encoding, s->address_size);
	(void)read_uleb(r);
	if (!reader_ok(r) || start < s->end || start > s->func_size || size > s->func_size - start)
		return false;
	s->end = start + size;
	*ret = (struct lsda_site){ s->func_addr + start, size,
				   pad ? eh_add(s->pad_base, pad, s->address_size) : 0 };
	return true;
}
