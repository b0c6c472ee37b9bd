/* Input: an unpacked .sizediff file.  Both halves that are read are sparse; what is written of them
 * is read again, with as many symbols. */
#include "image/kinds.h"
#include "snapshot/sizefile.h"

static void check_again(const struct snapshot *before, const struct snapshot *after)
{
	static const char *const none[] = { NULL };
	struct sizefile_out out = { .threads = 1 };
	struct snapshot a, b;
	struct heft_err err;
	if (sizediff_write(&out, before, after, none, none, &err)) {
		const struct bytes bytes = { out.bytes.data, out.bytes.count };
		ASSERT(file_format_of(bytes, NULL)->kind == KIND_SIZEDIFF);
		ASSERT(sizediff_read(&a, &b, "x", bytes, NULL, &err));
		ASSERT(a.symbols.count == before->symbols.count);
		ASSERT(b.symbols.count == after->symbols.count);
		snapshot_release(&a);
		snapshot_release(&b);
	}
	vec_release(&out.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct snapshot before, after;
	struct heft_err err = { 0 };
	if (!sizediff_read(&before, &after, "x", (struct bytes){ data, size }, NULL, &err)) {
		ASSERT(err.code != HEFT_OK && err.text[0] != '\0');
		return 0;
	}
	ASSERT(before.sparse && after.sparse);
	check_again(&before, &after);
	snapshot_release(&before);
	snapshot_release(&after);
	return 0;
}
