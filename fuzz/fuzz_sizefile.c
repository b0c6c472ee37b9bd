/* Input: an unpacked .size file.  What is read is written and read again: both times the same bytes
 * are written (but for texts that are not ASCII, whose escapes sort elsewhere), and the symbols
 * pair up with themselves. */
#include "compare/diff.h"
#include "snapshot/sizefile.h"

static bool read_text(struct snapshot *ret, struct bytes b)
{
	struct heft_err err = { 0 };
	if (sizefile_read(ret, "x", b, NULL, &err))
		return true;
	ASSERT(err.code != HEFT_OK && err.text[0] != '\0');
	return false;
}

static bool is_ascii(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (data[i] >= 0x80)
			return false;
	return true;
}

static void check_diff(const struct snapshot *a)
{
	for (int supersize = 0; supersize < 2; supersize++) {
		struct snapshot_diff d;
		diff_init(&d, a, a, supersize);
		ASSERT(d.pairs.count == a->symbols.count);
		for (size_t i = 0; i < d.pairs.count; i++)
			ASSERT(d.pairs.data[i].change == HEFT_UNCHANGED);
		diff_release(&d);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct snapshot first, second;
	struct sizefile_out once = { { 0 } }, twice = { { 0 } };
	struct heft_err err;
	if (!read_text(&first, (struct bytes){ data, size }))
		return 0;
	snapshot_split_names(&first);
	check_diff(&first);
	/* Not all that can be read can be written. */
	if (is_ascii(data, size) && sizefile_write(&once, &first, &err)) {
		const struct bytes b = { once.bytes.data, once.bytes.count };
		ASSERT(read_text(&second, b));
		ASSERT(sizefile_write(&twice, &second, &err));
		ASSERT(once.bytes.count == twice.bytes.count &&
		       memcmp(once.bytes.data, twice.bytes.data, once.bytes.count) == 0);
		snapshot_release(&second);
	}
	snapshot_release(&first);
	vec_release(&once.bytes);
	vec_release(&twice.bytes);
	return 0;
}
