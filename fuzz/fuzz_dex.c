/* Input: a dex file.  Its items add up to the file, whatever it says; names are made or refused
 * with a reason. */
#include "package/dex.h"

static void check_names(struct dex *d, const struct dex_item *i, struct text *out)
{
	struct heft_err err = { 0 };
	struct str text;
	out->len = 0;
	bool ok = dex_add_name(d, i, out, &err);
	if (ok && i->kind == DEX_CLASS)
		ok = dex_add_class_path(d, i, out, &err) && dex_source_file(d, i, &text, &err);
	if (ok && i->kind == DEX_STRING && (ok = dex_literal(d, i, &text, &err)))
		ASSERT((const uint8_t *)text.p >= d->bytes.p &&
		       (const uint8_t *)text.p + text.len < d->bytes.p + d->bytes.size);
	ASSERT(ok || (err.code == HEFT_EFORMAT && memcmp(err.text, "fuzz:", 5) == 0));
}

static void check(struct dex *d, size_t size)
{
	uint64_t sum = 0;
	struct text out = { 0 };
	for (size_t i = 0; i < d->items.count; i++) {
		const struct dex_item *item = &d->items.data[i];
		sum += item->size;
		ASSERT(item->part < d->parts.count && item->owner < d->items.count);
		const enum dex_kind owner = d->items.data[item->owner].kind;
		ASSERT(owner == (item->owner == i ? item->kind : DEX_CLASS));
		if (item->size > 0 && item->kind != DEX_TABLE)
			check_names(d, item, &out);
	}
	ASSERT(sum == size);
	for (size_t i = 0; i < d->uses.count; i++) {
		ASSERT(d->items.data[d->uses.data[i].key >> 32].kind == DEX_STRING);
		ASSERT(d->items.data[dex_use_class(&d->uses.data[i])].kind == DEX_CLASS);
		ASSERT(i == 0 || d->uses.data[i].key > d->uses.data[i - 1].key);
	}
	text_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dex d;
	struct heft_err err = { 0 };
	const struct bytes b = { data, size };
	(void)dex_matches(b);
	if (dex_parse(&d, "fuzz", b, &err)) {
		check(&d, size);
		dex_release(&d);
	} else {
		ASSERT(err.code == HEFT_EFORMAT && memcmp(err.text, "fuzz:", 5) == 0);
	}
	return 0;
}
