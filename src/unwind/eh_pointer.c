/* Reads encoded pointers of exception tables. */
#include "unwind/eh_pointer.h"

unsigned eh_width(uint8_t encoding, uint8_t address_size)
{
	switch (encoding & EH_FORMAT_MASK) {
	case EH_ABSPTR:
	case EH_SIGNED: return address_size;
	case EH_UDATA2:
	case EH_SDATA2: return 2;
	case EH_UDATA4:
	case EH_SDATA4: return 4;
	case EH_UDATA8:
	case EH_SDATA8: return 8;
	default: return 0;
	}
}

uint64_t read_eh_value(struct reader *r, uint8_t encoding, uint8_t address_size)
{
	ASSERT(eh_address_size_ok(address_size));
	const uint8_t format = encoding & EH_FORMAT_MASK;
	if (format == EH_ULEB)
		return read_uleb(r);
	if (format == EH_SLEB)
		return (uint64_t)read_sleb(r);
	/* A reserved format has width 0, which marks r bad. */
	const unsigned width = eh_width(encoding, address_size);
	if (format & EH_SIGNED && width == 2)
		return (uint64_t)(int64_t)read_i16(r);
	if (format & EH_SIGNED && width == 4)
		return (uint64_t)(int64_t)read_i32(r);
	return read_uint(r, width);
}
