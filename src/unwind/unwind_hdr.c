/* unwind_hdr.c - reads .eh_frame_hdr. Source: LSB 5.0 Core, "The .eh_frame_hdr section". */
#include "unwind/unwind.h"

#include "unwind/eh_pointer.h"

static bool hdr_odd(const struct unwind_section *s, const char *why)
{
	note(s->notes, s->path, s->file_off, s->bytes.size, "unwind look-up table is damaged: %s",
	     why);
	return false;
}

/* Reads a pointer. "Data-relative" pointers are relative to the start of .eh_frame_hdr. */
static uint64_t read_hdr_pointer(struct reader *r, uint8_t encoding, uint8_t address_size,
				 uint64_t addr)
{
	const uint8_t apply = encoding & EH_APPLY_MASK;
	const uint64_t place = addr + r->pos;
	const uint64_t value = read_eh_value(r, encoding, address_size);
	const uint64_t base = apply == EH_PCREL ? place : apply == EH_DATAREL ? addr : 0;
	return eh_add(base, value, address_size);
}

/* True if a loader could use the encoding: absolute, pc-relative or data-relative. */
static bool encoding_ok(uint8_t encoding)
{
	const uint8_t apply = encoding & (EH_APPLY_MASK | EH_INDIRECT);
	return apply == 0 || apply == EH_PCREL || apply == EH_DATAREL;
}

static bool unwind_hdr_read_table(struct unwind_hdr *h, const struct unwind_section *s,
				  uint64_t stated)
{
	if (!encoding_ok(h->encoding) || eh_width(h->encoding, h->address_size) == 0)
		return hdr_odd(s, "table encoding of unknown meaning");
	h->entry_size = (uint8_t)(2 * eh_width(h->encoding, h->address_size));
	h->table_off = h->reader.pos;
	const uint64_t room = reader_left(&h->reader) / h->entry_size;
	h->count = min_u64(stated, room);
	if (stated > room)
		note(s->notes, s->path, s->file_off, s->bytes.size,
		     "unwind look-up table states more entries than it has room for");
	return true;
}

bool unwind_hdr_parse(struct unwind_hdr *h, const struct unwind_section *s)
{
	ASSERT(eh_address_size_ok(s->address_size));
	*h = (struct unwind_hdr){ .reader = reader_of(s->bytes, s->big_endian),
				  .address_size = s->address_size,
				  .addr = s->addr };
	struct reader *r = &h->reader;
	const uint8_t version = read_u8(r);
	const uint8_t frame_encoding = read_u8(r);
	const uint8_t count_encoding = read_u8(r);
	h->encoding = read_u8(r);
	if (!reader_ok(r) || version != 1)
		return hdr_odd(s, "too short, or of unknown version");
	if (frame_encoding != EH_OMIT)
		h->eh_frame_addr = read_hdr_pointer(r, frame_encoding, s->address_size, s->addr);
	if (!encoding_ok(frame_encoding))
		h->eh_frame_addr = 0;
	uint64_t stated = 0;
	if (count_encoding != EH_OMIT)
		stated = read_eh_value(r, count_encoding, s->address_size);
	if (!reader_ok(r))
		return hdr_odd(s, "header is cut short");
	h->table_off = r->pos;
	if (h->encoding == EH_OMIT || count_encoding == EH_OMIT)
		return true;
	return unwind_hdr_read_table(h, s, stated);
}

bool unwind_hdr_get(const struct unwind_hdr *h, uint64_t i, uint64_t *ret_func, uint64_t *ret_fde)
{
	if (i >= h->count)
		return false;
	ASSERT(h->entry_size > 0);
	struct reader r = h->reader;
	reader_seek(&r, h->table_off + i * h->entry_size);
	if (h->encoding == (EH_DATAREL | EH_SDATA4)) {
		*ret_func = eh_add(h->addr, (uint64_t)(int64_t)read_i32(&r), h->address_size);
		*ret_fde = eh_add(h->addr, (uint64_t)(int64_t)read_i32(&r), h->address_size);
	} else {
		*ret_func = read_hdr_pointer(&r, h->encoding, h->address_size, h->addr);
		*ret_fde = read_hdr_pointer(&r, h->encoding, h->address_size, h->addr);
	}
	return reader_ok(&r);
}
