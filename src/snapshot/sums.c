/* Computes, reads and writes checksums of the contents of symbols. */
#include "snapshot/sums.h"

#include "names/out.h"

uint8_t sum_of(struct bytes b)
{
	return b.size > 0 ? (uint8_t)(1 + bytes_sum(b) % 255) : 0;
}

uint8_t sum_of_group(const struct snapshot *s, const struct snap_section *sec, uint64_t first)
{
	const uint64_t end = sec->first + sec->count;
	const uint64_t last = min_u64(end, first + sums_group_size(sec->count));
	uint64_t sum = 0;
	ASSERT(first >= sec->first && end <= s->symbols.count);
	for (uint64_t i = first; i < last; i++)
		sum += s->symbols.data[i].sum;
	return sum > 0 && sum % 256 == 0 ? 1 : (uint8_t)sum;
}

void sums_write(struct text *to, const struct snapshot *s, const struct snap_section *sec)
{
	static const char digits[] = "0123456789abcdef";
	const size_t start = to->len;
	bool known = false;
	for (uint64_t i = 0; i < sec->count; i += sums_group_size(sec->count)) {
		const uint8_t sum = sum_of_group(s, sec, sec->first + i);
		text_add_char(to, digits[sum / 16]);
		text_add_char(to, digits[sum % 16]);
		known = known || sum > 0;
	}
	to->len = known ? to->len : start;
}

bool sums_read(struct snapshot *s, const struct snap_section *sec, struct str digits)
{
	const uint64_t size = sums_group_size(sec->count);
	size_t at = 0;
	for (uint64_t i = 0; i < sec->count; i += size, at += 2) {
		const int high = at + 2 <= digits.len ? hex_value(digits.p[at]) : -1;
		const int low = high >= 0 ? hex_value(digits.p[at + 1]) : -1;
		if (low < 0)
			return false;
		s->symbols.data[sec->first + i].sum = (uint8_t)(high * 16 + low);
	}
	return at == digits.len;
}
