/* Distinguishes numbers and text from addresses. */
#include "image/lookalike.h"

static bool is_text_byte(uint64_t c)
{
	return c >= 0x20 && c <= 0x7e;
}

static bool lookalike_load_byte(const struct image *im, uint64_t addr, uint8_t *ret)
{
	struct reader r = reader_of(image_at(im, addr, 1), false);
	*ret = read_u8(&r);
	return reader_ok(&r);
}

bool lookalike_may_be_text(uint64_t value)
{
	for (uint64_t rest = value; rest > 0; rest >>= 8)
		if (!is_text_byte(rest & 0xff) && (rest & 0xff) != 0) /* UTF-16 has 0 bytes */
			return false;
	return true;
}

bool lookalike_is_text(const struct image *im, uint64_t value)
{
	uint8_t before;
	return lookalike_may_be_text(value) && value % 8 != 0 &&
	       !(lookalike_load_byte(im, value - 1, &before) && before == 0);
}

bool lookalike_is_printed(const struct image *im, uint64_t addr)
{
	return lookalike_printed_at(im, addr) && lookalike_printed_at(im, addr + 1);
}

bool lookalike_is_number(const struct image *im, uint64_t value)
{
	uint8_t before;
	return value < LOOKALIKE_SMALL && value % 4 != 0 &&
	       lookalike_load_byte(im, value - 1, &before) && before != 0;
}

bool lookalike_text_at(const struct image *im, uint64_t addr)
{
	uint8_t c;
	return lookalike_load_byte(im, addr, &c) && is_text_byte(c);
}

bool lookalike_printed_at(const struct image *im, uint64_t addr)
{
	uint8_t c;
	return lookalike_load_byte(im, addr, &c) &&
	       (is_text_byte(c) || (c != 0 && c < 0x20 && strchr("\t\n\r\033", c)));
}
